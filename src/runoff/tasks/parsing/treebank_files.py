"""Gold trees in files: which files of a folder have trees, and how trees are normalised.

A tree is normalised to what a parser would write: no traces and no constituents that hold only traces, no function
tags, one root (`ROOT`) whatever it was before. Words are not changed; they keep the escapes of the Penn Treebank
(``-LRB-``, ``1\\/2``).
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from runoff.errors import DataError, UsageError, brief
from runoff.files import reason
from runoff.formats.streams import sample, spooled
from runoff.tables import counted
from runoff.tasks.parsing.bracket_text import from_first_tree, is_no_tree, tree_texts
from runoff.tasks.parsing.brackets import Forest, parse_tree
from runoff.tasks.parsing.lists import read_lists
from runoff.tasks.parsing.trees import ROOTS, Tree, plain

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Sequence

    from runoff.formats.base import Sample

ROOT = "TOP"  # the label above every sentence
NOTHING_SAID = "Sentences that consist of traces only were left out: {:,}."
WITHOUT_TREE = "Sentences without a tree, written as (()), were left out: {:,}."
WITHOUT_GOLD = "Lists without a gold tree were left out: {:,}."
INNER_ROOTS = (
    "Nodes inside trees with the label of a root or without a label were removed, and their children kept: {:,}."
)

_BEGINNING = re.compile(rb"\s*(?:<[^<>\n]*>[ \t]*)?\(\s*(?:[()]|[^\s()]+\s+[^\s)])")
_NAMED_BEGINNING = re.compile(rb"<[^<>\n]*>[ \t]*\(")


class File(NamedTuple):
    """A file, and its name among the others."""

    path: str | Path
    label: str


class GoldTree(NamedTuple):
    """The gold tree of one sentence, with what its file says about the sentence."""

    tree: Tree
    id: str
    is_named: bool  # whether the id is from the file, not a number we assigned
    document: str | None = None
    fold: int | None = None


def find_files(paths: str | Path | Sequence[str | Path], notes: list[str]) -> list[File]:
    """Files to read: the given ones, and those in given folders that look like trees, sorted by name.

    Hidden files and folders are skipped; other files of a folder are counted in `notes`.
    """
    found: list[File] = []
    for path in [paths] if isinstance(paths, str | os.PathLike) else paths:
        folder = Path(path)
        if not folder.is_dir():
            found.append(File(path, folder.name))
            continue
        inside = _inside(folder)
        trees = [each for each in inside if _BEGINNING.match(from_first_tree(sample(each).head))]
        others = sorted(set(inside).difference(trees))
        if not trees:
            raise DataError(
                f"none of the files in this folder starts with a tree ({counted(len(inside), 'files')}). "
                "To read lists of parses, name the files one by one.",
                path=path,
            )
        if others:
            few = ", ".join(each.relative_to(folder).as_posix() for each in others[:3])
            more = ", …" if len(others) > 3 else ""
            notes.append(f"Files in {path} that do not start with a tree were left out: {len(others):,} ({few}{more}).")
        found += [File(each, each.relative_to(folder).as_posix()) for each in trees]
    if not found:
        raise UsageError("expected a file or a folder of trees; found none.")
    _refuse_twice(found)
    if len({file.label for file in found}) < len(found):
        found = [File(file.path, Path(file.path).as_posix()) for file in found]
    return found


def _inside(folder: Path) -> list[Path]:
    """Files of a folder and its subfolders; links are followed, each folder once."""

    def refuse(error: OSError) -> None:
        raise DataError(f"the folder cannot be read: {reason(error)}.", path=error.filename) from error

    seen: set[str] = set()
    found: list[Path] = []
    for root, folders, files in os.walk(folder, onerror=refuse, followlinks=True):
        if os.path.realpath(root) in seen:
            folders.clear()
            continue
        seen.add(os.path.realpath(root))
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        each = (Path(root, name) for name in files if not name.startswith("."))
        found += [path for path in each if path.is_file()]
    return sorted(found)


def _refuse_twice(files: list[File]) -> None:
    seen: set[str] = set()
    for path, _ in files:
        real = os.path.realpath(path)
        if real in seen:
            raise UsageError(f"{path} is given twice; a sentence must not be in a treebank more than once.")
        seen.add(real)


def gold_trees(path: str | Path, tally: Counter[str], notes: list[str]) -> Iterator[GoldTree]:
    """Read the gold trees of a file, plain, gzip or zstd; `-` is standard input. O(characters).

    `tally` counts what was left out, by the note that says so; `notes` receives other notes.
    """
    with spooled(path) as file:
        yield from _from_brackets(file, tally) if _is_brackets(sample(file)) else _from_lists(file, tally, notes)


def _is_brackets(seen: Sample) -> bool:
    first = from_first_tree(seen.head).lstrip()
    return first.startswith(b"(") or _NAMED_BEGINNING.match(first) is not None


def _from_brackets(path: Path, tally: Counter[str]) -> Iterator[GoldTree]:
    lines: dict[str, int] = {}
    for count, written in enumerate(tree_texts(path), 1):
        name = written.name or str(count)
        if name in lines:
            raise DataError(
                f"another tree (line {lines[name]}) has the name {brief(name)}; names must differ.",
                path=path,
                line=written.line,
            )
        lines[name] = written.line
        if is_no_tree(written.text):
            tally[WITHOUT_TREE] += 1
            continue
        tree = tidy(parse_tree(written.text, f"{path}, line {written.line}"), tally)
        if tree is not None:
            yield GoldTree(tree, name, written.name is not None)


def _from_lists(path: Path, tally: Counter[str], notes: list[str]) -> Iterator[GoldTree]:
    count = without = 0
    for parses in read_lists(path, notes=notes):
        count += 1
        if not (parses.gold or "").strip():
            without += 1
            continue
        if is_no_tree(parses.gold or ""):
            tally[WITHOUT_TREE] += 1
            continue
        gold = parses.gold_tree(Forest())
        tree = None if gold is None else tidy(gold, tally)
        if tree is not None:
            yield GoldTree(tree, parses.id, True, parses.document or None, parses.fold)
    if without == count:
        raise DataError(
            f"there is no gold tree ({counted(count, 'lists')}). A treebank is a file of trees in brackets, "
            "a folder of such files, or lists of parses with their gold trees.",
            path=path,
        )
    tally[WITHOUT_GOLD] += without


def tidy(tree: Tree, tally: Counter[str]) -> Tree | None:
    """The tree as a parser would write it, under `ROOT`; None, and counted, if it has no words.

    Examples
    --------
    >>> from collections import Counter
    >>> str(tidy(parse_tree("( (S (NP-SBJ-1 (PRP I)) (VP (VBD left) (NP (-NONE- *-1)))))"), Counter()))
    '(TOP (S (NP (PRP I)) (VP (VBD left))))'
    >>> str(tidy(parse_tree("(UH oh)"), Counter()))
    '(TOP (UH oh))'
    """
    said = plain(tree)
    if said is None:
        tally[NOTHING_SAID] += 1
        return None
    while _is_root(said) and len(said.children) == 1:
        said = said.children[0]
    below = said.children if _is_root(said) else (said,)
    inner = sum(_is_root(node) for top in below for node in top.walk())
    if inner:
        tally[INNER_ROOTS] += inner
        below = tuple(node for top in below for node in _without_roots(top))
    return Tree(ROOT, below)


def _is_root(node: Tree) -> bool:
    return node.word is None and node.label in ROOTS


def _without_roots(node: Tree) -> list[Tree]:
    if node.word is not None:
        return [node]
    children = [each for child in node.children for each in _without_roots(child)]
    return children if _is_root(node) else [Tree(node.label, children)]
