"""Grammars on disk: the same lists again, the same bytes, and sentences about files that are none."""

from __future__ import annotations

import io
import json
import pickle
import random
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from runoff.errors import ModelError
from runoff.tasks.parsing.brackets import parse_tree
from runoff.tasks.parsing.grammar import VERSION, Grammar, Settings, load_grammar, train_grammar

if TYPE_CHECKING:
    from pathlib import Path

TREES = [
    "(S (NP (DT the) (NN dog)) (VP (VBD saw) (NP (DT a) (NN cat))) (. .))",
    "(S (NP (NP (DT the) (NN dog)) (PP (IN of) (NP (NN man)))) (VP (VBD saw) (NP (NN man))))",
    "(S (NP (NN Straße)) (VP (VBD was) (VP (VBN seen) (PP (IN in) (NP (NN saw))))))",
    "(S (VP (VB saw) (NP (DT the) (NN man)) (PP (IN in) (NP (DT a) (NN cat)))))",
]
SENTENCES = ["the dog of man saw the cat .", "Straße saw", "unseen words walked 7 %", "saw", "the the the"]


def grammar_of(**choices: Any) -> Grammar:
    return train_grammar(map(parse_tree, TREES), Settings(**{"rare": 2, **choices}))


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "a.grammar"
    grammar_of().save(path)
    return path


def changed(path: Path, name: str, content: bytes | None) -> Path:
    """The same file with one member replaced, or without it."""
    with zipfile.ZipFile(path) as archive:
        members = {each: archive.read(each) for each in archive.namelist()}
    members.pop(name)
    if content is not None:
        members[name] = content
    with zipfile.ZipFile(path, "w") as archive:
        for each, held in members.items():
            archive.writestr(each, held)
    return path


def header_of(path: Path) -> dict[str, Any]:
    with zipfile.ZipFile(path) as archive:
        found: dict[str, Any] = json.loads(archive.read("grammar.json"))
    return found


@pytest.mark.parametrize("lexical", [True, False])
@pytest.mark.parametrize("vertical", [1, 2])
def test_the_same_lists_as_before(tmp_path: Path, lexical: bool, vertical: int) -> None:
    grammar = grammar_of(lexical=lexical, vertical=vertical)
    grammar.save(tmp_path / "a")
    loaded = load_grammar(tmp_path / "a")
    assert loaded.settings == grammar.settings
    assert loaded.provenance == grammar.provenance == {"sentences": 4, "words": 23}
    assert loaded.describe() == grammar.describe()
    for text in SENTENCES:
        assert loaded.nbest(text.split(), 100) == grammar.nbest(text.split(), 100)  # every score to the last bit
    for text in TREES:
        assert loaded.log_probability(parse_tree(text)) == grammar.log_probability(parse_tree(text))


def test_the_same_bytes_again(saved: Path, tmp_path: Path) -> None:
    grammar_of().save(tmp_path / "b")
    load_grammar(saved).save(tmp_path / "c")
    assert saved.read_bytes() == (tmp_path / "b").read_bytes() == (tmp_path / "c").read_bytes()


def test_a_file_is_replaced_and_nothing_else_is_left(saved: Path) -> None:
    saved.write_text("not a grammar")
    grammar_of().save(str(saved))
    assert load_grammar(str(saved)).nbest(["saw"]).trees
    assert [each.name for each in saved.parent.iterdir()] == [saved.name]


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"none cannot be read: no such file or directory\."):
        load_grammar(tmp_path / "none")
    with pytest.raises(ModelError, match="cannot be read: "):
        load_grammar(tmp_path)


@pytest.mark.parametrize("content", [b"", b"(S (NP (NN a)))", b"PK\x03\x04", b"PK\x05\x06" + bytes(18), bytes(5000)])
def test_files_that_are_something_else(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(ModelError, match="is not a Runoff grammar"):
        load_grammar(path)


@pytest.mark.parametrize("header", [b"{}", b"[]", b"null", b'{"format": "runoff-model", "version": 1}'])
def test_a_zip_file_of_something_else(saved: Path, header: bytes) -> None:
    with pytest.raises(ModelError, match="is not a Runoff grammar; `runoff parse train` trains one"):
        load_grammar(changed(saved, "grammar.json", header))


def test_a_zip_file_of_other_files(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(ModelError, match="is not a Runoff grammar; "):
        load_grammar(tmp_path / "other.zip")


@pytest.mark.parametrize("version", [VERSION + 1, 0, "1", None])
def test_another_version(saved: Path, version: object) -> None:
    header = {**header_of(saved), "version": version, "runoff": "9.9"}
    message = (
        rf"has version {version} of the grammar format \(written by Runoff 9.9\); this Runoff reads version {VERSION}"
    )
    with pytest.raises(ModelError, match=message):
        load_grammar(changed(saved, "grammar.json", json.dumps(header).encode()))


@pytest.mark.parametrize(
    "key", ["version", "settings", "symbols", "classes", "tags", "rare_words", "goals", "provenance"]
)
def test_a_header_without_something(saved: Path, key: str) -> None:
    header = header_of(saved)
    del header[key]
    with pytest.raises(ModelError, match="is not a Runoff grammar, or it is damaged"):
        load_grammar(changed(saved, "grammar.json", json.dumps(header).encode()))


@pytest.mark.parametrize("key", ["settings", "symbols", "tags", "rare_words", "goals"])
@pytest.mark.parametrize("value", [None, 3, "text", [1], {"a": 1}])
def test_a_header_with_something_else(saved: Path, key: str, value: object) -> None:
    header = {**header_of(saved), key: value}
    with pytest.raises(ModelError, match="is not a Runoff grammar, or it is damaged"):
        load_grammar(changed(saved, "grammar.json", json.dumps(header).encode()))


def test_settings_that_cannot_be(saved: Path) -> None:
    header = header_of(saved)
    header["settings"]["vertical"] = 7
    with pytest.raises(ModelError, match="is not a Runoff grammar, or it is damaged"):
        load_grammar(changed(saved, "grammar.json", json.dumps(header).encode()))


def test_every_array_must_be_there(saved: Path) -> None:
    content = saved.read_bytes()
    with zipfile.ZipFile(saved) as archive:
        names = [name for name in archive.namelist() if name.endswith(".npy")]
    assert len(names) > 20
    for name in names:
        saved.write_bytes(content)
        with pytest.raises(ModelError, match="is not a Runoff grammar, or it is damaged"):
            load_grammar(changed(saved, name, None))


def test_truncated_anywhere(saved: Path) -> None:
    content = saved.read_bytes()
    for length in [*range(0, len(content), max(1, len(content) // 60)), len(content) - 1]:
        saved.write_bytes(content[:length])
        with pytest.raises(ModelError, match="is not a Runoff grammar"):
            load_grammar(saved)


def test_a_byte_wrong_anywhere(saved: Path) -> None:
    # Whatever is wrong: a sentence, or the grammar as it was (some bytes of a zip file mean nothing).
    content = saved.read_bytes()
    expected = load_grammar(saved).nbest(["saw", "the", "cat"], 20)
    rng = random.Random(0)
    refused = 0
    for _ in range(400):
        damaged = bytearray(content)
        damaged[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        saved.write_bytes(damaged)
        try:
            loaded = load_grammar(saved)
        except ModelError:
            refused += 1
        else:
            assert loaded.nbest(["saw", "the", "cat"], 20) == expected
    assert refused > 200


class Bomb:
    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return (print, ("this must never run",))


def test_nothing_is_unpickled(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    held = io.BytesIO()
    np.save(held, np.array([Bomb()], dtype=object), allow_pickle=True)
    capsys.readouterr()
    for content in (held.getvalue(), pickle.dumps(Bomb())):
        with pytest.raises(ModelError, match="damaged"):
            load_grammar(changed(saved, "class_of.npy", content))
    assert capsys.readouterr().out == ""


def test_there_is_nothing_but_numbers_and_json(saved: Path) -> None:
    with zipfile.ZipFile(saved) as archive:
        for name in archive.namelist():
            if name == "grammar.json":
                json.loads(archive.read(name))
                continue
            array = np.load(io.BytesIO(archive.read(name)), allow_pickle=False)
            assert array.dtype.kind in "iuf"
