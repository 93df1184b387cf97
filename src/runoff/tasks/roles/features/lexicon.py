"""What features know of the training data: temporal words, frequent predicates, their particles."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from runoff.tasks.roles.propositions import RoleSentence

_OFTEN = 5  # times that a temporal word is in arguments of time
_FREQUENT = 3  # "more than twice"
_TIME = "AM-TMP"


@dataclass(frozen=True)
class RoleLexicon:
    """Words by which features tell more.

    Examples
    --------
    >>> from runoff.tasks.roles.propositions import Proposition, RoleSentence
    >>> said = Proposition.of(1, "leave", [(0, 1, "A0"), (1, 2, "V"), (2, 3, "AM-TMP")])
    >>> RoleLexicon.of([RoleSentence(("I", "left", "yesterday"), (said,))] * 5).temporal
    frozenset({'yesterday'})
    """

    temporal: frozenset[str] = frozenset()  # most of their arguments are of time
    frequent: frozenset[str] = frozenset()  # lemmas of predicates
    particles: Mapping[str, frozenset[str]] = field(default_factory=dict)  # of predicates
    frames: Mapping[str, str] = field(default_factory=dict)  # numbers of the roles that predicates have, as in "012"

    @classmethod
    def of(cls, sentences: Iterable[RoleSentence], frames: Mapping[str, str] | None = None) -> RoleLexicon:
        """Count in training sentences; the frames are given. O(words of arguments)."""
        inside: Counter[str] = Counter()
        timed: Counter[str] = Counter()
        lemmas: Counter[str] = Counter()
        particles: defaultdict[str, set[str]] = defaultdict(set)
        for sentence in sentences:
            lower = [word.lower() for word in sentence.words]
            pos = sentence.pos or (() if sentence.tree is None else [leaf.label for leaf in sentence.tree.leaves()])
            for proposition in sentence.propositions:
                lemmas[proposition.lemma] += 1
                after = proposition.predicate + 1
                if after < len(pos) and pos[after].startswith("RP"):
                    particles[proposition.lemma].add(lower[after])
                for start, stop, label in proposition.roles:
                    words = set(lower[start:stop])
                    inside.update(words)
                    if label == _TIME:
                        timed.update(words)
        return cls(
            frozenset(word for word, many in timed.items() if many >= _OFTEN and 2 * many > inside[word]),
            frozenset(lemma for lemma, many in lemmas.items() if many >= _FREQUENT),
            {lemma: frozenset(words) for lemma, words in particles.items()},
            {} if frames is None else frames,
        )
