"""Lists of labellings as features see them: the arguments of every candidate, and the predicate of every list."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from runoff.errors import DataError
from runoff.tasks.roles.propositions import CONTINUED, CORE
from runoff.tasks.roles.propositions import PREDICATE as V
from runoff.tasks.roles.role_lists import LEMMA, POS, PREDICATE, VOICE
from runoff.tasks.tagging.features.tagged_lists import TaggedLists, TaggedPhrase

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.nbest import NBest

Labels = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class LabelledLists:
    """What features of labellings are made from; words are counted from the beginning of all lists."""

    tagged: TaggedLists
    predicates: list[int]  # word of every list
    lemmas: list[str]
    voices: list[str]
    words: list[str]  # in lower case
    pos: list[str] | None

    @classmethod
    def of(cls, data: NBest) -> LabelledLists:
        """Split the lists; predicate, lemma and voice are attributes. O(characters).

        Where lists do not tell them, the predicate is the V of the first candidate and its word the lemma.

        Examples
        --------
        >>> from runoff.nbest import NBest
        >>> lists = LabelledLists.of(NBest.from_arrays(texts=["B-A0 B-V"], sizes=[1], inputs=["He LEFT"]))
        >>> lists.predicates, lists.lemmas, lists.labels
        ([1], ['left'], [('A0', 'V')])
        """
        tagged = TaggedLists.of(data)
        columns = {name: column.texts() for name, column in tagged.words.columns.items()}
        words = [word.lower() for word in columns["word"]]
        known = {name: data.attributes[name].to_pylist() for name in (LEMMA, VOICE) if name in data.attributes}
        predicates = _predicates(tagged)
        lemmas = [given or words[at] for given, at in zip(known.get(LEMMA, [""] * len(data)), predicates, strict=True)]
        voices = [given or "-" for given in known.get(VOICE, [""] * len(data))]
        return cls(tagged, predicates, lemmas, voices, words, columns.get(POS))

    @cached_property
    def candidates(self) -> list[list[TaggedPhrase]]:
        """Arguments of every candidate, V among them, from left to right."""
        ends = np.searchsorted(self.tagged.span_candidate, np.arange(self.tagged.data.n_candidates + 1)).tolist()
        phrases = self.tagged.phrases
        return [phrases[start:stop] for start, stop in pairwise(ends)]

    @cached_property
    def labels(self) -> list[Labels]:
        """Labels of every candidate, V among them, from left to right."""
        return [tuple(each.label for each in found if each.label != CONTINUED + V) for found in self.candidates]


def _predicates(tagged: TaggedLists) -> list[int]:
    """The predicate's word of every list."""
    data, starts = tagged.data, tagged.words.offsets[:-1].tolist()
    if PREDICATE in data.attributes:
        given = data.attributes[PREDICATE].to_pylist()
        for at, (text, size) in enumerate(zip(given, tagged.words.sizes.tolist(), strict=True)):
            if text is None or not text.isdecimal() or int(text) >= size:
                raise DataError(
                    f"list {data.group_ids[at].as_py()!r} has the predicate {text!r}; expected the position of one of "
                    f"its {size:,} words, counted from 0."
                )
        return [start + int(text) for start, text in zip(starts, given, strict=True)]
    found = dict(enumerate(starts))
    for candidate, phrase in zip(tagged.span_candidate.tolist()[::-1], tagged.phrases[::-1], strict=True):
        if phrase.label == V:
            found[int(tagged.group_of[candidate])] = phrase.start
    return list(found.values())


def core_pattern(labels: Sequence[str]) -> str:
    """Core roles and the predicate, in their order.

    Examples
    --------
    >>> core_pattern(["AM-TMP", "A0", "V", "A1", "C-A1"])
    'A0 V A1'
    """
    return " ".join(label for label in labels if label == V or label in CORE)
