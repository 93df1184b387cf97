"""A model on disk: one zip file with `model.json` and Arrow tables of its numbers, nothing that can run code."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.arrays import frozen
from runoff.errors import ModelError
from runoff.features.steps import are_steps, externals_in
from runoff.files import reason
from runoff.model.calibration import Calibration
from runoff.model.linear import LinearModel
from runoff.model.step_arrays import attach_arrays, detach_arrays
from runoff.model.table_numbers import numbers_of
from runoff.model.training_path import TrainingPath
from runoff.model.tree_file import LEAVES, NODES, add_trees, read_trees
from runoff.model.tree_model import TreeModel
from runoff.model.votes import Votes
from runoff.opening.archive import open_archive, write_archive
from runoff.opening.limits import DamagedFileError
from runoff.version import __version__

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Callable, Sequence

    from runoff.arrays import Floats
    from runoff.opening.archive import Archive, ArchiveWriter

VERSION = 3
_HEADER, _WEIGHTS, _TRAINING_PATH = "model.json", "weights.arrow", "training_path.arrow"
_VOTES, _CHANGES = "votes.arrow", "votes_changes.arrow"
# What a header or a table raises that is not as it should be, after the gate has let its bytes pass.
_WRONG = (DamagedFileError, KeyError, TypeError, ValueError, OverflowError, RecursionError, pa.ArrowException)


def save(model: LinearModel, path: str | pathlib.Path) -> None:
    """Write a model; see `LinearModel.save`."""
    with write_archive(path) as archive:
        add_model(model, archive)


def add_model(model: LinearModel, archive: ArchiveWriter) -> None:
    """Write a model into an archive, or a folder of one."""
    preparation, arrays = detach_arrays(model.preparation)
    header = {
        "format": "runoff-model",
        "version": VERSION,
        "runoff": __version__,
        "base_weight": model.base_weight,
        "preparation": preparation,
        "provenance": dict(model.provenance),
        "calibration": None if model.calibration is None else model.calibration.to_dict(),
    }
    archive.add_json(_HEADER, header, indent=True)
    archive.add_table(_WEIGHTS, pa.table({"name": model.names, "weight": pa.array(model.weights)}))
    for name, array in arrays.items():
        archive.add_table(name, pa.table({"values": array}))
    if model.training_path is not None:
        columns = {"column": pa.array(model.training_path.columns), "delta": pa.array(model.training_path.deltas)}
        archive.add_table(_TRAINING_PATH, pa.table(columns))
    if model.votes is not None:
        _add_votes(archive, model.votes)
    if isinstance(model, TreeModel):
        add_trees(archive, model.trees)


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
    return load_parts(path, lambda _: (), allow_external=allow_external)[0]


def load_parts(
    path: str | pathlib.Path, folders: Callable[[LinearModel], Sequence[str]], *, allow_external: bool = False
) -> list[LinearModel]:
    """Open a model and further ones in folders of its file, which `folders` names for it; see `load`."""
    try:
        with open_archive(path) as archive:
            model = read_model(archive, path, allow_external=allow_external)
            more = (archive.folder(name) for name in folders(model))
            return [model, *(read_model(each, path, allow_external=allow_external) for each in more)]
    except ModelError:
        raise
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {reason(error)}.") from error
    except _WRONG as error:
        raise _damaged(path, error) from error


def read_model(archive: Archive, path: str | pathlib.Path, *, allow_external: bool = False) -> LinearModel:
    """A model from an archive, or a folder of one; see `load`, which makes sentences of what else can be wrong."""
    header = archive.json(_HEADER)
    _check_version(header, path)
    header["preparation"] = attach_arrays(header["preparation"], lambda name: _array(archive, name))
    if not allow_external:
        _check_external(header["preparation"], path)
    _check_header(header, path)
    table = archive.table(_WEIGHTS)
    rounds = archive.table(_TRAINING_PATH) if _TRAINING_PATH in archive.names else None
    votes = _read_votes(archive) if {_VOTES, _CHANGES} & archive.names else None
    weights = numbers_of(table["weight"], np.float64)
    trees = read_trees(archive, weights.size) if {NODES, LEAVES} & archive.names else None
    steps = None
    if rounds is not None:
        steps = TrainingPath(numbers_of(rounds["column"], np.int64), numbers_of(rounds["delta"], np.float64))
    names = table["name"].combine_chunks()
    _check_weights(weights, names, steps, path)
    if votes is not None:
        votes.check(weights.size, path)
    parts = (
        frozen(weights),
        names,
        float(header["base_weight"]),
        tuple(header["preparation"]),
        header["provenance"],
        steps,
        votes,
        None if header.get("calibration") is None else Calibration.from_dict(header["calibration"]),
    )
    return LinearModel(*parts) if trees is None else TreeModel(*parts, trees=trees)


def _damaged(path: str | pathlib.Path, error: Exception | None = None) -> ModelError:
    why = f": {error}" if isinstance(error, DamagedFileError) else ""
    return ModelError(f"{path} is not a Runoff model, or it is damaged{why}.")


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
    if names.type != pa.large_string() or names.null_count or len(pc.unique(names)) < len(names):
        raise ModelError(f"{path} is damaged: the names of its weights are not all there and different.")
    if steps is not None and len(steps) and not 0 <= steps.columns.min() <= steps.columns.max() < weights.size:
        raise ModelError(f"{path} is damaged: its training path has weights that it does not have.")


def _add_votes(archive: ArchiveWriter, votes: Votes) -> None:
    """One row for every vector: its votes, where the changes end that made it, and the change of its base weight."""
    vectors = {"count": votes.counts, "end": votes.starts, "base": np.append(0.0, votes.base)}
    changes = {"column": votes.columns, "delta": votes.deltas}
    for name, table in ((_VOTES, vectors), (_CHANGES, changes)):
        archive.add_table(name, pa.table({column: pa.array(values) for column, values in table.items()}))


def _read_votes(archive: Archive) -> Votes:
    vectors, changes = archive.table(_VOTES), archive.table(_CHANGES)
    return Votes(
        numbers_of(vectors["end"], np.int64),
        numbers_of(changes["column"], np.int32),
        numbers_of(changes["delta"], np.float64),
        numbers_of(vectors["base"], np.float64)[1:],
        numbers_of(vectors["count"], np.int64),
    )


def _array(archive: Archive, name: str) -> pa.Array:
    """An array that belongs to a step."""
    return archive.table(name)["values"].combine_chunks()
