"""Which first round proposed which candidate, at which rank and with which score, as columns of merged lists tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runoff.errors import DataError
from runoff.kernels.groups import softmax
from runoff.ranking import first_round

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Floats
    from runoff.nbest import NBest

FOUND, SCORE, RANK = "found", "score", "rank"  # columns of merged lists: `SYSTEM:found`, `SYSTEM:score` if it has any
ONLY = "1"  # name of the system of lists that were not merged


@dataclass(frozen=True, eq=False)
class Systems:
    """Systems of a data set, and what each of them says of every candidate.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["a", "b"], sizes=[2], base=[-1.0, -1.0])
    >>> found = Systems.of(data)
    >>> found.names, found.ranks.tolist(), found.shares.tolist()
    (('1',), [[1.0], [0.5]], [[0.5], [0.5]])
    """

    names: tuple[str, ...]
    ranks: Floats  # candidates by systems: one over the rank, 0 where the system did not propose it
    shares: Floats  # the same shape: softmax of the system's scores over its candidates of the group

    @classmethod
    def of(cls, data: NBest, expected: Sequence[str] | None = None) -> Systems:
        """Read the columns of merged lists; lists without them are those of one system. O(candidates systems).

        `expected` are the systems that a combiner was trained with: all must be there, and no others.
        """
        names = system_names(data)
        if expected is not None and tuple(expected) != names:
            if set(expected) != set(names):
                raise DataError(
                    f"the combiner was trained with the systems {', '.join(expected)}, and this data has "
                    f"{', '.join(names)}; merge lists of the same systems, under the same names."
                )
            names = tuple(expected)
        if names == (ONLY,):
            ranks, scores = _first_round_ranks(data)[:, None], [data.base]
        else:
            columns = _columns(data, [f"{name}:{kind}" for kind in (FOUND, RANK, SCORE) for name in names])
            ranks = np.column_stack([columns[f"{name}:{RANK}"] for name in names])
            ranks[np.column_stack([columns[f"{name}:{FOUND}"] for name in names]) == 0] = 0.0
            scores = [columns.get(f"{name}:{SCORE}") for name in names]
        shares = [_shares(data, ranks[:, at], scores[at]) for at in range(len(names))]
        return cls(names, ranks, np.column_stack(shares) if data.n_candidates else ranks)


def system_names(data: NBest) -> tuple[str, ...]:
    """The systems of merged lists, in the order of their columns; the only one otherwise.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> columns = ["a:found", "a:score", "a:rank", "length"]
    >>> system_names(NBest.from_arrays([[1, -2, 1, 7]], sizes=[1], feature_names=columns))
    ('a',)
    """
    if data.features.names is None and data.features.n_columns == 0:
        return (ONLY,)
    return systems_in(data.features.column_names().to_pylist()) or (ONLY,)


def systems_in(columns: Sequence[str]) -> tuple[str, ...]:
    """The systems of merged lists that have these columns.

    Examples
    --------
    >>> systems_in(["a:found", "a:rank", "b:rank"])
    ('a',)
    """
    there = set(columns)
    names = [name.removesuffix(f":{FOUND}") for name in columns if name.endswith(f":{FOUND}")]
    return tuple(name for name in names if f"{name}:{RANK}" in there)


def _columns(data: NBest, names: list[str]) -> dict[str, Floats]:
    """Those of the columns that are there, dense; missing values are 0. O(stored values)."""
    place = {name: at for at, name in enumerate(data.features.column_names().to_pylist())}
    table = data.features.to_scipy().tocsc()
    found = {}
    for name in names:
        if name not in place:
            continue
        column = np.zeros(data.n_candidates)
        start, stop = table.indptr[place[name]], table.indptr[place[name] + 1]
        column[table.indices[start:stop]] = np.nan_to_num(table.data[start:stop].astype(np.float64))
        found[name] = column
    return found


def _first_round_ranks(data: NBest) -> Floats:
    order = first_round(data).rows
    ranks = np.empty(data.n_candidates)
    ranks[order] = 1.0 / (np.arange(data.n_candidates) - np.repeat(data.offsets[:-1], data.sizes) + 1)
    return ranks


def _shares(data: NBest, ranks: Floats, scores: Floats | None) -> Floats:
    """Softmax over what the system proposed; without scores, shares go by reciprocal rank."""
    there = ranks > 0
    if scores is None or not np.any(scores[there]):
        weights = np.where(there, ranks, 0.0)
        sums = np.add.reduceat(np.append(weights, 0.0), np.minimum(data.offsets[:-1], weights.size))
        sums[data.sizes == 0] = 0.0
        shares: Floats = weights / np.maximum(np.repeat(sums, data.sizes), 1e-300)
        return shares
    masked = np.where(there, scores, -np.inf)
    # A list in which the system has nothing has no shares.
    some = np.repeat(np.maximum.reduceat(np.append(masked, -np.inf), data.offsets[:-1]), data.sizes) > -np.inf
    return np.where(there, softmax(data.offsets, np.where(some, masked, 0.0)), 0.0)
