"""Signatures of the index, so that others can build on them; the code follows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from runoff.tasks.answers.retrieval.passage import Hit, Passage


class PassageIndex:
    """Passages on disk that can be searched."""

    @classmethod
    def open(cls, path: str | Path) -> PassageIndex:
        """Open an index; its arrays are mapped into memory."""
        raise NotImplementedError

    @classmethod
    def build(
        cls, source: str | Path, path: str | Path, *, sentences: int = 1, stemmer: str = "porter", verbose: bool = False
    ) -> PassageIndex:
        """Index a folder of text files, a text file, or JSON lines of passages (id, text); again: what has changed."""
        raise NotImplementedError

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out when it was built, as sentences."""
        raise NotImplementedError

    def __len__(self) -> int:
        """Number of passages."""
        raise NotImplementedError

    def search(
        self,
        query: str | Sequence[str],
        k: int = 10,
        *,
        k1: float = 1.5,
        b: float = 0.75,
        variant: Literal["lucene", "atire"] = "lucene",
    ) -> list[Hit]:
        """The k passages with the highest BM25; a text, or words that are each taken as they are."""
        raise NotImplementedError

    def relaxed_search(
        self, keywords: Sequence[tuple[str, float]], k: int = 50, *, least: int = 50, proximity: int | None = 50
    ) -> list[Hit]:
        """Boolean retrieval with relaxation: keywords with saliences; the least salient are dropped for more hits."""
        raise NotImplementedError

    def passage(self, number: int) -> Passage:
        """A passage by its number."""
        raise NotImplementedError

    def terms(self, text: str) -> list[str]:
        """The terms of a text as the index has them: lower case, stems."""
        raise NotImplementedError

    def idf(self, term: str) -> float:
        """Inverse document frequency of one term over passages."""
        raise NotImplementedError
