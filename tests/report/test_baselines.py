"""Baselines next to a model for texts, on lists whose answers can be counted by hand."""

import dataclasses
import json
import re
from pathlib import Path

import pytest

from runoff import DataError, LinearModel, NBest, UsageError, cross_validate, describe, evaluate, tasks
from runoff.metrics import Resampling
from runoff.report import BaselineReport, evaluate_baselines
from runoff.report.baselines import BaselineResult
from runoff.tasks.text import TextReranker

# Of 16 words of references the first choices get 6 wrong, those of the majority 2, a blind choice 6/3 + 2 x 2/3.
LISTS = [["a bat", "a cat", "a cat"]] * 6 + [["a cat", "a dog", "a dog"]] * 2
FIRST, VOTE, RANDOM = 100 * 6 / 16, 100 * 2 / 16, 100 * (10 / 3) / 16


def eight_lists() -> NBest:
    texts = [text for each in LISTS for text in each]
    return NBest.from_arrays(
        [[float(text == "a cat")] for text in texts],
        sizes=[3] * 8,
        texts=texts,
        references=["a cat"] * 8,
        feature_names=["right"],
    )


def text_model(weight: float) -> LinearModel:
    """A model that says of itself that it is for texts."""
    return dataclasses.replace(LinearModel.of({"right": weight}), provenance={"task": "text"})


def evaluate_baselines_of_texts(data: NBest, metric: str) -> BaselineReport:
    return evaluate_baselines(data, metric, task=tasks.get("text"))


def never() -> LinearModel:
    return dataclasses.replace(LinearModel.of({}), provenance={"task": "text"})


def test_every_choice_is_counted() -> None:
    found = evaluate(text_model(1.0), eight_lists(), "wer")["wer"]
    assert {baseline.name: baseline.scored.score for baseline in found.baselines} == pytest.approx(
        {"random": RANDOM, "shortest": FIRST, "longest": FIRST, "vote": VOTE, "bayes-risk": VOTE}
    )
    vote = found.baselines[3]
    assert vote.gain.delta == FIRST - VOTE
    # Eight lists differ by one word each, six for the better: of the 2^8 signs 74 have |6 - 2| or more.
    assert vote.p == pytest.approx(74 / 256, abs=0.02)
    # The model is right everywhere, so it differs from the vote in two lists, both for the better.
    assert vote.lead is not None
    assert vote.lead.delta == VOTE
    assert vote.lead_p == pytest.approx(0.5, abs=0.02)


def test_the_table_has_a_row_for_every_choice() -> None:
    text = str(evaluate(text_model(1.0), eight_lists(), "wer"))
    rows = [line.rsplit("  ")[0].strip() for line in text.splitlines()[2:10]]
    assert rows == ["random", "first round", "shortest", "longest", "vote", "minimum Bayes risk", "chosen", "oracle"]
    assert text.splitlines()[0].split("  ")[0] == "choice"
    assert "95% interval" in text
    assert "wer: chosen leads minimum Bayes risk, the best baseline, by 12.50 (+0.00 to +31.25, p" in text


def test_several_metrics_have_a_table_each() -> None:
    found = evaluate(text_model(1.0), eight_lists(), "wer,exact", resampling=Resampling(confidence=0.9))
    text = str(found)
    assert text.count("minimum Bayes risk  ") == 2
    assert "exact: chosen leads" in text
    assert "90% interval" in text
    assert found._repr_html_().count("<table>") == 2
    plain = json.loads(json.dumps(found.to_dict()))
    assert [each["metric"] for each in plain["results"]] == ["wer", "exact"]
    assert [each["name"] for each in plain["results"][1]["baselines"]][-1] == "bayes-risk"
    assert plain["results"][0]["baselines"][-1]["lead_of_chosen"]["delta"] == VOTE


def test_a_model_that_is_no_better_than_a_vote_is_warned_of() -> None:
    data = eight_lists()
    (good,) = (each for each in evaluate(text_model(1.0), data, "wer").warnings if "Bayes" in each)
    assert good.startswith(
        "wer: chosen is not significantly better than minimum Bayes risk, a baseline without training (p 0."
    )
    # Wrong everywhere: it loses to the vote in six lists and wins in none, p = 2 / 2^6.
    (worse,) = (each for each in evaluate(text_model(-1.0), data, "wer").warnings if "Bayes" in each)
    assert worse.startswith("wer: chosen is significantly WORSE than minimum Bayes risk, a baseline without training")
    silent = evaluate(never(), data, "wer")
    assert any("not significantly better than minimum Bayes risk" in each for each in silent.warnings)
    assert "chosen trails minimum Bayes risk, the best baseline, by 25.00 (" in str(silent)


def test_no_warning_of_baselines_that_are_worse_than_the_first_round() -> None:
    data = NBest.from_arrays(texts=["a cat", "a dog", "a dog"] * 4, sizes=[3] * 4, references=["a cat"] * 4)
    assert evaluate(never(), data, "exact,wer").warnings == ()  # right everywhere: nothing to win
    data = NBest.from_arrays(
        texts=["a cat", "a dog", "a dog"] * 4 + ["a bat", "a cat", "a rat"], sizes=[3] * 5, references=["a cat"] * 5
    )
    assert not any("training" in each for each in evaluate(never(), data, "wer").warnings)


def test_other_models_are_shown_as_before() -> None:
    found = evaluate(LinearModel.of({"right": 1.0}), eight_lists(), "wer")
    assert found["wer"].baselines == ()
    assert "minimum Bayes risk" not in str(found)
    assert "baselines" not in found.to_dict()["results"][0]


def test_without_texts_a_model_that_never_switches_is_judged_all_the_same() -> None:
    data = NBest.from_arrays([[0.0], [1.0]], quality=[0, 1], sizes=[2], feature_names=["f"])
    found = evaluate(never(), data)
    assert found["quality"].baselines == ()
    assert found.notes == (
        "Baselines are not shown: the task text needs candidates with texts, and these have none; leave out --task "
        "text to learn from their features.",
    )
    with pytest.raises(DataError, match="no candidates to evaluate"):
        evaluate(never(), data[:0])


def test_features_that_a_model_makes_itself_are_not_called_unseen() -> None:
    learner = TextReranker(families="position,agreement,length", recipes="bayes-risk", careful=False, metric="wer")
    model = learner.fit(eight_lists()).model
    assert evaluate(model, eight_lists(), "wer").notes == ()
    with_scores = TextReranker(families="scores,length", recipes="loglinear", careful=False, metric="wer")
    model = with_scores.fit(eight_lists()).model
    other = eight_lists()
    renamed = NBest.from_arrays(
        other.features.to_scipy().toarray(),
        sizes=[3] * 8,
        texts=other.texts.to_pylist(),
        references=["a cat"] * 8,
        feature_names=["else"],
    )
    assert evaluate(model, other, "wer").notes == ()
    assert "1 of 1 features were not seen in training" in evaluate(model, renamed, "wer").notes[0]


def test_cross_validation_of_texts_has_baselines() -> None:
    learner = TextReranker(families="position,agreement", recipes="vote,bayes-risk", folds=2, metric="wer")
    found = cross_validate(learner, eight_lists(), folds=2, resampling=Resampling(trials=200, resamples=200))
    names = [baseline.name for baseline in found["wer"].baselines]
    assert names == ["random", "shortest", "longest", "vote", "bayes-risk"]
    assert found["wer"].baselines[3].scored.score == VOTE


def test_a_metric_that_reads_quality_compares_texts_by_chrf() -> None:
    data = eight_lists()
    data = data.replace(quality=data.features.to_scipy().toarray()[:, 0].astype(float), references=None)
    found = evaluate_baselines_of_texts(data, "quality").standings[0]
    assert found.baselines[-1].scored.score == 6 / 8
    assert found.first.score == 2 / 8


def test_baselines_answer_in_a_sentence() -> None:
    lists = [["a bat", "a cat", "a cat"]] * 12
    texts = [text for each in lists for text in each]
    data = NBest.from_arrays(texts=texts, sizes=[3] * 12, references=["a cat"] * 12)
    found = evaluate_baselines_of_texts(data, "wer")
    assert found.remarks[0].startswith("wer: minimum Bayes risk gains 50.00 (+50.00 to +50.00, p ")
    assert "<table>" in found._repr_html_()
    assert json.loads(json.dumps(found.to_dict()))["results"][0]["baselines"][3]["better"]
    (unsure,) = evaluate_baselines_of_texts(eight_lists(), "wer").remarks
    assert unsure.startswith("wer: no baseline is significantly better than the first round (the best is")
    same = NBest.from_arrays(texts=["a", "a"], sizes=[2], references=["a"])
    assert "no gain is possible" in str(evaluate_baselines_of_texts(same, "wer"))


def test_the_best_of_four_choices_has_to_be_better_than_four_chances() -> None:
    data = NBest.from_arrays(texts=["a bat", "a cat", "a cat"] * 6, sizes=[3] * 6, references=["a cat"] * 6)
    (found,) = evaluate_baselines_of_texts(data, "wer").standings
    # Six lists, all for the better: p = 2 / 2^6, which is 1 / 8 four times over.
    assert found.baselines[-1].better
    assert found.baselines[-1].p == pytest.approx(2 / 64, abs=0.005)
    assert found.corrected(found.baselines[-1]) == 4 * found.baselines[-1].p
    assert found.corrected(found.baselines[1]) == 1  # the shortest is the first: p is 1 and stays so
    assert re.search(
        r"no baseline .* Bayes risk: \+50\.00, p 0\.1\d\d after correction for 4 baselines\)\.$", found.verdict
    )
    plain = found.to_dict()["baselines"][-1]
    assert not plain["better"]
    assert plain["p_corrected"] == 4 * plain["p_randomisation"]


def test_a_smaller_gain_that_is_beyond_chance_is_told_before_a_larger_one_that_is_not() -> None:
    (found,) = evaluate_baselines_of_texts(eight_lists(), "wer").standings
    gains = {"longest": (30.0, 0.02), "vote": (20.0, 0.01), "bayes-risk": (10.0, 0.001)}

    def with_gain(baseline: BaselineResult) -> BaselineResult:
        delta, p = gains.get(baseline.name, (0.0, 1.0))
        return dataclasses.replace(baseline, gain=dataclasses.replace(baseline.gain, delta=delta), p=p)

    found = dataclasses.replace(found, baselines=tuple(map(with_gain, found.baselines)))
    assert found.verdict.startswith("wer: vote gains 20.00 (")
    assert "p 0.040 after correction for 4 baselines) over the first round" in found.verdict


def first_round_is_best() -> NBest:
    """The first text is right in eleven lists of twelve, and every baseline prefers another one."""
    lists = [["a cat", "a big dog ran", "a big dog ran", "dog"]] * 11 + [["a dog", "a cat", "a cat", "cat"]]
    texts = [text for each in lists for text in each]
    right = [[float(text == "a cat")] for text in texts]
    return NBest.from_arrays(right, texts=texts, sizes=[4] * 12, references=["a cat"] * 12, feature_names=["right"])


@pytest.mark.parametrize("metric", ["wer", "exact"])
def test_where_every_baseline_is_worse_it_is_said_so(metric: str) -> None:
    (verdict,) = evaluate_baselines_of_texts(first_round_is_best(), metric).remarks
    assert verdict.startswith(f"{metric}: every baseline is worse than the first round; the best, ")
    assert ", by " in verdict
    assert "-" not in verdict  # a loss is a positive number, whichever way the metric goes


def test_the_first_round_is_the_choice_to_beat_where_it_is_better_than_every_baseline() -> None:
    data = first_round_is_best()
    keeps = str(evaluate(never(), data, "wer"))
    assert "wer: chosen is as good as the first round, which is better than every baseline." in keeps
    assert "the best baseline" not in keeps
    worse = str(evaluate(text_model(-1.0), data, "wer"))
    assert "wer: chosen trails the first round, which is better than every baseline, by " in worse


def test_a_blind_choice_is_never_the_best() -> None:
    # Words are as many everywhere and the majority is wrong with the first: only a blind choice is ever right.
    data = NBest.from_arrays(texts=["a bat", "a bat", "a cat"] * 8, sizes=[3] * 8, references=["a cat"] * 8)
    (found,) = evaluate_baselines_of_texts(data, "wer").standings
    assert found.baselines[0].name == "random"
    assert found.baselines[0].gain.delta > max(baseline.gain.delta for baseline in found.baselines[1:])
    assert "(the best is minimum Bayes risk: +0.00, p 1.000 after correction for 4 baselines)" in found.verdict
    beside = evaluate(never(), data, "wer")
    assert "wer: chosen is as good as minimum Bayes risk, the best baseline." in str(beside)
    assert not any("training" in each for each in beside.warnings)


def test_describe_shows_what_needs_no_training() -> None:
    found = describe(eight_lists(), "wer", task="text")
    assert "minimum Bayes risk" in str(found)
    assert "oracle@1" in str(found)
    assert found._repr_html_().count("<table>") == 3
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["baselines"][0]["baselines"][3]["score"] == VOTE
    usual = describe(eight_lists(), "wer")
    assert usual.baselines is None
    assert "baselines" not in usual.to_dict()


def test_describe_without_what_it_needs() -> None:
    with pytest.raises(UsageError, match=r"there is no task 'speech'; there are: .*parsing, roles, rows, tagging"):
        describe(eight_lists(), "wer", task="speech")
    with pytest.raises(DataError, match="needs candidates with texts, and these have none"):
        describe(NBest.from_arrays([[1.0]], quality=[1], sizes=[1]), task="text")
    assert "not be trained or evaluated on it" in str(describe(NBest.from_arrays(texts=["a"], sizes=[1]), task="text"))
    with pytest.raises(DataError, match="no candidates to evaluate"):
        evaluate_baselines_of_texts(eight_lists()[:0], "wer")


def test_pictures_have_all_choices(tmp_path: Path) -> None:
    from runoff.report.pictures import draw_evaluation

    draw_evaluation(evaluate(text_model(1.0), eight_lists(), "wer"), tmp_path / "a.svg")
    drawn = (tmp_path / "a.svg").read_text()
    assert "minimum Bayes risk" in drawn
