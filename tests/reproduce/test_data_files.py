"""What is looked for in a folder, and what is said where it is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from runoff.errors import DataError
from runoff.reproduce.data_files import files_in, fingerprint, one_split, splits_in, train_command

if TYPE_CHECKING:
    from pathlib import Path


def touch(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)


def test_parts_are_found_by_words_of_their_names(tmp_path: Path) -> None:
    touch(
        tmp_path,
        "wsj.train.bllip50.jsonl.gz",
        "wsj.val.bllip50.jsonl.gz",
        "wsj-test_2.jsonl",
        "training.txt",
        ".wsj.dev",
    )
    name, files = one_split(tmp_path, "lists")
    assert name == "wsj"
    assert {part: path.name for part, path in files.items()} == {
        "train": "wsj.train.bllip50.jsonl.gz",
        "dev": "wsj.val.bllip50.jsonl.gz",
        "test": "wsj-test_2.jsonl",
    }


def test_bare_names_are_called_by_their_folder(tmp_path: Path) -> None:
    touch(tmp_path / "own", "train.jsonl", "dev.jsonl", "test.jsonl")
    assert set(next(iter(splits_in(tmp_path / "own", {"train": ("train",)}).values()))) == {"train"}
    assert set(one_split(tmp_path, "lists")[1]) == {"train", "dev", "test"}


def test_what_was_looked_for_is_said(tmp_path: Path) -> None:
    touch(tmp_path, "a.train.x", "a.test.x")
    with pytest.raises(DataError, match=r"expected lists in 3 files .* train, dev \(or val\) and test"):
        one_split(tmp_path, "lists")
    assert set(one_split(tmp_path, "lists", ("train", "test"))[1]) == {"train", "test"}
    touch(tmp_path, "a.dev.x", "b.train.x", "b.dev.x", "b.test.x")
    with pytest.raises(DataError, match="found 2: a, b"):
        one_split(tmp_path, "lists")


def test_a_fingerprint_is_of_the_content(tmp_path: Path) -> None:
    touch(tmp_path, "a", "b")
    before = fingerprint(files_in(tmp_path))
    assert before == fingerprint(files_in(tmp_path))
    (tmp_path / "b").write_text("other")
    assert before != fingerprint(files_in(tmp_path))
    with pytest.raises(DataError, match="cannot be read"):
        fingerprint([tmp_path / "c"])


def test_commands_say_what_was_set() -> None:
    told = train_command("a", "b", "crf", {"objective": "kl", "rate": [0.5, 0.1], "average": False}, "m", "map")
    assert told == (
        "runoff train a --dev b --learner crf --metric map --set objective=kl --set 'rate=[0.5,0.1]' "
        "--set average=false -o m"
    )
