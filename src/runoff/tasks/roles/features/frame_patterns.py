"""Which core roles the predicates of a lemma usually have, learned from gold labellings."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from runoff.tasks.roles.features.labelled_lists import core_pattern
from runoff.tasks.roles.propositions import CORE
from runoff.tasks.tagging.features.tagged_lists import names_of
from runoff.tasks.tagging.tagging_lists import split_entries

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.arrays import Floats
    from runoff.tasks.roles.features.labelled_lists import LabelledLists

CORES = tuple(sorted(CORE))
NAMES = ("frame:pattern", "frame:set", *(f"frame:{label}" for label in CORES))
_STRENGTH = 3.0  # propositions that the habits of all lemmas together count as
_SEPARATOR = "\t"


class Seen(NamedTuple):
    """A lemma, whether it is passive, and a pattern of core roles."""

    lemma: str
    voice: str
    pattern: str


@dataclass(frozen=True)
class FramePatterns:
    """How often the predicates of a lemma have every pattern of core roles, such as "A0 V A1".

    Examples
    --------
    >>> FramePatterns(Counter({Seen("eat", "active", "A0 V A1"): 3})).cores["eat", "A1"]
    3
    """

    counts: Counter[Seen]

    @classmethod
    def of(cls, lists: LabelledLists) -> FramePatterns:
        """Count the patterns of the references; there are none without references."""
        return cls(Counter(seen for seen in _references(lists) if seen is not None))

    @classmethod
    def of_nothing(cls) -> FramePatterns:
        """No propositions at all."""
        return cls(Counter())

    @cached_property
    def lemmas(self) -> Counter[str]:
        """Propositions of every lemma."""
        return _summed(self.counts, lambda seen: seen.lemma)

    @cached_property
    def cores(self) -> Counter[tuple[str, str]]:
        """Propositions of every lemma that have a core role."""
        found: Counter[tuple[str, str]] = Counter()
        for seen, count in self.counts.items():
            for label in set(seen.pattern.split()) & CORE:
                found[seen.lemma, label] += count
        return found

    @cached_property
    def tables(self) -> tuple[Counter[Any], ...]:
        """Patterns of a voice, sets of a lemma, sets, core roles, lemmas with their voice, and voices."""
        counts = self.counts
        cores: Counter[str] = Counter()
        for (_, label), count in self.cores.items():
            cores[label] += count
        return (
            _summed(counts, lambda seen: (seen.voice, seen.pattern)),
            _summed(counts, lambda seen: (seen.lemma, as_set(seen.pattern))),
            _summed(counts, lambda seen: as_set(seen.pattern)),
            cores,
            _summed(counts, lambda seen: (seen.lemma, seen.voice)),
            _summed(counts, lambda seen: seen.voice),
        )

    def features(self, lists: LabelledLists, *, leave_out: bool = False) -> Floats:
        """How usual the core roles of every candidate are, in logarithms of smoothed probabilities; see `NAMES`.

        The pattern given lemma and voice, the set given the lemma, and for every core role that it is there, or not,
        given the lemma. `leave_out`: without the list's own reference, which a list must not learn from. O(candidates).
        """
        own = _references(lists) if leave_out else [None] * len(lists.lemmas)
        found = np.zeros((len(lists.labels), len(NAMES)))
        patterns = [core_pattern(labels) for labels in lists.labels]
        offsets = lists.tagged.data.offsets.tolist()
        for group, (lemma, left_out) in enumerate(zip(lists.lemmas, own, strict=True)):
            known: dict[str, list[float]] = {}
            voice = _voice(lists.voices[group])
            for row in range(offsets[group], offsets[group + 1]):
                pattern = patterns[row]
                if pattern not in known:
                    known[pattern] = self._row(Seen(lemma, voice, pattern), left_out)
                found[row] = known[pattern]
        return found

    def _row(self, seen: Seen, own: Seen | None) -> list[float]:
        of_voice, of_lemma, sets, cores, lemma_voices, voices = self.tables
        lemma, voice, pattern = seen
        here = as_set(pattern)
        less = int(own is not None)
        same, same_set = int(own == seen), int(own is not None and as_set(own.pattern) == here)
        same_voice = int(own is not None and own.voice == voice)
        total = self.counts.total() - less
        general = _ratio(of_voice[voice, pattern] - same, voices[voice] - same_voice, 1e-4)
        general_set = _ratio(sets[here] - same_set, total, 1e-4)
        row = [
            math.log(_ratio(self.counts[seen] - same, lemma_voices[lemma, voice] - same_voice, general)),
            math.log(_ratio(of_lemma[lemma, here] - same_set, self.lemmas[lemma] - less, general_set)),
        ]
        mine, theirs = set(pattern.split()), set(own.pattern.split()) if own is not None else set()
        for label in CORES:
            usual = _ratio(cores[label] - (label in theirs), total, 0.1)
            rate = _ratio(self.cores[lemma, label] - (label in theirs), self.lemmas[lemma] - less, usual)
            row.append(math.log(rate if label in mine else 1 - rate))
        return row

    def to_step(self) -> dict[str, Any]:
        """As arrays, for a model's file."""
        seen = sorted(self.counts)
        return {
            "patterns": names_of([_SEPARATOR.join(each) for each in seen]),
            "counts": np.array([self.counts[each] for each in seen], np.int64),
        }

    @classmethod
    def from_step(cls, step: Mapping[str, Any]) -> FramePatterns:
        """From arrays of a model's file; raises ValueError or TypeError where they are damaged."""
        names, counts = step["patterns"].to_pylist(), step["counts"].tolist()
        seen = [Seen(*name.split(_SEPARATOR)) for name in names]
        if not all(isinstance(count, int) and count > 0 for count in counts):
            raise ValueError("counts of patterns must be positive.")
        return cls(Counter(dict(zip(seen, counts, strict=True))))


def as_set(pattern: str) -> str:
    """The core roles of a pattern, whatever their order.

    Examples
    --------
    >>> as_set("A1 V A0")
    'A0 A1'
    """
    return " ".join(sorted(set(pattern.split()) & CORE))


def _references(lists: LabelledLists) -> list[Seen | None]:
    """The gold pattern of every list."""
    references = lists.tagged.data.references
    if references is None:
        return [None] * len(lists.lemmas)
    found: list[Seen | None] = []
    for each, lemma, voice in zip(references.to_pylist(), lists.lemmas, lists.voices, strict=True):
        labels = [tag[2:] for tag in split_entries(each[0]) if tag.startswith("B-")] if each else None
        found.append(None if labels is None else Seen(lemma, _voice(voice), core_pattern(labels)))
    return found


def _voice(voice: str) -> str:
    return "passive" if voice == "passive" else "active"


def _ratio(count: float, total: float, general: float) -> float:
    """A share, smoothed by a more general one."""
    return (count + _STRENGTH * general) / (total + _STRENGTH)


def _summed(counts: Counter[Seen], key: Any) -> Counter[Any]:
    found: Counter[Any] = Counter()
    for seen, count in counts.items():
        found[key(seen)] += count
    return found
