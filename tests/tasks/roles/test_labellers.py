"""Candidates, labellers, their files and commands."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from click.testing import CliRunner

from helpers.role_sentences import contents
from runoff.cli.main import main
from runoff.errors import DataError, ModelError, UsageError
from runoff.learners import BoostedChain, ChainPerceptron
from runoff.opening.archive import open_archive, write_archive
from runoff.tasks.parsing.brackets import parse_tree
from runoff.tasks.roles.annotation import flat_tree
from runoff.tasks.roles.candidates import KINDS, kind_of, roles_of_tags, tags_of_candidates
from runoff.tasks.roles.demo.village import FRAMES, Village
from runoff.tasks.roles.frames import read_frames
from runoff.tasks.roles.labeller import LEAST
from runoff.tasks.roles.labeller_file import load_labeller
from runoff.tasks.roles.labeller_training import best_price, train_labeller
from runoff.tasks.roles.propositions import CORE, Argument, Proposition, RoleSentence, WeightedTree
from runoff.tasks.roles.resolution import Proposal, resolve
from runoff.tasks.roles.role_files import write_roles
from runoff.tasks.roles.role_scores import evaluate_roles
from runoff.tasks.roles.syntax import Syntax

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.tasks.roles.labeller import RoleLabeller

ALL = tuple(KINDS)


@pytest.fixture(scope="module")
def train() -> list[RoleSentence]:
    return Village(0).sentences(200, errors=0.3)


@pytest.fixture(scope="module")
def test() -> list[RoleSentence]:
    return Village(1).sentences(100, errors=0.3)


@pytest.fixture(scope="module")
def labellers(train: list[RoleSentence]) -> dict[str, RoleLabeller]:
    return {kind: train_labeller(train, kind, frames=FRAMES) for kind in KINDS}


def test_tokens_of_regions_follow_the_paper() -> None:
    # Màrquez et al. (2005), section 1: the innermost clause in full, of clauses around it what stands to the left;
    # topmost clauses and base phrases are tokens. "I think [he said [you left] yesterday] ."
    words = ("I", "think", "he", "said", "you", "left", "yesterday", ".")
    pos = ("PRP", "VBP", "PRP", "VBD", "PRP", "VBD", "NN", ".")
    chunks = ("B-NP", "B-VP", "B-NP", "B-VP", "B-NP", "B-VP", "B-NP", "O")
    sentence = RoleSentence(words, (), pos, chunks=chunks, clauses=((0, 8), (2, 7), (4, 6)))
    kind = kind_of("partial")

    def tokens(predicate: int) -> list[tuple[str, int, int]]:
        return [(each.label, each.start, each.stop) for each in kind.candidates(Syntax(sentence), predicate)]

    assert tokens(1) == [("NP", 0, 1), ("VBP", 1, 2), ("S", 2, 7), (".", 7, 8)]
    assert tokens(3) == [("NP", 0, 1), ("VP", 1, 2), ("NP", 2, 3), ("VBD", 3, 4), ("S", 4, 6), ("NP", 6, 7)]
    left = [("NP", 0, 1), ("VP", 1, 2), ("NP", 2, 3), ("VP", 3, 4)]
    assert tokens(5) == [*left, ("NP", 4, 5), ("VBD", 5, 6)]


@pytest.mark.parametrize("kind", ALL)
def test_arguments_that_candidates_reach_come_back(kind: str, train: list[RoleSentence]) -> None:
    how = kind_of(kind)
    reached = total = 0
    for sentence in train:
        syntax = Syntax(sentence, use_tree=how.use_tree)
        for proposition in sentence.propositions:
            candidates = how.candidates(syntax, proposition.predicate)
            if how.is_sequence:
                assert all(a.stop <= b.start for a, b in itertools.pairwise(candidates))
            found = set(roles_of_tags(how, candidates, tags_of_candidates(how, candidates, proposition)))
            assert found <= set(proposition.roles)
            reached, total = reached + len(found), total + len(proposition.roles)
    assert reached / total > 0.9


@pytest.mark.parametrize("kind", ALL)
def test_labellers_learn(kind: str, labellers: dict[str, RoleLabeller], test: list[RoleSentence]) -> None:
    labelled = labellers[kind].label(test)
    assert evaluate_roles(test, labelled).score("f") > 90  # what a majority label of every position gets is under 60
    for sentence in labelled:
        for proposition in sentence.propositions:
            core = [role.label for role in proposition.roles if role.label in CORE]
            assert len(core) == len(set(core))
            assert {label[1] for label in core} <= set(FRAMES[proposition.lemma])


@pytest.mark.parametrize("kind", ALL)
def test_a_sentence_gets_the_same_roles_alone_and_among_others(
    kind: str, labellers: dict[str, RoleLabeller], test: list[RoleSentence]
) -> None:
    together = labellers[kind].label(test[:20])
    assert contents(together) == contents(labellers[kind].label([each])[0] for each in test[:20])


@pytest.mark.parametrize("kind", ["partial", "full"])
def test_taggers_go_from_left_to_right(kind: str, labellers: dict[str, RoleLabeller], test: list[RoleSentence]) -> None:
    found = labellers[kind].label_left_to_right(test)
    assert evaluate_roles(test, found).score("f") > 90
    for sentence in found:
        for proposition in sentence.propositions:
            core = [role.label for role in proposition.roles if role.label in CORE]
            assert len(core) == len(set(core))
    with pytest.raises(UsageError, match="constituents are no sequence"):
        labellers["constituents"].label_left_to_right(test)


@pytest.mark.parametrize("kind", ALL)
def test_of_several_trees_probabilities_are_mixed(
    kind: str, labellers: dict[str, RoleLabeller], test: list[RoleSentence]
) -> None:
    """By hand: those by each tree alone, times the tree's share."""
    labeller, sentence = labellers[kind], next(each for each in test if len(each.propositions) > 1)
    flat = flat_tree(sentence)
    assert sentence.tree is not None
    both = sentence.with_tree(sentence.tree, [WeightedTree(0.6, sentence.tree), WeightedTree(0.2, flat)])
    (mixed,) = labeller.proposals([both])
    alone = [next(labeller.proposals([sentence.with_tree(tree)]))[1] for tree in (sentence.tree, flat)]
    for number, pool in enumerate(mixed[1]):
        one, other = ({each[:3]: each.probability for each in pools[number]} for pools in alone)
        expected = {key: 0.75 * one.get(key, 0.0) + 0.25 * other.get(key, 0.0) for key in {*one, *other}}
        expected = {key: chance for key, chance in expected.items() if chance > LEAST}
        assert {each[:3]: each.probability for each in pool} == pytest.approx(one if kind == "partial" else expected)
    together = [found for _, found in labeller.proposals([*test[:3], both, *test[3:6]])]
    assert together[3] == mixed[1]


@pytest.mark.parametrize("kind", ["full", "constituents"])
def test_the_trees_of_the_paper_and_other_learners(
    kind: str, train: list[RoleSentence], test: list[RoleSentence], tmp_path: Path
) -> None:
    boosted = train_labeller(train, kind, learner=BoostedChain(rounds=15, depth=3), frames=FRAMES, min_count=3)
    found = boosted.label(test)
    assert evaluate_roles(test, found).score("f") > 85
    boosted.save(tmp_path / "trees.runoff")
    assert contents(load_labeller(tmp_path / "trees.runoff").label(test[:9])) == contents(found[:9])


def test_a_perceptron_has_no_probabilities(train: list[RoleSentence]) -> None:
    with pytest.raises(UsageError, match="random field or boosted trees"):
        train_labeller(train, "full", learner=ChainPerceptron(epochs=2))


def test_nbest_lists_are_sets_in_order(labellers: dict[str, RoleLabeller], test: list[RoleSentence]) -> None:
    for of_sentence, labelled in zip(
        labellers["full"].nbest(test[:10], 5), labellers["full"].label(test), strict=False
    ):
        for labellings, best in zip(of_sentence, labelled.propositions, strict=True):
            scores = [each.score for each in labellings]
            assert scores == sorted(scores, reverse=True)
            assert len({each.roles for each in labellings}) == len(labellings)
            assert labellings[0].roles == best.roles


def test_the_price_is_the_best_one_on_dev(labellers: dict[str, RoleLabeller], test: list[RoleSentence]) -> None:
    labeller = replace(labellers["full"], price=best_price(labellers["full"], test))
    best = evaluate_roles(test, labeller.label(test)).score("f")
    for price in (0.3, 0.5, 0.75, 1.0, 1.2):
        assert evaluate_roles(test, replace(labeller, price=price).label(test)).score("f") <= best + 1e-9


def test_resolve_without_proposals() -> None:
    assert resolve([], 3)[0].roles == ()
    assert resolve([Proposal(0, 1, "A0", 0.1)], 3)[0].roles == ()


def test_files_come_back(labellers: dict[str, RoleLabeller], test: list[RoleSentence], tmp_path: Path) -> None:
    for kind, labeller in labellers.items():
        path = tmp_path / f"{kind}.runoff"
        labeller.save(path)
        again = load_labeller(path)
        assert contents(again.label(test)) == contents(labeller.label(test))
        again.save(tmp_path / "again.runoff")
        assert path.read_bytes() == (tmp_path / "again.runoff").read_bytes()


def _tampered(path: Path, name: str, change: Any) -> None:
    with open_archive(path) as archive:
        arrays = {each: archive.array(each).copy() for each in archive.names if each.endswith(".npy")}
        header, texts = archive.json("labeller.json"), archive.table("texts.arrow")
    if name == "labeller.json":
        change(header)
    else:
        arrays[name] = change(arrays[name])
    with write_archive(path) as out:
        out.add_json("labeller.json", header)
        out.add_table("texts.arrow", texts)
        for each, array in arrays.items():
            out.add_array(each, array)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("column_of.npy", lambda array: array[:-8], "does not fit the texts"),
        ("column_of.npy", lambda array: np.where(array == 0, 1, array), "every column once"),
        ("row_tags.npy", lambda array: array + 1000, "row_tags has a number"),
        ("vector.npy", lambda array: array * np.nan, "not finite"),
        ("labeller.json", lambda header: header.update(kind="other"), "no labeller"),
        ("labeller.json", lambda header: header.update(tags=["O", "O"]), "must be different"),
        ("labeller.json", lambda header: header.update(price=7.0), "price"),
        ("labeller.json", lambda header: header.update(frames=[]), "'frames' must be of the type dict"),
        ("labeller.json", lambda header: header.update(version=9), "has version 9 of the role labeller format"),
        ("labeller.json", lambda header: header.update(format="x"), "is not a Runoff role labeller"),
    ],
)
def test_tampered_files_are_refused(
    labellers: dict[str, RoleLabeller], tmp_path: Path, name: str, change: Any, message: str
) -> None:
    path = tmp_path / "full.runoff"
    labellers["full"].save(path)
    _tampered(path, name, change)
    with pytest.raises(ModelError, match=message):
        load_labeller(path)


def test_what_cannot_be_labelled(labellers: dict[str, RoleLabeller], train: list[RoleSentence]) -> None:
    bare = replace(train[0], tree=None, chunks=None)
    with pytest.raises(DataError, match="has no tree, which this labeller needs; --trees or --grammar adds it"):
        labellers["full"].label([bare])
    with pytest.raises(DataError, match="has no chunks, which this labeller needs; --chunks adds them"):
        labellers["partial"].label([bare])
    with pytest.raises(DataError, match=r"the tree of .* has 2 words, the sentence"):
        labellers["full"].label([replace(train[0], tree=parse_tree("(S (NP (PRP I)) (VP (VBP run)))"))])
    with pytest.raises(UsageError, match="no kind of role labeller 'x'"):
        train_labeller(train, "x")
    with pytest.raises(DataError, match="no predicates to learn from"):
        train_labeller([each.with_propositions([]) for each in train], "full")
    assert labellers["full"].label([train[0].with_propositions([])])[0].propositions == ()


def test_a_sentence_of_200_words(labellers: dict[str, RoleLabeller]) -> None:
    words = ["a", "baker", "baked", *["the", "bread"] * 98, "."]
    nouns = " ".join(["(DT the) (NN bread)"] * 98)
    tree = parse_tree(f"(S (NP (DT a) (NN baker)) (VP (VBD baked) (NP {nouns})) (. .))")
    sentence = RoleSentence(tuple(words), (Proposition(2, "bake", ()),), tree=tree)
    assert Argument(0, 2, "A0") in labellers["full"].label([sentence])[0].propositions[0].roles


def test_frames(tmp_path: Path) -> None:
    for text, message in (("[]", "expected frames as"), ("x", "as JSON"), ('{"a.01": {}}', "has no roles")):
        (tmp_path / "frames.json").write_text(text)
        with pytest.raises(DataError, match=message):
            read_frames(tmp_path / "frames.json")


def test_commands(tmp_path: Path, train: list[RoleSentence], test: list[RoleSentence]) -> None:
    files = {name: str(tmp_path / name) for name in ("train.jsonl", "test.jsonl", "full.runoff", "out.props", "f.json")}
    write_roles(train, files["train.jsonl"])
    write_roles(test, files["test.jsonl"])
    frames = {f"{lemma}.01": {"roles": dict.fromkeys(roles, "")} for lemma, roles in FRAMES.items()}
    (tmp_path / "f.json").write_text(json.dumps(frames))
    for arguments in (
        ["train", files["train.jsonl"], "-o", files["full.runoff"], "--frames", files["f.json"], "--set", "epochs=4"],
        ["label", files["full.runoff"], files["test.jsonl"], "-o", files["out.props"]],
        ["eval", "--gold", files["test.jsonl"], files["out.props"], "--json"],
    ):
        result = CliRunner().invoke(main, ["roles", *arguments])
        assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["f"] > 90
    refused = CliRunner().invoke(main, ["roles", "label", files["test.jsonl"], files["test.jsonl"], "-o", "x.props"])
    assert refused.exit_code != 0
    assert "is not a Runoff role labeller" in refused.output


def test_features_do_not_depend_on_the_process() -> None:
    # Sets of texts have another order in every process; numbers of features must not.
    program = (
        "from runoff.tasks.roles.demo.village import Village\n"
        "from runoff.tasks.roles.role_features import RoleFeatures\n"
        "print(list(RoleFeatures.fit(Village(0).sentences(5), 'constituents')[0].numbers))"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", program], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(told) == 1
