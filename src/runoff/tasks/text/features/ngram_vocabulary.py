"""The columns of n-grams, named or hashed; kept in models as plain arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.arrays import frozen
from runoff.errors import ModelError, UsageError, brief

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from runoff.arrays import Bools
    from runoff.tasks.text.features.ngram_units import Kind

    Keys = NDArray[np.uint64]

PREFIX: Mapping[str, str] = {"words": "word", "characters": "char"}
_LONGEST = 8
_MOST_HASHED = 1 << 24
_ARRAYS: Mapping[str, Any] = {"shape": np.int64, "keys": np.uint64, "ends": np.int64, "letters": np.uint8}


@dataclass(frozen=True, eq=False)
class NgramVocabulary:
    """The columns of word or character n-grams.

    Named columns are `word:the cat` or `char:_th` (a blank is `_`, an underscore `\\_` and a backslash is doubled), in
    ascending order of their `keys`, the hashes of their spellings. With `hashed` columns there are no keys: an n-gram
    finds its column, such as `word#17`, by its hash and shares it with other n-grams.

    Examples
    --------
    >>> NgramVocabulary.by_hash("characters", (3,), 4).names.to_pylist()
    ['char#0', 'char#1', 'char#2', 'char#3']
    """

    kind: Kind
    orders: tuple[int, ...]
    keys: Keys
    names: pa.Array = field(repr=False)
    hashed: int = 0

    @classmethod
    def by_hash(cls, kind: Kind, orders: Sequence[int] | None = None, columns: int = 1 << 18) -> NgramVocabulary:
        """Hashed columns for all n-grams; their number is a power of two. Nothing is fitted."""
        kind, chosen = checked_kind(kind), checked_orders(kind, orders)
        if not _is_power(columns):
            raise UsageError(
                f"the number of hashed columns must be a power of two up to {_MOST_HASHED:,}; found {brief(columns)}."
            )
        return cls(kind, chosen, frozen(np.empty(0, np.uint64)), _numbered(kind, columns), columns)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def wanted(self) -> Bools:
        """Whether n-grams of length 0, 1, 2, … are used."""
        flags = np.zeros(max(self.orders) + 1, bool)
        flags[list(self.orders)] = True
        return frozen(flags)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Plain arrays from which `from_arrays` restores the vocabulary.

        Examples
        --------
        >>> arrays = NgramVocabulary.by_hash("words", (1, 2), 8).to_arrays()
        >>> {name: array.tolist() for name, array in arrays.items()}
        {'shape': [0, 8, 1, 2], 'keys': [], 'ends': [0], 'letters': []}
        """
        names = [] if self.hashed else [name.encode() for name in self.names.to_pylist()]
        shape = [list(PREFIX).index(self.kind), self.hashed, *self.orders]
        return {
            "shape": np.array(shape, np.int64),
            "keys": np.array(self.keys),
            "ends": np.cumsum([0, *map(len, names)], dtype=np.int64),
            "letters": np.frombuffer(b"".join(names), np.uint8).copy(),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> NgramVocabulary:
        """Restore a vocabulary; a `ModelError` if the arrays do not fit together."""
        for name, kind_of in _ARRAYS.items():
            found = arrays.get(name)
            if not isinstance(found, np.ndarray) or found.dtype != kind_of or found.ndim != 1:
                raise _damaged(f"it needs an array of {np.dtype(kind_of)} called {name!r}")
        shape, keys, ends, letters = (np.ascontiguousarray(arrays[name]) for name in _ARRAYS)
        if shape.size < 3 or not 0 <= shape[0] < len(PREFIX):
            raise _damaged("it does not say whether its n-grams are of words or characters")
        kind: Kind = "words" if shape[0] == 0 else "characters"
        hashed = int(shape[1])
        try:
            orders = checked_orders(kind, shape[2:].tolist())
        except UsageError as error:
            raise _damaged(str(error).rstrip(".")) from error
        if hashed:
            if not _is_power(hashed) or keys.size or letters.size or ends.tolist() != [0]:
                raise _damaged("the number of hashed columns must be a power of two, and they have no names")
            return cls.by_hash(kind, orders, hashed)
        if bool(np.any(keys[1:] <= keys[:-1])):
            raise _damaged("its keys are not in ascending order")
        return cls(kind, orders, frozen(keys), _names(kind, keys.size, ends, letters))


def checked_kind(kind: Any) -> Kind:
    """`words` or `characters`; a `UsageError` for anything else."""
    if kind == "words":
        return "words"
    if kind == "characters":
        return "characters"
    raise UsageError(f"n-grams are of 'words' or 'characters'; found {brief(kind)}.")


def checked_orders(kind: Kind, orders: Sequence[int] | None) -> tuple[int, ...]:
    """The lengths of n-grams, ascending. Default: 1 and 2 for words, 3 and 4 for characters.

    Examples
    --------
    >>> checked_orders("words", None), checked_orders("characters", [5, 2])
    ((1, 2), (2, 5))
    """
    if orders is None:
        return (1, 2) if kind == "words" else (3, 4)
    chosen = tuple(sorted(set(orders)))
    if not chosen or not all(isinstance(order, int) and 1 <= order <= _LONGEST for order in chosen):
        raise UsageError(f"orders of n-grams are whole numbers from 1 to {_LONGEST}; found {brief(list(orders))}.")
    return chosen


def _names(kind: Kind, size: int, ends: NDArray[np.int64], letters: NDArray[np.uint8]) -> pa.Array:
    if ends.size != size + 1 or ends[0] != 0 or ends[-1] != letters.size or bool(np.any(ends[1:] < ends[:-1])):
        raise _damaged("the offsets of its names are wrong")
    names = pa.LargeStringArray.from_buffers(size, pa.py_buffer(ends), pa.py_buffer(letters))
    try:
        names.validate(full=True)
    except pa.ArrowInvalid as error:
        raise _damaged("its names are not UTF-8") from error
    if not pc.all(pc.starts_with(names, f"{PREFIX[kind]}:"), min_count=0).as_py() or len(pc.unique(names)) < size:
        raise _damaged("its names must be unique and begin with their kind")
    return names


def _is_power(columns: Any) -> bool:
    return isinstance(columns, int) and 1 <= columns <= _MOST_HASHED and columns & (columns - 1) == 0


def _numbered(kind: Kind, columns: int) -> pa.Array:
    numbers = pc.cast(pa.array(np.arange(columns)), pa.large_string())
    return pc.binary_join_element_wise(
        pa.scalar(PREFIX[kind], pa.large_string()), numbers, pa.scalar("#", pa.large_string())
    )


def _damaged(what: str) -> ModelError:
    return ModelError(f"the vocabulary of n-grams is damaged: {what}.")
