"""Phrases, or tags, as parts of taggings, for combinations."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from runoff.combine.parts import Part, PartReader
from runoff.tasks.tagging.corpus import Corpus
from runoff.tasks.tagging.schemes import detect_scheme, phrases, tags_of
from runoff.tasks.tagging.spans import Spans
from runoff.tasks.tagging.tagging_lists import split_entries, unequal_sizes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from runoff.combine.parts import Shape

_MOST_LABELS = 12  # of a sentence, in an outline
_POS = "pos"  # attribute


class PhraseParts(PartReader):
    """Phrases of a sentence, which do not overlap.

    Examples
    --------
    >>> PhraseParts().split(["B-NP I-NP O", "I-NP I-VP O"])
    [[Part(start=0, stop=2, label='NP')], [Part(start=0, stop=1, label='NP'), Part(start=1, stop=2, label='VP')]]
    >>> PhraseParts().join([Part(1, 3, "NP")], ["B-VP O O", "O O O"])
    'O B-NP I-NP'
    """

    unit: ClassVar[str] = "phrases"
    reported: ClassVar[str | None] = "conlleval,conlleval[part=precision],conlleval[part=recall]"

    def check(self, texts: Sequence[str]) -> str:
        """They must be of as many words."""
        return unequal_sizes(texts)

    def split(self, texts: Sequence[str]) -> list[list[Part]]:
        """Phrases by conlleval's rules, whatever the scheme."""
        corpus = _corpus(texts)
        found: list[list[Part]] = [[] for _ in texts]
        for at, start, stop, label in _phrases(corpus):
            found[at].append(Part(start, stop, label))
        return found

    def join(self, parts: Sequence[Part], texts: Sequence[str]) -> str:
        """Tags in the scheme of the candidates."""
        labels = tuple(dict.fromkeys(part.label for part in parts))
        spans = Spans(
            np.array([part.start for part in parts], np.int64),
            np.array([part.stop for part in parts], np.int64),
            np.array([labels.index(part.label) for part in parts], np.int32),
            labels,
        )
        size = len(split_entries(texts[0]))
        scheme = detect_scheme(_corpus(texts))
        return " ".join(tags_of(spans, np.array([0, size], np.int64), scheme).texts())

    def outline(self, parts: Sequence[Part], text: str) -> str | None:
        """Labels in order, for short sentences alone."""
        return super().outline(parts, text) if len(parts) <= _MOST_LABELS else None

    def clues(
        self, parts: Sequence[Part], texts: Sequence[str], given: str | None, attributes: Mapping[str, str]
    ) -> list[list[str]]:
        """Label with the words at the edges, inside if there are few, and next to the phrase."""
        return [_clues(part, texts, given, attributes) for part in parts]


class TagParts(PartReader):
    """Tags that mark no phrases: one for every word.

    Examples
    --------
    >>> TagParts().split(["DT NN"])
    [[Part(start=0, stop=1, label='DT'), Part(start=1, stop=2, label='NN')]]
    """

    unit: ClassVar[str] = "tags"
    shape: ClassVar[Shape] = "slots"
    reported: ClassVar[str | None] = "tag-accuracy"

    def check(self, texts: Sequence[str]) -> str:
        """They must be of as many words."""
        return unequal_sizes(texts)

    def split(self, texts: Sequence[str]) -> list[list[Part]]:
        """The tag of every word."""
        return [[Part(at, at + 1, tag) for at, tag in enumerate(split_entries(text))] for text in texts]

    def join(self, parts: Sequence[Part], texts: Sequence[str]) -> str:
        """The tags in order."""
        tags = split_entries(texts[0])
        for part in parts:
            tags[part.start] = part.label
        return " ".join(tags)

    def outline(self, parts: Sequence[Part], text: str) -> str | None:  # noqa: ARG002 - too long to mean anything
        """None: a sentence has too many."""
        return None

    def clues(
        self, parts: Sequence[Part], texts: Sequence[str], given: str | None, attributes: Mapping[str, str]
    ) -> list[list[str]]:
        """Tag with the word and its neighbours, and the tags that the best candidate has beside it."""
        tags = ["<s>", *split_entries(texts[0]), "</s>"] if texts else []
        found = []
        for part in parts:
            own = [f"{part.label} after {tags[part.start]}", f"{part.label} before {tags[part.start + 2]}"]
            found.append([*own, *_clues(part, texts, given, attributes)])
        return found


def _clues(part: Part, texts: Sequence[str], given: str | None, attributes: Mapping[str, str]) -> list[str]:
    if given is None or not texts:
        return []
    words = ["<s>", *split_entries(given), "</s>"]
    start, stop, label = part
    inside = words[start + 1 : stop + 1]
    own = [
        f"{label} first {inside[0].lower()}",
        f"{label} last {inside[-1].lower()}",
        f"{label} previous {words[start].lower()}",
        f"{label} next {words[stop + 1].lower()}",
        f"{label} capitals {sum(word[:1].isupper() for word in inside)} of {len(inside)}",
        f"{label} suffix {inside[-1][-3:].lower()}",
    ]
    pos = split_entries(attributes[_POS]) if attributes.get(_POS) else []
    if len(pos) == len(words) - 2:
        around = ["<s>", *pos, "</s>"]
        own.append(f"{label} pos {pos[start]} {pos[stop - 1]}")
        own.append(f"{label} pos {around[start]} | {around[stop + 1]}")
    if len(inside) > 1:
        own.append(f"{label} words {' '.join(inside).lower()}")
    return own


def _corpus(texts: Sequence[str]) -> Corpus:
    tags = [split_entries(text) for text in texts]
    return Corpus.of({"tag": [tag for own in tags for tag in own]}, sizes=[len(own) for own in tags])


def _phrases(corpus: Corpus) -> list[tuple[int, int, int, str]]:
    """Number of the text, start, stop and label of every phrase."""
    spans = phrases(corpus)
    of = np.searchsorted(corpus.offsets, spans.starts, side="right") - 1
    first = corpus.offsets[of]
    return [
        (at, start, stop, spans.labels[code])
        for at, start, stop, code in zip(
            of.tolist(),
            (spans.starts - first).tolist(),
            (spans.stops - first).tolist(),
            spans.codes.tolist(),
            strict=True,
        )
    ]
