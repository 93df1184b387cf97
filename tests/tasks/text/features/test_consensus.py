"""The consensus of lists against a slow one in plain Python, and against jiwer's edit distances."""

from collections.abc import Sequence

import jiwer
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff import NBest
from runoff.tasks.text.distinct_texts import DistinctTexts
from runoff.tasks.text.features import consensus as module
from runoff.tasks.text.features.consensus import consensus_features, consensus_words

TEXT = st.lists(st.sampled_from(["a", "b", "c", "😀"]), max_size=7)
LISTS = st.lists(st.lists(TEXT.map(" ".join), max_size=6), min_size=1, max_size=4)


def lists_of(groups: Sequence[Sequence[str]]) -> DistinctTexts:
    texts = [text for group in groups for text in group]
    return DistinctTexts.of(NBest.from_arrays(texts=texts, sizes=[len(group) for group in groups]))


def table_of(text: list[str], base: list[str]) -> list[list[int]]:
    cost = [[i + j for j in range(len(base) + 1)] for i in range(len(text) + 1)]
    for i, word in enumerate(text):
        for j, other in enumerate(base):
            cost[i + 1][j + 1] = min(cost[i][j] + (word != other), cost[i][j + 1] + 1, cost[i + 1][j] + 1)
    return cost


def distance(text: list[str], base: list[str]) -> int:
    return table_of(text, base)[-1][-1]


def slots_of(text: list[str], base: list[str]) -> dict[tuple[int, int], str]:
    """Words by (place in the base, nth before it); (j, large) is the slot of word j itself."""
    start = 0
    while start < min(len(text), len(base)) and text[start] == base[start]:
        start += 1
    end = 0
    while end < min(len(text), len(base)) - start and text[-1 - end] == base[-1 - end]:
        end += 1
    i, j = len(text) - end, len(base) - end
    cost = table_of(text[start:i], base[start:j])
    pairs = [(at, at) for at in range(start)] + [(i + at, j + at) for at in range(end)]
    gaps: dict[int, list[int]] = {}
    while i > start:
        here = cost[i - start][j - start]
        if j > start and here == cost[i - start - 1][j - start - 1] + (text[i - 1] != base[j - 1]):
            i, j = i - 1, j - 1
            pairs.append((i, j))
        elif j > start and here == cost[i - start][j - start - 1] + 1:
            j -= 1
        else:
            i -= 1
            gaps.setdefault(j, []).insert(0, i)
    placed = {(j, 10**6): text[i] for i, j in pairs}
    return placed | {(gap, nth): text[i] for gap, inserted in gaps.items() for nth, i in enumerate(inserted)}


def plain_consensus(texts: list[list[str]], weights: Sequence[float]) -> list[str]:
    costs = [sum(w * distance(text, other) for other, w in zip(texts, weights, strict=True)) for text in texts]
    base = texts[costs.index(min(costs))]
    placed = [slots_of(text, base) for text in texts]
    out = []
    for slot in sorted({slot for each in placed for slot in each} | {(j, 10**6) for j in range(len(base))}):
        own = base[slot[0]] if slot[1] == 10**6 else ""
        ballots = [each.get(slot, "") for each in placed]
        sums = dict.fromkeys([own, *filter(None, ballots), ""], 0.0)  # in the order in which ties are broken
        for ballot, weight in zip(ballots, weights, strict=True):
            sums[ballot] += weight
        out.append(max(sums, key=lambda word: sums[word]))
    return [word for word in out if word]


@settings(deadline=None)
@given(LISTS, st.booleans(), st.integers(0, 1000))
def test_the_consensus_is_that_of_the_definition(groups, weighted, seed) -> None:
    lists = lists_of(groups)
    weights = np.random.default_rng(seed).integers(0, 4, lists.n_texts).astype(float) if weighted else None
    chosen = lists.copies if weights is None else weights
    found, (names, table) = consensus_words(lists, weights), consensus_features(lists, weights)
    assert len(found) == len(lists)
    for at in range(len(lists)):
        rows = range(lists.offsets[at], lists.offsets[at + 1])
        expected = plain_consensus([lists.words.of(row) for row in rows], [chosen[row] for row in rows]) if rows else []
        assert found.of(at) == expected
        for row in rows:
            edits = distance(lists.words.of(row), expected)
            values = dict(zip(names, table[row].tolist(), strict=True))
            assert values == {
                "consensus:edits": edits,
                "consensus:edits per word": edits / max(len(expected), 1),
                "consensus:exact": float(lists.words.of(row) == expected),
            }


def test_a_vote_can_give_what_no_text_has() -> None:
    # Every error is in one text of three, so each slot has two votes for the right word.
    texts = ["he had your dark suit", "she has your dark suite", "she had year park suit"]
    agreed = ["she", "had", "your", "dark", "suit"]
    assert " ".join(agreed) not in texts
    assert consensus_words(lists_of([texts])).of(0) == agreed


def test_deletions_and_insertions_vote() -> None:
    found = consensus_words(lists_of([["a b c", "a c", "a c", "c"], ["a c", "a b c", "a b c", "a b c x"]]))
    assert [found.of(0), found.of(1)] == [["a", "c"], ["a", "b", "c"]]


def test_ties_are_the_middle_ones() -> None:
    # Both are as far from each other: the first is the base, and each slot is a tie.
    assert consensus_words(lists_of([["a b c", "x b z w"]])).of(0) == ["a", "b", "c"]


@pytest.mark.parametrize("length", [63, 64, 65, 127, 128, 129, 400])
def test_edits_of_long_texts_are_those_of_jiwer(length) -> None:
    rng = np.random.default_rng(length)
    base = rng.choice(list("abcdefghij"), length)
    texts = []
    for _ in range(4):
        kept = base[rng.random(length) < 0.9]
        texts.append(" ".join(np.where(rng.random(kept.size) < 0.1, "z", kept)))
    lists = lists_of([texts])
    agreed = " ".join(consensus_words(lists).of(0))
    expected = []
    for text in texts:
        counts = jiwer.process_words(agreed, text)
        expected.append(counts.substitutions + counts.insertions + counts.deletions)
    assert consensus_features(lists)[1][:, 0].tolist() == expected
    assert min(expected) > 0


def test_very_long_texts() -> None:
    rng = np.random.default_rng(0)
    base = [f"w{number}" for number in rng.integers(0, 5000, 5_000)]  # 25 million cells
    texts = []
    for _ in range(3):
        words = list(base)
        for at in rng.integers(0, len(words), 50).tolist():
            words[at] = "error"
        texts.append(" ".join(words))
    lists = lists_of([[*texts, ""]])
    assert " ".join(consensus_words(lists).of(0)) == " ".join(base)
    assert consensus_features(lists)[1][-1].tolist() == [5_000, 1, 0]


def test_in_a_huge_list_the_middle_is_among_the_heaviest() -> None:
    # 300 texts: the one in the middle of all is not among the 200 of most copies, so another one is the base.
    light, heavy = [f"a b c x{number}" for number in range(100)], [f"d e f y{number}" for number in range(200)]
    texts = [*light, *(text for text in heavy for _ in range(2))]
    assert consensus_words(lists_of([texts])).of(0) == ["d", "e", "f", "y0"]


def test_results_do_not_depend_on_the_threads(monkeypatch) -> None:
    rng = np.random.default_rng(5)
    monkeypatch.setattr(module, "_WORK_PER_PIECE", 1 << 12)
    lists = lists_of([[" ".join(rng.choice(list("abcd"), 12)) for _ in range(20)] for _ in range(30)])
    found = []
    for threads in ("1", "3"):
        monkeypatch.setenv("RUNOFF_THREADS", threads)
        found.append((consensus_words(lists).ids.tolist(), consensus_features(lists)[1].tolist()))
    assert found[0] == found[1]
