"""Scores of texts on disk, by content: what was scored once is not scored again, and an interrupted run goes on.

A file holds hashes and numbers, no text. Its name has the fingerprint of the model and of how it was asked.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from runoff.errors import ModelError, UsageError
from runoff.opening.archive import write_archive
from runoff.opening.guard import check_format, guarded_archive

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from runoff.arrays import Floats

FORMAT, VERSION = "runoff-neural-scores", 1
_KEY = 16  # bytes


def usual_folder() -> Path:
    """Folder for kept scores unless another is named: in that of the user's caches.

    Examples
    --------
    >>> usual_folder().name
    'neural'
    """
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "runoff" / "neural"


def content_key(given: str | None, text: str) -> bytes:
    """What identifies a text and its input.

    Examples
    --------
    >>> content_key("a", "b") == content_key("a", "b"), content_key(None, "b") == content_key("", "b")
    (True, False)
    """
    return hashlib.blake2b(json.dumps([given, text]).encode(), digest_size=_KEY).digest()


class KeptScores:
    """Rows of scores by content, in memory and, if there is a folder, in a file.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> kept = KeptScores("f00d", folder)
    >>> kept.add([content_key(None, "a cat")], np.array([[-3.5, -1.75]]), ["sum", "mean"])
    >>> kept.save()
    >>> KeptScores("f00d", folder).get(content_key(None, "a cat")).tolist()
    [-3.5, -1.75]
    """

    def __init__(self, fingerprint: str, folder: Path | None = None) -> None:
        self.path = None if folder is None else folder / f"{fingerprint}.scores"
        self.columns: tuple[str, ...] = ()
        self._rows: dict[bytes, Floats] = {}
        self._unsaved = False
        if folder is not None:
            _make(folder)
        self._read()

    def __contains__(self, key: bytes) -> bool:
        return key in self._rows

    def __len__(self) -> int:
        return len(self._rows)

    def get(self, key: bytes) -> Floats:
        """The scores of a content; KeyError where there are none."""
        return self._rows[key]

    def add(self, keys: Iterable[bytes], rows: Floats, columns: Sequence[str]) -> None:
        """Take scores into memory; what is known stays as it was."""
        self.columns = tuple(columns)
        for key, row in zip(keys, rows, strict=True):
            self._rows.setdefault(key, row)
        self._unsaved = True

    def save(self) -> None:
        """Write everything, with what another process wrote meanwhile. O(all that is kept)."""
        if self.path is None or not self._unsaved:
            return
        self._read()
        keys = np.frombuffer(b"".join(self._rows), np.uint8).reshape(-1, _KEY)
        with write_archive(self.path, compressed=False) as archive:
            archive.add_json("header.json", {"format": FORMAT, "version": VERSION, "columns": list(self.columns)})
            archive.add_array("keys.npy", keys)
            archive.add_array("scores.npy", np.stack(list(self._rows.values())))
        self._unsaved = False

    def _read(self) -> None:
        if self.path is None or not self.path.exists():
            return
        with guarded_archive(self.path, "file of neural scores (it can be deleted)") as archive:
            header = archive.json("header.json")
            check_format(header, self.path, "file of neural scores", FORMAT, VERSION)
            columns = tuple(map(str, header["columns"]))
            keys, scores = archive.array("keys.npy"), archive.array("scores.npy")
            fits = keys.dtype == np.uint8 and scores.dtype == np.float64 and keys.shape == (len(scores), _KEY)
            if not fits or scores.shape != (len(keys), len(columns)) or not np.isfinite(scores).all():
                raise ModelError("its arrays do not fit together.")
        self.columns = columns
        content = np.ascontiguousarray(keys).tobytes()
        for at, row in enumerate(scores):
            self._rows.setdefault(content[at * _KEY : (at + 1) * _KEY], row)


def writable(folder: Path) -> Path | None:
    """The folder, made if need be; None where nothing can be written."""
    with contextlib.suppress(UsageError):
        return _make(folder)
    return None


def _make(folder: Path) -> Path:
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise UsageError(f"the folder {folder} for scores of neural models cannot be written; name another, or none.")
    return folder
