"""`Perceptron`: choices on dev and by folds, checkpoints, votes, and what must not change."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from helpers.perceptron_data import ONE, bits, groups_of, lists
from runoff import NBest, Perceptron, load
from runoff.metrics import get

if TYPE_CHECKING:
    from pathlib import Path


def spoken(seed: int, groups: int = 40) -> NBest:
    """Lists of texts with references, judged by word error rate, for which lower is better."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 7, groups)
    edits = rng.integers(0, 6, int(sizes.sum()))
    X = np.column_stack([edits + 2.0 * rng.normal(size=edits.size), rng.normal(size=(edits.size, 4))])
    texts = [" ".join(["x"] * count + ["a"] * (8 - count)) for count in edits]
    return NBest.from_arrays(X, sizes=sizes, texts=texts, references=[["a " * 8]] * groups, metric="wer")


# ---------------------------------------------------------------- the same bits


def test_the_same_seed_gives_the_same_bits_and_another_another_order() -> None:
    data = lists(0)
    assert bits(Perceptron(**ONE).fit(data)) == bits(Perceptron(**ONE).fit(data))
    assert bits(Perceptron(**ONE, seed=1).fit(data)) != bits(Perceptron(**ONE).fit(data))
    still = [bits(Perceptron(**ONE, shuffle=False, seed=seed).fit(data)) for seed in (0, 1)]
    assert still[0] == still[1]


@pytest.mark.parametrize("average", [True, "voted"])
def test_the_same_bits_whatever_the_threads(average: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    train, dev = lists(1), lists(2)
    found = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("RUNOFF_THREADS", threads)
        learners = [
            Perceptron(order="auto", max_epochs=8, average=average).fit(train, dev),
            Perceptron(max_epochs=6, average=average).fit(train),
        ]
        found.append([(bits(each), each.model.provenance) for each in learners])
    assert found[0] == found[1] == found[2]


# ---------------------------------------------------------------- choices


def test_the_epoch_that_is_best_on_dev_is_taken() -> None:
    train, dev = lists(3, noise=3.0), lists(4, noise=3.0)
    learner = Perceptron(tau=0.5, max_epochs=25, patience=25).fit(train, dev)
    scores = [entry["dev"] for entry in learner.history]
    provenance = learner.model.provenance
    assert min(scores) < max(scores)
    assert provenance["epochs"] == scores.index(max(scores)) + 1
    assert provenance["dev"]["score"] == pytest.approx(max(scores))
    assert learner.score(dev) == pytest.approx(max(scores))
    again = Perceptron(tau=0.5, epochs=provenance["epochs"]).fit(train)
    assert bits(again) == bits(learner)


@pytest.mark.parametrize("average", [True, "voted"])
def test_where_lower_is_better_the_lowest_is_taken(average: Any) -> None:
    train, dev = spoken(0), spoken(1)
    metric = "wer[ties=expected]"
    learner = Perceptron(order="auto", metric=metric, max_epochs=12, patience=12, average=average).fit(train, dev)
    scores = [entry["dev"] for entry in learner.history]
    provenance = learner.model.provenance
    choices = [each["score"] for each in provenance["chosen_on_dev"].values()]
    assert len(choices) == 16
    assert min(choices) < max(choices)
    assert min(scores) < max(scores)
    assert provenance["dev"]["score"] == pytest.approx(min(choices))
    assert provenance["dev"]["score"] == pytest.approx(min(scores))
    assert provenance["epochs"] == scores.index(min(scores)) + 1
    assert provenance["chosen_on_dev"][f"{provenance['order']}, tau {provenance['tau']:g}"]["score"] == min(choices)
    assert learner.score(dev) == pytest.approx(-min(scores))


def test_patience_ends_the_search() -> None:
    train, dev = lists(3, noise=3.0), lists(4, noise=3.0)
    learner = Perceptron(tau=0.5, max_epochs=60, patience=4).fit(train, dev)
    provenance = learner.model.provenance
    assert provenance["epochs_tried"] == len(learner.history) == provenance["epochs"] + 4
    assert not provenance["converged"]


def test_epochs_that_are_given_are_all_made() -> None:
    train, dev = lists(3, noise=3.0), lists(4, noise=3.0)
    best = Perceptron(tau=0.5, max_epochs=25, patience=25).fit(train, dev).model.provenance["epochs"]
    learner = Perceptron(tau=0.5, epochs=best + 3).fit(train, dev)
    assert learner.model.provenance["epochs"] == len(learner.history) == best + 3
    assert bits(learner) == bits(Perceptron(tau=0.5, epochs=best + 3).fit(train))


def test_every_order_gets_the_same_number_of_epochs() -> None:
    # "splitting" with a top of 4 asks only groups of 5 and more.
    train, dev = lists(5), lists(6)
    learner = Perceptron(order="auto", top=4, tau=1.0, epochs=3).fit(train, dev)
    assert {each["epochs"] for each in learner.model.provenance["chosen_on_dev"].values()} <= {1, 2, 3}
    for order, top in (("splitting", 4), ("ordinal", None)):
        alone = Perceptron(order, top=top, tau=1.0, epochs=3).fit(train, dev)
        found = learner.model.provenance["chosen_on_dev"][f"{order}, even, tau 1"]
        assert found["score"] == pytest.approx(alone.model.provenance["dev"]["score"])


def folds_by_hand(data: NBest, metric: str, taus: dict[str, float], epochs: int) -> dict[str, np.ndarray]:
    """Metric after every epoch, where every fold is chosen by a model of the others."""
    judge = get(metric)
    fold_of = np.random.default_rng(0).permutation(len(data)) % 5
    found = {}
    for name, tau in taus.items():
        sums = np.zeros((epochs, judge.rows(data, Perceptron(**ONE).fit(data).model.ranking(data)).shape[1]))
        for fold in range(5):
            outside = data[fold_of == fold]
            for epoch in range(epochs):
                each = Perceptron(tau=tau, epochs=epoch + 1, scale="none", base=False).fit(data[fold_of != fold])
                sums[epoch] += judge.rows(outside, each.model.ranking(outside)).sum(axis=0)
        found[name] = judge.score(sums)
    return found


@pytest.mark.parametrize("metric", ["quality", "wer"])
def test_without_dev_the_choice_is_by_folds(metric: str) -> None:
    data = lists(7, groups=30) if metric == "quality" else spoken(2, groups=30)
    learner = Perceptron(metric=metric, max_epochs=6, patience=6, scale="none", base=False).fit(data)
    provenance = learner.model.provenance
    assert len(provenance["chosen_by_folds"]) == 4
    if metric == "wer":
        data = data.replace(quality=-np.array([text.split().count("x") for text in data.texts.to_pylist()], float))
    taus = {name: float(name.split()[-1]) for name in provenance["chosen_by_folds"]}
    curves = folds_by_hand(data, metric, taus, 6)
    sign = -1 if metric == "wer" else 1
    for name, curve in curves.items():
        rounded = np.round(sign * curve, 9)
        assert provenance["chosen_by_folds"][name]["epochs"] == int(np.argmax(rounded)) + 1
        assert provenance["chosen_by_folds"][name]["score"] == pytest.approx(sign * rounded.max())
    best = max(curves, key=lambda name: np.round(sign * curves[name], 9).max())
    assert provenance["tau"] == taus[best]
    assert provenance["epochs"] == provenance["chosen_by_folds"][best]["epochs"]
    assert len({each["score"] for each in provenance["chosen_by_folds"].values()}) > 1


def test_it_stops_by_itself_when_nothing_is_violated() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    data = NBest.from_arrays(X, X[:, 0], sizes=[4] * 15)
    learner = Perceptron(tau=0.01, epochs=10_000, update="pair").fit(data)
    provenance = learner.model.provenance
    assert provenance["converged"]
    assert provenance["mistakes"] == learner.history[-1]["updates"] == 0
    assert provenance["epochs"] == provenance["epochs_tried"] == len(learner.history) < 10_000
    assert learner.history[-2]["updates"] > 0


# ---------------------------------------------------------------- averages and votes


def test_votes_are_those_of_every_vector_there_was() -> None:
    # Whole numbers, so that ties are those of exact arithmetic.
    rng = np.random.default_rng(1)
    X = rng.integers(-3, 4, (60, 3)).astype(float)
    data = NBest.from_arrays(X, rng.integers(0, 4, 60).astype(float), sizes=[4] * 15)
    learner = Perceptron(
        "ordinal", "even", 2.0, average="voted", epochs=3, scale="none", base=False, shuffle=False
    ).fit(data)
    votes, weights, vectors = np.zeros(60), np.zeros(3), []
    for _ in range(3):
        for rows, ranks in groups_of(data):
            if len(set(ranks)) == 1:
                continue
            scores, u = X[rows] @ weights, np.zeros(rows.size)
            for j, p in enumerate(ranks):
                for l, q in enumerate(ranks):  # noqa: E741 - as in the paper
                    if p < q and not scores[j] - scores[l] > 2.0:
                        u[j] += 1
                        u[l] -= 1
            weights = weights + u @ X[rows]
            vectors.append(weights)
            for start in range(0, 60, 4):
                votes[start + int(np.argmax(X[start : start + 4] @ weights))] += 1
    model = learner.model
    assert model.votes.total == len(vectors)
    assert model.scores(data) == pytest.approx(votes / len(vectors), abs=1e-12)
    assert model.weights == pytest.approx(np.mean(vectors, axis=0), abs=1e-9)
    assert model.pick(data).indices.tolist() == votes.reshape(15, 4).argmax(axis=1).tolist()


@pytest.mark.parametrize("update", ["group", "pair"])
def test_the_mean_of_the_voters_is_the_averaged_perceptron(update: str) -> None:
    train, dev = lists(8), lists(9)
    for given in ((train,), (train, dev)):
        voted, averaged, last = (
            Perceptron(tau=0.7, epochs=5, update=update, average=average).fit(*given).model
            for average in ("voted", True, False)
        )
        weights, base = voted.votes.mean(5)
        assert weights == pytest.approx(averaged.weights, abs=1e-9)
        assert base == pytest.approx(averaged.base_weight, abs=1e-9)
        assert voted.weights.tobytes() == averaged.weights.tobytes()
        assert averaged.votes is None
        final = np.zeros(5)
        np.add.at(final, voted.votes.columns, voted.votes.deltas)
        assert last.weights == pytest.approx(final, abs=1e-9)
        assert last.weights != pytest.approx(averaged.weights, abs=1e-3)


def test_votes_end_with_the_epoch_that_was_best_on_dev() -> None:
    train, dev = lists(3, noise=3.0), lists(4, noise=3.0)
    chosen = Perceptron(tau=0.5, average="voted", max_epochs=20, patience=20).fit(train, dev)
    scores = [entry["dev"] for entry in chosen.history]
    best = scores.index(max(scores)) + 1
    assert chosen.model.provenance["epochs"] == best < len(scores)
    assert bits(chosen) == bits(Perceptron(tau=0.5, average="voted", epochs=best).fit(train))
    assert chosen.score(dev) == pytest.approx(max(scores))


def test_truth_values_of_numpy_are_truth_values() -> None:
    data = lists(0)
    for flag in (True, False):
        expected = bits(Perceptron(**ONE, average=flag, base=flag, shuffle=flag).fit(data))
        assert (
            bits(Perceptron(**ONE, average=np.bool_(flag), base=np.bool_(flag), shuffle=np.bool_(flag)).fit(data))
            == expected
        )


@pytest.mark.parametrize("average", [True, False, "voted"])
def test_models_are_kept_in_files(average: Any, tmp_path: Path) -> None:
    train, test = lists(10), lists(11)
    model = Perceptron(**ONE, average=average).fit(train).model
    model.save(tmp_path / "m.runoff")
    again = load(tmp_path / "m.runoff")
    assert again.scores(test).tobytes() == model.scores(test).tobytes()
    assert again.provenance == json.loads(json.dumps(model.provenance))
    assert (again.votes is not None) == (average == "voted")


# ---------------------------------------------------------------- scikit-learn


def test_scikit_learn_copies_and_searches() -> None:
    pytest.importorskip("sklearn")
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV

    learner = Perceptron("gap", top=3, bottom=0.5, tau=2.0, average="voted")
    assert clone(learner).get_params() == learner.get_params()
    assert repr(learner) == "Perceptron(order='gap', tau=2.0, average='voted', top=3, bottom=0.5)"
    data = lists(12, noise=0.1)
    # Margins that no weights of a few visits can reach make it a sum over all pairs; none at all is a plain perceptron.
    search = GridSearchCV(Perceptron(epochs=5), {"tau": [0.0, 1.0], "order": ["ordinal", "orum"]}, cv=3).fit(data)
    assert search.best_estimator_.model.provenance["tau"] == search.best_params_["tau"]
    assert search.best_score_ > data.quality.mean() + 0.5
    assert search.predict(data).tolist() == search.best_estimator_.model.pick(data).indices.tolist()
