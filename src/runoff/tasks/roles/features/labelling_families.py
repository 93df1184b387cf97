"""Families of features of whole labellings, after Haghighi, Toutanova & Manning (2005) and Toutanova et al. (2008).

A labeller decides argument by argument; these see all arguments of a predicate at once.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from runoff.tasks.roles.features.labelled_lists import core_pattern
from runoff.tasks.roles.propositions import PREDICATE as V

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runoff.tasks.roles.features.labelled_lists import LabelledLists
    from runoff.tasks.tagging.features.tagged_lists import TaggedPhrase

FAMILIES = {
    "sequence": "all labels from left to right with the predicate, with its voice and lemma; core roles alone",
    "ngram": "two and three labels in a row",
    "repeat": "labels that are given twice",
    "count": "the number of arguments before and after the predicate",
    "argument": "a label with the first, the last and the head word of its argument, and with the lemma",
    "position": "a label with its side of the predicate, the voice, the distance and the length",
    "gap": "words next to the predicate, and at the edges, that no argument has",
    "pair": "neighbouring arguments with their first words and parts of speech, and what is between them",
    "frame": "how usual the core roles are for the lemma, learned from the references",
    "consensus": "how probable the arguments are, given all candidates of the list",
}
DENSE = ("frame", "consensus")  # columns of numbers, whatever the vocabulary
_FAR = 3
_LONG = 8
_NO_HEAD = ("IN", "TO", ",", ".", "WDT", "WP", "WRB", ":", "-LRB-", "CC")


class LabellingNamer:
    """Names of the features of arguments, of neighbours and of whole labellings.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> from runoff.tasks.roles.features.labelled_lists import LabelledLists
    >>> lists = LabelledLists.of(NBest.from_arrays(texts=["B-A0 B-V O"], sizes=[1], inputs=["He left early"]))
    >>> list(LabellingNamer(("count", "gap"), lists).whole(0))
    ['count:1 0', 'count:1', 'gap:after V early', 'gap:1']
    """

    def __init__(self, families: tuple[str, ...], lists: LabelledLists) -> None:
        self._families, self._lists = set(families), lists
        self._edges = lists.tagged.words.offsets.tolist()
        self._groups = lists.tagged.group_of.tolist()

    def argument(self, group: int, phrase: TaggedPhrase) -> Iterator[str]:
        """Features of one argument."""
        start, stop, label = phrase
        lists, wanted = self._lists, self._families
        words, lemma, voice, at = lists.words, lists.lemmas[group], lists.voices[group], lists.predicates[group]
        first, last, head = words[start], words[stop - 1], words[self._head(start, stop)]
        side = "after" if start > at else "before"
        if "argument" in wanted:
            yield f"argument:{label}"
            yield f"argument:{label} {lemma}"
            yield f"argument:{label} {first} …"
            yield f"argument:{label} … {last}"
            yield f"argument:{label} head {head}"
            yield f"argument:{label} {lemma} {first} …"
            yield f"argument:{label} {lemma} head {head}"
            if lists.pos is not None:
                tags = lists.pos
                yield f"argument:{label} pos {tags[start]} … {tags[stop - 1]}"
                yield f"argument:{label} pos {lemma} {tags[start]} {side}"
                after = tags[stop] if stop < self._edges[group + 1] else "$"
                yield f"argument:{label} pos … {tags[stop - 1]} | {after}"
        if "position" in wanted:
            away = start - at - 1 if start > at else at - stop
            yield f"position:{label} {side} {voice}"
            yield f"position:{label} {side} {lemma}"
            yield f"position:{label} {side} {'far' if away > _FAR else max(away, 0)}"
            yield f"position:{label} {side} long {min((stop - start + 1) // 2, _LONG)}"
            yield f"position:{label} {first} {side} {'far' if away else 'next'}"

    def neighbours(self, group: int, left: TaggedPhrase | None, right: TaggedPhrase | None) -> Iterator[str]:
        """Features of two arguments in a row, V among them; None is the edge of the sentence."""
        if "pair" not in self._families:
            return
        one, other = "^" if left is None else left.label, "$" if right is None else right.label
        start = self._edges[group] if left is None else left.stop
        stop = self._edges[group + 1] if right is None else right.start
        words, tags = self._lists.words, self._lists.pos
        between = words[start] if stop - start == 1 else "" if stop == start else "…"
        yield f"pair:{one} {between} {other}"
        if tags is not None and 0 < stop - start <= _FAR:
            yield f"pair:{one} pos {' '.join(tags[start:stop])} {other}"
        if left is not None and right is not None:
            yield f"pair:{one} {words[left.start]} {other} {words[right.start]}"
            if tags is not None:
                yield f"pair:{one} {tags[left.start]} {other} {tags[right.start]}"
                yield f"pair:{one} {tags[left.stop - 1]} {other} {tags[right.start]}"

    def whole(self, candidate: int) -> Iterator[str]:
        """Features of a whole labelling."""
        lists, wanted = self._lists, self._families
        group = self._groups[candidate]
        lemma, voice = lists.lemmas[group], lists.voices[group]
        labels = lists.labels[candidate]
        if "sequence" in wanted:
            whole, core = " ".join(labels), core_pattern(labels)
            yield f"sequence:{whole}"
            yield f"sequence:{whole} {voice}"
            yield f"sequence:{whole} {voice} {lemma}"
            yield f"sequence:core {core}"
            yield f"sequence:core {core} {voice}"
            yield f"sequence:core {core} {voice} {lemma}"
        if "ngram" in wanted:
            edged = ("^", *labels, "$")
            for one, two in pairwise(edged):
                yield f"ngram:{one} {two}"
                yield f"ngram:{one} {two} {lemma}"
            for one, two, three in zip(edged, edged[1:], edged[2:], strict=False):
                yield f"ngram:{one} {two} {three}"
        if "repeat" in wanted:
            for label, count in Counter(labels).items():
                if count > 1 and label != V:
                    yield f"repeat:{label}"
                    yield "repeat:any"
                if label.startswith(("R-", "C-")) and label[2:] not in labels:
                    yield f"repeat:{label} alone"
        if "count" in wanted:
            before = labels.index(V) if V in labels else 0
            yield f"count:{before} {len(labels) - before - 1}"
            yield f"count:{len(labels) - 1}"
        if "gap" in wanted:
            yield from self._gaps(candidate, group)

    def _gaps(self, candidate: int, group: int) -> Iterator[str]:
        lists = self._lists
        at, (start, stop) = lists.predicates[group], self._edges[group : group + 2]
        taken: set[int] = set()
        for phrase in lists.candidates[candidate]:
            taken.update(range(phrase.start, phrase.stop))
        for side, word in (("before", at - 1), ("after", at + 1)):
            if start <= word < stop and word not in taken:
                yield f"gap:{side} V {lists.words[word]}"
                if lists.pos is not None:
                    yield f"gap:{side} V pos {lists.pos[word]}"
        yield f"gap:{min(stop - start - len(taken), _LONG)}"

    def _head(self, start: int, stop: int) -> int:
        """About the head: the last word before something that is attached to it; inside, for prepositions."""
        tags = self._lists.pos
        if tags is None:
            return stop - 1
        begin = start + 1 if stop - start > 1 and tags[start] in _NO_HEAD else start
        for at in range(begin + 1, stop):
            if tags[at] in _NO_HEAD:
                return at - 1
        return stop - 1
