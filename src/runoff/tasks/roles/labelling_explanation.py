"""Why a model chose one labelling of a predicate over another, with a picture of both."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from runoff.tasks.roles.propositions import PREDICATE, Proposition, RoleSentence
from runoff.tasks.roles.role_drawing import draw_roles
from runoff.tasks.roles.role_lists import LEMMA
from runoff.tasks.tagging.choice_explanation import TaggingExplanation
from runoff.tasks.tagging.choice_explanation import explain as explain_tagging

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from runoff.model import Explanation, LinearModel
    from runoff.nbest import NBest


@dataclass(frozen=True)
class LabellingExplanation(TaggingExplanation):
    """The features that decided between two labellings, and both as text and as a picture."""

    lemma: str = ""

    def draw(self, path: str | Path) -> None:
        """Draw both labellings under the sentence, as `draw_roles` does; arguments that only one has are marked."""
        rival = "first round" if self.reasons.rival.index == self.reasons.rival.first else "rival"
        draw_roles([self._labelled(self.rival), self._labelled(self.winner)], path, [rival, "winner"])

    def _labelled(self, phrases: Iterable[tuple[int, int, str]]) -> RoleSentence:
        found = list(phrases)
        at = next((start for start, _, label in found if label == PREDICATE), 0)
        return RoleSentence(self.words, (Proposition.of(at, self.lemma or self.words[at], found),))


def explain(
    model: LinearModel, data: NBest, group: str, against: str | int | None = None
) -> TaggingExplanation | Explanation:
    """Say why the model's winner in a list of labellings leads a rival, by default the first round's choice.

    For lists without words, only features are shown.

    Examples
    --------
    >>> from runoff.model import LinearModel
    >>> from runoff.nbest import NBest
    >>> candidates = [{"text": "O B-V", "features": {"more": 0.0}}, {"text": "B-A0 B-V", "features": {"more": 1.0}}]
    >>> data = NBest.from_records([{"id": "a:1", "input": "I left", "metric": "srl-eval", "candidates": candidates}])
    >>> print("\\n".join(explain(LinearModel.of({"more": 1.0}), data, "a:1").to_text().splitlines()[-4:]))
    candidate 1, winner
      *[A0 I] [V left]
    <BLANKLINE>
    Marked: * only in this tagging.
    """
    found = explain_tagging(model, data, group, against, mark_phrases=True)
    if not isinstance(found, TaggingExplanation) or not found.are_phrases:
        return found
    known = data.attributes[LEMMA][data.find(group)].as_py() if LEMMA in data.attributes else None
    given = {each.name: getattr(found, each.name) for each in fields(TaggingExplanation)}
    return LabellingExplanation(**given, lemma=known or "")
