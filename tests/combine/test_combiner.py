"""Combiners end to end: better than every system on data where that is possible, saved, opened, tampered with."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

from helpers.noisy_roles import SYSTEMS, noisy_lists
from runoff import metrics, tasks
from runoff.combine import (
    Combiner,
    contributions,
    explain_combination,
    first_choices,
    load_combiner,
    perfect_filter,
    system_worth,
    train_combiner,
    union,
    vote,
)
from runoff.combine.training import as_single, score_of
from runoff.errors import DataError, ModelError, UsageError
from runoff.learners import Boost, LogLinear
from runoff.model import LinearModel, load
from runoff.nbest import NBest
from runoff.report.combination import evaluate_combination

METRIC = metrics.get("srl-eval")


@pytest.fixture(scope="module")
def train() -> NBest:
    return noisy_lists(500, 1)


@pytest.fixture(scope="module")
def test() -> NBest:
    return noisy_lists(200, 2)


@pytest.fixture(scope="module")
def combiner(train: NBest) -> Combiner:
    return train_combiner(train, task="roles")


def score(data: NBest, texts: list[str | None]) -> float:
    return score_of(data, [text or "" for text in texts], METRIC)


def test_it_is_better_than_every_system_and_no_better_than_a_perfect_filter(combiner: Combiner, test: NBest) -> None:
    systems = {name: score(test, texts) for name, texts in first_choices(test).items()}
    combined, limit = score(test, combiner.texts(test)), score(test, perfect_filter(test, "roles"))
    assert combined > max(systems.values()) + 5
    assert combined > score(test, vote(test, "roles"))
    assert combined <= limit <= 100
    # A perfect filter makes no argument that is wrong.
    precision = metrics.get("srl-eval[part=precision]")
    assert score_of(test, [text or "" for text in perfect_filter(test, "roles")], precision) == 100


@pytest.mark.parametrize(
    "settings",
    [
        {"kind": "solutions", "resolution": "greedy", "price": 1.0},  # the paper's
        {"learner": Boost(depth=3, rounds=20, seed=0)},
        {"learner": LogLinear(sigma=0.3, calibration="none"), "price": 0.9},
    ],
)
def test_any_learner_is_a_filter(train: NBest, test: NBest, settings: dict) -> None:
    found = train_combiner(train[:300], task="roles", **settings)
    best = max(score(test, texts) for texts in first_choices(test).values())
    assert score(test, found.texts(test)) > best


def test_dev_data_chooses_the_price(train: NBest) -> None:
    found = train_combiner(train[:250], train[250:], task="roles")
    assert str(found.price) in found.provenance["prices"]
    assert found.provenance["prices"][str(found.price)] == max(found.provenance["prices"].values())


def test_probabilities_are_calibrated_on_other_lists(combiner: Combiner, test: NBest) -> None:
    reader = combiner.reader
    chances, right = [], []
    for found, references in zip(combiner.assemble(test), test.references.to_pylist(), strict=True):
        chances += found.probabilities
        right += reader.right(found.pool.parts, found.pool.texts, references)
    assert abs(np.mean(chances) - np.mean(right)) < 0.04


def test_lists_get_one_candidate_more(combiner: Combiner, test: NBest) -> None:
    made = combiner.append(test)
    assert len(made) == len(test)
    assert made.n_candidates >= test.n_candidates
    table = dict(zip(made.features.column_names().to_pylist(), made.features.to_scipy().toarray().T, strict=True))
    chosen = np.flatnonzero(table["combined"])
    assert [made.texts[int(row)].as_py() for row in chosen] == combiner.texts(test)
    assert made.group_of[chosen].tolist() == list(range(len(test)))
    # What was assembled has the highest sum of its group: the resolution is exact.
    gains = table["combined:gain"]
    best = np.maximum.reduceat(gains, made.offsets[:-1])
    np.testing.assert_allclose(gains[chosen], best, atol=1e-6)
    # So a model that weighs the column alone chooses it, and evaluation works as with any lists.
    assert [each.text for each in LinearModel.of({"combined": 1.0}).pick(made)] == combiner.texts(test)
    assert tasks.recognise(made).name == "roles"


def test_the_file_gives_the_same_combiner(combiner: Combiner, test: NBest, tmp_path) -> None:
    combiner.save(tmp_path / "filter.runoff")
    again = load_combiner(tmp_path / "filter.runoff")
    assert again.texts(test) == combiner.texts(test)
    assert (again.price, again.curve, again.systems) == (combiner.price, combiner.curve, SYSTEMS)
    combiner.save(tmp_path / "again.runoff")
    assert (tmp_path / "filter.runoff").read_bytes() == (tmp_path / "again.runoff").read_bytes()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("task", "rows"),
        ("task", 7),
        ("systems", []),
        ("systems", ["one", "one"]),
        ("systems", "one"),
        ("kind", "some"),
        ("price", None),
        ("price", 1),
        ("curve", [1.0]),
        ("curve", ["a", "b"]),
        ("resolution", "none"),
        ("metric", 3),
        ("learned", []),
        ("provenance", []),
    ],
)
def test_a_tampered_file_is_refused(combiner: Combiner, tmp_path, field: str, value: object) -> None:
    combiner.save(tmp_path / "filter.runoff")
    model = load(tmp_path / "filter.runoff")
    header = json.loads(json.dumps(model.provenance["combination"]))
    header[field] = value
    provenance = {**model.provenance, "combination": header}
    dataclasses.replace(model, provenance=provenance).save(tmp_path / "other.runoff")
    with pytest.raises(ModelError, match="is damaged"):
        load_combiner(tmp_path / "other.runoff")


def test_a_model_of_whole_candidates_is_no_combiner(tmp_path) -> None:
    LinearModel.of({"length": 1.0}).save(tmp_path / "model.runoff")
    with pytest.raises(ModelError, match="and no combiner; make one"):
        load_combiner(tmp_path / "model.runoff")


def test_other_systems_are_refused(combiner: Combiner, test: NBest) -> None:
    alone = NBest.from_arrays(
        texts=test.texts.to_pylist(), sizes=test.sizes, inputs=test.inputs.to_pylist(), metric="srl-eval"
    )
    with pytest.raises(DataError, match="trained with the systems one, two, three, and this data has 1"):
        combiner.texts(alone)


def test_systems_in_another_order_are_the_same(combiner: Combiner, test: NBest) -> None:
    names = test.features.column_names().to_pylist()
    order = names[4:] + names[:4]
    columns = [names.index(name) for name in order]
    table = test.features.to_scipy().toarray()[:, columns]
    turned = NBest.from_arrays(
        table,
        feature_names=order,
        texts=test.texts.to_pylist(),
        sizes=test.sizes,
        inputs=test.inputs.to_pylist(),
        metric="srl-eval",
    )
    assert combiner.texts(turned) == combiner.texts(test)


def test_groups_without_candidates_and_without_references(combiner: Combiner, train: NBest) -> None:
    data = noisy_lists(3, 9)
    keep = np.array([0, 1, 2, 6, 7, 8])
    some = NBest.from_arrays(
        data.features.to_scipy().toarray()[keep],
        feature_names=data.features.column_names().to_pylist(),
        texts=[data.texts[int(row)].as_py() for row in keep],
        sizes=[3, 0, 3],
        inputs=data.inputs.to_pylist(),
        references=[data.references[0].as_py(), data.references[1].as_py(), []],
        metric="srl-eval",
    )
    texts = combiner.texts(some)
    assert texts[1] is None
    assert texts[0]
    assert texts[2]
    assert combiner.append(some).sizes[1] == 0
    assert perfect_filter(some, "roles")[1] is None
    assert as_single(some, ["a", "", "b"]).sizes.tolist() == [1, 0, 1]


def test_what_cannot_be_learned_from_is_said(train: NBest) -> None:
    with pytest.raises(DataError, match="references, and these lists have none"):
        train_combiner(train.replace(references=None), task="roles")
    with pytest.raises(UsageError, match="no parts to combine"):
        train_combiner(train, task="rows")
    with pytest.raises(UsageError, match="evidence must be one of"):
        train_combiner(train, task="roles", kind="some")
    right = train.replace(references=[[train.texts[3 * at].as_py()] for at in range(len(train))])
    same = NBest.from_arrays(
        texts=[train.texts[3 * at].as_py() for at in range(len(train))],
        sizes=[1] * len(train),
        references=right.references.to_pylist(),
        inputs=train.inputs.to_pylist(),
        metric="srl-eval",
    )
    with pytest.raises(DataError, match="are right"):
        train_combiner(same, task="roles")


def test_candidates_of_different_lengths_are_named() -> None:
    data = NBest.from_arrays(texts=["B-A0 B-V", "B-A0 B-V O"], sizes=[2], metric="srl-eval")
    with pytest.raises(DataError, match="list '0' cannot be combined: they have 2 and 3 words"):
        vote(data, "roles")


def test_union_follows_agreement_then_length_then_worth() -> None:
    # The baseline's radix sort (section 6.1): number of systems, length in tokens, performance of the system.
    texts = ["B-V B-A0 O O O", "B-V B-A0 B-A1 O O", "B-V O B-A2 I-A2 O"]
    rows = [[float(at == other) for other in range(3) for _ in range(2)] for at in range(3)]
    names = [f"{name}:{kind}" for name in "abc" for kind in ("found", "rank")]
    data = NBest.from_arrays(rows, feature_names=names, texts=texts, sizes=[3], metric="srl-eval")
    assert union(data, "roles") == ["B-V B-A0 B-A2 I-A2 O"]
    texts[2] = "B-V O B-A2 O O"  # as long as b's A1: the worth of the systems decides
    data = NBest.from_arrays(rows, feature_names=names, texts=texts, sizes=[3], metric="srl-eval")
    assert union(data, "roles") == ["B-V B-A0 B-A1 O O"]
    assert union(data, "roles", {"a": 0.1, "b": 0.2, "c": 0.3}) == ["B-V B-A0 B-A2 O O"]
    with pytest.raises(UsageError, match="no worth for the system 'c'"):
        union(data, "roles", {"a": 0.1, "b": 0.2})


def test_the_report_has_all_rows(combiner: Combiner, test: NBest, train: NBest) -> None:
    report = evaluate_combination(test, combiner, worth=system_worth(train, "roles"))
    assert list(report.rows) == [*SYSTEMS, "union", "vote", "combined", "perfect filter"]
    for name, texts in first_choices(test).items():
        assert report.rows[name][0].score == pytest.approx(score(test, texts))
    by, p = report.differences[report.best]
    assert by.delta == pytest.approx(report.rows["combined"][0].score - report.rows[report.best][0].score)
    assert p < 0.01
    json.dumps(report.to_dict())
    assert "perfect filter" in str(report)
    counts = contributions(test, "roles").counts
    total = sum(sum(own.values()) for own in counts.values())
    # All right parts that any system has, each once.
    reader = combiner.reader
    slow = sum(
        len({part for own in reader.split(group.texts.to_pylist()) for part in own} & set(reader.split(gold)[0]))
        for group, gold in zip(test, test.references.to_pylist(), strict=True)
    )
    assert total == slow


@pytest.mark.parametrize("learner", [LogLinear(sigma=1.0, calibration="none"), Boost(depth=2, rounds=10, seed=0)])
def test_reasons_add_up_to_the_lead(train: NBest, test: NBest, learner) -> None:
    found = train_combiner(train[:200], task="roles", learner=learner, price=0.8)
    group = test.group_ids[3].as_py()
    explained = explain_combination(found, test, group)
    assert explained.text == found.texts(test[3])[0]
    for part in explained.parts:
        odds = np.log(part.probability / (1 - part.probability))
        lead = (odds - found.curve[0]) / found.curve[1]
        assert sum(amount for _, amount in part.reasons) == pytest.approx(lead, abs=1e-4)
    kept = [(each.part.start, each.part.stop, each.part.label) for each in explained.parts if each.kept]
    assert [tuple(each) for each in found.reader.split([explained.text])[0]] == kept
    json.dumps(explained.to_dict())
    with pytest.raises(UsageError, match="there is no group"):
        explain_combination(found, test, "nowhere")
