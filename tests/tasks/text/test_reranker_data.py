"""The reranker of texts on all kinds of lists: copies, interleaved rows, empty groups, few groups."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from helpers.synthetic_lists import gain, repeating_lists
from runoff import NBest
from runoff.errors import DataError, UsageError
from runoff.tasks.text import TextReranker

FEW: dict[str, Any] = {"families": "position,length,repetition,agreement", "recipes": "vote,loglinear"}


def test_copies_are_kept_and_the_original_index_is_returned() -> None:
    learner = TextReranker(**FEW, metric="wer").fit(repeating_lists(0))
    wrong, right = "so so it is", "so it is"
    data = NBest.from_arrays(texts=[wrong, wrong, right, wrong, right], sizes=[5])
    choices = learner.model.pick(data)
    assert choices[0].index == 2
    assert choices[0].text == right
    scores = learner.model.scores(data)
    assert scores.size == 5
    assert scores[2] > scores[1]


def test_interleaved_rows_are_scored_where_they_came() -> None:
    data = repeating_lists(0, 30, base=True)
    # The first candidates of all lists, then the second ones, and so on: within a list they keep their order.
    order = np.arange(data.n_candidates).reshape(30, 4)[np.random.default_rng(0).permutation(30)].T.ravel()
    mixed = NBest.from_arrays(
        texts=data.texts.take(order),
        groups=data.group_ids.take(data.group_of).take(order),
        base=data.base[order],
        metric="wer",
    )
    # Groups come in the order of their first row.
    at = [data.find(name) for name in mixed.group_ids.to_pylist()]
    mixed = mixed.replace(references=[data.references[i].as_py() for i in at])
    assert mixed.rows is not None
    learner = TextReranker(**FEW, metric="wer").fit(data)
    assert learner.model.scores(mixed).tolist() == pytest.approx(learner.model.scores(data)[order].tolist(), abs=1e-6)
    # Learning from interleaved rows is learning from the same lists with their rows brought together.
    together = NBest.from_arrays(
        texts=mixed.texts, sizes=mixed.sizes, base=mixed.base, references=mixed.references, metric="wer"
    )
    models = [TextReranker(**FEW, metric="wer").fit(each, dev=each).model for each in (mixed, together)]
    assert models[0].weights.tobytes() == models[1].weights.tobytes()
    models = [TextReranker(**FEW, metric="wer").fit(each).model for each in (mixed, together)]
    assert models[0].weights.tobytes() == models[1].weights.tobytes()


def test_groups_without_candidates() -> None:
    full = repeating_lists(0, 30)
    sizes = [size for at in range(30) for size in ((4, 0) if at % 3 == 0 else (4,))]
    references = [text for at in range(30) for text in ([full.references[at].as_py()] * (2 if at % 3 == 0 else 1))]
    data = NBest.from_arrays(texts=full.texts, sizes=sizes, references=references, metric="wer")
    learner = TextReranker(metric="wer", recipes="vote,blend,blend-words").fit(data)
    picks = learner.predict(data)
    assert np.array_equal(picks == -1, np.array(sizes) == 0)
    assert gain(learner, repeating_lists(100), "wer") > 9


def test_most_groups_without_candidates() -> None:
    data = NBest.from_arrays(texts=["a a", "a"] * 2, sizes=[2, 0, 0, 0, 2], references=["a"] * 5, metric="wer")
    picks = set()
    for seed in range(4):
        learner = TextReranker(**FEW, metric="wer", folds=2, seed=seed, careful=False).fit(data)
        picks.add(tuple(learner.predict(data).tolist()))
    # Both lists in different folds: each is learned from the other. Both in one fold: there is nothing to learn from.
    assert picks == {(1, -1, -1, -1, 1), (0, -1, -1, -1, 0)}


def test_one_list_that_teaches_something() -> None:
    data = NBest.from_arrays(texts=["a a", "a"] * 6, sizes=[2] * 6, quality=[0, 1] + [1, 1] * 5)
    learner = TextReranker(families="repetition", recipes="loglinear", careful=False).fit(data)
    assert learner.predict(data).tolist() == [1] * 6
    # One list is no proof, so by default the first choices stay.
    assert TextReranker(families="repetition", recipes="loglinear").fit(data).predict(data).tolist() == [0] * 6


def test_one_group_and_no_informative_group_are_said() -> None:
    with pytest.raises(UsageError, match="one list is too few"):
        TextReranker(**FEW, metric="wer").fit(repeating_lists(0, 1))
    data = NBest.from_arrays(texts=["a", "b"] * 6, sizes=[2] * 6, quality=[1.0] * 12)
    with pytest.raises(DataError, match="nothing to learn"):
        TextReranker(**FEW).fit(data)


def test_one_group_with_dev_data() -> None:
    learner = TextReranker(**FEW, metric="wer").fit(repeating_lists(0, 1), dev=repeating_lists(1, 30))
    assert gain(learner, repeating_lists(2, 20), "wer") > 9


def test_dev_data_judges() -> None:
    learner = TextReranker(**FEW, metric="wer").fit(repeating_lists(0), dev=repeating_lists(1, 40))
    assert learner.model.provenance["judged_on"] == "dev data"
    found = TextReranker(**FEW, metric="wer").fit(repeating_lists(0)).model
    assert found.provenance["judged_on"] == "5 folds of the training lists"
    # Dev data in which the first is always right: nothing can gain there.
    dev = repeating_lists(1, 40)
    best_first = dev.replace(references=[[dev.texts[int(start)].as_py()] for start in dev.offsets[:-1]])
    assert (
        TextReranker(**FEW, metric="wer")
        .fit(repeating_lists(0), dev=best_first)
        .model.provenance["threshold"]["keeps_first_choice"]
    )


def test_data_without_any_list_has_no_choices() -> None:
    learner = TextReranker(**FEW, metric="wer").fit(repeating_lists(0))
    assert learner.predict(repeating_lists(0)[:0]).size == 0


def test_data_without_any_list_and_all_families() -> None:
    learner = TextReranker(metric="wer", recipes="loglinear").fit(repeating_lists(0))
    assert learner.predict(repeating_lists(0)[:0]).size == 0


def test_data_without_texts_is_said() -> None:
    learner = TextReranker(**FEW, metric="wer").fit(repeating_lists(0))
    bare = NBest.from_arrays([[1.0], [2.0]], sizes=[2])
    with pytest.raises(DataError, match="have no texts"):
        learner.predict(bare)
    with pytest.raises(DataError, match="have no texts"):
        TextReranker().fit(NBest.from_arrays([[1.0], [2.0]] * 3, sizes=[2] * 3, quality=[0, 1] * 3))


def test_a_single_candidate_in_each_list_stays() -> None:
    learner = TextReranker(**FEW, metric="wer").fit(repeating_lists(0))
    assert learner.predict(NBest.from_arrays(texts=["a", "b"], sizes=[1, 1])).tolist() == [0, 0]


class Encoder:
    def encode(self, texts: list[str], **_: Any) -> np.ndarray:
        return np.array([[len(text), text.count("a"), 1.0] for text in texts], np.float32)


def test_an_encoder_of_ones_own_can_choose_after_it_learned() -> None:
    learner = TextReranker(
        families="length,repetition,embedding", encoder=Encoder(), recipes="loglinear", metric="wer"
    ).fit(repeating_lists(0))
    assert gain(learner, repeating_lists(1), "wer") > 9
    assert any(name.startswith("embedding:") for name in learner.model.names.to_pylist())


def test_families_without_dense_columns() -> None:
    learner = TextReranker(families="words", metric="wer", min_lists=2).fit(repeating_lists(0, 20))
    assert learner.predict(repeating_lists(1, 5)).size == 5
    assert all("words" in recipe for recipe in learner.model.provenance["recipes"])
    with pytest.raises(UsageError, match="none of the recipes 'auto' works with the families 'scores'"):
        TextReranker(families="scores", metric="wer").fit(repeating_lists(0, 20))


def test_texts_are_compared_by_the_metric() -> None:
    provenance = TextReranker(**FEW, metric="wer").fit(repeating_lists(0, 20)).model.provenance
    assert provenance["similarity"].startswith("wer")
    provenance = TextReranker(**FEW, metric="wer", similarity="chrf").fit(repeating_lists(0, 20)).model.provenance
    assert provenance["similarity"].startswith("chrf")


def test_texts_are_compared_by_what_the_data_is_judged_by() -> None:
    assert TextReranker(**FEW).fit(repeating_lists(0, 20)).model.provenance["similarity"].startswith("wer")
