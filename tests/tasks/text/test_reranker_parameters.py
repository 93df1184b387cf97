"""The reranker of texts as a scikit-learn estimator, and what it says of wrong parameters."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from helpers.synthetic_lists import repeating_lists
from runoff.errors import UsageError
from runoff.metrics import get
from runoff.tasks.text import RECIPES, TextReranker

FEW: dict[str, Any] = {"families": "position,length,repetition,agreement", "recipes": "vote,loglinear"}
WITH_WORDS = next(name for name, recipe in RECIPES.items() if recipe.columns == "all")


def test_parameters_round_trip() -> None:
    learner = TextReranker(families="length", recipes="loglinear", folds=3, careful=False, word_orders=(1, 3), seed=4)
    parameters = learner.get_params()
    again = TextReranker(**parameters)
    assert again.get_params() == parameters
    assert set(parameters) == set(TextReranker.parameters())
    for name, value in parameters.items():
        assert TextReranker().set_params(**{name: value}).get_params()[name] is value
    with pytest.raises(ValueError, match="has no parameter 'famlies'"):
        learner.set_params(famlies="x")
    assert repr(TextReranker(seed=4)) == "TextReranker(seed=4)"


def test_the_tools_of_scikit_learn() -> None:
    pytest.importorskip("sklearn")
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

    data, learner = repeating_lists(0, 30), TextReranker(**FEW, metric="wer", folds=2)
    copy = clone(learner)
    assert copy.get_params() == learner.get_params()
    scores = cross_val_score(learner, data, cv=KFold(3))
    expected = []
    for train, test in KFold(3).split(data):
        fitted = TextReranker(**FEW, metric="wer", folds=2).fit(data[train])
        metric = get("wer")
        rows = metric.rows(data[test], fitted.model.ranking(data[test]))
        expected.append(float(metric.signed(rows.sum(axis=0))))
    assert scores == pytest.approx(expected, abs=1e-9)
    grid = {"families": ["shape", "repetition,length"]}
    search = GridSearchCV(TextReranker(recipes="loglinear", metric="wer", folds=2), grid, cv=2).fit(data)
    assert search.best_params_ == {"families": "repetition,length"}
    assert search.predict(data).size == 30


def test_a_learner_that_has_chosen_can_be_sent_by_a_worker_process() -> None:
    # As scikit-learn's cross_validate(n_jobs=2, return_estimator=True) does.
    learner = TextReranker(**FEW, metric="wer").fit(repeating_lists(0, 20))
    picks = learner.predict(repeating_lists(1, 5))
    assert pickle.loads(pickle.dumps(learner)).predict(repeating_lists(1, 5)).tolist() == picks.tolist()


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"families": "lenght"}, "there is no feature family 'lenght'"),
        ({"families": 5}, "families of TextReranker must be a text"),
        ({"recipes": "best"}, "there is no recipe 'best'"),
        ({"recipes": 5}, "recipes of TextReranker must be a text"),
        ({"recipes": ""}, "recipes of TextReranker must be a text"),
        ({"recipes": ","}, "expected at least one recipe"),
        ({"recipes": WITH_WORDS}, f"none of the recipes '{WITH_WORDS}' works with the families"),
        ({"families": "length", "recipes": "vote"}, "none of the recipes 'vote' works with the families"),
        ({"folds": 1}, "folds of TextReranker must be a whole number of at least 2"),
        ({"folds": 2.5}, "folds of TextReranker must be a whole number"),
        ({"confidence": 1.0}, "confidence of TextReranker must be"),
        ({"confidence": 0}, "confidence of TextReranker must be"),
        ({"careful": "yes"}, "careful of TextReranker must be true or false"),
        ({"lm_order": 0}, "lm_order of TextReranker must be a whole number"),
        ({"lm_order": 7}, "lm_order of TextReranker must be a whole number from 1 to 6"),
        ({"min_lists": 0}, "min_lists of TextReranker must be"),
        ({"hashed": -1}, "hashed of TextReranker must be"),
        ({"hashed": 3, "families": "words", "recipes": WITH_WORDS}, "power of two"),
        ({"seed": -1}, "seed of TextReranker must be"),
        ({"metric": "nonsense"}, "there is no metric 'nonsense'"),
        ({"similarity": "ndcg@5"}, "does not compare texts"),
        ({"families": "embedding"}, "needs an encoder"),
        ({"families": "embedding", "encoder": 3}, "an encoder needs a method encode"),
        ({"word_orders": (0,)}, "word_orders of TextReranker must be a list, each a whole number"),
    ],
)
def test_wrong_parameters_are_said(parameters: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        TextReranker(**{**FEW, "metric": "wer", **parameters}).fit(repeating_lists(0, 10))


@pytest.mark.parametrize(
    "parameters",
    [{"families": None}, {"recipes": None}, {"word_orders": 5}, {"word_orders": None}, {"character_orders": 5},
     {"confidence": "high"}, {"confidence": None}],
)  # fmt: skip
def test_parameters_of_the_wrong_kind_are_said(parameters: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=f"{next(iter(parameters))} of TextReranker must be "):
        TextReranker(**{**FEW, "metric": "wer", **parameters}).fit(repeating_lists(0, 10))
