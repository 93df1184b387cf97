"""The lead that a switch needs, against trying every threshold in plain Python."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff import LinearModel, NBest, Perceptron
from runoff.errors import UsageError
from runoff.features.first_choice import COLUMN
from runoff.learners.switching import RESAMPLES, SwitchThreshold, choose_threshold, with_threshold
from runoff.metrics import get, grade, paired_bootstrap
from runoff.ranking import first_round

if TYPE_CHECKING:
    from runoff.metrics import Metric


def switched(data: NBest, scores: np.ndarray, threshold: float) -> list[int]:
    """Place of the winner where another candidate takes over only if it leads the first choice by more."""
    out = []
    for start, stop in zip(data.offsets[:-1].tolist(), data.offsets[1:].tolist(), strict=True):
        rows = range(start, stop)
        if not rows:
            out.append(-1)
            continue
        base = data.base if data.base is not None else np.zeros(data.n_candidates)
        first = max(rows, key=lambda row: base[row])  # the first of equal ones
        best = max(rows, key=lambda row: (scores[row], base[row]))
        out.append((best if scores[best] - scores[first] > threshold else first) - start)
    return out


def metric_of(data: NBest, metric: Metric, picks: list[int]) -> float:
    """The metric of the picked candidates, by lists of one candidate each."""
    one_hot = np.zeros(data.n_candidates)
    for start, pick in zip(data.offsets[:-1].tolist(), picks, strict=True):
        if pick >= 0:
            one_hot[start + pick] = 1.0
    model = LinearModel.of({"pick": 1.0})
    ranked = model.ranking(data.replace(features=_column(one_hot)))
    return float(metric.signed(metric.rows(data, ranked).sum(axis=0)))


def _column(values: np.ndarray) -> object:
    return NBest.from_arrays(values[:, None], sizes=[values.size], feature_names=["pick"]).features


def made_up(
    seed: int, n: int = 40, *, base: bool, helpful: float = 1.0, empty: bool = True
) -> tuple[NBest, np.ndarray]:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0 if empty else 1, 5, n)
    total = int(sizes.sum())
    quality = rng.integers(0, 4, total).astype(float)
    scores = helpful * quality + rng.normal(size=total)
    return NBest.from_arrays(sizes=sizes, quality=quality, base=rng.normal(size=total) if base else None), scores


def _low(after: np.ndarray, before: np.ndarray, metric: Metric) -> float:
    return paired_bootstrap(after, before, metric.signed, resamples=RESAMPLES, confidence=0.68, seed=3).low


@pytest.mark.parametrize("base", [False, True])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("helpful", [1.0, 0.3, 0.0, -1.0])
def test_the_gain_is_the_true_gain_at_the_threshold(seed: int, base: bool, helpful: float) -> None:
    data, scores = made_up(seed, base=base, helpful=helpful)
    metric = get("quality")
    found = choose_threshold(data, scores, metric)
    before = metric_of(data, metric, switched(data, scores, math.inf))
    picks = switched(data, scores, found.threshold)
    assert found.gain == pytest.approx(metric_of(data, metric, picks) - before, abs=1e-12)
    assert found.gain_without_threshold == pytest.approx(
        metric_of(data, metric, switched(data, scores, 0.0)) - before, abs=1e-12
    )
    assert found.switched == sum(a != b for a, b in zip(picks, switched(data, scores, math.inf), strict=True))
    assert found.gain_low <= found.gain + 1e-12
    assert found.keeps_first_choice == math.isinf(found.threshold)
    if found.keeps_first_choice:
        assert (found.gain, found.gain_low, found.switched) == (0.0, 0.0, 0)
    else:
        assert found.gain_low > 0
        assert found.threshold >= 0


@pytest.mark.parametrize("base", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_no_other_threshold_is_surer(seed: int, base: bool) -> None:
    # With at most 20 groups in which another candidate leads, every threshold between two leads is tried: brute force.
    data, scores = made_up(seed, 18, base=base, helpful=0.6)
    metric = get("quality")
    found = choose_threshold(data, scores, metric, seed=3)
    rows = metric.rows(data, first_round(data))
    leads = sorted({0.0, *_leads(data, scores)})
    best = 0.0
    for low, high in zip(leads, [*leads[1:], leads[-1] + 2], strict=True):
        picks = switched(data, scores, low if low == 0 else (low + high) / 2)
        after = np.zeros_like(rows)
        for at, pick in enumerate(picks):
            if pick >= 0:
                one = data.quality[data.offsets[at] + pick]
                after[at] = [one, 1.0]
        best = max(best, _low(after, rows, metric))
    assert found.gain_low == pytest.approx(best, abs=1e-12)


def _leads(data: NBest, scores: np.ndarray) -> list[float]:
    firsts, winners = switched(data, scores, math.inf), switched(data, scores, 0.0)
    starts = data.offsets[:-1].tolist()
    return [scores[s + w] - scores[s + f] for s, w, f in zip(starts, winners, firsts, strict=True) if w != f]


@pytest.mark.parametrize("base", [False, True])
@pytest.mark.parametrize("threshold", [0.0, 0.5, 1.0, 2.0])
@settings(deadline=None)
@given(draw=st.data())
def test_the_threshold_as_a_weight_switches_where_the_lead_exceeds_it(
    draw: st.DataObject, threshold: float, base: bool
) -> None:
    # Small whole and half numbers are exact, so that ties are ties: at the threshold itself the first choice stays.
    groups = draw.draw(
        st.lists(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.0]), max_size=4), min_size=1, max_size=5)
    )
    scores = np.array([score for group in groups for score in group])
    ranks = [float(draw.draw(st.integers(0, 2))) for _ in scores] if base else None
    data = NBest.from_arrays(scores[:, None], sizes=[len(g) for g in groups], base=ranks, feature_names=["score"])
    model = with_threshold(LinearModel.of({"score": 1.0}), SwitchThreshold(threshold, 0.1, 0.1, 1, 0.1))
    assert model.pick(data).indices.tolist() == switched(data, scores, threshold)
    assert model.names.to_pylist() == ["score", COLUMN]


def test_where_it_never_pays_the_first_choice_stays() -> None:
    data, scores = made_up(0, base=True, helpful=-1.0)
    found = choose_threshold(data, scores, get("quality"))
    assert found.keeps_first_choice
    data = data.replace(features=_column(scores))
    model = with_threshold(LinearModel.of({"pick": 1.0}, base_weight=2.0), found)
    assert model.pick(data).indices.tolist() == first_round(data).indices.tolist()
    assert model.pick(data.replace(base=None)).indices.tolist() == first_round(data.replace(base=None)).indices.tolist()
    assert model.provenance["threshold"] == {
        "threshold": None, "gain": 0.0, "gain_low": 0.0, "switched": 0, "keeps_first_choice": True,
        "gain_without_threshold": found.gain_without_threshold,
    }  # fmt: skip


def test_the_first_round_goes_by_score_where_there_is_one() -> None:
    # The scores agree with the first round, which goes by base and not by order: there is nothing to switch.
    base = np.array([0.0, 1.0] * 30)
    data = NBest.from_arrays(sizes=[2] * 30, quality=[0.0, 1.0] * 30, base=base)
    found = choose_threshold(data, base, get("quality"))
    assert (found.keeps_first_choice, found.gain_without_threshold) == (True, 0.0)
    without = choose_threshold(data.replace(base=None), base, get("quality"))
    assert (without.threshold, without.gain, without.switched) == (0.0, 1.0, 30)


def test_equal_scores_never_switch() -> None:
    data = NBest.from_arrays(sizes=[2] * 20, quality=[0.0, 1.0] * 20)
    found = choose_threshold(data, np.zeros(40), get("quality"))
    assert (found.keeps_first_choice, found.gain_without_threshold, found.switched) == (True, 0.0, 0)


def test_of_equally_sure_thresholds_the_highest() -> None:
    # Leads of 1 win nothing and lose nothing; those of 3 win always.
    quality, scores = [0.0, 0.0] * 20 + [0.0, 1.0] * 20, [0.0, 1.0] * 20 + [0.0, 3.0] * 20
    found = choose_threshold(NBest.from_arrays(sizes=[2] * 40, quality=quality), np.array(scores), get("quality"))
    assert (found.threshold, found.switched) == (2.0, 20)


def test_groups_without_candidates_and_one_group() -> None:
    data = NBest.from_arrays(sizes=[0, 2, 0], quality=[0.0, 1.0])
    found = choose_threshold(data, np.array([0.0, 1.0]), get("quality"))
    assert found.gain in (0.0, 1.0)
    alone = choose_threshold(data[1], np.array([0.0, 1.0]), get("quality"))
    assert (alone.threshold, alone.gain, alone.gain_low) == (0.0, 1.0, 1.0)
    nothing = choose_threshold(data[:1], np.empty(0), get("quality"))
    assert nothing.keeps_first_choice


@pytest.mark.parametrize("name", ["bleu", "wer", "chrf"])
@pytest.mark.parametrize("base", [False, True])
def test_metrics_of_texts(name: str, base: bool) -> None:
    rng = np.random.default_rng(4)
    words = np.array(["the", "cat", "sat", "on", "a", "mat", "and", "ran", "far", "off"])
    references, texts = [], []
    for _ in range(25):
        reference = list(rng.choice(words, 8))
        references.append(" ".join(reference))
        for _ in range(3):
            text = list(reference)
            for place in rng.choice(8, rng.integers(0, 5), replace=False):
                text[place] = rng.choice(words)
            texts.append(" ".join(text))
    data = NBest.from_arrays(
        texts=texts, sizes=[3] * 25, references=references, base=rng.normal(size=75) if base else None
    )
    metric = get(name)
    quality = metric.quality(data)
    scores = quality / np.std(quality) + rng.normal(size=75)
    found = choose_threshold(data, scores, metric)
    before = metric_of(data, metric, switched(data, scores, math.inf))
    assert not found.keeps_first_choice
    after = metric_of(data, metric, switched(data, scores, found.threshold))
    assert found.gain == pytest.approx(after - before, abs=1e-9)
    assert found.gain > 0  # lower is better for wer, and still a gain is positive


@pytest.mark.parametrize("base", [False, True])
def test_a_metric_of_rankings(base: bool) -> None:
    data, _ = made_up(5, 30, base=base, empty=False)
    scores = data.quality + np.random.default_rng(9).normal(size=data.n_candidates)
    metric = get("ndcg@3")
    found = choose_threshold(data, scores, metric)
    is_first = np.zeros(data.n_candidates)
    is_first[first_round(data).top] = 1.0
    assert not found.keeps_first_choice
    # The ranking of the careful model itself, whose weight of the first choice is the threshold.
    plain = LinearModel.of({"pick": 1.0})
    ranked = with_threshold(plain, found).ranking(data.replace(features=_column(scores)))
    by_hand = metric.signed(metric.rows(data, ranked).sum(axis=0)) - metric.signed(
        metric.rows(data, first_round(data)).sum(axis=0)
    )
    assert found.gain == pytest.approx(float(by_hand), abs=1e-6)


def test_the_same_seed_gives_the_same_caution() -> None:
    data, scores = made_up(2, base=False)
    assert choose_threshold(data, scores, get("quality"), seed=5) == choose_threshold(
        data, scores, get("quality"), seed=5
    )


def test_noise_hardly_ever_switches_much() -> None:
    # Scores that know nothing, against a first round that is good: switching at will would lose much.
    harm = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        quality = np.tile([1.5, 0.0, 0.5], 60) + rng.normal(size=180)
        data = NBest.from_arrays(sizes=[3] * 60, quality=quality)
        found = choose_threshold(data, rng.normal(size=180), get("quality"))
        assert found.gain_without_threshold < -0.2
        harm.append(found.switched)
    assert np.median(harm) == 0
    assert max(harm) <= 6


def test_a_model_that_votes_is_refused() -> None:
    data = NBest.from_arrays(np.eye(4), quality=[0, 1, 0, 1], sizes=[2, 2])
    model = Perceptron(average="voted", epochs=3).fit(data).model
    assert model.votes is not None
    with pytest.raises(UsageError, match="a model that votes has no lead"):
        with_threshold(model, SwitchThreshold(1.0, 0.1, 0.1, 1, 0.1))


def test_other_parts_of_the_model_stay() -> None:
    model = dataclasses.replace(LinearModel.of({"pick": 2.0}, base_weight=0.5), provenance={"learner": "x"})
    made = with_threshold(model, SwitchThreshold(1.5, 0.2, 0.1, 3, 0.1))
    assert made.base_weight == 0.5
    assert made.weights.tolist() == [2.0, 1.5]
    assert made.provenance["learner"] == "x"
    assert made.provenance["threshold"]["threshold"] == 1.5
    assert model.weights.tolist() == [2.0]


def test_quality_from_references_is_graded_once() -> None:
    data = grade(NBest.from_arrays(texts=["b", "a"] * 9, sizes=[2] * 9, references=["a"] * 9), get("exact"))
    found = choose_threshold(data, np.tile([0.0, 1.0], 9), get("exact"))
    assert (found.gain, found.switched) == (1.0, 9)


def test_copies_of_lists_do_not_make_a_switch_surer() -> None:
    data, scores = made_up(4, 30, base=False, empty=False)
    same = np.repeat(np.arange(30), 3)
    rows = np.concatenate([np.arange(data.offsets[at], data.offsets[at + 1]) for at in same])
    said = [str(at) for at in same]
    copies = NBest.from_arrays(
        quality=data.quality[rows], texts=[str(row) for row in rows], sizes=data.sizes[same], inputs=said
    )
    together = choose_threshold(copies, scores[rows], get("quality"))
    apart = choose_threshold(copies, scores[rows], get("quality"), blocks=np.arange(90))
    assert 0 < together.gain_low < apart.gain_low - 0.01
