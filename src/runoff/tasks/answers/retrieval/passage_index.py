"""Passages on disk that are searched by BM25, or by boolean queries that are relaxed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.errors import UsageError, brief
from runoff.kernels.postings import add_scores
from runoff.tasks.answers.retrieval.bm25 import Bm25, idf
from runoff.tasks.answers.retrieval.index_building import update_index
from runoff.tasks.answers.retrieval.index_file import read_index
from runoff.tasks.answers.retrieval.passage import Hit, Passage
from runoff.tasks.answers.retrieval.relaxation import WIDENINGS, occurrences, with_all
from runoff.tasks.answers.retrieval.terms import normaliser, telling, words_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from runoff.arrays import Floats, Ints
    from runoff.tasks.answers.retrieval.bm25 import Variant
    from runoff.tasks.answers.retrieval.index_file import IndexContent, IndexSettings


class PassageIndex:
    """Passages by number from 0, and a search over them.

    Arrays are mapped into memory: opening looks at all of them once, and what searches do not need is not kept there.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "bridges.txt").write_text("The bridge is red. It was built in 1937. No bridge is older.")
    >>> index = PassageIndex.build(folder, folder / "bridges.index")
    >>> [index.passage(hit.passage).text for hit in index.search("Who built bridges?")]
    ['It was built in 1937.', 'The bridge is red.', 'No bridge is older.']
    >>> index.passage(1)
    Passage(id='bridges.txt#2', text='It was built in 1937.', file='bridges.txt', line=1)
    """

    def __init__(self, content: IndexContent) -> None:
        self._content, self._segments = content, content.segments
        self._starts: Ints = np.concatenate([[0], np.cumsum([len(each) for each in self._segments])])
        self._mean_length = sum(each.n_terms for each in self._segments) / max(len(self), 1)
        self._term_of = normaliser(content.settings.stemmer)

    @classmethod
    def open(cls, path: str | Path) -> PassageIndex:
        """Open an index; everything in it is checked. O(bytes), about a second for a gigabyte."""
        return cls(read_index(path))

    @classmethod
    def build(
        cls,
        source: str | Path,
        path: str | Path,
        *,
        sentences: int | None = None,
        stemmer: str | None = None,
        fresh: bool = False,
        verbose: bool = False,
    ) -> PassageIndex:
        """Index a folder of text, a text, or JSON lines of passages, and open it; see `update_index`."""
        update_index(source, path, sentences=sentences, stemmer=stemmer, fresh=fresh, verbose=verbose)
        return cls.open(path)

    @property
    def source(self) -> str:
        """The folder or file that was indexed."""
        return self._content.source

    @property
    def settings(self) -> IndexSettings:
        """How text became passages, and passages terms."""
        return self._content.settings

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out."""
        return self._content.notes

    def __len__(self) -> int:
        return int(self._starts[-1])

    def passage(self, number: int) -> Passage:
        """A passage by its number."""
        if not 0 <= number < len(self):
            raise UsageError(f"there is no passage {number}; they are numbered from 0 to {len(self) - 1:,}.")
        at = int(np.searchsorted(self._starts, number, side="right")) - 1
        segment, own = self._segments[at], int(number - self._starts[at])
        return Passage(
            segment.ids[own], segment.texts[own], segment.files[segment.file_of(own)], int(segment.lines[own])
        )

    def terms(self, text: str) -> list[str]:
        """The terms of a text as the index has them: words in lower case, stems."""
        return [self._term_of(word) for word in words_of(text)]

    def having(self, term: str) -> int:
        """How many passages have a term. O(segments log words)."""
        return sum(last - first for first, last in (each.postings(term) for each in self._segments))

    def idf(self, term: str) -> float:
        """Inverse document frequency of a term, in Lucene's form; see `Bm25`."""
        return idf(len(self), self.having(term))

    def search(
        self, query: str | Sequence[str], k: int = 10, *, k1: float = 0.9, b: float = 0.4, variant: Variant = "lucene"
    ) -> list[Hit]:
        """The k passages with the highest BM25, the best first; of equal ones, those of lower number.

        A text is searched for without its stop words, a list of texts for all words that are in it. A word that is
        there twice counts twice. Passages without any of the words are not given. O(postings of the terms + passages).
        """
        formula = Bm25(k1, b, variant)
        words = (
            telling(words_of(query)) if isinstance(query, str) else [word for text in query for word in words_of(text)]
        )
        weights = self._weights([self._term_of(word) for word in words], formula)
        return self._best([self._scores(at, weights, formula) for at in range(len(self._segments))], k)

    def relaxed_search(
        self, keywords: Sequence[tuple[str, float]], k: int = 50, *, least: int = 50, proximity: int | None = 50
    ) -> list[Hit]:
        """Passages that have all keywords near each other, and if those are too few, the more salient ones.

        Parameters
        ----------
        keywords
            Each with its salience. One of several words is looked for as a phrase; where no passage has that, as its
            words. A keyword that no passage has is left out.
        k
            How many passages to give at most.
        least
            As long as fewer passages are found, up to twice and four times as many words may be between occurrences;
            then the least salient keyword, of equal ones the last, is left out.
        proximity
            Most words between an occurrence of a keyword and the next; None: any number, in the same passage.

        Returns
        -------
        Hits with the number of keywords of the query that found them as score, less a third for every widening;
        of equal ones, those of higher BM25 first.
        """
        if least < 1 or (proximity is not None and proximity < 0):
            raise UsageError(f"least must be at least 1 and proximity at least 0; found {least} and {proximity}.")
        wanted = self._known_keywords(keywords)
        levels: list[Floats] = [np.zeros(len(each)) for each in self._segments]
        found = [[occurrences(each, words) for words in wanted] for each in self._segments]
        for n_keywords in range(len(wanted), 0, -1):
            for number, times in enumerate(WIDENINGS if proximity is not None and n_keywords > 1 else WIDENINGS[:1]):
                most = None if proximity is None else proximity * times
                for level, lists in zip(levels, found, strict=True):
                    passages = with_all(lists[:n_keywords], most)
                    level[passages] = np.maximum(level[passages], n_keywords - number / len(WIDENINGS))
                if sum(int(np.count_nonzero(each)) for each in levels) >= least:
                    return self._ranked(levels, wanted, k)
        return self._ranked(levels, wanted, k)

    def _known_keywords(self, keywords: Sequence[tuple[str, float]]) -> list[tuple[str, ...]]:
        """The terms of every keyword that some passage has, the most salient first, each once."""
        for text, salience in keywords:
            if not np.isfinite(salience):
                raise UsageError(f"the salience of {brief(text)} is no number.")
        wanted: dict[tuple[str, ...], None] = {}
        for text, _ in sorted(keywords, key=lambda keyword: -keyword[1]):
            terms = tuple(self.terms(text))
            if terms and any(occurrences(each, terms).passages.size for each in self._segments):
                wanted[terms] = None
            elif len(terms) > 1:
                wanted |= {(term,): None for term in terms if self.having(term)}
        return list(wanted)

    def _ranked(self, levels: list[Floats], keywords: list[tuple[str, ...]], k: int) -> list[Hit]:
        """Hits by level, and then by BM25, which is made smaller than the difference between levels."""
        formula = Bm25()
        weights = self._weights([term for terms in keywords for term in terms], formula)
        most = sum(weights.values()) + 1.0
        step = 0.5 / len(WIDENINGS)
        both = [
            np.where(level > 0, level + step * self._scores(at, weights, formula) / most, 0.0)
            for at, level in enumerate(levels)
        ]
        return [
            Hit(hit.passage, round(hit.score * len(WIDENINGS) - 0.25) / len(WIDENINGS)) for hit in self._best(both, k)
        ]

    def _weights(self, terms: Sequence[str], formula: Bm25) -> dict[str, float]:
        """What each term weighs, as often as it is there."""
        weights: dict[str, float] = {}
        for term in terms:
            having = self.having(term)
            if having:
                weights[term] = weights.get(term, 0.0) + formula.weight(len(self), having)
        return weights

    def _scores(self, at: int, weights: Mapping[str, float], formula: Bm25) -> Floats:
        segment = self._segments[at]
        scores = np.zeros(len(segment))
        for term, weight in weights.items():
            first, last = segment.postings(term)
            add_scores(
                *(segment.passages, segment.place_offsets, first, last, segment.lengths),
                *(weight, formula.k1, formula.b, self._mean_length, scores),
            )
        return scores

    def _best(self, scores: Sequence[Floats], k: int) -> list[Hit]:
        """The k highest scores above zero; of equal ones, the first."""
        if k < 1:
            raise UsageError(f"the number of passages must be at least 1; found {k}.")
        found = [np.flatnonzero(each) for each in scores]
        numbers = np.concatenate([at + start for at, start in zip(found, self._starts, strict=False)])
        values = np.concatenate([each[at] for each, at in zip(scores, found, strict=True)])
        if values.size > k:
            kept = values >= np.partition(values, -k)[-k]
            numbers, values = numbers[kept], values[kept]
        order = np.lexsort((numbers, -values))[:k]
        return [Hit(int(numbers[at]), float(values[at])) for at in order]
