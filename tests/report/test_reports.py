"""Describe, evaluate, compare and cross-validate on data whose answers are known."""

import dataclasses
import json
from collections.abc import Mapping

import numpy as np
import pytest

from helpers.registries import own_registries
from runoff import (
    DataError,
    LinearModel,
    LogLinear,
    NBest,
    UsageError,
    compare,
    cross_validate,
    describe,
    evaluate,
    tasks,
)
from runoff.metrics import Resampling
from runoff.ranking import Ranking
from runoff.report import evaluate_baselines


def four_groups() -> NBest:
    """First choices are right in 1 of 4 groups; feature x marks the right one in 3 of 4."""
    return NBest.from_arrays(
        [[0], [1], [0], [1], [1], [0], [1], [0]],
        quality=[0, 1, 0, 1, 1, 0, 0, 1],
        sizes=[2] * 4,
        feature_names=["x"],
        texts=["a", "b", "c", "c", "d", "e", "f", "g"],
    )


def test_evaluate_counts_by_hand() -> None:
    found = evaluate(LinearModel.of({"x": 1.0}), four_groups())["quality"]
    assert (found.first.score, found.chosen.score, found.oracle.score, found.random.score) == (0.25, 0.75, 1.0, 0.5)
    assert found.gain.delta == 0.5
    assert found.recovered == pytest.approx(2 / 3)
    assert not found.better  # two groups of four changed: p can be no smaller than 1/2 (sign test)
    assert found.p == pytest.approx(0.5, abs=0.02)


def test_evaluate_prints_as_text_html_and_json() -> None:
    found = evaluate(LinearModel.of({"x": 1.0, "unused": 1.0}), four_groups())
    text = str(found)
    assert "Warning: quality: chosen is not significantly better than the first round" in text
    assert "First round: first candidate in the file" in text
    assert "signature: quality" in text
    assert "<table>" in found._repr_html_()
    assert json.loads(json.dumps(found.to_dict()))["results"][0]["recovered"] == pytest.approx(2 / 3)


def test_for_an_error_rate_a_gain_is_still_positive_when_better() -> None:
    data = NBest.from_arrays(
        [[0], [1]], sizes=[2], texts=["x", "a"], references=["a"], feature_names=["x"], base=[1.0, 0.0]
    )
    found = evaluate(LinearModel.of({"x": 1.0}), data, "wer")["wer"]
    assert (found.first.score, found.chosen.score, found.gain.delta) == (100.0, 0.0, 100.0)


def test_unseen_features_and_empty_groups_are_said() -> None:
    data = NBest.from_arrays(np.eye(2), quality=[0, 1], sizes=[2, 0], feature_names=["x", "new"], texts=["a", "b"])
    text = str(evaluate(LinearModel.of({"x": 1.0}), data))
    assert "1 of 2 features were not seen in training" in text
    assert "1 group(s) have no candidates" in text


def test_describe_counts_by_hand() -> None:
    found = describe(four_groups())
    assert (found.groups, found.candidates, found.features) == (4, 8, 1)
    assert (found.duplicates, found.duplicates_by) == (1, "text")
    assert (found.tied_best, found.all_tied) == (0, 0)
    assert found.density == 0.5
    prospect = found.prospects[0]
    assert (prospect.first, prospect.oracle, prospect.oracle_at) == (0.25, 1.0, {1: 0.25})
    assert prospect.recoverable == 1.0
    assert "oracle@1" in str(found)
    assert json.loads(json.dumps(found.to_dict()))["prospects"][0]["oracle_at"] == {"1": 0.25}


def test_describe_counts_ties_and_duplicates_by_features() -> None:
    data = NBest.from_arrays([[1, 0], [1, 0], [0, 2], [0, 3]], quality=[1, 1, 2, 2], sizes=[3, 1], base=[0, 0, 0, 0])
    found = describe(data)
    assert (found.duplicates, found.duplicates_by) == (1, "features")
    assert (found.tied_best, found.all_tied) == (0, 1)
    assert "base scores" in str(found)


def test_describe_without_quality_says_what_is_missing() -> None:
    nothing = describe(NBest.from_arrays(texts=["a"], sizes=[1]))
    assert nothing.prospects == ()
    assert "a model can choose from this data, but not be trained or evaluated on it" in str(nothing)


def test_compare_counts_wins_by_hand() -> None:
    found = compare(LinearModel.of({"x": 1.0}), LinearModel.of({"x": -1.0}), four_groups())
    assert (found.differ, found.wins_a, found.wins_b) == (4, 3, 1)
    assert found.duels[0].lead.delta == 0.5
    assert found.verdict.startswith("No significant difference")


def test_cross_validation_chooses_with_models_that_never_saw_the_group() -> None:
    # Every group has a feature of its own that marks the right candidate, and nothing else: only a model that
    # saw the group could choose it. Out of fold, all scores tie and the first candidate is taken.
    rows = np.zeros((40, 20))
    rows[1::2] = np.eye(20)
    data = NBest.from_arrays(rows, quality=[0, 1] * 20, sizes=[2] * 20)
    learner = LogLinear(sigma=10.0)
    assert learner.fit(data).score(data) == 1.0
    assert cross_validate(learner, data, folds=4)["quality"].chosen.score == 0.0


def shared_references() -> NBest:
    """Every reference belongs to four lists, whose right candidate has a feature of that reference and nothing else."""
    rows = np.zeros((80, 10))
    rows[1::2] = np.repeat(np.eye(10), 4, axis=0)
    references = [f"{at // 4}" for at in range(40)]
    speakers = {"speaker": ["even" if at % 2 else "odd" for at in range(40)]}
    return NBest.from_arrays(rows, quality=[0, 1] * 40, sizes=[2] * 40, references=references, attributes=speakers)


def test_cross_validation_keeps_lists_together_that_share_a_reference() -> None:
    data, learner = shared_references(), LogLinear(sigma=10.0)
    kept, cut = (cross_validate(learner, data, folds=4, group_by=by) for by in (None, "none"))
    assert kept["quality"].chosen.score == 0.0
    assert cut["quality"].chosen.score == 1.0  # the other lists of the same reference give it away
    assert "Folds keep lists together that share a reference: 40 lists in 10 blocks." in kept.notes
    assert not any("together" in note for note in cut.notes)


def test_cross_validation_by_an_attribute_and_by_the_learners_own_choice() -> None:
    data = shared_references()
    by_speaker = cross_validate(LogLinear(sigma=10.0, group_by="speaker"), data, folds=2)
    assert "Folds keep lists together that share the attribute 'speaker': 40 lists in 2 blocks." in by_speaker.notes
    with pytest.raises(
        UsageError, match=r"2 blocks of those that share the attribute 'speaker', .* found 3 folds\. Ask for"
    ):
        cross_validate(LogLinear(sigma=10.0), data, folds=3, group_by="speaker")


def test_cross_validation_is_the_same_each_time_and_restores_interleaved_rows() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    groups = rng.permutation(np.repeat(np.arange(40), 5))
    data = NBest.from_arrays(X, quality=X[:, 0], groups=groups)
    first, second = (cross_validate(LogLinear(sigma=1.0), data) for _ in "ab")
    assert first == second
    assert first["quality"].recovered > 0.9


def test_questions_that_cannot_be_answered_get_a_sentence() -> None:
    with pytest.raises(UsageError, match="2 to 4 folds; found 9"):
        cross_validate(LogLinear(), four_groups(), folds=9)
    with pytest.raises(UsageError, match="confidence between 0 and 1"):
        evaluate(LinearModel.of({}), four_groups(), resampling=Resampling(confidence=95))
    with pytest.raises(DataError, match="reference"):
        evaluate(LinearModel.of({}), four_groups(), "wer")


def test_a_metric_by_quality_does_not_judge_by_another_metrics_numbers() -> None:
    data = NBest.from_arrays([[0], [1]], sizes=[2], texts=["x", "a"], references=["a"])
    with pytest.raises(UsageError, match="map uses the quality of candidates"):
        evaluate(LinearModel.of({}), data, "wer,map")
    with pytest.raises(DataError, match="needs the quality"):
        evaluate(LinearModel.of({}), data)
    described = describe(data)
    assert described.prospects == ()
    assert "give a metric" in str(described)


def test_quality_that_the_data_carries_is_never_exchanged() -> None:
    data = NBest.from_arrays([[0], [1]], [5.0, 1.0], sizes=[2], texts=["x", "a"], references=["a"])
    found = evaluate(LinearModel.of({"0": 1.0}), data, "wer,quality")
    assert (found["wer"].chosen.score, found["quality"].chosen.score) == (0.0, 1.0)


def test_an_oracle_by_sentences_that_is_worse_than_the_first_round_promises_nothing() -> None:
    # Corpus BLEU is no mean of sentence BLEUs: the choices that are best by sentence may be worse together.
    data = NBest.from_arrays(quality=[0.0, 1.0], base=[1.0, 0.0], sizes=[2], stats={"quality": [[0.9, 1], [0.1, 1]]})
    assert describe(data).prospects[0].recoverable in (None, 0.0)


def test_an_evaluation_knows_its_metrics() -> None:
    found = evaluate(LinearModel.of({"x": 1.0}), four_groups())
    with pytest.raises(UsageError, match="'bleu' was not evaluated; there are: quality"):
        found["bleu"]
    with pytest.raises(DataError, match="no candidates to evaluate"):
        evaluate(LinearModel.of({"x": 1.0}), four_groups()[:0])


def test_rows_with_the_same_features_in_any_order_are_duplicates() -> None:
    from runoff.nbest import Features

    rows = Features.from_csr([0, 2, 4, 6, 6], [0, 1, 1, 0, 0, 1], [2.0, 3.0, 3.0, 2.0, 2.0, 3.5], 2)
    assert describe(NBest.from_arrays(rows, [1, 2, 3, 4], sizes=[4])).duplicates == 1
    assert describe(NBest.from_arrays(quality=[1, 2], sizes=[2])).duplicates is None


def test_a_ranking_metric_without_anything_relevant_is_warned_of() -> None:
    data = NBest.from_arrays([[1.0], [2.0]], quality=[-2, -1], sizes=[2])
    (warning,) = evaluate(LinearModel.of({"0": 1.0}), data, "ndcg@5").warnings
    assert warning == ("ndcg@5 is 0 for every choice: no candidate has a quality above 0, so none counts as relevant.")
    (warning,) = evaluate(LinearModel.of({"0": 1.0}), data, "quality").warnings
    assert "is 0 for every choice" not in warning


def test_wins_losses_and_error_reduction_by_hand() -> None:
    # The first round is right in one group of four, the model in three: two wins, and two of three errors are gone.
    found = evaluate(LinearModel.of({"x": 1.0}), four_groups())
    assert (found.changed, found.wins, found.losses) == (2, 2, 0)
    assert found["quality"].error_reduction == pytest.approx(2 / 3)
    plain = found.to_dict()
    assert (plain["better"], plain["worse"]) == (2, 0)
    assert plain["results"][0]["error_reduction"] == pytest.approx(2 / 3)
    assert "differs from the first round in 2: better in 2, worse in 0, equal in 0." in str(found)
    assert "66.7% of the possible gain was achieved, which removes 66.7% of the first round's error." in str(found)
    other = evaluate(
        LinearModel.of({"x": -1.0}), four_groups()
    )  # right in the last group alone, where the first is not
    assert (other.changed, other.wins, other.losses, other["quality"].error_reduction) == (2, 1, 1, 0)


def test_an_error_rate_has_a_reduction_too_and_a_perfect_first_round_has_none() -> None:
    texts, references = ["a x", "a b", "c d", "c y"], ["a b", "c d"]
    data = NBest.from_arrays([[0], [1], [0], [0]], sizes=[2, 2], texts=texts, references=references)
    found = evaluate(LinearModel.of({"0": 1.0}), data, "wer")
    assert (found.wins, found.losses) == (1, 0)
    assert found["wer"].error_reduction == 1.0  # one word of four was wrong, none is
    perfect = evaluate(LinearModel.of({"0": 1.0}), data[1], "wer")["wer"]
    assert (perfect.error_reduction, perfect.recovered) == (None, None)


class Changed:
    """Details of a task: how many choices changed."""

    def __init__(self, changed: int) -> None:
        self.changed = changed

    def __str__(self) -> str:
        return f"<{self.changed} changed>"

    def to_dict(self) -> dict[str, int]:
        return {"changed": self.changed}


def test_a_task_adds_details_to_an_evaluation() -> None:
    class Counting(tasks.Task):
        name, title = "counting", "things to count"

        def tabulate(self, data: NBest, choices: Mapping[str, Ranking]) -> Changed:  # noqa: ARG002 - the interface
            assert list(choices) == ["first round", "chosen"]
            return Changed(int((choices["first round"].top != choices["chosen"].top).sum()))

    with own_registries():
        tasks.register(Counting())
        model = dataclasses.replace(LinearModel.of({"x": 1.0}), provenance={"task": "counting"})
        found = evaluate(model, four_groups())
        assert found.details.to_dict() == found.to_dict()["details"] == {"changed": 2}
        assert "\n<2 changed>\n" in str(found)
        assert "<pre>&lt;2 changed&gt;</pre>" in found._repr_html_()
        folds = cross_validate(LogLinear(sigma=1.0), four_groups(), folds=2, task=tasks.get("counting"))
        assert folds.details is not None
    plain = evaluate(LinearModel.of({"x": 1.0}), four_groups())
    assert plain.details is None
    assert "details" not in plain.to_dict()


def test_a_task_without_baselines_says_so() -> None:
    found = evaluate_baselines(four_groups())
    assert found.remarks == ["quality: the task has no baselines."]
    assert [row[0] for row in found.tables()[0][1]] == ["oracle"]


# ---------------------------------------------------------------- lists that belong together


def speakers(copies: int) -> NBest:
    """Lists of 30 inputs, each so many times; feature x marks the better candidate in most of them."""
    rng = np.random.default_rng(0)
    marked, quality = rng.normal(size=60), rng.normal(size=60)
    same = np.repeat(np.arange(30), copies)
    rows = (2 * same[:, None] + np.arange(2)).ravel()
    return NBest.from_arrays(
        (quality + marked)[rows, None],
        quality=quality[rows],
        sizes=[2] * same.size,
        feature_names=["x"],
        inputs=[f"input {at}" for at in same],
        attributes={"speaker": [str(at % 5) for at in same]},
    )


def test_copies_of_lists_make_no_interval_narrower() -> None:
    model, other = LinearModel.of({"x": 1.0}), LinearModel.of({"x": -1.0})
    once, again = (evaluate(model, speakers(copies))["quality"] for copies in (1, 4))
    assert (again.gain.low, again.gain.high) == pytest.approx((once.gain.low, once.gain.high), abs=1e-12)
    assert (again.chosen.low, again.p) == pytest.approx((once.chosen.low, once.p), abs=1e-12)
    assert "|groups:120|blocks:30|bootstrap:1000|" in again.signature
    assert "blocks" not in once.signature
    alone = evaluate(model, speakers(4), resampling=Resampling(group_by="none"))["quality"]
    assert alone.gain.high - alone.gain.low < 0.7 * (once.gain.high - once.gain.low)
    leads = [compare(model, other, speakers(copies)).duels[0] for copies in (1, 4)]
    assert leads[1].lead.low == pytest.approx(leads[0].lead.low, abs=1e-12)
    assert leads[1].p == leads[0].p


def test_lists_are_resampled_by_what_the_user_groups_by() -> None:
    model, by_speaker = LinearModel.of({"x": 1.0}), Resampling(group_by="speaker")
    assert "|blocks:5|" in evaluate(model, speakers(2), resampling=by_speaker)["quality"].signature
    found = cross_validate(LogLinear(sigma=1.0), speakers(2), folds=2, group_by="speaker")
    assert "|blocks:5|" in found["quality"].signature
