"""`LinearModel`: scores, choices, ranks and explanations."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff import LinearModel, ModelError, NBest, UsageError
from runoff.nbest import Features


def example(seed: int = 0) -> tuple[LinearModel, NBest]:
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 6, 30)
    names = ["rule:np", "rule:vp", "word:a", "length"]
    data = NBest.from_arrays(
        rng.normal(size=(30, 4)) * (rng.random((30, 4)) < 0.7),
        groups=groups,
        base=rng.normal(size=30),
        feature_names=names,
        candidate_ids=[f"c{i}" for i in range(30)],
    )
    return LinearModel.of(dict(zip(names[:3], rng.normal(size=3), strict=True)), base_weight=0.7), data


@given(st.integers(0, 1000))
@settings(deadline=None)
def test_scores_are_the_product_in_the_order_of_the_input(seed: int) -> None:
    model, data = example(seed)
    grouped = data.features.to_scipy().toarray()[:, :3] @ model.weights + 0.7 * data.base
    assert model.scores(data) == pytest.approx(data.in_input_order(grouped), abs=1e-6)


@given(st.integers(0, 1000))
@settings(deadline=None)
def test_pick_rank_top_and_probability_agree(seed: int) -> None:
    model, data = example(seed)
    choices, top = model.pick(data), model.top(data, 3)
    scores, probability = model.scores(data), model.probabilities(data)
    ranks = model.ranks(data)
    rows = np.arange(30) if data.rows is None else data.rows
    for group, choice in enumerate(choices):
        mine = rows[data.offsets[group] : data.offsets[group + 1]]
        assert choice.score == max(scores[mine]) == scores[mine[choice.index]]
        assert choice.probability == pytest.approx(math.exp(choice.score) / np.exp(scores[mine]).sum())
        assert probability[mine].sum() == pytest.approx(1)
        assert ranks[mine[choice.index]] == 1
        assert sorted(ranks[mine]) == list(range(1, len(mine) + 1))
        assert [each.index for each in top[group]] == np.argsort(ranks[mine])[:3].tolist()
        assert choice.id == f"c{mine[choice.index]}"
        assert choice.first == np.argmax(data.base[data.offsets[group] : data.offsets[group + 1]])


def test_ties_go_to_the_higher_base_then_to_the_earlier() -> None:
    model = LinearModel.of({"0": 1.0})
    flat = np.ones((4, 1))
    assert model.pick(NBest.from_arrays(flat, sizes=[4], base=[1, 3, 3, 2]))[0].index == 1
    assert model.pick(NBest.from_arrays(flat, sizes=[4]))[0].index == 0


@given(st.integers(0, 1000))
@settings(deadline=None)
def test_contributions_add_up_to_the_difference(seed: int) -> None:
    model, data = example(seed)
    for group, name in enumerate(data.group_ids.to_pylist()):
        size = int(data.sizes[group])
        winner = int(model.pick(data).indices[group])
        for rival in range(size if size > 1 else 0):
            if rival == winner:
                with pytest.raises(UsageError, match="is the winner itself"):
                    model.explain(data, name, against=rival)
                continue
            found = model.explain(data, name, against=rival)
            assert found.difference == pytest.approx(found.winner.score - found.rival.score, abs=1e-12)
            assert math.fsum(found.families.values()) == pytest.approx(found.difference, abs=1e-12)
            assert set(found.families) <= {"rule", "word", "first-round score"}


def test_the_default_rival_is_the_first_choice_or_the_runner_up() -> None:
    data = NBest.from_arrays([[1], [2], [3]], sizes=[3], base=[3, 2, 1], feature_names=["x"])
    assert LinearModel.of({"x": 1.0}).explain(data, 0).rival.index == 0
    assert LinearModel.of({"x": -1.0}).explain(data, 0).rival.index == 1


def test_explanations_print_in_words_text_html_and_plain_values() -> None:
    model = LinearModel.of({"good:<b>": 2.0, "bad:x": -1.0})
    data = NBest.from_arrays(
        [[0, 0], [1, 1]],
        sizes=[2],
        group_ids=["g"],
        feature_names=["good:<b>", "bad:x"],
        texts=["one", "<two>"],
    )
    found = model.explain(data, "g")
    assert found.in_words() == (
        "Candidate 1 leads candidate 0 by 1.000, mostly through good:<b> (+2.00). Against it speaks bad:x (-1.00)."
    )
    assert "difference in score" in str(found)
    assert "<two>" not in found._repr_html_()
    assert found.to_dict()["difference"] == 1.0


def test_unseen_features_are_ignored_and_counted() -> None:
    model = LinearModel.of({"a": 1.0, "b": 0.0})
    data = NBest.from_arrays([[1, 1, 1], [0, 1, 1]], sizes=[2], feature_names=["a", "new", "b"])
    assert model.scores(data).tolist() == [1.0, 0.0]
    unseen = model.unseen(data)
    assert (unseen.columns, unseen.of_columns, unseen.values, unseen.of_values) == (1, 3, 2, 5)
    assert str(unseen).startswith("1 of 3 features were not seen in training")
    assert "1 of their features were not seen in training" in str(model.explain(data, 0))


def test_a_model_without_weights_scores_by_the_base_alone() -> None:
    data = NBest.from_arrays([[1.0], [2.0]], sizes=[2], base=[0.0, 1.0])
    assert LinearModel.of({}, base_weight=2.0).scores(data).tolist() == [0.0, 2.0]


def test_missing_base_scores_are_said() -> None:
    with pytest.raises(ModelError, match="weighs the first round's score"):
        LinearModel.of({}, base_weight=2.0).pick(NBest.from_arrays([[1.0]], sizes=[1]))


def test_a_column_that_a_row_has_twice_counts_twice_in_explanations_too() -> None:
    data = NBest.from_arrays(Features.from_csr([0, 3, 4], [0, 1, 0, 0], [1.0, 5.0, 2.0, 1.0], 2, ["a", "b"]), sizes=[2])
    found = LinearModel.of({"a": 1.0, "b": 0.5}).explain(data, 0)
    assert (found.winner.score, found.rival.score) == (5.5, 1.0)
    assert found.difference == 4.5


def test_groups_without_candidates_have_no_choice() -> None:
    data = NBest.from_arrays([[1.0]], sizes=[0, 1], texts=["x"])
    empty, full = LinearModel.of({"0": 1.0}).pick(data)
    assert (empty.index, empty.text) == (-1, None)
    assert (full.index, full.text) == (0, "x")


@pytest.mark.parametrize(("group", "against"), [("nowhere", None), ("0", "7"), ("0", "c"), ("1", None)])
def test_what_cannot_be_explained_is_said(group: str, against: str | None) -> None:
    data = NBest.from_arrays([[1.0], [2.0], [3.0]], sizes=[2, 1])
    with pytest.raises(UsageError, match=r"no group|no candidate|nothing to compare"):
        LinearModel.of({"0": 1.0}).explain(data, group, against)
