"""One numpy array as bytes: exactly what numpy writes for plain numbers, and nothing else is read.

numpy's own reader evaluates the header as Python and makes room for the shape before it looks for the numbers.
"""

from __future__ import annotations

import io
import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.arrays import frozen
from runoff.opening.limits import DamagedFileError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MAGIC = b"\x93NUMPY\x01\x00"
_HEADER = re.compile(
    rb"\{'descr': '([<|][biuf][1248])', 'fortran_order': False, "
    rb"'shape': \(((?:\d{1,18}, ?)*(?:\d{1,18})?)\), \} *\n"
)


def write_npy(array: NDArray[Any]) -> bytes:
    """An array of plain numbers as bytes."""
    held = io.BytesIO()
    np.lib.format.write_array(held, np.ascontiguousarray(array), allow_pickle=False)
    return held.getvalue()


def read_npy(content: bytes | memoryview) -> NDArray[Any]:
    """The array in the bytes, without a copy and read-only; `DamagedFileError` if they are anything else.

    Examples
    --------
    >>> read_npy(write_npy(np.arange(3.0))).tolist()
    [0.0, 1.0, 2.0]
    """
    length = int.from_bytes(content[len(_MAGIC) : len(_MAGIC) + 2], "little")
    start = len(_MAGIC) + 2 + length
    is_npy = content[: len(_MAGIC)] == _MAGIC
    header = _HEADER.fullmatch(content, len(_MAGIC) + 2, start) if is_npy else None
    if header is None or len(content) < start:
        raise DamagedFileError("it is not an array of plain numbers")
    kind = np.dtype(header[1].decode())
    shape = tuple(int(part) for part in header[2].replace(b" ", b"").split(b",") if part)
    if math.prod(shape) * kind.itemsize != len(content) - start:
        raise DamagedFileError(f"its shape {shape} does not fit its {len(content) - start:,} bytes")
    found: NDArray[Any] = np.frombuffer(content, kind, offset=start).reshape(shape)
    return frozen(found)
