"""Taggings as a task; the rest of the room is imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.tasks import Task, register

if TYPE_CHECKING:
    from runoff.nbest import NBest

_METRICS = ("conlleval", "tag-accuracy")


class TaggingTask(Task):
    """Taggings of sentences: the words are the input, and a candidate is one tag for every word."""

    name = "tagging"
    title = "taggings"

    def recognises(self, data: NBest) -> bool:
        """Texts that are judged as taggings."""
        return data.texts is not None and data.metric is not None and data.metric.partition("[")[0] in _METRICS


register(TaggingTask())
