"""Broken files are refused with a sentence that names file, line and column."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from runoff.errors import DataError, UsageError
from runoff.tasks.roles.propositions import Argument, Proposition, RoleSentence
from runoff.tasks.roles.role_files import FORMATS, read_roles, write_roles

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def rows(*brackets: str, lemmas: tuple[str, ...] = ("-", "say", "-")) -> str:
    """Columns of PropBank of three words, with these brackets, each as three fields."""
    lines = []
    for at, lemma in enumerate(lemmas):
        roleset = "-" if lemma == "-" else f"{lemma}.01"
        fields = ["d", "0", str(at), f"w{at}", "NN", "(S*" if at == 0 else "*" if at == 1 else "*)", lemma, roleset]
        lines.append("\t".join([*fields, *(column.split()[at] for column in brackets)]))
    return "\n".join(lines) + "\n\n"


GOOD = rows("(ARG0*) (V*) *")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (rows("(ARG0* (V*) *"), "line 3: expected a bracket to close 'ARG0' at the end of the sentence in column 9"),
        (rows("(ARG0* (V*) *)"), "line 2: expected no bracket inside another ('V' is inside 'ARG0') in column 9"),
        (rows("* (V*) (ARG1*"), "line 3: expected a bracket to close 'ARG1' at the end of the sentence in column 9"),
        (rows("*) (V*) *"), "line 1: expected no bracket to close, for none is open, in column 9 (roles of 'say')"),
        (rows("(A(B*B) (V*) *A)"), "line 1: expected no bracket inside another"),
        (rows("(A(B*A)B) (V*) *"), "line 1: expected B) to close in column 9"),
        (rows("ARG0 (V*) *"), "line 1: expected brackets such as (A0*, * or *) in column 9 (roles of 'say'); found"),
        (rows("* (ARG1*) *"), "line 2: expected a V, which marks the predicate 'say', in column 9"),
        (rows("* (V*) *", "* (V*) *"), "line 1: expected 1 column of roles, one for every predicate (say in line 2)"),
        (rows("* (V*) *", lemmas=("a", "b", "c")), "expected 3 columns of roles, one for every predicate (a in line 1"),
        (rows("* (V*) *", lemmas=("-", "-", "-")), "expected 0 columns of roles"),
        (GOOD.replace("(V*)", "(V*)\t*"), "line 2: expected 9 columns, as in line 1 of the same sentence; found 10"),
        (GOOD.replace("\tw1", ""), "line 2: expected 9 columns, as in line 1 of the same sentence; found 8"),
        (GOOD.replace("d\t0\t1", "d\t1\t1"), "line 2: expected '0', as for all tokens of the sentence, in column 2"),
        (GOOD.replace("d\t0\t1", "d\t0\t2"), "line 2: expected the number 1 in column 3 (number of the token)"),
        (GOOD.strip() + "\n" + GOOD, "line 4: expected the number 3 in column 3"),
        (GOOD.replace("(S*", "*"), "line 3: expected no bracket to close, for none is open, in column 6 (parse)"),
        (GOOD.replace("(S*", "(S*)").replace("\t*)\t-", "\t*\t-"), "line 2: expected one tree over all words"),
        (GOOD.replace("*)\t-\t-\t*", "*\t-\t-\t*"), "line 3: expected a bracket to close 'S' at the end"),
        (GOOD + GOOD.replace("(ARG0*)", "(ARG0*"), "line 7: expected a bracket to close 'ARG0'"),
        ("", "the file is empty"),
        ("\n \n", "the file is empty"),
    ],
)
def test_columns_of_propbank(file: Callable[..., Path], text: str, message: str) -> None:
    path = file(text)
    with pytest.raises(DataError, match=re.escape(message)) as caught:
        read_roles(path, "propbank")
    assert str(caught.value).startswith(str(path))


def test_what_is_fine(file: Callable[..., Path]) -> None:
    assert read_roles(file(rows(lemmas=("-", "-", "-"))))[0].propositions == ()
    assert read_roles(file(rows("* (V*) *")))[0].propositions[0].roles == ()
    long = RoleSentence(("word",) * 200, (Proposition(7, "say", (Argument(0, 7, "A0"), Argument(7, 200, "V"))),))
    path = file("")
    write_roles([long], path, "conll2005")
    assert read_roles(path) == [long]
    notes: list[str] = []
    read_roles(file(rows("(V*) * *")), notes=notes)
    assert notes == ["The words of 1 predicate are not in the V of their column (first in line 2)."]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a 0 0 w NN * - - - - *\n", "line 1: expected at least 12 columns (document, part, token"),
        (
            "a 0 0 w NN * say 01 - - * -\n",
            "line 1: expected 1 column of roles, one for every predicate (say in line 1)",
        ),
        ("a 0 0 w NN * - - - - (GPE -\n", "line 1: expected brackets such as"),
        ("a 0 0 w NN * - - - - (A(B*)) -\n", "line 1: expected no bracket inside another"),
    ],
)
def test_columns_of_conll_2012(file: Callable[..., Path], text: str, message: str) -> None:
    with pytest.raises(DataError, match=re.escape(message)):
        read_roles(file(text), "conll2012")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- (A0*\nsay (V*)\n- *)\n", "line 2: expected no bracket inside another ('V' is inside 'A0') in column 2"),
        ("- *\nsay *\n", "line 2: expected a V"),
        ("say\nsay\n", "line 1: expected 2 columns of roles, one for every predicate (say in line 1, say in line 2)"),
        ("* *\n* *\n", "line 1: expected a column with the lemmas of predicates"),
    ],
)
def test_propositions_alone(file: Callable[..., Path], text: str, message: str) -> None:
    with pytest.raises(DataError, match=re.escape(message)):
        read_roles(file(text))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("word,pos,props", "the last columns must be lemma and props"),
        ("word,role,lemma,props", "there is no column 'role' of roles; there are: word, pos, chunk"),
        ("word,word,lemma,props", "two columns are called 'word'"),
    ],
)
def test_names_of_columns(file: Callable[..., Path], columns: str, message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        read_roles(file("I say (V*)\n"), columns=columns)


def test_a_sentence_with_fewer_columns_than_are_named(file: Callable[..., Path]) -> None:
    with pytest.raises(DataError, match=r"line 3: expected at least 3 columns, up to the lemma of predicates; found 2"):
        read_roles(file("I PRP say (V*)\n\nI PRP\n"), "conll2005", columns="word,pos,lemma,props")


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("[1]", "expected an object with a list of words"),
        ('{"words": ["a", 1]}', "expected a text for each of the 2 words in 'words'"),
        ('{"words": ["a"], "pos": []}', "expected a text for each of the 1 words in 'pos'"),
        ('{"words": ["a"], "tree": "(S (NN b))"}', "expected a tree over the words of the sentence; word 1 is 'a'"),
        ('{"words": ["a"], "tree": "(S (NN a) (NN b))"}', "expected a tree over the 1 words of the sentence; found 2"),
        ('{"words": ["a"], "tree": "(S (NN a)"}', "the tree is not closed"),
        ('{"words": ["a"], "clauses": [[0, 2]]}', "expected a stretch of the 1 words, found [0, 2]"),
        ('{"words": ["a"], "clauses": [0]}', "expected the start and the stop of a clause"),
        ('{"words": ["a"], "id": [1]}', "expected text or a number"),
        ('{"words": ["a"], "propositions": 1}', "expected a list of propositions"),
        ('{"words": ["a"], "propositions": [{"predicate": 1, "lemma": "a"}]}', "expected the number of a word"),
        ('{"words": ["a"], "propositions": [{"predicate": 0}]}', "expected texts for 'lemma' and 'roleset'"),
        (
            '{"words":["a"],"propositions":[{"predicate":0,"lemma":"a","arguments":[["V",0,1],["A0",0,1]]}]}',
            "share the word 1",
        ),
        (
            '{"words": ["a"], "propositions": [{"predicate": 0, "lemma": "a", "arguments": [["V", 0]]}]}',
            "expected label, start and stop of an argument of 'a'",
        ),
        ('{"words": ["a"]', "is not JSON"),
    ],
)
def test_json_lines(file: Callable[..., Path], said: str, message: str) -> None:
    path = file('{"words": ["a"]}\n' + said + "\n", "roles.jsonl")
    with pytest.raises(DataError, match=re.escape(message)) as caught:
        read_roles(path)
    assert str(caught.value).startswith(f"{path}, line 2: ")


SAY = Proposition(0, "say", (Argument(0, 1, "V"),))


@pytest.mark.parametrize(
    ("sentence", "message"),
    [
        (RoleSentence((), ()), "a sentence without words"),
        (RoleSentence(("a",), (SAY, SAY)), "two predicates stand at word 1"),
        (RoleSentence(("a",), (Proposition(0, "say", ()),)), "the predicate 'say' has no V"),
        (RoleSentence(("a",), (Proposition(1, "say", SAY.arguments),)), "stands outside of its words"),
        (RoleSentence(("a",), (Proposition(0, "say", (Argument(0, 2, "V"),)),)), "reaches beyond its words"),
        (RoleSentence(("a\tb",), (SAY,)), "its columns cannot show the text 'a\\tb'"),
        (RoleSentence(("a", "b\n"), (SAY,)), "sentence 2 cannot be written: its columns cannot show the text 'b\\n'"),
        (RoleSentence(("a", ""), (SAY,)), "its columns cannot show the text ''"),
        (RoleSentence(("a",), (Proposition(0, "say", (Argument(0, 1, "V"),), "say"),)), None),
        (RoleSentence(("a",), (Proposition(0, "say", (Argument(0, 1, "(V"), Argument(0, 1, "V"))),)), "share the word"),
    ],
)
@pytest.mark.parametrize("kind", ["propbank", "conll2005", "conll2012"])
def test_what_columns_cannot_show(tmp_path: Path, sentence: RoleSentence, message: str | None, kind: str) -> None:
    path = tmp_path / "roles"
    if message is None:
        if kind == "propbank":
            write_roles([sentence], path, kind)
            return
        message = "a roleset has a name and a number"
    before = [] if "sentence 2" not in message else [RoleSentence(("Yes",))]
    with pytest.raises(DataError, match=re.escape(message)):
        write_roles([*before, sentence], path, kind)
    assert not path.exists()


def test_blanks_in_words_need_tabs(tmp_path: Path) -> None:
    sentence = RoleSentence(("New York",), (SAY,))
    for kind in ("conll2005", "conll2012"):
        with pytest.raises(DataError, match="its columns cannot show the text 'New York'"):
            write_roles([sentence], tmp_path / "roles", kind)
    write_roles([sentence], tmp_path / "roles", "propbank")
    assert read_roles(tmp_path / "roles")[0].words == ("New York",)


def test_formats_by_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no format 'xml' of roles; there are: propbank, conll2005"):
        read_roles(tmp_path / "roles", "xml")
    with pytest.raises(UsageError, match="roles cannot be written as 'xml'; there are: propbank"):
        write_roles([], tmp_path / "roles", "xml")
    with pytest.raises(DataError, match="no such file"):
        read_roles(tmp_path / "nowhere")
    assert set(FORMATS) == {"propbank", "conll2005", "props", "conll2012", "jsonl"}
