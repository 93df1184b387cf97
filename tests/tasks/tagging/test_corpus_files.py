"""One entry for all kinds of files: recognised by content, or a clear error."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from helpers.corpora import content
from runoff.errors import DataError, UsageError
from runoff.tasks.tagging import Corpus, read_corpus, write_corpus
from runoff.tasks.tagging.corpus_files import recognise

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CONLLU = "# sent_id = 1\n1\tYes\tyes\tINTJ\tUH\t_\t0\troot\t_\t_\n"
PROSE = "It was late.\nThe cat, as usual, sat on the mat and said nothing.\nWhy?\n\nNobody knew.\n"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("A DT B-NP\ncat NN I-NP\n. . O\n", "columns"),
        ("A\tDT\n", "columns"),
        ("Yes O\n", "columns"),
        ("-DOCSTART- -X- O O\n\nEU NNP I-NP I-ORG\nsaid VBD O O\n\n", "columns"),
        ("word\nafter\nword\n", "columns"),
        ("# a comment of five words\n# another\nA DT B-NP\ncat NN I-NP\n. . O\n", "columns"),
        (CONLLU, "conllu"),
        ("\ufeff" + CONLLU.replace("\n", "\r\n"), "conllu"),
        ('{"words": ["a"]}\n', "jsonl"),
        (PROSE, "text"),
        ("It was late.\n", "text"),
        ("It was\nlate then.\n", "text"),
    ],
)
def test_kinds(file: Callable[..., Path], text: str, kind: str) -> None:
    assert recognise(file(text)) == kind
    assert len(read_corpus(file(text)))


def test_what_is_not_clear(file: Callable[..., Path]) -> None:
    text = "a O\nb O\nc O\nd e f\ng h i j\n"
    with pytest.raises(DataError, match=r"not clear whether the file has columns: 3 of the first 5 lines have 2"):
        read_corpus(file(text))
    assert len(read_corpus(file(text), "text")) == 5
    with pytest.raises(DataError, match="line 4: expected 2 columns"):
        read_corpus(file(text), "columns")
    for empty in ("", "\n \n"):
        with pytest.raises(DataError, match="the file is empty"):
            read_corpus(file(empty))
    with pytest.raises(DataError, match="not text"):
        read_corpus(file(b"PAR1\0\0"))
    with pytest.raises(DataError, match="no such file"):
        read_corpus("nowhere.txt")


def test_a_damaged_line_of_columns_is_an_error_not_text(file: Callable[..., Path]) -> None:
    with pytest.raises(DataError, match="line 11: expected 3 columns"):
        read_corpus(file("a DT B-NP\n" * 10 + "b NN\n"))


def test_options(file: Callable[..., Path]) -> None:
    text = "One two O\nthree four O\n"
    assert list(read_corpus(file(text), columns="a,b,c").columns) == ["a", "b", "c"]
    assert len(read_corpus(file("One. Two.\n"), sentences="rules")) == 2
    assert list(read_corpus(file('{"t": ["a"]}'), keys={"word": "t"}).columns) == ["word"]
    with pytest.raises(UsageError, match="the format text has no option 'columns'; it has: sentences, offsets"):
        read_corpus(file(text), "text", columns="a,b,c")
    with pytest.raises(UsageError, match="there is no format 'xml' of sentences; there are: columns, conllu, jsonl"):
        read_corpus(file(text), "xml")
    with pytest.raises(UsageError, match="sentences cannot be written as 'text'"):
        write_corpus(read_corpus(file(text)), file(""), "text")


@pytest.mark.parametrize("name", ["a.conllu", "a.jsonl.gz", "a.txt", "a.conll.zst"])
def test_written_by_name(tmp_path: Path, name: str) -> None:
    corpus = Corpus.of({"word": ["a", "b", "c"], "upos": ["X", "Y", "Z"]}, [2, 1], ids=["1", "2"], documents=["d", "e"])
    write_corpus(corpus, tmp_path / name)
    options = {"columns": "word,upos"} if name in ("a.txt", "a.conll.zst") else {}
    assert content(read_corpus(tmp_path / name, **options)) == content(corpus)


def test_real_files(shared_data: Path) -> None:
    for folder, pattern in (("chunks", "*.txt.gz"), ("roles", "*.conll.gz")):
        for path in (shared_data / folder).glob(pattern):
            assert recognise(path) == "columns"
    assert recognise(shared_data / "translation" / "multi30k" / "val.en.gz") == "text"
