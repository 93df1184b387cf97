"""Characters of many texts by their code points."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from runoff.arrays import Ints

_SPACES = np.array([code for code in range(0x3002) if chr(code).isspace()], np.int32)


def code_points(texts: Sequence[str], *, whitespace: bool = True) -> tuple[npt.NDArray[np.int32], Ints]:
    """Code points of all texts one after the other, and the offsets of the texts; white space can be left out.

    Examples
    --------
    >>> codes, offsets = code_points(["a b", "c"], whitespace=False)
    >>> codes.tolist(), offsets.tolist()
    ([97, 98, 99], [0, 2, 3])
    """
    little = "le" if sys.byteorder == "little" else "be"
    codes = np.frombuffer("".join(texts).encode(f"utf-32-{little}", "surrogatepass"), np.int32)
    offsets = np.concatenate([[0], np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)))])
    if not whitespace:
        kept = _is_kept(codes)
        offsets = np.concatenate([[0], np.cumsum(kept, dtype=np.int64)])[offsets]
        codes = codes[kept]
    return frozen(codes), frozen(offsets)


def _is_kept(codes: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
    table = np.ones(int(_SPACES[-1]) + 2, np.bool_)
    table[_SPACES] = False
    kept: npt.NDArray[np.bool_] = table[np.minimum(codes, table.size - 1)]
    return kept
