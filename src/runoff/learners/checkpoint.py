"""Progress of a long training on disk: the path so far, from which everything else follows bit for bit."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson
import pyarrow as pa

from runoff.errors import UsageError
from runoff.files import replacing

if TYPE_CHECKING:
    from runoff.learners.boosting_run import Run
    from runoff.nbest import NBest

KEY = b"runoff-checkpoint"
_FREE = ("checkpoint", "verbose")  # parameters that do not change the path
_FREE_IF_FIXED = ("rounds", "max_rounds", "metric")  # nor do these, where the number of rounds is not chosen on dev


@dataclass(frozen=True)
class Checkpoint:
    """A file with the path of every run by name, and the fingerprint of the data and parameters it belongs to."""

    path: Path
    fingerprint: str
    rounds: dict[str, tuple[Any, Any]]

    @classmethod
    def open(cls, path: str | Path, data: NBest, parameters: dict[str, Any]) -> Checkpoint:
        """Read what is there; a file of other data or parameters is refused."""
        path = Path(path)
        free = _FREE if parameters["rounds"] == "auto" else (*_FREE, *_FREE_IF_FIXED)
        kept = {name: value for name, value in parameters.items() if name not in free}
        if path.is_dir() or not path.parent.is_dir():
            raise UsageError(f"the checkpoint {path} cannot be written: it is a folder, or its folder does not exist.")
        fingerprint = _fingerprint(data, kept)
        if not path.exists():
            return cls(path, fingerprint, {})
        try:
            with pa.OSFile(str(path)) as source:
                table = pa.ipc.open_file(source).read_all()
            header = orjson.loads(table.schema.metadata[KEY])
        except (pa.ArrowException, KeyError, TypeError, ValueError) as error:
            raise UsageError(f"{path} is not a checkpoint of Runoff; give another name or remove it.") from error
        if header["fingerprint"] != fingerprint:
            raise UsageError(
                f"{path} is the checkpoint of other data or other parameters; give another name or remove it."
            )
        names, columns, deltas = table["run"].to_numpy(), table["column"].to_numpy(), table["delta"].to_numpy()
        return cls(path, fingerprint, {each: (columns[names == each], deltas[names == each]) for each in set(names)})

    def restore(self, run: Run, most: int) -> None:
        """Bring a new run to where the checkpoint is, or to `most` rounds."""
        columns, deltas = self.rounds.get(run.name, ((), ()))
        if len(columns):
            run.restore(columns[:most], deltas[:most])

    def save(self, runs: list[Run]) -> None:
        """Write the paths so far; the file is the old one or the new one, never half of it."""
        for run in runs:
            # What an earlier call had gone further on is kept: this one may have been asked for less.
            if run.done > len(self.rounds.get(run.name, ((),))[0]):
                self.rounds[run.name] = run.engine.features, run.engine.deltas
        parts = [(name, *path) for name, path in self.rounds.items()]
        # A run may go on while this is written: every part is cut to what both arrays have.
        sizes = [min(len(columns), len(deltas)) for _, columns, deltas in parts]
        table = pa.table(
            {
                "run": [name for (name, *_), n in zip(parts, sizes, strict=True) for _ in range(n)],
                "column": np.concatenate([[], *(each[1][:n] for each, n in zip(parts, sizes, strict=True))]).astype(
                    int
                ),
                "delta": np.concatenate([[], *(each[2][:n] for each, n in zip(parts, sizes, strict=True))]),
            }
        ).replace_schema_metadata({KEY: orjson.dumps({"fingerprint": self.fingerprint})})
        with (
            replacing(self.path) as temporary,
            pa.OSFile(str(temporary), "wb") as sink,
            pa.ipc.new_file(sink, table.schema) as writer,
        ):
            writer.write_table(table)


def _fingerprint(data: NBest, parameters: dict[str, Any]) -> str:
    digest = hashlib.blake2b(
        orjson.dumps(parameters, option=orjson.OPT_SORT_KEYS | orjson.OPT_SERIALIZE_NUMPY), digest_size=16
    )
    features = data.features
    start, stop = features.indptr[0], features.indptr[-1]
    arrays = [data.offsets, features.indptr - start, features.indices[start:stop], data.quality, data.base]
    if features.values is not None:
        arrays.append(features.values[start:stop])
    for array in arrays:
        digest.update(b"-" if array is None else np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
