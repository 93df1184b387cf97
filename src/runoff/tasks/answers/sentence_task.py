"""Answer sentence selection as a task; its parts are imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from runoff.tasks import Task

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.learners import Learner
    from runoff.nbest import NBest

_ROOM = "runoff.tasks.answers"


class SentenceTask(Task):
    """Sentences that may answer a question: the question is the input, and a candidate is a sentence."""

    name = "answer-sentences"
    title = "sentences that may answer a question"
    reported = "map,mrr"
    formats: ClassVar[Mapping[str, str]] = {
        "qa-pairs": f"{_ROOM}.sentence_lists:PAIRS",
        "qa-table": f"{_ROOM}.sentence_lists:TABLE",
    }
    featurizers: ClassVar[Mapping[str, str]] = {"answer-sentences": f"{_ROOM}.sentence_featurizer:SentenceFeaturizer"}

    def recognises(self, data: NBest) -> bool:
        """Texts for inputs that are relevant or not, of which some answer and some do not."""
        return data.texts is not None and data.inputs is not None and (data.metric or "").startswith("map,mrr")

    def default_learner(self) -> Learner:
        """The learner that works best with few questions."""
        from runoff.learners import LogLinear

        return LogLinear(metric="map")
