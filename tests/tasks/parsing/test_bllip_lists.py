"""N-best text of the BLLIP parser in all its variants, and a sentence with the place for everything that is wrong."""

from __future__ import annotations

import re

import pytest

from helpers.parse_files import EXPECTED, ONE, PRINTED, THREE, TWO, contents, file
from runoff.errors import DataError
from runoff.tasks.parsing.lists import read_lists

# As first-stage/PARSE/parseIt.C of BLLIP/bllip-parser prints with -N2: number, tab, name; for every parse its
# log-probability and its tree; a blank line after the sentence.
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
        "Candidates with two numbers before the tree: 2; the second is read as the parser's log-probability.",
    ]


BLLIP_TROUBLE = {
    "fewer than said, then a name": (
        f"3\ta\n-1\n{ONE}\n-2\n{TWO}\n\n1\tb\n-1\n{ONE}\n",
        r"line 7: expected the log-probability of candidate 3 of list 'a'; found '1\\tb'\. "
        r"Line 1 announces 3 parse\(s\)\.",
    ),
    "fewer than said, then a number for a name": (
        f"3\ta\n-1\n{ONE}\n-2\n{TWO}\n\n1\t2\n-1\n{ONE}\n",
        r"line 7: expected candidate 3 of list 'a'; found '1\\t2', which starts another list\. Line 1 announces 3",
    ),
    "fewer than said, then no name": (
        f"3\n-1\n{ONE}\n-2\n{TWO}\n\n1\n-1\n{ONE}\n",
        r"line 7: expected candidate 3 of list '1'; found '1', which starts another list\.",
    ),
    "fewer than said, then nothing": (
        f"3\ta\n-1\n{ONE}\n-2\n{TWO}\n\n",
        r"line 1: the file ends before the log-probability of candidate 3 of list 'a'\. Line 1 announces 3 parse",
    ),
    "cut off before a tree": (
        f"2\ta\n-1\n{ONE}\n-2\n",
        r"line 1: the file ends before the tree of candidate 2 of list 'a'",
    ),
    "more than said": (
        f"1\ta\n-1\n{ONE}\n-2\n{TWO}\n",
        r"line 4: expected the number of parses and the name of the next list, as in `50 sentence-7`; found '-2'\. "
        r"The list before it is 'a'\. Line 1 announces 1 parse\(s\)\.",
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
    "the same id": (f"1\ta\n-1\n{ONE}\n0\ta\n", r"line 4: another list \(line 1\) has the id 'a'"),
    "zero bytes": (b"1\ta\n-1\n(X \0\0)\n", r"line 3: the file is not text: it has zero bytes\."),
    "not UTF-8": (b"1\ta\n-1\n(X \xe9)\n", r"line 3: the text is not UTF-8"),
}


@pytest.mark.parametrize("case", BLLIP_TROUBLE)
def test_trouble_in_bllip(tmp_path, case):
    text, message = BLLIP_TROUBLE[case]
    path = file(tmp_path, text)
    with pytest.raises(DataError, match=rf"^{re.escape(str(path))}, {message}"):
        list(read_lists(path, "bllip"))
