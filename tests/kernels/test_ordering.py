"""Sorting of numbers within kernels: Python's `sorted` is the truth."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff.kernels.ordering import sort_numbers

NUMBERS = st.lists(st.integers(-(2**62), 2**62), max_size=60) | st.lists(st.integers(0, 5), max_size=200)


@settings(deadline=None)
@given(NUMBERS, st.integers(0, 70))
def test_the_first_numbers_are_sorted_and_the_others_stay(numbers: list[int], size: int) -> None:
    size = min(size, len(numbers))
    found = np.array(numbers, np.int64)
    sort_numbers(found, size)
    assert found.tolist() == sorted(numbers[:size]) + numbers[size:]
