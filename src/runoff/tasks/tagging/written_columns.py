"""Sentences written as columns, one token per line and a blank line after each sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.errors import DataError, UsageError, brief
from runoff.formats.streams import create_bytes
from runoff.tasks.tagging.column_separator import BLANKS, TAB
from runoff.tasks.tagging.sentence_comments import SentenceMarks, comments_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from runoff.tasks.tagging.corpus import Corpus


def write_columns(
    corpus: Corpus,
    path: str | Path,
    columns: Sequence[str] | None = None,
    *,
    separator: str | None = None,
    comments: bool = True,
    header: bool = False,
) -> None:
    r"""Write a corpus as columns, compressed if the name ends in .gz or .zst; `read_columns` gives it back.

    Parameters
    ----------
    corpus
        The sentences. An empty one must have an id, which shows that it is there.
    path
        The file.
    columns
        Names of the columns in their order; default: all.
    separator
        "\t" or " "; default: a blank, unless a text has blanks inside or is empty.
    comments
        Write documents and ids as comments.
    header
        Write the names of the columns as a comment first.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from runoff.tasks.tagging.corpus import Corpus
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "two.txt"
    >>> corpus = Corpus.of({"word": ["New York", "is"], "tag": ["B-LOC", "O"]}, sizes=[2], ids=["s1"])
    >>> write_columns(corpus, path)
    >>> path.read_text()
    '# sent_id = s1\nNew York\tB-LOC\nis\tO\n\n'
    """
    names = list(corpus.columns if columns is None else columns)
    if not names:
        raise UsageError("there is no column to write.")
    chosen = [corpus[name] for name in names]
    values = {column.values[code] for column in chosen for code in np.unique(column.codes).tolist()}
    blanks = any(not value or " " in value for value in values)
    between = separator if separator is not None else (TAB if blanks else BLANKS)
    if between not in (TAB, BLANKS) or (between == BLANKS and blanks):
        raise UsageError(
            "columns are separated by a tab, or by a blank where no text has blanks inside; "
            f"found {brief(between)} and {brief(next((each for each in sorted(values) if ' ' in each), ''))}."
        )
    texts = list(map(between.join, zip(*(column.texts() for column in chosen), strict=True)))
    _check(texts, between, len(names), corpus, values)
    said = comments_of(corpus) if comments else iter([""] * len(corpus))
    offsets = corpus.offsets.tolist()
    with create_bytes(path) as stream:
        if header:
            _check_names(names)
            stream.write(f"# global.columns = {' '.join(names)}\n".encode())
        for at, comment in enumerate(said):
            if offsets[at] == offsets[at + 1] and "sent_id" not in comment:
                raise DataError(f"sentence {at + 1} is empty, which columns show only where it has an id.")
            lines = texts[offsets[at] : offsets[at + 1]]
            stream.write((comment + "\n".join([*lines, "\n"] if lines else ["\n"])).encode())


def _check_names(names: list[str]) -> None:
    for name in names:
        if not name or name.split() != [name]:
            raise UsageError(f"a column whose name is written must have a name without blanks; found {brief(name)}.")


def _check(texts: list[str], between: str, width: int, corpus: Corpus, values: set[str]) -> None:
    """Refuse what would be read as something else."""
    for value in sorted(values):
        if any(mark in value for mark in "\t\n\r\0") or value != value.strip(" "):
            raise DataError(f"columns cannot show a text with tabs, line ends or blanks at its ends: {brief(value)}.")
    firsts = set(corpus.offsets[:-1].tolist())
    for at, line in enumerate(texts):
        if line[:1] not in ("#", "-", ""):
            continue
        like_comment = width == 1 or (between == BLANKS and SentenceMarks.is_known(line))
        if (
            not line
            or SentenceMarks.is_document_start(line)
            or (at in firsts and like_comment and line.startswith("# "))
        ):
            raise DataError(f"columns cannot show a token whose line would be {brief(line)}.")
