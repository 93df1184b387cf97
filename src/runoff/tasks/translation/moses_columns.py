"""Lines of Moses' tables as arrays: `source ||| target ||| numbers ||| …`, many at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.errors import DataError, brief
from runoff.formats.streams import BYTE_ORDER_MARK, decode, open_bytes
from runoff.tasks.translation.phrase_table import MOST_WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import TypeVar

    from runoff.arrays import Floats, Ints

    Parsed = TypeVar("Parsed")

_BLOCK = 1 << 24  # bytes of text at a time


class MalformedLineError(Exception):
    """What is wrong with a line, as a sentence for who knows the file and the line."""


@dataclass(frozen=True, eq=False)
class Ragged:
    """Items of every line, one after the other; those of line i are from `offsets[i]` to `offsets[i + 1]`."""

    items: pa.Array
    offsets: Ints

    @property
    def lengths(self) -> Ints:
        """Number of items of every line."""
        return np.diff(self.offsets)

    def joined(self, line: int) -> str:
        """The items of one line as text."""
        return " ".join(self.items[self.offsets[line] : self.offsets[line + 1]].to_pylist())


def parsed_blocks(path: str | Path, parse: Callable[[pa.Array], Parsed]) -> Iterator[Parsed]:
    """What `parse` makes of blocks of lines; where it fails, a `DataError` names the first line that it refuses.

    `parse` takes texts and raises a `MalformedLineError` if one of them is malformed, whatever the others are.
    """
    number = 1
    for block in _blocks(path):
        try:
            lines = _lines(block)
        except pa.ArrowException:
            for at, raw in enumerate(block.split(b"\n")):
                decode(raw, path, number + at)
            raise
        try:
            yield parse(lines)
        except MalformedLineError:
            at = _first_malformed(lines, parse)
            try:
                parse(lines[at : at + 1])
            except MalformedLineError as error:
                raise DataError(str(error), path=path, line=number + at) from error
            raise
        number += len(lines)


def fields_of(lines: pa.Array, least: int, expected: str) -> tuple[pa.Array, Ints]:
    """Fields of all lines, one after the other, and where those of each line begin."""
    split = pc.split_pattern(lines, "|||")
    offsets = split.offsets.to_numpy().astype(np.int64)
    count = np.diff(offsets)
    if (count < least).any():
        line = int(np.argmax(count < least))
        raise MalformedLineError(f"expected {expected}, found {brief(lines[line].as_py())}.")
    return split.flatten(), offsets - offsets[0]


def items_of(fields: pa.Array, offsets: Ints, number: int) -> Ragged:
    """What white space separates in one field of every line; nothing where a line has no such field."""
    has = np.diff(offsets) > number
    places = pa.array(np.where(has, offsets[:-1] + number, 0), mask=~has)
    texts = pc.ascii_trim_whitespace(pc.fill_null(fields.take(places), ""))
    split = pc.ascii_split_whitespace(texts)
    items, starts = split.flatten(), split.offsets.to_numpy().astype(np.int64)
    is_item = pc.not_equal(items, "").to_numpy(zero_copy_only=False)  # an empty text has one empty item
    before = np.concatenate([[0], np.cumsum(is_item)])
    return Ragged(items.filter(pa.array(is_item)), before[starts - starts[0]])


def words_of(fields: pa.Array, offsets: Ints, number: int, what: str) -> Ragged:
    """The words of a phrase of every line."""
    words = items_of(fields, offsets, number)
    if len(words.offsets) > 1 and words.lengths.min() < 1:
        raise MalformedLineError(f"the {what} phrase has no words.")
    if words.lengths.max(initial=0) > MOST_WORDS:
        raise MalformedLineError(
            f"the {what} phrase has {words.lengths.max()} words, and a phrase may have {MOST_WORDS}."
        )
    return words


def numbers_of(found: Ragged, what: str, allowed: tuple[int, ...]) -> Floats:
    """The numbers of every line, none of them negative; of a line that has fewer than the most allowed, then NaN."""
    lengths = found.lengths
    is_odd = ~np.isin(lengths, allowed)
    if is_odd.any():
        line = int(np.argmax(is_odd))
        choices = " or ".join(map(str, allowed))
        raise MalformedLineError(f"expected {choices} {what}, found {lengths[line]}: {brief(found.joined(line))}.")
    try:
        values = pc.cast(found.items, pa.float64()).to_numpy(zero_copy_only=False)
    except pa.ArrowException:
        raise MalformedLineError(f"expected numbers as {what}, found {brief(found.joined(0))}.") from None
    if not np.isfinite(values).all() or (values < 0).any():
        raise MalformedLineError(f"expected numbers from 0 up as {what}, found {brief(found.joined(0))}.")
    table = np.full((lengths.size, max(allowed)), np.nan)
    table[np.arange(max(allowed)) < lengths[:, None]] = values
    return table


def log_probabilities(values: Floats, what: str) -> Floats:
    """Natural logarithms of probabilities; that of 0 is -100, as in Moses."""
    if values.max(initial=0.0) > 1 + 1e-4:  # what was summed in single precision and printed
        raise MalformedLineError(f"expected probabilities from 0 to 1 as {what}, found {values.max():g}.")
    logs = np.log(np.minimum(values, 1.0), out=np.full(values.shape, -100.0), where=values > 0)
    return np.asarray(logs)


def _blocks(path: str | Path) -> Iterator[bytes]:
    """The content of a file, cut at line ends; without a byte-order mark and the last line end."""
    with open_bytes(path) as stream:
        left = stream.read(len(BYTE_ORDER_MARK)).removeprefix(BYTE_ORDER_MARK)
        while chunk := stream.read(_BLOCK):
            text, end, rest = chunk.rpartition(b"\n")
            if end:
                yield left + text
                left = rest
            else:
                left += chunk
        if left:
            yield left


def _lines(block: bytes) -> pa.Array:
    text = pa.array([block], pa.large_binary()).cast(pa.large_string())
    return pc.split_pattern(text, "\n").flatten()


def _first_malformed(lines: pa.Array, parse: Callable[[pa.Array], Parsed]) -> int:
    """The first of the lines that is refused, by halving them."""
    low, high = 0, len(lines)  # it is one of these
    while high - low > 1:
        middle = (low + high) // 2
        try:
            parse(lines[low:middle])
        except MalformedLineError:
            high = middle
        else:
            low = middle
    return low
