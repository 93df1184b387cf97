"""Code points against Python's own decoding."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff.kernels.code_points import code_points

BLANKS = np.array([chr(point).isspace() for point in range(0x3001)])


def found(texts: list[bytes]) -> list[list[int]]:
    letters = np.frombuffer(b"".join(texts), np.uint8)
    points, offsets = code_points(letters, np.cumsum([0, *map(len, texts)]), BLANKS)
    return [points[start:stop].tolist() for start, stop in pairwise(offsets)]


@settings(deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from(" \u3000\x1c😀"), max_size=20)))
def test_points_are_those_of_python_with_blanks_as_one(texts) -> None:
    expected = [[32, *map(ord, " ".join(text.split())), 32] if text.split() else [32] for text in texts]
    assert found([text.encode() for text in texts]) == expected


def test_no_white_space_is_above_those_that_are_looked_up() -> None:
    assert not any(chr(point).isspace() for point in range(0x3001, 0x110000))


@settings(deadline=None)
@given(st.lists(st.binary(max_size=6), max_size=4))
def test_damaged_bytes_stay_within_their_text(texts) -> None:
    points = found(texts)
    assert all(
        len(text) + 2 >= len(each) >= 1 and each[0] == each[-1] == 32 for text, each in zip(texts, points, strict=True)
    )
