"""Sentences as JSON lines: one object per sentence, with a list for every column."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import orjson

from runoff.errors import DataError, UsageError, brief
from runoff.formats.json_reader import line_blocks, parse_lines
from runoff.formats.streams import create_bytes
from runoff.nbest.record_columns import ID, id_text
from runoff.nbest.records import collector_paused
from runoff.tasks.tagging.column_builder import ColumnBuilder
from runoff.tasks.tagging.column_choice import TAG
from runoff.tasks.tagging.corpus import WORD, Corpus

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

WORD_KEYS = ("words", "tokens")
KEYS = {TAG: "tags"}  # other columns have their own names as keys
_ID, _DOCUMENT = "id", "document"


def read_json_sentences(
    path: str | Path, keys: Mapping[str, str] | None = None, *, notes: list[str] | None = None
) -> Corpus:
    r"""Read sentences from a file of JSON lines, plain, gzip or zstd.

    Parameters
    ----------
    path
        One object per line: a list of words, and further lists of the same length. Whole numbers in a list, as some
        programs write tags, are read as text. `id` and `document` are optional; if one sentence has one, all must.
    keys
        Keys of columns that are not called as usual, by the names of the columns: {"word": "tokens", "tag": "ner"}.
        By default the words are under "words" or "tokens", tags under "tags", and every other list of the length of
        the words is a column with its key as name. Keys for "id" and "document" may be given too.
    notes
        Receives a sentence about keys that were left out.

    Notes
    -----
    The first sentence with words decides which columns there are. O(characters).

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "one.jsonl"
    >>> _ = path.write_text('{"id": "a", "tokens": ["a", "cat"], "ner": ["O", "O"], "source": "web"}\n')
    >>> notes = []
    >>> corpus = read_json_sentences(path, {"tag": "ner"}, notes=notes)
    >>> corpus, notes
    (Corpus(1 sentence, 2 tokens: word, tag), ['Keys that hold no column were left out: source (1 sentence).'])
    """
    reader = _JsonReader(path, dict(keys or {}))
    with collector_paused():
        for first, _, lines in line_blocks(path):
            for record, number in zip(*parse_lines(lines, path, first), strict=True):
                reader.take(record, number)
    corpus = reader.corpus()
    if notes is not None:
        notes += reader.notes()
    return corpus


class _JsonReader:
    """Takes the objects of a file one by one."""

    def __init__(self, path: str | Path, keys: dict[str, str]) -> None:
        self._path, self._given = path, keys
        self._id, self._document = keys.pop(_ID, _ID), keys.pop(_DOCUMENT, _DOCUMENT)
        self._key_of: dict[str, str] = {}  # of every column, once they are known
        self._builders: dict[str, ColumnBuilder] = {}
        self._sizes: list[int] = []
        self._names: dict[str, list[str]] = {self._id: [], self._document: []}
        self._unused: Counter[str] = Counter()

    def take(self, record: Any, number: int) -> None:
        if type(record) is not dict:
            raise self._error(f"expected an object with a list of words, found {brief(record)}.", number)
        key = self._given.get(WORD) or next((each for each in WORD_KEYS if each in record), None)
        if key is None or key not in record:
            wanted = " or ".join(map(repr, [key] if key else WORD_KEYS))
            found = ", ".join(map(brief, record)) or "an empty object"
            raise self._error(f"expected a list of words under the key {wanted}, found only {found}.", number)
        size = len(self._list(record, key, number))
        if not self._builders and (size or not self._key_of):
            self._find_columns(record, key, size)
        self._key_of[WORD] = key
        for name, its in self._key_of.items():
            texts = self._list(record, its, number)
            if len(texts) != size:
                raise self._error(
                    f"expected {size} entries in {its!r}, one for every word; found {len(texts)}.", number
                )
            if size:
                self._builders.setdefault(name, ColumnBuilder()).extend(texts)
        for its, names in self._names.items():
            self._take_name(record, its, names, number)
        self._sizes.append(size)
        used = {*self._key_of.values(), *self._names}
        self._unused.update(each for each in record if each not in used)

    def _find_columns(self, record: dict[str, Any], words: str, size: int) -> None:
        column_of = {key: name for name, key in {**KEYS, **self._given}.items()}
        found = {WORD: words}
        for key, value in record.items():
            fits = type(value) is list and len(value) == size and all(type(each) in (str, int) for each in value)
            if key != words and key not in self._names and (fits or key in self._given.values()):
                name = column_of.get(key, key)
                found[name if name not in found else key] = key
        for name, key in self._given.items():
            found.setdefault(name, key)
        self._key_of = found

    def _list(self, record: dict[str, Any], key: str, number: int) -> list[str]:
        value = record.get(key)
        if type(value) is not list:
            found = brief(value) if key in record else "no such key"
            raise self._error(f"expected a list of texts under the key {key!r}, found {found}.", number)
        kinds = set(map(type, value))
        if not kinds <= {str, int}:
            bad = next(each for each in value if type(each) not in (str, int))
            raise self._error(f"expected texts in {key!r}, found {brief(bad)}.", number)
        return value if kinds <= {str} else [str(each) for each in value]

    def _take_name(self, record: dict[str, Any], key: str, names: list[str], number: int) -> None:
        done = len(self._sizes)
        if (key in record) != (len(names) == done and (done > 0 or key in record)):
            raise self._error(f"expected {key!r} in every sentence or in none.", number)
        if key in record:
            name = id_text(record[key])
            if name is None:
                raise self._error(f"expected {ID} for {key!r}, found {brief(record[key])}.", number)
            names.append(name)

    def _error(self, message: str, number: int) -> DataError:
        return DataError(message, path=self._path, line=number)

    def corpus(self) -> Corpus:
        if not self._sizes:
            raise DataError("the file is empty.", path=self._path)
        columns = {name: self._builders.get(name, ColumnBuilder()).column() for name in self._key_of}
        ids, documents = (tuple(names) if names else None for names in self._names.values())
        return Corpus.of(columns, self._sizes, ids, documents)

    def notes(self) -> list[str]:
        """What was left out."""
        parts = [f"{key} ({count:,} sentence{'s' * (count != 1)})" for key, count in sorted(self._unused.items())[:8]]
        more = f" and {len(self._unused) - 8:,} more" if len(self._unused) > 8 else ""
        return [f"Keys that hold no column were left out: {', '.join(parts)}{more}."] if parts else []


def write_json_sentences(corpus: Corpus, path: str | Path, keys: Mapping[str, str] | None = None) -> None:
    r"""Write one object per sentence, compressed if the name ends in .gz or .zst; `read_json_sentences` gives it back.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "one.jsonl"
    >>> write_json_sentences(Corpus.of({"word": ["a", "cat"], "tag": ["O", "O"]}, sizes=[2], ids=["s"]), path)
    >>> path.read_text()
    '{"id":"s","words":["a","cat"],"tags":["O","O"]}\n'
    """
    key_of = {WORD: WORD_KEYS[0], **KEYS, **(keys or {})}
    used = [key_of.get(name, name) for name in corpus.columns]
    names = {_ID: (key_of.get(_ID, _ID), corpus.ids), _DOCUMENT: (key_of.get(_DOCUMENT, _DOCUMENT), corpus.documents)}
    used += [key for key, _ in names.values()]
    if WORD not in corpus.columns or len(set(used)) < len(used):
        raise UsageError(f"the keys of a sentence must differ, and its words must be there; found {', '.join(used)}.")
    columns = {key_of.get(name, name): column.texts() for name, column in corpus.columns.items()}
    offsets = corpus.offsets.tolist()
    with create_bytes(path) as stream:
        for at in range(len(corpus)):
            record: dict[str, Any] = {key: each[at] for key, each in names.values() if each is not None}
            record |= {key: texts[offsets[at] : offsets[at + 1]] for key, texts in columns.items()}
            try:
                stream.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))
            except orjson.JSONEncodeError as error:
                raise DataError(f"sentence {at + 1} cannot be written as JSON: {error}.") from error
