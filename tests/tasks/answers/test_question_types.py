"""Classifiers of questions: against a logistic regression of scikit-learn, and in files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax
from sklearn.linear_model import LogisticRegression

from helpers import annotated_questions as questions
from runoff.errors import DataError, ModelError, UsageError
from runoff.opening.archive import open_archive, write_archive
from runoff.tasks.answers.annotated import AnnotatedSentence
from runoff.tasks.answers.question_features import question_features
from runoff.tasks.answers.question_types import QuestionTypes, coarse_class
from runoff.tasks.answers.question_types_file import load_question_types
from runoff.tasks.answers.supersenses import Supersenses

if TYPE_CHECKING:
    from pathlib import Path

QUESTIONS = [
    questions.WHO,
    questions.BIRD,
    questions.KIND,
    questions.WHEN,
    questions.POPULATION,
    questions.HEAD_OF_PERSON,
    questions.LATE,
    questions.QUOTED,
    questions.MANY,
]
CLASSES = ["HUM:ind", "ENTY:animal", "ENTY:other", "NUM:date", "NUM:count", "HUM:ind", "HUM:gr", "HUM:ind", "NUM:count"]


@pytest.fixture(scope="module")
def types() -> QuestionTypes:
    return QuestionTypes.fit(QUESTIONS, CLASSES, sigma=2.0)


def test_probabilities_are_those_of_a_logistic_regression(types: QuestionTypes) -> None:
    # Here weights are learned for features with the classes that they occur with; scikit-learn learns all.
    names = {1: "NUM:date", 0: "HUM:ind"}
    asked = [questions.WHO, questions.WHEN, questions.QUOTED, questions.POPULATION]
    gold = np.array([0, 1, 0, 1])
    named = [names[each] for each in gold]
    ours = QuestionTypes.fit(asked, named, sigma=1.0, loss_weight=0.0).predict_proba(asked)
    senses = Supersenses.shipped()
    rows = [question_features(each, senses) for each in asked]
    # Features of one class only: two columns each, one of each sign, is the same as one weight with half the prior.
    texts = sorted({text for row in rows for text in row})
    seen = {(text, label) for row, label in zip(rows, gold.tolist(), strict=True) for text in row}
    columns = [(text, label) for text in texts for label in (0, 1) if (text, label) in seen]
    X = np.array([[(1.0 if label else -1.0) * (text in row) for text, label in columns] for row in rows])
    # Σ loss + Σ w² / σ² here; C Σ loss + Σ w² / 2 there.
    truth = LogisticRegression(C=0.5, fit_intercept=False, tol=1e-10, max_iter=10_000).fit(X, gold)
    np.testing.assert_allclose(ours[:, 1], truth.predict_proba(X)[:, 1], atol=5e-3)


def test_a_margin_makes_the_right_class_win_by_more() -> None:
    """Against the same objective in plain numpy, minimised by scipy."""
    asked, gold = [questions.WHO, questions.WHEN, questions.POPULATION], np.array([0, 1, 1])
    names = ["HUM:ind", "NUM:date"]
    named = [names[each] for each in gold]
    ours = QuestionTypes.fit(asked, named, sigma=1.0, loss_weight=2.0).predict_proba(asked)
    rows = [question_features(each, Supersenses.shipped()) for each in asked]
    texts = sorted({text for row in rows for text in row})
    X = np.array([[text in row for text in texts] for row in rows], float)
    seen = np.array([(X[gold == label] > 0).any(axis=0) for label in (0, 1)])

    def objective(vector: np.ndarray) -> float:
        scores = X @ (vector.reshape(2, -1) * seen).T
        augmented = scores + 2.0 * (np.arange(2)[None, :] != gold[:, None])
        return float((logsumexp(augmented, axis=1) - scores[np.arange(3), gold]).sum() + (vector**2).sum())

    weights = minimize(objective, np.zeros(2 * len(texts)), tol=1e-9).x.reshape(2, -1) * seen
    np.testing.assert_allclose(ours, softmax(X @ weights.T, axis=1), atol=5e-3)


def test_what_it_learned_from_is_right(types: QuestionTypes) -> None:
    assert types.predict(QUESTIONS) == CLASSES
    np.testing.assert_allclose(types.predict_proba(QUESTIONS).sum(axis=1), 1.0)
    assert types.classes == tuple(sorted(set(CLASSES)))


def test_a_question_of_which_nothing_is_known(types: QuestionTypes) -> None:
    empty = AnnotatedSentence((), ())
    assert types.predict_proba([]).shape == (0, 6)
    assert types.predict_proba([empty]).sum() == pytest.approx(1.0)


def test_concepts_generalise(types: QuestionTypes) -> None:
    # No training question has the word; a fish is an animal as the bird is, and a company is no animal.
    animal = types.classes.index("ENTY:animal")
    fish, firm = types.predict_proba(
        [questions.question(f"Which/WDT/B-NP {noun}/NN/I-NP swims/VBZ/B-VP ?/./O") for noun in ("fish", "company")]
    )
    assert fish[animal] > firm[animal]
    assert fish.argmax() == animal


def test_the_same_twice_and_from_a_file(types: QuestionTypes, tmp_path: Path) -> None:
    again = QuestionTypes.fit(QUESTIONS, CLASSES, sigma=2.0)
    np.testing.assert_array_equal(again.model.vector, types.model.vector)
    types.save(tmp_path / "a.runoff")
    opened = load_question_types(tmp_path / "a.runoff")
    np.testing.assert_array_equal(opened.predict_proba(QUESTIONS), types.predict_proba(QUESTIONS))
    assert repr(opened) == repr(types)


def test_data_that_cannot_be_learned_from() -> None:
    with pytest.raises(UsageError, match="there are 1 questions and 2 classes"):
        QuestionTypes.fit(QUESTIONS[:1], CLASSES[:2])
    with pytest.raises(DataError, match="at least two classes are needed; there are 1"):
        QuestionTypes.fit(QUESTIONS[:2], ["NUM:date"] * 2)


@pytest.mark.parametrize("wrong", ["classes", "features", "vector"])
def test_tampered_files(types: QuestionTypes, tmp_path: Path, wrong: str) -> None:
    types.save(tmp_path / "a.runoff")
    with open_archive(tmp_path / "a.runoff") as archive, write_archive(tmp_path / "b.runoff") as writer:
        for name in sorted(archive.names):
            if name.endswith(".json"):
                header = archive.json(name)
                if wrong == "classes" and "classes" in header:
                    header["classes"][0] = header["classes"][1]
                writer.add_json(name, header)
            elif name.endswith(".arrow"):
                table = archive.table(name)
                writer.add_table(name, table[:-1] if wrong == "features" and name == "features.arrow" else table)
            else:
                array = archive.array(name).copy()
                if wrong == "vector" and name == "vector.npy":
                    array[0] = np.nan
                writer.add_array(name, array)
    with pytest.raises(ModelError, match="not a Runoff classifier of questions, or it is damaged"):
        load_question_types(tmp_path / "b.runoff")


def test_coarse_classes() -> None:
    assert [coarse_class(each) for each in ("LOC:city", "LOC", "A:b:c")] == ["LOC", "LOC", "A"]
