"""Sentences in columns: words, and whatever stands beside them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from runoff.arrays import frozen
from runoff.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from runoff.arrays import Columns, Ints

WORD = "word"


@dataclass(frozen=True, eq=False)
class Column:
    """One text for every token, each different text kept once.

    Examples
    --------
    >>> column = Column.of(["the", "cat", "the"])
    >>> column.values, column.codes.tolist(), column.texts()
    (('the', 'cat'), [0, 1, 0], ['the', 'cat', 'the'])
    """

    values: tuple[str, ...]  # in the order in which they first occur
    codes: Columns  # of every token

    @classmethod
    def of(cls, texts: Iterable[str]) -> Column:
        """A column from the texts of the tokens."""
        number: dict[str, int] = {}
        codes = [number.setdefault(text, len(number)) for text in texts]
        return cls(tuple(number), frozen(np.array(codes, np.int32)))

    def __len__(self) -> int:
        return int(self.codes.size)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt_column, (pa.array(self.values, pa.large_string()), self.codes)  # workers get it as buffers

    def texts(self) -> list[str]:
        """The text of every token."""
        values = self.values
        return [values[code] for code in self.codes.tolist()]

    def take(self, tokens: Any) -> Column:
        """The column of some tokens; its values may then have more than occur."""
        return dataclasses.replace(self, codes=frozen(self.codes[tokens]))


@dataclass(frozen=True, eq=False, repr=False)
class Corpus:
    """Sentences as columns: tokens of sentence i are those from `offsets[i]` to `offsets[i + 1]` of every column.

    A sentence may be empty. `len` counts sentences; indexing by a number, a slice, a mask or an array of numbers
    gives a corpus of those sentences.

    Examples
    --------
    >>> corpus = Corpus.of({"word": ["a", "cat", "sleeps"], "pos": ["DT", "NN", "VBZ"]}, sizes=[2, 1])
    >>> corpus
    Corpus(2 sentences, 3 tokens: word, pos)
    >>> corpus[1]["pos"].texts()
    ['VBZ']
    """

    columns: Mapping[str, Column]
    offsets: Ints
    ids: tuple[str, ...] | None = None  # of every sentence
    documents: tuple[str, ...] | None = None  # the document of every sentence

    @classmethod
    def of(
        cls,
        columns: Mapping[str, Column | Iterable[str]],
        sizes: Sequence[int],
        ids: Sequence[str] | None = None,
        documents: Sequence[str] | None = None,
    ) -> Corpus:
        """A corpus from texts of tokens, sentence after sentence, and the number of tokens of every sentence."""
        offsets = frozen(np.concatenate([[0], np.cumsum(np.asarray(sizes, np.int64))]).astype(np.int64))
        made = {name: each if isinstance(each, Column) else Column.of(each) for name, each in columns.items()}
        for name, column in made.items():
            if len(column) != offsets[-1]:
                raise UsageError(f"the column {name!r} has {len(column):,} tokens, the sentences {offsets[-1]:,}.")
        for name, texts in (("ids", ids), ("documents", documents)):
            if texts is not None and len(texts) != offsets.size - 1:
                raise UsageError(f"there are {len(texts):,} {name} for {offsets.size - 1:,} sentences.")
        return cls(made, offsets, None if ids is None else tuple(ids), None if documents is None else tuple(documents))

    def __len__(self) -> int:
        return int(self.offsets.size - 1)

    @property
    def n_tokens(self) -> int:
        """Number of tokens."""
        return int(self.offsets[-1])

    @property
    def sizes(self) -> Ints:
        """Number of tokens of every sentence."""
        return np.diff(self.offsets)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            if key not in self.columns:
                raise UsageError(f"there is no column {key!r}; there are: {', '.join(self.columns)}.")
            return self.columns[key]
        chosen = np.arange(len(self))[key if not isinstance(key, int) else slice(key, key + 1 or None)]
        sizes = self.sizes[chosen]
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        tokens = np.repeat(self.offsets[:-1][chosen] - offsets[:-1], sizes) + np.arange(offsets[-1])
        columns = {name: column.take(tokens) for name, column in self.columns.items()}
        ids, documents = (
            None if each is None else tuple(each[at] for at in chosen.tolist()) for each in (self.ids, self.documents)
        )
        return Corpus(columns, frozen(offsets), ids, documents)

    def with_column(self, name: str, column: Column | Iterable[str]) -> Corpus:
        """The same sentences with one more column, or another in its place."""
        made = column if isinstance(column, Column) else Column.of(column)
        if len(made) != self.n_tokens:
            raise UsageError(f"the column {name!r} has {len(made):,} tokens, the sentences {self.n_tokens:,}.")
        return dataclasses.replace(self, columns={**self.columns, name: made})

    def __reduce__(self) -> tuple[Any, ...]:
        # Workers get texts as buffers.
        texts = (None if each is None else pa.array(each, pa.large_string()) for each in (self.ids, self.documents))
        return _rebuilt_corpus, (dict(self.columns), self.offsets, *texts)

    def __repr__(self) -> str:
        counts = f"{len(self):,} sentence{'s' * (len(self) != 1)}, {self.n_tokens:,} tokens"
        return f"Corpus({counts}: {', '.join(self.columns)})"


def _rebuilt_column(values: pa.Array, codes: Columns) -> Column:
    return Column(tuple(values.to_pylist()), codes)


def _rebuilt_corpus(columns: dict[str, Column], offsets: Ints, *texts: pa.Array | None) -> Corpus:
    ids, documents = (None if each is None else tuple(each.to_pylist()) for each in texts)
    return Corpus(columns, offsets, ids, documents)
