"""Phrase and reordering tables written in Moses' text format."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.errors import UsageError, brief
from runoff.formats.streams import create_bytes
from runoff.tasks.translation.moses_columns import log_probabilities

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from runoff.arrays import Columns, Floats, Ints, Singles
    from runoff.tasks.translation.phrase_table import PhraseTable

_BLOCK = 1 << 17  # options at a time
_DIGITS = (6, 8, 10)  # printed, unless only more give the same number again
_ODD = re.compile(r"[\t\n\v\f\r ]|\|\|\||^$")  # in a word


def write_phrase_table(table: PhraseTable, path: str | Path) -> None:
    """Write phrases, scores, links and counts; compressed if the name ends in .gz or .zst.

    Probabilities have as many digits, at least six, as it takes to read the same scores again. O(characters).

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from runoff.tasks.translation.moses_table_reader import read_moses_tables
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "phrase-table"
    >>> _ = path.write_text("la ||| the ||| 0.5 0.25 0.8 0.4 ||| 0-0 ||| 4 5 2")
    >>> write_phrase_table(read_moses_tables(path), path)
    >>> path.read_text()
    'la ||| the ||| 0.5 0.25 0.8 0.4 ||| 0-0 ||| 4 5 2 ||| |||\\n'
    """

    def columns(options: slice) -> list[pa.Array]:
        offsets = table.link_offsets[options.start : options.stop + 1]
        links = table.links[offsets[0] : offsets[-1]].astype(np.int32)
        source, target = (pa.array(side).cast(pa.large_string()) for side in links.T)
        texts = pc.binary_join_element_wise(source, target, pa.scalar("-", pa.large_string()))
        counts = pa.array(table.counts[options][:, [1, 2, 0]].ravel()).cast(pa.large_string())
        nothing = pa.array([""] * (options.stop - options.start), pa.large_string())
        ends = pc.binary_join_element_wise(_rows(counts, 3), nothing, pa.scalar(" ||| |||", pa.large_string()))
        return [_rows(_printed(table.scores[options]), 4), _joined(texts, offsets - offsets[0]), ends]

    _write(table, path, columns)


def write_reordering_table(table: PhraseTable, path: str | Path) -> None:
    """Write the reordering table that belongs to a phrase table, with lines of the same phrases.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from types import SimpleNamespace
    >>> from runoff.metrics.tokens import tokenised
    >>> from runoff.tasks.translation.bitext import Bitext
    >>> from runoff.tasks.translation.phrase_table_building import build_phrase_table
    >>> pairs = Bitext(tokenised(["la maison"], str.split), tokenised(["the house"], str.split))
    >>> links = SimpleNamespace(offsets=np.array([0, 2]), source=np.array([0, 1]), target=np.array([0, 1]))
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "reordering-table"
    >>> write_reordering_table(build_phrase_table(pairs, links), path)
    >>> len(path.read_text().splitlines())
    3
    """
    if table.reordering is None:
        raise UsageError("the phrase table has no orientations; build it with reordering by word or by phrase.")
    logs = table.reordering
    _write(table, path, lambda options: [_rows(_printed(logs[options]), 6)])


def _write(table: PhraseTable, path: str | Path, columns: Callable[[slice], list[pa.Array]]) -> None:
    """Write a line for every option: source, target, and further columns."""
    _check_words(table.source_words, table.phrase_words)
    _check_words(table.target_words, table.target_ids)
    sources = _joined(table.source_words.take(pa.array(table.phrase_words)), table.phrase_offsets)
    phrase_of = np.repeat(np.arange(len(table)), np.diff(table.option_offsets))
    separator = pa.scalar(" ||| ", pa.large_string())
    with create_bytes(path) as file:
        for start in range(0, table.n_options, _BLOCK):
            options = slice(start, min(start + _BLOCK, table.n_options))
            offsets = table.target_offsets[options.start : options.stop + 1]
            words = table.target_words.take(pa.array(table.target_ids[offsets[0] : offsets[-1]]))
            both = [sources.take(pa.array(phrase_of[options])), _joined(words, offsets - offsets[0])]
            lines = pc.binary_join_element_wise(*both, *columns(options), separator)
            file.write(_joined(lines, np.array([0, len(lines)]), "\n")[0].as_py().encode() + b"\n")


def _check_words(words: pa.Array, used: Columns) -> None:
    """Raise for words that could not be read again."""
    for word in words.take(pa.array(np.unique(used))).to_pylist():
        if _ODD.search(word):
            raise UsageError(f"the phrase table has the word {brief(word)}, which a file of Moses cannot represent.")


def _joined(texts: pa.Array, offsets: Ints, mark: str = " ") -> pa.Array:
    """Texts from each offset to the next, with a mark between them."""
    lists = pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), texts)
    return pc.binary_join(lists, pa.scalar(mark, pa.large_string()))


def _rows(texts: pa.Array, width: int) -> pa.Array:
    return _joined(texts, np.arange(0, len(texts) + 1, width))


def _printed(logs: Singles) -> pa.Array:
    """Probabilities of logarithms as texts, row by row."""
    flat = logs.ravel()
    exact = np.exp(flat.astype(np.float64))
    values = exact.copy()
    left = np.arange(flat.size)
    for digits in _DIGITS:
        rounded = _significant(exact[left], digits)
        again = log_probabilities(rounded, "scores").astype(np.float32) == flat[left]
        values[left[again]] = rounded[again]
        left = left[~again]
    return pa.array(values).cast(pa.large_string())


def _significant(values: Floats, digits: int) -> Floats:
    """Numbers between 0 and 1, rounded to so many significant digits."""
    scale = 10.0 ** (digits - 1 - np.floor(np.log10(np.maximum(values, 1e-290))))
    return np.asarray(np.round(values * scale) / scale)
