"""The data object itself: immutable, sliceable by groups, backed by flat arrays."""

from __future__ import annotations

import dataclasses
import html
from dataclasses import dataclass, field
from functools import cached_property
from types import EllipsisType, MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.arrays import frozen
from runoff.errors import UsageError
from runoff.nbest.checks import PER_CANDIDATE, PER_GROUP, check

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from runoff.arrays import Floats, Ints
    from runoff.nbest.csr import Features

_MAPPINGS = ("attributes", "stats")
_SHOWN = 5  # lists in a notebook
Key: TypeAlias = "int | slice | Sequence[int] | Sequence[bool] | NDArray[Any]"


@dataclass(frozen=True, eq=False, repr=False)
class NBest:
    """Groups of candidates: what a first round proposed for each input.

    Candidates of group `i` are rows `offsets[i]` to `offsets[i + 1]` of everything that has one entry per candidate. A
    group is one sample: `len(data)` counts groups, and indexing by a number, a slice, a mask or an array of numbers
    gives an `NBest` of those groups. It is immutable; `replace` returns a new one that shares the unchanged parts.
    `from_arrays` and `replace` copy arrays that the caller could change; the class itself takes arrays as they are.

    If the rows of groups came interleaved, `rows` has the input row of every candidate; a slice of such data is in its
    own order, group by group, and has no `rows`. `data[:]` is the data itself.

    Examples
    --------
    >>> data = NBest.from_arrays([[1, 0], [0, 2], [3, 0]], quality=[0.5, 1.0, 0.0], sizes=[2, 1])
    >>> data
    NBest(2 groups, 3 candidates, 2 features, quality)
    >>> data[1].quality.tolist()
    [0.0]
    """

    offsets: Ints
    features: Features
    group_ids: pa.Array
    base: Floats | None = None  # first-round score, higher is better
    quality: Floats | None = None  # how good a candidate really is, higher is better
    texts: pa.Array | None = None
    candidate_ids: pa.Array | None = None
    inputs: pa.Array | None = None  # one per group
    references: pa.Array | None = None  # a list of texts per group
    missed: pa.Array | None = None  # a list of numbers per group: qualities of answers that the first round left out
    attributes: Mapping[str, pa.Array] = field(default_factory=dict)  # name -> one text per group: document, speaker
    stats: Mapping[str, Floats] = field(default_factory=dict)  # metric -> one row of statistics per candidate
    rows: Ints | None = None  # input row of every candidate, when groups came interleaved
    metric: str | None = None  # metric that this data is usually evaluated with
    notes: tuple[str, ...] = ()  # what a reader left out or changed, as sentences

    def __post_init__(self) -> None:
        check(self)
        for name in _MAPPINGS:
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    # ---------------------------------------------------------------- building

    @classmethod
    def from_arrays(
        cls,
        X: Any = None,
        quality: Any = None,
        *,
        groups: Any = None,
        sizes: Any = None,
        offsets: Any = None,
        base: Any = None,
        texts: Any = None,
        candidate_ids: Any = None,
        group_ids: Any = None,
        inputs: Any = None,
        references: Any = None,
        missed: Any = None,
        attributes: Mapping[str, Any] | None = None,
        feature_names: Any = None,
        stats: Mapping[str, Any] | None = None,
        metric: str | None = None,
        notes: Iterable[str] = (),
    ) -> NBest:
        """Build from arrays with one row per candidate.

        `X` is a dense table, a scipy sparse matrix or None; NaN in it is a missing value. Give the grouping as
        `groups` (an id per row, in any order), `sizes` or `offsets`. Interleaved `groups` are brought together, and
        `model.scores(data)` returns scores in the order of the input rows. `group_ids`, `inputs`, `references`,
        `missed` and every one of the `attributes` have one entry per group, in the order in which the groups first
        appear. `missed` lists the qualities of good answers that are not among a group's candidates, known from the
        judgements of a retrieval task; NDCG and MAP count them. `attributes` are named texts, such as documents or
        speakers, by which folds can keep groups together.
        """
        from runoff.nbest.build import from_arrays

        return from_arrays(
            X,
            quality,
            groups=groups,
            sizes=sizes,
            offsets=offsets,
            base=base,
            texts=texts,
            candidate_ids=candidate_ids,
            group_ids=group_ids,
            inputs=inputs,
            references=references,
            missed=missed,
            attributes=attributes,
            feature_names=feature_names,
            stats=stats,
            metric=metric,
            notes=notes,
        )

    @classmethod
    def from_records(cls, records: Iterable[Mapping[str, Any]]) -> NBest:
        """Build from one mapping per group, with the keys of Runoff's JSON lines.

        Examples
        --------
        >>> record = {"id": "a", "candidates": [{"text": "yes", "quality": 1}, {"text": "no", "quality": 0}]}
        >>> NBest.from_records([record])
        NBest(1 group, 2 candidates, 0 features, quality)
        """
        from runoff.nbest.records import from_records

        return from_records(records)

    @classmethod
    def from_table(cls, table: Any, *, group: str, **columns: Any) -> NBest:
        """Build from a pandas, polars or Arrow table with one row per candidate and a column of group ids.

        Columns: `quality`, `base`, `text`, `id` name the columns of these; `features` lists the feature
        columns (default: every numeric column that has no other use).
        """
        from runoff.nbest.build import from_table

        return from_table(table, group=group, **columns)

    # ---------------------------------------------------------------- as a sequence of groups

    def __len__(self) -> int:
        return int(self.offsets.size - 1)

    @property
    def shape(self) -> tuple[int]:
        """Number of groups, in the form that scikit-learn expects."""
        return (len(self),)

    @property
    def n_candidates(self) -> int:
        """Number of candidates in all groups."""
        return int(self.offsets[-1])

    @property
    def sizes(self) -> Ints:
        """Number of candidates of every group."""
        return np.diff(self.offsets)

    @property
    def group_of(self) -> Ints:
        """Group number of every candidate. O(candidates), computed on every access."""
        return frozen(np.repeat(np.arange(len(self)), self.sizes))

    @cached_property
    def first_copies(self) -> Ints | None:
        """Row of every candidate's first copy, itself or another with the same text; None where no text is repeated."""
        from runoff.nbest.copies import first_copies

        return first_copies(self)

    def __iter__(self) -> Iterator[NBest]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, key: Key | tuple[Key, EllipsisType]) -> NBest:
        if isinstance(key, tuple) and len(key) == 2 and key[1] is Ellipsis:
            key = key[0]  # how scikit-learn slices arrays
        if isinstance(key, (int, np.integer)):
            if not -len(self) <= key < len(self):
                raise IndexError(f"there are {len(self)} groups; found index {key}.")
            key = slice(int(key) % len(self), int(key) % len(self) + 1)
        if isinstance(key, slice):
            start, stop, step = key.indices(len(self))
            if step == 1:
                return self._between(start, max(start, stop))
            return self._take(np.arange(start, stop, step))
        picks = np.asarray(key)
        if picks.size == 0:
            return self._between(0, 0)
        if picks.dtype == np.bool_:
            if picks.shape != (len(self),):
                raise IndexError(f"a mask over groups needs {len(self)} entries; found {picks.size}.")
            return self._take(np.flatnonzero(picks))
        if picks.dtype.kind not in "iu" or picks.ndim != 1:
            raise IndexError("index groups by a number, a slice, a mask or a list of numbers.")
        if picks.min() < -len(self) or picks.max() >= len(self):
            raise IndexError(f"there are {len(self)} groups; found index {int(picks.max())}.")
        return self._take(picks.astype(np.int64) % len(self))

    def _between(self, start: int, stop: int) -> NBest:
        if start == 0 and stop == len(self):
            return self
        first, last = int(self.offsets[start]), int(self.offsets[stop])
        cut = slice(first, last)
        return dataclasses.replace(
            self,
            offsets=frozen(self.offsets[start : stop + 1] - first),
            features=self.features.rows(first, last),
            **{name: value[start:stop] for name, value in self._per_group()},
            **{name: value[cut] for name, value in self._per_candidate()},
            attributes={key: value[start:stop] for key, value in self.attributes.items()},
            stats={key: value[cut] for key, value in self.stats.items()},
            rows=None,
        )

    def _take(self, groups: Ints) -> NBest:
        if groups.size and np.all(np.diff(groups) == 1):
            return self._between(int(groups[0]), int(groups[-1]) + 1)
        sizes = self.sizes[groups]
        offsets = np.zeros(groups.size + 1, np.int64)
        np.cumsum(sizes, out=offsets[1:])
        rows = np.arange(offsets[-1]) + np.repeat(self.offsets[groups] - offsets[:-1], sizes)
        return dataclasses.replace(
            self,
            offsets=frozen(offsets),
            features=self.features.take(rows),
            **{name: _pick(value, groups) for name, value in self._per_group()},
            **{name: _pick(value, rows) for name, value in self._per_candidate()},
            attributes={key: _pick(value, groups) for key, value in self.attributes.items()},
            stats={key: frozen(value[rows]) for key, value in self.stats.items()},
            rows=None,
        )

    def _per_group(self) -> list[tuple[str, Any]]:
        named = ((name, getattr(self, name)) for name in PER_GROUP)
        return [(name, value) for name, value in named if value is not None]

    def _per_candidate(self) -> list[tuple[str, Any]]:
        named = ((name, getattr(self, name)) for name in PER_CANDIDATE)
        return [(name, value) for name, value in named if value is not None]

    # ---------------------------------------------------------------- parts and changes

    def replace(self, **changes: Any) -> NBest:
        """Return the same data with some parts replaced; arrays are checked and frozen.

        New texts or references drop `stats`, which were counted from the old ones, unless new ones are given too.

        Examples
        --------
        >>> data = NBest.from_arrays([[1.0], [2.0]], sizes=[2])
        >>> data.replace(quality=[1, 0]).quality.tolist()
        [1.0, 0.0]
        """
        from runoff.nbest.build import new_parts

        is_new = any(name in changes and changes[name] is not getattr(self, name) for name in ("texts", "references"))
        if is_new and "stats" not in changes:
            changes["stats"] = {}
        return dataclasses.replace(self, **new_parts(changes))

    def find(self, group_id: str) -> int:
        """Index of the group with this id."""
        found = pc.index(self.group_ids, pa.scalar(str(group_id), pa.large_string())).as_py()
        if found < 0:
            some = ", ".join(self.group_ids[:3].to_pylist())
            raise UsageError(f"there is no group {group_id!r} in this data; its ids look like: {some}.")
        return int(found)

    def in_input_order(self, values: NDArray[Any]) -> NDArray[Any]:
        """Put one value per candidate back in the order of the input rows."""
        if self.rows is None:
            return values
        restored = np.empty_like(values)
        restored[self.rows] = values
        return restored

    def save(self, path: str | Path) -> None:
        """Write to an Arrow file (opened memory-mapped later), or Parquet if the name ends in `.parquet`."""
        from runoff.nbest.storage import save

        save(self, path)

    def __reduce__(self) -> tuple[Any, ...]:
        # Worker processes get their data by pickle, which cannot handle the read-only mappings.
        parts = {each.name: getattr(self, each.name) for each in dataclasses.fields(self)}
        return _rebuilt, ({**parts, **{name: dict(parts[name]) for name in _MAPPINGS}},)

    def _repr_html_(self) -> str:
        """The first lists, each with its first candidate, for a notebook."""
        from runoff.tables import html_table, shorten

        rows = []
        for at in range(min(len(self), _SHOWN)):
            start, size = int(self.offsets[at]), int(self.sizes[at])
            text = "" if self.texts is None or not size else self.texts[start].as_py()
            asked = "" if self.inputs is None else self.inputs[at].as_py() or ""
            rows.append([self.group_ids[at].as_py(), f"{size:,}", shorten(asked, 60), shorten(text or "", 60)])
        more = f"<p>{len(self) - len(rows):,} more</p>" if len(self) > len(rows) else ""
        table = html_table(["group", "candidates", "input", "first candidate"], rows)
        return f"<p>{html.escape(repr(self))}</p>{table}{more}"

    def __repr__(self) -> str:
        def count(number: int, word: str) -> str:
            return f"{number:,} {word}" + ("" if number == 1 else "s")

        parts = [
            count(len(self), "group"),
            count(self.n_candidates, "candidate"),
            count(self.features.n_columns, "feature"),
            *(name for name in ("base", "quality", "references", "missed") if getattr(self, name) is not None),
        ]
        return f"NBest({', '.join(parts)})"


def _pick(values: Any, at: Ints) -> Any:
    return values.take(pa.array(at)) if isinstance(values, pa.Array) else frozen(values[at])


def _rebuilt(parts: dict[str, Any]) -> NBest:
    return NBest(**parts)
