"""Archives as `nbest-to-linear` writes them; the base score is computed by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from runoff.errors import DataError, UsageError
from runoff.formats import read

if TYPE_CHECKING:
    from pathlib import Path

WORDS = "a-b-1 so it is\na-b-2 so is it\nc-1 yes\nc-2 \n"
LANGUAGE = "a-b-1 10.5 \na-b-2 12 \nc-1 3 \nc-2 4 \n"
ACOUSTIC = "a-b-1 100 \na-b-2 90 \nc-1 50 \nc-2 55.5 \n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "nbest"
    place.mkdir()
    for name, content in (("words_text", WORDS), ("lm_cost", LANGUAGE), ("ac_cost", ACOUSTIC)):
        (place / name).write_text(content)
    return place


def test_words_with_their_costs(folder: Path) -> None:
    data = read(folder)
    assert data.group_ids.to_pylist() == ["a-b", "c"]  # what comes before the last hyphen
    assert data.texts.to_pylist() == ["so it is", "so is it", "yes", ""]
    assert data.base.tolist() == pytest.approx([-20.5, -21, -8, -9.55])  # -(lm + 0.1 ac)
    assert data.features.column_names().to_pylist() == ["ac_cost", "lm_cost"]
    assert read(folder, acoustic_scale=0).base.tolist() == [-10.5, -12, -3, -4]
    assert data.metric == "wer"


def test_hypotheses_in_any_order(folder: Path) -> None:
    (folder / "words_text").write_text("".join(reversed(WORDS.splitlines(keepends=True))))
    assert read(folder, "kaldi").texts.to_pylist() == ["yes", "", "so it is", "so is it"]


def test_jobs_of_a_folder(folder: Path) -> None:
    folder.rename(folder.parent / "archives.1")
    second = folder.parent / "archives.2"
    second.mkdir()
    (second / "words_text").write_text("d-1 go\nd-2 goes\n")
    with pytest.raises(DataError, match=r"has no 'base', but others have"):
        read(folder.parent)
    (second / "lm_cost").write_text("d-1 2\nd-2 3\n")
    (second / "ac_cost").write_text("d-1 20\nd-2 30\n")
    assert len(read(folder.parent)) == 3
    (second / "words_text").write_text("c-1 go\nc-2 goes\n")
    (second / "lm_cost").unlink()
    (second / "ac_cost").unlink()
    with pytest.raises(DataError, match=r"words_text, line 1: utterance 'c' is also in .*archives.1"):
        read(folder.parent)


def test_words_alone(tmp_path: Path) -> None:
    (tmp_path / "text").write_text(WORDS)
    data = read(tmp_path / "text")
    assert (data.base, data.features.n_columns) == (None, 0)


def test_words_that_are_numbers_are_told(tmp_path: Path) -> None:
    (tmp_path / "words").write_text("a-1 4 5\na-2 4 7 9\n")
    assert "int2sym.pl" in read(tmp_path)[:].notes[0]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "lm_cost",
            "a-b-1 1\na-b-2 nan\nc-1 1\nc-2 1\n",
            r"lm_cost, line 2: expected a finite number for the cost of 'a-b-2'",
        ),
        ("lm_cost", "a-b-1 1\na-b-2 2\nc-1 1\n", r"lm_cost: it has no cost of 'c-2', which is on line 4 of words_text"),
        ("lm_cost", "a-b-1 1\na-b-1 2\n", r"lm_cost, line 2: the key 'a-b-1' was used before, on line 1"),
        ("words_text", WORDS + "d one\n", r"words_text, line 5: expected a key that ends in -1, -2"),
        ("ac_cost", ACOUSTIC.replace("100", "9" * 60), r"line 1: expected a number that single precision can hold"),
    ],
)
def test_errors_name_file_and_line(folder: Path, name: str, content: str, message: str) -> None:
    (folder / name).write_text(content)
    with pytest.raises(DataError, match=message):
        read(folder, "kaldi")


def test_an_option_that_is_no_number(folder: Path) -> None:
    with pytest.raises(UsageError, match="acoustic_scale must be a number"):
        read(folder, acoustic_scale="much")
