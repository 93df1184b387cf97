"""Parallel text."""

import gzip

import numpy as np
import pytest

from runoff.errors import DataError, UsageError
from runoff.metrics.tokens import tokenised
from runoff.tasks.translation.bitext import Bitext, read_parallel, read_sentences


def tokens(*texts):
    return tokenised(list(texts), str.split)


def test_lines_may_be_empty_compressed_and_end_as_on_other_systems(tmp_path):
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress(b"Eins\r\n\r\ndrei\r\n"))
    assert read_sentences(path) == ["Eins", "", "drei"]
    path = tmp_path / "blank"
    path.write_text("\n \n")
    assert read_sentences(path) == ["", " "]
    path.write_text("")
    with pytest.raises(DataError, match="the file is empty"):
        read_sentences(path)


def test_other_numbers_of_lines_are_an_error(tmp_path):
    source, target = tmp_path / "a", tmp_path / "b"
    source.write_text("a\nb\n")
    target.write_text("a\n")
    with pytest.raises(DataError, match=r"b: it has 1 line, but .*a has 2 lines; line i of one must"):
        read_parallel(source, target)
    with pytest.raises(UsageError, match="as many source as target"):
        Bitext(tokens("a"), tokens("a", "b"))


def test_pairs_that_cannot_be_aligned_are_left_out():
    pairs = Bitext(tokens("a b", "", "a", "a " * 101, "a"), tokens("c", "c", "", "c", "c " * 10))
    assert pairs.fit_for_training().tolist() == [0]
    assert pairs.fit_for_training(longest=200, ratio=200.0).tolist() == [0, 3, 4]
    assert pairs.take(np.array([4])).target.lengths.tolist() == [10]
