"""Transcripts in the forms of NIST's scoring tools, Kaldi and NeMo: every form must say the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.tool_files import FIXTURES
from runoff.errors import DataError
from runoff.formats.transcripts import transcripts, with_transcripts
from runoff.nbest import NBest

STM = """\
;; a comment
talk A ann 1.20 3.45 <o,f0,female> so { it / this } is
talk A ann 5 6.5 IGNORE_TIME_SEGMENT_IN_SCORING
talk A bob 0.00 1.1 (uh) yes
"""
CTM = """\
talk A 0.50 0.2 it 0.9
talk A 0.10 0.2 so 0.9
talk A * * <ALT_BEGIN>
talk A 0.80 0.2 is
talk A * * <ALT>
talk A 0.80 0.2 was
talk A * * <ALT_END>
call A 0.00 0.2 yes
"""


def lists(*names: str) -> NBest:
    return NBest.from_records([{"id": name, "candidates": ["x"]} for name in names])


@pytest.mark.parametrize("name", ["ref.trn", "ref.stm", "ref.ctm", "manifest.json"])
@pytest.mark.parametrize("ending", [True, False])
def test_all_forms_say_the_same(name: str, ending: bool, tmp_path: Path) -> None:
    path = FIXTURES / "references" / name
    if not ending:
        (tmp_path / "transcripts").write_bytes(path.read_bytes())
        path = tmp_path / "transcripts"
    expected = transcripts(FIXTURES / "references" / "text").texts
    found = transcripts(path)
    assert {each: found.find(each) for each in expected} == expected


def test_segments_are_joined_and_found(tmp_path: Path) -> None:
    (tmp_path / "ref.stm").write_text(STM)
    found = transcripts(tmp_path / "ref.stm")
    assert found.find("talk") == "uh yes so it is"
    assert found.find("talk-0000120-0000345") == "so it is"
    assert found.find("audio/talk.flac") == "uh yes so it is"
    assert found.find("other") is None
    assert found.notes == [
        "ref.stm: 1 segment(s) that are not to be scored were left out.",
        "ref.stm: in 2 transcript(s) the first alternative was taken; optional words count like others.",
    ]


def test_words_are_joined_in_the_order_of_time(tmp_path: Path) -> None:
    (tmp_path / "ref.ctm").write_text(CTM)
    found = transcripts(tmp_path / "ref.ctm")
    assert found.texts == {"talk": "so it is", "call": "yes"}
    assert found.notes == ["ref.ctm: 1 word(s) of further alternatives were left out."]


def test_lists_without_a_transcript_are_counted(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("a so it is\nb\n")
    data = with_transcripts(lists("a", "b", "c"), tmp_path / "text", Path("lists"))
    assert data.references.to_pylist() == [["so it is"], [""], None]
    assert data.notes[-1] == "1 list(s) have no transcript in text (the first is 'c')."
    with pytest.raises(
        DataError, match=r"no transcript of any list of lists: ids are like 'a' here and like 'd' there"
    ):
        with_transcripts(lists("d"), tmp_path / "text", Path("lists"))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("text", "a x\na y\n", "text, line 2: there is a second transcript of 'a'"),
        ("ref.trn", "x (a)\ny\n", r"ref.trn, line 2: expected words and an id in brackets, found 'y'"),
        ("ref.stm", "a A s 0.5 nan x\n", "ref.stm, line 1: expected a finite number for the end, found 'nan'"),
        ("ref.stm", "a A s 2 1 x\n", "ref.stm, line 1: a segment cannot last from 2 to 1 s"),
        ("ref.stm", "a A s 1\n", "ref.stm, line 1: expected `recording channel speaker begin end <labels> words`"),
        ("ref.ctm", "a A 1\n", "ref.ctm, line 1: expected `recording channel begin duration word`, found 'a A 1'"),
        ("ref.ctm", "a A inf 1 x\n", "ref.ctm, line 1: expected a finite number for the begin, found 'inf'"),
        (
            "manifest",
            '{"audio_filepath": "a"}\n',
            "manifest, line 1: expected an object with the texts 'audio_filepath'",
        ),
        ("text", ";; nothing\n", "text: the file has no transcripts"),
        ("text", "", "text: the file has no transcripts"),
    ],
)
def test_errors_name_file_and_line(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(DataError, match=message):
        transcripts(tmp_path / name)
