"""Sentences with roles as JSON lines: one object per sentence, with everything that is known of it."""

from __future__ import annotations

from collections import Counter
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import orjson

from runoff.errors import DataError, brief
from runoff.formats.json_reader import line_blocks, parse_lines
from runoff.formats.streams import create_bytes
from runoff.nbest.record_columns import ID, id_text
from runoff.nbest.records import collector_paused
from runoff.tasks.parsing.brackets import parse_tree
from runoff.tasks.roles.parse_column import tree_over
from runoff.tasks.roles.proposition_columns import unwritable
from runoff.tasks.roles.propositions import Proposition, RoleSentence, WeightedTree

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from runoff.tasks.parsing.trees import Tree

_KEYS = ("id", "document", "words", "pos", "tree", "trees", "chunks", "clauses", "entities", "propositions")


def read_json_roles(path: str | Path, *, notes: list[str] | None = None) -> list[RoleSentence]:
    r"""Read sentences from JSON lines, plain, gzip or zstd.

    Parameters
    ----------
    path
        One object per line: `words`; optional `pos`, `chunks` and `entities` (a text for every word), `tree` (in
        Penn brackets), `trees` (pairs of a probability and a tree, where a sentence may have several), `clauses` (pairs
        of start and stop), `id`, `document`; and `propositions`, each with `predicate` (number of its word from 0),
        `lemma`, optional `roleset`, and `arguments` as label, start and stop.
    notes
        Receives a sentence about keys that were left out.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "one.jsonl"
    >>> said = '{"predicate":1,"lemma":"leave","arguments":[["A0",0,1],["V",1,2]]}'
    >>> _ = path.write_text('{"words":["I","left"],"propositions":[' + said + ']}\n')
    >>> read_json_roles(path)[0].propositions[0].tags(2)
    ['B-A0', 'B-V']
    """
    found: list[RoleSentence] = []
    unused: Counter[str] = Counter()
    with collector_paused():
        for first, _, lines in line_blocks(path):
            for record, number in zip(*parse_lines(lines, path, first), strict=True):
                found.append(_Record(record, path, number).sentence())
                unused.update(key for key in record if key not in _KEYS)
    if not found:
        raise DataError("the file is empty.", path=path)
    if notes is not None and unused:
        notes.append(f"Keys that say nothing of roles were left out: {', '.join(sorted(unused)[:8])}.")
    return found


class _Record:
    """The object of one line."""

    def __init__(self, record: Any, path: str | Path, line: int) -> None:
        self._path, self._line = path, line
        if type(record) is not dict or type(record.get("words")) is not list:
            raise self._error(f"expected an object with a list of words, found {brief(record)}.")
        self._record = record
        self._words: tuple[str, ...] = self._texts("words", len(record["words"])) or ()

    def sentence(self) -> RoleSentence:
        size, trees, tree = len(self._words), self._trees(), self._tree(self._record.get("tree"))
        if tree is None and trees is not None:
            tree = max(trees, key=itemgetter(0)).tree
        return RoleSentence(
            self._words,
            tuple(map(self._proposition, self._list(self._record.get("propositions", []), "propositions"))),
            pos=self._texts("pos", size),
            tree=tree,
            trees=trees,
            chunks=self._texts("chunks", size),
            clauses=self._clauses(),
            entities=self._texts("entities", size),
            id=self._name("id"),
            document=self._name("document"),
        )

    def _error(self, message: str) -> DataError:
        return DataError(message, path=self._path, line=self._line)

    def _list(self, value: Any, what: str) -> list[Any]:
        if type(value) is not list:
            raise self._error(f"expected a list of {what}, found {brief(value)}.")
        return value

    def _texts(self, key: str, size: int) -> tuple[str, ...] | None:
        if self._record.get(key) is None:
            return None
        values = self._list(self._record[key], key)
        if len(values) != size or any(type(each) is not str for each in values):
            raise self._error(f"expected a text for each of the {size} words in {key!r}, found {brief(values)}.")
        return tuple(values)

    def _name(self, key: str) -> str | None:
        value = self._record.get(key)
        if value is None:
            return None
        name = id_text(value)
        if name is None:
            raise self._error(f"expected {ID} for {key!r}, found {brief(value)}.")
        return name

    def _trees(self) -> tuple[WeightedTree, ...] | None:
        found = []
        for each in self._list(self._record.get("trees") or [], "trees"):
            if type(each) is not list or len(each) != 2 or type(each[0]) not in (int, float) or not 0 < each[0] <= 1:
                raise self._error(f"expected a probability above 0 and a tree in 'trees', found {brief(each)}.")
            tree = self._tree(each[1])
            if tree is None:
                raise self._error("expected a probability and a tree in 'trees', found null.")
            found.append(WeightedTree(float(each[0]), tree))
        return tuple(found) or None

    def _tree(self, text: Any) -> Tree | None:
        if text is None:
            return None
        if type(text) is not str:
            raise self._error(f"expected a tree in brackets, found {brief(text)}.")
        try:
            return tree_over(parse_tree(text), self._words)
        except DataError as error:
            raise self._error(error.message) from None

    def _clauses(self) -> tuple[tuple[int, int], ...] | None:
        if self._record.get("clauses") is None:
            return None
        found = []
        for each in self._list(self._record["clauses"], "clauses"):
            if type(each) is not list or len(each) != 2:
                raise self._error(f"expected the start and the stop of a clause, found {brief(each)}.")
            found.append(self._stretch(each[0], each[1], each))
        return tuple(found)

    def _stretch(self, start: Any, stop: Any, said: Any) -> tuple[int, int]:
        if type(start) is not int or type(stop) is not int or not 0 <= start < stop <= len(self._words):
            raise self._error(f"expected a stretch of the {len(self._words)} words, found {brief(said)}.")
        return start, stop

    def _proposition(self, said: Any) -> Proposition:
        if type(said) is not dict:
            raise self._error(f"expected an object for a proposition, found {brief(said)}.")
        token, lemma, roleset = said.get("predicate"), said.get("lemma"), said.get("roleset")
        if type(token) is not int or not 0 <= token < len(self._words):
            raise self._error(f"expected the number of a word for 'predicate', found {brief(token)}.")
        if type(lemma) is not str or not (roleset is None or type(roleset) is str):
            raise self._error(f"expected texts for 'lemma' and 'roleset', found {brief(lemma)} and {brief(roleset)}.")
        arguments = []
        for each in self._list(said.get("arguments", []), "arguments"):
            if type(each) is not list or len(each) != 3 or type(each[0]) is not str:
                raise self._error(f"expected label, start and stop of an argument of {lemma!r}, found {brief(each)}.")
            arguments.append((*self._stretch(each[1], each[2], each), each[0]))
        try:
            return Proposition.of(token, lemma, arguments, roleset)
        except DataError as error:
            raise self._error(error.message) from None


def write_json_roles(sentences: Iterable[RoleSentence], path: str | Path, *, notes: list[str] | None = None) -> None:  # noqa: ARG001 - all is shown
    r"""Write one object per sentence, compressed if the name ends in .gz or .zst; `read_json_roles` gives it back.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "one.jsonl"
    >>> write_json_roles([RoleSentence(("Yes",), id="s1")], path)
    >>> path.read_text()
    '{"id":"s1","words":["Yes"],"propositions":[]}\n'
    """
    with create_bytes(path) as stream:
        for number, sentence in enumerate(sentences, 1):
            try:
                stream.write(orjson.dumps(record_of(sentence), option=orjson.OPT_APPEND_NEWLINE))
            except (orjson.JSONEncodeError, DataError) as error:
                raise unwritable(number, str(error)) from error


def record_of(sentence: RoleSentence) -> dict[str, Any]:
    """Everything that is known of a sentence, as plain values.

    Examples
    --------
    >>> record_of(RoleSentence(("Yes",), pos=("UH",)))
    {'words': ('Yes',), 'pos': ('UH',), 'propositions': []}
    """
    said: dict[str, Any] = {key: getattr(sentence, key) for key in _KEYS[:-1]}
    said["tree"] = None if sentence.tree is None else str(tree_over(sentence.tree, sentence.words))
    if sentence.trees is not None:
        said["trees"] = [[chance, str(tree_over(tree, sentence.words))] for chance, tree in sentence.trees]
    propositions = []
    for each in sentence.propositions:
        named = {"predicate": each.predicate, "lemma": each.lemma}
        named |= {} if each.roleset is None else {"roleset": each.roleset}
        arguments = [[label, start, stop] for start, stop, label in each.arguments]
        propositions.append({**named, "arguments": arguments})
    return {**{key: value for key, value in said.items() if value is not None}, "propositions": propositions}
