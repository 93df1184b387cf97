"""A reranker as one more system: held-out scores and its columns."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from runoff.combine import add_system, held_out_scores
from runoff.combine.systems import Systems, system_names
from runoff.errors import DataError, UsageError
from runoff.learners import LogLinear
from runoff.nbest import NBest


def lists(groups: int = 9) -> NBest:
    rng = np.random.default_rng(0)
    return NBest.from_arrays(
        rng.normal(size=(3 * groups, 2)),
        rng.random(3 * groups),
        sizes=[3] * groups,
        texts=list("abc") * groups,
        base=rng.normal(size=3 * groups),
        attributes={"doc": [str(at % 4) for at in range(groups)]},
    )


def test_scores_are_those_of_a_model_of_the_other_folds() -> None:
    data, learner = lists(), LogLinear(sigma=1.0)
    found = held_out_scores(learner, data, folds=2, group_by="doc")
    # Each list's scores must be those of a training without all lists of some documents, its own among them.
    documents = np.array([int(name) for name in data.attributes["doc"].to_pylist()])
    splits = [{0, first} for first in (1, 2, 3)] + [{0}] + [{0, 1, 2, 3} - {at} for at in (1, 2, 3)]
    explained = []
    for own in splits:
        inside = np.isin(documents, list(own))
        rows = np.repeat(inside, 3)
        one, two = (learner.clone().fit(data[part]).model.scores(data[~part]) for part in (~inside, inside))
        explained.append(np.allclose(found[rows], one) and np.allclose(found[~rows], two))
    assert sum(explained) == 1


def test_scores_of_folds_are_on_the_scale_of_a_model_of_all() -> None:
    data, learner = lists(30), LogLinear(sigma=1.0)
    whole = learner.clone().fit(data).model
    plain, scaled = (held_out_scores(learner, data, folds=2, group_by="doc", like=like) for like in (None, whole))
    ratios = scaled / plain  # one for every fold, which is that of the spreads on training lists
    assert len(np.unique(ratios.round(6))) == 2
    larger = dataclasses.replace(whole, weights=10 * whole.weights, base_weight=10 * whole.base_weight)
    again = held_out_scores(learner, data, folds=2, group_by="doc", like=larger)
    assert np.allclose(again, 10 * scaled)


def test_lists_that_belong_together_have_no_folds() -> None:
    data = lists(4).replace(attributes={"doc": lists(4).attributes["doc"].take([0] * 4)})
    with pytest.raises(DataError, match="no folds"):
        held_out_scores(LogLinear(), data, group_by="doc")


def test_a_reranker_stands_in_front_of_the_first_round() -> None:
    data = NBest.from_arrays(texts=list("abcd"), sizes=[3, 1, 0], base=[3.0, 2.0, 1.0, 0.0])
    found = add_system(data, "new", np.array([0.0, 2.0, 1.0, -1.0]))
    systems = Systems.of(found)
    assert systems.names == ("new", "first")
    assert systems.ranks.tolist() == [[pytest.approx(1 / 3), 1], [1, 0.5], [0.5, pytest.approx(1 / 3)], [1, 1]]
    # Shares are softmax of the scores: exp(0), exp(2) and exp(1), over their sum.
    weights = np.exp([0.0, 2.0, 1.0])
    assert np.allclose(systems.shares[:3, 0], weights / weights.sum())
    assert system_names(add_system(found, "other", np.zeros(4))) == ("other", "new", "first")


def test_a_first_round_without_scores_counts_by_rank() -> None:
    found = add_system(NBest.from_arrays(texts=list("ab"), sizes=[2]), "new", np.array([1.0, 2.0]))
    assert Systems.of(found).shares[:, 1].tolist() == [pytest.approx(2 / 3), pytest.approx(1 / 3)]


def test_mistakes() -> None:
    data = lists()
    with pytest.raises(UsageError, match="a system 'first' already"):
        add_system(data, "first", np.zeros(27))
    with pytest.raises(DataError, match="a score for each of 27 candidates; found 2"):
        add_system(data, "new", np.zeros(2))
