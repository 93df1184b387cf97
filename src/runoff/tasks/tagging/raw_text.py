"""Running text as a corpus: sentences and words are found by rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from runoff.errors import UsageError, brief
from runoff.formats.text_file import text_of
from runoff.tasks.tagging.column_builder import ColumnBuilder
from runoff.tasks.tagging.corpus import WORD, Corpus
from runoff.tasks.tagging.sentence_splitter import split_sentences
from runoff.tasks.tagging.tokenizer import tokenize

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def read_text(
    path: str | Path, *, sentences: Literal["lines", "rules", "words"] = "lines", offsets: bool = False
) -> Corpus:
    r"""Read raw text, plain, gzip or zstd.

    Parameters
    ----------
    path
        The text.
    sentences
        "lines": every line is a sentence, an empty one too; "rules": found by `split_sentences`; "words": every line is
        a sentence whose words are separated by blanks already.
    offsets
        Add columns `start` and `stop`: where each word is in the text (without byte-order mark, `\n` as line end).

    Notes
    -----
    O(characters); about 200,000 words per second.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.txt"
    >>> _ = path.write_text("It's one. It's two.\n")
    >>> corpus = read_text(path, sentences="rules", offsets=True)
    >>> corpus, corpus[1]["word"].texts(), corpus[1]["start"].texts()
    (Corpus(2 sentences, 8 tokens: word, start, stop), ['It', "'s", 'two', '.'], ['10', '12', '15', '18'])
    """
    return corpus_of_text(text_of(path), sentences=sentences, offsets=offsets)


def corpus_of_text(
    text: str, *, sentences: Literal["lines", "rules", "words"] = "lines", offsets: bool = False
) -> Corpus:
    """The same for a text in memory.

    Examples
    --------
    >>> corpus_of_text("One cat sat.")["word"].texts()
    ['One', 'cat', 'sat', '.']
    """
    if sentences not in ("lines", "rules", "words"):
        raise UsageError(f"sentences must be one of lines, rules, words; found {brief(sentences)}.")
    words, starts, stops = ColumnBuilder(), ColumnBuilder(), ColumnBuilder()
    sizes = []
    for first, last in split_sentences(text) if sentences == "rules" else _lines(text):
        found = _words(text[first:last]) if sentences == "words" else tokenize(text[first:last])
        sizes.append(len(found))
        words.extend(each[0] for each in found)
        if offsets:
            starts.extend(str(first + each[1]) for each in found)
            stops.extend(str(first + each[2]) for each in found)
    columns = {WORD: words.column()}
    if offsets:
        columns |= {"start": starts.column(), "stop": stops.column()}
    return Corpus.of(columns, sizes)


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for line in text.removesuffix("\n").split("\n"):
        yield start, start + len(line)
        start += len(line) + 1


def _words(line: str) -> list[tuple[str, int, int]]:
    found, start = [], 0
    for word in line.replace("\t", " ").split(" "):
        if word.strip("\r"):
            found.append((word, start, start + len(word)))
        start += len(word) + 1
    return found
