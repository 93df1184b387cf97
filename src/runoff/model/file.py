"""A model on disk: one zip file with `model.json` and Arrow tables of its numbers, nothing that can run code."""

from __future__ import annotations

import io
import math
import zipfile
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from runoff.arrays import frozen
from runoff.errors import ModelError
from runoff.features.steps import are_steps, externals_in
from runoff.files import reason, replacing
from runoff.model.linear import LinearModel
from runoff.model.step_arrays import attach_arrays, detach_arrays
from runoff.model.training_path import TrainingPath
from runoff.model.votes import Votes
from runoff.version import __version__

if TYPE_CHECKING:
    import pathlib

    from runoff.arrays import Floats

VERSION = 2
_HEADER, _WEIGHTS, _TRAINING_PATH = "model.json", "weights.arrow", "training_path.arrow"
_VOTES, _CHANGES = "votes.arrow", "votes_changes.arrow"
# What zipfile, zlib and Arrow raise on bytes that are not what they should be (RuntimeError: "encrypted").
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    KeyError,
    TypeError,
    ValueError,
    RuntimeError,
    pa.ArrowException,
)
_THE_SAME_TIME = (1980, 1, 1, 0, 0, 0)  # the same model gives the same bytes


def save(model: LinearModel, path: str | pathlib.Path) -> None:
    """Write a model; see `LinearModel.save`."""
    preparation, arrays = detach_arrays(model.preparation)
    header = {
        "format": "runoff-model",
        "version": VERSION,
        "runoff": __version__,
        "base_weight": model.base_weight,
        "preparation": preparation,
        "provenance": dict(model.provenance),
    }
    with replacing(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        _add(archive, _HEADER, orjson.dumps(header, option=orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY))
        _add(archive, _WEIGHTS, _to_arrow({"name": model.names, "weight": pa.array(model.weights)}))
        for name, array in arrays.items():
            _add(archive, name, _to_arrow({"values": array}))
        if model.training_path is not None:
            columns = {"column": pa.array(model.training_path.columns), "delta": pa.array(model.training_path.deltas)}
            _add(archive, _TRAINING_PATH, _to_arrow(columns))
        if model.votes is not None:
            _add_votes(archive, model.votes)


def load(path: str | pathlib.Path, *, allow_external: bool = False) -> LinearModel:
    """Open a model that `LinearModel.save` wrote.

    Some models name files outside their own that their features need: language models, sentence encoders. These can be
    any files that you can read, and an encoder may bring code: a model that names some is refused unless you
    `allow_external`. They are loaded when the model is used, if they are still those of its training.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> where = pathlib.Path(tempfile.mkdtemp()) / "a.runoff"
    >>> LinearModel.of({"length": -1.0}).save(where)
    >>> load(where).heaviest()
    [('length', -1.0)]
    """
    try:
        with zipfile.ZipFile(path) as archive:
            header = orjson.loads(archive.read(_HEADER))
            _check_version(header, path)
            header["preparation"] = attach_arrays(header["preparation"], lambda name: _array(archive, name))
            if not allow_external:
                _check_external(header["preparation"], path)
            _check_header(header, path)
            table = _from_arrow(archive.read(_WEIGHTS))
            rounds = _from_arrow(archive.read(_TRAINING_PATH)) if _TRAINING_PATH in archive.namelist() else None
            votes = _read_votes(archive) if {_VOTES, _CHANGES} & set(archive.namelist()) else None
        weights = _numbers(table["weight"], np.float64)
        steps = None
        if rounds is not None:
            steps = TrainingPath(_numbers(rounds["column"], np.int64), _numbers(rounds["delta"], np.float64))
        names = table["name"].combine_chunks().cast(pa.large_string())
        _check_weights(weights, names, steps, path)
        if votes is not None:
            votes.check(weights.size, path)
        return LinearModel(
            frozen(weights),
            names,
            float(header["base_weight"]),
            tuple(header["preparation"]),
            header["provenance"],
            steps,
            votes,
        )
    except ModelError:
        raise
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {reason(error)}.") from error
    except _DAMAGE as error:
        raise _damaged(path) from error


def _damaged(path: str | pathlib.Path) -> ModelError:
    return ModelError(f"{path} is not a Runoff model, or it is damaged.")


def _check_version(header: Any, path: str | pathlib.Path) -> None:
    if not isinstance(header, dict) or header.get("format") != "runoff-model":
        raise ModelError(f"{path} is not a Runoff model.")
    if header["version"] != VERSION:
        raise ModelError(
            f"{path} has version {header['version']} of the model format (written by Runoff {header.get('runoff')}); "
            f"this Runoff reads version {VERSION}. Train it again, or use the Runoff that wrote it."
        )


def _check_external(steps: Any, path: str | pathlib.Path) -> None:
    wanted = externals_in(steps)
    if wanted:
        raise ModelError(
            f"{path} asks for {' and '.join(wanted)}, outside its file; if you trust both, allow it: --allow-external, "
            "or load(path, allow_external=True)."
        )


def _check_header(header: dict[str, Any], path: str | pathlib.Path) -> None:
    weight, provenance = header.get("base_weight"), header.get("provenance")
    fine = (
        isinstance(weight, (int, float))
        and not isinstance(weight, bool)
        and math.isfinite(weight)
        and are_steps(header.get("preparation"))
        and isinstance(provenance, dict)
        and isinstance(provenance.get("parameters", {}), dict)
    )
    if not fine:
        raise _damaged(path)


def _check_weights(weights: Floats, names: pa.Array, steps: TrainingPath | None, path: str | pathlib.Path) -> None:
    if not np.isfinite(weights).all() or not (steps is None or np.isfinite(steps.deltas).all()):
        raise ModelError(f"{path} is damaged: it has weights that are not numbers.")
    if names.null_count or len(pc.unique(names)) < len(names):
        raise ModelError(f"{path} is damaged: the names of its weights are not all there and different.")
    if steps is not None and len(steps) and not 0 <= steps.columns.min() <= steps.columns.max() < weights.size:
        raise ModelError(f"{path} is damaged: its training path has weights that it does not have.")


def _add_votes(archive: zipfile.ZipFile, votes: Votes) -> None:
    """One row for every vector: its votes, where the changes end that made it, and the change of its base weight."""
    vectors = {"count": votes.counts, "end": votes.starts, "base": np.append(0.0, votes.base)}
    changes = {"column": votes.columns, "delta": votes.deltas}
    for name, table in ((_VOTES, vectors), (_CHANGES, changes)):
        _add(archive, name, _to_arrow({column: pa.array(values) for column, values in table.items()}))


def _read_votes(archive: zipfile.ZipFile) -> Votes:
    vectors, changes = _from_arrow(archive.read(_VOTES)), _from_arrow(archive.read(_CHANGES))
    return Votes(
        _numbers(vectors["end"], np.int64),
        _numbers(changes["column"], np.int32),
        _numbers(changes["delta"], np.float64),
        _numbers(vectors["base"], np.float64)[1:],
        _numbers(vectors["count"], np.int64),
    )


def _array(archive: zipfile.ZipFile, name: str) -> pa.Array:
    """An array that belongs to a step."""
    return _from_arrow(archive.read(name))["values"].combine_chunks()


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name, _THE_SAME_TIME)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, content)


def _numbers(column: pa.ChunkedArray, kind: Any) -> Any:
    return column.combine_chunks().to_numpy(zero_copy_only=False).astype(kind)


def _from_arrow(content: bytes) -> pa.Table:
    return pa.ipc.open_file(io.BytesIO(content)).read_all()


def _to_arrow(columns: dict[str, pa.Array]) -> bytes:
    table = pa.table(columns)
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()
