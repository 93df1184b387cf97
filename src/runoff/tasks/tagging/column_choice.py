"""Which columns of a file are read, and what they are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from runoff.errors import UsageError, brief
from runoff.tasks.tagging.corpus import WORD

Chosen: TypeAlias = "str | Sequence[str] | Mapping[str, int] | None"
TAG = "tag"
SKIPPED = "_"
DOCUMENT, SENTENCE = "document", "sentence"  # columns that are the same for all tokens of a sentence


@dataclass(frozen=True)
class ColumnChoice:
    """Names of columns with their places, from 0; negative places count from the end.

    Examples
    --------
    >>> ColumnChoice.of("word,_,chunk")
    ColumnChoice(names=('word', 'chunk'), places=(0, 2), width=3)
    >>> ColumnChoice.of("word=4,tag=-1").places
    (3, -1)
    """

    names: tuple[str, ...]
    places: tuple[int, ...]
    width: int | None = None  # number of columns of the file, where the choice says it

    @classmethod
    def of(cls, columns: Chosen) -> ColumnChoice | None:
        """From names in the order of the columns, or from names with numbers from 1; None: no choice."""
        if columns is None:
            return None
        if isinstance(columns, str):
            parts = [part.strip() for part in columns.split(",")]
            with_numbers = [part for part in parts if "=" in part]
            if with_numbers and len(with_numbers) < len(parts):
                raise UsageError(f"give numbers to all columns or to none; found {brief(columns)}.")
            columns = dict(map(_numbered, parts)) if with_numbers else parts
        if isinstance(columns, Mapping):
            for name, number in columns.items():
                if isinstance(number, bool) or not isinstance(number, int) or number == 0:
                    raise UsageError(f"columns are numbered from 1, or from -1 at the end; {name!r} has {number!r}.")
            chosen = [(name, number - 1 if number > 0 else number) for name, number in columns.items()]
            return cls._checked(chosen, None)
        return cls._checked([(name, at) for at, name in enumerate(columns) if name != SKIPPED], len(columns))

    @classmethod
    def _checked(cls, chosen: list[tuple[str, int]], width: int | None) -> ColumnChoice:
        names = tuple(name for name, _ in chosen)
        if not names or not all(names):
            raise UsageError("every column that is read needs a name; write _ for one that is not.")
        for name in names:
            if names.count(name) > 1:
                raise UsageError(f"two columns are called {name!r}; names must differ.")
        if set(names) <= {DOCUMENT, SENTENCE}:
            raise UsageError(f"besides {DOCUMENT} and {SENTENCE}, at least one column of tokens must be read.")
        return cls(names, tuple(place for _, place in chosen), width)

    @classmethod
    def numbered(cls, width: int) -> ColumnChoice:
        """All columns of a file: the first is the word and the last the tag; others have their numbers as names.

        Examples
        --------
        >>> ColumnChoice.numbered(4).names
        ('word', '2', '3', 'tag')
        """
        names = (WORD, *(str(number) for number in range(2, width)), *([TAG] if width > 1 else []))
        return cls(names, tuple(range(width)), width)

    @property
    def least(self) -> int:
        """Fewest columns of a line that has all of these."""
        return max(place + 1 if place >= 0 else -place for place in self.places)


def _numbered(part: str) -> tuple[str, int]:
    name, _, number = part.partition("=")
    try:
        return name.strip(), int(number)
    except ValueError:
        raise UsageError(f"expected a column as name=number, such as word=4; found {brief(part)}.") from None
