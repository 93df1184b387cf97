"""Recogniser lists, as an array or as lines."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from runoff import formats
from runoff.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.nbest import NBest

LISTS = [
    {"input": ["it is", "it was"], "output": "it is", "input1": "it is."},
    {"input": ["yes"], "output": "no", "id": "u2"},
]


def read(tmp_path: Path, content: str) -> NBest:
    path = tmp_path / "lists.json"
    path.write_text(content)
    return formats.read(path)


@pytest.mark.parametrize("as_lines", [False, True])
def test_texts_and_references_are_read(tmp_path, as_lines):
    data = read(tmp_path, "\n".join(map(json.dumps, LISTS)) if as_lines else json.dumps(LISTS, indent=1))
    assert data.texts.to_pylist() == ["it is", "it was", "yes"]
    assert data.references.to_pylist() == [["it is"], ["no"]]
    assert data.group_ids.to_pylist() == ["1", "u2"]
    assert data.offsets.tolist() == [0, 2, 3]
    assert (data.base, data.quality, data.metric) == (None, None, "wer")
    assert data.notes == ("Keys that Runoff does not use were left out: input1 (1 group).",)


def test_scores_are_the_first_round(tmp_path):
    data = read(tmp_path, '[{"input": ["a", "b"], "scores": [-1, -2.5]}]')
    assert data.base.tolist() == [-1.0, -2.5]
    assert data.references is None


def test_an_element_without_hypotheses_is_an_empty_group(tmp_path):
    data = read(tmp_path, '[{"input": ["a"], "output": "a"}, {"input": [], "output": "b"}]')
    assert data.sizes.tolist() == [1, 0]
    assert data.notes == ("Groups without candidates: 1 (the first is '2').",)


WRONG = {
    "hypothesis": ('[{"input": ["a"]}, {"input": ["a", 3]}]', "element 2: expected text for hypothesis 2, found 3."),
    "input": ('[{"input": ["a"]}, {"input": "a"}]', "element 2: expected a list of hypotheses for 'input', found 'a'."),
    "no input": ('[{"input": ["a"]}, {"output": "a"}]', "element 2: there is no 'input'"),
    "output": ('[{"input": ["a"], "output": ["a"]}]', "element 1: expected text for 'output', found ['a']."),
    "scores": (
        '[{"input": ["a", "b"], "scores": [1]}]',
        "element 1: expected 2 numbers for 'scores', one per hypothesis",
    ),
    "score": ('[{"input": ["a"], "scores": ["x"]}]', "element 1: expected a finite number for 'base' of candidate 1"),
    "some scores": (
        '[{"input": ["a"], "scores": [1]}, {"input": ["b"]}]',
        "element 2: candidate 1 of group '2' has no 'base'",
    ),
    "element": ('[{"input": ["a"]}, 3]', "element 2: expected an object with the keys 'input' and 'output', found 3."),
    "same ids": (
        '[{"id": 1, "input": ["a"]}, {"id": 1, "input": ["a"]}]',
        "element 2: the group id '1' was used before, in element 1",
    ),
    "cut": ('[{"input": ["a"]}, {"inp', "the file is not JSON ("),
    "cut between": ('[{"input": ["a"]},', "the file is not JSON ("),
    "line": ('{"input": ["a"]}\n{"input": 3}', "line 2: expected a list of hypotheses for 'input', found 3."),
}


@pytest.mark.parametrize(("content", "message"), WRONG.values(), ids=WRONG)
def test_mistakes_are_named_with_their_place(tmp_path, content, message):
    with pytest.raises(DataError) as caught:
        read(tmp_path, content)
    assert str(caught.value).startswith(str(tmp_path / "lists.json"))
    assert message in str(caught.value)


@pytest.mark.parametrize("content", ["", "[]", "{}", "3"])
def test_files_without_lists_are_named(tmp_path, content):
    path = tmp_path / "lists.json"
    path.write_text(content)
    with pytest.raises(DataError, match=r"lists\.json"):
        formats.read(path, format="hypotheses")


def test_real_lists_are_what_the_json_module_finds(shared_data):
    paths = [
        path for path in sorted(shared_data.glob("speech/*.json.gz")) if formats.recognise(path).name == "hypotheses"
    ]
    if not paths:
        pytest.skip(f"there are no recogniser lists under {shared_data}")
    for path in paths:
        data = formats.read(path)
        with gzip.open(path) as stream:
            elements = json.load(stream)
        assert data.texts.to_pylist() == [text for element in elements for text in element["input"]]
        assert data.references.to_pylist() == [[element["output"]] for element in elements]
        assert data.sizes.tolist() == [len(element["input"]) for element in elements]


def test_transcripts_from_another_file(tmp_path):
    (tmp_path / "lists.json").write_text('{"id": "a", "input": ["x y", "x"]}\n{"id": "b", "input": ["z"]}\n')
    (tmp_path / "ref.trn").write_text("x (a)\nz (b)\n")
    data = formats.read(tmp_path / "lists.json", references=tmp_path / "ref.trn")
    assert data.references.to_pylist() == [["x"], ["z"]]
