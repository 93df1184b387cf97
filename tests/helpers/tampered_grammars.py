"""Grammar files of which one array or one field of the header was changed."""

from __future__ import annotations

import io
import json
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.errors import ModelError
from runoff.tasks.parsing.grammar import load_grammar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

SENTENCES = ["the dog of man saw the cat .", "unseen words walked 7 %", "saw", "_ the _ ."]
FAR = 1 << 30
ODD: list[Any] = [None, True, -1, 0, 0.5, FAR, -FAR, 1 << 63, 1e308, 5e-324, "", "a b", "(", [], {}, [None], [[]]]


def _at_one(value: float) -> Callable[[NDArray[Any]], NDArray[Any]]:
    def change(array: NDArray[Any]) -> NDArray[Any]:
        changed = array.copy()
        changed.ravel()[array.size // 2 : array.size // 2 + 1] = np.array(value).astype(array.dtype)
        return changed

    return change


def _everywhere(value: float) -> Callable[[NDArray[Any]], NDArray[Any]]:
    return lambda array: np.full_like(array, np.array(value).astype(array.dtype))


WAYS: dict[str, Callable[[NDArray[Any]], NDArray[Any]]] = {
    "far at one place": _at_one(FAR),
    "far below at one place": _at_one(-FAR),
    "-1 at one place": _at_one(-1),
    "0 at one place": _at_one(0),
    "NaN at one place": _at_one(np.nan),
    "inf at one place": _at_one(np.inf),
    "1 more at one place": lambda array: _at_one(float(array.ravel()[array.size // 2]) + 1)(array),
    "far everywhere": _everywhere(FAR),
    "far below everywhere": _everywhere(-FAR),
    "-1 everywhere": _everywhere(-1),
    "0 everywhere": _everywhere(0),
    "1 everywhere": _everywhere(1),
    "one longer": lambda array: np.concatenate([array, array[-1:]]),
    "one shorter": lambda array: array[:-1].copy(),
    "one column less": lambda array: array[..., :-1].copy(),
    "empty": lambda array: array[:0].copy(),
    "a single number": lambda array: array.ravel()[0].reshape(()),
    "one more dimension": lambda array: array[None].copy(),
    "of other numbers": lambda array: array.astype({4: "i8", 8: "f4"}[array.itemsize]),
    "of other bytes": lambda array: array.astype(array.dtype.newbyteorder()),
    "column by column": np.asfortranarray,
    "shuffled": lambda array: np.random.default_rng(0).permutation(array.ravel()).reshape(array.shape),
    "the other way round": lambda array: array[::-1].copy(),
}


def members_of(path: Path) -> dict[str, bytes]:
    """The files in a grammar."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write_members(path: Path, members: dict[str, bytes]) -> None:
    """A grammar of these files."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def variants(members: dict[str, bytes]) -> Iterator[tuple[str, dict[str, bytes]]]:
    """Every array changed in every way, and every field of the header replaced by odd values; with what was done."""
    for name in members:
        if name.endswith(".npy"):
            array = np.load(io.BytesIO(members[name]))
            for way, change in WAYS.items():
                with np.errstate(all="ignore"):
                    changed = change(array)
                if changed.tobytes() == array.tobytes() and changed.dtype == array.dtype and changed.ndim == array.ndim:
                    continue
                held = io.BytesIO()
                np.lib.format.write_array(held, changed)
                yield f"{name}: {way}", {**members, name: held.getvalue()}
    header = json.loads(members["grammar.json"])
    for place in places(header):
        for value in ODD:
            changed_header = json.dumps(replaced(header, place, value)).encode()
            yield f"{place} = {value!r}", {**members, "grammar.json": changed_header}


def places(value: Any, most: int = 3) -> Iterator[tuple[Any, ...]]:
    """Paths to every field, and to the first, middle and last of every list."""
    if isinstance(value, dict):
        inner = list(value)
    else:
        inner = sorted({0, len(value) // 2, len(value) - 1})[:most] if isinstance(value, list) and value else []
    for key in inner:
        yield (key,)
        yield from ((key, *rest) for rest in places(value[key]))


def replaced(value: Any, place: tuple[Any, ...], new: Any) -> Any:
    """The same with another value at this place."""
    if not place:
        return new
    changed = dict(value) if isinstance(value, dict) else list(value)
    changed[place[0]] = replaced(value[place[0]], place[1:], new)
    return changed


def _say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()  # a crash comes without warning


def main(folder: Path) -> None:
    """Open every variant, and parse with those that are accepted; prints each before it is tried."""
    tried, accepted = folder / "tampered", 0
    for what, members in variants(members_of(folder / "good")):
        _say(f"{what}: ")
        write_members(tried, members)
        try:
            grammar = load_grammar(tried)
        except ModelError as error:
            _say(f"{error}\n")
            continue
        accepted += 1
        for sentence in SENTENCES:
            grammar.nbest(sentence.split(), 20)
        _say("accepted\n")
    _say(f"{accepted} accepted\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
