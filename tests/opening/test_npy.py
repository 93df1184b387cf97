"""Arrays as numpy writes them, and every other file refused."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from runoff.opening.limits import DamagedFileError
from runoff.opening.npy import read_npy, write_npy

KINDS = [np.dtype(kind) for kind in ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")]


@given(st.sampled_from(KINDS).flatmap(lambda kind: arrays.arrays(kind, arrays.array_shapes(min_side=0))))
def test_what_is_written_is_read(array: np.ndarray) -> None:
    found = read_npy(write_npy(array))
    assert (found.dtype, found.shape, found.tobytes()) == (array.dtype, array.shape, array.tobytes())
    assert not found.flags.writeable


WHOLE = write_npy(np.arange(6, dtype=np.int32).reshape(2, 3))


@given(st.integers(0, len(WHOLE) - 1), st.integers(1, 255))
@example(WHOLE.index(b"3)"), ord("3") ^ ord("9"))
def test_any_changed_byte_gives_what_numpy_reads_or_is_refused(at: int, flip: int) -> None:
    changed = WHOLE[:at] + bytes([WHOLE[at] ^ flip]) + WHOLE[at + 1 :]
    try:
        found = read_npy(changed)
    except DamagedFileError:
        return
    expected = np.lib.format.read_array(io.BytesIO(changed), allow_pickle=False)
    assert (found.dtype, found.shape, found.tobytes()) == (expected.dtype, expected.shape, expected.tobytes())


@pytest.mark.parametrize(
    "content",
    [
        b"",
        WHOLE[:-1],
        WHOLE + b"\0",
        WHOLE[:20],
        WHOLE.replace(b"(2, 3)", b"(9, 9)"),
        WHOLE.replace(b"(2, 3)", b"(-2,3)"),
        WHOLE.replace(b"<i4", b"|O8"),
        WHOLE.replace(b"False", b"True "),
        write_npy(np.zeros(0)).replace(b"(0,)", b"(" + b"9" * 18 + b",)"),
    ],
)
def test_what_numpy_does_not_write_for_numbers_is_refused(content: bytes) -> None:
    with pytest.raises(DamagedFileError):
        read_npy(content)
