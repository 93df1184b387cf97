"""Texts in UTF-8 as code points."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Bools, Ints

    Bytes = NDArray[np.uint8]

_BLANK = 32


@compiled
def code_points(letters: Bytes, ends: Ints, is_blank: Bools) -> tuple[Ints, Ints]:  # pragma: no cover - compiled
    """Code points of texts in UTF-8 and where each begins: runs of blanks as one, and one at both ends. O(bytes)."""
    out = np.empty(ends[-1] - ends[0] + 2 * (ends.size - 1), np.int64)
    offsets = np.zeros(ends.size, np.int64)
    size = 0
    for text in range(ends.size - 1):
        out[size] = _BLANK
        size += 1
        at, end = ends[text], ends[text + 1]
        while at < end:
            byte = np.int64(letters[at])
            more = 0 if byte < 0xC0 else 1 if byte < 0xE0 else 2 if byte < 0xF0 else 3
            point = byte if more == 0 else byte & np.int64(0x3F >> more)
            at += 1
            for _ in range(more):
                if at < end:
                    point = point << 6 | np.int64(letters[at]) & 0x3F
                    at += 1
            if point < is_blank.size and is_blank[point]:
                point = np.int64(_BLANK)
            if point != _BLANK or out[size - 1] != _BLANK:
                out[size] = point
                size += 1
        if out[size - 1] != _BLANK:
            out[size] = _BLANK
            size += 1
        offsets[text + 1] = size
    return out[:size].copy(), offsets
