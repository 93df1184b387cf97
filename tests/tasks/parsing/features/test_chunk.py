"""Chunks in files, and what their names depend on."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np
import pytest

from runoff.tasks.parsing.brackets import DEEPEST
from runoff.tasks.parsing.features.chunk import Chunk, Statistics, fingerprint, make_chunk
from runoff.tasks.parsing.features.consensus import NAMES
from runoff.tasks.parsing.features.families import ALL
from runoff.tasks.parsing.metric import COLUMNS
from runoff.tasks.parsing.parse_list import ParseList

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TREES = ["(X (NN a))", "(Y (NN a) (NN b))"]


def test_written_and_read(tmp_path: Path) -> None:
    chunk = make_chunk([ParseList("a", TREES[0], [0.0, -1.0], TREES), ParseList("b"), ParseList("c", TREES[1])], ALL)
    chunk.save(tmp_path / "a.npz")
    for found in (Chunk.load(tmp_path / "a.npz"), Statistics.load(tmp_path / "a.npz")):
        assert vars(found).keys() <= vars(chunk).keys()
        for name, values in vars(found).items():
            np.testing.assert_array_equal(values, getattr(chunk, name))
            assert values.dtype == getattr(chunk, name).dtype
    assert (chunk.lengths.tolist(), chunk.misfits.tolist()) == ([1, 0, 2], [1, 0, 0])
    assert chunk.dense.shape == (2, len(NAMES))
    assert chunk.parseval.shape == chunk.evalb.shape == (2, len(COLUMNS))
    letters = chunk.name_letters.tobytes()
    names = [letters[a:b].decode() for a, b in zip(chunk.name_ends, chunk.name_ends[1:], strict=False)]
    assert names[0] == "rule:X>NN!"
    assert len(names) == chunk.seen.size == len(set(names))


def test_nothing_to_write(tmp_path: Path) -> None:
    make_chunk([ParseList("a")], ALL).save(tmp_path / "a.npz")
    found = Chunk.load(tmp_path / "a.npz")
    assert (found.indptr.tolist(), found.name_ends.tolist(), found.seen.size) == ([0], [0], 0)
    assert Chunk.is_kept(tmp_path / "a.npz", [ParseList("a")])


def test_a_file_that_is_not_there_is_not_kept(tmp_path: Path) -> None:
    assert not Chunk.is_kept(tmp_path / "a.npz", [])


LISTS = [ParseList("a", TREES[0], [0.0, -1.0], TREES), ParseList("b"), ParseList("c", TREES[1], [0.5], TREES[1:])]
CHANGES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "shortened": lambda array: array[:-1],
    "lengthened": lambda array: np.concatenate([array, array[-1:]]),
    "empty": lambda array: array[:0],
    "of another type": lambda array: array.astype(np.complex64),
    "larger": lambda array: array + 1,
    "nan": lambda array: array * np.nan,
    "huge": lambda array: np.full(array.shape, 2**62),
    "negative": lambda array: np.full(array.shape, -(2**30)),
}


def rewrite(path: Path, **arrays: np.ndarray) -> None:
    with np.load(path) as before:
        np.savez(path, **{**before, **arrays})


@pytest.mark.parametrize("change", CHANGES)
def test_changed_arrays_are_not_kept(tmp_path: Path, change: str) -> None:
    chunk = make_chunk(LISTS, ALL)
    for name, array in vars(chunk).items():
        chunk.save(tmp_path / "a.npz")
        rewrite(tmp_path / "a.npz")
        assert Chunk.is_kept(tmp_path / "a.npz", LISTS)
        rewrite(tmp_path / "a.npz", **{name: CHANGES[change](array)})
        assert not Chunk.is_kept(tmp_path / "a.npz", LISTS), name


@pytest.mark.parametrize("name", ["indptr", "indices", "name_ends"])
def test_arrays_that_reach_outside_are_not_kept_even_with_a_digest_of_their_own(tmp_path: Path, name: str) -> None:
    chunk = make_chunk(LISTS, ALL)
    for wrong in (np.full_like(getattr(chunk, name), 2**30), getattr(chunk, name)[::-1].copy()):
        changed = dataclasses.replace(chunk, **{name: wrong})
        if name == "indices":
            changed = dataclasses.replace(chunk, indices=np.full_like(chunk.indices, chunk.seen.size))
        changed.save(tmp_path / "a.npz")
        assert not Chunk.is_kept(tmp_path / "a.npz", LISTS)


@pytest.mark.parametrize("content", [b"", b"PK", b"something else", "cut", "flipped"])
def test_a_damaged_file_is_not_kept(tmp_path: Path, content: bytes | str) -> None:
    path = tmp_path / "a.npz"
    make_chunk(LISTS, ALL).save(path)
    whole = path.read_bytes()
    middle = len(whole) // 2
    flipped = whole[:middle] + bytes([whole[middle] ^ 255]) + whole[middle + 1 :]
    path.write_bytes(content if isinstance(content, bytes) else {"cut": whole[:-40], "flipped": flipped}[content])
    assert not Chunk.is_kept(path, LISTS)


@pytest.mark.parametrize(
    "other",
    [
        ParseList("a", "(X (NN b))", [0.0, -1.0], TREES),
        ParseList("a", None, [0.0, -1.0], TREES),
        ParseList("a", TREES[0], [0.0, -1.5], TREES),
        ParseList("a", TREES[0], [0.0, -1.0], TREES[::-1]),
        ParseList("a", TREES[0], [0.0], ["".join(TREES)]),
        ParseList("a", TREES[0], [0.0, -1.0], ["".join(TREES)[:5], "".join(TREES)[5:]]),
    ],
)
def test_fingerprints_differ(other: ParseList) -> None:
    one = ParseList("a", TREES[0], [0.0, -1.0], TREES)
    assert fingerprint([one], ["rule"]) != fingerprint([other], ["rule"])


def test_fingerprints_depend_on_families_and_on_how_many_lists() -> None:
    one = ParseList("a", TREES[0], [0.0, -1.0], TREES)
    halves = [ParseList("a", TREES[0], [0.0], TREES[:1]), ParseList("b", TREES[0], [-1.0], TREES[1:])]
    found = {fingerprint([one], ["rule"]), fingerprint([one], ["word"]), fingerprint(halves, ["rule"])}
    assert len(found) == 3
    renamed = ParseList("another name", TREES[0], [0.0, -1.0], TREES, tokens=["a"], fold=2)
    assert fingerprint([renamed], ["rule"]) in found


def assert_alike(one: Chunk, other: Chunk) -> None:
    for name, values in vars(one).items():
        np.testing.assert_array_equal(values, getattr(other, name))


def test_traces_make_no_difference() -> None:
    plain = ["(S (NP (PRP I)) (VP (VBD left) (NP (NN town))))", "(S (NP (PRP I)) (VP (VBD left)) (NP (NN town)))"]
    traced = ["(S (NP (PRP I)) (VP (ADVP (-NONE- *T*-1)) (VBD left) (NP (NN town))))", plain[1]]
    gold = "(S (NP (PRP I)) (VP (VBD left) (NP (NN town)) (NP (-NONE- *))))"
    assert_alike(
        make_chunk([ParseList("a", plain[0], [-1.0, -2.0], plain)], ALL),
        make_chunk([ParseList("a", gold, [-1.0, -2.0], traced)], ALL),
    )


def test_a_tree_of_traces_alone_keeps_them() -> None:
    chunk = make_chunk([ParseList("a", None, [-1.0, -2.0], ["(S (NP (-NONE- *)))", "(S (NP (NN *)))"])], ["rule"])
    assert chunk.indptr.tolist() == [0, 1, 2]


def test_tags_are_those_of_the_candidate_with_the_highest_score() -> None:
    """Edges have the first choice's tags: here NN, which the second candidate has."""
    chunk = make_chunk([ParseList("a", None, [-2.0, -1.0], ["(X (VB a))", "(Y (NN a))"])], ["edges"])
    assert b"X tags (NN NN)" in chunk.name_letters.tobytes()
    assert b"VB" not in chunk.name_letters.tobytes()


def test_the_deepest_trees() -> None:
    deep = "(X " * (DEEPEST - 1) + "(NN a)" + ")" * (DEEPEST - 1)
    other = deep.replace("(NN a)", "(VB a)")
    chunk = make_chunk([ParseList("a", other, [-1.0, -2.0], [deep, other])], ALL)
    assert chunk.parseval[:, 0].tolist() == [DEEPEST - 1, DEEPEST - 1]
