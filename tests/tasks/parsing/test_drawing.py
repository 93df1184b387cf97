"""Pictures of two trees: what is written in them, that nothing overlaps, and that files are whole."""

from __future__ import annotations

import gzip
import itertools
import json
import os
import subprocess
import sys
import warnings
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from runoff.errors import DataError, RunoffError, UsageError
from runoff.tasks.parsing import drawing
from runoff.tasks.parsing.brackets import parse_tree
from runoff.tasks.parsing.drawing import draw_trees
from runoff.tasks.parsing.tree_diff import Mark

if TYPE_CHECKING:
    from pathlib import Path

TO_NOUN = "(S1 (S (NP (PRP I)) (VP (VBP eat) (NP (NP (NN rice)) (PP (IN with) (NP (NNS sticks))))) (. .)))"
TO_VERB = "(S1 (S (NP (PRP I)) (VP (VB eat) (NP (NN rice)) (PP (IN with) (NP (NNS sticks)))) (. .)))"
SIGNS = r"(S (NP$ (PRP$ $x$) (NN a_b^2)) (VP (VBZ \alpha) (-LRB- -LRB-) ($ $) (CD 5\/7) (SYM <b>&) (-RRB- -RRB-)))"
CHAIN = "(NP (NP (S (VP (NP (WHADVP (SBARQ (S (NP (QP (WRB why)))))))))))"


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Draw without writing; gives the figure and how it would have been written."""
    kept: list[Any] = []
    monkeypatch.setattr(drawing, "write_figure", lambda figure, _, **how: kept.append((figure, how)))

    def draw(left: str, right: str, **options: Any) -> tuple[Any, dict[str, Any]]:
        draw_trees(parse_tree(left), parse_tree(right), options.pop("path", "a.png"), **options)
        return kept.pop()  # type: ignore[no-any-return]

    return draw


def boxes(figure: Any) -> dict[Any, Any]:
    """Every text of a figure with the rectangle that it takes, its own box included."""
    found = {}
    for text in figure.axes[0].texts:
        text.update_bbox_position_size(figure.canvas.get_renderer())
        patch = text.get_bbox_patch()
        found[text] = text.get_window_extent() if patch is None else patch.get_window_extent()
    return found


def overlapping(figure: Any) -> list[tuple[str, str]]:
    """Pairs of texts that meet, or that leave the picture."""
    placed = boxes(figure)
    edges = np.array([each.extents for each in placed.values()])
    texts = [text.get_text() for text in placed]
    clash = (edges[:, None, :2] < edges[None, :, 2:]).all(axis=2)
    clash &= clash.T
    pairs = [(texts[a], texts[b]) for a, b in np.argwhere(np.triu(clash, 1))]
    right, top = figure.bbox.extents[2:]
    outside = (edges[:, :2] < 0).any(axis=1) | (edges[:, 2] > right) | (edges[:, 3] > top)
    return pairs + [(texts[at], "outside") for at in np.flatnonzero(outside)]


def written(path: Path) -> list[str]:
    """The texts of an SVG, as a reader of the file finds them."""
    return [each.text or "" for each in ET.parse(path).iter("{http://www.w3.org/2000/svg}text")]


def marked(figure: Any) -> list[str]:
    return [text.get_text() for text in figure.axes[0].texts if text.get_bbox_patch() is not None]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (TO_NOUN, TO_VERB),
        (SIGNS, SIGNS.replace("NP$", "X$")),
        (CHAIN, "(NP (WRB why))"),
        ("(UH Yes)", "(UH Yes)"),
        ("(S (UH Yes))", "(S (NNP Yes))"),
        (f"(S {TO_NOUN * 9})", f"(S {TO_VERB * 9})"),
        (f"(S {'(WHADJPX (I i))' * 60})", f"(S {'(SBARQ (I i))' * 60})"),
    ],
)
def test_no_text_meets_another(drawn: Any, left: str, right: str) -> None:
    for gold in (None, parse_tree(right)):
        figure, _ = drawn(left, right, gold=gold)
        assert overlapping(figure) == []


@pytest.mark.slow
def test_no_text_meets_another_in_real_trees(drawn: Any, shared_data: Path) -> None:
    for path in sorted(shared_data.glob("parses/*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in itertools.islice(lines, 0, 90, 30):
                each = json.loads(line)
                candidates = [tree for _, tree in each["nbest"]]
                if candidates:
                    figure, _ = drawn(candidates[0], candidates[-1], gold=parse_tree(each["gold"]))
                    assert overlapping(figure) == [], each["id"]


def test_small_trees_stand_side_by_side_and_large_ones_one_above_the_other(drawn: Any) -> None:
    def titles(figure: Any) -> list[tuple[float, float]]:
        return [text.get_position() for text in figure.axes[0].texts if text.get_text() in ("first choice", "winner")]

    (x, y), (other_x, other_y) = titles(drawn(TO_NOUN, TO_VERB)[0])
    assert y == other_y
    assert x < other_x
    (x, y), (other_x, other_y) = titles(drawn(f"(S {TO_NOUN * 6})", f"(S {TO_VERB * 6})")[0])
    assert x == other_x
    assert y > other_y


def test_marks_are_where_the_trees_differ(drawn: Any) -> None:
    figure, _ = drawn(TO_NOUN, TO_VERB)
    # One tag and one constituent of the first, one tag of the second, and the key.
    assert marked(figure) == ["VBP", "NP", "VB", "XP"]
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert "1 constituent only here; 1 tag only here" in texts
    assert "0 constituents only here; 1 tag only here" in texts
    assert marked(drawn(TO_NOUN, TO_NOUN)[0]) == ["XP"]


def test_right_and_wrong_differ_in_shape_and_lightness(drawn: Any) -> None:
    figure, _ = drawn(TO_NOUN, TO_VERB, gold=parse_tree(TO_VERB.replace("(NP (PRP I))", "(NP-SBJ (PRP I))")))
    assert marked(figure) == ["VBP", "NP", "VB", "XP", "XP"]
    texts = figure.axes[0].texts
    assert any(
        text.get_text() == "1 constituent only here (0 right, 1 wrong); 1 tag only here (0 right, 1 wrong)"
        for text in texts
    )
    shown = {
        text.get_text(): (type(patch.get_boxstyle()).__name__, float(np.mean(patch.get_facecolor()[:3])))
        for text in texts
        if (patch := text.get_bbox_patch()) is not None and text.get_text() != "XP"
    }
    assert shown["VBP"] == shown["NP"]
    assert shown["VBP"][0] != shown["VB"][0]
    assert shown["VB"][1] - shown["VBP"][1] > 0.4
    assert {text.get_fontweight() for text in texts if text.get_bbox_patch() is not None} == {"bold"}
    assert set(drawing._BOXES) == set(drawing._LETTERS) == set(drawing._MEANINGS) == set(Mark)


def test_words_are_in_order_on_one_line(drawn: Any) -> None:
    figure, _ = drawn(TO_NOUN, TO_VERB)
    words = ["I", "eat", "rice", "with", "sticks"]
    places = [text.get_position() for text in figure.axes[0].texts if text.get_text() in words]
    assert [text.get_text() for text in figure.axes[0].texts if text.get_text() in words] == words * 2
    assert len({y for _, y in places}) == 1
    assert sorted(places) == places


def test_an_svg_has_every_word_as_it_is_written(tmp_path: Path) -> None:
    draw_trees(parse_tree(SIGNS), parse_tree(SIGNS), tmp_path / "a.svg", ("$first$", "second_\\x\x07\ud800"))
    found = written(tmp_path / "a.svg")
    for text in ["$x$", "a_b^2", "\\alpha", "(", "$", "5\\/7", "<b>&", ")", "NP$", "PRP$", "-LRB-"]:
        assert found.count(text) == {"$": 4}.get(text, 2), text  # the word and the tag are both a dollar
    assert {"$first$", "second_\\x\ufffd\ufffd"} <= set(found)


def test_a_long_word_loses_its_middle(drawn: Any) -> None:
    address = "http://example.com/a/very/long/address/of/a/page.html"
    texts = [text.get_text() for text in drawn(f"(NN {address})", f"(NN {address})")[0].axes[0].texts]
    shown = next(text for text in texts if text.startswith("http"))
    head, tail = shown.split("…")
    assert len(shown) == 24
    assert address.startswith(head)
    assert address.endswith(tail)


def test_letters_that_no_font_has_stay_in_an_svg_and_are_told_of_in_a_png(tmp_path: Path, drawn: Any) -> None:
    tree = "(NP (NN \U00013000\U00013001) (NN слово))"  # hieroglyphs
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure, _ = drawn(tree, tree)
        vector, _ = drawn(tree, tree, path="a.svg")
    note = "Boxes stand for characters that no installed font has; an SVG keeps them."
    assert note in [text.get_text() for text in figure.axes[0].texts]
    texts = [text.get_text() for text in vector.axes[0].texts]
    assert note not in texts
    assert "\U00013000\U00013001" in texts


@pytest.mark.parametrize("ending", ["svg", *(pytest.param(each, marks=pytest.mark.slow) for each in ("png", "pdf"))])
def test_the_same_trees_give_the_same_bytes(tmp_path: Path, ending: str) -> None:
    script = (
        "import sys; from runoff.tasks.parsing.brackets import parse_tree as read; "
        "from runoff.tasks.parsing.drawing import draw_trees; "
        "draw_trees(read(sys.argv[1]), read(sys.argv[2]), sys.argv[3], gold=read(sys.argv[2]))"
    )
    path = tmp_path / f"a.{ending}"
    command = [sys.executable, "-c", script, TO_NOUN, TO_VERB, str(path)]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": "1"})
    first = path.read_bytes()
    draw_trees(parse_tree(TO_NOUN), parse_tree(TO_VERB), path, gold=parse_tree(TO_VERB))
    assert path.read_bytes() == first
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_a_png_is_whole(tmp_path: Path) -> None:
    image = pytest.importorskip("matplotlib.image")
    draw_trees(parse_tree(TO_NOUN), parse_tree(TO_VERB), tmp_path / "a.png")
    pixels = image.imread(tmp_path / "a.png")
    assert (pixels[..., :3].min(axis=2) < 0.5).any()
    assert (pixels[0] == 1).all()  # nothing touches the edge
    assert (pixels[:, -1] == 1).all()


@pytest.mark.slow
def test_a_picture_of_a_monstrous_sentence_can_still_be_opened(drawn: Any) -> None:
    tree = f"(S {'(NP (NN word))' * 600})"
    figure, how = drawn(tree, tree)
    assert how["dpi"] < 130
    width, height = figure.get_size_inches() * how["dpi"]
    assert width <= 32_000 + 1
    assert width * height <= 60e6 * 1.001
    assert drawn(TO_NOUN, TO_VERB)[1]["dpi"] == 130


def test_what_cannot_be_drawn_is_said(tmp_path: Path) -> None:
    tree, other = parse_tree(TO_NOUN), parse_tree("(S (UH oh))")
    with pytest.raises(UsageError, match=r"written as \.png, \.svg or \.pdf; found 'a\.gif'"):
        draw_trees(tree, tree, tmp_path / "a.gif")
    with pytest.raises(DataError, match="one has 6 and the other 1"):
        draw_trees(tree, other, tmp_path / "a.svg")
    with pytest.raises(DataError, match="the gold tree has no words"):
        draw_trees(tree, tree, tmp_path / "a.svg", gold=parse_tree("(S (NP (-NONE- *)))"))
    with pytest.raises(RunoffError, match="cannot be written"):
        draw_trees(tree, tree, tmp_path / "nowhere" / "a.svg")
    assert list(tmp_path.iterdir()) == []
