"""Roles as a task; the rest of the room is imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from runoff.tasks import CommandGroup, Task, register

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from runoff.combine.parts import PartReader
    from runoff.learners import Learner
    from runoff.model import LinearModel
    from runoff.nbest import NBest
    from runoff.ranking import Ranking
    from runoff.tasks.drawing import SpanDrawing
    from runoff.tasks.roles.role_table import RoleTable

_ROOM = "runoff.tasks.roles"


class RolesTask(Task):
    """Arguments of predicates: the words are the input, and a candidate is a tag of B, I and O for every word."""

    name = "roles"
    title = "arguments of predicates"
    metrics: ClassVar[Mapping[str, str]] = {"srl-eval": f"{_ROOM}.metric:SrlEval"}
    featurizers: ClassVar[Mapping[str, str]] = {"roles": f"{_ROOM}.role_featurizer:RoleFeaturizer"}
    papers: ClassVar[Mapping[str, str]] = {
        "marquez-2005-combination": f"{_ROOM}.papers.marquez_2005_combination:PAPER",
        "marquez-2005-tagging": f"{_ROOM}.papers.marquez_2005_tagging:PAPER",
    }
    default_recipes = ("crf", "loglinear")
    is_readable = False

    commands = CommandGroup(
        "roles",
        f"{_ROOM}.commands:roles",
        "Roles: files compared as srl-eval.pl does, converted, shown, and given syntax.",
    )

    def recognises(self, data: NBest) -> bool:
        """Texts that are judged as arguments of predicates."""
        return data.texts is not None and data.metric is not None and data.metric.partition("[")[0] in self.metrics

    def default_learner(self) -> Learner:
        """The learner that works best on labellings."""
        from runoff.tasks.roles.second_round import RECIPES

        return RECIPES[self.default_recipes[0]].build("srl-eval", 0)

    def recipes(self) -> Mapping[str, Any]:
        """Learners that work well on labellings."""
        from runoff.tasks.roles.second_round import RECIPES

        return RECIPES

    def parts(self, metric: str | None = None) -> PartReader:  # noqa: ARG002 - arguments, whatever the metric
        """Arguments."""
        from runoff.tasks.roles.role_parts import RoleParts

        return RoleParts()

    def reads_solutions(self, path: Path) -> bool:
        """Files of roles."""
        from runoff.tasks.roles.role_solutions import has_roles

        return has_roles(path)

    def read_solutions(self, path: Path, words: Path | None = None) -> NBest:
        """One list for every predicate."""
        from runoff.tasks.roles.role_solutions import read_role_solutions

        return read_role_solutions(path, words)

    def write_solutions(self, data: NBest, path: Path, like: Path, words: Path | None = None) -> list[str]:
        """The sentences of the file `like` with these roles."""
        from runoff.tasks.roles.role_solutions import write_role_solutions

        return write_role_solutions(data, path, like, words)

    def tabulate(self, data: NBest, choices: Mapping[str, Ranking]) -> RoleTable | None:
        """Arguments of every label, as srl-eval.pl counts them, where there are gold tags."""
        from runoff.tasks.roles.role_table import RoleTable

        return None if data.references is None else RoleTable.of(data, choices)

    def drawing(
        self,
        part: NBest,
        text: str,
        index: int | None = None,  # noqa: ARG002 - the text says all
        model: LinearModel | None = None,  # noqa: ARG002
    ) -> SpanDrawing | None:
        """Arguments and predicate."""
        from runoff.tasks.tagging.choice_explanation import draw_spans

        return draw_spans(part, text, mark_phrases=True)

    def explain(self, model: LinearModel, data: NBest, group: str, against: str | int | None = None) -> Any:
        """The features that decided, and the sentence with the arguments of both, their differences marked."""
        from runoff.tasks.roles.labelling_explanation import explain

        return explain(model, data, group, against)


register(RolesTask())
