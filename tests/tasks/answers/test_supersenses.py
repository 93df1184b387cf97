"""Supersenses: of WordNet itself, of a small WordNet, and of files that are not as they should be."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

import pytest

from runoff.errors import DataError, ModelError, UsageError
from runoff.opening.archive import open_archive, write_archive
from runoff.tasks.answers.supersenses import NOUN, VERB, Supersenses
from runoff.tasks.answers.supersenses_file import load_supersenses
from runoff.tasks.answers.wordnet_files import LEXICOGRAPHERS, WordNetFiles

if TYPE_CHECKING:
    from pathlib import Path

LICENCE = "  1 This software and database is being provided to you, the LICENSEE, by  \n"
# Lines in the layout of wndb(5WN): three nouns below each other, one verb with two senses.
INDEX = "cat n 2 1 @ 2 1 00000200 00000300\nanimal n 1 1 ~ 1 1 00000100\ngossip n 1 1 @ 1 0 00000300\n"
DATA = (
    "00000100 05 n 01 animal 0 001 ~ 00000200 n 0000 | a living being\n"
    "00000200 05 n 02 cat 0 true_cat 0 001 @ 00000100 n 0000 | a feline | not a dog\n"
    "00000300 18 n 02 gossip 0 cat 1 000 | a spiteful woman\n"
)
VERB_INDEX = "run v 1 0 1 0 00000400\n"
VERB_DATA = "00000400 38 v 01 run 0 000 01 + 02 00 | move fast\n"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    folder = tmp_path / "wordnet"
    folder.mkdir()
    for name, text in {
        "index.noun": LICENCE + INDEX,
        "data.noun": LICENCE + DATA,
        "noun.exc": "catz cat\n",
        "index.verb": VERB_INDEX,
        "data.verb": VERB_DATA,
        "verb.exc": "ran run\n",
    }.items():
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize(
    ("word", "tag", "expected"),
    [
        # Looked up by hand in WordNet 3.0: the first place in index.*, and the second number there in data.*.
        ("dog", "NN", "noun.animal"),
        ("geese", "NNS", "noun.animal"),
        ("men", "NNS", "noun.person"),
        ("cities", "NNS", "noun.location"),
        ("year", "NN", "noun.time"),
        ("New York", "NNP", "noun.location"),
        ("boxesful", "NNS", "noun.quantity"),
        ("was", "VBD", "verb.stative"),
        ("running", "VBG", "verb.motion"),
        ("tried", "VBD", "verb.social"),
        ("killed", "VERB", "verb.contact"),
        ("quickly", "RB", None),
        ("xyzzy", "NN", None),
    ],
)
def test_first_senses_of_wordnet(word: str, tag: str, expected: str | None) -> None:
    assert Supersenses.shipped().of(word, tag) == expected


def test_the_table_that_ships_has_every_noun_and_verb() -> None:
    # The numbers of strings that wnstats(7WN) of WordNet 3.0 gives.
    senses = Supersenses.shipped()
    assert len(senses.tables[NOUN].words) == 117_798
    assert len(senses.tables[VERB].words) == 11_529


def test_hypernyms_of_dog() -> None:
    # The path through canine.n.02 that NLTK's guide to its corpus reader of WordNet 3.0 shows.
    assert Supersenses.shipped().hypernyms("dogs", "NNS") == (
        "dog.n.01",
        "canine.n.02",
        "carnivore.n.01",
        "placental.n.01",
        "mammal.n.01",
        "vertebrate.n.01",
        "chordate.n.01",
        "animal.n.01",
        "organism.n.01",
        "living_thing.n.01",
        "whole.n.02",
        "object.n.01",
        "physical_entity.n.01",
        "entity.n.01",
    )


def test_the_licence_stands_beside_the_table_which_is_small() -> None:
    folder = files("runoff.tasks.answers") / "wordnet"
    assert "WordNet 3.0 Copyright 2006 by Princeton University" in (folder / "LICENCE.txt").read_text()
    assert len((folder / "supersenses.runoff").read_bytes()) < 1_000_000


def test_a_folder_of_another_wordnet(small: Path) -> None:
    senses = Supersenses.from_wordnet(small)
    assert [senses.of(word, "NN") for word in ("cats", "catz", "gossip", "dog")] == [
        "noun.animal",
        "noun.animal",
        "noun.person",
        None,
    ]
    assert senses.of("ran", "VBD") == "verb.motion"
    assert senses.hypernyms("cat", "NN") == ("animal.n.01",)


def test_what_is_saved_says_the_same(small: Path, tmp_path: Path) -> None:
    senses = Supersenses.from_wordnet(small)
    senses.save(tmp_path / "a.runoff")
    again = load_supersenses(tmp_path / "a.runoff")
    for kind in (NOUN, VERB):
        assert vars(again.tables[kind]) == vars(senses.tables[kind])


def test_verbs_that_are_above_each_other(small: Path) -> None:
    # restrain.v.01 and inhibit.v.04 of WordNet 3.0.
    (small / "index.verb").write_text("inhibit v 1 1 @ 1 0 00000500\nrestrain v 1 1 @ 1 0 00000600\n")
    (small / "data.verb").write_text(
        "00000500 41 v 01 inhibit 0 001 @ 00000600 v 0000 | a\n00000600 41 v 01 restrain 0 001 @ 00000500 v 0000 | b\n"
    )
    assert Supersenses.from_wordnet(small).hypernyms("inhibit", "VB") == ("inhibit.v.01",)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("index.noun", LICENCE + "cat n two 1 @ 2 1 00000200\n", "line 2: expected a line as wndb"),
        ("index.noun", "cat n 2 1 @ 2 1 00000200\n", "line 1: expected a line as wndb"),
        ("data.noun", "00000100 99 n 01 animal 0 000 | x\n", "line 1: expected a line as wndb"),
        ("index.noun", INDEX + "dog n 1 0 1 0 00000999\n", "synset 00000999 is not in the data"),
        ("noun.exc", "catz\n", "line 1: expected a line as wndb"),
    ],
)
def test_lines_that_are_not_as_they_should_be(small: Path, name: str, text: str, said: str) -> None:
    (small / name).write_text(text)
    with pytest.raises(DataError, match=said):
        Supersenses.from_wordnet(small)


def test_bytes_that_are_no_text(small: Path) -> None:
    (small / "noun.exc").write_bytes(b"\xff\xfe\n")
    with pytest.raises(DataError, match="not text in UTF-8"):
        Supersenses.from_wordnet(small)


def test_a_folder_that_is_none_and_a_file_that_is_missing(small: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is no folder"):
        Supersenses.from_wordnet(tmp_path / "nowhere")
    (small / "noun.exc").unlink()
    with pytest.raises(UsageError, match=r"noun\.exc cannot be read: no such file"):
        WordNetFiles(small, "noun")


@pytest.mark.parametrize("array", ["lexicographers", "closest", "parents"])
@pytest.mark.parametrize("value", [-7, 10_000])
def test_tampered_numbers(small: Path, tmp_path: Path, array: str, value: int) -> None:
    Supersenses.from_wordnet(small).save(tmp_path / "a.runoff")
    with open_archive(tmp_path / "a.runoff") as archive, write_archive(tmp_path / "b.runoff") as writer:
        for name in sorted(archive.names):
            if name.endswith(".json"):
                writer.add_json(name, archive.json(name))
            elif name.endswith(".arrow"):
                writer.add_table(name, archive.table(name))
            else:
                values = archive.array(name).copy()
                if name == f"noun/{array}.npy":
                    values[0] = value
                writer.add_array(name, values)
    with pytest.raises(ModelError, match="not a Runoff table of supersenses, or it is damaged"):
        load_supersenses(tmp_path / "b.runoff")


def test_another_file_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("words")
    with pytest.raises(ModelError, match="not a Runoff table of supersenses"):
        load_supersenses(tmp_path / "a.txt")


def test_the_numbers_of_lexicographers() -> None:
    # lexnames(5WN)
    assert [LEXICOGRAPHERS[number] for number in (3, 5, 18, 28, 29, 43, 44)] == [
        "noun.Tops",
        "noun.animal",
        "noun.person",
        "noun.time",
        "verb.body",
        "verb.weather",
        "adj.ppl",
    ]
