"""Roles as a task; the rest of the room is imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from runoff.tasks import CommandGroup, Task, register

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.nbest import NBest
    from runoff.ranking import Ranking
    from runoff.tasks.roles.role_table import RoleTable

_ROOM = "runoff.tasks.roles"


class RolesTask(Task):
    """Arguments of predicates: the words are the input, and a candidate is a tag of B, I and O for every word."""

    name = "roles"
    title = "arguments of predicates"
    metrics: ClassVar[Mapping[str, str]] = {"srl-eval": f"{_ROOM}.metric:SrlEval"}

    commands = CommandGroup(
        "roles",
        f"{_ROOM}.commands:roles",
        "Roles: files compared as srl-eval.pl does, converted, shown, and given syntax.",
    )

    def recognises(self, data: NBest) -> bool:
        """Texts that are judged as arguments of predicates."""
        return data.texts is not None and data.metric is not None and data.metric.partition("[")[0] in self.metrics

    def tabulate(self, data: NBest, choices: Mapping[str, Ranking]) -> RoleTable | None:
        """Arguments of every label, as srl-eval.pl counts them, where there are gold tags."""
        from runoff.tasks.roles.role_table import RoleTable

        return None if data.references is None else RoleTable.of(data, choices)


register(RolesTask())
