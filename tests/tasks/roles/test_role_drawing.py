"""Pictures of roles: what they say, that nothing overlaps, and that any text can be drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings

from helpers.role_sentences import role_sentences
from runoff.tables import width
from runoff.tasks.roles import Argument, Proposition, RoleSentence, draw_roles, read_roles, role_drawing, roles_text
from runoff.tasks.roles.role_rows import role_rows, said_in_words

if TYPE_CHECKING:
    from pathlib import Path

SVG = "{http://www.w3.org/2000/svg}"
MARKUP = RoleSentence(
    ("<b>", "&amp;", "$x$", "\x07", '"'),
    (Proposition(1, "<i>", (Argument(0, 1, "A0"), Argument(1, 2, "V"), Argument(2, 5, "C-<A>")), "&.01"),),
)


def test_an_svg_says_in_words_what_it_shows(tmp_path: Path) -> None:
    draw_roles([MARKUP], tmp_path / "a.svg")
    root = ET.parse(tmp_path / "a.svg").getroot()
    assert root.get("role") == "img"
    assert root.findtext(f"{SVG}title") == 'Roles of 1 predicate: <b> &amp; $x$ \ufffd "'
    assert root.findtext(f"{SVG}desc") == '&.01: A0 “<b>”; V “&amp;”; C-<A> “$x$ \ufffd "”.'
    written = {"".join(each.itertext()).strip() for each in root.iter(f"{SVG}text")}
    assert written == {"<b>", "&amp;", "$x$", "\ufffd", '"', "A0", "V", "C-<A>", "&.01"}
    assert not {f"{SVG}script", f"{SVG}image"} & {each.tag for each in root.iter()}
    draw_roles([MARKUP], tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def drawn(monkeypatch: pytest.MonkeyPatch, *sentences: RoleSentence) -> Any:
    kept: list[Any] = []
    monkeypatch.setattr(role_drawing, "write_figure", lambda figure, *_, **__: kept.append(figure))
    draw_roles(sentences, "a.png", ["one", "two"][: len(sentences)])
    return kept.pop()


def overlapping(figure: Any) -> list[tuple[str, str]]:
    """Pairs of texts that meet, and texts that leave the picture."""
    placed = [(text.get_text(), text.get_window_extent(figure.canvas.get_renderer())) for text in figure.axes[0].texts]
    whole = figure.bbox
    found = [(text, "") for text, box in placed if box.x0 < 0 or box.x1 > whole.x1 or box.y0 < 0 or box.y1 > whole.y1]
    for at, (text, box) in enumerate(placed):
        for other, its in placed[at + 1 :]:
            if box.x0 < its.x1 and its.x0 < box.x1 and box.y0 < its.y1 and its.y0 < box.y1:
                found.append((text, other))
    return found


def test_nothing_overlaps_in_real_sentences(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = min((shared_data / "roles").glob("*.conll.gz"), key=lambda each: each.stat().st_size, default=None)
    if path is None:
        pytest.skip("there is no file of roles in the real data")
    for sentence in read_roles(path)[:200:10]:
        other = sentence.with_propositions(each.with_roles(each.roles[1:]) for each in sentence.propositions[1:])
        for shown in ([sentence], [sentence, other]):
            figure = drawn(monkeypatch, *shown)
            assert overlapping(figure) == []
            assert figure.get_size_inches()[0] < 15


def test_labels_fit_their_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    short = RoleSentence(
        ("a", "b", "c"),
        (Proposition(1, "b", (Argument(0, 1, "R-AM-TMP"), Argument(1, 2, "V"), Argument(2, 3, "AM-LOC"))),),
    )
    figure = drawn(monkeypatch, short, short.with_propositions(()))
    surface = figure.axes[0]
    bars = [patch.get_window_extent(figure.canvas.get_renderer()) for patch in surface.patches]
    labels = [text for text in surface.texts if text.get_text() in ("≠ R-AM-TMP", "≠ V", "≠ AM-LOC")]
    assert len(labels) == len(bars) == 3
    for text, bar in zip(labels, bars, strict=True):
        box = text.get_window_extent(figure.canvas.get_renderer())
        assert bar.x0 < box.x0
        assert box.x1 < bar.x1


def test_what_differs_is_marked() -> None:
    mine = Proposition(1, "b", (Argument(0, 1, "A0"), Argument(1, 2, "V"), Argument(2, 3, "A1")))
    other = Proposition(1, "b", (Argument(0, 1, "A0"), Argument(1, 2, "V"), Argument(2, 3, "A2")))
    words = ("a", "b", "c")
    rows = role_rows([RoleSentence(words, (mine,)), RoleSentence(words, (other,))], ["x", "y"])
    assert [(row.title, [bar.text for bar in row.bars]) for row in rows] == [
        ("b · x", ["A0", "V", "≠ A1"]),
        ("b · y", ["A0", "V", "≠ A2"]),
    ]
    assert said_in_words(words, rows).startswith("b · x: A0 “a”; V “b”; A1 “c” (differs). b · y: ")
    assert said_in_words(words, []) == "No predicates."
    assert roles_text([RoleSentence(words)], ["x"]).endswith("This sentence has no predicates.")


@settings(deadline=None)
@given(role_sentences(syntax=False))
def test_text_stays_in_its_columns(sentences: list[RoleSentence]) -> None:
    for sentence in sentences:
        lines = roles_text([sentence], ["x"]).splitlines()
        words = " ".join(sentence.words)
        for row in role_rows([sentence], ["x"]):
            assert sum(line.startswith(row.title) for line in lines) >= 1
        assert all(width(line) <= 100 + width(words) for line in lines)
        assert sum(line.count("]") for line in lines) >= sum(len(each.arguments) for each in sentence.propositions)


def test_a_long_sentence_is_drawn_in_lines() -> None:
    long = RoleSentence(
        ("word",) * 60, (Proposition(9, "say", (Argument(0, 9, "A0"), Argument(9, 10, "V"), Argument(10, 60, "A1"))),)
    )
    lines = roles_text([long], ["x"]).splitlines()
    assert sum("word" in line for line in lines) > 2
    assert all(len(line) <= 100 for line in lines)
    assert sum("<A1" in line for line in lines) == sum("word" in line for line in lines) - 1
