"""Beams of NeMo; shapes as in `fixtures`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from runoff.errors import DataError, UsageError
from runoff.formats import read

if TYPE_CHECKING:
    from pathlib import Path

TABLE = "so it is\t-1.5\nso is it\t-2\nyes\t-0.5\n\t-3\n"


def manifest(*texts: str) -> str:
    return "".join(
        json.dumps({"audio_filepath": f"wav/u{at}.wav", "text": text}) + "\n" for at, text in enumerate(texts)
    )


@pytest.mark.parametrize(
    ("name", "options"),
    [("preds_out_width2_alpha1.0.tsv", {}), ("beams.tsv", {"beams": 2}), ("beams.tsv", {})],  # the last by the scores
)
def test_a_table_is_cut_into_lists_of_one_length(tmp_path: Path, name: str, options: dict[str, int]) -> None:
    (tmp_path / name).write_text(TABLE)
    data = read(tmp_path / name, **options)
    assert data.texts.to_pylist() == ["so it is", "so is it", "yes", ""]
    assert data.base.tolist() == [-1.5, -2, -0.5, -3]
    assert data.group_ids.to_pylist() == ["1", "2"]


def test_transcripts_say_how_many_lists_there_are(tmp_path: Path) -> None:
    (tmp_path / "beams.tsv").write_text(TABLE)
    (tmp_path / "manifest.json").write_text(manifest("so it is", "no"))
    data = read(tmp_path / "beams.tsv", references=tmp_path / "manifest.json")
    assert data.references.to_pylist() == [["so it is"], ["no"]]
    assert data.group_ids.to_pylist() == ["wav/u0.wav", "wav/u1.wav"]
    (tmp_path / "manifest.json").write_text(manifest("so it is", "no", "yes"))
    with pytest.raises(
        DataError, match=r"its 4 lines cannot be divided into lists of 1, .* for the 3 utterance\(s\) of manifest"
    ):
        read(tmp_path / "beams.tsv", references=tmp_path / "manifest.json")


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (
            TABLE + "no\t-4\n",
            {},
            "does not say where those of an utterance end; give --references MANIFEST or --with beams=N",
        ),
        (TABLE, {"beams": 3}, "its 4 lines cannot be divided into lists of 3, as they should be by the option beams"),
        (TABLE + "no tab\n", {"beams": 1}, "line 5: expected text, a tab and a score, found 'no tab'"),
        (TABLE + "x\tnan\n", {"beams": 1}, "line 5: expected a finite number for the score, found 'nan'"),
        (
            '{"audio_filepath": "a", "beams": [["x", "1"]]}',
            {},
            "line 1: expected a finite number for the score of a beam",
        ),
        ('{"audio_filepath": "a", "beams": [["x"]]}', {}, r"line 1: expected a beam as \[text, score\], found \['x'\]"),
        (
            '{"audio_filepath": "a", "beams": 3}',
            {},
            "line 1: expected an object with 'audio_filepath' and a list 'beams'",
        ),
    ],
)
def test_errors_name_file_and_line(tmp_path: Path, content: str, options: dict[str, int], message: str) -> None:
    (tmp_path / "beams").write_text(content)
    with pytest.raises(DataError, match=message):
        read(tmp_path / "beams", "nemo", **options)


def test_an_option_that_is_no_number(tmp_path: Path) -> None:
    (tmp_path / "beams").write_text(TABLE)
    with pytest.raises(UsageError, match="beams must be a whole number of at least 1; found 0"):
        read(tmp_path / "beams", "nemo", beams=0)
