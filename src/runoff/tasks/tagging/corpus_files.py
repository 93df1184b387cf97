"""One way to read sentences from any file, and to write them."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from runoff.errors import DataError, UsageError, brief
from runoff.formats.streams import SAMPLE_SIZE, bare_name, sample, spooled
from runoff.tasks.tagging.column_separator import SPLIT, is_blank, separator_of
from runoff.tasks.tagging.columns import read_columns
from runoff.tasks.tagging.conllu import read_conllu, write_conllu
from runoff.tasks.tagging.json_sentences import read_json_sentences, write_json_sentences
from runoff.tasks.tagging.raw_text import read_text
from runoff.tasks.tagging.sentence_comments import SentenceMarks
from runoff.tasks.tagging.written_columns import write_columns

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from runoff.formats.base import Sample
    from runoff.tasks.tagging.corpus import Corpus

_READERS: dict[str, Callable[..., Corpus]] = {
    "columns": read_columns,
    "conllu": read_conllu,
    "jsonl": read_json_sentences,
    "text": read_text,
}
_OPTIONS = {
    "columns": ("columns", "ragged", "separator"),
    "conllu": (),
    "jsonl": ("keys",),
    "text": ("sentences", "offsets"),
}
_WRITERS: dict[str, Callable[..., None]] = {
    "columns": write_columns,
    "conllu": write_conllu,
    "jsonl": write_json_sentences,
}
_CONLLU_LINE = re.compile(r"[0-9]+(?:[-.][0-9]+)?\t[^\t]+(?:\t[^\t]*){4}\t(?:[0-9]+|_)(?:\t[^\t]*){3}")
_TAG = re.compile(r"O|[BIESLUM]-\S+")
_CLEAR = 0.8  # share of lines with the same number of columns that makes a file one of columns
_FEW = 3  # so many lines of text may have equally many words by chance


def read_corpus(
    path: str | Path,
    format: str | None = None,  # noqa: A002 - the natural word
    *,
    notes: list[str] | None = None,
    **options: Any,
) -> Corpus:
    r"""Read sentences from a file, plain, gzip or zstd; `-` is standard input.

    Parameters
    ----------
    path
        Columns (`read_columns`), CoNLL-U (`read_conllu`), JSON lines (`read_json_sentences`) or raw text
        (`read_text`).
    format
        columns, conllu, jsonl or text; None: recognised by content, and by the options that are given.
    notes
        Receives sentences about what was left out.
    options
        Those of the reader: `columns`, `ragged`, `separator`; `keys`; `sentences`, `offsets`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "two.txt"
    >>> _ = path.write_text("A\tB-NP\ncat\tI-NP\n\nYes\tO\n")
    >>> read_corpus(path)
    Corpus(2 sentences, 3 tokens: word, tag)
    """
    if format is not None and format not in _READERS:
        raise UsageError(f"there is no format {format!r} of sentences; there are: {', '.join(_READERS)}.")
    options = {name: value for name, value in options.items() if value is not None}
    with spooled(path) as file:
        kind = format or _by_options(options) or recognise(file)
        unknown = [name for name in options if name not in _OPTIONS[kind]]
        if unknown:
            known = ", ".join(_OPTIONS[kind]) or "none"
            raise UsageError(f"the format {kind} has no option {unknown[0]!r}; it has: {known}.")
        if kind != "text":
            options["notes"] = notes
        return _READERS[kind](file, **options)


def write_corpus(
    corpus: Corpus,
    path: str | Path,
    format: str | None = None,  # noqa: A002 - the natural word
    **options: Any,
) -> None:
    """Write sentences as columns, CoNLL-U or JSON lines, by the name's ending: .conllu, .jsonl, anything else.

    Options are those of `write_columns` and `write_json_sentences`. Compressed if the name ends in .gz or .zst; never
    leaves a partial file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from runoff.tasks.tagging.corpus import Corpus
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "one.jsonl.gz"
    >>> write_corpus(Corpus.of({"word": ["Yes"]}, sizes=[1]), path)
    >>> read_corpus(path)
    Corpus(1 sentence, 1 tokens: word)
    """
    if format is not None and format not in _WRITERS:
        raise UsageError(f"sentences cannot be written as {format!r}; there are: {', '.join(_WRITERS)}.")
    name = bare_name(path)
    by_name = "conllu" if name.endswith(".conllu") else "jsonl" if name.endswith((".jsonl", ".json")) else "columns"
    _WRITERS[format or by_name](corpus, path, **options)


def recognise(path: str | Path) -> str:
    """The format of a file, by its first 64 KiB; raises a `DataError` where that is not clear.

    Lines with ten columns that begin with a number and have a head are CoNLL-U; objects are JSON lines. A file is one
    of columns if at least four of five lines have the same number of them; where the lines are fewer than three, they
    must have tabs or end in a tag. One with tabs in all lines is one too, perhaps ragged. Other lines are text.
    """
    seen = sample(path)
    if not seen.head.strip():
        raise DataError("the file is empty.", path=path)
    if b"\0" in seen.head:
        raise DataError("the file is not text: it has zero bytes.", path=path)
    if seen.first_line.lstrip().startswith(b"{"):
        return "jsonl"
    lines = _lines(seen)
    if lines and all(map(_CONLLU_LINE.fullmatch, lines)):
        return "conllu"
    separator = separator_of(lines)
    widths = Counter(len(SPLIT[separator](line)) for line in lines)
    if not widths:
        return "text"
    (width, count), *_ = widths.most_common(1)
    share = count / len(lines)
    if width > 1 and len(lines) < _FEW and "\t" not in lines[0]:
        return "columns" if all(_TAG.fullmatch(SPLIT[separator](line)[-1]) for line in lines) else "text"
    if share >= _CLEAR or all("\t" in line for line in lines):
        return "columns"
    if share < 0.5 and not any("\t" in line for line in lines):
        return "text"
    raise DataError(
        f"it is not clear whether the file has columns: {count:,} of the first {len(lines):,} lines have {width}, "
        f"others not, such as {brief(next(line for line in lines if len(SPLIT[separator](line)) != width))}; "
        "say format=columns or format=text.",
        path=path,
    )


def _by_options(options: dict[str, Any]) -> str | None:
    """The format that alone has these options."""
    found = [kind for kind, names in _OPTIONS.items() if options and set(options) <= set(names)]
    return found[0] if len(found) == 1 else None


def _lines(seen: Sample) -> list[str]:
    """Lines of tokens in the sample, without the last one if the sample may have cut it off."""
    text = seen.head.decode(errors="replace")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if len(seen.head) >= SAMPLE_SIZE and len(lines) > 1:
        lines.pop()
    return [
        line for line in lines if not is_blank(line) and line[0] != "#" and not SentenceMarks.is_document_start(line)
    ]
