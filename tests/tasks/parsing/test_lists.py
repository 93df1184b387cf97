"""Lists of parses: every form they come in, and a sentence with the place for everything that is wrong in them."""

from __future__ import annotations

import gzip
import json
import re

import orjson
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runoff import formats
from runoff.errors import DataError, RunoffError, UsageError
from runoff.nbest import NBest
from runoff.tasks.parsing.bracket_text import tree_texts
from runoff.tasks.parsing.brackets import Forest
from runoff.tasks.parsing.lists import Origin, ParseList, read_lists, write_lists

ONE, TWO, THREE = "(S1 (NP (NN time) (NNS flies)))", "(S1 (S (NP (NN time)) (VP (VBZ flies))))", "(S1 (INTJ (UH oh)))"
GOLD = "(S1 (S (NP (NN time)) (VP (VBZ flies))))"


def file(tmp_path, content: str | bytes, name: str = "lists"):
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def contents(lists):
    return [(each.id, each.scores, each.trees) for each in lists]


# -------------------------------------------------------------------- JSON lines

WHOLE = {
    "id": "d#0",
    "fold": 3,
    "doc": "d",
    "tokens": ["time", "flies"],
    "gold": GOLD,
    "nbest": [[-31.25, ONE], [-32, TWO]],
}


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
    assert notes == ["Lists without scores: 1; their candidates were given 0, and the first is the choice."]


def test_gold_trees_alone_are_lists_without_candidates(tmp_path):
    lines = ({"id": "a", "gold": GOLD, "doc": "d"}, {"id": 2, "gold": THREE}, {"id": "c", "nbest": [[-1.5, ONE]]})
    path = file(tmp_path, "\n".join(map(json.dumps, lines)))
    notes: list[str] = []
    assert list(read_lists(path, notes=notes)) == [
        ParseList("a", GOLD, document="d"),
        ParseList("2", THREE),
        ParseList("c", None, [-1.5], [ONE]),
    ]
    assert notes == ["Lists that have no `nbest`, but a gold tree alone: 2."]


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
    "id of no kind": ('{"id": ["b"], "nbest": []}', r"expected text for 'id'; found \['b'\]\."),
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
    "fold of no kind": ('{"id": "b", "nbest": [], "fold": "1"}', r"a whole number for 'fold' of list 'b'; found '1'\."),
    "half a character": ('{"id": "b\\ud800", "nbest": []}', r"expected whole Unicode characters"),
    "the same id": ('{"id": "a", "nbest": []}', r"the id 'a' is that of another list \(line 1\); ids must differ\."),
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


# -------------------------------------------------------------------- BLLIP

# As first-stage/PARSE/parseIt.C of BLLIP/bllip-parser prints with -N2: number, tab, name; for every parse its
# log-probability and its tree; a blank line after the sentence.
PRINTED = f"2\tsent_0\n-31.25\n{ONE}\n-32.5\n{TWO}\n\n1\tsent_1\n-7e+01\n{THREE}\n\n"
EXPECTED = [("sent_0", [-31.25, -32.5], [ONE, TWO]), ("sent_1", [-70.0], [THREE])]
BLLIP = {
    "as parseIt prints it": (PRINTED, EXPECTED, 0),
    # asNBestList in SimpleAPI.C: a space after the number and no blank lines.
    "as the Python module prints it": (PRINTED.replace("\t", " ").replace("\n\n", "\n"), EXPECTED, 0),
    "blank lines wherever": ("\n\n" + PRINTED.replace("\n", "\n \n"), EXPECTED, 0),
    "no line end at the end": (PRINTED.rstrip(), EXPECTED, 0),
    "Windows line ends": (PRINTED.replace("\n", "\r\n"), EXPECTED, 0),
    # -P: a tree over many lines, then a blank line after every parse, as the README of first-stage shows it.
    "pretty-printed": (
        PRINTED.replace(" (VP", "\n  (VP").replace("-32.5", "\n-32.5"),
        EXPECTED,
        0,
    ),
    # the reader in second-stage/programs/features/sp-data.h takes any white space between number and tree
    "numbers beside their trees": (f"2 sent_0\n-31.25 {ONE}\n-32.5\t{TWO}\n1 sent_1\n-70 {THREE}\n", EXPECTED, 0),
    "none found": (
        f"0\tsent_0\n\n1\tsent_1\n-1\n{THREE}\n\n0 sent_2",
        [("sent_0", [], []), ("sent_1", [-1.0], [THREE]), ("sent_2", [], [])],
        0,
    ),
    "none found at all": ("0\tsent_0\n\n", [("sent_0", [], [])], 0),
    "no names": (
        f"1\n-3\n{ONE}\n\n0\n\n1\n-4\n{TWO}\n",
        [("1", [-3.0], [ONE]), ("2", [], []), ("3", [-4.0], [TWO])],
        1,
    ),
    # NBestList.__str__ of RerankingParser.py names every sentence `x` (older: `dummy`) unless told otherwise,
    # and after reranking writes the reranker's score before the parser's.
    "all the same name": (f"1 x\n-3\n{ONE}\n1 x\n-4\n{TWO}\n", [("1", [-3.0], [ONE]), ("2", [-4.0], [TWO])], 1),
    "reranked": (
        f"2 s1\n-7.5 -32.5\n{TWO}\n-8 -31.25\n{ONE}\n",
        [("s1", [-32.5, -31.25], [TWO, ONE])],
        1,
    ),
    "a name with spaces": (f"1\tWSJ 23, 7\n-3\n{ONE}\n", [("WSJ 23, 7", [-3.0], [ONE])], 0),
    "a name that is a number": (f"1\t17\n3\n{ONE}\n", [("17", [3.0], [ONE])], 0),
}


@pytest.mark.parametrize("named", [None, "bllip"])
@pytest.mark.parametrize("case", BLLIP)
def test_bllip(tmp_path, case, named):
    text, expected, remarks = BLLIP[case]
    notes: list[str] = []
    assert contents(read_lists(file(tmp_path, text), named, notes=notes)) == expected
    assert len(notes) == remarks


def test_what_is_noted_about_bllip(tmp_path):
    notes: list[str] = []
    list(read_lists(file(tmp_path, f"2 x\n-7.5 -32.5\n{TWO}\n-8 -31.25\n{ONE}\n"), notes=notes))
    assert notes == [
        "Lists without a name of their own were numbered: 1.",
        "Candidates with two numbers before the tree: 2; the second was taken for the parser's log-probability.",
    ]


BLLIP_TROUBLE = {
    "fewer than said, then a name": (
        f"3\ta\n-1\n{ONE}\n-2\n{TWO}\n\n1\tb\n-1\n{ONE}\n",
        r"line 7: expected the log-probability of candidate 3 of list 'a'; found '1\\tb'\. "
        r"By line 1 the list has 3 parse\(s\)\.",
    ),
    "fewer than said, then a number for a name": (
        f"3\ta\n-1\n{ONE}\n-2\n{TWO}\n\n1\t2\n-1\n{ONE}\n",
        r"line 7: expected candidate 3 of list 'a'; found '1\\t2', which begins another list\. By line 1 .* 3 parse",
    ),
    "fewer than said, then no name": (
        f"3\n-1\n{ONE}\n-2\n{TWO}\n\n1\n-1\n{ONE}\n",
        r"line 7: expected candidate 3 of list '1'; found '1', which begins another list\.",
    ),
    "fewer than said, then nothing": (
        f"3\ta\n-1\n{ONE}\n-2\n{TWO}\n\n",
        r"line 1: the file ends before the log-probability of candidate 3 of list 'a'\. By line 1 the list has 3 parse",
    ),
    "cut off before a tree": (
        f"2\ta\n-1\n{ONE}\n-2\n",
        r"line 1: the file ends before the tree of candidate 2 of list 'a'",
    ),
    "more than said": (
        f"1\ta\n-1\n{ONE}\n-2\n{TWO}\n",
        r"line 4: expected the number of parses and the name of the next list, as in `50 sentence-7`; found '-2'\. "
        r"The list before it is 'a'\. By line 1 the list has 1 parse\(s\)\.",
    ),
    "no log-probability": (f"1\ta\n{ONE}\n", r"line 2: expected the log-probability of candidate 1 .*; found '\(S1 "),
    "text as a number": (f"1\ta\nlow\n{ONE}\n", r"line 2: expected the log-probability of candidate 1 .* found 'low'"),
    "underscores": (f"1\ta\n1_0\n{ONE}\n", r"line 2: expected the log-probability of candidate 1 .* found '1_0'"),
    "NaN": (f"1\ta\nnan\n{ONE}\n", r"line 2: expected a finite number .* candidate 1 of list 'a'; found 'nan'\."),
    "infinite": (f"1\ta\n-1 -inf\n{ONE}\n", r"line 2: expected a finite number .* found '-inf'\."),
    "no tree": ("2\ta\n-1.5\n-2.5\n", r"line 3: expected the tree of candidate 1 of list 'a'; found '-2\.5'\."),
    "not closed": (
        f"2\ta\n-1\n{ONE[:-2]}\n-2\n{TWO}\n",
        r"line 3: the tree of candidate 1 of list 'a' is not closed; 2 closing brackets are missing\.",
    ),
    "not closed, and the next one closed too often": (
        f"2\ta\n-1\n{ONE[:-1]}\n-2\n{TWO})\n",
        r"line 3: the tree of candidate 1 of list 'a' is not closed; 1 closing bracket is missing\.",
    ),
    "not closed at the end": (f"1\ta\n-1\n{ONE[:-1]}\n", r"line 3: .* is not closed; 1 closing bracket is missing\."),
    "the same id": (f"1\ta\n-1\n{ONE}\n0\ta\n", r"line 4: the id 'a' is that of another list \(line 1\)"),
    "zero bytes": (b"1\ta\n-1\n(X \0\0)\n", r"line 3: the file is not text: it has zero bytes\."),
    "not UTF-8": (b"1\ta\n-1\n(X \xe9)\n", r"line 3: the text is not UTF-8"),
}


@pytest.mark.parametrize("case", BLLIP_TROUBLE)
def test_trouble_in_bllip(tmp_path, case):
    text, message = BLLIP_TROUBLE[case]
    path = file(tmp_path, text)
    with pytest.raises(DataError, match=rf"^{re.escape(str(path))}, {message}"):
        list(read_lists(path, "bllip"))


# -------------------------------------------------------------------- trees alone


def test_trees_alone_are_one_candidate_each(tmp_path):
    text = f"{ONE}\n\n( (S (NP (NN time))\n     (VP (VBZ flies)) ))\n(()) {THREE}\n(\n)\n"
    notes: list[str] = []
    assert contents(read_lists(file(tmp_path, text), notes=notes)) == [
        ("1", [0.0], [ONE]),
        ("2", [0.0], ["( (S (NP (NN time)) (VP (VBZ flies)) ))"]),
        ("3", [], []),
        ("4", [0.0], [THREE]),
        ("5", [], []),
    ]
    assert notes == ["Sentences without a parse, written as (()): 2."]


def test_names_before_trees(tmp_path):
    """`<name> tree` is what BLLIP's parseIt prints for sentences with names when it is asked for one parse."""
    path = file(tmp_path, f"<sent_1> {ONE}\n\n<sent_2> {TWO}\n{THREE}\n")
    assert contents(read_lists(path)) == [
        ("sent_1", [0.0], [ONE]),
        ("sent_2", [0.0], [TWO]),
        ("3", [0.0], [THREE]),
    ]


# As released: the Chinese Treebank puts its trees between tags; files of Switchboard and Brown begin with a notice.
BESIDE = {
    "Chinese Treebank": (
        f"<DOC>\n<DOCID> CHTB_0001.fid </DOCID>\n<BODY>\n\n<S ID=1>\n{ONE}\n</S>\n<S ID=2>\n( (S (NP (NN time))\n"
        f"  (VP (VBZ flies))) )\n</S>\n</BODY> </DOC>\n",
        [("1", 6), ("2", 9)],
    ),
    "Switchboard": (
        "*x*x*x*x*x*x*x*\n*x*             *x*\n*x* Copyright (C) 1995 *x*\n  *x*x*x*x*x*x*x*\n\n\n" + f"{ONE}\n",
        [("1", 7)],
    ),
    "names stay names": (f"<TEXT>\n<S-1> {ONE}\n<s2> {TWO}\n</TEXT>", [("S-1", 2), ("s2", 3)]),
    "only between trees": (f"(X (NN\n<S>\n)\n(NN *x*)\n)\n<S>\n{ONE}\n", [("1", 1), ("2", 7)]),
}


@pytest.mark.parametrize("named", [None, "brackets"])
@pytest.mark.parametrize("case", BESIDE)
def test_tags_and_headers_between_trees_are_passed_over(tmp_path, case, named):
    text, places = BESIDE[case]
    lists = list(read_lists(file(tmp_path, text), named))
    assert [(each.id, each.origin.line) for each in lists] == places
    assert all(len(each.trees) == 1 for each in lists)


def test_words_that_look_like_tags_stay_words(tmp_path):
    text, _ = BESIDE["only between trees"]
    first, _ = read_lists(file(tmp_path, text))
    assert first.tree(0, Forest()).words() == ["<S>", "*x*"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{ONE}\n<S ID=1> {TWO} </S>\n", r"line 2: expected a tree, beginning with an opening bracket; found '</S>'"),
        (f"{ONE}\n<S> no tree\n", r"line 2: expected a tree, beginning with an opening bracket; found '<S> no tree'"),
        (f"{ONE}\n*no* {TWO}\n", r"line 2: expected a tree, beginning with an opening bracket; found '\*no\*'"),
        (f"{ONE}\n{TWO[:-1]}\n{THREE}\n", r"line 2: the tree is not closed; 1 closing bracket is missing\."),
        (f"{ONE})\n", r"line 1: a closing bracket closes nothing\."),
        (f"{ONE}\nno parse\n", r"line 2: expected a tree, beginning with an opening bracket; found 'no parse'\."),
        (f"{ONE}\n\nNP (X x)\n", r"line 3: expected a tree, beginning with an opening bracket; found 'NP'\."),
    ],
)
def test_trouble_in_trees_alone(tmp_path, text, message):
    path = file(tmp_path, text)
    with pytest.raises(DataError, match=rf"^{re.escape(str(path))}, {message}"):
        list(read_lists(path))


# -------------------------------------------------------------------- Runoff's own formats


@pytest.mark.parametrize("name", ["lists.jsonl", "lists.jsonl.gz", "lists.arrow", "lists.parquet"])
def test_runoffs_own_formats(tmp_path, name):
    data = NBest.from_arrays(
        sizes=[2, 0, 1],
        texts=[ONE, TWO, THREE],
        base=[-1.5, -2.5, -3.5],
        group_ids=["a", "b", "c"],
        references=[[GOLD, ONE], None, []],
    )
    formats.write(data, tmp_path / name)
    lists = list(read_lists(tmp_path / name))
    assert lists == [
        ParseList("a", GOLD, [-1.5, -2.5], [ONE, TWO]),
        ParseList("b"),
        ParseList("c", None, [-3.5], [THREE]),
    ]


def test_runoffs_candidates_without_scores_are_all_worth_the_same(tmp_path):
    path = file(tmp_path, json.dumps({"id": "a", "extra": 1, "candidates": [{"text": ONE}, {"text": TWO}]}))
    notes: list[str] = []
    assert contents(read_lists(path, notes=notes)) == [("a", [0.0, 0.0], [ONE, TWO])]
    assert notes == [
        "Keys that Runoff does not use were left out: extra (1 group).",
        "The candidates have no scores; all were given 0.",
    ]


def test_candidates_without_texts_are_no_parses(tmp_path):
    path = file(tmp_path, "2 qid:1 1:0.5\n1 qid:1 1:0.25\n")
    with pytest.raises(DataError, match=r"lists: the candidates have no texts; expected trees in brackets"):
        list(read_lists(path))


# -------------------------------------------------------------------- right trees in a file of their own


def test_gold_trees_from_a_file(tmp_path):
    gold = file(tmp_path, f"( (S (NP (NN time))\n  (VP (VBZ flies))))\n{THREE}\n", "gold.mrg")
    first, second = read_lists(file(tmp_path, PRINTED), gold=gold)
    assert (first.gold, second.gold) == ("( (S (NP (NN time)) (VP (VBZ flies))))", THREE)
    assert (first.id, first.scores, first.trees) == EXPECTED[0]
    # The files have their own places in messages.
    assert first.where(1) == f"{tmp_path / 'lists'}, line 5, list 'sent_0', candidate 2"
    assert [(each.origin.gold_path, each.origin.gold_line) for each in (first, second)] == [(gold, 1), (gold, 3)]


@pytest.mark.parametrize(
    ("trees", "message"),
    [
        (ONE, r"in the same order; found 1, and list 2 is 'sent_1'\."),
        ("\n".join([ONE] * 4), r"in the same order; found 4 trees for 2 lists\."),
        ("", r"in the same order; found 0, and list 1 is 'sent_0'\."),
        (f"{ONE}\n{TWO[:-1]}", r"line 2: the tree is not closed"),
    ],
)
def test_gold_trees_that_do_not_fit(tmp_path, trees, message):
    gold = file(tmp_path, trees, "gold.mrg")
    with pytest.raises(DataError, match=rf"^{re.escape(str(gold))}[:,].* {message}"):
        list(read_lists(file(tmp_path, PRINTED), gold=gold))


def test_gold_trees_twice(tmp_path):
    path, gold = file(tmp_path, json.dumps(WHOLE)), file(tmp_path, GOLD, "gold.mrg")
    with pytest.raises(UsageError, match=r"line 1, list 'd#0' has a gold tree of its own; leave out the file .*gold"):
        list(read_lists(path, gold=gold))
    with pytest.raises(DataError, match=r"nowhere\.mrg: the file cannot be read: no such file or directory\."):
        list(read_lists(file(tmp_path, PRINTED), gold=tmp_path / "nowhere.mrg"))


# -------------------------------------------------------------------- reading the trees


def test_trees_of_a_list_share_their_nodes(tmp_path):
    (parses,) = read_lists(file(tmp_path, json.dumps(WHOLE)))
    forest = Forest()
    assert parses.tree(1, forest) is parses.gold_tree(forest)
    assert ParseList("a").gold_tree(forest) is None


def test_a_tree_that_cannot_be_read_is_named(tmp_path):
    record = {"id": "a", "gold": "(S", "nbest": [[-1, ONE], [-2, "(S1 (NP (NN time)"]]}
    (parses,) = read_lists(file(tmp_path, json.dumps(record)))
    with pytest.raises(
        DataError, match=r"lists, line 1, list 'a', candidate 2: the tree is not closed; 2 closing brackets are"
    ):
        parses.tree(1, Forest())
    with pytest.raises(DataError, match=r"lists, line 1, list 'a', gold tree.*not closed"):
        parses.gold_tree(Forest())
    (parses,) = read_lists(file(tmp_path, "1 a\n-1\n(X )\n"))
    with pytest.raises(DataError, match=r"lists, line 3, list 'a', candidate 1.* has nothing in it"):
        parses.tree(0, Forest())
    with pytest.raises(DataError, match=r"^list 'b', candidate 1.*expected one tree; found 0"):
        ParseList("b", scores=[1.0], trees=[""]).tree(0, Forest())


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("\n(S () )", "line 2, column 5"),
        (
            "(S (NN a))\n(S (NN a)\n\n   (VP go away))",
            "line 4, column 11",
        ),  # the second loose word; a blank line counts
        ("(S (NN a)) (S (NN a) b)", "line 1, column 22"),
    ],
)
def test_faults_in_a_file_of_trees_have_their_line_and_column_in_the_file(tmp_path, text, place):
    """Counted by hand in the file, also in a tree over many lines and in the second tree of a line."""
    with pytest.raises(DataError, match=rf"trees\.mrg, {place}: "):
        list(read_lists(file(tmp_path, text, "trees.mrg")))


def test_as_many_scores_as_trees():
    with pytest.raises(DataError, match=r"^list 'b': expected as many scores as trees; found 1 scores and 0 trees\."):
        ParseList("b", scores=[1.0])


# -------------------------------------------------------------------- files


PACKERS = {"plain": bytes, "gzip": gzip.compress, "zstd": lambda content: pa.compress(content, "zstd", asbytes=True)}


@pytest.mark.parametrize("packing", PACKERS)
def test_packed_files(tmp_path, packing):
    for text, size in ((json.dumps(WHOLE), 1), (PRINTED, 2), (f"{ONE}\n{TWO}\n{THREE}", 3)):
        path = file(tmp_path, PACKERS[packing](text.encode()))
        assert len(list(read_lists(path))) == size


@pytest.mark.parametrize("content", ["", " \n\n", "\ufeff\n"])
@pytest.mark.parametrize("named", [None, "parse-jsonl", "bllip", "brackets", "jsonl"])
def test_empty_files(tmp_path, content, named):
    with pytest.raises(DataError, match=r"lists: the file is empty\.$"):
        list(read_lists(file(tmp_path, content), named))


def test_files_of_another_kind(tmp_path):
    for content, found in (
        (b"\x7fELF\0\0\1\xff", "the file is not text"),
        (b"time flies\n", "begins with 'time flies'"),
    ):
        with pytest.raises(DataError, match=rf"lists: expected lists of parses; .*{found}.*: parse-jsonl, bllip, brac"):
            list(read_lists(file(tmp_path, content)))
    with pytest.raises(DataError, match=r"lists: the text is UTF-16; convert the file to UTF-8"):
        list(read_lists(file(tmp_path, ONE.encode("utf-16"))))
    with pytest.raises(DataError, match=r"nowhere: the file cannot be read: no such file or directory\."):
        list(read_lists(tmp_path / "nowhere"))


def test_cut_off_gzip(tmp_path):
    # Numbers do not pack well, so that the cut falls far behind what is looked at to recognise the format.
    lines = [json.dumps({"id": number, "nbest": [[-(number * 7919 % 100_003) / 7, ONE]]}) for number in range(20_000)]
    packed = gzip.compress("\n".join(lines).encode())
    path = file(tmp_path, packed[: len(packed) // 2])
    lists = read_lists(path)
    assert next(lists).id == "0"
    with pytest.raises(DataError, match=r"lists: the compressed file ends too early"):
        list(lists)


def test_a_format_that_does_not_exist_is_said_at_once(tmp_path):
    with pytest.raises(UsageError, match=r"there is no format 'penn' of parses; there are: parse-jsonl, bllip, brack"):
        read_lists(file(tmp_path, ONE), "penn")


@given(
    st.sampled_from([json.dumps(WHOLE) * 2, json.dumps(WHOLE), PRINTED, f"{ONE}\n{TWO}"]),
    st.integers(0, 1 << 10),
    st.integers(0, 40),
    st.binary(max_size=3) | st.sampled_from([b"(", b")", b"\n", b"\n\n", b"1", b"-", b'"', b"{", b"]"]),
)
def test_damage_is_either_harmless_or_said(tmp_path_factory, text, start, length, instead):
    """Anything else than a sentence of Runoff's own would fail this."""
    content = text.encode()
    start %= len(content) + 1
    path = file(tmp_path_factory.mktemp("damaged"), content[:start] + instead + content[start + length :])
    for named in (None, "parse-jsonl", "bllip", "brackets"):
        try:
            found = " ".join(tree for each in read_lists(path, named) for tree in [str(path), *each.trees])
        except RunoffError as error:
            found = str(error)
        assert str(path) in found  # at least one list, or a sentence that names the file


# -------------------------------------------------------------------- writing

trees = st.text('()SNPab é語"\\\t', max_size=12)
scores = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def parse_lists(draw):
    pairs = draw(st.lists(st.tuples(scores, trees), max_size=3))
    return ParseList(
        draw(st.text(max_size=5)),
        draw(st.none() | trees),
        [score for score, _ in pairs],
        [tree for _, tree in pairs],
        draw(st.none() | st.lists(st.text(max_size=3), max_size=3)),
        draw(st.none() | st.integers(-9, 9)),
        draw(st.none() | st.text(max_size=5)),
    )


@given(st.lists(parse_lists(), min_size=1, max_size=4, unique_by=lambda each: each.id))
def test_what_is_written_is_read_again(tmp_path_factory, lists):
    folder = tmp_path_factory.mktemp("written")
    for name in ("lists.jsonl", "lists.jsonl.gz", "lists.jsonl.zst"):
        write_lists(lists, folder / name)
        assert list(read_lists(folder / name)) == lists
    assert (folder / "lists.jsonl.gz").read_bytes()[:2] == b"\x1f\x8b"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (ParseList("a"), r"list 'a': another list with this id was written before"),
        (
            ParseList("b", None, [float("nan")], [ONE]),
            r"list 'b', candidate 1: expected a finite number .* found nan\.",
        ),
        (ParseList("b", "\ud800"), r"list 'b': it cannot be written as JSON: .*surrogates"),
        (
            ParseList("b", None, [0.0, float("inf")], [ONE, TWO], origin=Origin("in.nbest", 4, [6, 9])),
            r"in\.nbest, line 9, list 'b', candidate 2: expected a finite number",
        ),
    ],
)
def test_a_file_is_written_whole_or_stays(tmp_path, wrong, message):
    path = file(tmp_path, "old", "lists.jsonl")
    with pytest.raises(RunoffError, match=message):
        write_lists([ParseList("a"), wrong], path)
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["lists.jsonl"]


def test_lists_may_be_written_over_the_file_they_come_from(tmp_path):
    path = file(tmp_path, PRINTED, "lists.jsonl")
    write_lists(read_lists(path), path)
    assert contents(read_lists(path)) == EXPECTED


# -------------------------------------------------------------------- real lists


@pytest.fixture(scope="module")
def real_paths(shared_data):
    paths = sorted(shared_data.glob("parses/*.jsonl.gz"))
    if not paths:
        pytest.skip(f"there are no lists of parses under {shared_data}")
    return paths


def test_real_lists_are_what_a_plain_reader_finds(real_paths):
    for path in real_paths:
        with gzip.open(path) as stream:
            records = map(orjson.loads, stream)
            for parses, record in zip(read_lists(path), records, strict=True):
                assert [list(pair) for pair in zip(parses.scores, parses.trees, strict=True)] == record["nbest"]
                assert (parses.id, parses.gold, parses.tokens) == (record["id"], record["gold"], record["tokens"])
                assert (parses.fold, parses.document) == (record["fold"], record.get("doc"))


def test_real_lists_in_other_forms_are_the_same_lists(real_paths, tmp_path):
    """The shortest real file, written as BLLIP text and as trees alone and read again."""
    path = min(real_paths, key=lambda each: each.stat().st_size)
    lists = list(read_lists(path))
    with (tmp_path / "nbest").open("w") as nbest, (tmp_path / "gold").open("w") as gold:
        for parses in lists:
            nbest.write(f"{len(parses.trees)}\t{parses.id}\n")
            nbest.writelines(f"{score!r}\n{tree}\n" for score, tree in zip(parses.scores, parses.trees, strict=True))
            nbest.write("\n")
            gold.write(f"{parses.gold}\n")
    again = list(read_lists(tmp_path / "nbest", gold=tmp_path / "gold"))
    assert [(each.gold, *rest) for each, rest in zip(again, contents(again), strict=True)] == [
        (each.gold, *rest) for each, rest in zip(lists, contents(lists), strict=True)
    ]
    assert [each.trees for each in read_lists(tmp_path / "gold")] == [[each.gold] for each in lists]
    write_lists(lists, tmp_path / "again.jsonl.gz")
    assert list(read_lists(tmp_path / "again.jsonl.gz")) == lists


def test_real_trees_have_the_words_of_the_sentence(real_paths):
    """Gold trees of all lists and first candidates of the files, by the words that the file gives beside them."""
    for path in real_paths:
        for parses in read_lists(path):
            forest = Forest()
            assert parses.gold_tree(forest).end == len(parses.tokens)
            if parses.trees:
                assert parses.tree(0, forest).end == len(parses.tokens)


def test_a_name_on_a_line_of_its_own_is_that_of_the_tree_after_it(tmp_path):
    path = tmp_path / "named.mrg"
    path.write_text("<a.1>\n(S (NN x))\n<a.2> (S (NN y))\n<S ID=3>\n(S (NN z))\n<b_7>\n\n(S (NN v)) (S (NN w))\n")
    assert [tree.name for tree in tree_texts(path)] == ["a.1", "a.2", None, "b_7", None]
