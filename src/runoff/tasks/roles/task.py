"""Roles as a task; the rest of the room is imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.tasks import Task, register

if TYPE_CHECKING:
    from runoff.nbest import NBest

_ROOM = "runoff.tasks.roles"


class RolesTask(Task):
    """Arguments of predicates: the words are the input, and a candidate is a tag of B, I and O for every word."""

    name = "roles"
    title = "arguments of predicates"

    def recognises(self, data: NBest) -> bool:
        """Texts that are judged as arguments of predicates."""
        return data.texts is not None and data.metric is not None and data.metric.partition("[")[0] in self.metrics


register(RolesTask())
