"""CoNLL-U in and out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings

from helpers.corpora import content, corpora
from runoff.errors import DataError
from runoff.tasks.tagging import Corpus
from runoff.tasks.tagging.conllu import NAMES, read_conllu, write_conllu

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# From the description of the format: a multiword token, an empty node, and comments.
TEXT = """\
# newdoc id = weblog
# sent_id = 1
# text = vámonos al mar
1-2\tvámonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tvamos\tir\tVERB\tV\tNumber=Plur\t0\troot\t0:root\t_
2\tnos\tnosotros\tPRON\tP\t_\t1\tobj\t1:obj\t_
3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_
3\ta\ta\tADP\tS\t_\t5\tcase\t5:case\t_
4\tel\tel\tDET\tD\t_\t5\tdet\t5:det\t_
4.1\tnada\t_\t_\t_\t_\t_\t_\t_\t_
5\tmar\tmar\tNOUN\tN\t_\t1\tobl\t1:obl\t_

# sent_id = 2
1\tSí\tsí\tINTJ\tI\t_\t0\troot\t0:root\tSpaceAfter=No
"""


@pytest.mark.parametrize("text", [TEXT, TEXT.rstrip("\n"), TEXT.replace("\n", "\r\n"), "\ufeff" + TEXT + "\n\n"])
def test_words_and_their_columns(file: Callable[..., Path], text: str) -> None:
    notes: list[str] = []
    corpus = read_conllu(file(text), notes=notes)
    assert corpus["word"].texts() == ["vamos", "nos", "a", "el", "mar", "Sí"]
    assert corpus["upos"].texts() == ["VERB", "PRON", "ADP", "DET", "NOUN", "INTJ"]
    assert corpus["head"].texts() == ["0", "1", "5", "5", "1", "0"]
    assert tuple(corpus.columns) == NAMES
    assert (corpus.ids, corpus.documents, corpus.sizes.tolist()) == (("1", "2"), ("weblog", "weblog"), [5, 1])
    assert notes == [
        "Lines that are no words were left out: 2 multiword tokens, 1 empty node.",
        "Comments that name no document or sentence were left out: 1.",
    ]


def test_empty_columns_are_left_out(file: Callable[..., Path]) -> None:
    assert list(read_conllu(file("1\t_\t_\tX\t_\t_\t_\t_\t_\t_\n")).columns) == ["word", "upos"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\ta\t_\n", "line 1: expected 10 columns between tabs; found 3"),
        (TEXT.replace("5\tmar", "6\tmar"), "line 11: expected 5 as the number of the word; found '6'"),
        (TEXT.replace("5\tmar", "x\tmar"), "expected 5 as the number of the word; found 'x'"),
        ("# text = a\n\n", "the file has no sentences"),
        ("\n", "the file is empty"),
    ],
)
def test_files_that_are_wrong(file: Callable[..., Path], text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_conllu(file(text))


@pytest.mark.parametrize("names", [("word",), ("word", "upos"), NAMES])
def test_round_trips(tmp_path_factory: pytest.TempPathFactory, names: tuple[str, ...]) -> None:
    path = tmp_path_factory.mktemp("round") / "corpus.conllu.zst"

    @settings(deadline=None)
    @given(corpora(names))
    def check(corpus: Corpus) -> None:
        write_conllu(corpus, path)
        wanted = content(corpus)
        if not corpus.n_tokens:
            wanted["columns"] = {"word": []}  # columns without entries cannot be told from those that are left out
        assert content(read_conllu(path)) == wanted

    check()


def test_what_cannot_be_written(tmp_path: Path) -> None:
    for corpus, message in (
        (Corpus.of({"word": ["a"], "tag": ["O"]}, [1]), "CoNLL-U has the columns word, lemma"),
        (Corpus.of({"upos": ["X"]}, [1]), "word must be there"),
        (Corpus.of({"word": [""]}, [1]), "empty text"),
        (Corpus.of({"word": ["a\tb"]}, [1]), "tabs"),
        (Corpus.of({"word": []}, [0]), "sentence 1 is empty"),
    ):
        with pytest.raises(DataError, match=message):
            write_conllu(corpus, tmp_path / "a.conllu")
