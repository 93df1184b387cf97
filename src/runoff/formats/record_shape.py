"""What records of unknown making hold: the paths of their texts and numbers, and which are one per candidate."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from runoff.formats.record_paths import parts_of, value_at
from runoff.nbest.record_columns import id_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

TEXT, NUMBER, TRUTH_VALUE, NOTHING = "text", "number", "truth value", "nothing"
_MOST_RECORDS, _MOST_ELEMENTS, _MOST_PATHS, _DEEPEST = 512, 16, 500, 6
_KINDS = {str: TEXT, int: NUMBER, float: NUMBER, bool: TRUTH_VALUE, type(None): NOTHING}


@dataclass
class Leaf:
    """Values at one path: their kinds, whether a list is on the way, in how many records, and how long texts are."""

    kinds: Counter[str] = field(default_factory=Counter)
    in_list: bool = False
    records: int = 0
    characters: int = 0

    @property
    def kind(self) -> str:
        """The kind of all values, "" if they have several."""
        known = [kind for kind in self.kinds if kind != NOTHING]
        return known[0] if len(known) == 1 else (NOTHING if not known else "")

    @property
    def is_number(self) -> bool:
        """Whether all values are numbers or true and false."""
        return bool(self.kinds) and set(self.kinds) <= {NUMBER, TRUTH_VALUE}


@dataclass(frozen=True)
class RecordShape:
    """The leaves of some records by their dotted paths, in the order of appearance.

    Examples
    --------
    >>> shape = shape_of([{"prompt": "p", "samples": [{"text": "a", "score": 1}]}])
    >>> [(path, leaf.kind, leaf.in_list) for path, leaf in shape.leaves.items()]
    [('prompt', 'text', False), ('samples.text', 'text', True), ('samples.score', 'number', True)]
    """

    leaves: dict[str, Leaf]
    records: Sequence[dict[str, Any]]

    def paths(self, *kinds: str, in_list: bool) -> list[str]:
        """Paths of leaves of these kinds."""
        return [path for path, leaf in self.leaves.items() if leaf.kind in kinds and leaf.in_list == in_list]

    def values(self, path: str) -> list[Any]:
        """The value at a path in every record that was looked at."""
        parts = parts_of(path)
        return [value_at(record, parts) for record in self.records]

    def repeats(self, path: str) -> bool:
        """Whether two records have the same value there."""
        known = [name for value in self.values(path) if (name := id_text(value)) is not None]
        return len(set(known)) < len(known)


def shape_of(records: Iterable[Any]) -> RecordShape:
    """Look at the first records. O(their values)."""
    leaves: dict[str, Leaf] = defaultdict(Leaf)
    looked = [record for record in records if isinstance(record, dict)][:_MOST_RECORDS]
    for record in looked:
        seen: set[str] = set()
        _walk(record, "", False, leaves, seen)
        for path in seen:
            leaves[path].records += 1
    return RecordShape(dict(leaves), looked)


def _walk(value: Any, path: str, in_list: bool, leaves: dict[str, Leaf], seen: set[str]) -> None:
    if path.count(".") >= _DEEPEST:
        return
    if type(value) is dict:
        for key, entry in value.items():
            if len(leaves) < _MOST_PATHS and key:
                _walk(entry, f"{path}.{key}" if path else str(key), in_list, leaves, seen)
        return
    if type(value) is list and not in_list:
        for entry in value[:_MOST_ELEMENTS]:
            if type(entry) is list:  # a list for every part of a record: what is in it are the candidates
                for inner in entry[:_MOST_ELEMENTS]:
                    _walk(inner, path, True, leaves, seen)
            else:
                _walk(entry, path, True, leaves, seen)
        return
    kind = _KINDS.get(type(value))
    if path and kind is not None:
        seen.add(path)
        leaf = leaves[path]
        leaf.kinds[kind] += 1
        leaf.in_list = leaf.in_list or in_list
        leaf.characters += len(value) if kind == TEXT else 0
