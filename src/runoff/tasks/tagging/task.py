"""Taggings as a task; the rest of the room is imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from runoff.tasks import Task, register

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.nbest import NBest
    from runoff.ranking import Ranking
    from runoff.tasks.tagging.type_table import TypeTable

_ROOM = "runoff.tasks.tagging"


class TaggingTask(Task):
    """Taggings of sentences: the words are the input, and a candidate is one tag for every word."""

    name = "tagging"
    title = "taggings"
    metrics: ClassVar[Mapping[str, str]] = {
        "conlleval": f"{_ROOM}.metric:ConllEval",
        "tag-accuracy": f"{_ROOM}.metric:TagAccuracy",
    }

    def recognises(self, data: NBest) -> bool:
        """Texts that are judged as taggings."""
        return data.texts is not None and data.metric is not None and data.metric.partition("[")[0] in self.metrics

    def tabulate(self, data: NBest, choices: Mapping[str, Ranking]) -> TypeTable | None:
        """Phrases of every type, as conlleval counts them, where there are gold tags that mark phrases."""
        from runoff.tasks.tagging.type_table import TypeTable

        if data.references is None or not (data.metric or "").startswith("conlleval"):
            return None
        return TypeTable.of(data, choices)


register(TaggingTask())
