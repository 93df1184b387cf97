"""Columns in and out: what is read, what is refused and where, and exact round trips."""

from __future__ import annotations

import gzip
import time
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from hypothesis import given, settings

from helpers.corpora import content, corpora
from runoff.errors import DataError, UsageError
from runoff.tasks.tagging import Corpus
from runoff.tasks.tagging.columns import read_columns
from runoff.tasks.tagging.written_columns import write_columns

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TWO = "A DT B-NP\ncat NN I-NP\n\nYes UH O\n"
PLAIN = {"word": ["A", "cat", "Yes"], "2": ["DT", "NN", "UH"], "tag": ["B-NP", "I-NP", "O"]}


@pytest.mark.parametrize(
    "text",
    [
        TWO,
        TWO.rstrip("\n"),
        TWO + "\n\n \n\t\n",
        "\n\n" + TWO,
        TWO.replace("\n", "\r\n"),
        TWO.replace("\n", "\r"),
        "\ufeff" + TWO,
        TWO.replace(" ", "\t"),
        TWO.replace(" ", "   "),
        TWO.replace(" ", " \t ", 1),  # only some lines have tabs
        TWO.replace("A DT", "A\tDT").replace("cat NN", "cat\tNN").replace("Yes UH", "Yes\tUH"),  # tag after a blank
        TWO.replace("\n", " \n"),
        "# one comment of five words\n" + TWO,
    ],
)
def test_the_same_sentences_however_they_are_written(file: Callable[..., Path], text: str) -> None:
    corpus = read_columns(file(text))
    assert content(corpus) == {"columns": PLAIN, "offsets": [0, 2, 3], "ids": None, "documents": None}


def test_compressed_files(file: Callable[..., Path]) -> None:
    for packed in (gzip.compress(TWO.encode()), pa.Codec("zstd").compress(TWO.encode()).to_pybytes()):
        assert content(read_columns(file(packed)))["columns"] == PLAIN


def test_tabs_keep_blanks_inside_a_field(file: Callable[..., Path]) -> None:
    assert read_columns(file("New York\tB-LOC\nis\tO\n"))["word"].texts() == ["New York", "is"]


def test_only_blanks_and_tabs_separate(file: Callable[..., Path]) -> None:
    words = ["a\u00a0b", "c\u2028d", "e\x0bf", "g\u3000h", "i\x85j"]
    assert read_columns(file("".join(f"{word} O\n" for word in words)))["word"].texts() == words


def test_names_of_columns(file: Callable[..., Path]) -> None:
    path = file("1 a DT x B-NP\n2 cat NN y I-NP\n")
    assert list(read_columns(path).columns) == ["word", "2", "3", "4", "tag"]
    assert list(read_columns(path, "number,word,pos,_,chunk").columns) == ["number", "word", "pos", "chunk"]
    chosen = read_columns(path, "word=2,tag=-1")
    assert (chosen["word"].texts(), chosen["tag"].texts()) == (["a", "cat"], ["B-NP", "I-NP"])
    assert read_columns(path, {"tag": -1})["tag"].texts() == ["B-NP", "I-NP"]
    named = file("# global.columns = word pos\na DT\n")
    assert list(read_columns(named).columns) == ["word", "pos"]
    assert list(read_columns(file("a\n\nb\n")).columns) == ["word"]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("word,word", "two columns are called 'word'; names must differ"),
        ("word,", "every column that is read needs a name"),
        ("word=0", "columns are numbered from 1"),
        ("word=a", "expected a column as name=number"),
        ("word=1,tag", "give numbers to all columns or to none"),
        ("document=1", "at least one column of tokens must be read"),
    ],
)
def test_names_that_cannot_be(file: Callable[..., Path], columns: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_columns(file(TWO), columns)


def test_a_line_with_another_number_of_columns(file: Callable[..., Path]) -> None:
    with pytest.raises(DataError, match=r"file.txt, line 3: expected 3 columns, as in line 1 .* found 2: 'b O'"):
        read_columns(file("a DT O\n\nb O\n"))
    with pytest.raises(DataError, match=r"line 1: expected 2 columns, as many as are named .* found 3"):
        read_columns(file("a DT O\n"), "word,tag")
    with pytest.raises(DataError, match=r"line 1: expected at least 5 columns, as those that are read say; found 3"):
        read_columns(file("a DT O\n"), "word=5")
    with pytest.raises(DataError, match=r"line 2: expected 2 columns"):  # in a sentence, no comment
        read_columns(file("a O\n# b c\n"))


def test_further_columns_may_be_ragged(file: Callable[..., Path]) -> None:
    path = file("d\t0\t0\tA\tDT\t(S*\td\t0\nd\t0\t1\tcat\tNN\t*)\n\nd\t1\t0\tYes\tUH\t*\tx\n")
    corpus = read_columns(path, "document=1,sentence=2,word=4,pos=5", ragged=True)
    assert content(corpus) == {
        "columns": {"word": ["A", "cat", "Yes"], "pos": ["DT", "NN", "UH"]},
        "offsets": [0, 2, 3],
        "ids": ("d#0", "d#1"),
        "documents": ("d", "d"),
    }
    with pytest.raises(UsageError, match="say which columns are read"):
        read_columns(path, ragged=True)
    with pytest.raises(DataError, match="line 2: expected at least 7 columns"):
        read_columns(path, "word=7", ragged=True)
    with pytest.raises(DataError, match="line 1: expected one document for all tokens of a sentence, found 'd', 'e'"):
        read_columns(file("d a\ne b\n"), "document,word")


def test_documents_and_comments(file: Callable[..., Path]) -> None:
    notes: list[str] = []
    text = "x O\n\n-DOCSTART- -X-\n\na O\n\n# by hand\n# # O\nb O\n\n-DOCSTART- (2 EU)\n\n# O\n"
    corpus = read_columns(file(text), notes=notes)
    assert corpus["word"].texts() == ["x", "a", "b", "#"]  # the line with three fields is a comment, "# O" is none
    assert corpus.documents == ("0", "1", "1", "(2 EU)")
    assert notes == ["Comments that name no document or sentence were left out: 2."]
    universal = "# newdoc id = d1\n# sent_id = s1\na O\n\n# sent_id = s2\n\n# newdoc\nb O\n"
    corpus = read_columns(file(universal))
    assert (corpus.ids, corpus.documents, corpus.sizes.tolist()) == (("s1", "s2", "3"), ("d1", "d1", "2"), [1, 0, 1])


def test_a_word_that_is_a_number_sign_is_no_comment(file: Callable[..., Path]) -> None:
    assert read_columns(file("# # B-NP\n1 CD I-NP\n"))["word"].texts() == ["#", "1"]
    assert read_columns(file("#\t#\tB-NP\n1\tCD\tI-NP\n"))["word"].texts() == ["#", "1"]
    # four columns, as a known comment has: it is one
    assert read_columns(file("# sent_id = 5\na b c d\n")).ids == ("5",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "the file is empty"),
        (b" \n\n", "the file is empty"),
        (b"# newpar\n\n", "the file has no sentences"),
        (b"a O\n\xff O\n", r"line 2: the text is not UTF-8 \(byte 1"),
        (b"a O\nb\0 O\n", "line 2: the file is not text"),
        ("a O".encode("utf-16"), "UTF-16"),
        (gzip.compress(b"a O\n", mtime=0)[:-9], "ends too early"),
    ],
)
def test_files_that_cannot_be_read(file: Callable[..., Path], text: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_columns(file(text))


def test_long_sentences_and_lines(file: Callable[..., Path]) -> None:
    corpus = read_columns(file("word O\n" * 100_000))
    assert (len(corpus), corpus.n_tokens) == (1, 100_000)
    assert len(read_columns(file("a" * 1_000_000 + " O\n"))["word"].values[0]) == 1_000_000
    with pytest.raises(DataError, match="expected 2 columns") as caught:
        read_columns(file("a O\n" + "b " * 500_000))
    assert len(str(caught.value)) < 400


def test_reading_takes_seconds_per_million_tokens(file: Callable[..., Path]) -> None:
    text = "".join(f"word{at % 5000} NN {'B-NP' if at % 3 else 'O'}\n" + "\n" * (at % 20 == 0) for at in range(200_000))
    path = file(text)
    start = time.perf_counter()
    assert read_columns(path).n_tokens == 200_000
    assert time.perf_counter() - start < 5  # a fifth of a million; about 0.4 s on a quiet machine


def test_tokens_that_look_like_comments_or_blanks(file: Callable[..., Path]) -> None:
    # Found by drawn corpora: words that are all #, so that only the header says what separates; a no-break space.
    only_hashes = read_columns(file("# global.columns = word tag\n#\tNew York\n"))
    assert content(only_hashes)["columns"] == {"word": ["#"], "tag": ["New York"]}
    assert read_columns(file("\u00a0\n"))["word"].texts() == ["\u00a0"]


@pytest.mark.parametrize("names", [("word",), ("word", "tag"), ("word", "2", "tag")])
def test_round_trips(tmp_path_factory: pytest.TempPathFactory, names: tuple[str, ...]) -> None:
    path = tmp_path_factory.mktemp("round") / "corpus.txt.gz"

    @settings(deadline=None)
    @given(corpora(names))
    def check(corpus: Corpus) -> None:
        try:
            write_columns(corpus, path)
        except DataError as error:
            assert "cannot show" in str(error)  # noqa: PT017 - only what looks like a comment
            return
        assert content(read_columns(path, names)) == content(corpus)
        write_columns(corpus, path, separator="\t", header=True)
        assert content(read_columns(path)) == content(corpus)

    check()


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"word": ["a\tb"]}, "tabs"),
        ({"word": ["a\n"]}, "line ends"),
        ({"word": [" a"], "tag": ["O"]}, "blanks at its ends"),
        ({"word": ["-DOCSTART-"], "tag": ["O"]}, "whose line would be '-DOCSTART- O'"),
        ({"word": ["#"], "2": ["sent_id"], "3": ["="], "tag": ["O"]}, "whose line would be"),
        ({"word": ["# a"]}, "whose line would be"),
        ({"word": [""]}, "whose line would be"),
    ],
)
def test_what_columns_cannot_show_is_refused(tmp_path: Path, columns: dict[str, list[str]], message: str) -> None:
    with pytest.raises(DataError, match=message):
        write_columns(Corpus.of(columns, sizes=[1]), tmp_path / "a.txt")
    assert not list(tmp_path.iterdir())


def test_other_ways_to_write_wrongly(tmp_path: Path) -> None:
    corpus = Corpus.of({"word": ["New York"], "my tag": ["O"]}, sizes=[1, 0])
    with pytest.raises(DataError, match="sentence 2 is empty"):
        write_columns(corpus, tmp_path / "a.txt")
    with pytest.raises(UsageError, match="separated by a tab"):
        write_columns(corpus, tmp_path / "a.txt", separator=" ")
    with pytest.raises(UsageError, match="without blanks; found 'my tag'"):
        write_columns(corpus, tmp_path / "a.txt", header=True)
    with pytest.raises(UsageError, match="no column 'pos'"):
        write_columns(corpus, tmp_path / "a.txt", ["pos"])
    with pytest.raises(DataError, match="the id of sentence 1 cannot be written"):
        write_columns(Corpus.of({"word": ["a"]}, [1], ids=["a\nb"]), tmp_path / "a.txt")


def test_real_files(shared_data: Path) -> None:
    chunks = read_columns(shared_data / "chunks" / "conll2000.test.txt.gz", "word,pos,chunk")
    assert (len(chunks), chunks.n_tokens) == (2012, 47377)  # as the shared task's page says
    roles = read_columns(
        shared_data / "roles" / "ewt.dev.conll.gz", "document=1,sentence=2,word=4,parse=6", ragged=True
    )
    assert len(roles) == 1965
    assert len(set(roles.ids or ())) == 1965
