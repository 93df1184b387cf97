"""Predicates that are none: light verbs, and auxiliaries without arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.tasks.roles.propositions import Proposition, RoleSentence

LIGHT = ".LV"  # ending of rolesets of light verbs
AUXILIARIES = frozenset(["be", "have", "do"])


def without_light_verbs(sentences: Sequence[RoleSentence]) -> list[RoleSentence]:
    """The sentences without predicates that are none: light verbs, and auxiliaries without arguments."""

    def is_one(proposition: Proposition) -> bool:
        is_auxiliary = proposition.lemma in AUXILIARIES and not proposition.roles
        return not (proposition.roleset or "").endswith(LIGHT) and not is_auxiliary

    return [sentence.with_propositions(filter(is_one, sentence.propositions)) for sentence in sentences]
