"""Learners, folds, features and resampling give the same bits on any engine as in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import runoff
from runoff.cluster import on
from runoff.learners import CRF, LogLinear, Perceptron, TreeBoost, tree_growth
from runoff.metrics import Resampling, get, significance
from runoff.metrics.expected_quality import expected_quality
from runoff.nbest import NBest, list_pieces
from runoff.tasks.answers.sentence_featurizer import SentenceFeaturizer
from runoff.tasks.tagging.featurizer import TaggingFeaturizer
from runoff.tasks.text import featurizer as text_features
from runoff.tasks.translation.featurizer import TranslationFeaturizer

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.engines import Engine

Fit = "Callable[[], Any]"


def lists(seed: int = 0, groups: int = 240, candidates: int = 8) -> NBest:
    rng = np.random.default_rng(seed)
    n = groups * candidates
    features = (rng.random((n, 40)) < 0.2).astype(float)
    features[:, 34:] *= rng.normal(size=(n, 6))
    quality = features @ rng.normal(size=40) + rng.normal(size=n)
    base = 0.2 * quality + rng.normal(size=n)
    return NBest.from_arrays(features, quality=quality, base=base, sizes=[candidates] * groups)


DATA = lists()
TRAIN, DEV = DATA[:180], DATA[180:]
LEARNERS: dict[str, Callable[[], Any]] = {
    "log-linear, by folds": lambda: LogLinear().fit(TRAIN),
    "log-linear, bags": lambda: LogLinear(sigma=1.0, bags=3).fit(TRAIN, DEV),
    "random field, L-BFGS": lambda: CRF(method="lbfgs", l2=0.01).fit(TRAIN, DEV),
    "random field, grid": lambda: CRF(method="sgd", epochs=2).fit(TRAIN, DEV),
    "perceptron, by folds": lambda: Perceptron(max_epochs=5).fit(TRAIN),
    "boosting": lambda: runoff.Boost(rounds=60, min_groups=1).fit(TRAIN),
    "boosting, LogLoss": lambda: runoff.Boost(rounds=40, loss="log", smoothing=1e-3).fit(TRAIN, DEV),
    "boosting, grid by folds": lambda: runoff.Boost(max_rounds=60).fit(TRAIN),
    "trees": lambda: TreeBoost(rounds=5).fit(TRAIN),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_learners(name: str, engine: Engine) -> None:
    there = LEARNERS[name]().model
    with on("here"):
        here = LEARNERS[name]().model
    assert there.provenance == here.provenance
    assert there.calibration == here.calibration
    np.testing.assert_array_equal(there.scores(DEV), here.scores(DEV))
    if name != "trees":
        assert there.weights.tobytes() == here.weights.tobytes()


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_boosting_on_any_number_of_processes(workers: int) -> None:
    here = runoff.Boost(rounds=80, smoothing=1e-3).fit(TRAIN).model
    with on(f"processes:{workers}"):
        there = runoff.Boost(rounds=80, smoothing=1e-3).fit(TRAIN).model
    assert there.weights.tobytes() == here.weights.tobytes()
    assert there.training_path.deltas.tobytes() == here.training_path.deltas.tobytes()


def test_trees_whose_sums_are_made_by_workers(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_growth, "_STORED_PER_PIECE", 200)  # several pieces, and none too small to be sent
    asked = []
    fill = tree_growth.RowStatistics.fill_elsewhere
    monkeypatch.setattr(tree_growth.RowStatistics, "fill_elsewhere", lambda *how: (asked.append(1), fill(*how))[1])
    for learner in (TreeBoost(rounds=4, loss="log"), TreeBoost(rounds=4, loss="list")):
        there = learner.fit(TRAIN).model.scores(DEV)
        assert asked
        with on("here"):
            here = learner.fit(TRAIN).model.scores(DEV)
        assert there.tobytes() == here.tobytes()


def test_cross_validation_and_resampling(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(significance, "_WORTH_SENDING", 0)
    resampling = Resampling(resamples=200, trials=200)
    there = runoff.cross_validate(LogLinear(sigma=1.0), TRAIN, resampling=resampling)
    with on("here"):
        here = runoff.cross_validate(LogLinear(sigma=1.0), TRAIN, resampling=resampling)
    assert there.to_dict() == here.to_dict()


def test_features_of_texts_and_bayes_risk(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def few(data: NBest, candidates: int = 40) -> list[tuple[int, int]]:
        return list_pieces.list_cuts(data, candidates)

    monkeypatch.setattr(text_features, "list_cuts", few)
    monkeypatch.setattr("runoff.metrics.expected_quality.list_cuts", few)
    rng = np.random.default_rng(0)
    words = np.array(["a", "an", "the", "cat", "dog", "mat", "sat", "sits", "on", "under", "is", "it"])
    texts = [" ".join(rng.choice(words, rng.integers(1, 9))) for _ in range(600)]
    data = NBest.from_arrays(
        texts=texts, sizes=[6] * 100, references=texts[::6], inputs=texts[1::6], base=rng.normal(size=600)
    )

    def made() -> list[Any]:
        featurizer = text_features.TextFeaturizer(min_lists=2)
        tables = [featurizer.fit_transform(data, "wer").features, featurizer.transform(data).features]
        risk = expected_quality(get("wer"), data, np.ones((600, 2)))
        return [*((each.indptr, each.indices, each.values) for each in tables), (risk,)]

    there = made()
    with on("here"):
        here = made()
    for one, other in zip(there, here, strict=True):
        assert [each.tobytes() for each in one] == [each.tobytes() for each in other]


@pytest.mark.parametrize("has_documents", [False, True])
def test_features_of_taggings(engine: Engine, monkeypatch: pytest.MonkeyPatch, has_documents: bool) -> None:
    rng = np.random.default_rng(0)
    words, tags = np.array(["Rome", "sings", "Ann", "at"]), np.array(["O", "B-PER", "B-LOC"])
    inputs = [" ".join(rng.choice(words, 4)) for _ in range(60)]
    texts = [" ".join(rng.choice(tags, 4)) for _ in range(180)]
    documents = {"document": [str(at // 7) for at in range(60)]} if has_documents else {}
    data = NBest.from_arrays(
        texts=texts,
        sizes=[3] * 60,
        inputs=inputs,
        references=texts[::3],
        attributes=documents,
        base=rng.normal(size=180),
    )
    featurizer = TaggingFeaturizer(min_lists=1)
    featurizer.fit_transform(data)
    monkeypatch.setattr("runoff.features.on_workers.list_cuts", lambda lists: list_pieces.list_cuts(lists, 20))
    there = featurizer.transform(data).features
    with on("here"):
        here = featurizer.transform(data).features
    for name in ("indptr", "indices", "values"):
        assert getattr(there, name).tobytes() == getattr(here, name).tobytes()


def test_features_of_translations_and_answers(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    words = np.array(["a", "dog", "cat", "in", "1843", "Ada", "wrote", "it", "London"])
    texts = [" ".join(rng.choice(words, rng.integers(1, 7))) for _ in range(240)]
    asked = [" ".join(rng.choice(words, 5)) for _ in range(60)]
    lists = NBest.from_arrays(
        texts=texts,
        sizes=[4] * 60,
        inputs=asked,
        references=texts[::4],
        base=rng.normal(size=240),
        quality=[1, 0] * 120,
    )
    translations = TranslationFeaturizer(source_text=asked, target_text=texts[::4], min_lists=1)
    monkeypatch.setattr("runoff.features.on_workers.list_cuts", lambda data: list_pieces.list_cuts(data, 50))
    for featurizer in (translations, SentenceFeaturizer()):
        with on("here"):
            featurizer.fit_transform(lists, "bleu")
            here = featurizer.transform(lists).features
        there = featurizer.transform(lists).features
        assert there.column_names().equals(here.column_names())
        for name in ("indptr", "indices", "values"):
            assert getattr(there, name).tobytes() == getattr(here, name).tobytes()
