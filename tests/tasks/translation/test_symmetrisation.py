"""Against a slow version of Moses' symal, from Och & Ney (2003) and Koehn (2010), section 4.5.3."""

from __future__ import annotations

from bisect import bisect_right, insort
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff.errors import UsageError
from runoff.tasks.translation.alignments import Alignments
from runoff.tasks.translation.symmetrisation import Symmetrisation, symmetrised

HOW = get_args(Symmetrisation)
NEIGHBOURS = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)]
Links = set[tuple[int, int]]  # of a target and a source word, as symal has them


def slow(how: str, forward: Links, backward: Links) -> Links:
    """Links in the order in which symal's sets hold them, where a pass also sees what it adds further on."""
    union, both = forward | backward, forward & backward
    simple = {"forward": forward, "backward": backward, "union": union, "intersection": both}
    if how in simple:
        return simple[how]
    chosen = sorted(both)

    def is_free(side: int, word: int) -> bool:
        return all(link[side] != word for link in chosen)

    grows = True
    while grows:
        grows = False
        at: tuple[int, int] | None = chosen[0] if chosen else None
        while at is not None:
            for step in NEIGHBOURS:
                link = at[0] + step[0], at[1] + step[1]
                if link in union and (is_free(0, link[0]) or is_free(1, link[1])):
                    insort(chosen, link)
                    grows = True
            after = bisect_right(chosen, at)
            at = chosen[after] if after < len(chosen) else None
    if how != "grow-diag":
        needed = all if how == "grow-diag-final-and" else any
        # symal's final steps, of both directions one after the other; what both have was there from the start.
        for direction in (forward - backward, backward - forward):
            for link in sorted(direction):
                if link not in chosen and needed([is_free(0, link[0]), is_free(1, link[1])]):
                    insort(chosen, link)
    return set(chosen)


@st.composite
def both_directions(draw: st.DrawFn) -> tuple[int, int, Links, Links]:
    """Every target word has a source word or none, and the other way round."""
    source, target = draw(st.integers(1, 8)), draw(st.integers(1, 8))
    of_target = draw(st.lists(st.integers(-1, source - 1), min_size=target, max_size=target))
    of_source = draw(st.lists(st.integers(-1, target - 1), min_size=source, max_size=source))
    forward = {(t, s) for t, s in enumerate(of_target) if s >= 0}
    return source, target, forward, {(t, s) for s, t in enumerate(of_source) if t >= 0}


def alignments(links: list[Links]) -> Alignments:
    return Alignments.of([[(s, t) for t, s in each] for each in links])


@pytest.mark.parametrize("how", HOW)
@given(pairs=st.lists(both_directions(), min_size=1, max_size=25))
@settings(deadline=None, max_examples=40)
def test_links_are_those_of_a_slow_version(how: Symmetrisation, pairs: list[tuple[int, int, Links, Links]]) -> None:
    forward, backward = (alignments([pair[side] for pair in pairs]) for side in (2, 3))
    lengths = [np.array([pair[side] for pair in pairs]) for side in (0, 1)]
    found = symmetrised(forward, backward, *lengths, how)
    for at, (_, _, ours, theirs) in enumerate(pairs):
        assert found.links(at) == sorted((s, t) for t, s in slow(how, ours, theirs))


def test_growing_connects_words_that_have_no_link() -> None:
    # michael geht davon aus , dass er im haus bleibt / michael assumes that he will stay in the house
    forward = {(0, 0), (1, 1), (2, 5), (3, 6), (4, 9), (5, 9), (6, 7), (7, 7), (8, 8)}
    backward = {(0, 0), (1, 1), (1, 2), (1, 3), (2, 4), (2, 5), (3, 6), (6, 7), (8, 8), (5, 9)}
    lengths = np.array([10]), np.array([9])
    found = {
        how: set(symmetrised(alignments([forward]), alignments([backward]), *lengths, how).links(0))
        for how in ("intersection", "grow-diag", "union")
    }
    assert found["intersection"] == {(0, 0), (1, 1), (5, 2), (6, 3), (9, 5), (7, 6), (8, 8)}
    added = {(2, 1), (3, 1), (4, 2), (9, 4), (7, 7)}
    assert found["grow-diag"] == found["union"] == found["intersection"] | added


def test_sentences_may_be_empty_and_there_may_be_none() -> None:
    none = Alignments.of([])
    for how in HOW:
        assert len(symmetrised(none, none, *np.zeros((2, 0), np.int64), how)) == 0
        empty = Alignments.of([[], []])
        assert symmetrised(empty, empty, np.array([0, 3]), np.array([2, 0]), how).to_pharaoh() == ["", ""]


def test_mistakes_are_told() -> None:
    one, length = Alignments.of([[(0, 1)]]), np.array([1])
    with pytest.raises(UsageError, match="no way to symmetrise alignments named 'grow'; there are: forward, "):
        symmetrised(one, one, length, length, "grow")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="a forward link of sentence pair 0 is beyond its words"):
        symmetrised(one, one, length, length)
    with pytest.raises(UsageError, match="there are 1 forward and 2 backward alignments of 1 source and 1 target"):
        symmetrised(one, Alignments.of([[], []]), length, length)
