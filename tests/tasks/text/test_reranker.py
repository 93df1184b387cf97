"""The reranker of texts: finds what there is to find, does no harm where there is nothing, and keeps its promises."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.little_lists import keeping_numbers, noise, repeating
from runoff import NBest, load
from runoff.errors import DataError, RunoffError, UsageError
from runoff.features.first_choice import COLUMN
from runoff.metrics import get
from runoff.ranking import first_round
from runoff.tasks.text import RECIPES, TextReranker

QUICK: dict[str, Any] = {"families": "position,length,repetition,agreement", "recipes": "vote,loglinear"}
WITH_WORDS = next(name for name, recipe in RECIPES.items() if recipe.columns == "all")


def gain(learner: TextReranker, data: NBest, name: str) -> float:
    metric = get(name)
    rows = [metric.rows(data, ranked).sum(axis=0) for ranked in (learner.model.ranking(data), first_round(data))]
    return float(metric.signed(rows[0]) - metric.signed(rows[1]))


# ---------------------------------------------------------------- signals


@pytest.mark.parametrize("base", [False, True])
def test_words_said_twice_are_found(base: bool) -> None:
    learner = TextReranker(metric="wer").fit(repeating(0, base=base))
    fresh = repeating(100, 80, base=base)
    # By construction: a wrong text has one edit in 7 words and the first is wrong in 3 of 4 lists: 10.7 points of WER.
    assert gain(learner, fresh, "wer") > 9.5
    assert not learner.model.provenance["threshold"]["keeps_first_choice"]
    # The reported gain is on held-out lists: near the gain on fresh ones.
    assert learner.model.provenance["threshold"]["gain"] == pytest.approx(gain(learner, fresh, "wer"), abs=2.5)


def test_numbers_of_the_input_are_found() -> None:
    learner = TextReranker(metric="exact").fit(keeping_numbers(0))
    # By construction: the first of four is right in a quarter of the lists, the best always.
    assert gain(learner, keeping_numbers(100, 80), "exact") > 0.65


@pytest.mark.parametrize("metric", ["bleu", "chrf", "rouge-l", "exact", "cer"])
def test_other_metrics_gain_too(metric: str) -> None:
    learner = TextReranker(**{**QUICK, "metric": metric}).fit(repeating(0))
    assert gain(learner, repeating(100), metric) > 0
    assert not learner.model.provenance["threshold"]["keeps_first_choice"]


def test_quality_that_the_data_carries() -> None:
    data = repeating(0)
    rated = data.replace(references=None, quality=get("wer").quality(data))
    learner = TextReranker(families="usual", recipes="loglinear").fit(rated)
    assert gain(learner, repeating(100), "wer") > 9


# ---------------------------------------------------------------- no signal


SEEDS = range(20)


@pytest.fixture(scope="module")
def on_noise() -> list[tuple[TextReranker, float]]:
    found = []
    for seed in SEEDS:
        learner = TextReranker(recipes="vote,bayes-risk,loglinear", seed=seed).fit(noise(seed))
        found.append((learner, gain(learner, noise(1000 + seed, 300), "quality")))
    return found


def test_noise_does_no_harm(on_noise: list[tuple[TextReranker, float]]) -> None:
    # Quality has a standard deviation of 1; the mean over 20 x 300 fresh lists is known to about 0.01.
    assert np.mean([lost for _, lost in on_noise]) > -0.04


def test_most_models_of_noise_never_switch(on_noise: list[tuple[TextReranker, float]]) -> None:
    assert sum(learner.model.provenance["threshold"]["keeps_first_choice"] for learner, _ in on_noise) > len(SEEDS) / 2


def test_what_is_reported_of_noise_is_honest(on_noise: list[tuple[TextReranker, float]]) -> None:
    # A lower end of a 68% interval should be above the true gain, which is 0, in about one of six cases.
    above = sum(learner.model.provenance["threshold"]["gain_low"] > 0 for learner, _ in on_noise)
    assert above <= len(SEEDS) / 3


def test_a_first_round_that_is_right_is_left_alone() -> None:
    for seed in range(3):
        data = noise(seed)
        quality = np.array(data.quality)
        quality[data.offsets[:-1]] += 4.0
        learner = TextReranker(**QUICK).fit(data.replace(quality=quality))
        fresh = noise(500 + seed, 100)
        assert np.mean(learner.predict(fresh) != 0) < 0.05


# ---------------------------------------------------------------- never


def uninformed() -> NBest:
    """Lists in which the first is always best, by nothing that later lists share."""
    data = noise(3, 40)
    return data.replace(quality=np.tile([1.0, 0.0, 0.0, 0.0], 40))


def test_where_nothing_gains_every_first_choice_stays_and_that_is_said(tmp_path: Path) -> None:
    learner = TextReranker(families="length,shape", recipes="loglinear").fit(uninformed())
    assert learner.model.provenance["threshold"]["keeps_first_choice"]
    assert any("leaves every first choice as it is" in said for said in learner.model.provenance["warnings"])
    fresh = noise(9, 30, base=True)
    assert learner.predict(fresh).tolist() == first_round(fresh).indices.tolist()
    learner.model.save(tmp_path / "m")
    assert load(tmp_path / "m").pick(fresh).indices.tolist() == first_round(fresh).indices.tolist()


def test_without_caution_it_always_goes_by_its_scores() -> None:
    learner = TextReranker(families="length,shape", recipes="loglinear", careful=False).fit(uninformed())
    assert learner.model.provenance["threshold"] is None
    assert COLUMN not in learner.model.names.to_pylist()


# ---------------------------------------------------------------- the same for a seed


def weights(**how: Any) -> bytes:
    return (
        TextReranker(metric="wer", recipes="loglinear,perceptron", **how).fit(repeating(0, 30)).model.weights.tobytes()
    )


def test_the_same_seed_gives_the_same_model() -> None:
    assert weights(seed=3) == weights(seed=3)


def test_the_number_of_threads_does_not_matter(tmp_path: Path) -> None:
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from helpers.little_lists import repeating\n"
        "from runoff.tasks.text import TextReranker\n"
        "learner = TextReranker(metric='wer', recipes='vote,loglinear')\n"
        "learner.fit(repeating(0, 30, base=True)).model.save(sys.argv[2])\n"
    )
    for threads in ("1", "3"):
        environment = {**os.environ, "RUNOFF_THREADS": threads}
        arguments = [str(Path(__file__).parents[2]), str(tmp_path / threads)]
        subprocess.run([sys.executable, "-c", program, *arguments], check=True, env=environment, timeout=120)
    assert (tmp_path / "1").read_bytes() == (tmp_path / "3").read_bytes()


def test_a_saved_model_chooses_alike(tmp_path: Path) -> None:
    learner = TextReranker(metric="wer").fit(repeating(0, 30, base=True))
    learner.model.save(tmp_path / "m")
    again, fresh = load(tmp_path / "m"), repeating(7, base=True)
    assert again.scores(fresh).tobytes() == learner.model.scores(fresh).tobytes()
    assert again.provenance["recipe"] == learner.model.provenance["recipe"]


# ---------------------------------------------------------------- kinds of data


def test_copies_are_kept_and_the_original_index_is_returned() -> None:
    learner = TextReranker(**QUICK, metric="wer").fit(repeating(0))
    wrong, right = "so so it is", "so it is"
    data = NBest.from_arrays(texts=[wrong, wrong, right, wrong, right], sizes=[5])
    choices = learner.model.pick(data)
    assert choices[0].index == 2
    assert choices[0].text == right
    scores = learner.model.scores(data)
    assert scores.size == 5
    assert scores[2] > scores[1]


def test_interleaved_rows_are_scored_where_they_came() -> None:
    data = repeating(0, 30, base=True)
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
    learner = TextReranker(**QUICK, metric="wer").fit(data)
    assert learner.model.scores(mixed).tolist() == pytest.approx(learner.model.scores(data)[order].tolist(), abs=1e-6)
    # Learning from interleaved rows is learning from the same lists with their rows brought together.
    together = NBest.from_arrays(
        texts=mixed.texts, sizes=mixed.sizes, base=mixed.base, references=mixed.references, metric="wer"
    )
    models = [TextReranker(**QUICK, metric="wer").fit(each, dev=each).model for each in (mixed, together)]
    assert models[0].weights.tobytes() == models[1].weights.tobytes()
    models = [TextReranker(**QUICK, metric="wer").fit(each).model for each in (mixed, together)]
    assert models[0].weights.tobytes() == models[1].weights.tobytes()


def test_groups_without_candidates() -> None:
    full = repeating(0, 30)
    sizes = [size for at in range(30) for size in ((4, 0) if at % 3 == 0 else (4,))]
    references = [text for at in range(30) for text in ([full.references[at].as_py()] * (2 if at % 3 == 0 else 1))]
    data = NBest.from_arrays(texts=full.texts, sizes=sizes, references=references, metric="wer")
    learner = TextReranker(metric="wer").fit(data)
    picks = learner.predict(data)
    assert np.array_equal(picks == -1, np.array(sizes) == 0)
    assert gain(learner, repeating(100), "wer") > 9


def test_most_groups_without_candidates() -> None:
    data = NBest.from_arrays(texts=["a a", "a"] * 2, sizes=[2, 0, 0, 0, 2], references=["a"] * 5, metric="wer")
    for seed in range(8):
        TextReranker(**QUICK, metric="wer", folds=2, seed=seed).fit(data)


def test_one_list_that_teaches_something() -> None:
    data = NBest.from_arrays(texts=["a a", "a"] * 6, sizes=[2] * 6, quality=[0, 1] + [1, 1] * 5)
    TextReranker(**QUICK).fit(data)


def test_one_group_and_no_informative_group_are_said() -> None:
    with pytest.raises(UsageError, match="one list is too little"):
        TextReranker(**QUICK, metric="wer").fit(repeating(0, 1))
    data = NBest.from_arrays(texts=["a", "b"] * 6, sizes=[2] * 6, quality=[1.0] * 12)
    with pytest.raises(DataError, match="nothing to learn"):
        TextReranker(**QUICK).fit(data)


def test_one_group_with_dev_data() -> None:
    learner = TextReranker(**QUICK, metric="wer").fit(repeating(0, 1), dev=repeating(1, 30))
    assert learner.predict(repeating(2, 5)).size == 5


def test_dev_data_judges() -> None:
    learner = TextReranker(**QUICK, metric="wer").fit(repeating(0), dev=repeating(1, 40))
    assert learner.model.provenance["judged_on"] == "dev data"
    found = TextReranker(**QUICK, metric="wer").fit(repeating(0)).model
    assert found.provenance["judged_on"] == "5 folds of the training lists"
    # Dev data in which the first is always right: nothing can gain there.
    dev = repeating(1, 40)
    best_first = dev.replace(references=[[dev.texts[int(start)].as_py()] for start in dev.offsets[:-1]])
    assert (
        TextReranker(**QUICK, metric="wer")
        .fit(repeating(0), dev=best_first)
        .model.provenance["threshold"]["keeps_first_choice"]
    )


def test_data_without_any_list_has_no_choices() -> None:
    learner = TextReranker(**QUICK, metric="wer").fit(repeating(0))
    assert learner.predict(repeating(0)[:0]).size == 0


def test_data_without_any_list_and_all_families() -> None:
    learner = TextReranker(metric="wer", recipes="loglinear").fit(repeating(0))
    assert learner.predict(repeating(0)[:0]).size == 0


def test_data_without_texts_is_said() -> None:
    learner = TextReranker(**QUICK, metric="wer").fit(repeating(0))
    bare = NBest.from_arrays([[1.0], [2.0]], sizes=[2])
    with pytest.raises(DataError, match="have no texts"):
        learner.predict(bare)
    with pytest.raises(RunoffError):
        TextReranker().fit(NBest.from_arrays([[1.0], [2.0]] * 3, sizes=[2] * 3, quality=[0, 1] * 3))


def test_a_single_candidate_in_each_list_stays() -> None:
    learner = TextReranker(**QUICK, metric="wer").fit(repeating(0))
    assert learner.predict(NBest.from_arrays(texts=["a", "b"], sizes=[1, 1])).tolist() == [0, 0]


class Encoder:
    def encode(self, texts: list[str], **_: Any) -> np.ndarray:
        return np.array([[len(text), text.count("a"), 1.0] for text in texts], np.float32)


def test_an_encoder_of_ones_own_can_choose_after_it_learned() -> None:
    learner = TextReranker(
        families="length,repetition,embedding", encoder=Encoder(), recipes="loglinear", metric="wer"
    ).fit(repeating(0))
    assert learner.predict(repeating(1)).size == 60


def test_families_without_dense_columns() -> None:
    learner = TextReranker(families="words", metric="wer", min_lists=2).fit(repeating(0, 20))
    assert learner.predict(repeating(1, 5)).size == 5
    assert all("words" in recipe for recipe in learner.model.provenance["recipes"])
    with pytest.raises(UsageError, match="none of the recipes 'auto' can do with the families 'scores'"):
        TextReranker(families="scores", metric="wer").fit(repeating(0, 20))


def test_texts_are_compared_by_the_metric() -> None:
    provenance = TextReranker(**QUICK, metric="wer").fit(repeating(0, 20)).model.provenance
    assert provenance["similarity"].startswith("wer")
    provenance = TextReranker(**QUICK, metric="wer", similarity="chrf").fit(repeating(0, 20)).model.provenance
    assert provenance["similarity"].startswith("chrf")


def test_texts_are_compared_by_what_the_data_is_judged_by() -> None:
    assert TextReranker(**QUICK).fit(repeating(0, 20)).model.provenance["similarity"].startswith("wer")


# ---------------------------------------------------------------- as scikit-learn has it


def test_parameters_round_trip() -> None:
    learner = TextReranker(families="length", recipes="loglinear", folds=3, careful=False, word_orders=(1, 3), seed=4)
    parameters = learner.get_params()
    again = TextReranker(**parameters)
    assert again.get_params() == parameters
    assert set(parameters) == set(TextReranker.parameters())
    for name, value in parameters.items():
        assert TextReranker().set_params(**{name: value}).get_params()[name] is value
    with pytest.raises(ValueError, match="has no parameter 'famlies'"):
        learner.set_params(famlies="x")
    assert repr(TextReranker(seed=4)) == "TextReranker(seed=4)"


def test_the_tools_of_scikit_learn() -> None:
    pytest.importorskip("sklearn")
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

    data, learner = repeating(0, 40), TextReranker(**QUICK, metric="wer")
    copy = clone(learner)
    assert copy.get_params() == learner.get_params()
    scores = cross_val_score(learner, data, cv=KFold(3))
    expected = []
    for train, test in KFold(3).split(data):
        fitted = TextReranker(**QUICK, metric="wer").fit(data[train])
        metric = get("wer")
        rows = metric.rows(data[test], fitted.model.ranking(data[test]))
        expected.append(float(metric.signed(rows.sum(axis=0))))
    assert scores == pytest.approx(expected, abs=1e-9)
    grid = {"families": ["shape", "repetition,length"]}
    search = GridSearchCV(TextReranker(recipes="loglinear", metric="wer"), grid, cv=2).fit(data)
    assert search.best_params_ == {"families": "repetition,length"}
    assert search.predict(data).size == 40


def test_a_learner_that_has_chosen_can_be_sent_by_a_worker_process() -> None:
    # As scikit-learn's cross_validate(n_jobs=2, return_estimator=True) does.
    learner = TextReranker(**QUICK, metric="wer").fit(repeating(0, 20))
    picks = learner.predict(repeating(1, 5))
    assert pickle.loads(pickle.dumps(learner)).predict(repeating(1, 5)).tolist() == picks.tolist()


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"families": "lenght"}, "there is no feature family 'lenght'"),
        ({"families": 5}, "families of TextReranker must be a text"),
        ({"recipes": "best"}, "there is no recipe 'best'"),
        ({"recipes": 5}, "recipes of TextReranker must be a text"),
        ({"recipes": ""}, "recipes of TextReranker must be a text"),
        ({"recipes": ","}, "expected at least one recipe"),
        ({"recipes": WITH_WORDS}, f"none of the recipes '{WITH_WORDS}' can do"),
        ({"families": "length", "recipes": "vote"}, "none of the recipes 'vote' can do"),
        ({"folds": 1}, "folds of TextReranker must be a whole number of at least 2"),
        ({"folds": 2.5}, "folds of TextReranker must be a whole number"),
        ({"confidence": 1.0}, "confidence of TextReranker must be"),
        ({"confidence": 0}, "confidence of TextReranker must be"),
        ({"careful": "yes"}, "careful of TextReranker must be true or false"),
        ({"lm_order": 0}, "lm_order of TextReranker must be a whole number"),
        ({"lm_order": 7}, "lm_order of TextReranker must be a whole number from 1 to 6"),
        ({"min_lists": 0}, "min_lists of TextReranker must be"),
        ({"hashed": -1}, "hashed of TextReranker must be"),
        ({"hashed": 3, "families": "words", "recipes": WITH_WORDS}, "power of two"),
        ({"seed": -1}, "seed of TextReranker must be"),
        ({"metric": "nonsense"}, "there is no metric 'nonsense'"),
        ({"similarity": "ndcg@5"}, "does not compare texts"),
        ({"families": "embedding"}, "needs an encoder"),
        ({"families": "embedding", "encoder": 3}, "an encoder needs a method encode"),
        ({"word_orders": (0,)}, "word_orders of TextReranker must be a list, each a whole number"),
    ],
)
def test_wrong_parameters_are_said(parameters: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        TextReranker(**{**QUICK, "metric": "wer", **parameters}).fit(repeating(0, 10))


@pytest.mark.parametrize(
    "parameters",
    [{"families": None}, {"recipes": None}, {"word_orders": 5}, {"word_orders": None}, {"character_orders": 5},
     {"confidence": "high"}, {"confidence": None}],
)  # fmt: skip
def test_parameters_of_the_wrong_kind_are_said(parameters: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        TextReranker(**{**QUICK, "metric": "wer", **parameters}).fit(repeating(0, 10))
