"""Columns that a preparation step adds to those of the data: their names, and how these stay free."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping


def free_mark(names: pa.Array, added: Callable[[str], Collection[str]]) -> str:
    """The shortest mark, of apostrophes, with which no name that is added is taken.

    Examples
    --------
    >>> free_mark(pa.array(["a", "rank:a"]), lambda mark: [f"rank{mark}:a"])
    "'"
    """
    mark = ""
    while are_taken(names, added(mark)):
        mark += "'"
    return mark


def are_taken(names: pa.Array, added: Collection[str] | pa.Array) -> bool:
    """Whether a column has one of these names. O(columns)."""
    return len(added) > 0 and bool(pc.any(pc.is_in(names, value_set=texts(added))).as_py())


def names_apart(names: pa.Array, added: Collection[str] | pa.Array, suffix: str) -> pa.Array:
    """Names of the columns of new data; one that would be taken for an added column gets the suffix.

    Examples
    --------
    >>> names_apart(pa.array(["a", "rank:a"]), ["rank:a"], " (not a rank)").to_pylist()
    ['a', 'rank:a (not a rank)']
    """
    if not are_taken(names, added):
        return names
    own, taken = names.to_pylist(), frozenset(texts(added).to_pylist())
    used = {*own, *taken}
    for at, name in enumerate(own):
        if name in taken:
            while own[at] in used:
                own[at] += suffix
    return texts(own)


def has_columns_and_mark(step: Mapping[str, Any]) -> bool:
    """Whether a step that came from a file has `columns`, names that differ, and perhaps a `mark`.

    Examples
    --------
    >>> [has_columns_and_mark({"columns": columns}) for columns in (["bm25"], ["bm25", 7], "bm25")]
    [True, False, False]
    """
    columns = step.get("columns")
    return (
        isinstance(columns, list)
        and all(isinstance(name, str) for name in columns)
        and len(set(columns)) == len(columns)
        and isinstance(step.get("mark", ""), str)
    )


def texts(names: Collection[str] | pa.Array) -> pa.Array:
    """Names as an Arrow array; one that is one already stays as it is."""
    return names if isinstance(names, pa.Array) else pa.array(list(names), pa.large_string())
