"""Families of features of whole taggings: what a phrase, two neighbours or three tags in a row are called.

Most are after Collins (2002, "Ranking algorithms for named-entity extraction"): whole phrases and their shapes, their
edges and contexts, and sequences of types, none of which a tagger that goes from tag to tag can see.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from runoff.errors import UsageError
from runoff.tasks.tagging.atoms import short_shape

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from runoff.tasks.tagging.features.tagged_lists import TaggedPhrase

FAMILIES = {
    "phrase": "the words of a phrase, with its type",
    "shape": "their shapes",
    "edge": "the first and the last word of a phrase, and their endings",
    "inner": "every word of a phrase",
    "context": "the words before and after a phrase",
    "length": "the length of a phrase",
    "column": "other columns, such as parts of speech, in and around a phrase",
    "sequence": "types of neighbouring phrases, and what stands between them",
    "tags": "three tags in a row, and with the word",
    "consensus": "how probable the phrases are, given all candidates of the list",
    "document": "how the other lists of the same document vote on the same words",
}
DENSE = ("consensus", "document")  # columns of numbers, whatever the vocabulary
_LONGEST = 6  # words of a phrase that is named as a whole
_GAP = 2  # words between neighbours that are named
shapes = cache(short_shape)


def chosen(text: str, known: Mapping[str, str] = FAMILIES, what: str = "taggings") -> tuple[str, ...]:
    """Families by comma-separated names; `all` stands for all, a minus removes one.

    Examples
    --------
    >>> chosen("phrase,shape"), chosen("all,-tags")[-1]
    (('phrase', 'shape'), 'document')
    """
    found: dict[str, None] = {}
    names = ", ".join(("all", *known))
    for name in (each.strip() for each in text.split(",") if each.strip()):
        wanted = tuple(known) if name.lstrip("-") == "all" else (name.lstrip("-"),)
        if wanted[0] not in known:
            raise UsageError(f"there is no family {wanted[0]!r} of features of {what}; there are: {names}.")
        for each in wanted:
            if name.startswith("-"):
                found.pop(each, None)
            else:
                found[each] = None
    if not found:
        raise UsageError(f"expected at least one family of features; there are: {names}.")
    return tuple(found)


class Namer:
    """Names of the features of parts of taggings."""

    def __init__(self, families: tuple[str, ...], words: list[str], columns: dict[str, list[str]], edges: set[int]):
        self._families, self._words, self._columns, self._edges = set(families), words, columns, edges

    def phrase(self, phrase: TaggedPhrase) -> Iterator[str]:
        """Features of one phrase."""
        start, stop, label = phrase
        words, wanted = self._words[start:stop], self._families
        first, last, before, after = words[0], words[-1], self._before(self._words, start), self._at(self._words, stop)
        if "phrase" in wanted and len(words) <= _LONGEST:
            yield f"phrase:{label} {' '.join(words)}"
        if "shape" in wanted:
            yield f"shape:{label} {' '.join(shapes(word) for word in words[:_LONGEST])}{'…' * (len(words) > _LONGEST)}"
            yield f"shape:{label} {shapes(before)} _ {shapes(after)}"
        if "edge" in wanted:
            yield from (f"edge:{label} {first} …", f"edge:{label} … {last}")
            yield from (f"edge:{label} ={first[-3:]} …", f"edge:{label} … ={last[-3:]}")
        if "inner" in wanted and len(words) > 1:
            yield from (f"inner:{label} {word}" for word in set(words))
        if "context" in wanted:
            yield from (f"context:{label} {before} _", f"context:{label} _ {after}")
            yield from (f"context:{label} {before} {first}", f"context:{label} {last} | {after}")
            yield f"context:{label} {before} _ {after}"
        if "length" in wanted:
            yield f"length:{label} {min(len(words), 8)}"
            yield "length:phrases"
            yield f"length:{label}"
        if "column" in wanted:
            for name, values in self._columns.items():
                inside = values[start:stop]
                if len(inside) <= _LONGEST:
                    yield f"column:{name} {label} {' '.join(inside)}"
                yield f"column:{name} {label} {self._before(values, start)} [{inside[0]}"
                yield f"column:{name} {label} {inside[-1]}] {self._at(values, stop)}"

    def neighbours(self, left: TaggedPhrase | None, right: TaggedPhrase | None) -> Iterator[str]:
        """Features of two phrases in a row; None is the edge of the sentence."""
        if "sequence" not in self._families:
            return
        one, other = "^" if left is None else left.label, "$" if right is None else right.label
        yield f"sequence:{one} {other}"
        if left is None or right is None:
            return
        between = self._words[left.stop : right.start]
        yield f"sequence:{one} {' '.join(between) if len(between) <= _GAP else '…'} {other}"
        if not between:
            yield f"sequence:{one} {self._words[left.stop - 1]} | {self._words[right.start]} {other}"

    def window(self, word: int, two: str, one: str, tag: str) -> Iterator[str]:
        """Features of three tags in a row."""
        if "tags" not in self._families:
            return
        yield f"tags:{two} {one} {tag}"
        yield f"tags:{one} {tag} {self._words[word]}"
        for name, values in self._columns.items():
            yield f"tags:{two} {one} {tag} {name} {self._before(values, word)} {values[word]}"

    def _before(self, values: list[str], at: int) -> str:
        return "^" if at in self._edges else values[at - 1]

    def _at(self, values: list[str], at: int) -> str:
        return "$" if at in self._edges else values[at]
