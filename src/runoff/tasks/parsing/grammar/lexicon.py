"""Tags of words and P(word | tag): frequent words by counts, rare and unknown ones by shape."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.head_chart import Leaves
from runoff.tasks.parsing.grammar.word_shapes import UNKNOWN, word_shapes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_FEWEST = 3  # rare words that a shape needs to become a class
_VOCABULARY = 10_000  # assumed number of unseen words per shape
_OPEN = 0.01  # share of the rare words that an open tag has
_A_LITTLE = 1e-3  # share of a word's count that also goes to coarser shapes and to the class of unknown words

OWN, OPEN, ANY = range(3)  # tags of an unknown word: those of its class, also those of rare words, also all others


class Lexicon:
    """Word classes with their tags: a frequent word is its own class, rare words share the class of their shape.

    P(word | tag) is P(class | tag) P(word | class, tag); the second factor is 1 for a frequent word, and for others
    the relative count of the word, or a share of `unseen` if it was never seen. Class 0 means no word.

    Examples
    --------
    >>> lexicon = Lexicon.of([[("the", 1), ("dog", 2)], [("the", 1), ("cat", 2)]], rare=2, unseen=1.0)
    >>> lexicon.class_of("the", False) != lexicon.class_of("dog", False) == lexicon.class_of("bird", False)
    True
    """

    def __init__(
        self, names: Sequence[str], tag_counts: dict[tuple[int, int], float], rare_words: dict[str, dict[int, int]],
        unseen: float,
    ) -> None:  # fmt: skip
        self.names, self.rare_words, self.unseen = list(names), rare_words, unseen
        self.tag_counts = tag_counts  # class, tag -> count
        self._classes = {name: at for at, name in enumerate(names)}
        if _name(UNKNOWN) not in self._classes:
            raise ValueError("a lexicon needs a class for unknown words.")
        self._unknown = self._classes[_name(UNKNOWN)]
        totals: dict[int, float] = defaultdict(float)
        for (_, tag), count in tag_counts.items():
            totals[tag] += count
        self._totals = totals
        self._tags: dict[int, list[tuple[int, float]]] = defaultdict(list)
        for (its_class, tag), count in sorted(tag_counts.items()):
            self._tags[its_class].append((tag, count / totals[tag]))
        # A rare word can be in two classes, sentence-initial and elsewhere, with the same counts in both.
        self._rare_counts: Counter[tuple[int, int]] = Counter()
        for word, tags in rare_words.items():
            for its_class in {self.class_of(word, True), self.class_of(word, False)}:
                for tag, seen in tags.items():
                    self._rare_counts[its_class, tag] += seen
        self._more = self._more_tags()

    @classmethod
    def of(cls, sentences: Iterable[Sequence[tuple[str, int]]], rare: int, unseen: float) -> Lexicon:
        """Count words with their tags. O(words)."""
        counts: Counter[str] = Counter()
        pairs: Counter[tuple[str, bool, int]] = Counter()
        for sentence in sentences:
            for at, (word, tag) in enumerate(sentence):
                counts[word] += 1
                pairs[word, at == 0, tag] += 1
        by_shape: Counter[str] = Counter()
        for (word, is_first, _), count in pairs.items():
            if counts[word] < rare:
                for shape in set(word_shapes(word, is_first)):
                    by_shape[shape] += count
        kept = {shape for shape, count in by_shape.items() if count >= _FEWEST} | {UNKNOWN}
        frequent = sorted(word for word, count in counts.items() if count >= rare)
        names = ["", *(_name(shape) for shape in sorted(kept)), *frequent]
        lexicon = cls(names, {}, {}, unseen)
        tag_counts: Counter[tuple[int, int]] = Counter()
        rare_words: dict[str, dict[int, int]] = {}
        for (word, is_first, tag), count in sorted(pairs.items()):
            tag_counts[lexicon.class_of(word, is_first), tag] += count
            if counts[word] < rare:
                mine = rare_words.setdefault(word, {})
                mine[tag] = mine.get(tag, 0) + count
        smoothed: dict[tuple[int, int], float] = defaultdict(float, tag_counts)
        for (word, is_first, tag), count in sorted(pairs.items()):
            # Coarser shapes get the tags of finer ones, for words that match no finer shape.
            others = {UNKNOWN, *(word_shapes(word, is_first) if counts[word] < rare else ())} & kept
            for shape in sorted(others):
                smoothed[lexicon._classes[_name(shape)], tag] += _A_LITTLE * count
        return cls(names, smoothed, rare_words, unseen)

    def _more_tags(self) -> dict[int, list[tuple[int, float]]]:
        """Tags that unknown words can get beyond those of their class, with P(rare or unknown | tag)."""
        by_tag: Counter[int] = Counter()
        for tags in self.rare_words.values():
            by_tag.update(tags)
        least = _OPEN * by_tag.total()
        rare = [(tag, seen / self._totals[tag]) for tag, seen in sorted(by_tag.items()) if seen >= least]
        open_tags = [(tag, p) for tag, p in rare if p > 0.0]
        known = dict(open_tags)
        others = [(tag, p) for tag, p in self._tags[self._unknown] if tag not in known]
        return {OWN: [], OPEN: open_tags, ANY: open_tags + others}

    def class_of(self, word: str, is_first: bool) -> int:
        """The class of a word: its own, or that of its finest known shape."""
        known = self._classes.get(word)
        if known is not None and word:
            return known
        return next(self._classes[name] for name in map(_name, word_shapes(word, is_first)) if name in self._classes)

    def probability(self, word: str, its_class: int, tag: int) -> tuple[float, float]:
        """P(class | tag) and P(word | class, tag)."""
        known = next((p for its_tag, p in self._tags[its_class] if its_tag == tag), 0.0)
        return known, self._within(word, its_class, tag)

    def _within(self, word: str, its_class: int, tag: int) -> float:
        if self.names[its_class] == word:
            return 1.0
        seen = self.rare_words.get(word, {}).get(tag, 0)
        return (seen + self.unseen / _VOCABULARY) / (self._rare_counts[its_class, tag] + self.unseen)

    def least_probability(self) -> float:
        """A lower bound of P(word | tag) over all words with a tag that they can have. O(classes x tags)."""
        known = min(p for tags in (*self._tags.values(), self._more[ANY]) for _, p in tags)
        most = max(self._rare_counts.values(), default=0)
        return known * (self.unseen / _VOCABULARY) / (most + self.unseen)

    def likeliest_tag(self, word: str, is_first: bool) -> tuple[int, float]:
        """The most likely tag of a word without context, and log P(word | tag). O(tags)."""
        its_class = self.class_of(word, is_first)
        likely = [(known * self._within(word, its_class, tag), tag) for tag, known in self._tags[its_class]]
        p, tag = max(likely, key=lambda each: each[0] * self._totals[each[1]])
        return tag, math.log(p)

    def leaves(self, words: Sequence[str], more: int = OWN) -> Leaves:
        """All tags of all words of a sentence; `more` says which of them unknown words have. O(words x tags)."""
        rows = []
        for place, word in enumerate(words):
            its_class = self.class_of(word, place == 0)
            own = self._tags[its_class]
            rows += [(place, tag, its_class, known, self._within(word, its_class, tag)) for tag, known in own]
            if self.names[its_class] == word:
                continue
            has = {tag for tag, _ in own}
            rows += [
                (place, tag, self._unknown, known, self._within(word, self._unknown, tag))
                for tag, known in self._more[more]
                if tag not in has
            ]
        places, tags, classes, known, within = zip(*rows, strict=True)
        return Leaves(
            np.array(places, np.int32), np.array(tags, np.int32), np.array(classes, np.int32),
            np.array(known, np.float64), np.array(within, np.float64),
        )  # fmt: skip


def _name(shape: str) -> str:
    """The name of a shape's class; it has a blank, so it is never a word."""
    return f"like {shape}"
