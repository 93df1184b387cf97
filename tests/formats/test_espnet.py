"""Decode folders of ESPnet 2 and results of ESPnet 1; shapes as in `fixtures`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from runoff.errors import DataError, UsageError
from runoff.formats import read, recognise

if TYPE_CHECKING:
    from pathlib import Path

FIRST = {"text": "u1 SO IT IS\nu2 YES\n", "score": "u1 tensor(-1.5)\nu2 tensor(-0.25, device='cuda:0')\n"}
SECOND = {"text": "u1 SO IS IT\n", "score": "u1 -2.5\n"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for rank, files in ((1, FIRST), (2, SECOND), (10, SECOND)):
        place = tmp_path / "logdir" / "output.1" / f"{rank}best_recog"
        place.mkdir(parents=True)
        for name, content in files.items():
            (place / name).write_text(content)
    return tmp_path


def test_lists_in_the_order_of_the_folders(folder: Path) -> None:
    assert recognise(folder).name == "espnet"
    data = read(folder)
    assert data.group_ids.to_pylist() == ["u1", "u2"]
    assert data.sizes.tolist() == [3, 1]
    assert data.base.tolist() == [-1.5, -2.5, -2.5, -0.25]
    assert data.features.n_columns == 0  # without `token`


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "score",
            "u1 tensor(nan)\nu2 tensor(1)\n",
            "score, line 1: expected a finite number for the score, found 'nan'",
        ),
        ("score", "u1 tensor(-1.5\nu2 tensor(1)\n", "score, line 1: expected a finite number for the score"),
        ("score", "u1 tensor(1)\n", "score: there is no score of 'u2', which has a text"),
        ("text", "u1 A\nu1 B\n", "text, line 2: utterance 'u1' was there before, on line 1"),
    ],
)
def test_errors_name_file_and_line(folder: Path, name: str, content: str, message: str) -> None:
    (folder / "logdir" / "output.1" / "1best_recog" / name).write_text(content)
    with pytest.raises(DataError, match=message):
        read(folder)


def test_an_utterance_of_two_jobs(folder: Path) -> None:
    (folder / "logdir" / "output.2").mkdir()
    (folder / "logdir" / "output.1" / "10best_recog").rename(folder / "logdir" / "output.2" / "2best_recog")
    with pytest.raises(DataError, match=r"line 1: utterance 'u1' is also in .*output.1/2best_recog/text"):
        read(folder)


def test_a_file_instead_of_the_folder(folder: Path) -> None:
    with pytest.raises(UsageError, match="is a file; give the folder with 1best_recog"):
        read(folder / "logdir" / "output.1" / "1best_recog" / "text", "espnet")


def hypothesis(**changes: object) -> dict[str, object]:
    return {
        "rec_text": "\u2581so\u2581it<eos>",
        "rec_token": "\u2581so \u2581it <eos>",
        "score": -1.5,
        "text": "so it",
    } | changes


def test_results_of_espnet_1(tmp_path: Path) -> None:
    path = tmp_path / "data.json"
    path.write_text(json.dumps({"utts": {"u1": {"output": [hypothesis(), hypothesis(score=-2)]}}}))
    data = read(path)
    assert data.texts.to_pylist() == ["so it", "so it"]
    assert data.references.to_pylist() == [["so it"]]
    assert (data.base.tolist(), data.features.to_scipy().toarray().tolist()) == ([-1.5, -2], [[2], [2]])


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ([hypothesis(score="-1.5")], "expected a finite number for 'score' of utterance 'u1', found '-1.5'"),
        ([hypothesis(rec_text=None)], "expected a hypothesis with a text 'rec_text' in utterance 'u1'"),
        ([[hypothesis()]], "Lists of several speakers are not read"),
        (None, "expected a list for 'output' of utterance 'u1', found None"),
    ],
)
def test_errors_name_the_utterance(tmp_path: Path, output: object, message: str) -> None:
    path = tmp_path / "data.json"
    path.write_text(json.dumps({"utts": {"u1": {"output": output}}}))
    with pytest.raises(DataError, match=message):
        read(path, "espnet-json")
