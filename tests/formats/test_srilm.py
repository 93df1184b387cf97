"""N-best lists of SRILM; the conversion of scores is that of its script merge-nbest."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from runoff.errors import DataError, UsageError
from runoff.formats import read, recognise

if TYPE_CHECKING:
    from pathlib import Path

BYTELOGS = math.log(10) * 10000.5 / 1024  # bytelogscale of merge-nbest.gawk
SECOND = (
    "NBestList2.0\n"
    "(-1000) -pau- ( st: 0.00 et: 0.10 g: 0 a: -10 ) so ( st: 0.11 et: 0.50 g: -20 a: -100 ) "
    "s-1 ( st: 0.20 et: 0.30 g: -1 a: -1 ) is ( st: 0.51 et: 0.90 g: -30 a: -200 )\n"
)


def test_scores_and_words(tmp_path: Path) -> None:
    (tmp_path / "utt.1.gz").write_text("-100.5 -7 3 <s> so it is </s>\n-99 -9.5 2 <s> so is </s>\n")
    data = read(tmp_path / "utt.1.gz", lm_weight=2, word_weight=0.5)
    assert data.group_ids.to_pylist() == ["utt.1"]
    assert data.texts.to_pylist() == ["so it is", "so is"]
    assert data.base.tolist() == [-100.5 - 14 + 1.5, -99 - 19 + 1]
    assert data.features.to_scipy().toarray().tolist() == [[-100.5, -7, 3], [-99, -9.5, 2]]
    assert read(tmp_path / "utt.1.gz").base.tolist() == [-156.5, -175]  # SRILM's weight of the language model is 8


def test_deciphers_first_form(tmp_path: Path) -> None:
    (tmp_path / "utt").write_text("NBestList1.0\n(-1000) so it is\n(-2000) so\n")
    data = read(tmp_path / "utt")
    assert data.base.tolist() == pytest.approx([-1000 / BYTELOGS, -2000 / BYTELOGS])
    assert data.texts.to_pylist() == ["so it is", "so"]


def test_deciphers_second_form(tmp_path: Path) -> None:
    (tmp_path / "utt").write_text(SECOND)
    data = read(tmp_path / "utt")
    assert data.texts.to_pylist() == ["so is"]  # the state within a word is none, as in nbest2-to-nbest1.gawk
    sums = [-310 / BYTELOGS, -50 / BYTELOGS, 3]
    assert data.features.to_scipy().toarray()[0].tolist() == pytest.approx(sums, rel=1e-6)


def test_a_folder_of_lists(tmp_path: Path) -> None:
    (tmp_path / "a.score").write_text(SECOND)
    (tmp_path / "b").write_text(SECOND)
    (tmp_path / "README").write_text("lists of today\n")
    assert recognise(tmp_path).name == "srilm"
    data = read(tmp_path)
    assert data.group_ids.to_pylist() == ["a", "b"]
    assert data.notes == (f"1 file(s) of {tmp_path} are no n-best lists and were left out.",)
    (tmp_path / "b.score").write_text(SECOND)
    with pytest.raises(DataError, match=r"b.score: the list of 'b' is also in b"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("-1 -2 1 a\n-1 nan 1 a\n", "line 2: expected a finite number for the language, found 'nan'"),
        ("-1 -2 1 a\n-1 -2\n", "line 2: expected `acoustic-score language-score number-of-words words`, found '-1 -2'"),
        ("NBestList1.0\n-5 a\n", "line 2: expected a score in brackets first, found '-5'"),
        ("NBestList2.0\n(-5) a b c\n", "line 2: expected 11 fields per word"),
        (SECOND.replace("a: -200", "a: much"), "line 2: expected a finite number for a of 'is', found 'much'"),
        ("-1 -2 1 a\nNBestList1.0\n", "line 2: the header is not on the first line"),
        (f"-1 -2 1 a\n-{'9' * 400} -2 1 a\n", "line 2: expected a finite number for the acoustic"),
    ],
)
def test_errors_name_file_and_line(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "utt").write_text(content)
    with pytest.raises(DataError, match=message):
        read(tmp_path / "utt", "srilm")


def test_an_option_that_is_no_number(tmp_path: Path) -> None:
    (tmp_path / "utt").write_text(SECOND)
    with pytest.raises(UsageError, match="lm_weight must be a number; found 'much'"):
        read(tmp_path / "utt", lm_weight="much")
