"""What kind of answer a question asks for: maximum entropy over classes (Li & Roth 2002; Huang, Thint & Qin 2008)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.errors import DataError, UsageError
from runoff.features.sequences import Sequences
from runoff.learners import ChainCRF
from runoff.tasks.answers.question_features import question_features
from runoff.tasks.answers.supersenses import Supersenses
from runoff.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from runoff.arrays import Floats
    from runoff.model.chain_model import ChainModel
    from runoff.tasks.answers.annotated import AnnotatedSentence

SIGMA, LOSS_WEIGHT = 2.0, 2.0  # chosen by cross-validation; see benchmarks/question_types.py


@dataclass(frozen=True, eq=False)
class QuestionTypes:
    """Probabilities of classes of questions, such as HUM:ind and NUM:date.

    Examples
    --------
    >>> from runoff.tasks.answers.annotated import AnnotatedSentence
    >>> who = AnnotatedSentence(("Who", "died", "?"), ("WP", "VBD", "."))
    >>> when = AnnotatedSentence(("When", "was", "it", "?"), ("WRB", "VBD", "PRP", "."))
    >>> types = QuestionTypes.fit([who, when] * 5, ["HUM:ind", "NUM:date"] * 5)
    >>> types.predict([when]), types.classes
    (['NUM:date'], ('HUM:ind', 'NUM:date'))
    """

    classes: tuple[str, ...]  # in the order of the alphabet
    numbers: Mapping[str, int]  # of the features
    model: ChainModel
    senses: Supersenses
    provenance: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def fit(
        cls,
        questions: Sequence[AnnotatedSentence],
        classes: Sequence[str],
        *,
        senses: Supersenses | None = None,
        sigma: float = SIGMA,
        loss_weight: float = LOSS_WEIGHT,
        verbose: bool = False,
    ) -> QuestionTypes:
        """Learn from questions and their classes. A second or two per thousand questions.

        `senses` are those that come with Runoff unless others are given; `sigma` is the width of the Gaussian prior,
        and `loss_weight` the margin by which the right class should win (Gimpel & Smith 2010); 0: maximum entropy.
        """
        if len(questions) != len(classes):
            raise UsageError(f"there are {len(questions):,} questions and {len(classes):,} classes.")
        names = sorted(set(classes))
        if len(names) < 2:
            raise DataError(f"questions of at least two classes are needed; there are {len(names)}.")
        known = Supersenses.shipped() if senses is None else senses
        rows = [question_features(question, known) for question in questions]
        numbers = {text: at for at, text in enumerate(dict.fromkeys(text for row in rows for text in row))}
        number_of = {name: at for at, name in enumerate(names)}
        tags = np.array([number_of[name] for name in classes], np.int32)
        learner = ChainCRF(sigma=sigma, objective="la", loss_weight=loss_weight, verbose=verbose)
        learner.fit(_sequences(rows, numbers).with_tags(tags, len(names)))
        provenance = {
            "runoff": __version__,
            "questions": len(questions),
            "sigma": sigma,
            "loss_weight": loss_weight,
            "finished": learner.finished_,
        }
        return cls(tuple(names), numbers, learner.model, known, provenance)

    def predict_proba(self, questions: Sequence[AnnotatedSentence]) -> Floats:
        """The probability of every class for every question. O(features x classes)."""
        if not questions:
            return np.zeros((0, len(self.classes)))
        rows = [question_features(question, self.senses) for question in questions]
        return self.model.marginals(_sequences(rows, self.numbers))

    def predict(self, questions: Sequence[AnnotatedSentence]) -> list[str]:
        """The most probable class of every question."""
        return [self.classes[at] for at in self.predict_proba(questions).argmax(axis=1).tolist()]

    def save(self, path: str | Path) -> None:
        """Write one file that `load_question_types` opens; nothing in it can run code."""
        from runoff.tasks.answers.question_types_file import save_question_types

        save_question_types(self, path)

    def __repr__(self) -> str:
        return f"QuestionTypes({len(self.classes)} classes, {len(self.numbers):,} features)"


def coarse_class(fine: str) -> str:
    """The class above a fine one.

    Examples
    --------
    >>> coarse_class("NUM:date"), coarse_class("HUM")
    ('NUM', 'HUM')
    """
    return fine.partition(":")[0]


def _sequences(rows: Iterable[list[str]], numbers: Mapping[str, int]) -> Sequences:
    """Questions as sequences of a single token; features that training did not have are left out."""
    known = [[[numbers[text] for text in row if text in numbers]] for row in rows]
    return Sequences.of(known, len(numbers), transitions=False)
