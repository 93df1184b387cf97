"""Blocks of lists that share texts, against a slow and obvious search; folds and parts that never cut one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff import NBest, UsageError, blocks
from runoff.nbest.blocks import Blocks

TEXTS = st.sampled_from(["", " ", "a", "b ", "b", " c", "d", "e", "f", "g"])


def lists(references: list[list[str]], inputs: list[str] | None = None, **more: object) -> NBest:
    n = len(references)
    return NBest.from_arrays(texts=["x", "y"] * n, sizes=[2] * n, references=references, inputs=inputs, **more)


def obvious(references: list[list[str]], inputs: list[str | None]) -> list[int]:
    """Go from list to list along shared texts until nothing new is found."""

    def texts(at: int) -> set[tuple[str, str]]:
        own = [("reference", text) for text in references[at]] + [("input", inputs[at] or "")]
        return {(kind, text.strip()) for kind, text in own if text.strip()}

    number_of: dict[int, int] = {}
    for start in range(len(references)):
        if start in number_of:
            continue
        found = [start]
        for at in found:
            found += [each for each in range(len(references)) if each not in found and texts(at) & texts(each)]
        number_of |= dict.fromkeys(found, len(set(number_of.values())))
    return [number_of[at] for at in range(len(references))]


@settings(deadline=None)
@given(st.lists(st.tuples(st.lists(TEXTS, max_size=3), st.none() | TEXTS), min_size=1, max_size=12))
def test_blocks_are_connected_lists(given: list[tuple[list[str], str | None]]) -> None:
    references, inputs = [each for each, _ in given], [each for _, each in given]
    expected = obvious(references, inputs)
    found = blocks(lists(references, inputs))
    if 2 * max(np.bincount(expected)) <= len(given) or len(set(expected)) == len(given):
        assert found.numbers.tolist() == expected
    else:
        assert found.given_up


def test_lists_are_joined_through_others() -> None:
    data = lists([["a", "b"], ["c"], ["b", "d"], ["d "], ["e"], ["f"], ["g"], ["h"]])
    assert blocks(data).numbers.tolist() == [0, 1, 0, 0, 2, 3, 4, 5]
    assert blocks(data[[0, 1, 3, 4, 5]]).count == 5  # without the one between them


def test_what_is_kept_together_is_said() -> None:
    together = lists([["a"], ["a"], ["b"], ["c"]], ["p", "q", "r", "s"])
    assert blocks(together).note("files") == (
        "Files keep lists together that share a reference or an input: 4 lists in 3 blocks."
    )
    assert blocks(together[1:]).note() == ""
    assert blocks(together, "none").note() == ""


@pytest.mark.parametrize(
    ("references", "inputs", "numbers", "note"),
    [
        (
            ["a", "a", "b", "c"],
            ["p"] * 4,
            [0, 0, 1, 2],
            "Folds keep lists together that share a reference: 4 lists in 3 blocks. "
            "Folds do not keep lists together that share an input: 4 of 4 lists would be one block.",
        ),
        (
            ["a"] * 4,
            ["p", "q", "p", "r"],
            [0, 1, 0, 2],
            "Folds keep lists together that share an input: 4 lists in 3 blocks. "
            "Folds do not keep lists together that share a reference: 4 of 4 lists would be one block.",
        ),
        (
            ["a"] * 4,
            ["p"] * 4,
            [0, 1, 2, 3],
            "Folds do not keep lists together that share a reference or an input: 4 of 4 lists would be one block.",
        ),
        (
            ["a", "a", "a", "b"],
            None,
            [0, 1, 2, 3],
            "Folds do not keep lists together that share a reference: 3 of 4 lists would be one block.",
        ),
    ],
)
def test_a_block_of_nearly_everything_is_given_up(
    references: list[str], inputs: list[str] | None, numbers: list[int], note: str
) -> None:
    found = blocks(lists([[each] for each in references], inputs))
    assert (found.numbers.tolist(), found.note()) == (numbers, note)


def test_empty_texts_join_nothing() -> None:
    assert blocks(lists([[""], [" "], [], ["\t"]], ["", "", " ", ""])).count == 4


def test_an_attribute_decides_alone_and_gaps_stand_alone() -> None:
    data = lists([["a"], ["a"], ["b"], ["c"], ["d"]], attributes={"doc": ["x", "y", "x", None, None]})
    assert blocks(data, "doc").numbers.tolist() == [0, 1, 0, 2, 3]
    with pytest.raises(UsageError, match=r"no attribute 'speaker' to group by; there are: doc\."):
        blocks(data, "speaker")


# -------------------------------------------------------------------- folds and parts


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("folds", [2, 3, 7])
def test_where_nothing_is_shared_folds_are_dealt_from_a_shuffle(folds: int, seed: int) -> None:
    expected = np.random.default_rng(seed).permutation(23) % folds
    assert blocks(lists([[str(at)] for at in range(23)])).folds(folds, seed).tolist() == expected.tolist()


@settings(deadline=None)
@given(st.lists(st.integers(0, 9), min_size=2, max_size=40), st.integers(2, 5), st.integers(0, 3))
def test_folds_are_whole_blocks_of_about_equal_size(labels: list[int], folds: int, seed: int) -> None:
    numbers = np.unique(labels, return_inverse=True)[1]
    kept = Blocks(numbers, "a reference")
    if kept.count < folds:
        with pytest.raises(UsageError, match=f"into up to {kept.count} folds; found {folds} folds"):
            kept.folds(folds, seed)
        return
    fold_of = kept.folds(folds, seed)
    assert all(np.unique(fold_of[numbers == block]).size == 1 for block in range(kept.count))
    sizes = np.bincount(fold_of, minlength=folds)
    assert sizes.min() > 0
    assert sizes.max() - sizes.min() <= np.bincount(numbers).max()
    assert fold_of.tolist() == kept.folds(folds, seed).tolist()


def test_the_seed_decides_among_blocks_of_equal_size() -> None:
    kept = Blocks(np.repeat(np.arange(20), 2), "a reference")
    assert len({tuple(kept.folds(4, seed)) for seed in range(5)}) == 5


def test_parts_are_whole_blocks_near_their_shares() -> None:
    numbers = np.repeat(np.arange(60), np.tile([1, 2, 3], 20))
    part_of = Blocks(numbers, "a reference").parts([0.7, 0.2], seed=1)
    assert all(np.unique(part_of[numbers == block]).size == 1 for block in range(60))
    assert np.bincount(part_of).tolist() == pytest.approx([84, 24, 12], abs=1)
    with pytest.raises(UsageError, match=r"3 lists make 2 blocks of those that share a reference, .* found 3 parts"):
        Blocks(np.array([0, 0, 1]), "a reference").parts([0.4, 0.3, 0.3], seed=0)


def test_too_many_folds_of_single_lists() -> None:
    with pytest.raises(UsageError, match=r"2 groups can be split into up to 2 folds; found 3 folds\."):
        Blocks(np.arange(2)).folds(3, 0)
