"""Every format gives back what was written, and is recognised by its content."""

from __future__ import annotations

import gzip
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.corpora import TEXT
from helpers.role_sentences import contents, role_sentences
from runoff.errors import DataError, UsageError
from runoff.tasks.roles.propositions import Argument, Proposition, RoleSentence
from runoff.tasks.roles.reading_notes import tags_differ
from runoff.tasks.roles.role_files import read_roles, recognise, write_roles

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

WITHOUT_BLANKS = TEXT.filter(lambda text: " " not in text)


def tree_tags_are_pos(sentence: RoleSentence) -> RoleSentence:
    """As a format with one column for both gives it back."""
    if sentence.tree is None:
        return sentence
    return replace(sentence, pos=sentence.pos or tuple(leaf.label for leaf in sentence.tree.leaves()))


@given(role_sentences(words=st.one_of(TEXT, st.sampled_from(["", " ", "(", ":-)"]))))
def test_json_lines_give_back_everything(
    tmp_path_factory: pytest.TempPathFactory, sentences: list[RoleSentence]
) -> None:
    path = tmp_path_factory.mktemp("roles") / "some.jsonl.zst"
    write_roles(sentences, path)
    assert recognise(path) == "jsonl"
    again = read_roles(path)
    assert contents(again) == contents(sentences)
    assert [replace(each, tree=None) for each in again] == [replace(each, tree=None) for each in sentences]


@given(role_sentences(syntax=False))
def test_columns_of_propbank_give_back_words_and_roles(
    tmp_path_factory: pytest.TempPathFactory, sentences: list[RoleSentence]
) -> None:
    path = tmp_path_factory.mktemp("roles") / "some.conll.gz"
    write_roles(sentences, path)
    assert recognise(path) == "propbank"
    assert read_roles(path) == sentences


@given(role_sentences(words=WITHOUT_BLANKS))
def test_columns_give_back_the_syntax_that_they_show(
    tmp_path_factory: pytest.TempPathFactory, sentences: list[RoleSentence]
) -> None:
    folder = tmp_path_factory.mktemp("roles")
    plain = [tree_tags_are_pos(replace(each, chunks=None, clauses=None, entities=None)) for each in sentences]
    notes: list[str] = []
    write_roles(sentences, folder / "a.conll", "propbank", notes=notes)
    again = read_roles(folder / "a.conll")
    assert [replace(each, tree=None) for each in again] == [replace(each, tree=None) for each in plain]
    if not any("differ from the parts of speech" in note for note in notes):
        assert contents(again) == contents(plain)
    for name in ("chunks", "clauses", "entities"):
        lost = sum(getattr(each, name) is not None for each in sentences)
        assert any(f"{name} ({lost} sentence" in note for note in notes) == bool(lost)


@given(role_sentences(words=WITHOUT_BLANKS))
def test_columns_of_conll_2012(tmp_path_factory: pytest.TempPathFactory, sentences: list[RoleSentence]) -> None:
    path = tmp_path_factory.mktemp("roles") / "a.conll"
    without = [tree_tags_are_pos(replace(each, chunks=None, clauses=None)) for each in sentences]
    if all(tag == "O" for each in without for tag in each.entities or ()):
        without = [replace(each, entities=None) for each in without]
    notes: list[str] = []
    write_roles(sentences, path, "conll2012", notes=notes)
    assert recognise(path) == "conll2012"
    again = read_roles(path)
    assert [replace(each, tree=None) for each in again] == [replace(each, tree=None) for each in without]
    if not any("differ from the parts of speech" in note for note in notes):
        assert contents(again) == contents(without)
    path.write_text("".join(line for line in path.read_text().splitlines(keepends=True) if line[:1] != "#"))
    assert recognise(path) == "conll2012"


@given(role_sentences(words=WITHOUT_BLANKS))
def test_columns_of_conll_2005_give_back_all_but_names(
    tmp_path_factory: pytest.TempPathFactory, sentences: list[RoleSentence]
) -> None:
    folder = tmp_path_factory.mktemp("roles")
    wanted = [tree_tags_are_pos(replace(each, id=None, document=None)) for each in sentences]
    for name in ("chunks", "entities"):
        if all(tag == "O" for each in wanted for tag in getattr(each, name) or ()):
            wanted = [replace(each, **{name: None}) for each in wanted]
    write_roles(sentences, folder / "a.conll", "conll2005")
    tag = "tag," if any(map(tags_differ, sentences)) else ""
    columns = f"word,pos,chunk,clause,{tag}parse,ne,sense,lemma,props"
    assert contents(read_roles(folder / "a.conll", "conll2005", columns=columns)) == contents(wanted)


@given(role_sentences(syntax=False))
def test_propositions_alone_with_words_beside_them(
    tmp_path_factory: pytest.TempPathFactory, sentences: list[RoleSentence]
) -> None:
    folder = tmp_path_factory.mktemp("roles")
    write_roles(sentences, folder / "some.props")
    bare = [
        replace(each, id=None, document=None, propositions=tuple(replace(p, roleset=None) for p in each.propositions))
        for each in sentences
    ]
    found = read_roles(folder / "some.props", "props")
    assert found == [replace(each, words=("_",) * len(each.words)) for each in bare]
    assert not any(each.has_words for each in found)


def test_words_of_propositions_are_in_a_second_file(file: Callable[..., Path]) -> None:
    words = file("I\nleft\n\nYes\n", "words")
    props = file("-      (A0*)\nleave  (V*)\n\n-\n", "props")
    assert [each.words for each in read_roles(props, words=words)] == [("I", "left"), ("Yes",)]
    with pytest.raises(DataError, match=r"words: expected words of 2 sentences; found 1"):
        read_roles(props, words=file("I\nleft\n", "words"))
    with pytest.raises(DataError, match=r"props, line 4: expected a sentence of 2 tokens.*found 1"):
        read_roles(props, words=file("I\nleft\n\nYes\n!\n", "words"))
    with pytest.raises(UsageError, match="has words of its own"):
        read_roles(file("I - (A0*)\nleft leave (V*)\n"), words=words)
    with pytest.raises(UsageError, match="in the format jsonl have no option 'words'"):
        read_roles(file('{"words": ["I"]}'), words=words)


# As the shared task gave them: words, synt.upc, synt.cha, ne and props, pasted, with blanks that align the columns.
PASTED = """\
The         DT  (NP*   (S*   DT  (S1(S(NP*      *    -   -      (A0*
$           $   *      *     $   (ADJP(QP*      *    -   -         *
Mosbacher   NNP *)     *     NNP *)))      (PER*)    -   -         *)
said        VBD (VP*)  *     VBD (VP*           *    01  say     (V*)
.           .   *      *)    .   *)))           *    -   -         *
"""


def test_columns_of_the_shared_task_are_recognised(file: Callable[..., Path]) -> None:
    path = file(PASTED)
    assert recognise(path) == "conll2005"
    (sentence,) = read_roles(path)
    assert sentence.pos == ("DT", "$", "NNP", "VBD", ".")
    assert sentence.chunks == ("B-NP", "I-NP", "I-NP", "B-VP", "O")
    assert sentence.clauses == ((0, 5),)
    assert sentence.entities == ("O", "O", "B-PER", "O", "O")
    assert str(sentence.tree).startswith("(S1 (S (NP (DT The) (ADJP (QP ($ $) (NNP Mosbacher))))")
    assert sentence.propositions == (
        Proposition(3, "say", (Argument(0, 3, "A0"), Argument(3, 4, "V")), roleset="say.01"),
    )
    named = read_roles(path, columns="word,pos,chunk,clause,_,parse,ne,sense,lemma,props")
    assert contents(named) == contents([sentence])
    tabs = file(PASTED.replace("   DT  (S1", "\tDT  (S1"), "tabs")
    assert contents(read_roles(tabs)) == contents([sentence])


@pytest.mark.parametrize(
    ("row", "wanted"),
    [
        ("I  PRP (S(NP*)) say (V*)", {"pos", "tree"}),
        ("I  PRP (S*) say (V*)", {"pos", "clauses"}),
        ("I  PRP (NP*) (S*) say (V*)", {"pos", "chunks", "clauses"}),
        ("I  PRP (NP*) (S*) (PER*) say (V*)", {"pos", "chunks", "clauses", "entities"}),  # CoNLL-2004
        ("I  PRP 01 say (V*)", {"pos"}),
        ("I say (V*)", set()),
    ],
)
def test_fewer_columns_are_recognised_too(file: Callable[..., Path], row: str, wanted: set[str]) -> None:
    (sentence,) = read_roles(file(f"{row}\n"))
    names = ("pos", "tree", "chunks", "clauses", "entities")
    assert {name for name in names if getattr(sentence, name) is not None} == wanted
    assert sentence.words == ("I",)
    assert sentence.propositions[0].roleset == ("say.01" if " 01 " in row else None)


ONTONOTES = """\
#begin document (bc/cctv/00/cctv_0000); part 001
bc/cctv/00/cctv_0000   1   0      Britain  NNP  (TOP(S(NP*)         -    -   -   Speaker#1  (GPE)   (ARG0*)   (12)
bc/cctv/00/cctv_0000   1   1      summoned VBD        (VP*     summon   01   1   Speaker#1      *     (V*)      -
bc/cctv/00/cctv_0000   1   2          the   DT   (NP(NML*          -    -   -   Speaker#1  (LAW*   (ARG1*     (3
bc/cctv/00/cctv_0000   1   3      Charter  NNP     *)))))       law    -   2   Speaker#1      *)       *)     3)

#end document
"""


def test_ontonotes_as_it_was_given(file: Callable[..., Path]) -> None:
    path = file(ONTONOTES)
    (sentence,) = read_roles(path)
    assert sentence.id == "bc/cctv/00/cctv_0000/part_001#0"
    assert sentence.entities == ("B-GPE", "O", "B-LAW", "I-LAW")
    assert str(sentence.tree) == ("(TOP (S (NP (NNP Britain)) (VP (VBD summoned) (NP (NML (DT the) (NNP Charter))))))")
    said = (Argument(0, 1, "A0"), Argument(1, 2, "V"), Argument(2, 4, "A1"))
    assert sentence.propositions == (Proposition(1, "summon", said, "summon.01"),)
    write_roles([sentence], path, "conll2012")
    assert path.read_text().startswith("#begin document (bc/cctv/00/cctv_0000); part 001\nbc/cctv/00/cctv_0000 1 0 ")
    assert "(GPE) (ARG0*) -" in path.read_text()


@pytest.mark.parametrize("kind", ["propbank", "conll2005", "conll2012", "jsonl", "props"])
def test_real_sentences_come_back(shared_data: Path, tmp_path: Path, kind: str) -> None:
    path = min((shared_data / "roles").glob("*.conll.gz"), key=lambda each: each.stat().st_size, default=None)
    if path is None:
        pytest.skip("there is no file of roles in the real data")
    sentences = read_roles(path)[:400]
    shown = sentences
    if kind in ("conll2005", "props"):
        shown = [replace(each, id=None, document=None) for each in sentences]
    if kind == "props":
        shown = [
            RoleSentence(("_",) * len(each.words), tuple(replace(p, roleset=None) for p in each.propositions))
            for each in sentences
        ]
    write_roles(sentences, tmp_path / "again", kind)
    found = contents(read_roles(tmp_path / "again"))
    wanted = contents(shown)
    if kind == "conll2012":  # sentences are counted, and the file may leave out numbers
        found, wanted = ([{**each, "id": None} for each in one] for one in (found, wanted))
    assert found == wanted
    if kind == "propbank":
        lines = gzip.decompress(path.read_bytes()).decode().split("\n\n")[: len(sentences)]
        assert (tmp_path / "again").read_text() == "\n\n".join(lines) + "\n\n"
