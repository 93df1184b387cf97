"""Answers as a task; the rest of the room is imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.tasks import CommandGroup, Task, register

if TYPE_CHECKING:
    from runoff.nbest import NBest


class AnswersTask(Task):
    """Answers to questions: the question is the input, and a candidate is an answer."""

    name = "answers"
    title = "answers to questions"
    commands = CommandGroup(
        "answer",
        "runoff.tasks.answers.commands:answer",
        "Answers: index text, search it.",
    )

    def recognises(self, data: NBest) -> bool:  # noqa: ARG002 - answers are texts unless named so
        """No data by itself: answers are texts unless the task is named."""
        return False


register(AnswersTask())
