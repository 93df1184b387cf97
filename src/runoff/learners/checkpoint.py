"""Progress of a long training on disk: the arrays from which its runs resume, to a bit-identical end."""

from __future__ import annotations

import contextlib
import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import orjson

from runoff.errors import RunoffError, UsageError
from runoff.files import link_target, reason
from runoff.locks import only_process
from runoff.opening.archive import open_archive, write_archive
from runoff.opening.limits import DamagedFileError
from runoff.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from runoff.learners.training_loop import TrainingRun
    from runoff.nbest import NBest

VERSION = 4
Arrays: TypeAlias = "dict[str, np.ndarray[Any, Any]]"
_HEADER = "checkpoint.json"
_START_OVER = "give another name, or remove it to start over."


@dataclass(frozen=True)
class Checkpoint:
    """A file with the arrays of every run by name, and the fingerprint of the data and parameters it belongs to.

    A file that cannot be written does not stop the training: the reason is kept in `trouble` until it can.
    """

    path: Path
    fingerprint: str
    runs: dict[str, tuple[int, Arrays]]  # what each run keeps: steps done, and arrays
    trouble: list[str] = field(default_factory=list)

    @classmethod
    @contextlib.contextmanager
    def open(cls, path: str | Path, parameters: Mapping[str, Any], *data: NBest | None) -> Iterator[Checkpoint]:
        """Read what is there; a file of other data or parameters, or of another Runoff, is refused.

        `parameters` and `data` are those that the steps depend on. Within the block, another training is refused.
        """
        place = link_target(path)
        with only_process(place.with_name(f".{place.name}.lock"), f"the checkpoint {path}"):
            yield cls._read(path, parameters, *data)

    @classmethod
    def _read(cls, path: str | Path, parameters: Mapping[str, Any], *data: NBest | None) -> Checkpoint:
        path = Path(path)
        if path.is_dir() or not path.parent.is_dir():
            raise UsageError(f"the checkpoint {path} cannot be written: it is a folder, or its folder does not exist.")
        fingerprint = _fingerprint(parameters, *data)
        if not path.exists():
            return cls(path, fingerprint, {})
        header, runs = _read(path)
        if header["fingerprint"] != fingerprint:
            raise UsageError(f"{path} is the checkpoint of other data or other parameters; {_START_OVER}")
        return cls(path, fingerprint, runs)

    def restore(self, run: TrainingRun, most: int) -> None:
        """Advance a new run to where the checkpoint is, or to `most` steps."""
        if run.name not in self.runs:
            return
        try:
            run.restore(*self.runs[run.name], most)
        except ValueError as error:
            raise _damaged(self.path) from error

    def save(self, runs: Sequence[TrainingRun]) -> None:
        """Write the state of the runs if any got further; the file is the old one or the new one, never half of it."""
        # Where an earlier call got further, its state is kept: this one may have been asked for fewer steps.
        further = [run for run in runs if run.done > self.runs.get(run.name, (0, {}))[0] and not run.failed]
        if not further and not self.trouble:
            return
        self.runs.update((run.name, run.kept()) for run in further)
        header = {
            "version": VERSION,
            "runoff": __version__,
            "fingerprint": self.fingerprint,
            "runs": [[name, done, list(arrays)] for name, (done, arrays) in self.runs.items()],
        }
        try:
            with write_archive(self.path, compressed=False) as archive:
                archive.add_json(_HEADER, header)
                for at, (_, arrays) in enumerate(self.runs.values()):
                    for key, array in arrays.items():
                        archive.add_array(f"{at}/{key}", array)
        except RunoffError as error:
            self.trouble[:] = [f"The checkpoint is not up to date: {error}"]
        else:
            self.trouble.clear()


def _read(path: Path) -> tuple[dict[str, Any], dict[str, tuple[int, Arrays]]]:
    try:
        with open_archive(path) as archive:
            header = archive.json(_HEADER)
            if not isinstance(header, dict) or not isinstance(header["fingerprint"], str):
                raise _damaged(path)
            _check_version(header, path)
            runs: dict[str, tuple[int, Arrays]] = {}
            for at, (name, done, keys) in enumerate(header["runs"]):
                if type(done) is not int or not 0 <= done < 2**63 or not isinstance(name, str):
                    raise _damaged(path)
                runs[name] = done, {key: archive.array(f"{at}/{key}") for key in keys}
            return header, runs
    except UsageError:
        raise
    except OSError as error:
        raise UsageError(f"the checkpoint {path} cannot be read: {reason(error)}.") from error
    except (DamagedFileError, KeyError, TypeError, ValueError) as error:
        raise _damaged(path) from error


def _check_version(header: dict[str, Any], path: Path) -> None:
    mine = {"version": VERSION, "runoff": __version__}
    if {name: header.get(name) for name in mine} != mine:
        raise UsageError(
            f"{path} is a checkpoint of Runoff {header.get('runoff', 'unknown')} (format {header.get('version', 0)}); "
            f"this is Runoff {mine['runoff']} (format {VERSION}), which might not continue bit-identically. Use the "
            f"Runoff that wrote it; or {_START_OVER}"
        )


def _damaged(path: Path) -> UsageError:
    return UsageError(f"{path} is not a checkpoint of Runoff, or it is damaged; {_START_OVER}")


def _fingerprint(parameters: Mapping[str, Any], *parts: NBest | None) -> str:
    digest = hashlib.blake2b(
        orjson.dumps(parameters, option=orjson.OPT_SORT_KEYS | orjson.OPT_SERIALIZE_NUMPY), digest_size=16
    )
    for data in parts:
        if data is None:
            digest.update(b"no data")
            continue
        features = data.features
        start, stop = features.indptr[0], features.indptr[-1]
        arrays = [data.offsets, features.indptr - start, features.indices[start:stop], data.quality, data.base]
        arrays.append(None if features.values is None else features.values[start:stop])
        for array in arrays:
            digest.update(b"-" if array is None else np.ascontiguousarray(array).tobytes())
        for name in features.column_names().to_pylist():
            digest.update(name.encode() + b"\0")
    return digest.hexdigest()
