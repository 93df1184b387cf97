"""Answers as a task; the rest of the room is imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from runoff.tasks import CommandGroup, Task, register
from runoff.tasks.answers.sentence_task import SentenceTask

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.nbest import NBest


_COLUMNS = ("context:B", "context:R", "type:E")  # that every list of our own candidates has


class AnswersTask(Task):
    """Answers to questions: the question is the input, and a candidate is an answer."""

    name = "answers"
    title = "answers to questions"
    reported = "mrr,success@1,success@50"
    papers: ClassVar[Mapping[str, str]] = {
        "espana-bonet-comas-2012": "runoff.tasks.answers.papers.espana_bonet_comas_2012:PAPER",
    }
    commands = CommandGroup(
        "answer",
        "runoff.tasks.answers.commands:answer",
        "Answers: learn to answer questions, index text, ask it.",
    )

    def recognises(self, data: NBest) -> bool:
        """Candidates with the scores of our own answerers; other answers are texts unless named so."""
        if data.texts is None or not data.features.n_columns:
            return False
        return set(_COLUMNS) <= set(data.features.column_names().to_pylist())


register(AnswersTask())
register(SentenceTask())
