"""Translations as a task; the rest of the room is imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.tasks import Task, register

if TYPE_CHECKING:
    from runoff.nbest import NBest


class TranslationTask(Task):
    """Translations of sentences: the source is the input, and a candidate is a translation."""

    name = "translation"
    title = "translations"

    def recognises(self, data: NBest) -> bool:  # noqa: ARG002
        """Nothing by itself, for now."""
        return False


register(TranslationTask())
