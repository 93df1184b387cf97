"""Pictures of decisions between translations: what they say, that nothing overlaps, that any text can be drawn."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from runoff import tasks
from runoff.model import LinearModel
from runoff.nbest import NBest
from runoff.tasks.translation import translation_drawing
from runoff.tasks.translation.choice_explanation import explain
from runoff.tasks.translation.translation_layout import WordRow, panels_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from runoff.tasks.translation.choice_explanation import TranslationExplanation

SVG = "{http://www.w3.org/2000/svg}"
LONG = " ".join(f"word{letter}" for letter in "abcdefghijklmnopqrstuvwxyz" * 3)


def explained(
    source: str | None,
    rival: str,
    winner: str,
    references: Sequence[str] = (),
    phrases: Sequence[str] = (),
    features: int = 2,
) -> TranslationExplanation:
    values = {f"family{at % 4}:feature {at}": (-1.0) ** at * (at + 1) for at in range(features)}
    used = {f"phrase:{name}": 1.0 for name in phrases}
    candidates = [{"text": rival, "features": used}, {"text": winner, "features": {**values, **used, "lead": 1000.0}}]
    record: dict[str, Any] = {"id": "a", "candidates": candidates, "metric": "bleu"}
    if source is not None:
        record["input"] = source
    if references:
        record["references"] = list(references)
    weights = {**dict.fromkeys(values, 0.5), "lead": 1.0}
    found: Any = explain(LinearModel.of(weights), NBest.from_records([record]), "a")
    return found  # type: ignore[no-any-return]


BANK = explained(
    "The fisherman sees the bank.",
    "Der Fischer sieht die Bank.",
    "Der Fischer sieht das Ufer.",
    ["Der Fischer sieht das Ufer."],
    ["The fisherman=Der Fischer", "sees=sieht", "the bank ￭.=das Ufer ￭."],
)
EXAMPLES = {
    "usual": BANK,
    "long": explained(LONG, LONG.replace("wordq", "other"), LONG, [LONG], ["worda wordb=worda wordb"], 30),
    "no source": explained(None, "a b", "a c"),
    "no words": explained("a", "", "b"),
    "markup": explained("<b> &amp; $x$", "a_b^2 \\alpha", '"<i>" \x07', ["]]>"]),
    "hebrew": explained("The dog.", "החתול.", "הכלב, (גם)."),
    "japanese": explained("The dog sees.", "男は今日犬を見る。", "男は今日猫を見ます。"),
    "very long words": explained("x" * 500, "y" * 5000, "z" * 90 + " a", features=12),
}


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Callable[[TranslationExplanation], Any]:
    """Draw without writing; gives the figure."""
    kept: list[Any] = []
    monkeypatch.setattr(translation_drawing, "write_figure", lambda figure, *_, **__: kept.append(figure))

    def draw(found: TranslationExplanation) -> Any:
        found.draw("a.png")
        return kept.pop()

    return draw


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


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.filterwarnings("ignore:Glyph")
def test_nothing_overlaps(name: str, drawn: Callable[[TranslationExplanation], Any]) -> None:
    figure = drawn(EXAMPLES[name])
    assert overlapping(figure) == []
    wide, high = figure.get_size_inches()
    assert 5 < wide < 16
    assert high < 60
    surface = figure.axes[0].get_window_extent()
    for patch in figure.axes[0].patches:
        box = patch.get_window_extent()
        assert box.x0 >= 0
        assert box.x1 <= surface.x1


def test_every_word_is_written_once(drawn: Callable[[TranslationExplanation], Any]) -> None:
    texts = [text.get_text() for text in drawn(EXAMPLES["long"]).axes[0].texts]
    assert texts.count("wordb") == 9
    assert (texts.count("wordq"), texts.count("other")) == (6, 3)


def test_the_words_that_differ_and_what_they_stand_for_are_marked(
    drawn: Callable[[TranslationExplanation], Any],
) -> None:
    figure = drawn(BANK)
    boxes = [patch for patch in figure.axes[0].patches if type(patch).__name__ == "FancyBboxPatch"]
    assert len(boxes) == 4  # one in each translation, two in the legend
    assert BANK.winner.behind_marks() == {3, 4, 5}
    assert BANK.rival.behind_marks() == frozenset()  # the rival is not made of that phrase


def test_an_svg_says_in_words_what_it_shows(tmp_path: Path) -> None:
    BANK.draw(tmp_path / "a.svg")
    root = ET.parse(tmp_path / "a.svg").getroot()
    said = root.findtext(f"{SVG}desc") or ""
    assert (
        "Der Fischer sieht -[die Bank].; candidate 1, winner, bleu 100.00: Der Fischer sieht +[das Ufer]. Candidate"
        in said
    )
    assert "Candidate 1 leads candidate 0 by 999.500" in said
    written = {"".join(each.itertext()).strip() for each in root.iter(f"{SVG}text")}
    assert {"Fischer", "Ufer", "Bank", "fisherman", "lead", "+1000.00"} <= written
    BANK.draw(tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    EXAMPLES["markup"].draw(tmp_path / "c.svg")
    assert not {f"{SVG}script", f"{SVG}image"} & {each.tag for each in ET.parse(tmp_path / "c.svg").getroot().iter()}


def test_long_sentences_are_cut_where_few_links_are() -> None:
    row = WordRow.of(list("abcdefgh"), lambda _: 1.0, 1.0, 9.0)
    from runoff.tasks.translation.word_links import Link

    blocks = [Link(0, 3, 0, 2), Link(3, 5, 2, 6), Link(5, 8, 6, 8)]
    for panels in (panels_of(row, [row], [blocks], limit) for limit in (7.0, 9.0, 11.0)):
        assert panels[0][0][0] == 0
        joined = [[stretches[side] for stretches in panels] for side in (0, 1)]
        for stretches in joined:  # everything once, in order
            assert stretches[0][0] == 0
            assert stretches[-1][1] == 8
            assert all(one[1] == other[0] for one, other in pairwise(stretches))
    assert panels_of(row, [row], [blocks], 11.0)[0] == ((0, 3), (0, 2))


def test_words_of_scripts_from_right_to_left_stand_from_right_to_left() -> None:
    row = WordRow.of(["האיש", "רואה"], lambda word: float(len(word)), 1.0, 99.0)
    assert row.places(0, 2, 0.0, 20.0) == {0: (16.0, 20.0), 1: (11.0, 15.0)}
    assert WordRow.of(["the", "man"], len, 1.0, 99.0).is_rightward
    assert WordRow.of([], len, 1.0, 99.0).is_rightward


def test_the_task_explains_with_a_picture(tmp_path: Path) -> None:
    terms = dict.fromkeys(("lm", "words", "tm:direct", "tm:inverse"), 0.0)
    candidates = [{"text": "a", "features": terms}, {"text": "b", "features": {**terms, "lm": 1.0}}]
    data = NBest.from_records([{"id": "x", "input": "A", "candidates": candidates}])
    model = LinearModel.of({"lm": 1.0})
    found = tasks.task_of(model, data).explain(model, data, "x")
    found.draw(tmp_path / "x.png")
    assert (tmp_path / "x.png").stat().st_size > 1000
    assert found.to_dict()["winner_words"] == {"words": ["b"], "marks": ["ONLY"], "links": []}
    without = NBest.from_records([{"id": "x", "candidates": [{"features": {"lm": 0.0}}, {"features": {"lm": 1.0}}]}])
    assert not hasattr(explain(model, without, "x"), "draw")
