"""Taggings as a task; the rest of the room is imported on first use."""

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
    from runoff.tasks.tagging.tagger_round import TaggerRound
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

    featurizers: ClassVar[Mapping[str, str]] = {"tagging": f"{_ROOM}.featurizer:TaggingFeaturizer"}
    commands = CommandGroup(
        "tag",
        f"{_ROOM}.commands:tag",
        "Taggings: a tagger from columns, n-best lists, conlleval's numbers, the pipeline.",
    )
    default_recipes = ("loglinear", "crf")
    is_readable = False

    def recognises(self, data: NBest) -> bool:
        """Texts that are judged as taggings."""
        return data.texts is not None and data.metric is not None and data.metric.partition("[")[0] in self.metrics

    def default_learner(self) -> Learner:
        """The learner that works best on taggings."""
        from runoff.tasks.tagging.second_round import RECIPES

        return RECIPES[self.default_recipes[0]].build("conlleval", 0)

    def recipes(self) -> Mapping[str, Any]:
        """Learners that work well on taggings."""
        from runoff.tasks.tagging.second_round import RECIPES

        return RECIPES

    def tabulate(self, data: NBest, choices: Mapping[str, Ranking]) -> TypeTable | None:
        """Phrases of every type, as conlleval counts them, where there are gold tags that mark phrases."""
        from runoff.tasks.tagging.type_table import TypeTable

        if data.references is None or not (data.metric or "").startswith("conlleval"):
            return None
        return TypeTable.of(data, choices)

    def drawing(
        self,
        part: NBest,
        text: str,
        index: int | None = None,  # noqa: ARG002 - the text says all
        model: LinearModel | None = None,  # noqa: ARG002
    ) -> SpanDrawing | None:
        """Phrases, or the tag of every word."""
        from runoff.tasks.tagging.choice_explanation import draw_spans

        return draw_spans(part, text)

    def explain(self, model: LinearModel, data: NBest, group: str, against: str | int | None = None) -> Any:
        """The features that decided, and the sentence as both taggings have it, with their differences marked."""
        from runoff.tasks.tagging.choice_explanation import explain

        return explain(model, data, group, against)

    def parts(self, metric: str | None = None) -> PartReader:
        """Phrases; or tags, where these are judged by their accuracy."""
        from runoff.tasks.tagging.tag_parts import PhraseParts, TagParts

        return TagParts() if (metric or "").startswith("tag-accuracy") else PhraseParts()

    def reads_solutions(self, path: Path) -> bool:
        """Files of columns with words and tags."""
        from runoff.tasks.tagging.tag_solutions import has_tags

        return has_tags(path)

    def read_solutions(self, path: Path, words: Path | None = None) -> NBest:  # noqa: ARG002 - the words are there
        """One list for every sentence."""
        from runoff.tasks.tagging.tag_solutions import read_tag_solutions

        return read_tag_solutions(path)

    def write_solutions(self, data: NBest, path: Path, like: Path, words: Path | None = None) -> list[str]:  # noqa: ARG002
        """The sentences of the file `like` with these tags."""
        from runoff.tasks.tagging.tag_solutions import write_tag_solutions

        return write_tag_solutions(data, path, like)

    def first_round(self, **settings: Any) -> TaggerRound:
        """A tagger, trained on sentences with tags."""
        from runoff.tasks.tagging.tagger_round import TaggerRound
        from runoff.tasks.tagging.tagger_settings import TaggerSettings

        return TaggerRound(TaggerSettings(**settings))


register(TaggingTask())
