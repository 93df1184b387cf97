"""A data set in several files: read as one, or block by block in bounded memory."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from runoff.errors import DataError, UsageError, brief
from runoff.formats import arrow
from runoff.formats.shard_manifest import found_files, listed_files
from runoff.nbest import storage
from runoff.nbest.column_union import ColumnUnion
from runoff.nbest.group_id_watch import GroupIdWatch
from runoff.nbest.joining import joined

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from runoff.arrays import Ints
    from runoff.nbest import NBest

MOST_CANDIDATES, MOST_STORED = 1 << 17, 1 << 23  # of a block
_UNPACKED = 4  # times the size of a Parquet file that its data takes
_SAME = ("base", "quality", "texts", "candidate_ids")  # what all files have, or none


class ShardSet:
    """Files of lists in the order of the set; columns of features are matched by name.

    Every file is validated in full whenever it is read. A list stands in one file: ids differ from file to file.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from runoff.nbest import NBest
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> data = NBest.from_arrays([[1.0], [2.0], [3.0]], sizes=[1, 2])
    >>> for at in range(2):
    ...     data[at].save(folder / f"{at}.arrow")
    >>> shards = ShardSet(folder)
    >>> shards.whole(), [len(block) for block in shards.blocks(most_candidates=2)]
    (NBest(2 groups, 3 candidates, 1 feature), [1, 1])
    """

    def __init__(self, folder: Path, columns: str | None = None) -> None:
        if folder.exists() and not folder.is_dir():
            raise DataError("expected a folder of shards, and this is a file.", path=folder)
        self.folder, self.columns = folder, columns
        self.listed = listed_files(folder)
        self.files = found_files(folder) if self.listed is None else [folder / each.name for each in self.listed]

    @property
    def size(self) -> int:
        """About how many bytes the data takes in memory."""
        return sum(path.stat().st_size * (_UNPACKED if path.suffix.lower() == ".parquet" else 1) for path in self.files)

    @property
    def groups(self) -> int | None:
        """Number of lists; None where no manifest tells it."""
        return None if self.listed is None else sum(each.groups for each in self.listed)

    @cached_property
    def union(self) -> ColumnUnion:
        """The columns of features of all files; files of other programs are read for it."""
        found = ColumnUnion()
        for path in self.files:
            schema = arrow.schema_of(path)
            if storage.is_ours(schema):
                found.add(*storage.columns_of(schema, path))
            else:
                features = self._read(path).features
                found.add(features.n_columns, features.names)
        return found

    def parts(self) -> Iterator[NBest]:
        """The data of every file, with the columns of all."""
        union, watch, first = self.union, GroupIdWatch(), None
        for path in self.files:
            data = self._read(path)
            if len(data):
                first = first or (path, data)
                _check_same(path, data, *first)
            watch.add(data.group_ids)
            yield data.replace(features=union.aligned(data.features))
        again = watch.repeated()
        if again is not None:
            raise self._repeated(again)

    def blocks(self, most_candidates: int = MOST_CANDIDATES, most_stored: int = MOST_STORED) -> Iterator[NBest]:
        """Whole lists, up to so many candidates and stored values at a time (at least one list).

        Where blocks end does not depend on where files end.
        """
        waiting: list[NBest] = []
        candidates = stored = groups = given = 0
        for part in self.parts():
            work = part.offsets, part.features.indptr[part.offsets], np.arange(len(part) + 1)
            start = 0
            while start < len(part):
                room = most_candidates - candidates, most_stored - stored, most_candidates - groups
                stop = _fitting(work, room, start, at_least_one=not waiting)
                if stop > start:
                    waiting.append(part[start:stop])
                    candidates, stored, groups = (
                        so_far + int(each[stop] - each[start])
                        for so_far, each in zip((candidates, stored, groups), work, strict=True)
                    )
                if stop < len(part):
                    yield _one(waiting)
                    given, waiting, candidates, stored, groups = given + 1, [], 0, 0, 0
                start = stop
        if waiting or not given:
            yield _one(waiting) if waiting else self.whole()

    def whole(self) -> NBest:
        """Everything at once. Takes as much memory as the data, and one file."""
        return joined(self.parts)

    def _read(self, path: Path) -> NBest:
        try:
            return arrow.read(path, self.columns)
        except UsageError as error:
            raise UsageError(f"{path}: {error}") from error

    def _repeated(self, at: int) -> DataError:
        """The error for an id that file `at` shares with an earlier one."""
        mine = dict.fromkeys(self._read(self.files[at]).group_ids.to_pylist())
        for path in self.files[:at]:
            for name in self._read(path).group_ids.to_pylist():
                if name in mine:
                    return DataError(
                        f"group {brief(name)} is also in {path.name}; every group must be whole, in one file, and ids "
                        "must differ.",
                        path=self.files[at],
                    )
        return DataError("a group id is also in an earlier file; ids must differ.", path=self.files[at])


def _check_same(path: Path, data: NBest, first_path: Path, first: NBest) -> None:
    for name in _SAME:
        mine, other = getattr(data, name) is not None, getattr(first, name) is not None
        if mine != other:
            what, (has, lacks) = name.replace("_", " "), (path, first_path) if mine else (first_path, path)
            raise DataError(
                f"{has.name} has {what} and {lacks.name} has none; give them to all files of a set or to none.",
                path=path,
            )


def _fitting(work: tuple[Ints, ...], room: tuple[int, ...], start: int, *, at_least_one: bool) -> int:
    """The first list from `start` on that finds no room."""
    stops = [
        int(np.searchsorted(each, each[start] + left, side="right")) - 1 for each, left in zip(work, room, strict=True)
    ]
    return max(min(stops), start + at_least_one)


def _one(pieces: list[NBest]) -> NBest:
    return pieces[0] if len(pieces) == 1 else joined(lambda: pieces)


def even_ends(groups: int, shards: int) -> list[int]:
    """Where so many shards of about equal numbers of lists end.

    Examples
    --------
    >>> even_ends(10, 3)
    [3, 7, 10]
    """
    cuts = [round(at * groups / shards) for at in range(shards + 1)]
    return [stop for start, stop in pairwise(cuts) if stop > start]
