"""Work in stages whose results are files: what is there and was made the same way is not made again.

A small file beside the results says for every stage by which key it was made and what the files were when it ended. The
key is made from the options of the stage and the keys of those that it builds on, so that another option makes a stage
and all that follows from it anew, and nothing else. A file that was changed or cut off since is not used.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import orjson

from runoff.errors import DataError, UsageError, brief
from runoff.files import reason, replacing
from runoff.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Facts: TypeAlias = dict[str, Any]  # plain values
STATE = "chain.json"
VERSION = 1  # of what is in the file, and of what the stages do
_SORTED = orjson.OPT_SORT_KEYS | orjson.OPT_SERIALIZE_NUMPY


@dataclass(frozen=True)
class Stage:
    """A piece of work: the files that it may write, and what makes them and gives back facts about them.

    `make` is given the facts of all stages before it.
    """

    name: str
    title: str  # what it does, for the person
    files: tuple[str, ...]
    make: Callable[[Mapping[str, Facts]], Facts]
    options: Mapping[str, Any] = field(default_factory=dict)  # everything that its results depend on
    after: tuple[str, ...] = ()  # stages before it whose results it uses


def run_stages(folder: Path, stages: Sequence[Stage], say: Callable[[str], object] = print) -> dict[str, Facts]:
    """Make what is missing in `folder`, in this order; gives the facts of every stage.

    Files that other options have left are removed before the work begins, so that a folder never has results of two
    runs; a file that is no stage's own is never overwritten. Costs a reading of all files that are there.

    Examples
    --------
    >>> import tempfile
    >>> where = Path(tempfile.mkdtemp())
    >>> def write(before: dict) -> dict[str, int]:
    ...     return {"letters": (where / "a.txt").write_text("abc")}
    >>> run_stages(where, [Stage("a", "writing", ("a.txt",), write)], say=lambda _: None)
    {'a': {'letters': 3}}
    >>> run_stages(where, [Stage("a", "writing", ("a.txt",), write)])
    [1 of 1] writing: a.txt is there
    {'a': {'letters': 3}}
    """
    state = _State.read(folder)
    keys = _keys(stages)
    _refuse_others(folder, stages, state)
    others = state.forget(keys)
    if others:
        say(f"note: made of other data or with other options, and so removed: {_listed(others)}")
    facts: dict[str, Facts] = {}
    for at, stage in enumerate(stages, 1):
        where = f"[{at} of {len(stages)}] {stage.title}"
        if state.has(stage.name):
            files = state.files(stage.name)
            say(f"{where}: {_listed(files)} {'is' if len(files) == 1 else 'are'} there")
        else:
            say(where)
            state.begin(stage, keys[stage.name])
            began = time.monotonic()
            made = stage.make(facts)
            state.end(stage, made, time.monotonic() - began)
        facts[stage.name] = state.facts(stage.name)
    return facts


def digest(value: object) -> str:
    """A name for plain values: the same for the same ones.

    Examples
    --------
    >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    True
    """
    return hashlib.blake2b(orjson.dumps(value, option=_SORTED), digest_size=16).hexdigest()


def _keys(stages: Sequence[Stage]) -> dict[str, str]:
    keys: dict[str, str] = {}
    for stage in stages:
        made_by = [VERSION, __version__, stage.name, dict(stage.options)]
        keys[stage.name] = digest([*made_by, *(keys[name] for name in stage.after)])
    return keys


def _refuse_others(folder: Path, stages: Sequence[Stage], state: _State) -> None:
    others = [name for stage in stages for name in stage.files if (folder / name).exists() and name not in state.owned]
    if others:
        raise UsageError(
            f"{folder} has {_listed(others)} from elsewhere, which would be overwritten; name another folder."
        )


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else "nothing"


class _State:
    """What the file in the folder says, kept up with it."""

    def __init__(self, folder: Path, stages: dict[str, dict[str, Any]]) -> None:
        self.folder, self._stages = folder, stages

    @classmethod
    def read(cls, folder: Path) -> _State:
        path = folder / STATE
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return cls(folder, {})
        except OSError as error:
            raise DataError(f"the file cannot be read: {reason(error)}.", path=path) from error
        try:
            found = orjson.loads(content)
        except orjson.JSONDecodeError:
            found = None
        stages = found.get("stages") if isinstance(found, dict) else None
        if not isinstance(stages, dict) or not all(map(_is_record, stages.values())):
            beginning = brief(content[:40].decode(errors="replace"))
            raise DataError(
                f"expected what `runoff parse chain` writes there, found {beginning}. "
                "Name another folder, or remove the file and what was made beside it.",
                path=path,
            )
        return cls(folder, stages)

    @property
    def owned(self) -> set[str]:
        """Names of the files that stages have made or begun."""
        return {name for record in self._stages.values() for name in (*record["names"], *record["files"])}

    def forget(self, keys: Mapping[str, str]) -> list[str]:
        """Remove what was made in another way or is not what it was; returns the files that were made in another."""
        others: list[str] = []
        for name in list(self._stages):
            record = self._stages[name]
            if record["key"] == keys.get(name) and record["done"] and self._is_whole(record["files"]):
                continue
            if record["key"] != keys.get(name):
                others += [file for file in record["files"] if (self.folder / file).exists()]
            for file in {*record["names"], *record["files"]}:
                (self.folder / file).unlink(missing_ok=True)
            del self._stages[name]
        if self._stages or (self.folder / STATE).exists():
            self._write()
        return others

    def _is_whole(self, files: Mapping[str, str]) -> bool:
        return all(_content(self.folder / name) == was for name, was in files.items())

    def has(self, name: str) -> bool:
        return name in self._stages and self._stages[name]["done"]

    def files(self, name: str) -> list[str]:
        return list(self._stages[name]["files"])

    def facts(self, name: str) -> dict[str, Any]:
        facts: Facts = self._stages[name]["facts"]
        return facts

    def begin(self, stage: Stage, key: str) -> None:
        """Take down whose the files will be, for the case that they are not finished."""
        self._stages[stage.name] = {"key": key, "done": False, "names": list(stage.files), "files": {}, "facts": {}}
        self._write()

    def end(self, stage: Stage, facts: Facts, seconds: float) -> None:
        files = {name: _content(self.folder / name) for name in stage.files if (self.folder / name).is_file()}
        # As they will be read the next time.
        facts = orjson.loads(orjson.dumps(facts, option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS))
        self._stages[stage.name] |= {"done": True, "files": files, "facts": facts, "seconds": round(seconds, 1)}
        self._write()

    def _write(self) -> None:
        content = orjson.dumps({"chain": VERSION, "stages": self._stages}, option=orjson.OPT_INDENT_2)
        with replacing(self.folder / STATE) as temporary:
            temporary.write_bytes(content)


def _is_record(record: object) -> bool:
    kinds = {"key": str, "done": bool, "names": list, "files": dict, "facts": dict}
    if not isinstance(record, dict) or not all(isinstance(record.get(key), kind) for key, kind in kinds.items()):
        return False
    # Files are removed by these names: none may lead out of the folder.
    return all(isinstance(name, str) and Path(name).name == name for name in (*record["names"], *record["files"]))


def _content(path: Path) -> str | None:
    """A name for what is in a file; None where there is none."""
    if not path.is_file():
        return None
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
    except OSError as error:
        raise DataError(f"the file cannot be read: {reason(error)}.", path=path) from error
