"""Sentences to parse: plain text with one tokenised sentence per line, or anything with trees."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from runoff.errors import DataError, brief
from runoff.formats.streams import BYTE_ORDER_MARK, decode, open_bytes, sample, spooled
from runoff.tasks.parsing import bllip_lists, jsonl_lists
from runoff.tasks.parsing.bracket_text import from_first_tree, is_no_tree
from runoff.tasks.parsing.brackets import Forest
from runoff.tasks.parsing.first_round import asking
from runoff.tasks.parsing.lists import read_lists
from runoff.tasks.parsing.parse_list import ParseList
from runoff.tasks.parsing.treebank import read_treebank
from runoff.tasks.parsing.treebank_files import NOTHING_SAID, tidy
from runoff.tasks.parsing.trees import plain

if TYPE_CHECKING:
    from runoff.formats.base import Sample
    from runoff.tasks.parsing.trees import Tree

# As in the Penn Treebank; also inside longer words, such as :-RRB-.
ESCAPES = {"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"}
_ESCAPED = str.maketrans(ESCAPES)
_WORD = re.compile(r"\S+", re.ASCII)  # only ASCII whitespace separates: a no-break space is part of its word
# A bracket, a label and another bracket, or (TAG word) alone. A sentence may start with a bracket as well, but then a
# blank follows.
_TREE = re.compile(rb"(?:<[^<>\n]*>[ \t]*)?\((?:\s*[^\s()]*\s*\(|[^\s()]+\s+[^\s()]+\)\s*(?:[(<\n]|$))")
_OTHERS = "Sentences without a gold tree, for which the words of the first candidate are used: {:,}."


def read_sentences(path: str | Path, notes: list[str] | None = None, *, text: bool = False) -> list[ParseList]:
    """Read sentences as lists with words (`tokens`) and no candidates yet.

    Parameters
    ----------
    path
        Plain text with one sentence per line, words separated by blanks; or a treebank or lists of parses, whose gold
        trees are kept. Recognised by its first lines. Plain, gzip or zstd; `-` is standard input.
    notes
        Receives a note about everything that was left out or changed.
    text
        Read it as plain text, whatever it looks like.

    Notes
    -----
    In plain text, the id of a sentence is its line number, so a line without words is a sentence too. Brackets in words
    are escaped as in the Penn Treebank (`ESCAPES`). Lists without a gold tree give their `tokens`, or the words of
    their first candidate. O(characters).

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "two.txt"
    >>> _ = path.write_text("It runs ( fast ) .\\n\\n")
    >>> [(sentence.id, sentence.tokens) for sentence in read_sentences(path)]
    [('1', ['It', 'runs', '-LRB-', 'fast', '-RRB-', '.']), ('2', [])]
    """
    said = [] if notes is None else notes
    if Path(path).is_dir():
        return [asking(sentence) for sentence in read_treebank(path, said)]
    with spooled(path) as file:
        seen = sample(file)
        if not seen.head:
            raise DataError("the file is empty; expected one sentence per line.", path=path)
        if text or not _has_trees(seen):
            return _from_text(file, said)
        if _begins_with_a_tree(seen):
            return [asking(sentence) for sentence in read_treebank(file, said)]
        return _from_lists(file, said)


def _has_trees(seen: Sample) -> bool:
    if _begins_with_a_tree(seen) or b"\0" in seen.head:  # the latter: Runoff's own tables
        return True
    return seen.first_line.startswith(b'{"') or jsonl_lists.recognise(seen) or bllip_lists.recognise(seen)


def _begins_with_a_tree(seen: Sample) -> bool:
    return _TREE.match(from_first_tree(seen.head).lstrip()) is not None


def _from_text(path: Path, notes: list[str]) -> list[ParseList]:
    found: list[ParseList] = []
    changed = 0
    with open_bytes(path) as stream:
        for number, raw in enumerate(stream, 1):
            if b"\0" in raw:
                raise DataError("the file is not text: it has zero bytes.", path=path, line=number)
            line = decode(raw.removeprefix(BYTE_ORDER_MARK) if number == 1 else raw, path, number)
            given = _WORD.findall(line)
            words = [word.translate(_ESCAPED) for word in given]
            changed += sum(word != before for word, before in zip(words, given, strict=True))
            found.append(ParseList(str(number), tokens=words))
    if changed:
        notes.append(
            f"Brackets in words are escaped as in the Penn Treebank, e.g. -LRB- for (: {changed:,} words changed."
        )
    empty = sum(not sentence.tokens for sentence in found)
    if empty:
        notes.append(f"Lines without words: {empty:,}; their lists are empty, so that ids match line numbers.")
    return found


def _from_lists(path: Path, notes: list[str]) -> list[ParseList]:
    found: list[ParseList] = []
    tally: Counter[str] = Counter()
    for parses in read_lists(path, notes=notes):
        gold, tokens = _gold(parses, tally), parses.tokens
        if gold is not None:
            tokens = gold.words()
        elif tokens is None:
            tokens = _candidate_words(parses)
            tally[_OTHERS] += bool(tokens)
        else:
            tokens = _as_words(parses, tokens)
        text = None if gold is None else str(gold)
        found.append(ParseList(parses.id, text, tokens=tokens, document=parses.document))
    silent = tally.pop(NOTHING_SAID, 0)
    if silent:
        notes.append(f"Gold trees that consist of traces only were left out: {silent:,}.")
    notes += [sentence.format(count) for sentence, count in tally.items() if count]
    return found


def _as_words(parses: ParseList, tokens: list[str]) -> list[str]:
    for token in tokens:
        if not _WORD.fullmatch(token):
            raise DataError(f"{parses.where()}: expected words without blanks in 'tokens'; found {brief(token)}.")
    return [token.translate(_ESCAPED) for token in tokens]


def _gold(parses: ParseList, tally: Counter[str]) -> Tree | None:
    if not (parses.gold or "").strip() or is_no_tree(parses.gold or ""):
        return None
    gold = parses.gold_tree(Forest())
    return None if gold is None else tidy(gold, tally)


def _candidate_words(parses: ParseList) -> list[str]:
    said = plain(parses.tree(0, Forest())) if parses.trees else None
    return [] if said is None else said.words()
