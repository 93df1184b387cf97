"""Building blocks of files of parses: lines of text, trees as text, and numbers."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple

from runoff.errors import DataError, brief
from runoff.formats.streams import decode, lines
from runoff.tasks.parsing.brackets import missing, read_trees

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NO_TREE = "(())"  # what parsers write when they found no tree
_BRACKET = re.compile(r"[()]")
_NAME = re.compile(r"<([^<>]*)>\s*")  # BLLIP begins a line with the sentence's name in 1-best mode
_NAME_ALONE = re.compile(r"\s*<([^<>\s=/]+[._#:-]\d+)>\s*")  # on the line before the tree; no SGML tag looks like this
# SGML as in the Chinese Treebank, such as <S ID=1> or <DOCID> 17 </DOCID>, and the headers of Switchboard and Brown.
_BESIDE = re.compile(r"\s*(?:\*x\*.*|(?:</?[A-Za-z][^<>]*>\s*)+|<([A-Za-z]+)\b[^<>]*>[^<>()]*</\1>\s*)", re.DOTALL)


class TreeText(NamedTuple):
    """A tree as text on one line, with the line number where it starts and the name before it."""

    line: int
    text: str
    name: str | None


def text_lines(path: str | Path, *, indented: bool = False) -> Iterator[tuple[int, str]]:
    """Lines that are not blank, with their numbers; raises for binary data."""
    for number, raw in lines(path, indented=indented):
        if b"\0" in raw:
            raise DataError("the file is not text: it has zero bytes.", path=path, line=number)
        yield number, decode(raw, path, number)


def tree_texts(path: str | Path) -> Iterator[TreeText]:
    """Trees of a file: several per line, or one over many lines. O(characters), one tree in memory at a time.

    Trees are parsed once here, because line and column of the file are known only here. Lines between trees that hold
    only SGML tags, or the header of Switchboard files, are skipped; a name such as <wsj_0010.3> may be on the line
    before its tree.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "trees.mrg"
    >>> _ = path.write_text("( (NP (DT the)\\n  (NN cat))) (INTJ (UH oh))")
    >>> [tree.text for tree in tree_texts(path)]
    ['( (NP (DT the) (NN cat)))', '(INTJ (UH oh))']
    """
    pieces: list[str] = []  # each in its column of the file
    depth = opened = 0
    name: str | None = None
    before: str | None = None  # a name on a line of its own
    for number, line in text_lines(path, indented=True):
        if depth == 0 and (alone := _NAME_ALONE.fullmatch(line)):
            before = alone[1]
            continue
        if depth == 0 and _BESIDE.fullmatch(line):
            continue
        start = 0  # of what has not been given yet
        pieces.extend([""] * (number - opened - len(pieces)) if depth else [])  # blank lines, which are not given
        for bracket in _BRACKET.finditer(line):
            if bracket[0] == "(":
                if depth == 0:
                    name, before = _name(line[start : bracket.start()], path, number) or before, None
                    start, opened = bracket.start(), number
                depth += 1
                continue
            if depth == 0:
                raise DataError("a closing bracket has no opening bracket.", path=path, line=number)
            depth -= 1
            if depth == 0:
                pieces.append(" " * start + line[start : bracket.end()])
                text = " ".join(piece.strip() for piece in pieces)
                if not is_no_tree(text):
                    for _ in read_trees(pieces, str(path), opened):
                        pass
                yield TreeText(opened, text, name)
                pieces, start = [], bracket.end()
        rest = line[start:].strip()
        if depth:
            pieces.append(" " * start + line[start:])
        elif rest:
            raise _no_tree(rest, path, number)
    if depth:
        raise DataError(f"the tree is not closed; {missing(depth)}.", path=path, line=opened)


def from_first_tree(head: bytes) -> bytes:
    """The beginning of a file of trees without the lines that `tree_texts` skips.

    Examples
    --------
    >>> from_first_tree(b"<DOC>\\n\\n<S ID=1>\\n(X (UH oh))")
    b'(X (UH oh))'
    """
    start = 0
    while start < len(head):
        end = head.find(b"\n", start) + 1 or len(head)
        line = head[start:end]
        if line.strip() and not _BESIDE.fullmatch(line.decode(errors="replace")):
            break
        start = end
    return head[start:]


def is_no_tree(text: str) -> bool:
    """Whether this is what a parser writes when it found no tree.

    Examples
    --------
    >>> is_no_tree("( ( ) )"), is_no_tree("()"), is_no_tree("(X x)")
    (True, True, False)
    """
    return "".join(text.split()) in ("()", NO_TREE)


def _name(before: str, path: str | Path, line: int) -> str | None:
    """The name in front of a tree, if any."""
    before = before.strip()
    if not before:
        return None
    match = _NAME.fullmatch(before)
    if match is None:
        raise _no_tree(before, path, line)
    return match[1].strip() or None


def _no_tree(found: str, path: str | Path, line: int) -> DataError:
    return DataError(
        f"expected a tree, which starts with an opening bracket; found {brief(found)}.", path=path, line=line
    )


def number_of(word: str) -> float | None:
    """The word as a number, perhaps infinite or NaN; None if it is not a number.

    Examples
    --------
    >>> number_of("-31.5"), number_of("-inf"), number_of("1_000")
    (-31.5, -inf, None)
    """
    try:
        # Python reads 1_000 and digits of all scripts as numbers; other programs do not.
        return float(word) if word.isascii() and "_" not in word else None
    except ValueError:
        return None


def is_finite(number: object) -> bool:
    """Whether this is a finite number.

    Examples
    --------
    >>> is_finite(-3), is_finite(float("nan")), is_finite(True), is_finite("3")
    (True, False, False, False)
    """
    try:
        return isinstance(number, int | float) and not isinstance(number, bool) and math.isfinite(number)
    except OverflowError:  # an integer of hundreds of digits
        return False
