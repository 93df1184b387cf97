"""Tuning: what the rounds say is so, and what is kept is the best of what was tried."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
import sacrebleu

from runoff.errors import DataError, UsageError
from runoff.metrics import get
from runoff.nbest import NBest
from runoff.tasks.translation.candidate_pool import CandidatePool
from runoff.tasks.translation.tuning import tune

from .conftest import TRAINED

if TYPE_CHECKING:
    from runoff.tasks.translation.translator import Translator

Sides = tuple[list[str], list[str]]
BAD = {"lm": 0.05, "words": -1.0, "phrases": -0.5}  # weights that want short translations


@pytest.fixture(scope="module")
def bad(translator: Translator) -> Translator:
    """A translator with weights that need tuning, and a narrow search."""
    other = replace(translator, settings=replace(translator.settings, stack=8, distortion_limit=4))
    return other.with_weights({**translator.weights, **BAD})


@pytest.fixture(scope="module")
def dev(phrases: Sides) -> Sides:
    return phrases[0][TRAINED : TRAINED + 10], phrases[1][TRAINED : TRAINED + 10]


def test_scores_are_sacrebleus_and_the_best_weights_are_kept(bad: Translator, dev: Sides) -> None:
    source, target = dev
    tuned, found = tune(bad, source, [[text] for text in target], k=20, rounds=3, say=lambda _: None)

    def bleu(translator: Translator) -> float:
        return sacrebleu.corpus_bleu(translator.translate(source), [target]).score

    assert found.rounds[0].score == pytest.approx(bleu(bad))
    assert found.best_score == max(each.score for each in found.rounds) == pytest.approx(bleu(tuned))
    assert found.best_score > found.rounds[0].score
    assert [each.number for each in found.rounds] == list(range(1, len(found.rounds) + 1))
    assert [each.candidates for each in found.rounds] == np.cumsum([each.new for each in found.rounds]).tolist()
    assert all(each.reranked >= found.rounds[0].score for each in found.rounds[:-1])  # MERT starts from its weights
    assert tuned.provenance["tuning"]["weights"] == tuned.weights
    assert "seconds" not in tuned.provenance["tuning"]["rounds"][0]  # files of the same tuning are the same
    again, _ = tune(bad, source, [[text] for text in target], k=20, rounds=3, say=lambda _: None)
    assert again.weights == tuned.weights
    assert "nan" not in str(found)


def test_it_ends_where_nothing_is_new(bad: Translator) -> None:
    # Two words that the table does not have: both orders are in the list, whatever the weights.
    said: list[object] = []
    _, found = tune(bad, ["zorbo rubu"], [["rubu zorbo"]], metric="ter", k=5, rounds=9, say=said.append)
    assert found.finished
    assert len(found.rounds) == len(said) == 2
    assert found.rounds[-1].new == 0


def test_a_metric_of_errors_is_made_small(bad: Translator, dev: Sides) -> None:
    _, found = tune(bad, dev[0], [[text] for text in dev[1]], metric="ter", k=10, rounds=2, say=lambda _: None)
    assert found.best_score == min(each.score for each in found.rounds)


def test_mistakes_are_told(bad: Translator, dev: Sides) -> None:
    references = [[text] for text in dev[1]]
    with pytest.raises(UsageError, match="at least 2 in at least 1 round; found 1 in 3"):
        tune(bad, dev[0], references, k=1, rounds=3)
    with pytest.raises(UsageError, match="a metric of single texts, such as bleu; found map"):
        tune(bad, dev[0], references, metric="map")
    with pytest.raises(UsageError, match="no method 'sgd'"):
        tune(bad, dev[0], references, method="sgd", k=2)
    with pytest.raises(DataError, match="no sentences to tune on"):
        tune(bad, [], [])


def test_a_pool_has_every_candidate_once_with_the_statistics_of_its_text() -> None:
    metric = get("bleu")
    one = NBest.from_arrays(
        [[1.0, 0.0], [2.0, 0.0], [1.0, 1.0]],
        texts=["a b", "a", "c"],
        sizes=[2, 1],
        references=[["a b"], ["c d"]],
        feature_names=["lm", "words"],
    )
    two = NBest.from_arrays(
        [[2.0, 0.0], [3.0, 0.0], [1.0, 1.0], [1.0, 2.0]],
        texts=["a", "a", "c", "c d"],  # the second one has other terms
        sizes=[2, 2],
        references=[["a b"], ["c d"]],
        feature_names=["lm", "words"],
    )
    pool = CandidatePool(metric)
    assert [pool.add(each) for each in (one, two, one)] == [3, 2, 0]
    data = pool.data
    assert data.sizes.tolist() == [3, 2]
    assert data.texts.to_pylist() == ["a b", "a", "a", "c", "c d"]
    assert data.features.to_scipy().toarray()[:, 0].tolist() == [1, 2, 3, 1, 1]
    slow = metric.statistics(NBest.from_arrays(texts=data.texts.to_pylist(), sizes=[3, 2], references=data.references))
    assert np.array_equal(data.stats[metric.key], slow)
