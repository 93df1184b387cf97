"""Features of a block of JSON lines, extracted by a compiled loop so that no Python object is made for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson

from runoff.arrays import frozen
from runoff.kernels import json_features as kernel
from runoff.kernels.name_table import has_repeats

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Bools, Columns, Ints, Singles
    from runoff.nbest.name_index import NameIndex

_LARGEST = 1 << 30  # bytes of a block: places in it are 32-bit numbers


@dataclass(frozen=True)
class ExtractedFeatures:
    """What was extracted; in `rest`, an empty string stands where each table of features was."""

    rest: bytes
    content: bytes
    text: NDArray[np.uint8]
    places: Ints  # start and end of every table in the content
    lengths: Ints
    is_list: Bools
    spans: Columns  # start and end of every name in the text
    values: Singles

    def belong_to(self, records: list[Any]) -> bool:
        """Whether the tables, in their order, are the features of the candidates of records parsed from the rest.

        A table may also be elsewhere, or be replaced by a later value of the same key; only the full text tells then.
        """
        try:
            lists = [record["candidates"] for record in records]
            features = [candidate.get("features") for candidates in lists for candidate in candidates]
        except (AttributeError, KeyError, TypeError):  # not the usual form
            return False
        return len(features) - features.count(None) == len(self.lengths)

    def originals(self) -> list[Any]:
        """All tables, parsed in full."""
        return [orjson.loads(self.content[start:end]) for start, end in self.places.tolist()]

    def numbered(self, names: NameIndex) -> Columns | None:
        """Columns of all names; None if an object has a name twice, which only a full parser resolves."""
        numbers = names.number_spans(self.text, self.spans)
        return None if has_repeats(numbers, self.lengths, self.is_list, len(names)) else numbers


class FeatureExtractor:
    r"""Extracts from block after block; the arrays that a block needs are kept for the next one.

    Examples
    --------
    >>> extracted = FeatureExtractor().extract(b'{"candidates": [{"features": {"a": 2}}, {"features": ["b", "c"]}]}\\n')
    >>> extracted.rest
    b'{"candidates": [{"features":""}, {"features":""}]}\\n'
    >>> extracted.lengths.tolist(), extracted.values.tolist()
    ([1, 2], [2.0, 1.0, 1.0])
    """

    def __init__(self) -> None:
        self._room = 0

    def _make_room(self, size: int) -> None:
        # As much as a block could need; untouched pages take no memory.
        tables, names = size // 12 + 1, size // 3 + 1
        self._rest = np.empty(size, np.uint8)
        self._tables = np.empty((tables, 4), np.int64)
        self._spans, self._values = np.empty((names, 2), np.int32), np.empty(names, np.float32)
        self._doubtful, self._escaped = np.empty((names // 8, 3), np.int64), np.empty(names // 8, np.int64)
        self._room = size

    def extract(self, content: bytes) -> ExtractedFeatures | None:
        """Take the features out of whole lines; None if there is something that is not plain JSON.

        The result is valid until the next call.
        """
        if len(content) > _LARGEST or not _is_utf8(content):
            return None
        if len(content) > self._room:
            self._make_room(2 * len(content))
        text = frozen(np.frombuffer(content, np.uint8))
        size, n_tables, n_names, n_doubts, n_escaped = kernel.cut(
            text, self._rest, self._tables, self._spans, self._values, self._doubtful, self._escaped
        )
        if size == kernel.GIVEN_UP:
            return None
        tables, spans, values = self._tables[:n_tables], self._spans[:n_names], self._values[:n_names]
        unescaped = _unescape(content, spans, self._escaped[:n_escaped])
        if unescaped is None or not _settle(content, values, self._doubtful[:n_doubts]):
            return None
        if unescaped:
            text = frozen(np.frombuffer(content + unescaped, np.uint8))
        lengths, is_list = np.ascontiguousarray(tables[:, 2]), tables[:, 3] == 1
        rest = self._rest[:size].tobytes()
        return ExtractedFeatures(rest, content, text, tables[:, :2], lengths, is_list, spans, values)


def _is_utf8(content: bytes) -> bool:
    if content.isascii():
        return True
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _settle(content: bytes, values: Singles, doubtful: Ints) -> bool:
    """Parse in Python the numbers that the loop could not; False if one is too large."""
    with np.errstate(over="ignore"):
        for name, start, end in doubtful.tolist():
            values[name] = np.float32(float(content[start:end]))
    return bool(np.isfinite(values[doubtful[:, 0]]).all())


def _unescape(content: bytes, spans: Columns, escaped: Ints) -> bytes | None:
    """Names without their escapes, to be appended to the content; their spans are changed to point there."""
    parts, end = [], len(content)
    for name in escaped.tolist():
        try:
            parts.append(orjson.loads(content[spans[name, 0] - 1 : spans[name, 1] + 1]).encode())
        except orjson.JSONDecodeError:
            return None
        spans[name] = end, end + len(parts[-1])
        end += len(parts[-1])
    return b"".join(parts)
