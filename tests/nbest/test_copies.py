"""Copies of a text are one candidate: against a slow and obvious search, and in choices, counts and explanations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff import LinearModel, NBest, UsageError, compare, evaluate
from runoff.learners.switching import choose_threshold, with_threshold
from runoff.metrics import get
from runoff.model.votes import Votes
from runoff.nbest.copies import first_copies
from runoff.ranking import by_score, chosen, first_round

few = st.integers(0, 2).map(float)
candidates = st.tuples(st.sampled_from(["", "a", "b", "c"]), few, few, few)  # text, base, quality, score
lists = st.lists(st.lists(candidates, max_size=5), max_size=4)


def build(
    groups: list[list[tuple[str, float, float, float]]], *, base: bool, quality: bool
) -> tuple[NBest, np.ndarray]:
    flat = [each for group in groups for each in group]
    return NBest.from_arrays(
        texts=[text for text, _, _, _ in flat],
        base=[each for _, each, _, _ in flat] if base else None,
        quality=[each for _, _, each, _ in flat] if quality else None,
        sizes=list(map(len, groups)),
    ), np.array([score for _, _, _, score in flat])


@settings(deadline=None)
@given(lists, st.booleans(), st.booleans())
def test_the_first_copy_is_the_one_that_the_first_round_prefers(
    groups: list[list[tuple[str, float, float, float]]], base: bool, quality: bool
) -> None:
    data, scores = build(groups, base=base, quality=quality)
    texts = data.texts.to_pylist()

    def are_copies(a: int, b: int) -> bool:
        if a == b:
            return True
        same_group = data.group_of[a] == data.group_of[b]
        return bool(same_group and texts[a] == texts[b] != "" and (not quality or data.quality[a] == data.quality[b]))

    def first(row: int) -> int:
        mine = [each for each in range(data.n_candidates) if are_copies(row, each)]
        return min(mine, key=lambda each: (-data.base[each] if base else 0.0, each))

    expected = [first(row) for row in range(data.n_candidates)]
    found = first_copies(data)
    assert (list(range(data.n_candidates)) if found is None else found.tolist()) == expected
    before, after = by_score(data, scores), chosen(data, scores)
    assert after.top.tolist() == [expected[row] for row in before.top.tolist()]
    for start, stop in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        assert sorted(after.rows[start:stop]) == list(range(start, stop))


def switching_to_copies() -> NBest:
    """The feature prefers the second copy of the first text in two lists, and another text in the third."""
    return NBest.from_arrays(
        [[0], [2], [1], [0], [1], [3], [0], [1], [2]],
        texts=["a", "a", "b", "c", "d", "c", "e", "e", "f"],
        quality=[1, 1, 0, 0, 1, 0, 0, 0, 1],
        sizes=[3] * 3,
        feature_names=["x"],
    )


MODEL = LinearModel.of({"x": 1.0})


def test_a_copy_of_the_first_choice_is_no_switch() -> None:
    data = switching_to_copies()
    choices = MODEL.pick(data)
    assert choices.indices.tolist() == [0, 0, 2]
    assert choices.changed == 1
    found = evaluate(MODEL, data)
    assert (found.changed, found.wins, found.losses) == (1, 1, 0)
    assert compare(MODEL, LinearModel.of({"x": 0.0}), data).differ == 1
    assert MODEL.ranks(data).tolist() == [1, 3, 2, 1, 2, 3, 3, 2, 1]


def test_a_text_has_the_score_of_its_best_copy_and_the_probability_of_all() -> None:
    data = switching_to_copies()
    first = MODEL.pick(data)[0]
    e = np.exp([0.0, 2.0, 1.0])
    assert (first.index, first.score) == (0, 2.0)
    assert first.probability == pytest.approx((e[0] + e[1]) / e.sum())
    assert MODEL.probabilities(data)[:3] == pytest.approx(e / e.sum())


def test_the_same_text_with_another_quality_is_another_candidate() -> None:
    data = switching_to_copies().replace(quality=[0, 1, 0, 0, 1, 0, 0, 0, 1])
    assert MODEL.pick(data).indices.tolist() == [1, 0, 2]


def test_the_threshold_counts_no_switch_to_a_copy() -> None:
    one = switching_to_copies()
    data = NBest.from_arrays(
        np.tile(one.features.to_scipy().toarray(), (20, 1)),
        texts=one.texts.to_pylist() * 20,
        quality=np.tile(one.quality, 20),
        sizes=[3] * 60,
        feature_names=["x"],
    )
    found = choose_threshold(data, MODEL.scores(data), get("quality"))
    assert (found.switched, found.gain) == (20, pytest.approx(1 / 3))
    assert with_threshold(MODEL, found).pick(data).changed == 20


def test_votes_of_copies_add_up() -> None:
    # Three vectors vote: two for copies of "a", which alone would lose against the votes of "b".
    data = NBest.from_arrays(
        np.eye(3), texts=["b", "a", "a"], sizes=[3], feature_names=["0", "1", "2"], base=[0.0, 0.0, 1.0]
    )
    deltas = [[0, 1.0], [0, -1.0], [1, 1.0], [1, -1.0], [2, 1.0]]
    votes = Votes(
        np.array([0, 1, 3, 5]),
        np.array([each[0] for each in deltas], np.int32),
        np.array([each[1] for each in deltas]),
        np.zeros(3),
        np.array([0, 3, 2, 2]),
    )
    model = LinearModel(np.ones(3), data.features.names, votes=votes)
    assert model.scores(data).tolist() == [3 / 7, 0.0, 4 / 7]
    assert model.pick(data)[0].index == 2
    assert model.pick(data)[0].probability == pytest.approx(4 / 7)


# -------------------------------------------------------------------- explanations


def test_nothing_is_explained_against_its_own_copy() -> None:
    data = switching_to_copies()
    found = MODEL.explain(data, 0)
    assert (found.winner.index, found.rival.index, found.difference) == (0, 2, 1.0)
    assert found.winner.score - found.rival.score == found.difference
    assert MODEL.explain(data, 2).rival.text == "e"
    with pytest.raises(UsageError, match="candidate 1 has the winner's own text; name one with another text"):
        MODEL.explain(data, 0, against=1)
    with pytest.raises(UsageError, match="all candidates of group '0' have the same text: nothing to compare"):
        MODEL.explain(data[0].replace(texts=["a"] * 3, quality=None), 0)


def test_the_rival_too_is_its_best_copy() -> None:
    found = MODEL.explain(switching_to_copies(), 2)
    assert (found.rival.index, found.rival.score, found.difference) == (0, 1.0, 1.0)


def test_the_first_round_is_what_it_was() -> None:
    data = switching_to_copies()
    assert first_round(data).indices.tolist() == [0, 0, 0]
