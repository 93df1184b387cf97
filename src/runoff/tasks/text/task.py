"""Plain texts as a task; the rest of the room is imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from runoff.errors import DataError, UsageError
from runoff.tasks import CommandGroup, Task, register

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.combine.parts import PartReader
    from runoff.learners import Learner
    from runoff.metrics import Metric
    from runoff.nbest import NBest
    from runoff.ranking import Ranking


class TextTask(Task):
    """Hypotheses, translations, samples of a language model: candidates with a text and no features."""

    name = "text"
    title = "plain texts"
    priority = 0  # trees are texts too
    featurizers: ClassVar[Mapping[str, str]] = {"text": "runoff.tasks.text.featurizer:TextFeaturizer"}
    commands = CommandGroup(
        "text", "runoff.tasks.text.commands:text", "Plain texts: feature families, and choices without a model."
    )
    baseline_names: ClassVar[Mapping[str, str]] = {
        "shortest": "shortest",
        "longest": "longest",
        "vote": "vote",
        "bayes-risk": "minimum Bayes risk",
    }

    def recognises(self, data: NBest) -> bool:
        """Texts without features of their own."""
        return data.texts is not None and data.features.n_columns == 0

    def check(self, data: NBest) -> None:
        """Raise if there are no texts."""
        if data.n_candidates == 0:
            raise DataError("there are no candidates: the data is empty.")
        if data.texts is None:
            raise DataError(
                "the task text needs candidates with texts, and these have none; leave out --task text to learn from "
                "their features."
            )

    def learner(self, name: str | None = None, **settings: Any) -> Learner:
        """A reranker that tries recipes and keeps the best; or the named learner on text features."""
        settings = {key: _orders(value) if key.endswith("_orders") else value for key, value in settings.items()}
        if name is not None:
            for option in ("recipes", "careful"):
                if option in settings:
                    raise UsageError(
                        f"{option} belongs to the reranker that tries recipes; leave out either it or --learner."
                    )
            return super().learner(name, **settings)
        from runoff.tasks.text.reranker import TextReranker

        return TextReranker().set_params(**settings)

    def recipes(self) -> Mapping[str, Any]:
        """What the reranker tries."""
        from runoff.tasks.text.recipes import RECIPES

        return RECIPES

    def parts(self, metric: str | None = None) -> PartReader:
        """Words; or characters, where texts are judged by these."""
        from runoff.tasks.text.text_parts import TextParts

        return TextParts.judged_by(metric)

    def baselines(self, data: NBest, metric: Metric) -> dict[str, Ranking]:
        """By length, by votes, and by minimum Bayes risk."""
        from runoff.tasks.text.baseline_choices import baselines

        if data.texts is None and data.n_candidates:
            raise DataError(
                "choosing by votes, length or minimum Bayes risk needs candidates with texts, and these have none."
            )
        return baselines(data, metric)


def _orders(value: Any) -> Any:
    """Orders may be written 1,2,3 as well as [1,2,3]."""
    several = value.split(",") if isinstance(value, str) else value if isinstance(value, list | tuple) else [value]
    return tuple(int(order) if str(order).strip().isdecimal() else order for order in several)


register(TextTask())
