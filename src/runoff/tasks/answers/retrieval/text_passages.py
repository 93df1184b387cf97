"""Passages of one file: sentences of running text, or lines of JSON that each are one."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, NamedTuple

import orjson

from runoff.errors import DataError, brief
from runoff.formats.streams import lines, open_bytes
from runoff.tasks.tagging.sentence_splitter import split_sentences

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_BLOCK = 1 << 22  # characters that are read at once
_LONGEST = 2_000  # characters of a sentence; tables without any mark at their ends are cut into such pieces
_UTF16 = b"\xff\xfe", b"\xfe\xff"  # marks at the beginning
_IDS, _TEXTS = ("id", "_id", "docid"), ("text", "contents")


class BinaryFileError(Exception):
    """A file with zero bytes, which no text has."""


class RawPassage(NamedTuple):
    """A passage as it is read: its name, text and line."""

    id: str
    text: str
    line: int


def passages_of_text(path: Path, name: str, sentences: int) -> Iterator[RawPassage]:
    r"""Every so many sentences of a text, plain, gzip or zstd; white space in them becomes single blanks.

    The whole file is looked at before the first passage is given: `BinaryFileError` and `UnicodeDecodeError` say that
    it is no text in UTF-8. Memory for 4 million characters, however long the file is; a sentence ends there at the
    latest, at a line end if there is one.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.txt"
    >>> _ = path.write_text("A cat\nsat. A dog\n\nran.")
    >>> for passage in passages_of_text(path, "a.txt", 1):
    ...     print(passage)
    RawPassage(id='a.txt#1', text='A cat sat.', line=1)
    RawPassage(id='a.txt#2', text='A dog', line=2)
    RawPassage(id='a.txt#3', text='ran.', line=4)
    """
    blocks = _blocks(path)
    first = next(blocks, "")
    if len(first) >= _BLOCK // 2:  # it may go on, and must be text to its end
        for _ in blocks:
            pass
        blocks = _blocks(path)
        next(blocks, "")
    waiting: list[str] = []
    number, begun = 0, 1
    for line, sentence in _sentences_of(first, blocks):
        begun = begun if waiting else line
        waiting.append(sentence)
        if len(waiting) == sentences:
            number += 1
            yield RawPassage(f"{name}#{number}", " ".join(waiting), begun)
            waiting = []
    if waiting:
        yield RawPassage(f"{name}#{number + 1}", " ".join(waiting), begun)


def passages_of_json(path: Path) -> Iterator[RawPassage]:
    """JSON lines with `text` (or `contents`) and perhaps `id` (or `_id`, `docid`), else the line's number."""
    for number, raw in lines(path):
        try:
            found = orjson.loads(raw)
        except orjson.JSONDecodeError as error:
            raise DataError(f"the line is not JSON ({error}).", path=path, line=number) from error
        text = next((found[key] for key in _TEXTS if key in found), None) if isinstance(found, dict) else None
        if not isinstance(text, str):
            raise DataError(
                f"expected an object with a text, as in {{'id': '1', 'text': '…'}}; found {_shown(raw)}.",
                path=path,
                line=number,
            )
        given = next((found[key] for key in _IDS if key in found), number)
        if not isinstance(given, (str, int)) or isinstance(given, bool):
            raise DataError(f"expected a text or number for the id; found {brief(given)}.", path=path, line=number)
        yield RawPassage(str(given), text, number)


def _shown(raw: bytes) -> str:
    return brief(raw.decode(errors="replace"))


def _blocks(path: Path) -> Iterator[str]:
    """Pieces of a text, which end where a paragraph, a line or a word does if there is one."""
    with open_bytes(path) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig")
        rest = ""
        while block := _read(text):
            is_last = len(block) < _BLOCK
            block = rest + block
            if is_last:
                rest = block
                break
            cut = next((end for end in map(block.rfind, ("\n\n", "\n", " ")) if end > len(block) // 2), len(block) - 1)
            yield block[: cut + 1]
            rest = block[cut + 1 :]
        yield rest


def _read(text: io.TextIOWrapper) -> str:
    try:
        block = text.read(_BLOCK)
    except UnicodeDecodeError as error:
        if b"\0" in error.object and error.object[:2] not in _UTF16:
            raise BinaryFileError from error
        raise
    if "\0" in block:
        raise BinaryFileError
    return block


def _sentences_of(first: str, others: Iterator[str]) -> Iterator[tuple[int, str]]:
    """Line and text of every sentence, in pieces if it is very long."""
    line = 1
    block: str | None = first
    while block is not None:
        at = 0
        for start, stop in split_sentences(block):
            while stop > start:
                line += block.count("\n", at, start)
                at, end = start, stop
                if stop - start > _LONGEST:
                    blank = max(block.rfind(" ", start, start + _LONGEST), block.rfind("\n", start, start + _LONGEST))
                    end = blank + 1 if blank > start else start + _LONGEST
                piece = " ".join(block[start:end].split())
                if piece:
                    yield line, piece
                start = end
        line += block.count("\n", at)
        block = next(others, None)
