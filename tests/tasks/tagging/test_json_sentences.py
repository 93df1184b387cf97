"""Sentences as JSON lines, in and out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings

from helpers.corpora import content, corpora
from runoff.errors import DataError, UsageError
from runoff.tasks.tagging import Corpus
from runoff.tasks.tagging.json_sentences import read_json_sentences, write_json_sentences

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TEXT = """\
{"id": "a", "document": 7, "tokens": ["It", "is"], "tags": ["O", "O"], "pos": ["PRP", "VBZ"], "more": ["x"], "n": 1}

{"id": 2, "document": "d", "tokens": [], "tags": [], "pos": []}
{"pos": ["UH"], "tokens": ["Yes\\u00e9"], "id": "c", "document": "d", "tags": [3]}
"""


def test_sentences(file: Callable[..., Path]) -> None:
    notes: list[str] = []
    for text in (TEXT, "\ufeff" + TEXT.rstrip("\n"), TEXT.replace("\n", "\r\n")):
        corpus = read_json_sentences(file(text), notes=notes)
        assert content(corpus) == {
            "columns": {"word": ["It", "is", "Yesé"], "tag": ["O", "O", "3"], "pos": ["PRP", "VBZ", "UH"]},
            "offsets": [0, 2, 2, 3],
            "ids": ("a", "2", "c"),
            "documents": ("7", "d", "d"),
        }
    assert notes[0] == "Keys that hold no column were left out: more (1 sentence), n (1 sentence)."


def test_other_keys(file: Callable[..., Path]) -> None:
    path = file('{"w": ["a"], "ner": ["O"], "name": "s1", "tags": ["x"]}\n')
    corpus = read_json_sentences(path, {"word": "w", "tag": "ner", "id": "name"})
    assert content(corpus)["columns"] == {"word": ["a"], "tag": ["O"], "tags": ["x"]}
    assert corpus.ids == ("s1",)
    with pytest.raises(DataError, match="expected a list of texts under the key 'chunk', found no such key"):
        read_json_sentences(path, {"word": "w", "tag": "chunk"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("[1]\n", "line 1: expected an object with a list of words"),
        ("{}\n", "under the key 'words' or 'tokens', found only an empty object"),
        ('{"words": "a b"}\n', "expected a list of texts under the key 'words', found 'a b'"),
        ('{"words": ["a", null]}\n', "expected texts in 'words', found None"),
        ('{"words": ["a"], "tags": ["O"]}\n{"words": ["a"], "tags": []}\n', "line 2: expected 1 entries in 'tags'"),
        (
            '{"words": ["a"], "tags": ["O"]}\n{"words": ["a"]}\n',
            "line 2: expected a list of texts under",
        ),
        ('{"words": ["a"], "id": 1}\n{"words": ["a"]}\n', "line 2: expected 'id' in every sentence or in none"),
        ('{"words": ["a"]}\n{"words": ["a"], "id": 1}\n', "line 2: expected 'id' in every sentence or in none"),
        ('{"words": ["a"], "id": [1]}\n', "for 'id', found"),
        ('{"words": ["a"\n', "line 1: the line is not JSON"),
        ('{"words": ["\\ud800"]}\n', "whole Unicode characters"),
        ("[" * 100_000, "nested too deeply|not JSON"),
    ],
)
def test_files_that_are_wrong(file: Callable[..., Path], text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_json_sentences(file(text))


@pytest.mark.parametrize("names", [("word",), ("word", "tag"), ("pos", "word", "tag")])
def test_round_trips(tmp_path_factory: pytest.TempPathFactory, names: tuple[str, ...]) -> None:
    path = tmp_path_factory.mktemp("round") / "corpus.jsonl.gz"

    @settings(deadline=None)
    @given(corpora(names))
    def check(corpus: Corpus) -> None:
        write_json_sentences(corpus, path)
        assert content(read_json_sentences(path)) == content(corpus)
        keys = {"word": "form", "tag": "label", "id": "name", "document": "doc"}
        write_json_sentences(corpus, path, keys)
        used = {name: key for name, key in keys.items() if name not in ("tag",) or "tag" in names}
        assert content(read_json_sentences(path, used)) == content(corpus)

    check()


def test_what_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="keys of a sentence must differ"):
        write_json_sentences(Corpus.of({"word": ["a"], "tag": ["O"], "tags": ["O"]}, [1]), tmp_path / "a.jsonl")
    with pytest.raises(UsageError, match="its words must be there"):
        write_json_sentences(Corpus.of({"tag": ["O"]}, [1]), tmp_path / "a.jsonl")
