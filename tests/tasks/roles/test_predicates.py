"""Finders of predicates: what they learn, keep and refuse."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import orjson
import pyarrow as pa
import pytest

from helpers.annotated_sentences import bare, sentence, sentences
from helpers.mutations import mutants
from helpers.role_sentences import contents
from runoff.errors import DataError, ModelError, UsageError
from runoff.opening.archive import write_archive
from runoff.tasks.roles.lemmas import Lemmas, stems, word_class
from runoff.tasks.roles.predicate_file import load_finder
from runoff.tasks.roles.predicate_scores import evaluate_predicates
from runoff.tasks.roles.predicates import PredicateFinder, is_proper, train_finder
from runoff.tasks.roles.propositions import Proposition, RoleSentence
from runoff.tasks.tagging.tagger_members import add_tagger

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@cache
def finder() -> PredicateFinder:
    return train_finder(sentences())


def without_roles(given: list[RoleSentence]) -> list[RoleSentence]:
    return [each.with_propositions([]) for each in given]


# ---------------------------------------------------------------- lemmas


@pytest.mark.parametrize(
    ("word", "lemma"),
    [
        ("tries", "try"),
        ("walks", "walk"),
        ("passes", "pass"),
        ("watches", "watch"),
        ("goes", "go"),
        ("tried", "try"),
        ("walked", "walk"),
        ("baked", "bake"),
        ("planned", "plan"),
        ("filled", "fill"),
        ("created", "create"),
        ("running", "run"),
        ("dancing", "dance"),
        ("handling", "handle"),
        ("visiting", "visit"),
        ("argued", "argue"),
        ("pass", "pass"),
        ("sing", "sing"),
        ("bed", "bed"),
        ("is", "is"),
    ],
)
def test_endings_of_words(word: str, lemma: str) -> None:
    assert stems(word)[0] == lemma
    assert stems(word)[-1] == word


def test_lemmas_of_training_come_first() -> None:
    seen = [
        ("Left", "VBD", "leave", "leave.01"),
        ("left", "VBN", "leave", "leave.02"),
        ("leaves", "VBZ", "leave", "leave.02"),
    ]
    seen += [("correction", "NN", "correct", "correct.01"), ("donate", "VB", "donate", None)]
    lemmas = Lemmas.learn(seen)
    assert lemmas.rolesets == {"leave": "leave.02", "correct": "correct.01"}
    assert lemmas.of("LEFT", "VBD") == "leave"
    assert lemmas.of("left", "XX") == "leave"  # a tag that was not seen with it
    assert lemmas.of("corrections", "NNS") == "correct"  # by its singular
    assert lemmas.of("donation", "NN") == "donate"  # by a verb that is known
    assert lemmas.of("nation", "NN") == "nation"
    assert lemmas.of("zipped", "VBD") == "zip"
    assert lemmas.of("wedding", "NN") == "wedding"
    assert lemmas.of("houses", "NNS") == "house"


def test_classes_of_words() -> None:
    tags = {"VBZ": "V", "AUX": "V", "NNPS": "N", "PROPN": "N", "JJ": "J", "ADJ": "J", "MD": "", "": ""}
    assert {tag: word_class(tag) for tag in tags} == tags


# ---------------------------------------------------------------- finders


def test_a_finder_knows_its_sentences_and_new_ones() -> None:
    new = sentence("The", "cat", "knew", "he", "slept")
    found = finder().find(without_roles([*sentences(), new]))
    assert evaluate_predicates([*sentences(), new], found).to_dict() == {
        "gold": 110,
        "found": 110,
        "correct": 110,
        "lemmas": 110,
        "rolesets": 110,
        "precision": 100.0,
        "recall": 100.0,
        "f1": 100.0,
    }
    assert found[-1].tree is new.tree
    plain = finder().find([new], rolesets=False)[0].propositions
    assert [(each.lemma, each.roleset) for each in plain] == [("know", None), ("sleep", None)]


def test_parts_of_speech_may_be_those_of_trees() -> None:
    assert finder().needs_tags
    given = [replace(each, pos=None) for each in sentences()]
    found = finder().find(given)
    assert [each.propositions for each in found] == [each.propositions for each in finder().find(sentences())]
    assert {each.pos for each in found} == {None}
    with pytest.raises(UsageError, match="sentences without any: 54 of 54; give them tags or trees first"):
        finder().find(bare(sentences()))


def test_words_alone_are_enough_where_there_are_no_tags() -> None:
    given = [replace(each, pos=None, tree=None) for each in sentences()]
    alone = train_finder(given)
    assert not alone.needs_tags
    assert evaluate_predicates(given, alone.find(bare(given))).f1 == 100.0


def test_sentences_without_words_are_no_trouble() -> None:
    found = finder().find([RoleSentence(()), sentences()[0], RoleSentence((), pos=())])
    assert [len(each.propositions) for each in found] == [0, 2, 0]
    assert finder().find([]) == []


def test_light_verbs_and_auxiliaries_are_no_predicates() -> None:
    took = Proposition.of(1, "take", [(0, 1, "A0"), (1, 2, "V")], "take.LV")
    have = Proposition.of(1, "have", [(1, 2, "V")], "have.01")
    owns = Proposition.of(1, "have", [(0, 1, "A0"), (1, 2, "V")], "have.03")
    assert [is_proper(each) for each in (took, have, owns)] == [False, False, True]
    walk = Proposition.of(2, "walk", [(0, 1, "A0"), (2, 3, "V")], "walk.01")
    given = RoleSentence(("He", "took", "walks"), (took, walk), pos=("PRP", "VBD", "NNS"))
    found = train_finder([given] * 5).find([given])
    assert [each.lemma for each in found[0].propositions] == ["walk"]
    assert evaluate_predicates([given], found).gold == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "there are no predicates to learn from"),
        ([RoleSentence(("a",))], "there are no predicates to learn from"),
        ([RoleSentence(("_", "_"), (Proposition.of(1, "go", [(1, 2, "V")]),))], "the sentences have no words"),
    ],
)
def test_nothing_to_learn_from(given: list[RoleSentence], message: str) -> None:
    with pytest.raises(DataError, match=message):
        train_finder(given)


def test_scores_are_counts_of_predicates() -> None:
    gold = sentences()[:2]  # four predicates
    lost = gold[0].with_propositions([replace(gold[0].propositions[0], lemma="tell")])
    more = gold[1].with_propositions([*gold[1].propositions, Proposition.of(0, "the", [])])
    scores = evaluate_predicates(gold, [lost, more])
    assert (scores.gold, scores.found, scores.correct, scores.lemmas, scores.rolesets) == (4, 4, 3, 2, 2)
    assert (scores.precision, scores.recall, scores.f1) == (75.0, 75.0, 75.0)
    with pytest.raises(DataError, match="expected the same sentences; found 2 with gold predicates and 1"):
        evaluate_predicates(gold, gold[:1])
    with pytest.raises(DataError, match="has other words"):
        evaluate_predicates(gold, gold[::-1])


# ---------------------------------------------------------------- files


def test_a_finder_is_the_same_after_a_file(tmp_path: Path) -> None:
    path, again = tmp_path / "a.runoff", tmp_path / "b.runoff"
    finder().save(path)
    loaded = load_finder(path)
    assert contents(loaded.find(sentences())) == contents(finder().find(sentences()))
    assert loaded.provenance == {"sentences": 54, "predicates": 108, "tags": True}
    loaded.save(again)
    assert again.read_bytes() == path.read_bytes()


def write_tampered(path: Path, change: Callable[[dict[str, Any]], object] | None = None) -> None:
    """A finder whose parts were changed before they were written."""
    parts: dict[str, Any] = {
        "header": {"format": "runoff-predicates", "version": 1, "runoff": "0", "provenance": {}},
        "lemmas": {"word": ["left"], "class": ["V"], "lemma": ["leave"]},
        "rolesets": {"lemma": ["leave"], "roleset": ["leave.01"]},
        "tagger": finder().tagger,
    }
    if change is not None:
        change(parts)
    with write_archive(path) as archive:
        archive.add_json("predicates.json", parts["header"])
        for name in ("lemmas", "rolesets"):
            if parts[name] is not None:
                archive.add_table(f"{name}.arrow", pa.table(parts[name]))
        if parts["tagger"] is not None:
            add_tagger(parts["tagger"], archive.folder("tagger"))


def test_the_tampered_finder_is_good_unless_it_is_changed(tmp_path: Path) -> None:
    write_tampered(tmp_path / "a.runoff")
    assert load_finder(tmp_path / "a.runoff").lemmas.of("left", "VBD") == "leave"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda parts: parts["header"].update(format="runoff-tagger"), "is not a Runoff finder of predicates"),
        (lambda parts: parts["header"].update(version=2), "version 2 of the finder of predicates format"),
        (lambda parts: parts["header"].update(provenance=[1]), "'provenance' must be an object"),
        (lambda parts: parts.update(header=[1]), "is not a Runoff finder of predicates"),
        (lambda parts: parts["lemmas"].update(word=[""]), "must not be empty"),
        (lambda parts: parts["lemmas"].update(word=[1]), "lemmas.arrow must have texts"),
        (lambda parts: parts["lemmas"].update({"class": ["Z"]}), "there is no class of words 'Z'"),
        (
            lambda parts: parts.update(lemmas={name: texts * 2 for name, texts in parts["lemmas"].items()}),
            "comes twice",
        ),
        (lambda parts: parts["lemmas"].pop("lemma"), "is not a Runoff finder of predicates, or it is damaged"),
        (lambda parts: parts.update(rolesets=None), "is missing or damaged"),
        (lambda parts: parts["rolesets"].update(roleset=pa.array([None], pa.string())), "must have texts"),
        (lambda parts: parts.update(tagger=None), "is missing or damaged"),
        (lambda parts: parts.update(tagger=replace(parts["tagger"], column="pos")), "must tell predicates"),
        (lambda parts: parts.update(tagger=replace(parts["tagger"], states=("P", "X"))), "must tell predicates"),
    ],
)
def test_damaged_finders_are_refused(tmp_path: Path, change: Callable[[dict[str, Any]], object], message: str) -> None:
    path = tmp_path / "a.runoff"
    write_tampered(path, change)
    with pytest.raises(ModelError, match=message):
        load_finder(path)


def test_files_with_accidents_are_refused_or_read(tmp_path: Path) -> None:
    path = tmp_path / "a.runoff"
    write_tampered(path)
    refused = 0
    for content in mutants([path.read_bytes()], 40, seed=3):
        path.write_bytes(content)
        try:
            load_finder(path)
        except ModelError:
            refused += 1
    assert refused > 20


def test_a_header_that_is_no_json(tmp_path: Path) -> None:
    path = tmp_path / "a.runoff"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("predicates.json", b"{")
    with pytest.raises(ModelError, match="is not JSON"):
        load_finder(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("other.json", orjson.dumps({}))
    with pytest.raises(ModelError, match="is not a Runoff finder of predicates"):
        load_finder(path)
    with pytest.raises(ModelError, match="cannot be read"):
        load_finder(tmp_path / "none.runoff")


# ---------------------------------------------------------------- real data


@pytest.mark.slow
def test_predicates_of_real_sentences_are_found(shared_data: Path) -> None:
    from runoff.tasks.roles.role_files import read_roles

    trains = sorted((shared_data / "roles").glob("*.train.conll.gz"))
    if not trains:
        pytest.skip("there are no sentences with roles to learn from")
    for path in trains:
        gold = read_roles(path.with_name(path.name.replace(".train.", ".dev.")))
        scores = evaluate_predicates(gold, train_finder(read_roles(path)).find(without_roles(gold)))
        assert scores.f1 > 95
        assert scores.share(scores.lemmas) > 98
