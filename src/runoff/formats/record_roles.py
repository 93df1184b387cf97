"""Roles of the keys of records: as given by the option `columns`, else by their usual names and what they hold."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from runoff.errors import DataError, UsageError
from runoff.formats.column_roles import USUAL_NAMES, plain_name, said_roles
from runoff.formats.record_paths import parts_of, value_at
from runoff.formats.record_shape import NUMBER, TEXT, TRUTH_VALUE
from runoff.nbest.record_columns import id_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from runoff.formats.record_shape import RecordShape

# Names that texts have only inside of a candidate or a record that holds nothing else of the kind.
_TEXTS = (*USUAL_NAMES["text"], "program", "code", "nbest", "beam", "rollout", "attempt")
_TEXTS_INSIDE = (*_TEXTS, "content", "value")
_GROUPS = (*USUAL_NAMES["group"], "id", "uid", "key", "idx", "index", "name")
# Texts that were asked; `source` is often a name of where they come from.
_INPUTS = tuple(
    sorted((*USUAL_NAMES["input"], "query", "message", "conversation", "context"), key=("source", "src").__contains__)
)
_NEVER_TEXTS = ("type", "role", "id", "model", "name", "object", "finish_reason")
ALL_NUMBERS = "*"


@dataclass(frozen=True)
class RecordRoles:
    """The path of every role that records have, those of features (`*`: all numbers), and what was guessed."""

    paths: Mapping[str, str]
    features: tuple[str, ...] = ()
    guessed: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """What was guessed, in a sentence; empty where all was given."""
        return f"Keys were chosen by their usual names: {', '.join(self.guessed)}." if self.guessed else ""


def guess_roles(shape: RecordShape, said: Mapping[str, str] | None = None) -> RecordRoles | None:
    """Roles as said, and others by usual names; None where no text is found, or nothing that tells the groups.

    Examples
    --------
    >>> from runoff.formats.record_shape import shape_of
    >>> shape = shape_of([{"task_id": "t/1", "completion": "x", "passed": True}])
    >>> dict(guess_roles(shape).paths)
    {'text': 'completion', 'group': 'task_id', 'quality': 'passed'}
    >>> dict(guess_roles(shape_of([{"problem": "p", "n": 2, "samples": ["a", "b"], "correct": [True, False]}])).paths)
    {'text': 'samples', 'input': 'problem', 'quality': 'correct'}
    """
    said = dict(said or {})
    paths = {role: path for role, path in said.items() if path}
    if "text" not in said:
        text = _text(shape, set(paths.values()))
        if text is None:
            return None
        paths["text"] = text
    is_list = in_lists(shape, paths["text"])
    _guess_group(shape, said, paths, is_list)
    if not is_list and "group" not in paths:
        return None
    for role, names, kinds in (
        ("reference", USUAL_NAMES["reference"], (TEXT,)),
        ("input", _INPUTS, (TEXT,)),
        ("quality", USUAL_NAMES["quality"], (NUMBER, TRUTH_VALUE)),
        ("base", USUAL_NAMES["base"], (NUMBER,)),
        ("id", USUAL_NAMES["id"], (TEXT, NUMBER)),
    ):
        if role in said or role in paths:
            continue
        # What belongs to a candidate is in a list where its text is; what belongs to a group never needs to be.
        lists = (True,) if is_list and role in ("quality", "base", "id") else (False, True)[: 1 + (role == "reference")]
        taken = {path for other, path in paths.items() if (role, other) != ("input", "group")}
        found = (named(shape.paths(*kinds, in_list=each), names, taken) for each in lists)
        path = next((path for path in found if path is not None), None)
        if role == "input" and (path is None or "." in path):
            path = _messages(shape) or path
        if path is None or (role in ("quality", "base", "id") and not is_list and not _is_always(shape, path, paths)):
            continue
        if not (role == "id" and not is_list and _is_repeated(shape, path, paths["group"])):
            paths[role] = path
    guessed = tuple(f"{role}={path}" for role, path in paths.items() if role not in said)
    return RecordRoles(paths, (), guessed)


def find_roles(shape: RecordShape, given: Mapping[str, Any] | str | None, path: Path) -> RecordRoles:
    """Roles as given and guessed; raises where they are not enough, or name what the records do not have."""
    said = said_roles(given)
    chosen = said.pop("features", None)
    features = tuple(chosen.split("+") if isinstance(chosen, str) else chosen or ())
    said = {role: str(name) for role, name in said.items()}
    for name in (*said.values(), *features):
        if name not in ("", ALL_NUMBERS):
            _check_there(str(name), shape)
    found = guess_roles(shape, said)
    if found is None:
        from runoff.formats.unrecognised import advice_for

        trouble = "hold the texts of candidates" if "text" not in said else "tell which candidates belong together"
        raise DataError(f"no key is known to {trouble}. {advice_for(shape, said)}", path=path)
    return RecordRoles(found.paths, tuple(map(str, features)), found.guessed)


def _check_there(path: str, shape: RecordShape) -> None:
    parts = parts_of(path)
    if any(_has(value_at(record, parts)) for record in shape.records):
        return
    near = difflib.get_close_matches(path, shape.leaves, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]}?" if near else ";"
    there = ", ".join(each[:60] for each in list(shape.leaves)[:30])
    raise UsageError(f"the records have no key {path!r}{hint} {'They' if near else 'they'} have: {there}.")


def _has(value: Any, depth: int = 3) -> bool:
    """Whether there is anything in a value, or in a list of values."""
    if type(value) is list and value and depth:
        return any(_has(entry, depth - 1) for entry in value)
    return value is not None


def in_lists(shape: RecordShape, path: str) -> bool:
    """Whether a record holds all candidates of a group: its text is a list."""
    return any(type(value) is list for value in shape.values(path))


def named(paths: Iterable[str], names: Iterable[str], taken: Iterable[str] = ()) -> str | None:
    """The path whose last key has a usual name, the first one of the names; the shortest of several."""
    free = sorted((path for path in paths if path not in taken), key=lambda path: path.count("."))
    plain = [(path, plain_name(path.rpartition(".")[2])) for path in free]
    for name in names:
        forms = (plain_name(name), f"{plain_name(name)}s")
        for path, last in plain:
            if last in forms:
                return path
    return None


def _text(shape: RecordShape, taken: set[str]) -> str | None:
    """Lists first, since a record that has one may have a text of another kind too."""
    others = (*USUAL_NAMES["reference"][:-1], *_INPUTS)
    lists = [
        path
        for path in shape.paths(TEXT, in_list=True)
        if path not in taken and not {named([path.partition(".")[0]], others), named([path], _NEVER_TEXTS)} - {None}
    ]
    outside, inside = ([path for path in lists if ("." in path) == is_inside] for is_inside in (False, True))
    sure = [name for name in _TEXTS if name not in USUAL_NAMES["reference"]]
    found = named(outside, sure) or named(inside, _TEXTS_INSIDE) or named(outside, (*_TEXTS, "choice"))
    found = found or _by_last_word(outside, sure)
    if found is None and len(lists) == 1 and shape.paths(TEXT, in_list=False) != lists:
        found = lists[0] if named([lists[0].partition(".")[0]], (*_TEXTS, "choice")) else None
    return found or named(shape.paths(TEXT, in_list=False), sure if lists else _TEXTS, taken)


def _by_last_word(paths: Iterable[str], names: Iterable[str]) -> str | None:
    """As `named`, for names such as `model_outputs` and `code_list`."""
    last = {re.sub(r"_?list$", "", path).rpartition("_")[2]: path for path in paths}
    found = named(last, names)
    return None if found is None else last[found]


def _guess_group(shape: RecordShape, said: Mapping[str, str], paths: dict[str, str], is_list: bool) -> None:
    if "group" in said:
        return
    free = [path for path in shape.paths(TEXT, NUMBER, in_list=False) if path not in paths.values()]
    choices = [path for name in _GROUPS if (path := named(free, [name]))]
    if is_list:
        # A record is a group, or a part of one that has a name for groups; without an id, its place is its id.
        sure = len(USUAL_NAMES["group"])
        choices = [
            path
            for at, name in enumerate(_GROUPS)
            if (path := named(free, [name])) and (at < sure or not shape.repeats(path))
        ]
        choice = next(iter(choices), None)
    else:
        choices += [path for name in _INPUTS if (path := named(free, [name]))]
        repeated = [path for path in choices if shape.repeats(path)]
        choice = next(iter(repeated or choices), None)
    if choice is not None:
        paths["group"] = choice


def _messages(shape: RecordShape) -> str | None:
    """A list of messages, of which the input is the last one of the user."""
    first = {path.partition(".")[0]: None for path in shape.paths(TEXT, in_list=True) if path.endswith(".content")}
    return named(first, _INPUTS)


def _is_always(shape: RecordShape, path: str, paths: Mapping[str, str]) -> bool:
    """Whether every candidate has a value there."""
    texts, values = shape.values(paths["text"]), shape.values(path)
    return all(value is not None for text, value in zip(texts, values, strict=True) if text is not None)


def _is_repeated(shape: RecordShape, path: str, group: str) -> bool:
    pairs = list(zip(map(id_text, shape.values(group)), map(id_text, shape.values(path)), strict=True))
    return len(set(pairs)) < len(pairs)
