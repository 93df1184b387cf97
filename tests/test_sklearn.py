"""One sample is one group: the real scikit-learn's tools work on `NBest` with Runoff's learners."""

import inspect

import numpy as np
import pytest

from runoff import CRF, Boost, LogLinear, NBest, Perceptron, UsageError, blocks, tasks
from runoff.learners import LEARNERS, Learner
from runoff.learners.featurized import FeaturizedLearner
from runoff.parameters import checks_of

sklearn = pytest.importorskip("sklearn")
from sklearn.base import clone  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_val_score, train_test_split  # noqa: E402


@pytest.fixture(scope="module")
def data() -> NBest:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    return NBest.from_arrays(X, quality=X @ [1.0, -2.0, 0.0] + 0.3 * rng.normal(size=400), sizes=[5] * 80)


def test_kfold_cuts_between_groups(data: NBest) -> None:
    seen = []
    for train, test in KFold(4, shuffle=True, random_state=0).split(data):
        part = data[test]
        assert part.n_candidates == 5 * len(test)
        assert len(data[train]) + len(part) == 80
        seen += part.group_ids.to_pylist()
    assert sorted(seen) == sorted(data.group_ids.to_pylist())


def test_blocks_are_groups_for_scikit_learn() -> None:
    data = NBest.from_arrays(
        [[0.0], [1.0]] * 6, quality=[0, 1] * 6, sizes=[2] * 6, references=["a", "b", "a", "c", "b", "d"]
    )
    groups = blocks(data).numbers
    for train, test in GroupKFold(3).split(data, groups=groups):
        assert not set(groups[train]) & set(groups[test])
    assert cross_val_score(LogLinear(sigma=1.0), data, groups=groups, cv=GroupKFold(3)).tolist() == [1.0] * 3


def test_cross_val_score_is_mean_quality_of_the_picks(data: NBest) -> None:
    folds = KFold(4)
    scores = cross_val_score(LogLinear(sigma=1.0), data, cv=folds)
    expected = []
    for train, test in folds.split(data):
        held_out = data[test]
        picks = LogLinear(sigma=1.0).fit(data[train]).predict(held_out)
        expected.append(held_out.quality[held_out.offsets[:-1] + picks].mean())
    assert scores == pytest.approx(expected, abs=1e-12)


def test_grid_search_finds_a_model_that_can_be_used(data: NBest) -> None:
    search = GridSearchCV(LogLinear(max_iter=50), {"sigma": [1e-4, 1.0]}, cv=3).fit(data)
    assert search.best_params_["sigma"] == 1.0
    assert search.best_estimator_.model.pick(data)[0].index == search.predict(data)[0]


@pytest.mark.slow
def test_grid_search_in_several_processes(data: NBest) -> None:
    search = GridSearchCV(LogLinear(max_iter=20), {"sigma": [0.1, 1.0]}, cv=2, n_jobs=2).fit(data)
    assert set(search.best_params_) == {"sigma"}


def test_train_test_split(data: NBest) -> None:
    train, test = train_test_split(data, test_size=0.25, random_state=0)
    assert (len(train), len(test)) == (60, 20)


def test_clone_and_parameters() -> None:
    learner = LogLinear(sigma=3.0, right="tied")
    copy = clone(learner)
    assert copy.get_params() == learner.get_params()
    assert repr(copy) == "LogLinear(sigma=3.0, right='tied')"
    with pytest.raises(ValueError, match="has no parameter 'width'; it has: sigma"):
        learner.set_params(width=1)


@pytest.mark.parametrize("kind", LEARNERS.values(), ids=LEARNERS)
def test_every_learner_is_cloned_and_shows_its_parameters(kind: type[Learner]) -> None:
    signature = inspect.signature(kind)
    assert {name: each.default for name, each in signature.parameters.items()} == kind.parameters()
    shared = [
        "metric",
        "group_by",
        "group_ranks",
        "leaves",
        "products",
        "missing",
        "bags",
        "seed",
        "verbose",
        "calibration",
    ]
    assert list(kind.parameters())[-len(shared) :] == shared
    assert set(checks_of(kind)) == set(kind.parameters())
    # The constructor only stores: whatever was given is found again, and is what a clone gets.
    given = {name: object() for name in kind.parameters()}
    learner = kind(**given)
    assert all(learner.get_params()[name] is value for name, value in given.items())
    changed = clone(kind()).set_params(seed=7)
    assert (clone(changed).seed, repr(changed)) == (7, f"{kind.__name__}(seed=7)")
    with pytest.raises(UsageError, match=f"{kind.__name__} has no parameter 'sigmaa'; it has: .*{', '.join(shared)}"):
        learner.set_params(sigmaa=1)


def test_the_first_parameters_are_positional() -> None:
    assert Perceptron("ordinal", "even").get_params() == Perceptron(order="ordinal", margin="even").get_params()
    assert LogLinear(0.3).sigma == 0.3
    assert CRF("la", "permutations").space == "permutations"
    assert Boost(10, "log").loss == "log"


def test_two_candidates_without_base_are_logistic_regression_on_differences() -> None:
    # Outside truth: scikit-learn's LogisticRegression. It minimises |w|²/2 + C Σ loss, we Σ loss + |w|²/σ²:
    # the same for σ² = 2C.
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 4))
    quality = X @ [1.0, 0.5, 0.0, -1.0] + rng.normal(size=200)
    data = NBest.from_arrays(X.astype(np.float32), quality, sizes=[2] * 100)
    learner = LogLinear(sigma=np.sqrt(2 * 0.7), scale="none", tolerance=1e-9, max_iter=2000).fit(data)
    X = X.astype(np.float32).astype(np.float64)
    sign = np.where(quality[::2] > quality[1::2], 1, -1)
    peer = LogisticRegression(C=0.7, fit_intercept=False, tol=1e-10, max_iter=5000).fit(X[::2] - X[1::2], sign)
    assert learner.model.weights == pytest.approx(peer.coef_[0], abs=1e-5)


def raw_texts(n: int = 24) -> NBest:
    """Texts of which those without a repeated word are right."""
    texts = [text for at in range(n) for text in (f"it is is {at}", f"it is {at}")]
    return NBest.from_arrays(texts=texts, sizes=[2] * n, references=[f"it is {at}" for at in range(n)], metric="exact")


def featurized(**settings: object) -> FeaturizedLearner:
    return FeaturizedLearner(tasks.get("text").featurizer(families="repetition"), LogLinear(metric="exact", **settings))


def test_a_featurized_learner_is_cloned_with_its_featurizer_and_without_what_it_learned() -> None:
    learner = featurized(sigma=3.0).fit(raw_texts())
    copy = clone(learner)
    assert copy.get_params() == learner.get_params() == LogLinear(sigma=3.0, metric="exact").get_params()
    assert copy.featurizer is not learner.featurizer
    assert copy.featurizer.families == learner.featurizer.families
    with pytest.raises(UsageError, match="has not learned anything yet"):
        copy.model  # noqa: B018 - the attribute is the test
    assert copy.set_params(sigma=1.0).learner.sigma == 1.0
    assert learner.learner.sigma == 3.0


def test_grid_search_of_a_featurized_learner_takes_raw_lists() -> None:
    data = raw_texts()
    search = GridSearchCV(featurized(), {"sigma": [1e-9, 1.0]}, cv=3).fit(data)
    assert set(search.best_params_) == {"sigma"}
    assert cross_val_score(featurized(sigma=1.0), data, cv=3).tolist() == [1.0] * 3
    assert search.best_estimator_.model.pick([["so so it is", "so it is"]])[0].text == "so it is"
