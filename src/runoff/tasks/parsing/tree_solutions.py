"""Files of trees as one parser's solutions: lists of one tree, for combinations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.errors import DataError
from runoff.files import replacing
from runoff.formats.streams import sample
from runoff.tasks.parsing.bracket_text import NO_TREE, is_no_tree, tree_texts
from runoff.tasks.parsing.lists import is_brackets
from runoff.tasks.parsing.parse_data import to_nbest
from runoff.tasks.parsing.parse_list import ParseList
from runoff.tasks.parsing.tree_sketch import tree_sketch

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.nbest import NBest

# Parsers write these words in one way or the other.
_ALIKE = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LSB-": "[",
    "-RSB-": "]",
    "-LCB-": "{",
    "-RCB-": "}",
    "``": '"',
    "''": '"',
}


def has_trees(path: Path) -> bool:
    """Whether a file is one of trees in brackets."""
    try:
        return is_brackets(sample(path))
    except DataError:
        return False


def read_tree_solutions(path: Path) -> NBest:
    """One list for every tree of the file, known by its number, with its words as the input.

    Words are without escapes and traces. A sentence without a tree, `(())`, has an empty list and no words.
    """
    lists = []
    for number, each in enumerate(tree_texts(path), 1):
        missing = is_no_tree(each.text)
        words = None if missing else [_plain(word) for word in tree_sketch(each.text).words]
        lists.append(
            ParseList(str(number), None, [] if missing else [0.0], [] if missing else [each.text], tokens=words)
        )
    return to_nbest(lists).replace(base=None)


def write_tree_solutions(data: NBest, path: Path) -> list[str]:
    """Write the trees of lists of one candidate, one per line; (()) where there is none."""
    trees = [] if data.texts is None else data.texts.to_pylist()
    with replacing(path) as temporary:
        lines = (trees[start] if size else NO_TREE for start, size in zip(data.offsets, data.sizes, strict=False))
        temporary.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return []


def lines_of_trees(path: Path) -> list[int]:
    """The lines at which trees begin."""
    return [each.line for each in tree_texts(path)]


def _plain(word: str) -> str:
    """A word as it is in a sentence.

    Examples
    --------
    >>> _plain("-LRB-"), _plain("1\\\\/2"), _plain("*")
    ('(', '1/2', '*')
    """
    return _ALIKE.get(word, word.replace("\\/", "/").replace("\\*", "*"))
