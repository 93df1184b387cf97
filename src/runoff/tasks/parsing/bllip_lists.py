"""N-best text of the BLLIP parser (Charniak & Johnson 2005).

Each sentence starts with a line that has the number of parses and the sentence's name; then come a log-probability and
a tree for every parse. All known variants are read: blank lines between parses, between sentences or nowhere; trees
over many lines (pretty-printed) or on the line of their log-probability; fewer parses than requested, or none; no
name, or the same `x` or `dummy` for every sentence, as the parser's Python module writes it. Where a parse has two
numbers, as after BLLIP's own reranker, the second is the log-probability.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from runoff.errors import DataError, brief
from runoff.tasks.parsing.bracket_text import is_finite, number_of, text_lines
from runoff.tasks.parsing.brackets import missing
from runoff.tasks.parsing.parse_list import Origin, ParseList

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from runoff.formats.base import Sample

_HEADER = re.compile(r"([0-9]{1,9})(?:\s+(\S.*))?")
_NO_NAMES = frozenset({"x", "dummy"})


def read(path: str | Path, notes: list[str]) -> Iterator[ParseList]:
    """Read the lists of a file one by one; those without a name are numbered from 1. O(characters)."""
    reader = _BllipReader(path)
    yield from reader.lists()
    if reader.unnamed:
        notes.append(f"Lists without a name of their own were numbered: {reader.unnamed:,}.")
    if reader.reranked:
        notes.append(
            f"Candidates with two numbers before the tree: {reader.reranked:,}; "
            "the second is read as the parser's log-probability."
        )


class _Header(NamedTuple):
    """The first line of a list."""

    line: int
    name: str
    size: int

    @property
    def promised(self) -> str:
        return f"Line {self.line} announces {self.size} parse(s)."

    def candidate(self, place: int) -> str:
        return f"candidate {place + 1} of list {brief(self.name)}"


class _BllipReader:
    def __init__(self, path: str | Path) -> None:
        self.unnamed = self.reranked = 0
        self._path = path
        self._rows = text_lines(path)

    def lists(self) -> Iterator[ParseList]:
        before = ""
        for count, (number, line) in enumerate(self._rows, 1):
            words = _HEADER.fullmatch(line)
            if words is None:
                raise self._error(
                    "expected the number of parses and the name of the next list, as in `50 sentence-7`; "
                    f"found {brief(line)}.{before}",
                    number,
                )
            name = words[2]
            if name is None or name in _NO_NAMES:
                self.unnamed += 1
                name = str(count)
            header = _Header(number, name, int(words[1]))
            yield self._list(header)
            before = f" The list before it is {brief(name)}. {header.promised}"

    def _list(self, header: _Header) -> ParseList:
        scores: list[float] = []
        trees: list[str] = []
        lines: list[int] = []
        for place in range(header.size):
            number, line = self._next("log-probability", header, place)
            before, bracket, rest = line.partition("(")
            scores.append(self._score(before.strip() or line, header, place, number))
            tree, at = bracket + rest, number
            if not bracket:
                at, tree = self._next("tree", header, place)
                if tree[0] != "(":
                    raise self._no_tree(line, number, tree, at, header, place)
            lines.append(at)
            trees.append(self._tree(tree, header, place, at))
        return ParseList(header.name, None, scores, trees, origin=Origin(self._path, header.line, lines))

    def _next(self, wanted: str, header: _Header, place: int) -> tuple[int, str]:
        row = next(self._rows, None)
        if row is None:
            raise self._error(
                f"the file ends before the {wanted} of {header.candidate(place)}. {header.promised}", header.line
            )
        return row

    def _score(self, text: str, header: _Header, place: int, line: int) -> float:
        words = text.split()
        numbers = [number_of(word) for word in words]
        if len(words) > 2 or None in numbers:
            raise self._error(
                f"expected the log-probability of {header.candidate(place)}; found {brief(text)}. {header.promised}",
                line,
            )
        self.reranked += len(words) == 2
        score = numbers[-1]
        if score is None or not is_finite(score):
            raise self._error(
                f"expected a finite number as the log-probability of {header.candidate(place)}; "
                f"found {brief(words[-1])}.",
                line,
            )
        return score

    def _no_tree(self, score: str, score_line: int, found: str, line: int, header: _Header, place: int) -> DataError:
        candidate = header.candidate(place)
        if _HEADER.fullmatch(score):  # a number alone, or two of them, may begin the next list as well
            return self._error(
                f"expected {candidate}; found {brief(score)}, which starts another list. {header.promised}", score_line
            )
        return self._error(f"expected the tree of {candidate}; found {brief(found)}.", line)

    def _tree(self, text: str, header: _Header, place: int, line: int) -> str:
        depth = text.count("(") - text.count(")")
        if depth <= 0:
            return text
        pieces = [text]
        for _, more in self._rows:
            if more[0] not in "()":
                break
            pieces.append(more)
            depth += more.count("(") - more.count(")")
            if depth <= 0:
                return " ".join(pieces)
        raise self._error(f"the tree of {header.candidate(place)} is not closed; {missing(depth)}.", line)

    def _error(self, message: str, line: int) -> DataError:
        return DataError(message, path=self._path, line=line)


def recognise(sample: Sample) -> bool:
    """Recognise a number of parses, perhaps with a name, and below it a log-probability and a tree."""
    rows = filter(None, map(str.strip, sample.head.decode(errors="replace").split("\n")))
    empty = False
    for row in rows:
        header = _HEADER.fullmatch(row)
        if header is None:
            return False
        empty = len(row.split()) <= 2
        if int(header[1]):
            numbers, bracket, _ = next(rows, "").partition("(")
            words = numbers.split()
            is_tree = bool(bracket) or next(rows, "(").startswith("(")  # a sample may end before the tree
            return is_tree and 0 < len(words) <= 2 and None not in map(number_of, words)
    return empty  # lists without parses, or nothing at all
