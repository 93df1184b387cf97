"""Resumable stages whose results are files: a stage whose files are up to date is not run again.

A state file next to the results has, for every stage, a key and the digests of its files. The key is a digest of the
stage's options and the keys of the stages that it depends on, so that changing an option reruns that stage and those
that depend on it, and nothing else. A file that was changed or truncated since is not used.
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
from runoff.locks import only_process
from runoff.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Facts: TypeAlias = dict[str, Any]  # plain values
STATE = "pipeline.json"
_LOCK = ".pipeline.lock"
VERSION = 3  # of the state file and of the stages
_SORTED = orjson.OPT_SORT_KEYS | orjson.OPT_SERIALIZE_NUMPY


@dataclass(frozen=True)
class Stage:
    """A piece of work: the files that it may write, and the function that writes them and returns facts about them.

    `make` receives the facts of all earlier stages.
    """

    name: str
    title: str  # what it does, for the user
    files: tuple[str, ...]
    make: Callable[[Mapping[str, Facts]], Facts]
    options: Mapping[str, Any] = field(default_factory=dict)  # everything that its results depend on
    after: tuple[str, ...] = ()  # earlier stages whose results it uses


def run_stages(folder: Path, stages: Sequence[Stage], say: Callable[[str], object] = print) -> dict[str, Facts]:
    """Run the stages whose files are missing in `folder`, in order; returns the facts of every stage.

    Files made with other options are removed before the work begins, so that a folder never has results of two runs; a
    file that no stage has written is never overwritten. Reads all existing files once. While it runs, another process
    is refused.

    Examples
    --------
    >>> import tempfile
    >>> where = Path(tempfile.mkdtemp())
    >>> def write(before: dict) -> dict[str, int]:
    ...     return {"letters": (where / "a.txt").write_text("abc")}
    >>> run_stages(where, [Stage("a", "writing", ("a.txt",), write)], say=lambda _: None)
    {'a': {'letters': 3}}
    >>> run_stages(where, [Stage("a", "writing", ("a.txt",), write)])
    [1 of 1] writing: a.txt is up to date
    {'a': {'letters': 3}}
    """
    with only_process(folder / _LOCK, f"the folder {folder}"):
        return _run_stages(folder, stages, say)


def _run_stages(folder: Path, stages: Sequence[Stage], say: Callable[[str], object]) -> dict[str, Facts]:
    state = _State.read(folder)
    keys = _keys(stages)
    _check_foreign_files(folder, stages, state)
    others = state.forget(keys)
    if others:
        say(f"note: removed because the data or options have changed: {_listed(others)}")
    facts: dict[str, Facts] = {}
    for at, stage in enumerate(stages, 1):
        where = f"[{at} of {len(stages)}] {stage.title}"
        if state.has(stage.name):
            files = state.files(stage.name)
            say(f"{where}: {_listed(files)} {'is' if len(files) == 1 else 'are'} up to date")
        else:
            say(where)
            state.begin(stage, keys[stage.name])
            began = time.monotonic()
            made = stage.make(facts)
            state.end(stage, made, time.monotonic() - began)
        facts[stage.name] = state.facts(stage.name)
    return facts


def digest(value: object) -> str:
    """A digest of plain values.

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


def _check_foreign_files(folder: Path, stages: Sequence[Stage], state: _State) -> None:
    others = [name for stage in stages for name in stage.files if (folder / name).exists() and name not in state.owned]
    if others:
        raise UsageError(f"{folder} contains {_listed(others)}, which no pipeline has written; choose another folder.")


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else "nothing"


class _State:
    """The state file of a folder."""

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
        if not _is_state(found):
            beginning = brief(content[:40].decode(errors="replace"))
            raise DataError(
                f"expected the state of a pipeline, found {beginning}. "
                "Choose another folder, or remove this file and the results next to it.",
                path=path,
            )
        return cls(folder, found["stages"])

    @property
    def owned(self) -> set[str]:
        """Names of the files that stages have written or started to write."""
        return {name for record in self._stages.values() for name in (*record["names"], *record["files"])}

    def forget(self, keys: Mapping[str, str]) -> list[str]:
        """Remove files that are out of date or have changed; returns those with other options."""
        others: list[str] = []
        for name in list(self._stages):
            record = self._stages[name]
            if record["key"] == keys.get(name) and record["done"] and self._unchanged(record["files"]):
                continue
            if record["key"] != keys.get(name):
                others += [file for file in record["files"] if (self.folder / file).exists()]
            for file in {*record["names"], *record["files"]}:
                (self.folder / file).unlink(missing_ok=True)
            del self._stages[name]
        if self._stages or (self.folder / STATE).exists():
            self._write()
        return others

    def _unchanged(self, files: Mapping[str, str]) -> bool:
        return all(_file_digest(self.folder / name) == was for name, was in files.items())

    def has(self, name: str) -> bool:
        return name in self._stages and self._stages[name]["done"]

    def files(self, name: str) -> list[str]:
        return list(self._stages[name]["files"])

    def facts(self, name: str) -> dict[str, Any]:
        facts: Facts = self._stages[name]["facts"]
        return facts

    def begin(self, stage: Stage, key: str) -> None:
        """Record which files the stage owns, in case it does not finish."""
        self._stages[stage.name] = {"key": key, "done": False, "names": list(stage.files), "files": {}, "facts": {}}
        self._write()

    def end(self, stage: Stage, facts: Facts, seconds: float) -> None:
        files = {name: _file_digest(self.folder / name) for name in stage.files if (self.folder / name).is_file()}
        # The same values as when they are read back.
        facts = orjson.loads(orjson.dumps(facts, option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS))
        self._stages[stage.name] |= {"done": True, "files": files, "facts": facts, "seconds": round(seconds, 1)}
        self._write()

    def _write(self) -> None:
        state = {"version": VERSION, "digest": digest(self._stages), "stages": self._stages}
        content = orjson.dumps(state, option=orjson.OPT_INDENT_2)
        with replacing(self.folder / STATE) as temporary:
            temporary.write_bytes(content)


def _is_state(found: object) -> bool:
    """Whether this is as a pipeline has left it: files that it names may be removed."""
    stages = found.get("stages") if isinstance(found, dict) else None
    if not isinstance(found, dict) or not isinstance(stages, dict) or found.get("digest") != digest(stages):
        return False
    return all(map(_is_record, stages.values()))


def _is_record(record: object) -> bool:
    kinds = {"key": str, "done": bool, "names": list, "files": dict, "facts": dict}
    if not isinstance(record, dict) or not all(isinstance(record.get(key), kind) for key, kind in kinds.items()):
        return False
    # Files with these names are removed: none may be outside the folder.
    return all(_is_file_name(name) for name in (*record["names"], *record["files"]))


def _is_file_name(name: object) -> bool:
    return isinstance(name, str) and Path(name).name == name != ".." and "\0" not in name


def _file_digest(path: Path) -> str | None:
    """A digest of a file; None if there is none."""
    if not path.is_file():
        return None
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
    except OSError as error:
        raise DataError(f"the file cannot be read: {reason(error)}.", path=path) from error
