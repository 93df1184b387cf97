"""Quality from metrics, the metrics `quality` and `exact`, and the choices that every other is compared with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff import metrics
from runoff.errors import DataError, UsageError
from runoff.metrics import Quality
from runoff.nbest import NBest
from runoff.ranking import first_round

TEXTS = NBest.from_arrays(
    texts=["the cat", "a cat", "a  dog ", "a dog", "x"],
    sizes=[2, 2, 1],
    references=["a cat", ["b", "a dog"], "y"],
)
WER_QUALITY = [-1, 0, 0, 0, -1]  # by hand


def test_quality_that_is_there_stays() -> None:
    data = TEXTS.replace(quality=[5, 4, 3, 2, 1], metric="wer")
    assert metrics.grade(data) is data


def test_metric_of_the_data_and_metric_by_name() -> None:
    assert metrics.grade(TEXTS.replace(metric="wer")).quality.tolist() == WER_QUALITY
    assert metrics.grade(TEXTS.replace(quality=[5, 4, 3, 2, 1]), "wer").quality.tolist() == WER_QUALITY
    assert metrics.grade(TEXTS, metrics.get("wer")).quality.tolist() == WER_QUALITY


def test_statistics_come_along() -> None:
    graded = metrics.grade(TEXTS, "wer")
    assert graded.stats["wer"].shape == (5, 4)
    assert metrics.with_statistics(graded, metrics.WER()) is graded
    assert set(metrics.with_statistics(graded, metrics.BLEU(lowercase=True)).stats) == {"wer", "bleu[lowercase]"}


def test_metrics_that_read_quality_leave_the_data_alone() -> None:
    data = TEXTS.replace(quality=[5, 4, 3, 2, 1])
    assert metrics.grade(data, "ndcg@5") is data
    assert metrics.grade(data, "quality") is data
    for name in ("ndcg@5", "quality"):
        with pytest.raises(DataError, match=f"{name} needs the quality"):
            metrics.grade(TEXTS, name)


def test_nothing_to_grade_by() -> None:
    with pytest.raises(UsageError, match="does not name its metric"):
        metrics.grade(TEXTS)


def test_exact_but_for_white_space() -> None:
    exact = metrics.get("exact")
    assert exact.quality(TEXTS).tolist() == [0, 1, 1, 1, 0]
    assert exact.score(metrics.first_rows(exact, TEXTS).sum(axis=0)) == pytest.approx(1 / 3)
    assert exact.score(metrics.oracle_rows(exact, TEXTS).sum(axis=0)) == pytest.approx(2 / 3)
    assert exact.score(exact.random_rows(TEXTS, 0).sum(axis=0)) == pytest.approx((0.5 + 1) / 3)


def test_mean_quality_leaves_empty_groups_out() -> None:
    quality = metrics.get("quality")
    data = NBest.from_arrays(quality=[1.0, 3.0, 8.0], sizes=[2, 0, 1])
    assert metrics.first_rows(quality, data).tolist() == [[1, 1], [0, 0], [8, 1]]
    assert quality.random_rows(data, 0).tolist() == [[2, 1], [0, 0], [8, 1]]
    assert quality.score(metrics.first_rows(quality, data).sum(axis=0)) == 4.5
    assert quality.score(np.zeros(2)) == 0


def test_perfect_scores() -> None:
    found = {name: metrics.get(name).perfect(TEXTS) for name in ("wer", "bleu", "exact", "ndcg@3", "quality")}
    assert found == {"wer": 0.0, "bleu": 100.0, "exact": 1.0, "ndcg@3": 1.0, "quality": None}


lists = st.lists(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=6), min_size=1, max_size=4
)  # quality and first-round score of every candidate, with many ties


@settings(deadline=None)
@given(lists, st.one_of(st.none(), st.integers(1, 7)))
def test_oracle_against_a_slow_one(groups: list[list[tuple[int, int]]], k: int | None) -> None:
    flat = [candidate for group in groups for candidate in group]
    data = NBest.from_arrays(
        quality=[quality for quality, _ in flat],
        base=[base for _, base in flat],
        sizes=[len(group) for group in groups],
    )
    found = metrics.oracle(metrics.get("quality"), data, k)
    start = 0
    for group in groups:
        order = sorted(range(len(group)), key=lambda i: -group[i][1])
        near, far = (order, []) if k is None else (order[:k], order[k:])
        expected = [start + i for i in [*sorted(near, key=lambda i: -group[i][0]), *far]]
        assert found.rows[start : start + len(group)].tolist() == expected
        start += len(group)


def test_oracle_of_one_is_the_first_round_and_the_oracle_bounds_everything() -> None:
    rng = np.random.default_rng(0)
    data = NBest.from_arrays(quality=rng.integers(0, 3, 60), base=rng.random(60), sizes=[6] * 10)
    for metric in metrics.parse("quality,ndcg@3,ndcg-letor,map,mrr,p@2"):
        first, best = metrics.first_rows(metric, data), metrics.oracle_rows(metric, data)
        assert np.array_equal(metrics.oracle_rows(metric, data, k=1), first)
        assert np.array_equal(first, metric.rows(data, first_round(data)))
        assert (best >= metrics.oracle_rows(metric, data, k=3) - 1e-12).all()
        assert (best >= metric.random_rows(data, 0) - 1e-12).all()
    with pytest.raises(UsageError, match="found k = 0"):
        metrics.oracle(metrics.get("quality"), data, 0)


def test_quality_of_another_scale_takes_no_missed_grades_along() -> None:
    data = NBest.from_arrays(
        texts=["a b", "a"], sizes=[2], references=["a c"], quality=[1, 0], missed=[[1]], metric="map"
    )
    assert metrics.grade(data, "wer").missed is None
    assert metrics.grade(data).missed.to_pylist() == metrics.grade(data, "ndcg").missed.to_pylist() == [[1]]


@dataclass(frozen=True, repr=False)
class Lengths(Quality):
    """Two variants that one computation yields."""

    name = "lengths"
    reads_quality = False

    def compute_all(self, data: NBest) -> dict[str, np.ndarray]:
        length = np.array([len(text) for text in data.texts.to_pylist()], np.float64)
        return {"lengths": np.column_stack([length, length]), "lengths@2": np.column_stack([length, length - 2])}


def test_statistics_that_are_found_together_are_all_kept() -> None:
    own = np.zeros((TEXTS.n_candidates, 2))
    data = metrics.with_statistics(TEXTS.replace(stats={"wer": own[:, :1], "lengths@2": own}), Lengths())
    assert list(data.stats) == ["wer", "lengths@2", "lengths"]
    assert data.stats["lengths@2"].tolist() == own.tolist()  # what the data has is not replaced
    assert data.stats["lengths"][0].tolist() == [len(TEXTS.texts[0].as_py())] * 2
    assert metrics.with_statistics(data, Lengths()) is data
    assert set(metrics.with_statistics(TEXTS, Lengths()).stats) == {"lengths", "lengths@2"}
