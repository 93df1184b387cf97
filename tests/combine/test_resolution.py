"""The best set of parts, against enumeration and against an integer linear programme."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp

from runoff.combine.evidence import related
from runoff.combine.parts import Part, PartReader
from runoff.combine.resolution import resolve, resolve_greedily


class Spans(PartReader):
    """Flat spans of which X and Y may occur once."""

    once = frozenset("XY")

    def split(self, texts):
        return [[] for _ in texts]

    def join(self, parts, texts):  # noqa: ARG002 - nothing is joined here
        return ""


class Brackets(Spans):
    """Spans that may lie inside each other."""

    shape = "nested"
    once = frozenset()


PARTS = st.lists(
    st.tuples(st.integers(0, 6), st.integers(1, 4), st.sampled_from("XYZ"), st.floats(0.05, 0.95)),
    max_size=9,
    unique_by=lambda each: each[:3],
).map(lambda found: sorted((Part(start, start + length, label), chance) for start, length, label, chance in found))


def conflicts(reader: PartReader, one: Part, two: Part) -> bool:
    """Written from the definition of the shapes."""
    if one.label == two.label and one.label in reader.once:
        return True
    shared = set(range(one.start, one.stop)) & set(range(two.start, two.stop))
    if reader.shape == "flat":
        return bool(shared)
    inside = {*range(one.start, one.stop)} >= {*range(two.start, two.stop)}
    around = {*range(one.start, one.stop)} <= {*range(two.start, two.stop)}
    return bool(shared) and not inside and not around


def best_sum(reader: PartReader, parts: list[Part], gains: list[float]) -> float:
    """By trying all sets."""
    best = 0.0
    for size in range(1, len(parts) + 1):
        for chosen in itertools.combinations(range(len(parts)), size):
            if not any(conflicts(reader, parts[a], parts[b]) for a, b in itertools.combinations(chosen, 2)):
                best = max(best, sum(gains[at] for at in chosen))
    return best


@settings(deadline=None)  # the first call compiles
@given(PARTS, st.sampled_from([Spans(), Brackets()]), st.floats(0.3, 1.5))
def test_the_best_set_is_that_of_all_sets(found, reader, price):
    parts, chances = [part for part, _ in found], [chance for _, chance in found]
    gains = [2 * chance - price for chance in chances]
    kept = resolve(reader, parts, chances, price)
    assert not any(conflicts(reader, parts[a], parts[b]) for a, b in itertools.combinations(kept, 2))
    assert np.isclose(sum(gains[at] for at in kept), best_sum(reader, parts, gains))


def test_large_sets_equal_an_integer_linear_programme() -> None:
    # scipy's HiGHS with one constraint for every pair that cannot stand together.
    rng = np.random.default_rng(3)
    for reader in (Spans(), Brackets()):
        for _ in range(4):
            starts, lengths = rng.integers(0, 40, 60), rng.integers(1, 9, 60)
            spans = zip(starts.tolist(), lengths.tolist(), rng.choice(list("XYZ"), 60).tolist(), strict=True)
            parts = sorted({Part(start, start + length, label) for start, length, label in spans})
            chances = rng.random(len(parts)).tolist()
            gains = 2 * np.array(chances) - 0.8
            pairs = [
                (a, b) for a, b in itertools.combinations(range(len(parts)), 2) if conflicts(reader, parts[a], parts[b])
            ]
            rows = np.zeros((len(pairs), len(parts)))
            for row, (a, b) in enumerate(pairs):
                rows[row, [a, b]] = 1
            found = milp(
                -gains, constraints=LinearConstraint(rows, ub=1), integrality=np.ones(len(parts)), bounds=Bounds(0, 1)
            )
            kept = resolve(reader, parts, chances, 0.8)
            assert np.isclose(gains[kept].sum(), -found.fun)


def test_more_labels_that_occur_once_than_the_search_counts() -> None:
    class Many(Spans):
        once = frozenset("ABCDEFGHIJKLMNOP")

    parts = sorted(Part(2 * at, 2 * at + 1, label) for at, label in enumerate("ABCDEFGHIJKLMNOP" * 2))
    chances = [0.6 + 0.01 * at for at in range(len(parts))]
    kept = [parts[at] for at in resolve(Many(), parts, chances)]
    # Nothing overlaps, so of every label the more probable part, the later one, is kept.
    assert kept == [part for part in parts if part.start >= 32]


def test_greedy_takes_the_most_confident_first() -> None:
    # Màrquez, Surdeanu, Comas & Turmo (2005), section 5: in descending order of confidence, unless a domain constraint
    # is violated by what was taken before.
    parts = [Part(0, 2, "X"), Part(1, 3, "Z"), Part(3, 4, "X"), Part(4, 5, "Z")]
    assert resolve_greedily(Spans(), parts, [0.7, 0.9, 0.8, 0.4]) == [1, 2]
    assert resolve_greedily(Spans(), parts, [0.7, 0.9, 0.6, 0.4], least=0.0) == [1, 2, 3]
    assert resolve_greedily(Spans(), parts, [0.9, 0.7, 0.8, 0.5]) == [0, 3]


@given(PARTS)
def test_relations_are_those_of_sets_of_words(found):
    parts = [part for part, _ in found]
    words = [set(range(part.start, part.stop)) for part in parts]
    slow = {}
    for one, two in itertools.combinations(range(len(parts)), 2):
        if words[one] & words[two]:
            same, inside, around = words[one] == words[two], words[one] > words[two], words[one] < words[two]
            slow[one, two] = "same" if same else "inside" if inside else "around" if around else "across"
    assert {(one, two): relation for one, two, relation in related(parts)} == slow
