"""References of lists in a file of their own: by the ids of the groups, or one per line in the order of the lists.

A file with ids is JSON (lines, an array, or an object with a key for each) or a table with a header; which key is what
is found by usual names. Any other file has one reference per line.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from runoff.errors import DataError, brief
from runoff.formats.column_roles import usual
from runoff.formats.json_records import CANDIDATES, open_records
from runoff.formats.record_paths import parts_of, value_at
from runoff.formats.record_roles import named
from runoff.formats.record_shape import shape_of
from runoff.formats.streams import check_utf8, lines, read_all, sample
from runoff.nbest.build import REFERENCES
from runoff.nbest.record_columns import id_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runoff.nbest import NBest

_IDS = ("custom_id", "request_id", "task_id", "id", "qid", "question_id", "doc_id", "key", "uid", "group")
_REFERENCES = ("references", "reference", "target", "gold", "ground_truth", "answer", "expected", "ref", "output")
Found = dict[str, list[str]]


def with_references(data: NBest, references: str | Path | None) -> NBest:
    """The data with the references of a file, if there is one; notes say which lists have none. O(bytes)."""
    if references is None:
        return data
    path = Path(references)
    ids = data.group_ids.to_pylist()
    first = sample(path)
    if first.head.lstrip()[:1] in (b"{", b"["):
        found = _of_records(path)
    elif _header(first.first_line) is not None:
        found = _of_table(path)
    else:
        found = _in_order(path, ids)
    missing = [name for name in ids if name not in found]
    if len(missing) == len(ids):
        raise DataError(
            f"none of its ids is the id of a list; lists are called {_some(ids)}, references {_some(list(found))}.",
            path=path,
        )
    notes = [f"Lists without a reference: {len(missing):,} (the first is {brief(missing[0])})."] if missing else []
    unused = len(found) - (len(ids) - len(missing))
    notes += [f"{path.name} has {unused:,} reference(s) of lists that are not there."] if unused else []
    column = pa.array([found.get(name) for name in ids], REFERENCES)
    return data.replace(references=column, notes=(*data.notes, *notes))


def _some(ids: list[str]) -> str:
    return ", ".join(map(brief, ids[:2]))


def _in_order(path: Path, ids: list[str]) -> Found:
    texts = [line.decode(errors="replace") for _, line in _checked_lines(path)]
    if len(texts) != len(ids):
        raise DataError(
            f"expected a reference per line for {len(ids):,} lists, found {len(texts):,} lines; give a file with ids "
            'instead, for instance JSON lines such as {"id": "…", "reference": "…"}.',
            path=path,
        )
    return {name: [text] for name, text in zip(ids, texts, strict=True)}


def _checked_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    check_utf8(read_all(path), path)
    return lines(path)


def _of_records(path: Path) -> Found:
    opened = open_records(path)
    records = [
        (record, number) for values, numbers in opened.blocks for record, number in zip(values, numbers, strict=True)
    ]
    shape = shape_of(record for record, _ in records)
    found: Found = {}
    key = named(shape.paths("text", "number", in_list=False), _IDS)
    answer = named((path for path in shape.leaves if path != key), (*_REFERENCES, CANDIDATES))
    if key is None and (by_id := _by_id(records)):
        return by_id
    if key is None or answer is None:
        raise DataError(
            f"expected references with keys such as 'id' and 'reference'; its records have "
            f"{', '.join(list(shape.leaves)[:20]) or 'no keys'}.",
            path=path,
        )
    for record, number in records:
        if not isinstance(record, dict) or (name := id_text(value_at(record, parts_of(key)))) is None:
            raise opened.source.error(f"expected an object with text or a number for {key!r}.", number)
        texts = _texts(value_at(record, parts_of(answer)))
        if texts is None:
            raise opened.source.error(f"expected text or a list of texts for {answer!r}.", number)
        found.setdefault(name, []).extend(texts)
    return found


def _by_id(records: list[tuple[Any, int]]) -> Found | None:
    """The references of one object whose keys are ids and whose values are texts, or lists of texts."""
    if len(records) != 1 or not isinstance(records[0][0], dict):
        return None
    found = {name: _texts(value) for name, value in records[0][0].items()}
    known = {name: texts for name, texts in found.items() if texts is not None}
    return known if len(known) == len(found) else None


def _texts(value: Any) -> list[str] | None:
    if value is None:
        return []
    known = [id_text(entry) for entry in (value if isinstance(value, list) else [value])]
    return None if None in known else [text for text in known if text is not None]


def _header(line: bytes) -> tuple[str, list[str], str, str] | None:
    """Delimiter and columns of a header that names ids and references; None for anything else."""
    text = line.decode(errors="replace").strip("\r\n")
    for delimiter in "\t,;":
        names = text.split(delimiter)
        answer = usual("reference", names)
        key = named((name for name in names if name != answer), _IDS) or usual("group", names)
        if len(names) > 1 and answer is not None and key is not None:
            return delimiter, names, key, answer
    return None


def _of_table(path: Path) -> Found:
    content = read_all(path)
    check_utf8(content, path)
    text = content.decode("utf-8-sig")
    layout = _header(text.lstrip().split("\n", 1)[0].encode())
    if layout is None:
        raise DataError("expected a header with columns such as id and reference.", path=path)
    delimiter, _, key, answer = layout
    found: Found = {}
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for row in reader:
            if row[key] is None or row[answer] is None:
                raise DataError("the line has fewer columns than the header.", path=path, line=reader.line_num)
            found.setdefault(row[key], []).append(row[answer])
    except csv.Error as error:
        raise DataError(f"the table cannot be read: {error}.", path=path, line=reader.line_num) from error
    return found
