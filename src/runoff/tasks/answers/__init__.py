"""Answers: questions, passages that may answer them, and answers as translations of questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.registry import lazily

if TYPE_CHECKING:
    from runoff.tasks.answers.answer_ranking import Answers
    from runoff.tasks.answers.answer_sources import analyser_for
    from runoff.tasks.answers.answerer import Answerer
    from runoff.tasks.answers.answerer_file import load_answerer
    from runoff.tasks.answers.answerer_settings import AnswererSettings
    from runoff.tasks.answers.answerer_training import train_answerer
    from runoff.tasks.answers.question_file import read_questions
    from runoff.tasks.answers.retrieval import PassageIndex

__all__ = [
    "Answerer",
    "AnswererSettings",
    "Answers",
    "PassageIndex",
    "analyser_for",
    "load_answerer",
    "read_questions",
    "train_answerer",
]

__getattr__ = lazily(
    __name__,
    {
        f"{__name__}.answer_ranking": ("Answers",),
        f"{__name__}.answer_sources": ("analyser_for",),
        f"{__name__}.answerer": ("Answerer",),
        f"{__name__}.answerer_file": ("load_answerer",),
        f"{__name__}.answerer_settings": ("AnswererSettings",),
        f"{__name__}.answerer_training": ("train_answerer",),
        f"{__name__}.question_file": ("read_questions",),
        f"{__name__}.retrieval": ("PassageIndex",),
    },
)


def __dir__() -> list[str]:
    return __all__
