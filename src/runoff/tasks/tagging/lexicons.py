"""Lexicons that add a column: phrases found by their longest match, and classes of words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.errors import DataError, UsageError
from runoff.files import reason
from runoff.tasks.tagging.corpus import WORD, Column

if TYPE_CHECKING:
    from runoff.tasks.tagging.corpus import Corpus

GAZETTEER, CLUSTERS = KINDS = ("gazetteer", "clusters")
NOTHING = ""  # the value of a token that no entry covers


@dataclass(frozen=True)
class LexiconColumn:
    """Texts with a value each: phrases of a gazetteer, or words of clusters.

    Examples
    --------
    >>> from runoff.tasks.tagging.corpus import Corpus
    >>> places = LexiconColumn("place", "gazetteer", {"New York": "city", "New York Bay": "water", "Bay": "water"})
    >>> places.column(Corpus.of({"word": ["in", "New", "York", "Bay", "Bay"]}, sizes=[5])).texts()
    ['', 'B-water', 'I-water', 'I-water', 'B-water']
    """

    name: str
    kind: str
    entries: dict[str, str]

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UsageError(f"there is no kind of lexicon {self.kind!r}; there are: {', '.join(KINDS)}.")

    def column(self, corpus: Corpus) -> Column:
        """The value of every token. O(tokens x longest phrase), for a gazetteer; O(different words), for clusters."""
        words = corpus[WORD]
        if self.kind == CLUSTERS:
            values = Column.of(self.entries.get(word, NOTHING) for word in words.values)
            return Column(values.values, frozen(values.codes[words.codes]))
        found = [NOTHING] * corpus.n_tokens
        starts_a_phrase = np.array([word in self._trie for word in words.values], bool)
        if starts_a_phrase.size:
            ends = np.repeat(corpus.offsets[1:], corpus.sizes)
            self._match(words, ends, np.flatnonzero(starts_a_phrase[words.codes]).tolist(), found)
        return Column.of(found)

    def _match(
        self, words: Column, ends: np.ndarray[tuple[int], np.dtype[np.int64]], starts: list[int], found: list[str]
    ) -> None:
        codes, values, taken = words.codes, words.values, 0
        for start in starts:
            if start < taken:
                continue
            node, best, value = self._trie, 0, ""
            for at in range(start, int(ends[start])):
                step = node.get(values[codes[at]])
                if step is None:
                    break
                node, ending = step
                if ending is not None:
                    best, value = at + 1, ending
            for at in range(start, best):
                found[at] = ("B-" if at == start else "I-") + value
            taken = max(taken, best)

    @cached_property
    def _trie(self) -> _Trie:
        """Words of phrases; every step has the node it leads to, and the value of a phrase that ends there."""
        root: _Trie = {}
        for phrase, value in self.entries.items():
            node, words = root, phrase.split()
            for at, word in enumerate(words):
                after, ending = node.get(word, ({}, None))
                node[word] = after, value if at == len(words) - 1 else ending
                node = after
        return root


_Trie = dict[str, tuple["_Trie", str | None]]


def read_lexicon(path: str | Path, name: str, kind: str) -> LexiconColumn:
    """A lexicon from a file of lines with a text, a tab and a value; without a tab, the value is the lexicon's name.

    A text that comes again keeps its first value.
    """
    entries: dict[str, str] = {}
    try:
        with Path(path).open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                text, tab, value = line.rstrip("\n").partition("\t")
                words = text.split()
                if not words and not tab:
                    continue
                if not words or (tab and not value.strip()) or (kind == CLUSTERS and len(words) > 1):
                    what = "a word" if kind == CLUSTERS else "a phrase"
                    raise DataError(
                        f"expected {what}, a tab and a value, found {line.strip()!r}.", path=path, line=number
                    )
                entries.setdefault(" ".join(words), value.strip() or name)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {reason(error)}.") from error
    except UnicodeDecodeError as error:
        raise DataError("expected text in UTF-8.", path=path) from error
    return LexiconColumn(name, kind, entries)
