"""Lists of parses as JSON lines, and a sentence with the place for everything that is wrong in them."""

from __future__ import annotations

import json
import re

import pytest

from helpers.parse_files import GOLD, ONE, THREE, TWO, WHOLE, contents, file
from runoff.errors import DataError
from runoff.tasks.parsing.lists import ParseList, read_lists


def test_json_lines(tmp_path):
    lines = [json.dumps(WHOLE), "", json.dumps({"id": 7, "nbest": []}), ""]
    first, second = read_lists(file(tmp_path, "\ufeff" + "\r\n".join(lines)))
    assert first == ParseList("d#0", GOLD, [-31.25, -32.0], [ONE, TWO], ["time", "flies"], 3, "d")
    assert second == ParseList("7")
    assert (second.gold, second.tokens, second.fold, second.document) == (None, None, None, None)
    assert list(map(type, first.scores)) == [float, float]


def test_keys_that_are_not_used_are_counted(tmp_path):
    path = file(tmp_path, '{"id": "a", "nbest": [], "retry": 1}\n{"id": "b", "nbest": [], "retry": 2, "gold": null}\n')
    notes: list[str] = []
    assert len(list(read_lists(path, notes=notes))) == 2
    assert notes == ["Keys that Runoff does not use were left out: retry (2 lists)."]


def test_a_sentence_longer_than_the_sample_is_recognised(tmp_path):
    record = {"id": "a", "tokens": ["word"] * 20_000, "gold": THREE, "nbest": [[-1.0, THREE]]}
    path = file(tmp_path, json.dumps(record))
    assert path.stat().st_size > 1 << 17  # twice the 64 KiB that are looked at
    assert contents(read_lists(path)) == [("a", [-1.0], [THREE])]


def test_trees_without_scores(tmp_path):
    lines = ({"id": "a", "nbest": [ONE, TWO]}, {"id": "b", "nbest": []}, {"id": "c", "nbest": [[-2, THREE]]})
    path = file(tmp_path, "\n".join(map(json.dumps, lines)))
    notes = []
    found = contents(read_lists(path, notes=notes))
    assert found == [("a", [0.0, 0.0], [ONE, TWO]), ("b", [], []), ("c", [-2.0], [THREE])]
    assert notes == ["Lists without scores: 1; their candidates get 0, so the first one is the first choice."]


def test_gold_trees_alone_are_lists_without_candidates(tmp_path):
    lines = ({"id": "a", "gold": GOLD, "doc": "d"}, {"id": 2, "gold": THREE}, {"id": "c", "nbest": [[-1.5, ONE]]})
    path = file(tmp_path, "\n".join(map(json.dumps, lines)))
    notes: list[str] = []
    assert list(read_lists(path, notes=notes)) == [
        ParseList("a", GOLD, document="d"),
        ParseList("2", THREE),
        ParseList("c", None, [-1.5], [ONE]),
    ]
    assert notes == ["Lists with a gold tree but without `nbest`: 2."]


def test_a_gold_tree_longer_than_the_sample_is_recognised(tmp_path):
    gold = f"(S {'(NN word) ' * 20_000})"
    assert next(read_lists(file(tmp_path, json.dumps({"id": "a", "gold": gold})))).gold == gold


JSON_TROUBLE = {
    "not JSON": ('{"id": "b", "nbest": [[-1, "(X x)"]', r"the line is not JSON \(it ends too early"),
    "not an object": ("[1, 2]", r"expected an object with the keys 'id' and 'nbest', found \[1, 2\]\."),
    "no id": ('{"nbest": []}', r"expected the key 'id'; found only 'nbest'\."),
    "no list": (
        '{"id": "b", "doc": "a"}',
        r"expected the key 'nbest', or 'gold' with a tree, of list 'b'; found only 'id', 'doc'\.",
    ),
    "no list, no tree": ('{"id": "b", "gold": ""}', r"or 'gold' with a tree, of list 'b'; found only 'id', 'gold'\."),
    "no list, and null": ('{"id": "b", "gold": null}', r"or 'gold' with a tree, of list 'b'; found only 'id', 'gold'"),
    "no list, gold of no kind": ('{"id": "b", "gold": 1}', r"expected text for 'gold' of list 'b'; found 1\."),
    "nothing": ("{}", r"expected the key 'id'; found only an empty object\."),
    "id of no kind": ('{"id": ["b"], "nbest": []}', r"expected text or a number .* for 'id'; found \['b'\]\."),
    "id of 400 digits": ('{"id": ' + "9" * 400 + ', "nbest": []}', r"a longer one needs quotes\) for 'id'; found 999"),
    "list of no kind": ('{"id": "b", "nbest": {}}', r"expected a list of pairs .* for 'nbest' of list 'b'; found {}\."),
    "no pair": ('{"id": "b", "nbest": [[-1]]}', r"a pair of log-probability and tree for candidate 1 of list 'b'; "),
    "one of them without": ('{"id": "b", "nbest": ["(X x)", [-1, "(X x)"]]}', r"expected a pair .* found '\(X x\)'\."),
    "a triple": ('{"id": "b", "nbest": [[-1, "(X x)", 2]]}', r"expected a pair .* found \[-1, '\(X x\)', 2\]\."),
    "text as a number": (
        '{"id": "b", "nbest": [[-1, "(X x)"], ["-2", "(X x)"]]}',
        r"expected a finite number as the log-probability of candidate 2 of list 'b'; found '-2'\.",
    ),
    "NaN": ('{"id": "b", "nbest": [[NaN, "(X x)"]]}', r"log-probability of candidate 1 of list 'b'; found nan\."),
    "infinite": ('{"id": "b", "nbest": [[-Infinity, "(X x)"]]}', r"a finite number .* found -inf\."),
    "beyond all floats": ('{"id": "b", "nbest": [[' + "9" * 400 + ', "(X x)"]]}', r"a finite number .* found "),
    "true as a number": ('{"id": "b", "nbest": [[true, "(X x)"]]}', r"a finite number .* found True\."),
    "null as a number": ('{"id": "b", "nbest": [[null, "(X x)"]]}', r"a finite number .* found None\."),
    "no tree": ('{"id": "b", "nbest": [[-1, null]]}', r"text for the tree of candidate 1 of list 'b'; found None\."),
    "gold of no kind": ('{"id": "b", "nbest": [], "gold": 1}', r"expected text for 'gold' of list 'b'; found 1\."),
    "document of no kind": ('{"id": "b", "nbest": [], "doc": 1}', r"expected text for 'doc' of list 'b'; found 1\."),
    "tokens of no kind": ('{"id": "b", "nbest": [], "tokens": "a b"}', r"a list of words for 'tokens' .* found 'a b'"),
    "a token of no kind": ('{"id": "b", "nbest": [], "tokens": ["a", 1]}', r"a list of words for 'tokens' of list 'b'"),
    "fold of no kind": (
        '{"id": "b", "nbest": [], "fold": "1"}',
        r"a whole number .* for 'fold' of list 'b'; found '1'\.",
    ),
    "fold of 30 digits": (
        '{"id": "b", "nbest": [], "fold": ' + "9" * 30 + "}",
        r"up to 64 bits for 'fold' of list",
    ),
    "fold of 400 digits": (
        '{"id": "b", "nbest": [], "fold": ' + "9" * 400 + "}",
        r"up to 64 bits for 'fold' of list",
    ),
    "half a character": ('{"id": "b\\ud800", "nbest": []}', r"expected whole Unicode characters"),
    "the same id": ('{"id": "a", "nbest": []}', r"another list \(line 1\) has the id 'a'; ids must differ\."),
    "not UTF-8": (b'{"id": "\xe9", "nbest": []}', r"the text is not UTF-8 \(byte 9 of the line is 0xe9\)"),
}


@pytest.mark.parametrize("case", JSON_TROUBLE)
def test_trouble_in_json_lines(tmp_path, case):
    line, message = JSON_TROUBLE[case]
    line = line if isinstance(line, bytes) else line.encode()
    path = file(tmp_path, b'{"id": "a", "nbest": [[-1.5, "(X x)"]]}\n\n' + line + b"\n")
    lists = read_lists(path)
    assert next(lists).id == "a"  # lists before the trouble are given: nothing is read ahead
    with pytest.raises(DataError, match=rf"^{re.escape(str(path))}, line 3: .*{message}"):
        next(lists)
