"""Alignments to slots against a table of costs in plain Python, row by row; spelling against rapidfuzz."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from runoff.kernels import confusion_network as kernel

N_WORDS = 5
COSTS = np.array([[0 if i == j else kernel.UNIT - 7 * (i * j % 5) for j in range(N_WORDS)] for i in range(N_WORDS)])
TEXT = st.lists(st.integers(-1, N_WORDS - 1), max_size=6)
SLOTS = st.integers(1, 4).flatmap(
    lambda rows: st.lists(st.lists(st.integers(-1, N_WORDS - 1), min_size=rows, max_size=rows), max_size=6)
)


def word_cost(word: int, column: list[int], costs: np.ndarray | None, price: int) -> int:
    """Edits between a word and what every row has in a slot."""
    cost = 0 if word in column and word >= 0 else price
    for there in column:
        if there == -1 or word == -1 or costs is None:
            cost += kernel.UNIT * (there != word or word == -1)
        else:
            cost += int(costs[word, there])
    return cost


def skip_cost(column: list[int], price: int) -> int:
    return kernel.UNIT * sum(there >= 0 for there in column) + price * (-1 not in column)


def cheapest(text: list[int], slots: list[list[int]], rows: int, costs: np.ndarray | None, price: int) -> int:
    """The recurrence as it is written in textbooks."""
    insertion = rows * kernel.UNIT + price
    table = {(0, 0): 0}
    for i in range(len(text) + 1):
        for j in range(len(slots) + 1):
            ways = []
            if i:
                ways.append(table[i - 1, j] + insertion)
            if j:
                ways.append(table[i, j - 1] + skip_cost(slots[j - 1], price))
            if i and j:
                ways.append(table[i - 1, j - 1] + word_cost(text[i - 1], slots[j - 1], costs, price))
            if ways:
                table[i, j] = min(ways)
    return table[len(text), len(slots)]


@settings(deadline=None)
@given(TEXT, SLOTS, st.booleans(), st.sampled_from([0, 1, 10_000]))
def test_an_alignment_is_as_cheap_as_any(text, slots, spelled, price) -> None:
    rows = len(slots[0]) if slots else 2
    labels = np.array(slots, np.int32).reshape(len(slots), rows).T.copy()
    costs = COSTS.astype(np.int32) if spelled else np.zeros((0, 0), np.int32)
    place = kernel.align(np.array(text, np.int64), labels, np.arange(rows), costs, price).tolist()
    assert place == sorted(place)
    taken = {at // 2: text[i] for i, at in enumerate(place) if at % 2}
    assert len(taken) == sum(at % 2 for at in place)
    found = sum(rows * kernel.UNIT + price for at in place if at % 2 == 0)
    for slot, column in enumerate(slots):
        found += (
            word_cost(taken[slot], column, COSTS if spelled else None, price)
            if slot in taken
            else skip_cost(column, price)
        )
    assert found == cheapest(text, slots, rows, COSTS if spelled else None, price)


@settings(deadline=None)
@given(st.lists(st.text("abcd", min_size=1, max_size=70), min_size=1, max_size=4), st.integers(0, kernel.UNIT))
def test_words_cost_less_the_more_letters_they_share(words, discount) -> None:
    offsets = np.concatenate([[0], np.cumsum([len(word) for word in words])]).astype(np.int64)
    letters = np.array(["abcd".index(letter) for word in words for letter in word], np.int64)
    found = kernel.spelling_costs(offsets, letters, 4, discount)
    for i, one in enumerate(words):
        for j, other in enumerate(words):
            longest = max(len(one), len(other))
            shared = longest - Levenshtein.distance(one, other)
            assert found[i, j] == (0 if i == j else kernel.UNIT - discount * shared // longest)
