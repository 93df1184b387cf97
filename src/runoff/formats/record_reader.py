"""Records with the keys of their makers, turned into groups of candidates by the roles of the keys."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, Any

from runoff.errors import DataError, brief
from runoff.formats.generated import said_last
from runoff.formats.record_paths import number_of, numbers_in, parts_of, value_at
from runoff.formats.record_roles import ALL_NUMBERS, find_roles, named
from runoff.formats.record_shape import shape_of
from runoff.nbest.checks import KEYS
from runoff.nbest.record_columns import id_text
from runoff.nbest.records import Dialect, RecordBuilder, collector_paused, unused_keys

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from runoff.formats.json_records import Block, JsonRecords
    from runoff.formats.record_roles import RecordRoles
    from runoff.nbest import NBest
    from runoff.nbest.record_blocks import RecordSource

_ENOUGH, _MOST_BLOCKS = 512, 16  # records whose keys are looked at, and blocks that are held for it
_OF_CANDIDATES = frozenset({"text", "id", "features", "stats"})
_TEXT_NAMES = ("text", "content", "completion", "response", "output", "generated_text", "answer", "value", "code")


def read_records(opened: JsonRecords, columns: Mapping[str, Any] | str | None, path: Path) -> NBest:
    """Groups of candidates from records. O(values); memory grows with the arrays where records come one by one."""
    blocks = iter(opened.blocks)
    first: list[Block] = []
    with collector_paused():
        while len(first) < _MOST_BLOCKS and sum(len(values) for values, _ in first) < _ENOUGH:
            if (block := next(blocks, None)) is None:
                break
            first.append(block)
        shape = shape_of(chain.from_iterable(values for values, _ in first))
        if not shape.records:
            raise _no_object(first, opened.source, path)
        reader = RecordReader(find_roles(shape, columns, path), opened.source)
        builder = RecordBuilder(opened.source, reader.dialect, joins=True)
        for values, numbers in chain(first, blocks):
            builder.add([reader.group(value, number) for value, number in zip(values, numbers, strict=True)], numbers)
    return builder.finish(notes=reader.notes())


def _no_object(first: list[Block], source: RecordSource, path: Path) -> DataError:
    for values, numbers in first:
        for value, number in zip(values, numbers, strict=True):
            return source.error(f"expected an object, found {brief(value)}.", number)
    return DataError("the file has no records.", path=path)


class RecordReader:
    """Turns a record into a group, or into the part of one that it holds."""

    def __init__(self, roles: RecordRoles, source: RecordSource) -> None:
        self.roles, self.source = roles, source
        self._paths = {role: parts_of(path) for role, path in roles.paths.items()}
        self.dialect = Dialect(self._key("base"), self._key("quality"))
        self._features = [(path, parts_of(path)) for path in roles.features]
        self._scores = [(self._key(role), self._paths[role]) for role in ("base", "quality") if role in self._paths]
        self._used = {parts[0] for parts in (*self._paths.values(), *(parts for _, parts in self._features))}
        self._not_features = set(roles.paths.values())
        self._unused: Counter[str] = Counter()
        self._without_text = self._first_without_text = 0

    def _key(self, role: str) -> str:
        """What a role is called in messages: by its path, where no other part of a candidate has that name."""
        path = self.roles.paths.get(role, role)
        others = {self.roles.paths.get(other) for other in ("base", "quality") if other != role}
        return role if path in _OF_CANDIDATES or path in others else path

    def group(self, record: Any, number: int) -> dict[str, Any]:
        """The group as one of Runoff's own records."""
        if type(record) is not dict:
            raise self.source.error(f"expected an object, found {brief(record)}.", number)
        text = self._at("text", record)
        group: dict[str, Any] = {"id": self._group_id(record, number)}
        for role in ("input", "reference"):
            value = self._at(role, record)
            if value is not None:
                group["input" if role == "input" else "references"] = self._words(role, value, number)
        if type(text) is list:
            for key in record.keys() - self._used:  # texts become attributes, the rest is counted by the builder
                if key not in KEYS:
                    group[key] = record[key]
                else:
                    self._unused[key] += 1
            group["candidates"] = self._several(record, text, number)
        else:
            self._unused.update(record.keys() - self._used)
            group["candidates"] = [] if text is None else [self._one(record, text, number)]
        if text is None:
            self._without_text += 1
            self._first_without_text = self._first_without_text or number
        return group

    def _at(self, role: str, record: dict[str, Any]) -> Any:
        return value_at(record, self._paths[role]) if role in self._paths else None

    def _group_id(self, record: dict[str, Any], number: int) -> Any:
        if "group" not in self._paths:
            return None
        value = self._at("group", record)
        if value is None or id_text(value) in (None, ""):
            path = self.roles.paths["group"]
            raise self.source.error(
                f"expected text or a number for {path!r}, which tells the group, found {brief(value)}.", number
            )
        return id_text(value)

    def _words(self, role: str, value: Any, number: int) -> Any:
        """The input as a text, references as texts; of messages, what was said last."""
        if role == "input" and type(value) is list:
            value = said_last(value)
        if type(value) is list:
            return [entry if type(entry) is str else id_text(entry) for entry in value]
        words = value if type(value) is str else id_text(value)
        if words is None and value is not None:
            path = self.roles.paths[role]
            raise self.source.error(f"expected text for {path!r}, found {brief(value)}.", number)
        return words

    def _one(self, record: dict[str, Any], text: Any, number: int) -> dict[str, Any]:
        candidate: dict[str, Any] = {"text": self._text(text, number)}
        for key, parts in self._scores:
            candidate[key] = number_of(value_at(record, parts))
        if "id" in self._paths:
            candidate["id"] = self._at("id", record)
        if self._features:
            features: dict[str, Any] = {}
            for path, parts in self._features:
                features.update(self._numbers(record if path == ALL_NUMBERS else value_at(record, parts), path, number))
            candidate["features"] = features
        return candidate

    def _several(self, record: dict[str, Any], elements: list[Any], number: int) -> list[dict[str, Any]]:
        if elements and all(type(element) is list for element in elements):
            elements = list(chain.from_iterable(elements))
        found: list[dict[str, Any]] = [{"text": self._text(element, number)} for element in elements]
        for key, parts in (*self._scores, *([("id", self._paths["id"])] if "id" in self._paths else [])):
            values = self._aligned(value_at(record, parts), len(found), ".".join(parts), number)
            for candidate, value in zip(found, values, strict=True):
                candidate[key] = value if key == "id" else number_of(value)
        for path, parts in self._features:
            if path == ALL_NUMBERS:
                self._add_all(record, found)
                continue
            values = self._aligned(value_at(record, parts), len(found), path, number)
            for candidate, value in zip(found, values, strict=True):
                candidate.setdefault("features", {}).update(self._numbers(value, path, number))
        return found

    def _add_all(self, record: dict[str, Any], found: list[dict[str, Any]]) -> None:
        """All numbers that a record has for each candidate: in its objects, and in lists of the same length."""
        base = self._paths["text"][:-1] if len(self._paths["text"]) > 1 else self._paths["text"]
        lists = [(".".join(base), value_at(record, base))]
        lists += [(key, value) for key, value in record.items() if (key,) != base]
        for path, values in lists:
            if type(values) is list and len(values) == len(found) and path not in self._not_features:
                for candidate, value in zip(found, values, strict=True):
                    named = {name: entry for name, entry in numbers_in(value, path) if name not in self._not_features}
                    candidate.setdefault("features", {}).update({name: number_of(each) for name, each in named.items()})

    def _numbers(self, value: Any, path: str, number: int) -> dict[str, Any]:
        """Features from a number, or from an object of numbers."""
        if type(value) is dict:
            at = "" if path == ALL_NUMBERS else path
            return {name: number_of(entry) for name, entry in numbers_in(value, at) if name not in self._not_features}
        converted = number_of(value)
        if type(converted) not in (int, float, type(None)):
            raise self.source.error(f"expected a number for the feature {path!r}, found {brief(value)}.", number)
        return {path: converted}

    def _aligned(self, values: Any, count: int, path: str, number: int) -> list[Any]:
        """One value per candidate."""
        if values is None:
            return [None] * count
        if type(values) is list and values and all(type(value) is list for value in values):
            values = list(chain.from_iterable(values))
        if type(values) is not list and count == 1:
            return [values]
        if type(values) is not list or len(values) != count:
            found = f"{len(values):,}" if type(values) is list else brief(values)
            text = self.roles.paths["text"]
            raise self.source.error(
                f"expected {count:,} values for {path!r}, one for each of {text!r}, found {found}.", number
            )
        return values

    def _text(self, value: Any, number: int) -> str:
        if type(value) is str:
            return value
        if type(value) is dict:
            inside = text_inside(value)
            if inside is not None:
                return inside
        path = self.roles.paths["text"]
        more = (
            f"; name one of its texts, for instance text={path}.{next(iter(value))}"
            if type(value) is dict and value
            else ""
        )
        raise self.source.error(f"expected text for {path!r}, found {brief(value)}{more}.", number)

    def notes(self) -> list[str]:
        """What was guessed and what was left out."""
        used = self._unused if ALL_NUMBERS not in self.roles.features else {}
        return [
            *([self.roles.note] if self.roles.note else []),
            *([unused_keys({"record": Counter(used)})] if used else []),
            *([self._note_on_texts()] if self._without_text else []),
        ]

    def _note_on_texts(self) -> str:
        first = f"{self.source.unit} {self._first_without_text}"
        text = self.roles.paths["text"]
        return f"Records without {text!r} have no candidate: {self._without_text:,} (the first is {first})."


def text_inside(element: dict[str, Any]) -> str | None:
    """The text of a candidate that is an object, by its usual names; also that of a message in it.

    Examples
    --------
    >>> text_inside({"index": 0, "message": {"role": "assistant", "content": "yes"}})
    'yes'
    """
    for holder in (element, element.get("message")):
        if type(holder) is dict:
            texts = [key for key, value in holder.items() if type(value) is str]
            key = named(texts, _TEXT_NAMES)
            if key is not None:
                return str(holder[key])
    return None
