"""Transcriptions as openai-whisper and faster-whisper write them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from runoff.errors import DataError, UsageError
from runoff.formats import read, recognise

if TYPE_CHECKING:
    from pathlib import Path


def segment(text: str, avg_logprob: object = -0.5, **more: object) -> dict[str, object]:
    return {"id": 0, "text": text, "tokens": [1, 2, 3], "avg_logprob": avg_logprob, "temperature": 0.2} | more


def written(path: Path, *segments: dict[str, object]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(str(each["text"]) for each in segments)
    path.write_text(json.dumps({"text": text, "segments": segments, "language": "en"}))
    return path


def test_the_base_score_is_the_mean_of_all_tokens(tmp_path: Path) -> None:
    path = written(tmp_path / "talk.json", segment(" So"), segment(" it is.", -1.0, tokens=list(range(11))))
    data = read(path)
    assert recognise(path).name == "whisper"
    assert data.texts.to_pylist() == ["So it is."]
    # Whisper's avg_logprob is the sum divided by the tokens and the end mark: 4 and 12 here
    assert data.base.tolist() == [(-0.5 * 4 - 1.0 * 12) / 16]
    columns = dict(
        zip(data.features.column_names().to_pylist(), data.features.to_scipy().toarray()[0].tolist(), strict=True)
    )
    assert columns == {"lowest avg_logprob": -1, "temperature": pytest.approx(0.2), "tokens": 14}


def test_folders_and_marks_of_runs(tmp_path: Path) -> None:
    for name in (
        "a/talk.json",
        "b/talk.json",
        "a/call.t0.0.json",
        "a/call_temp0.4.json",
        "a/call-run3.json",
        "a/part-2.json",
        "c/news/t0.0.json",
        "c/news/t0.2.json",
        "c/call.0.8.json",
    ):
        written(tmp_path / name, segment(f" {name}"))
    (tmp_path / "config.json").write_text("{}")
    data = read(tmp_path, "whisper")
    lists = {name: data[at].candidate_ids.to_pylist() for at, name in enumerate(data.group_ids.to_pylist())}
    assert lists == {
        "call": ["a/call-run3", "a/call.t0.0", "a/call_temp0.4", "c/call.0.8"],
        "news": ["c/news/t0.0", "c/news/t0.2"],
        "part-2": ["a/part-2"],  # a part of its own: nothing says that it is a run
        "talk": ["a/talk", "b/talk"],
    }
    assert data.notes == (f"1 JSON file(s) of {tmp_path} are no transcriptions and were left out.",)


def test_runs_of_one_audio_and_of_folders(tmp_path: Path) -> None:
    first, second = (
        written(tmp_path / "a" / "talk.json", segment(" a")),
        written(tmp_path / "b" / "other.json", segment(" b")),
    )
    assert read(first, runs=str(second)).sizes.tolist() == [2]
    assert read(tmp_path / "a", runs=[tmp_path / "b"]).sizes.tolist() == [1, 1]
    with pytest.raises(UsageError, match="runs must be files if the first is a file"):
        read(first, runs=tmp_path / "b")


def test_silence_has_the_lowest_score_of_its_list(tmp_path: Path) -> None:
    for run, segments in (("a", [segment(" x", -0.2)]), ("b", []), ("c", [segment(" y", -0.9)])):
        written(tmp_path / run / "talk.json", *segments)
    data = read(tmp_path)
    assert data.base.tolist() == [-0.2, -0.9, -0.9]
    assert data.texts.to_pylist() == ["x", "", "y"]
    assert "1 transcription(s) have no segments" in data.notes[0]


def test_segments_alone(tmp_path: Path) -> None:
    path = tmp_path / "talk.json"
    path.write_text(json.dumps([segment(" So"), segment(" it is.")]))
    assert recognise(path).name == "whisper"
    assert read(path).texts.to_pylist() == ["So it is."]


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (segment(" x", None), "expected a finite number for 'avg_logprob' of segment 2, found None"),
        (segment(" x", float("nan")), "expected a finite number for 'avg_logprob' of segment 2, found nan"),
        (segment(" x", no_speech_prob=True), "expected a finite number for 'no_speech_prob' of segment 2, found True"),
        ({"id": 3, "text": None}, "segment 2: expected an object with a 'text'"),
    ],
)
def test_errors_name_the_segment(tmp_path: Path, broken: dict[str, object], message: str) -> None:
    path = written(tmp_path / "talk.json", segment(" x"), broken)
    with pytest.raises(DataError, match=f"talk.json: .*{message}"):
        read(path)
