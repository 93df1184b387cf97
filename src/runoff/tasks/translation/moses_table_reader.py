"""Phrase tables read from Moses' text format.

A line is `source ||| target ||| scores ||| links ||| counts ||| …`, the scores being p(source | target), its lexical
weight, p(target | source) and its lexical weight, and the counts those of the target, the source and the pair. A
reordering table has lines of `source ||| target ||| six probabilities` (msd-bidirectional-fe).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.arrays import frozen
from runoff.errors import DataError, brief
from runoff.tables import counted
from runoff.tasks.translation.moses_columns import (
    MalformedLineError,
    Ragged,
    fields_of,
    items_of,
    log_probabilities,
    numbers_of,
    parsed_blocks,
    words_of,
)
from runoff.tasks.translation.phrase_table import DIRECT, PhraseTable

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any, TypeVar

    from numpy.typing import NDArray

    from runoff.arrays import Columns, Floats, Ints, Singles

    Items = TypeVar("Items", bound=NDArray[Any])

_EXPECTED = "source ||| target ||| scores ||| links ||| counts"
_REORDERING = "source ||| target ||| six probabilities"
_LINK = "^[0-9]{1,3}-[0-9]{1,3}$"
_PENALTY = 2.718  # the fifth score of tables of before 2014, the same for every pair


class _Lines(NamedTuple):
    """What some lines say; `links` are rows of line, target place and source place."""

    source: Ragged
    target: Ragged
    scores: Floats
    links: Ints
    counts: Floats
    n_more: int


class _Phrases(NamedTuple):
    """Phrases as numbers of words; `ranks` are equal for equal ones, and in lexicographic order."""

    words: pa.Array
    numbers: Columns
    offsets: Ints
    ranks: Ints


def read_moses_tables(path: str | Path, reordering: str | Path | None = None) -> PhraseTable:
    """Read a phrase table, and a reordering table of the same phrases; plain, gzip or zstd.

    Links and counts may be absent. A fifth score is left out if it is the phrase penalty of old tables, 2.718. What
    comes after the counts (sparse scores, properties) is not used, and a note of the table says how many lines have
    it. A probability of 0 counts as e**-100, as in Moses. O(characters), about 15 µs per line.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "phrase-table"
    >>> _ = path.write_text("la maison ||| the house ||| 0.5 0.25 0.8 0.4 ||| 0-0 1-1 ||| 4 5 2 ||| |||\\n")
    >>> read_moses_tables(path).options(["la", "maison"])[0].counts
    (2.0, 4.0, 5.0)
    """
    found = list(parsed_blocks(path, _parse))
    if not found:
        raise DataError("the file is empty.", path=path)
    source, target = _phrases([each.source for each in found]), _phrases([each.target for each in found])
    scores = np.concatenate([each.scores for each in found]).astype(np.float32)
    order = np.lexsort((target.ranks, -scores[:, DIRECT], source.ranks))
    _check_different(source, target, path)
    option_offsets = np.unique(source.ranks[order], return_index=True)[1]
    orientations, notes = (None, []) if reordering is None else _orientations(reordering, source, target)
    n_more = sum(each.n_more for each in found)
    if n_more:
        notes.insert(0, f"{path}: {counted(n_more, 'lines')} with sparse scores or properties, which are not used.")
    links, link_offsets = _taken(*_links(found), order)
    phrase_words, phrase_offsets = _taken(source.numbers, source.offsets, order[option_offsets])
    target_ids, target_offsets = _taken(target.numbers, target.offsets, order)
    return PhraseTable(
        source.words,
        target.words,
        frozen(phrase_offsets),
        frozen(phrase_words),
        frozen(np.append(option_offsets, order.size)),
        frozen(target_offsets),
        frozen(target_ids),
        frozen(scores[order]),
        None if orientations is None else frozen(orientations[order]),
        frozen(link_offsets),
        frozen(links),
        frozen(np.concatenate([each.counts for each in found])[order].astype(np.float32)),
        tuple(notes),
    )


def _parse(lines: pa.Array) -> _Lines:
    fields, offsets = fields_of(lines, 3, _EXPECTED)
    source = words_of(fields, offsets, 0, "source")
    target = words_of(fields, offsets, 1, "target")
    scores = numbers_of(items_of(fields, offsets, 2), "scores", (4, 5))
    if (np.abs(scores[:, 4] - _PENALTY) > 0.01).any():  # NaN where there is none
        raise MalformedLineError(
            f"expected 4 scores, or a phrase penalty of {_PENALTY} as the fifth; found {np.nanmax(scores[:, 4]):g}."
        )
    links = _parse_links(items_of(fields, offsets, 3), source.lengths, target.lengths)
    counts = np.nan_to_num(numbers_of(items_of(fields, offsets, 4), "counts", (0, 2, 3)))[:, [2, 0, 1]]
    if counts.max(initial=0.0) > np.finfo(np.float32).max:
        raise MalformedLineError(f"a count of {counts.max():g} is too large.")
    n_more = np.zeros(len(lines), np.bool_)
    for number in range(5, int(np.diff(offsets).max(initial=0))):
        n_more |= items_of(fields, offsets, number).lengths > 0
    return _Lines(source, target, log_probabilities(scores[:, :4], "scores"), links, counts, int(n_more.sum()))


def _parse_links(found: Ragged, n_source: Ints, n_target: Ints) -> Ints:
    is_link = pc.match_substring_regex(found.items, _LINK).to_numpy(zero_copy_only=False)
    line = np.repeat(np.arange(n_source.size), found.lengths)
    if not is_link.all():
        at = int(np.argmin(is_link))
        raise MalformedLineError(f"expected links such as 0-1, found {brief(found.items[at].as_py())}.")
    both = pc.split_pattern(found.items, "-").flatten().cast(pa.int64()).to_numpy(zero_copy_only=False).reshape(-1, 2)
    is_outside = (both[:, 0] >= n_source[line]) | (both[:, 1] >= n_target[line])
    if is_outside.any():
        at = int(np.argmax(is_outside))
        raise MalformedLineError(
            f"the link {found.items[at].as_py()} is outside of phrases of {n_source[line[at]]} and "
            f"{n_target[line[at]]} words."
        )
    rows = np.column_stack([line, both[:, 1], both[:, 0]])
    rows = rows[np.lexsort((rows[:, 2], rows[:, 1], rows[:, 0]))]
    if (rows[1:] == rows[:-1]).all(axis=1).any():
        raise MalformedLineError(f"a link is there twice: {brief(found.joined(0))}.")
    return rows


def _phrases(parts: list[Ragged], known: pa.Array | None = None) -> _Phrases:
    """Phrases of all lines as numbers of words: the `known` ones, then others in the order of their appearance."""
    items = pa.concat_arrays([part.items for part in parts]).cast(pa.large_string())
    offsets = np.concatenate([[0], np.cumsum(np.concatenate([part.lengths for part in parts]))])
    encoded = items.dictionary_encode()
    words, indices = encoded.dictionary, encoded.indices.to_numpy(zero_copy_only=False)
    if known is not None:
        number_of = pc.fill_null(pc.index_in(words, known), -1).to_numpy(zero_copy_only=False).astype(np.int64)
        is_new = number_of < 0
        number_of[is_new] = len(known) + np.arange(is_new.sum())
        words = pa.concat_arrays([known, words.filter(pa.array(is_new))])
        indices = number_of[indices]
    numbers = indices.astype(np.int32)
    return _Phrases(words, numbers, offsets, _ranks(numbers, offsets))


def _ranks(numbers: Columns, offsets: Ints) -> Ints:
    """Numbers of phrases that are equal for equal ones, and in lexicographic order. O(longest * phrases log)."""
    lengths = np.diff(offsets)
    ranks, width = np.zeros(lengths.size, np.int64), int(numbers.max(initial=0)) + 2
    for k in range(int(lengths.max(initial=0))):
        word = np.zeros(lengths.size, np.int64)
        fits = np.flatnonzero(lengths > k)
        word[fits] = numbers[offsets[fits] + k] + 1
        ranks = np.unique(ranks * width + word, return_inverse=True)[1].reshape(-1)
    return ranks


def _pairs(source: Ints, target: Ints) -> Ints:
    return np.asarray(source * (int(target.max(initial=0)) + 1) + target)


def _check_different(source: _Phrases, target: _Phrases, path: str | Path) -> None:
    pairs = _pairs(source.ranks, target.ranks)
    order = np.argsort(pairs, kind="stable")
    again = order[1:][np.diff(pairs[order]) == 0]
    if again.size:
        line = int(again.min())
        raise DataError(f"{_told(source, target, line)} is there a second time.", path=path, line=line + 1)


def _told(source: _Phrases, target: _Phrases, line: int) -> str:
    texts = []
    for phrases in (source, target):
        numbers = phrases.numbers[phrases.offsets[line] : phrases.offsets[line + 1]]
        texts.append(" ".join(phrases.words.take(pa.array(numbers)).to_pylist()))
    return brief(" ||| ".join(texts))


def _taken(items: Items, offsets: Ints, lines: Ints) -> tuple[Items, Ints]:
    """The items of some lines, and where those of each begin."""
    starts, lengths = offsets[lines], np.diff(offsets)[lines]
    taken = np.concatenate([[0], np.cumsum(lengths)])
    return items[np.arange(taken[-1]) + np.repeat(starts - taken[:-1], lengths)], taken


def _links(found: list[_Lines]) -> tuple[NDArray[np.uint8], Ints]:
    """Links of all lines as source and target place, and where those of each line begin."""
    links = np.concatenate([each.links[:, [2, 1]] for each in found]).astype(np.uint8)
    sizes = [np.bincount(each.links[:, 0], minlength=each.scores.shape[0]) for each in found]
    return links, np.concatenate([[0], np.cumsum(np.concatenate(sizes))])


def _orientations(path: str | Path, source: _Phrases, target: _Phrases) -> tuple[Singles, list[str]]:
    """Orientations of every line of the phrase table, from the lines of the same phrases of the reordering table."""
    found = list(parsed_blocks(path, _parse_orientations))
    if not found:
        raise DataError("the file is empty.", path=path)
    ours = _phrases([each[0] for each in found], source.words), _phrases([each[1] for each in found], target.words)
    _check_different(*ours, path)
    pairs = _pairs(*(_joint_ranks(*both) for both in zip((source, target), ours, strict=True)))
    n_lines = source.ranks.size
    order = np.argsort(pairs[n_lines:])
    theirs = pairs[n_lines:][order]
    place = np.minimum(np.searchsorted(theirs, pairs[:n_lines]), theirs.size - 1)
    is_missing = theirs[place] != pairs[:n_lines]
    if is_missing.any():
        line = int(np.argmax(is_missing))
        raise DataError(
            f"{counted(int(is_missing.sum()), 'pairs')} of the phrase table are not in it; the first is "
            f"{_told(source, target, line)}.",
            path=path,
        )
    logs: Singles = np.concatenate([each[2] for each in found]).astype(np.float32)[order[place]]
    more = theirs.size - np.unique(place).size
    return logs, [f"{path}: {counted(more, 'pairs')} that the phrase table does not have."] if more else []


def _parse_orientations(lines: pa.Array) -> tuple[Ragged, Ragged, Floats]:
    fields, offsets = fields_of(lines, 3, _REORDERING)
    values = numbers_of(items_of(fields, offsets, 2), "probabilities", (6,))
    logs = log_probabilities(values, "orientations")
    return words_of(fields, offsets, 0, "source"), words_of(fields, offsets, 1, "target"), logs


def _joint_ranks(one: _Phrases, other: _Phrases) -> Ints:
    """Ranks of the phrases of two files among each other."""
    numbers = np.concatenate([one.numbers, other.numbers])
    return _ranks(numbers, np.concatenate([one.offsets, other.offsets[1:] + one.offsets[-1]]))
