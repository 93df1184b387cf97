"""`PrefixScorer`: after every round the metric of the ranking that its scores make, as if it were worked out afresh."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from runoff import ModelError, NBest
from runoff.learners import prefix_scorer
from runoff.learners.prefix_scorer import PrefixScorer
from runoff.metrics import Metric, RankingMetric, get
from runoff.metrics.registry import kinds
from runoff.nbest import Features
from runoff.ranking import Ranking, by_score

RANKING = ["ndcg", "ndcg@2", "ndcg@3[gain=r]", "ndcg-letor", "ndcg-letor@3", "map", "mrr", "mrr@2", "p@2", "success@2"]
METRIC = [*RANKING, "quality", "wer"]
# Steps that meet again, that cancel out, and that are lost beside larger ones: ties come and go.
STEPS = [0.0, 0.25, -0.25, 1.0, -1.0, 1e-17, -1e-17, 1e9, -1e9, 0.1, 0.3]


@dataclass(frozen=True)
class Case:
    """Dev data, the names of the training columns, a path over them, and where to cut it."""

    dev: NBest
    names: pa.Array
    base_weight: float
    columns: np.ndarray
    deltas: np.ndarray
    cuts: list[int]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    sizes = rng.integers(0, draw(st.integers(2, 12)), draw(st.integers(1, 8)))
    sizes[0] = max(sizes[0], 1)
    n, width = int(sizes.sum()), draw(st.integers(1, 6))
    X = rng.random((n, width)) < draw(st.sampled_from([0.2, 0.5, 0.9]))
    with_base, with_missed = draw(st.booleans()), draw(st.booleans())
    words = ["a b", "a c", "c", "a a b"]
    dev = NBest.from_arrays(
        sparse.csr_array(X.astype(np.float32)),
        quality=rng.integers(0, 4, n).astype(float) / draw(st.sampled_from([1, 3])),
        sizes=sizes,
        base=rng.integers(0, 3, n).astype(float) if with_base else None,
        missed=[list(map(float, rng.integers(0, 3, rng.integers(0, 4)))) for _ in sizes] if with_missed else None,
        texts=[words[at] for at in rng.integers(0, len(words), n)],
        references=["a b"] * sizes.size,
        feature_names=[f"f{at}" for at in range(width)],
    )
    # Some training columns are unknown to dev, and some dev columns to training, in another order.
    names = [f"f{at}" for at in rng.permutation(width + 2)[: draw(st.integers(1, width + 2))]]
    rounds = draw(st.integers(0, 40))
    return Case(
        dev,
        pa.array(names, pa.large_string()),
        draw(st.sampled_from([0.0, 0.5])) if with_base else 0.0,
        rng.integers(0, len(names), rounds),
        np.array([STEPS[at] for at in rng.integers(0, len(STEPS), rounds)]),
        sorted(draw(st.lists(st.integers(0, rounds), max_size=4))),
    )


def followed(case: Case, metric: str, cuts: list[int], batch: int = 1 << 17) -> PrefixScorer:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prefix_scorer, "_BATCH", batch)
        path = PrefixScorer(case.dev, get(metric), case.names, case.base_weight)
    for start, stop in zip([0, *cuts], [*cuts, case.columns.size], strict=True):
        path.advance(case.columns[start:stop], case.deltas[start:stop])
    return path


def afresh(case: Case, metric: Metric) -> list[float]:
    """The metric of the whole data, ranked from nothing, after every round."""
    table = case.dev.features.to_scipy().toarray()
    own = case.dev.features.column_names().to_pylist()
    score = np.zeros(case.dev.n_candidates) if case.dev.base is None else case.base_weight * case.dev.base
    scores = [score]
    for column, delta in zip(case.columns, case.deltas, strict=True):
        name = case.names[int(column)].as_py()
        score = score + delta * table[:, own.index(name)] if name in own else score
        scores.append(score)
    return [float(metric.score(metric.rows(case.dev, by_score(case.dev, each)).sum(axis=0))) for each in scores]


def test_every_registered_ranking_metric_is_tried() -> None:
    registered = {name for name, kind in kinds().items() if issubclass(kind, RankingMetric)}
    assert registered == {get(each).name for each in RANKING}


@pytest.mark.parametrize("metric", METRIC)
@settings(deadline=None)
@given(case=cases(), batch=st.sampled_from([1, 15, 40, 1 << 17]))
def test_every_round_is_the_ranking_worked_out_afresh(metric: str, case: Case, batch: int) -> None:
    path, slow = followed(case, metric, case.cuts, batch), afresh(case, get(metric).in_expectation)
    assert path.scores.tolist() == pytest.approx(slow, abs=1e-9, rel=1e-9)
    assert path.last == path.scores[-1]
    # The earliest of the best; sums of other values that should be equal may differ by rounding.
    sign = 1 if get(metric).higher_is_better else -1
    assert path.best == int(np.argmax(sign * path.scores))
    assert sign * slow[path.best] == pytest.approx(max(sign * each for each in slow), abs=1e-9)
    assert path.sums.tobytes() == followed(case, metric, []).sums.tobytes()  # in one piece: the same bits


def test_rounding_can_put_two_moved_candidates_in_another_order() -> None:
    # The first is ahead by 1e-20, until both rise by 1: the scores are equal then, and the first round decides.
    dev = NBest.from_arrays(np.array([[1, 1], [0, 1]]), quality=[1, 0], base=[0.0, 1.0], sizes=[2])
    path = PrefixScorer(dev, get("mrr"), dev.features.column_names(), 0.0)
    path.advance(np.array([0, 1]), np.array([1e-20, 1.0]))
    assert path.scores.tolist() == [0.5, 1.0, 0.5]


def test_a_column_that_a_row_stores_twice_counts_twice_as_in_a_model() -> None:
    features = Features.from_csr(np.array([0, 1, 3]), np.array([0, 0, 0], np.int32), None, 1)
    dev = NBest.from_arrays(features, quality=[0, 1], sizes=[2])
    path = PrefixScorer(dev, get("mrr"), dev.features.column_names(), 0.0)
    path.advance(np.array([0, 0]), np.array([1.0, -2.0]))
    assert path.scores.tolist() == [0.75, 1.0, 0.5]  # before the first round both are tied


@pytest.mark.parametrize("metric", ["map", "quality"])
def test_the_same_choices_have_the_same_sums_whatever_lies_between(metric: str) -> None:
    rng = np.random.default_rng(0)
    groups, size, columns = 300, 7, 30
    dev = NBest.from_arrays(
        (rng.random((groups * size, columns)) < 0.3).astype(float),
        quality=np.where(rng.random(groups * size) < 0.3, 1 + rng.random(groups * size), rng.random(groups * size)),
        sizes=[size] * groups,
    )
    there = rng.integers(0, columns, 500)
    steps = rng.choice([-2.0, -1.0, 1.0, 2.0], there.size)  # whole numbers, so that the way back ends where it began
    path = PrefixScorer(dev, get(metric), dev.features.column_names(), 0.0)
    path.advance(np.concatenate([there, there[::-1]]), np.concatenate([steps, -steps[::-1]]))
    assert path.sums.tobytes() == path.sums[::-1].tobytes()
    assert np.unique(path.scores).size > 100
    assert path.best <= there.size


def test_quality_of_any_size_is_followed() -> None:
    for scale in (1e-323, 1e-300, 1e300):
        dev = NBest.from_arrays(np.array([[1], [0]] * 3), quality=[scale, 0] * 3, sizes=[2] * 3)
        path = PrefixScorer(dev, get("quality"), dev.features.column_names(), 0.0)
        path.advance(np.array([0, 0]), np.array([-1.0, 2.0]))
        assert path.scores.tolist() == pytest.approx([scale / 2, 0.0, scale], rel=1e-12, abs=0)


@dataclass(frozen=True, repr=False)
class Neither(Metric):
    """A metric of neither kind."""

    name = "neither"
    signature = "neither"

    def rows(self, data: NBest, ranking: Ranking) -> np.ndarray:  # noqa: ARG002
        return np.ones((len(data), 1))

    def score(self, sums: np.ndarray) -> np.ndarray:
        return sums[..., 0]

    def quality(self, data: NBest) -> np.ndarray:
        return np.ones(data.n_candidates)

    def random_rows(self, data: NBest, seed: int) -> np.ndarray:  # noqa: ARG002
        return np.ones((len(data), 1))


def test_what_cannot_be_followed_is_said() -> None:
    dev = NBest.from_arrays(np.ones((2, 1)), quality=[0, 1], sizes=[2])
    with pytest.raises(ModelError, match="the dev data has none"):
        PrefixScorer(dev, get("map"), dev.features.column_names(), 1.0)
    with pytest.raises(TypeError, match="PickMetric or a RankingMetric"):
        PrefixScorer(dev, Neither(), dev.features.column_names(), 0.0)
