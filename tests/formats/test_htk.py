"""Label files with alternatives, as the HTK Book describes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from runoff.errors import DataError
from runoff.formats import read, recognise

if TYPE_CHECKING:
    from pathlib import Path

LIST = '0 100 SENT-START -1.5\n100 200 so -2.0\n200 300 "it" -3.5\n///\n100 200 so -9\n'
MASTER = f'#!MLF!#\n"*/utt1.rec"\n{LIST}.\n"/data/utt2.rec"\nyes\n///\nno\n.\n'


def test_one_list(tmp_path: Path) -> None:
    (tmp_path / "utt1.rec").write_text(LIST)
    data = read(tmp_path / "utt1.rec")
    assert data.group_ids.to_pylist() == ["utt1"]
    assert data.texts.to_pylist() == ["so it", "so"]
    assert data.base.tolist() == [-7, -9]
    assert recognise(tmp_path).name == "htk"
    assert len(read(tmp_path)) == 1


def test_master_label_file(tmp_path: Path) -> None:
    (tmp_path / "all.mlf").write_text(MASTER.replace("yes", "yes -1").replace("no", "no -2"))
    data = read(tmp_path / "all.mlf")
    assert data.group_ids.to_pylist() == ["utt1", "utt2"]
    assert data.texts.to_pylist() == ["so it", "so", "yes", "no"]
    assert data.base.tolist() == [-7, -9, -1, -2]


def test_words_without_scores_and_bytes_in_octal_digits(tmp_path: Path) -> None:
    (tmp_path / "all.mlf").write_text('#!MLF!#\n"*/a.rec"\n0 10 caf\\303\\251\n///\n5\n.\n')
    data = read(tmp_path / "all.mlf")
    assert data.texts.to_pylist() == ["café", "5"]
    assert data.base is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (MASTER.replace("-3.5", "nan"), "line 5: expected a finite number for the score of '\"it\"', found 'nan'"),
        (MASTER.replace("-3.5", "low"), "line 5: expected a finite number for the score"),
        (MASTER[:-2], "the list of 'utt2', which begins on line 9, has no end"),
        (MASTER.replace('"/data/utt2.rec"', "utt2.rec"), "line 9: expected the name of a label file in quotes"),
        (MASTER.replace("/data/utt2", "/data/utt1"), "line 9: utterance 'utt1' was there before"),
        (MASTER, "has no 'base', but others have"),
    ],
)
def test_errors_name_file_and_line(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "all.mlf").write_text(content)
    with pytest.raises(DataError, match=message):
        read(tmp_path / "all.mlf")
