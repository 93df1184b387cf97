"""Lists of parses as JSON lines, one object per sentence: `id` and `nbest` = [[log-probability, tree], …].

Without scores, `nbest` is a list of trees: [tree, …]. `gold` (a tree), `tokens` (the words), `fold` (a whole number)
and `doc` (text) are optional. With `gold`, `nbest` may be missing: a sentence of a treebank, read as a list without
candidates.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import orjson

from runoff.errors import DataError, brief
from runoff.formats.json_reader import outline, parse
from runoff.formats.streams import SAMPLE_SIZE, create_bytes, lines
from runoff.nbest.record_columns import ID, id_text
from runoff.nbest.records import unused_keys
from runoff.tasks.parsing.bracket_text import is_finite
from runoff.tasks.parsing.parse_list import Origin, ParseList

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from runoff.formats.base import Sample

_KEYS = frozenset({"id", "nbest", "gold", "tokens", "fold", "doc"})


def read(path: str | Path, notes: list[str]) -> Iterator[ParseList]:
    """Read the lists of a file one by one. O(characters)."""
    unused: Counter[str] = Counter()
    unscored = alone = 0
    for number, raw in lines(path):
        record = _parsed(raw, path, number)
        unused.update(key for key in record if key not in _KEYS)
        parses = _list(record, Origin(path, number))
        unscored += bool(parses.trees) and _is_unscored(record["nbest"])
        alone += "nbest" not in record
        yield parses
    if unscored:
        notes.append(
            f"Lists without scores: {unscored:,}; their candidates get 0, so the first one is the first choice."
        )
    if alone:
        notes.append(f"Lists with a gold tree but without `nbest`: {alone:,}.")
    if unused:
        notes.append(unused_keys({"list": unused}))


def _parsed(line: bytes, path: str | Path, number: int) -> dict[str, Any]:
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        record = parse(line, path, number)
        try:
            json.dumps(record, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise DataError(
                "expected whole Unicode characters, found half a surrogate pair.", path=path, line=number
            ) from None
    if type(record) is not dict:
        raise DataError(
            f"expected an object with the keys 'id' and 'nbest', found {brief(record)}.", path=path, line=number
        )
    return record


def _list(record: dict[str, Any], origin: Origin) -> ParseList:
    for key, instead in (("id", ""), ("nbest", "gold")):
        if key not in record and not (instead and record.get(instead)):
            wanted = f"the key {key!r}, or {instead!r} with a tree," if instead else f"the key {key!r}"
            raise _misfit(wanted, f"only {', '.join(map(brief, record)) or 'an empty object'}", record, origin)
    name, tokens, fold = id_text(record["id"]), record.get("tokens"), record.get("fold")
    if name is None:
        raise _misfit(f"{ID} for 'id'", brief(record["id"]), {}, origin)
    if tokens is not None and not (type(tokens) is list and all(type(token) is str for token in tokens)):
        raise _misfit("a list of words for 'tokens'", brief(tokens), record, origin)
    if fold is not None and not (type(fold) is int and abs(fold) < 2**63):
        raise _misfit("a whole number of up to 64 bits for 'fold'", brief(fold), record, origin)
    for key in ("gold", "doc"):
        if type(record.get(key, "")) not in (str, type(None)):
            raise _misfit(f"text for {key!r}", brief(record[key]), record, origin)
    scores, trees = _candidates(record, origin)
    return ParseList(name, record.get("gold"), scores, trees, tokens, fold, record.get("doc"), origin)


def _candidates(record: dict[str, Any], origin: Origin) -> tuple[list[float], list[str]]:
    pairs = record.get("nbest", [])
    if type(pairs) is not list:
        raise _misfit("a list of pairs of log-probability and tree for 'nbest'", brief(pairs), record, origin)
    if _is_unscored(pairs):
        return [0.0] * len(pairs), pairs
    scores, trees = [], []
    for place, pair in enumerate(pairs, 1):
        if type(pair) is not list or len(pair) != 2:
            wanted = f"a pair of log-probability and tree for candidate {place}"
            raise _misfit(wanted, brief(pair), record, origin)
        score, tree = pair
        if not is_finite(score):
            wanted = f"a finite number as the log-probability of candidate {place}"
            raise _misfit(wanted, brief(score), record, origin)
        if type(tree) is not str:
            raise _misfit(f"text for the tree of candidate {place}", brief(tree), record, origin)
        scores.append(float(score))
        trees.append(tree)
    return scores, trees


def _is_unscored(candidates: list[Any]) -> bool:
    """Whether there are trees without scores."""
    return all(type(each) is str for each in candidates)


def _misfit(wanted: str, found: str, record: dict[str, Any], origin: Origin) -> DataError:
    whose = f" of list {brief(record['id'])}" if "id" in record else ""
    return DataError(f"expected {wanted}{whose}; found {found}.", path=origin.path, line=origin.line)


def write(lists: Iterable[ParseList], path: str | Path) -> None:
    """Write one list per line; the file is replaced only when all are written."""
    seen: set[str] = set()
    with create_bytes(path) as stream:
        for parses in lists:
            if parses.id in seen:
                raise DataError(f"{parses.where()}: another list already has this id; ids must differ.")
            seen.add(parses.id)
            stream.write(line(parses))


def line(parses: ParseList) -> bytes:
    r"""One list as a line of a file, with the newline.

    Examples
    --------
    >>> line(ParseList("a", scores=[-1.5], trees=["(X (UH oh))"]))
    b'{"id":"a","nbest":[[-1.5,"(X (UH oh))"]]}\n'
    """
    try:
        return orjson.dumps(_record(parses), option=orjson.OPT_APPEND_NEWLINE)
    except orjson.JSONEncodeError as error:
        raise DataError(f"{parses.where()}: it cannot be written as JSON: {error}.") from error


def _record(parses: ParseList) -> dict[str, Any]:
    for place, score in enumerate(parses.scores):
        if not is_finite(score):
            raise DataError(f"{parses.where(place)}: expected a finite number as the log-probability, found {score!r}.")
    about = {"fold": parses.fold, "doc": parses.document, "tokens": parses.tokens, "gold": parses.gold}
    return {
        "id": parses.id,
        **{key: value for key, value in about.items() if value is not None},
        "nbest": list(zip(parses.scores, parses.trees, strict=True)),
    }


def recognise(sample: Sample) -> bool:
    """Recognise objects with `nbest` or `gold`, or whose words fill the sample."""
    if sample.first_line[:1] != b"{":
        return False
    seen = outline(sample.head)
    if ("candidates",) in seen:
        return False
    if b'"(' not in sample.head and any(keys[0] not in _KEYS and first in b'"[' for keys, first in seen.items()):
        return False  # no trees but other texts: `gold` and `nbest` are usual names in lists of other kinds too
    is_cut = len(sample.head) >= SAMPLE_SIZE and b"\n" not in sample.head.strip()
    return ("nbest",) in seen or ("gold",) in seen or (is_cut and ("tokens",) in seen)
