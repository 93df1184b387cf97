"""What files of parses are made of: lines of text, trees that are cut apart without being read, and numbers."""

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

NO_TREE = "(())"  # what parsers write in place of a tree when they found none
_BRACKET = re.compile(r"[()]")
_NAME = re.compile(r"<([^<>]*)>\s*")  # BLLIP begins a line with the sentence's name in 1-best mode
_NAME_ALONE = re.compile(r"\s*<([^<>\s=/]+[._#:-]\d+)>\s*")  # on a line before the tree: no tag of SGML looks so
# SGML as in the Chinese Treebank, such as <S ID=1> or <DOCID> 17 </DOCID>, and the headers of Switchboard and Brown.
_BESIDE = re.compile(r"\s*(?:\*x\*.*|(?:</?[A-Za-z][^<>]*>\s*)+|<([A-Za-z]+)\b[^<>]*>[^<>()]*</\1>\s*)", re.DOTALL)


class TreeText(NamedTuple):
    """A tree as written, on one line, with the line where it begins and the name before it."""

    line: int
    text: str
    name: str | None


def text_lines(path: str | Path, *, indented: bool = False) -> Iterator[tuple[int, str]]:
    """Lines that are not blank, with their numbers; anything but text is refused."""
    for number, raw in lines(path, indented=indented):
        if b"\0" in raw:
            raise DataError("the file is not text: it has zero bytes.", path=path, line=number)
        yield number, decode(raw, path, number)


def tree_texts(path: str | Path) -> Iterator[TreeText]:
    """Trees of a file: several on a line, or one over many lines. O(characters); one tree is in memory at a time.

    They are read once here, while it is known in which line and column of the file everything stands. Lines between
    trees that are SGML tags alone, or the header that files of Switchboard have, are passed over; a name such as
    <wsj_0010.3> may stand on the line before its tree.

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
                raise DataError("a closing bracket closes nothing.", path=path, line=number)
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
    """The beginning of a file of trees without what `tree_texts` passes over.

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
    """Whether a parser wrote this because it found no tree.

    Examples
    --------
    >>> is_no_tree("( ( ) )"), is_no_tree("()"), is_no_tree("(X x)")
    (True, True, False)
    """
    return "".join(text.split()) in ("()", NO_TREE)


def _name(before: str, path: str | Path, line: int) -> str | None:
    """What stands before a tree: nothing, or its name."""
    before = before.strip()
    if not before:
        return None
    match = _NAME.fullmatch(before)
    if match is None:
        raise _no_tree(before, path, line)
    return match[1].strip() or None


def _no_tree(found: str, path: str | Path, line: int) -> DataError:
    return DataError(f"expected a tree, beginning with an opening bracket; found {brief(found)}.", path=path, line=line)


def number_of(word: str) -> float | None:
    """The number that a word is, perhaps infinite or NaN; None if it is none.

    Examples
    --------
    >>> number_of("-31.5"), number_of("-inf"), number_of("1_000")
    (-31.5, -inf, None)
    """
    try:
        # Python takes 1_000 and digits of all scripts for numbers, nobody else does.
        return float(word) if word.isascii() and "_" not in word else None
    except ValueError:
        return None


def is_finite(number: object) -> bool:
    """Whether it is a number that can be a score.

    Examples
    --------
    >>> is_finite(-3), is_finite(float("nan")), is_finite(True), is_finite("3")
    (True, False, False, False)
    """
    try:
        return isinstance(number, int | float) and not isinstance(number, bool) and math.isfinite(number)
    except OverflowError:  # an integer of hundreds of digits
        return False
