"""Which smoothing and how many rounds: the order of trying, patience, and choices after Ctrl-C."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.boosting_data import binary
from runoff import Boost, UsageError
from runoff.learners import boost, boosting_selection
from runoff.learners.boosting_selection import SMOOTHINGS


def interrupted_after(rounds: int, tried: int, calls: int = 1) -> object:
    """A `run_all` that Ctrl-C ends in its n-th call, when the first few runs have made some rounds."""
    left = [calls]

    def run_all(runs: list, steps: int, **_: object) -> bool:
        left[0] -= 1
        if left[0] != 0:
            for run in runs:
                run.advance(min(steps, 30))
            return True
        for run in runs[:tried]:
            run.advance(rounds)
        return False

    return run_all


def test_the_papers_best_smoothing_is_tried_first_and_then_those_around_it(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[float] = []
    real = boost.run_all

    def spy(runs: list, *arguments: object, **more: object) -> bool:
        order.extend(run.smoothing for run in runs)
        return real(runs, *arguments, **more)

    monkeypatch.setattr(boost, "run_all", spy)
    provenance = Boost(max_rounds=20).fit(binary(1), binary(2)).model.provenance
    # Collins & Koo (2005, section 5.4.2): the best on their dev set was 0.0025.
    assert order == [2.5e-3, 5e-3, 1e-3, 7.5e-3, 7.5e-4, 5e-4, 2.5e-4, 1e-4]
    assert list(provenance["smoothing_scores"]) == [f"{each:g}" for each in SMOOTHINGS]


def test_of_equal_smoothings_the_first_of_the_grid_is_taken_as_ever() -> None:
    train, dev = binary(1), binary(2)
    made = Boost(rounds=0).fit(train, dev).model.provenance  # without rounds all are equal
    assert made["smoothing"] == SMOOTHINGS[0]
    assert len(made["smoothing_scores"]) == 8


@pytest.mark.parametrize("rounds", [40, "auto"])
def test_after_ctrl_c_only_what_was_tried_is_chosen_from(monkeypatch: pytest.MonkeyPatch, rounds: object) -> None:
    train, dev = binary(1), binary(2)
    # Without any round the dev data is better than with the features turned round.
    dev = dev.replace(quality=-dev.quality, base=-dev.base)
    monkeypatch.setattr(boost, "run_all", interrupted_after(7, tried=2))
    model = Boost(rounds=rounds, max_rounds=40).fit(train, dev).model
    assert set(model.provenance["smoothing_scores"]) == {"0.0025", "0.005"}
    assert model.provenance["smoothing"] in (2.5e-3, 5e-3)
    assert model.provenance["rounds_tried"] == 7
    assert model.provenance["finished"] is False
    assert model.provenance["interrupted_in"] == ["rounds"]
    if rounds == 40:
        assert model.provenance["rounds"] == 7


def test_folds_that_are_complete_decide_and_of_the_first_one_what_was_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    data = binary(3)
    monkeypatch.setattr(boosting_selection, "run_all", interrupted_after(5, tried=1))
    provenance = Boost(rounds=12).fit(data).model.provenance
    assert list(provenance["chosen_by_folds"]) == ["0.0025"]
    assert provenance["smoothing"] == 2.5e-3
    assert provenance["rounds"] == 12
    assert provenance["finished"] is False
    assert provenance["interrupted_in"] == ["folds"]
    monkeypatch.setattr(boosting_selection, "run_all", interrupted_after(5, tried=1, calls=3))
    provenance = Boost(rounds=30).fit(data).model.provenance
    assert {each["rounds"] for each in provenance["chosen_by_folds"].values()} == {30}
    assert len(provenance["chosen_by_folds"]) == 8
    monkeypatch.setattr(boosting_selection, "run_all", interrupted_after(5, tried=0))
    with pytest.raises(KeyboardInterrupt, match="before the first round"):
        Boost(rounds=30).fit(data)


def test_patience_is_how_far_a_run_looks_beyond_its_best_prefix() -> None:
    train, dev = binary(1, groups=80), binary(2, groups=60)
    whole = Boost(smoothing=1e-3, max_rounds=2000, patience=None).fit(train, dev)
    assert whole.model.provenance["rounds_tried"] == 2000
    assert whole.model.provenance["notes"] == []
    scores = [entry["dev"] for entry in whole.history]
    # By hand: a run ends at the first round that lies `patience` times as far as the best prefix up to there.
    for patience in (1.0, 3.0, 12.5):
        learner = Boost(smoothing=1e-3, max_rounds=2000, patience=patience).fit(train, dev)
        best, end = 0, 500
        for at in range(2000):
            if at >= max(500, int(patience * best)):
                break
            best = at + 1 if scores[at] > max([-np.inf, *scores[:at]]) else best
            end = at + 1
        assert learner.model.provenance["rounds_tried"] == end
        assert learner.model.provenance["rounds"] == best
        early = [note for note in learner.model.provenance["notes"] if "ended before 2,000 rounds" in note]
        assert len(early) == (end < 2000)
        assert all(f"{patience:g} times the rounds" in note for note in early)
    for wrong in (0.5, -1, "much", float("nan"), True):
        with pytest.raises(UsageError, match="patience of Boost must be a finite number of at least 1, or none"):
            Boost(patience=wrong).fit(train, dev)


def test_runs_that_end_early_in_the_folds_are_counted() -> None:
    data = binary(3)
    notes = Boost(smoothing=0.0025, max_rounds=600).fit(data).model.provenance["notes"]
    assert any(note.startswith("5 of 5 runs in the folds ended before 600 rounds") for note in notes)
    assert Boost(smoothing=0.0025, max_rounds=600, patience=None).fit(data).model.provenance["notes"] == []


def test_no_rounds_are_said_to_be_the_best_of_the_folds() -> None:
    data = binary(3)
    provenance = Boost(smoothing=0.0025, max_rounds=50).fit(data.replace(base=data.quality)).model.provenance
    assert provenance["rounds"] == 0  # the first round is right everywhere
    assert "no prefix is better than the first round in the folds: 0 rounds were chosen." in provenance["notes"]
