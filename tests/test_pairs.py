"""Pairs of candidates against slow loops over the definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff.errors import DataError, UsageError
from runoff.nbest import NBest
from runoff.pairs import make_pairs

few = st.integers(-2, 2).map(float)  # few values, so that there are many ties
lists = st.lists(st.lists(st.tuples(few, few), max_size=6), max_size=5)  # quality, first round


def build(groups: list[list[tuple[float, float]]], *, with_base: bool = True) -> NBest:
    flat = [candidate for group in groups for candidate in group]
    return NBest.from_arrays(
        quality=[quality for quality, _ in flat],
        base=[base for _, base in flat] if with_base else None,
        sizes=[len(group) for group in groups],
    )


def slow_pairs(groups: list[list[tuple[float, float]]], kind: str, with_base: bool) -> set[tuple[int, int, float]]:
    pairs, start = set(), 0
    for group in groups:
        order = sorted(range(len(group)), key=lambda i: (-group[i][0], -group[i][1] if with_base else 0.0, i))
        for high in order[:1] if kind == "best" else order:
            for low in range(len(group)):
                gap = group[high][0] - group[low][0]
                if gap > 0:
                    pairs.add((start + high, start + low, gap))
        start += len(group)
    return pairs


@settings(deadline=None)
@given(lists, st.booleans(), st.booleans(), st.sampled_from(["best", "all", "sample"]))
def test_pairs_are_the_definition(
    groups: list[list[tuple[float, float]]], with_base: bool, weighted: bool, kind: str
) -> None:
    # Groups of at most 6 have at most 15 pairs: a sample of 15 takes them all.
    pairs = make_pairs(build(groups, with_base=with_base), kind, weighted=weighted, sample=15)
    found = list(zip(pairs.better.tolist(), pairs.worse.tolist(), pairs.weight.tolist(), strict=True))
    expected = {
        (high, low, gap if weighted else 1.0)
        for high, low, gap in slow_pairs(groups, "best" if kind == "best" else "all", with_base)
    }
    assert len(found) == len(pairs) == len(expected)
    assert set(found) == expected
    starts = np.cumsum([0, *map(len, groups)])
    assert pairs.groups == len({int(np.searchsorted(starts, high, "right")) for high, _, _ in expected})
    runs = [pairs.better[a:b].tolist() for a, b in zip(pairs.contests[:-1], pairs.contests[1:], strict=True)]
    assert all(len(set(run)) == 1 for run in runs)
    assert len({run[0] for run in runs}) == len(runs)  # all pairs of a better candidate are in one run


@settings(deadline=None)
@given(lists, st.booleans(), st.integers(1, 6), st.integers(0, 5))
def test_a_sample_keeps_the_weight_of_every_group(
    groups: list[list[tuple[float, float]]], weighted: bool, sample: int, seed: int
) -> None:
    data = build(groups)
    pairs = make_pairs(data, "sample", weighted=weighted, sample=sample, seed=seed)
    whole = make_pairs(data, "all", weighted=weighted)
    group = np.repeat(np.arange(len(data)), data.sizes)
    totals, expected = (
        np.bincount(group[each.better], each.weight, minlength=len(data)) if len(each) else np.zeros(len(data))
        for each in (pairs, whole)
    )
    assert totals == pytest.approx(expected)
    assert np.all(np.bincount(group[pairs.better], minlength=len(data)) <= sample)
    assert {*zip(pairs.better.tolist(), pairs.worse.tolist(), strict=True)} <= {
        *zip(whole.better.tolist(), whole.worse.tolist(), strict=True)
    }
    assert pairs.groups == whole.groups


@pytest.mark.parametrize("weighted", [True, False])
def test_draws_are_in_proportion_to_the_weight(weighted: bool) -> None:
    # The same group 4,000 times, 5 draws each: the summed weight of every pair estimates its weight in "all".
    # With n = 20,000 draws of a pair with chance p, the standard error is total * sqrt(p (1 - p) / n) per group;
    # five of those allow for all the pairs.
    quality, copies, sample = [3.0, 0.5, 2.0, 0.5, 7.0, 3.0], 4000, 5
    data = NBest.from_arrays(quality=quality * copies, sizes=[len(quality)] * copies)
    pairs = make_pairs(data, "sample", weighted=weighted, sample=sample, seed=1)
    seen = np.zeros((6, 6))
    np.add.at(seen, (pairs.better % 6, pairs.worse % 6), pairs.weight / copies)
    gaps = np.subtract.outer(quality, quality)
    expected = np.where(gaps > 0, gaps if weighted else 1.0, 0.0)
    chance = expected / expected.sum()
    error = expected.sum() * np.sqrt(chance * (1 - chance) / (copies * sample))
    assert np.all(np.abs(seen - expected) <= 5 * error)


def test_large_groups_are_sampled_without_listing_their_pairs() -> None:
    rng = np.random.default_rng(0)
    data = NBest.from_arrays(quality=rng.normal(size=60_000), sizes=[20_000] * 3)  # 600 million pairs in all
    pairs = make_pairs(data, "sample", sample=1000)
    assert 2900 < len(pairs) <= 3000
    again, other = (make_pairs(data, "sample", sample=1000, seed=seed) for seed in (0, 1))
    assert again.worse.tolist() == pairs.worse.tolist() != other.worse.tolist()


def test_what_cannot_work_is_said() -> None:
    data = NBest.from_arrays(quality=[1, 0], sizes=[2])
    with pytest.raises(UsageError, match="pairs must be one of best, all, sample; found 'some'"):
        make_pairs(data, "some")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="sample must be a whole number of at least 1; found 0"):
        make_pairs(data, "sample", sample=0)
    with pytest.raises(DataError, match="pairs need the quality"):
        make_pairs(NBest.from_arrays(base=[1.0], sizes=[1]))


def test_more_pairs_than_can_be_held_are_refused_before_they_are_made() -> None:
    data = NBest.from_arrays(quality=np.arange(70_000.0), sizes=[70_000])  # 70,000 * 69,999 / 2 pairs
    with pytest.raises(UsageError, match=r'pairs="all" would make 2,449,965,000 pairs.*pairs="sample"'):
        make_pairs(data, "all")
