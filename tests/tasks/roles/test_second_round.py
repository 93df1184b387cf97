"""Lists of labellings, their features and the commands of the second round."""

from __future__ import annotations

import json
import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings, strategies

from helpers.role_sentences import contents, role_sentences
from runoff import LinearModel, load, read, write
from runoff.cli import main
from runoff.cluster import on
from runoff.errors import DataError, UsageError
from runoff.ranking import first_round
from runoff.tasks.parsing.brackets import parse_tree
from runoff.tasks.roles import read_roles, write_roles
from runoff.tasks.roles.features.frame_patterns import NAMES, FramePatterns
from runoff.tasks.roles.features.labelled_lists import LabelledLists
from runoff.tasks.roles.labeller_training import train_labeller
from runoff.tasks.roles.mixed_lists import mixed_lists
from runoff.tasks.roles.proposal_texts import PROPOSALS, proposals_of, proposals_text
from runoff.tasks.roles.propositions import Argument, Proposition, RoleSentence
from runoff.tasks.roles.resolution import Labelling, Proposal
from runoff.tasks.roles.role_featurizer import RoleFeaturizer
from runoff.tasks.roles.role_lists import SUPPLIED, jackknifed_lists, role_lists, to_nbest, to_sentences
from runoff.tasks.tagging.tagging_lists import BLANK

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

    from runoff.nbest import NBest

VERBS = ("eat", "see", "like", "sell")


def sentence(at: int) -> RoleSentence:
    """A sentence in which "now" is a time, but for one verb, of which it is the second argument."""
    verb = VERBS[at % 4]
    label = "A1" if verb == "like" else "AM-TMP"
    roles = [(0, 1, "A0"), (1, 2, "V"), (2, 3, label)]
    tree = parse_tree(f"(S (NP (PRP I)) (VP (VBP {verb}) (ADVP (RB now))))")
    words, pos = ("I", verb, "now"), ("PRP", "VBP", "RB")
    said = Proposition.of(1, verb, roles, f"{verb}.01")
    return RoleSentence(words, (said,), pos=pos, tree=tree, id=f"d{at // 4}#{at % 4}", document=f"d{at // 4}")


SENTENCES = [sentence(at) for at in range(48)]


def two_labellings(sentences: list[RoleSentence]) -> NBest:
    """The wrong labelling first."""
    wrong = {"A1": "AM-TMP", "AM-TMP": "A1"}
    found = []
    for each in sentences:
        first, second = each.propositions[0].roles
        found.append(
            [[Labelling((first, second._replace(label=wrong[second.label])), 1.0), Labelling((first, second), 0.5)]]
        )
    return to_nbest(sentences, found)


@settings(deadline=None)  # the first one compiles
@given(role_sentences())
def test_sentences_become_lists_and_sentences_again(sentences: list[RoleSentence]) -> None:
    labellings = [[[Labelling(each.roles, 0.0)] for each in one.propositions] for one in sentences]
    if any(BLANK in word for one in sentences if one.propositions for word in one.words):
        with pytest.raises(DataError, match=BLANK):
            to_nbest(sentences, labellings)
        return
    data = to_nbest(sentences, labellings)
    bare = [one.with_propositions(each.with_roles([]) for each in one.propositions) for one in sentences]
    assert contents(to_sentences(data, bare)) == contents(sentences)


def test_a_list_says_what_is_known_of_its_predicate() -> None:
    data = two_labellings(SENTENCES[:1])
    assert data.group_ids.to_pylist() == ["d0#0:1"]
    known = {name: values.to_pylist() for name, values in data.attributes.items()}
    assert known == {
        "predicate": ["1"], "lemma": ["eat"], "voice": ["active"], "roleset": ["eat.01"], "pos": ["PRP VBP RB"],
        "document": ["d0"],
    }  # fmt: skip
    assert data.base.tolist() == [1.0, 0.5]
    assert data.references.to_pylist() == [["B-A0 B-V B-AM-TMP"]]
    blank = RoleSentence(("New York", "wins"), (Proposition.of(1, "win", [(1, 2, "V")]),))
    assert to_nbest([blank], [[[Labelling((), 0.0)]]]).inputs.to_pylist() == ["New␣York wins"]


def test_lists_of_other_sentences_are_refused() -> None:
    data = two_labellings(SENTENCES[:2])
    with pytest.raises(DataError, match="no list 'd0#2:1' for the predicate 'like'"):
        to_sentences(data, SENTENCES[:3])
    with pytest.raises(DataError, match="list 'd0#1:1' is of no predicate of the sentences"):
        to_sentences(data, SENTENCES[:1])
    other = RoleSentence(("You", "eat", "now"), SENTENCES[0].propositions, id="d0#0")
    with pytest.raises(DataError, match="has other words than the sentence"):
        to_sentences(data[[0]], [other])
    with pytest.raises(DataError, match="two predicates would have the list 'd0#0:1'"):
        two_labellings([SENTENCES[0]] * 2)
    with pytest.raises(UsageError, match="labellings of every predicate"):
        to_nbest(SENTENCES[:2], [[]])


def test_folds_are_labelled_by_labellers_that_did_not_see_them() -> None:
    seen = []

    def train(part: list[RoleSentence]) -> object:
        seen.append({each.document for each in part})
        return train_labeller(part, "full")

    data = jackknifed_lists(SENTENCES, 3, 4, train)
    documents = {each.document for each in SENTENCES}
    assert len(seen) == 3
    assert not set.intersection(*seen)  # every document is left out of one training
    assert set.union(*seen) == documents
    assert data.group_ids.to_pylist() == two_labellings(SENTENCES).group_ids.to_pylist()


def test_processes_label_folds_with_the_same_bits() -> None:
    train = partial(train_labeller, kind="full")
    here = jackknifed_lists(SENTENCES, 3, 4, train)
    with on("processes:2"):
        there = jackknifed_lists(SENTENCES, 3, 4, train)
    assert there.texts.equals(here.texts)
    assert there.base.tobytes() == here.base.tobytes()
    assert there.features.values.tobytes() == here.features.values.tobytes()


def test_what_the_labeller_supplies_follows_from_its_probabilities() -> None:
    labeller = train_labeller(SENTENCES, "full")
    data = role_lists(labeller, SENTENCES[:3], 5)
    supplied = data.features.to_scipy().toarray()
    assert data.features.column_names().to_pylist() == list(SUPPLIED)
    pools = [pools[0] for _, pools in labeller.proposals(SENTENCES[:3])]
    for row in range(data.n_candidates):
        pool = pools[int(data.group_of[row])]
        roles = set(Proposition.of_tags(data.texts[row].as_py().split(), 1, "").roles)
        own = [each.probability for each in pool if Argument(*each[:3]) in roles]
        others = [1 - each.probability for each in pool if Argument(*each[:3]) not in roles]
        expected = [sum(own), sum(math.log(max(each, 1e-4)) for each in own + others), min(own, default=1.0)]
        assert supplied[row] == pytest.approx(expected, rel=1e-5)
        assert data.base[row] == pytest.approx(2 * sum(own) - labeller.price * len(own))


def test_lists_keep_the_arguments_that_were_proposed_and_no_feature_sees_them() -> None:
    labeller = train_labeller(SENTENCES, "full")
    data = role_lists(labeller, SENTENCES[:3], 5)
    for text, (_, pools) in zip(data.attributes[PROPOSALS].to_pylist(), labeller.proposals(SENTENCES[:3]), strict=True):
        read_back = proposals_of(text)
        assert [each[:3] for each in read_back] == sorted(each[:3] for each in pools[0])
        assert [each.probability for each in read_back] == pytest.approx(
            [each.probability for each in sorted(pools[0])], abs=5e-5
        )
    without = data.replace(attributes={name: values for name, values in data.attributes.items() if name != PROPOSALS})
    both = [RoleFeaturizer(min_lists=1).fit_transform(each).features for each in (data, without)]
    assert both[0].column_names().equals(both[1].column_names())
    assert (both[0].to_scipy() != both[1].to_scipy()).nnz == 0


@given(
    strategies.lists(
        strategies.builds(
            lambda start, size, label, probability: Proposal(start, start + size, label, probability),
            strategies.integers(0, 300),
            strategies.integers(1, 50),
            strategies.sampled_from(["A0", "AM-TMP", "R-A1", "C-A1", "Ünfug"]),
            strategies.integers(0, 10_000).map(lambda number: number / 10_000),
        )
    )
)
def test_proposals_become_text_and_proposals_again(proposals: list[Proposal]) -> None:
    assert proposals_of(proposals_text(proposals)) == sorted(proposals)


@pytest.mark.parametrize(
    "text",
    [
        ";", "0 1 A0", "0 1 A0 0.5;", "0 1 A0 nan", "0 1 A0 1e-3", "0 1 A0 1.5", "-1 1 A0 0.5", "1 1 A0 0.5",
        "0 1  0.5", "0  1 A0 0.5", f"{'9' * 5000} 1 A0 0.5", "0 1 A0 0.5 0.5", "٠ ١ A0 0.5",
    ],
)  # fmt: skip
def test_damaged_proposals_are_refused(text: str) -> None:
    with pytest.raises(DataError, match=r"proposal \d: expected .* found "):
        proposals_of(text)
    with pytest.raises(DataError, match="blank or a semicolon"):
        proposals_text([Proposal(0, 1, "A0;A1", 0.5)])


def test_lists_of_labellers_are_mixed() -> None:
    """Probabilities are means, and lists of another order are found by their ids."""
    proposed = {
        "a": [[[Proposal(0, 1, "A0", 0.8), Proposal(2, 3, "A1", 0.4)]] for _ in SENTENCES[:3]],
        "b": [[[Proposal(0, 1, "A0", 0.4), Proposal(2, 3, "AM-TMP", 0.9)]] for _ in SENTENCES[:3]],
    }
    lists = {
        name: to_nbest(SENTENCES[:3], [[[Labelling((), 0.0)]]] * 3, proposed=pools) for name, pools in proposed.items()
    }
    lists["b"] = lists["b"][[2, 0, 1]]
    data = mixed_lists(lists, 2, weights={"a": 3.0}, price=0.5)
    assert data.group_ids.to_pylist() == lists["a"].group_ids.to_pylist()
    assert data.references.to_pylist() == lists["a"].references.to_pylist()
    # 0.75 · 0.8 + 0.25 · 0.4 = 0.7; 0.75 · 0.4 = 0.3; 0.25 · 0.9 = 0.225
    assert data.attributes[PROPOSALS][0].as_py() == "0 1 A0 0.7000;2 3 A1 0.3000;2 3 AM-TMP 0.2250"
    assert data.texts.to_pylist()[:2] == ["B-A0 B-V B-A1", "B-A0 B-V O"]
    assert data.base.tolist()[:2] == pytest.approx([0.9 + 0.1, 0.9])
    columns = dict(zip(data.features.column_names().to_pylist(), data.features.to_scipy().toarray().T, strict=True))
    assert columns["labeller:right"][:2] == pytest.approx([1.0, 0.7])
    assert columns["b:right"][:2] == pytest.approx([0.4, 0.4])
    assert columns["b:least"][:2] == pytest.approx([0.0, 0.4])
    assert columns["b:log"][:2] == pytest.approx([math.log(0.4 * 1e-4 * 0.1), math.log(0.4 * 0.1)])
    for changed, why in (
        (lists["b"][[0, 1]], "have no list 'd0#1:1'"),
        (two_labellings(SENTENCES[:3]), "have no proposals"),
        (two_labellings(SENTENCES[:4]).replace(attributes={PROPOSALS: [""] * 4}), "the list 'd0#3:1' more"),
        (lists["a"].replace(inputs=["You eat now"] * 3), "has other inputs"),
        (lists["a"].replace(attributes={PROPOSALS: ["0 1 A0"] * 3}), "list 'd0#0:1', proposal 1: expected start"),
        (lists["a"].replace(attributes={PROPOSALS: ["0 9 A0 0.5"] * 3}), "beyond its 3 words"),
    ):
        with pytest.raises(DataError, match=why):
            mixed_lists({"a": lists["a"], "b": changed}, 2)
    for weights, why in (
        ({"c": 1.0}, "none of a, b"),
        ({"a": -1.0}, "at least 0"),
        ({"a": 0.0, "b": 0.0}, "one of them"),
    ):
        with pytest.raises(UsageError, match=why):
            mixed_lists(lists, 2, weights=weights)


def test_frames_do_not_see_the_reference_of_their_own_list() -> None:
    """What is left out is what counting without that list gives."""
    data = two_labellings(SENTENCES)
    lists = LabelledLists.of(data)
    left_out = FramePatterns.of(lists).features(lists, leave_out=True)
    for at in (0, 2, 7):
        others = data[[other for other in range(len(data)) if other != at]]
        one = LabelledLists.of(data[[at]])
        alone = FramePatterns.of(LabelledLists.of(others)).features(one)
        assert left_out[2 * at : 2 * at + 2] == pytest.approx(alone)
    assert np.isfinite(left_out).all()
    a1 = NAMES.index("frame:A1")
    assert left_out[5, a1] > left_out[4, a1]  # "like" has an A1, and its second candidate


def test_features_are_those_of_whole_labellings() -> None:
    data = two_labellings(SENTENCES[:4])
    made = RoleFeaturizer(min_lists=1).fit_transform(data)
    names = made.features.column_names().to_pylist()
    first = {name for name, value in zip(names, made.features.to_scipy().toarray()[0], strict=True) if value}
    assert {"sequence:A0 V A1", "sequence:core A0 V A1 active eat", "ngram:A0 V A1", "count:1 1"} <= first
    assert {"argument:A1 now …", "argument:A1 eat head now", "position:A1 after active", "pair:V  A1"} <= first
    assert not any(name.startswith(("repeat:", "gap:before")) for name in first)
    twice = to_nbest(
        SENTENCES[:1], [[[Labelling((Argument(0, 1, "AM-TMP"), Argument(2, 3, "AM-TMP")), 0.0), Labelling((), 0.0)]]]
    )
    names = RoleFeaturizer("repeat,gap", min_lists=1).fit_transform(twice).features.column_names().to_pylist()
    gaps = ["gap:before V i", "gap:before V pos PRP", "gap:after V now", "gap:after V pos RB", "gap:2"]
    assert names == ["repeat:AM-TMP", "repeat:any", "gap:0", *gaps]


def test_a_featurizer_is_kept_with_its_model(tmp_path: Path) -> None:
    from runoff import tasks

    train, test = two_labellings(SENTENCES[:32]), two_labellings(SENTENCES[32:])
    task = tasks.recognise(train)
    assert task.name == "roles"
    model = task.learner("loglinear", sigma=1.0, min_lists=1).fit(train).model
    assert model.ranking(test).top.tolist() == list(range(1, 2 * len(test), 2))
    model.save(tmp_path / "m.runoff")
    again = load(tmp_path / "m.runoff")
    assert np.array_equal(again.scores(test), model.scores(test))
    assert to_sentences(test, SENTENCES[32:], again.ranking(test)) == SENTENCES[32:]
    told = task.explain(again, test, "d8#0:1").to_text()
    assert "-[A1 now]" in told
    assert "+[AM-TMP now]" in told
    task.explain(again, test, "d8#0:1").draw(tmp_path / "both.svg")
    said = (tmp_path / "both.svg").read_text(encoding="utf-8")
    assert "eat · first round: A0 “I”; V “eat”; A1 “now” (differs). eat · winner:" in said
    without = test.replace(attributes={})
    assert (again.ranking(without).top != first_round(test).top).any()


def test_damaged_steps_are_refused() -> None:
    featurizer = RoleFeaturizer("frame,count", min_lists=1)
    featurizer.fit_transform(two_labellings(SENTENCES[:4]))
    step = featurizer.to_step()
    assert RoleFeaturizer.is_step(step)
    for key, value in {
        "families": ["nothing"],
        "vocabulary": None,
        "patterns": step["vocabulary"],
        "counts": None,
    }.items():
        assert not RoleFeaturizer.is_step({**step, key: value})
    with pytest.raises(UsageError, match="no family 'shape' of features of labellings; there are: all, sequence"):
        RoleFeaturizer("shape")
    with pytest.raises(DataError, match="list '0' has the predicate '7'; expected the position of one of its 3 words"):
        LabelledLists.of(two_labellings(SENTENCES[:1]).replace(attributes={"predicate": ["7"]}, group_ids=["0"]))


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments])


def test_the_commands_of_the_second_round(tmp_path: Path) -> None:
    train, test = tmp_path / "train.jsonl", tmp_path / "test.jsonl"
    write_roles(SENTENCES[:32], train)
    write_roles(SENTENCES[32:], test)
    lists, model = tmp_path / "lists.jsonl", tmp_path / "m.runoff"
    made = run("roles", "jackknife", train, "--folds", 2, "-k", 5, "-o", lists, "--json")
    assert made.exit_code == 0, made.output
    assert json.loads(made.stdout)["lists"] == 32
    labeller = train_labeller(SENTENCES[:32], "full")
    labeller.save(tmp_path / "labeller.runoff")
    test_lists = tmp_path / "test-lists.jsonl"
    done = run("roles", "nbest", tmp_path / "labeller.runoff", test, "-k", 5, "-o", test_lists)
    assert "next: runoff roles rerank" in done.stderr
    write_roles([each.with_propositions([]) for each in SENTENCES[:2]], tmp_path / "none.jsonl")
    refused = run("roles", "nbest", tmp_path / "labeller.runoff", tmp_path / "none.jsonl", "-o", tmp_path / "no.jsonl")
    assert "none.jsonl has no predicates" in refused.stderr
    data = read(test_lists)
    assert contents(to_sentences(data, SENTENCES[32:])) == contents(labeller.label(SENTENCES[32:]))
    assert run("train", lists, "--learner", "loglinear", "--set", "sigma=1.0", "-o", model).exit_code == 0
    mixed = tmp_path / "mixed.jsonl"
    named = ("--name", "one", "--name", "two", "--weight", "two=0")
    assert (
        run("roles", "mix", test_lists, test_lists, *named, "--price", labeller.price, "-k", 5, "-o", mixed).exit_code
        == 0
    )
    assert read(mixed).texts.to_pylist() == data.texts.to_pylist()
    assert "names that differ" in run("roles", "mix", test_lists, test_lists, "-o", mixed).stderr
    assert "NAME=NUMBER" in run("roles", "mix", test_lists, "--weight", "a=b", "-o", mixed).stderr
    out = tmp_path / "out.jsonl"
    done = run("roles", "rerank", model, test_lists, "--sentences", test, "-o", out)
    assert done.exit_code == 0, done.output
    assert contents(read_roles(out)) == contents(to_sentences(data, SENTENCES[32:], load(model).ranking(data)))
    for command in (
        ("describe", test_lists),
        ("eval", model, test_lists),
        ("roles", "explain", model, test_lists, "--group", "d8#0:1", "--picture", tmp_path / "both.svg"),
    ):
        assert run(*command).exit_code == 0
    assert (tmp_path / "both.svg").exists()


def test_rerank_chooses_by_the_model(tmp_path: Path) -> None:
    write(two_labellings(SENTENCES[:4]).replace(references=None), tmp_path / "lists.jsonl")
    write_roles(SENTENCES[:4], tmp_path / "gold.jsonl")
    LinearModel.of({}, base_weight=-1.0).save(tmp_path / "m.runoff")
    arguments = ("rerank", tmp_path / "m.runoff", tmp_path / "lists.jsonl", "--sentences", tmp_path / "gold.jsonl")
    done = run("roles", *arguments, "-o", tmp_path / "out.jsonl")
    assert "4 of them not with the first round's labelling" in done.stderr
    assert contents(read_roles(tmp_path / "out.jsonl")) == contents(SENTENCES[:4])


def test_union_takes_its_best_labels_from_the_command_or_from_dev(tmp_path: Path) -> None:
    data = two_labellings(SENTENCES)
    wrong = to_sentences(data, SENTENCES)
    halves = [SENTENCES[:24] + wrong[24:], wrong[:24] + SENTENCES[24:]]
    for name, found in (("gold", SENTENCES), ("a", wrong), ("b", SENTENCES), ("c", halves[0])):
        write_roles(found, tmp_path / f"{name}.props")
    a, b, out = tmp_path / "a.props", tmp_path / "b.props", tmp_path / "out.props"
    dev = ("--dev-gold", tmp_path / "gold.props", "--dev", a, "--dev", b)
    facts = json.loads(run("roles", "union", a, b, *dev, "-o", out, "--json").stdout)
    assert facts["best"] == {str(a): ["A0"], str(b): ["A1", "AM-TMP"]}
    assert contents(read_roles(out)) == contents(read_roles(b))
    run("roles", "union", a, b, "-o", out)
    assert contents(read_roles(out)) == contents(read_roles(a))
    told = run("roles", "union", a, b, "--best-of", "b.props:A1,AM-TMP", "-o", out)
    assert f"best labels of {b}: A1, AM-TMP." in told.stderr
    assert contents(read_roles(out)) == contents(read_roles(b))
    for bad, why in (
        (("--best-of", "x:A0"), "expected --best-of as FILE:LABELS"),
        (("--best-of", "b.props:A0", *dev), "give one of them"),
        (("--dev", a), "one --dev for every file"),
    ):
        refused = run("roles", "union", a, b, *bad, "-o", out)
        assert refused.exit_code != 0
        assert why in refused.stderr
