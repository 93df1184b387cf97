"""Writing a folder of shards: block after block, and the folder takes its name when all of it is there."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from runoff.errors import DataError, RunoffError, UsageError
from runoff.files import link_target, reason
from runoff.formats.shard_manifest import NAME, ShardFile, is_shard, manifest
from runoff.locks import HAS_LOCKS, lock
from runoff.nbest.column_union import ColumnUnion
from runoff.nbest.joining import joined
from runoff.nbest.storage import save

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from runoff.nbest import NBest

USUAL_BYTES = 256 * 10**6
_LOCK = ".lock"
_PARTS = ("base", "quality", "texts", "candidate_ids")


@dataclass(frozen=True)
class ShardPlan:
    """Where shards end: after so many lists (`ends`), or as soon as the lists take so many bytes."""

    kind: str = "arrow"  # or parquet
    most_bytes: int = USUAL_BYTES
    ends: Sequence[int] | None = None


class ShardWriter:
    """Collects lists until they fill a shard."""

    def __init__(self, folder: Path, plan: ShardPlan) -> None:
        self.files: list[ShardFile] = []
        self.groups = self.candidates = 0
        self._folder, self._plan = folder, plan
        self._waiting: list[NBest] = []
        self._bytes = 0
        self._has: tuple[bool, ...] | None = None
        self._empty: NBest | None = None

    def add(self, block: NBest) -> None:
        """Take some more lists."""
        self._check(block)
        self._empty = self._empty if len(block) else block
        start = 0
        while start < len(block):
            stop = self._end(block, start)
            piece = block[start:stop]
            self._waiting.append(piece)
            self._bytes += _size(piece)
            self.groups, self.candidates = self.groups + len(piece), self.candidates + piece.n_candidates
            if self._is_full():
                self._write()
            start = stop

    def finish(self) -> None:
        """Write what is left, and the manifest."""
        if self._empty is not None and not (self._waiting or self.files):
            self._waiting = [self._empty]  # a set without lists has one shard, with its columns
        if self._waiting:
            self._write()
        path = self._folder / NAME
        path.write_bytes(manifest(self.files))
        with path.open("rb+") as written:
            os.fsync(written.fileno())

    def _end(self, block: NBest, start: int) -> int:
        if self._plan.ends is not None:
            return min(len(block), start + self._plan.ends[len(self.files)] - self.groups)
        # A block may be larger than a shard: it is taken in pieces of about a shard.
        each = max(1, len(block) * self._plan.most_bytes // max(_size(block), 1))
        return min(len(block), start + each)

    def _is_full(self) -> bool:
        if self._plan.ends is not None:
            return self.groups == self._plan.ends[len(self.files)]
        return self._bytes >= self._plan.most_bytes

    def _write(self) -> None:
        pieces = self._waiting
        data = pieces[0] if len(pieces) == 1 else joined(lambda: _alike(pieces))
        name = f"{len(self.files):05}.{self._plan.kind}"
        save(data, self._folder / name)
        size = (self._folder / name).stat().st_size
        self.files.append(ShardFile(name, size, len(data), data.n_candidates, data.features.n_stored))
        self._waiting, self._bytes = [], 0

    def _check(self, block: NBest) -> None:
        has = tuple(getattr(block, name) is not None for name in _PARTS)
        if not len(block) or has == self._has:
            return
        if self._has is not None:
            at = next(at for at, (mine, other) in enumerate(zip(has, self._has, strict=True)) if mine != other)
            what, first = _PARTS[at].replace("_", " "), block.group_ids[0].as_py()
            raise DataError(
                f"some lists have {what} and others have none (this changes at group {first!r} or soon after it); give "
                "them to all or to none."
            )
        self._has = has


@contextlib.contextmanager
def writing_shards(path: str | Path, plan: ShardPlan | None = None) -> Iterator[ShardWriter]:
    """Yield a writer of shards; the folder is there, in place of an older set, when the block succeeds.

    A crash, a full disk or a kill leaves the older set as it was, or nothing; what a killed process left behind is
    removed by the next one that writes the same name.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from runoff.formats import read
    >>> from runoff.nbest import NBest
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "lists"
    >>> with writing_shards(folder) as shards:
    ...     shards.add(NBest.from_arrays([[1.0], [2.0]], sizes=[1, 1]))
    >>> sorted(each.name for each in folder.iterdir()), len(read(folder))
    (['00000.arrow', 'shards.json'], 2)
    """
    target = link_target(path)
    check_replaceable(path)
    try:
        _remove_left_over(target)
        temporary = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part"))
        handle = os.open(temporary / _LOCK, os.O_CREAT | os.O_RDWR, 0o600)
        lock(handle)
    except OSError as error:
        raise RunoffError(f"{path} cannot be written: {reason(error)}.") from error
    try:
        writer = ShardWriter(temporary, plan or ShardPlan())
        yield writer
        writer.finish()
        _take_name(temporary, target)
    except OSError as error:
        raise _not_written(path, error) from error
    except RunoffError as error:
        if isinstance(error.__cause__, OSError) and str(temporary) in str(error):
            raise _not_written(path, error.__cause__) from error
        raise
    finally:
        os.close(handle)
        shutil.rmtree(temporary, ignore_errors=True)


def check_replaceable(path: str | Path) -> None:
    """Raise unless a folder of shards can take this name: nothing is there, or an older set, or an empty folder."""
    target = link_target(path)
    if not target.exists():
        return
    if not target.is_dir():
        raise UsageError(f"{path} is a file, and a folder of shards is to be written; choose another name.")
    others = [each.name for each in target.iterdir() if not is_shard(each.name) and each.name != NAME]
    is_set = (target / NAME).is_file() and not others
    if any(target.iterdir()) and not is_set:
        raise UsageError(f"{path} has other files than shards that Runoff wrote; choose another name, or remove them.")


def _take_name(temporary: Path, target: Path) -> None:
    (temporary / _LOCK).unlink()
    umask = os.umask(0)
    os.umask(umask)
    temporary.chmod(0o777 & ~umask)
    if target.exists():
        older = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part"))
        target.rename(older)
        temporary.rename(target)
        shutil.rmtree(older, ignore_errors=True)
    else:
        temporary.rename(target)


def _remove_left_over(target: Path) -> None:
    """Remove what killed processes left of this name."""
    if not HAS_LOCKS:
        return
    ours = re.compile(re.escape(f".{target.name}.") + r"[a-z0-9_]{8}\.part")
    for folder in [each for each in target.parent.iterdir() if ours.fullmatch(each.name) and each.is_dir()]:
        with contextlib.suppress(OSError):  # it is being written
            handle = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
            try:
                if lock(handle):
                    shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(handle)


def _not_written(path: str | Path, error: OSError) -> RunoffError:
    return RunoffError(f"{path} was not written: {reason(error)}. What was there before is unchanged.")


def _alike(pieces: list[NBest]) -> Iterator[NBest]:
    """Pieces with the columns of all: lines that are read one after the other add columns."""
    union = ColumnUnion()
    for piece in pieces:
        union.add(piece.features.n_columns, piece.features.names)
    for piece in pieces:
        yield piece.replace(features=union.aligned(piece.features))


def _size(data: NBest) -> int:
    """About how many bytes lists take."""
    texts = 0
    for column in (data.texts, data.inputs, data.references):
        if column is not None:
            texts += column.nbytes
    return 8 * data.features.n_stored + 24 * data.n_candidates + texts
