"""Files of indexes that were tampered with: a sentence each, whatever is in them."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson
import pytest

from fuzzing.archive_mutants import archive_mutant
from runoff.errors import ModelError
from runoff.opening.archive import write_archive
from runoff.opening.npy import read_npy
from runoff.tasks.answers.retrieval import PassageIndex

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def index_file(folder: Path) -> Path:
    path = folder.parent / "i"
    PassageIndex.build(folder, path)
    return path


def rewrite(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change members of an index; all checksums are right again."""
    with zipfile.ZipFile(path) as archive:
        members: dict[str, Any] = {
            name: orjson.loads(archive.read(name)) if name.endswith(".json") else read_npy(archive.read(name)).copy()
            for name in archive.namelist()
        }
    change(members)
    with write_archive(path, compressed=False) as out:
        for name, member in members.items():
            if name.endswith(".json"):
                out.add_json(name, member)
            else:
                out.add_array(name, member)


def setting(name: str, at: int, value: int) -> Callable[[dict[str, Any]], None]:
    def change(members: dict[str, Any]) -> None:
        members[f"segment-0/{name}.npy"][at] = value

    return change


def swapped(name: str, one: int, other: int) -> Callable[[dict[str, Any]], None]:
    def change(members: dict[str, Any]) -> None:
        array = members[f"segment-0/{name}.npy"]
        array[[one, other]] = array[[other, one]]

    return change


def replaced(name: str, change: Callable[[Any], Any]) -> Callable[[dict[str, Any]], None]:
    return lambda members: members.update({name: change(members[name])})


CHANGES = {
    "a passage that is not": (setting("passages", 3, 9), "the array passages has a number out of range"),
    "a passage before the first": (setting("passages", 3, -1), "the array passages has a number out of range"),
    "another passage": (setting("passages", 0, 7), "the postings are not those of the passages"),
    "places after the end": (setting("place_offsets", -1, 10**9), "the array place_offsets does not cut"),
    "an empty posting": (setting("place_offsets", 2, 1), "the array place_offsets does not cut"),
    "postings after the end": (setting("posting_offsets", -1, 10**6), "the array posting_offsets does not cut"),
    "a place outside": (setting("places", 0, 100), "the postings are not those of the passages"),
    "a place below zero": (setting("places", 0, -5), "the array places has a number out of range"),
    "a longer passage": (setting("lengths", 0, 1000), "the postings are not those of the passages"),
    "a line before the first": (setting("lines", 0, 0), "the array lines has a number out of range"),
    "files after the end": (setting("file_offsets", -1, 77), "the array file_offsets does not cut"),
    "a text after the end": (setting("texts_offsets", -1, 10**12), "texts_offsets does not cut texts into texts"),
    "no UTF-8": (setting("texts", 0, 255), "the array texts is not UTF-8"),
    "words in disorder": (swapped("words", 0, -1), "the array words is not in order"),
    "words of other numbers": (
        replaced("segment-0/words.npy", lambda array: array.astype(np.int32)),
        "the arrays of words are not of bytes and places",
    ),
    "an id too few": (
        replaced("segment-0/ids_offsets.npy", lambda array: np.delete(array, 1)),
        "the array ids does not have a text for every passage",
    ),
    "stamps in a row": (
        replaced("segment-0/stamps.npy", lambda array: array.ravel()),
        r"the array stamps has int64 of shape \(6,\); expected \(3, 2\)",
    ),
    "no numbers": (replaced("segment-0/lengths.npy", lambda array: array * 0.5), "the array lengths has float"),
    "a missing array": (lambda members: members.pop("segment-0/lines.npy"), "lines.npy is missing or damaged"),
    "a missing segment": (replaced("index.json", lambda found: {**found, "segments": 2}), "it has not the segments"),
    "no segment": (replaced("index.json", lambda found: {**found, "segments": 0}), "it has not the segments"),
    "notes that are no list": (replaced("index.json", lambda found: {**found, "notes": 3}), "its header is damaged"),
    "another stemmer": (
        replaced("index.json", lambda found: {**found, "settings": {"sentences": 1, "stemmer": "x"}}),
        "stemmer of an index must be one of porter, none; found 'x'",
    ),
    "a setting more": (
        replaced("index.json", lambda found: {**found, "settings": {"width": 1}}),
        "is not a Runoff index, or it is damaged",
    ),
    "another kind": (replaced("index.json", lambda found: {**found, "format": "runoff-grammar"}), "not a Runoff index"),
    "a later version": (replaced("index.json", lambda found: {**found, "version": 2}), "has version 2 of the index"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_tampered(index_file: Path, name: str) -> None:
    change, message = CHANGES[name]
    rewrite(index_file, change)
    with pytest.raises(ModelError, match=message):
        PassageIndex.open(index_file)


def test_what_is_no_index(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no index")
    for name, message in {"text": "is not a Runoff index", "nowhere": "cannot be read: no such file"}.items():
        with pytest.raises(ModelError, match=message):
            PassageIndex.open(tmp_path / name)
    with pytest.raises(ModelError, match="cannot be read: is a directory"):
        PassageIndex.open(tmp_path)


def test_mutants_are_opened_and_searched_or_refused(index_file: Path, tmp_path: Path) -> None:
    content = index_file.read_bytes()
    path = tmp_path / "mutant"
    refused = 0
    for seed in range(250):
        path.write_bytes(archive_mutant([content], seed))
        try:
            index = PassageIndex.open(path)
        except ModelError:
            refused += 1
            continue
        for hit in index.search("who built the golden bridge", 100) + index.relaxed_search([("golden gate", 1.0)]):
            index.passage(hit.passage)
    assert refused > 150
