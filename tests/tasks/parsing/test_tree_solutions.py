"""Files of trees as solutions: their words, lines and gaps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.tasks.parsing.tree_solutions import has_trees, lines_of_trees, read_tree_solutions, write_tree_solutions

if TYPE_CHECKING:
    from pathlib import Path


def test_words_are_those_of_the_sentence(tmp_path: Path) -> None:
    path = tmp_path / "a.mrg"
    # A trace is no word; brackets and slashes have their escapes in the Penn Treebank alone.
    path.write_text(
        "( (S (NP (-NONE- *))\n  (VP (VB go) (-LRB- -LRB-) (CD 1\\/2) (-RRB- -RRB-))))\n\n(()) (S (`` ``) (UH oh))\n"
    )
    assert has_trees(path)
    data = read_tree_solutions(path)
    assert data.inputs is not None
    assert data.inputs.to_pylist() == ["go ( 1/2 )", "", '" oh']
    assert data.sizes.tolist() == [1, 0, 1]
    assert data.group_ids.to_pylist() == ["1", "2", "3"]
    assert lines_of_trees(path) == [1, 4, 4]


def test_trees_are_written_one_a_line(tmp_path: Path) -> None:
    (tmp_path / "a.mrg").write_text("(S (UH oh))\n(())\n(S\n (UH ah))\n")
    write_tree_solutions(read_tree_solutions(tmp_path / "a.mrg"), tmp_path / "b.mrg")
    assert (tmp_path / "b.mrg").read_text() == "(S (UH oh))\n(())\n(S (UH ah))\n"


def test_other_files_are_none(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text("go VB\n")
    (tmp_path / "b.txt").write_bytes(b"\xff\xfe\x00")
    assert not has_trees(tmp_path / "a.conll")
    assert not has_trees(tmp_path / "b.txt")
