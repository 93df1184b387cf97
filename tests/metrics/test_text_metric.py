"""Expected quality: every metric's fast way against a double loop over the texts of a list."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff import NBest
from runoff.metrics import get, names
from runoff.metrics import text_metric as module
from runoff.metrics.expected_quality import weighted_means
from runoff.metrics.text_metric import TextMetric

CUT = {"p", "success"}  # they need a cut-off
METRICS = [name for name in names() if name not in CUT and isinstance(get(name), TextMetric)]
TEXT = st.lists(st.sampled_from(["a", "b", "the", "Cat", "7", "7.0", "oh!"]), max_size=6).map(" ".join)
LISTS = st.lists(st.lists(TEXT, max_size=5), min_size=1, max_size=4)


def one_by_one(metric: TextMetric, groups: list[list[str]], weights: list[list[float]]) -> list[float]:
    """Each text against each reference alone, in plain sums."""
    out = []
    for texts, weigh in zip(groups, weights, strict=True):
        for text in texts:
            sum_of, total = 0.0, sum(weigh)
            for reference, weight in zip(texts, weigh, strict=True):
                pair = NBest.from_arrays(texts=[text], sizes=[1], references=[[reference]])
                sum_of += weight * float(metric.quality(pair)[0])
            out.append(sum_of / total if total else 0.0)
    return out


def cuts(groups: list[list[str]]) -> np.ndarray:
    return np.cumsum([0, *map(len, groups)])


def test_there_are_metrics_to_test() -> None:
    assert {"wer", "bleu", "chrf", "exact", "rouge-l", "cer"} <= set(METRICS)


@pytest.mark.parametrize("name", METRICS)
@settings(deadline=None)
@given(draw=st.data())
def test_expected_is_the_mean_over_references_by_weight(name: str, draw: st.DataObject) -> None:
    metric = get(name)
    groups = draw.draw(LISTS)
    weights = [[draw.draw(st.sampled_from([0.0, 0.25, 1.0, 3.0])) for _ in group] for group in groups]
    flat = np.array([weight for group in weights for weight in group])
    columns = np.column_stack([flat, np.ones(flat.size)])
    found = metric.expected([text for group in groups for text in group], cuts(groups), columns)
    assert found[:, 0] == pytest.approx(one_by_one(metric, groups, weights), rel=1e-9, abs=1e-9)
    assert found[:, 1] == pytest.approx(
        one_by_one(metric, groups, [[1.0] * len(g) for g in groups]), rel=1e-9, abs=1e-9
    )


@pytest.mark.parametrize("name", METRICS)
def test_expected_of_a_list_does_not_depend_on_other_lists(name: str) -> None:
    metric, rng = get(name), np.random.default_rng(1)
    words = np.array(["a", "b", "c", "the", "The", "7", "8", "cat", "cut,", "é"])
    groups = [[" ".join(rng.choice(words, rng.integers(0, 6))) for _ in range(k)] for k in (3, 1, 0, 5, 4, 0, 2)]
    weights = rng.random((cuts(groups)[-1], 2))
    every = metric.expected([text for group in groups for text in group], cuts(groups), weights)
    for at, group in enumerate(groups):
        rows = slice(*cuts(groups)[at : at + 2].tolist())
        alone = metric.expected(group, np.array([0, len(group)]), weights[rows])
        assert every[rows].astype(np.float32).tolist() == alone.astype(np.float32).tolist()


@pytest.mark.parametrize("name", METRICS)
def test_texts_that_vote_together_are_as_good_as_each_other(name: str) -> None:
    # What two texts have in common "if this metric takes them for the same answer": then they have the same quality.
    metric = get(name)
    texts = ["a  cat", " a cat ", "a cat", "a cat\n", "a dog", "A cat", "a cat.", "7", "7.0"]
    forms = [metric.canonical(text) for text in texts]
    assert forms[1] == forms[2] == forms[3] != forms[4]
    for reference in texts:
        quality = metric.quality(NBest.from_arrays(texts=texts, sizes=[len(texts)], references=[reference])).tolist()
        of_form: dict[str, set[float]] = {}
        for form, value in zip(forms, quality, strict=True):
            of_form.setdefault(form, set()).add(value)
        assert all(len(values) == 1 for values in of_form.values())


def test_many_lists_are_judged_in_pieces_with_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    groups = [[" ".join(rng.choice(["a", "b", "c"], 3)) for _ in range(rng.integers(0, 5))] for _ in range(30)]
    texts, weights = [text for group in groups for text in group], rng.random((cuts(groups)[-1], 1))
    whole = TextMetric.expected(get("exact"), texts, cuts(groups), weights)
    monkeypatch.setattr(module, "_PAIRS", 7)
    assert TextMetric.expected(get("exact"), texts, cuts(groups), weights) == pytest.approx(whole, abs=1e-12)


def test_the_slow_way_is_what_a_metric_does_that_has_no_other() -> None:
    found = TextMetric.expected(get("wer"), ["a b", "a c", "a c"], np.array([0, 3]), np.ones((3, 1)))
    # By hand: edits to (itself, the others): (0, 1, 1), (1, 0, 0), (1, 0, 0).
    assert found[:, 0] == pytest.approx([-2 / 3, -1 / 3, -1 / 3])


@settings(deadline=None)
@given(st.lists(st.lists(st.sampled_from([0.0, 0.25, 1.0, 3.0]), max_size=4), min_size=1, max_size=5))
def test_weighted_means_divide_each_list_by_its_own_weights(groups: list[list[float]]) -> None:
    flat = np.array([weight for group in groups for weight in group])[:, None]
    offsets = np.cumsum([0, *map(len, groups)])
    found = weighted_means(np.ones(flat.shape), offsets, flat)[:, 0]
    expected = [1 / sum(group) if sum(group) else 0.0 for group in groups for _ in group]
    assert found == pytest.approx(expected, rel=1e-12)


def test_weights_of_one_list_do_not_drown_in_those_of_another() -> None:
    weights = np.array([[1e6], [0.3e-9], [0.1e-9]])
    together = weighted_means(weights.copy(), np.array([0, 1, 3]), weights)[1:]
    alone = weighted_means(weights[1:].copy(), np.array([0, 2]), weights[1:])
    assert together.tolist() == alone.tolist()
