"""Models, grammars and checkpoints of an attacker: archives whose checksums are right and whose contents are not."""

from __future__ import annotations

import io
import random
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson
import pyarrow as pa

from helpers.mutations import mutants
from helpers.tampered_arrow import as_file
from runoff.opening.npy import read_npy, write_npy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

NUMBERS = (0, 1, -1, 2, 255, 2**15, 2**30, -(2**30), 2**31 - 1, -(2**31), 2**62, -(2**62), 2**63 - 1)
VALUES: tuple[Any, ...] = (
    *NUMBERS,
    None,
    True,
    False,
    0.5,
    -1e300,
    "",
    "a",
    "🜁" * 3,
    [],
    [0],
    [[]],
    {},
    {"a": 1},
    ["a"],
)
KINDS = ("<i1", "<u1", "<i4", "<i8", "<u8", "<f4", "<f8")


def archive_mutant(files: Sequence[bytes], seed: int) -> bytes:
    """One of the archives with something else in one of its members; one in ten is damaged as a file."""
    rng = random.Random(seed)
    content = rng.choice(files)
    if rng.random() < 0.1:
        return next(mutants([content], 1, seed))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = rng.choice(sorted(members))
    if rng.random() < 0.05:
        del members[name]
    else:
        members[name] = _changed(name, members[name], rng)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for each, its in members.items():
            archive.writestr(each, its)
    return out.getvalue()


def _changed(name: str, content: bytes, rng: random.Random) -> bytes:
    if rng.random() < 0.15:
        return next(mutants([content], 1, rng.randrange(2**32)))
    if content.startswith(b"\x93NUMPY"):
        return write_npy(_changed_array(read_npy(content), rng))
    if content.startswith(b"ARROW1"):
        return _changed_table(content, rng)
    if name.endswith(".json"):
        return orjson.dumps(_changed_json(orjson.loads(content), rng), option=orjson.OPT_SERIALIZE_NUMPY)
    return next(mutants([content], 1, rng.randrange(2**32)))


def _changed_array(array: np.ndarray, rng: random.Random) -> np.ndarray:
    array = array.copy()
    flat = array.reshape(-1)

    def one() -> np.ndarray:
        if flat.size:
            flat[rng.randrange(flat.size)] = _number(array.dtype, rng)
        return array

    def several() -> np.ndarray:
        for _ in range(5):
            one()
        return array

    def every() -> np.ndarray:
        flat[:] = _number(array.dtype, rng)
        return array

    def mixed() -> np.ndarray:
        np.random.default_rng(rng.randrange(2**32)).shuffle(flat)
        return array

    def shorter() -> np.ndarray:
        return array[: rng.randrange(len(array))] if array.ndim and len(array) else array

    def longer() -> np.ndarray:
        return np.concatenate([array, array[-1:]]) if array.ndim else array

    def flattened() -> np.ndarray:
        return flat if array.ndim > 1 else array.reshape(1, -1)

    def of_another_kind() -> np.ndarray:
        with np.errstate(invalid="ignore", over="ignore"):
            return array.astype(rng.choice(KINDS))

    ways: list[Callable[[], np.ndarray]] = [one, one, one, several, every, mixed, shorter, longer, flattened]
    return rng.choice([*ways, of_another_kind])()


def _number(kind: np.dtype, rng: random.Random) -> Any:
    """A number at the edge of what its kind can hold, or anywhere."""
    if kind.kind == "f":
        return rng.choice([0.0, -0.0, 1.0, -1.0, 1e30, -1e30, np.nan, np.inf, -np.inf])
    if kind.kind == "b":
        return rng.random() < 0.5
    limits = np.iinfo(kind)
    return min(max(rng.choice(NUMBERS), int(limits.min)), int(limits.max))


def _changed_table(content: bytes, rng: random.Random) -> bytes:
    table = pa.ipc.open_file(io.BytesIO(content)).read_all()
    at = rng.randrange(table.num_columns)
    column = table.column(at).combine_chunks()
    if pa.types.is_large_string(column.type) and rng.random() < 0.8:
        return _changed_texts(content, column, rng)
    if pa.types.is_large_string(column.type):
        changed = pa.array([None, *column.slice(1).to_pylist()], column.type)
    elif pa.types.is_primitive(column.type):
        changed = pa.array(_changed_array(column.to_numpy(zero_copy_only=False), rng).reshape(-1))
    else:
        return next(mutants([content], 1, rng.randrange(2**32)))
    columns = [changed if each == at else table.column(each) for each in range(table.num_columns)]
    length = min(len(each) for each in columns)
    return as_file(pa.table([each.slice(0, length) for each in columns], names=table.column_names))


def _changed_texts(content: bytes, column: pa.Array, rng: random.Random) -> bytes:
    """Other offsets or letters in the place of those of a column; Arrow would not make such an array."""
    _, ends, letters = column.buffers()
    old = np.frombuffer(ends, np.int64) if rng.random() < 0.7 or not letters else np.frombuffer(letters, np.uint8)
    new = _changed_array(old, rng)
    while new.dtype != old.dtype or new.size != old.size:
        new = _changed_array(old, rng)
    return content.replace(old.tobytes(), new.tobytes(), 1)


def _changed_json(value: Any, rng: random.Random) -> Any:
    """The same with one value replaced, one key removed or one entry repeated, anywhere."""
    if isinstance(value, dict) and value and rng.random() < 0.95:
        key = rng.choice(sorted(value))
        found = dict(value)
        if rng.random() < 0.1:
            del found[key]
        else:
            found[key] = _changed_json(found[key], rng)
        return found
    if isinstance(value, list) and value and rng.random() < 0.8:
        at = rng.randrange(len(value))
        if rng.random() < 0.2:
            return [*value[:at], *value[at + 1 :]] if rng.random() < 0.5 else [*value, value[at]]
        return [*value[:at], _changed_json(value[at], rng), *value[at + 1 :]]
    if isinstance(value, str) and rng.random() < 0.3:
        return value + rng.choice(["a", "\0", "é", "/../x"])
    return rng.choice(VALUES)
