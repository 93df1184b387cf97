"""`Boost`: prefixes, the dev curve, choices, checkpoints and what must not change."""

import os
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.boosting_data import binary
from helpers.processes import start_python
from runoff import Boost, DataError, ModelError, NBest, UsageError, cross_validate, load
from runoff.learners.boosting_work import BoostingWork
from runoff.learners.prefix_scorer import PrefixScorer
from runoff.metrics import get
from runoff.model import LinearModel


def test_a_prefix_is_the_model_after_so_many_rounds() -> None:
    data = binary(0)
    long = Boost(rounds=60, smoothing=0.01).fit(data).model
    for rounds in (0, 1, 17, 60):
        short = Boost(rounds=rounds, smoothing=0.01).fit(data).model
        assert short.weights.tolist() == pytest.approx(long.prefix(rounds).weights.tolist(), abs=1e-12)
        assert len(short.training_path) == rounds
    for wrong in (61, -1, 2.5, "a", True, None):
        with pytest.raises(UsageError, match=f"whole number of rounds from 0 to 60, .* found {wrong!r}"):
            long.prefix(wrong)
    assert long.prefix(np.int64(17)).provenance["rounds"] == 17
    with pytest.raises(UsageError, match="no prefixes"):
        LinearModel.of({"a": 1.0}).prefix(1)


@settings(deadline=None)
@given(st.integers(0, 1000), st.sampled_from(["quality", "ndcg@3", "map"]))
def test_the_dev_curve_is_that_of_every_prefix_evaluated_by_itself(seed: int, metric: str) -> None:
    data, dev = binary(seed), binary(seed + 5000, groups=25, columns=50)
    dev = dev.replace(quality=np.maximum(np.round(dev.quality), 0))
    model = Boost(rounds=40, smoothing=0.005, min_groups=1).fit(data).model
    scorer = PrefixScorer(dev, get(metric), model.names, model.base_weight)
    for start in range(0, 40, 13):
        scorer.advance(model.training_path.columns[start : start + 13], model.training_path.deltas[start : start + 13])
    judge = get(metric)
    slow = [judge.score(judge.rows(dev, model.prefix(n).ranking(dev)).sum(axis=0)) for n in range(41)]
    assert scorer.scores.tolist() == pytest.approx([float(each) for each in slow], abs=1e-9)


def test_auto_takes_the_prefix_and_smoothing_that_are_best_on_dev() -> None:
    train, dev = binary(1, groups=80), binary(2, groups=60)
    learner = Boost(max_rounds=150).fit(train, dev=dev)
    provenance = learner.model.provenance
    assert len(provenance["smoothing_scores"]) == 8
    best = max(each["score"] for each in provenance["smoothing_scores"].values())
    assert learner.score(dev) == pytest.approx(best)
    scores = [entry["dev"] for entry in learner.history]
    assert best == pytest.approx(max(scores))
    assert provenance["rounds"] == scores.index(max(scores)) + 1


def test_auto_without_dev_chooses_by_folds() -> None:
    data = binary(3)
    provenance = Boost(max_rounds=60, smoothing=0.0025).fit(data).model.provenance
    assert provenance["rounds"] == provenance["chosen_by_folds"]["0.0025"]["rounds"]
    # The same by hand: every prefix of a model of four fifths of the groups is judged on the other fifth.
    fold_of = np.random.default_rng(0).permutation(len(data)) % 5
    totals = np.zeros(61)
    for fold in range(5):
        model = Boost(rounds=60, smoothing=0.0025).fit(data[fold_of != fold]).model
        outside = data[fold_of == fold]
        for rounds in range(61):
            picks = outside.offsets[:-1] + model.prefix(rounds).pick(outside).indices
            totals[rounds] += outside.quality[picks].sum()
    assert provenance["rounds"] == int(np.argmax(np.round(totals, 9)))
    assert provenance["chosen_by_folds"]["0.0025"]["score"] == pytest.approx(totals.max() / len(data))


@pytest.mark.parametrize(
    ("loss", "pairs"), [(loss, pairs) for loss in ("exp", "log") for pairs in ("best", "all", "sample")]
)
def test_every_kind_of_pairs_and_loss_learns(loss: str, pairs: str) -> None:
    train, test = binary(4, groups=150), binary(5, groups=150)
    learner = Boost(rounds=80, smoothing=0.0025, loss=loss, pairs=pairs, sample=10).fit(train)
    first = test.quality[test.offsets[:-1] + LinearModel.of({}, base_weight=1.0).pick(test).indices].mean()
    assert learner.score(test) > first + 0.1
    losses = [entry["loss"] for entry in learner.history]
    assert losses == sorted(losses, reverse=True)
    assert learner.model.provenance["drift"] < 1e-9


def test_real_values_get_cut_points_that_the_model_keeps(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3)) * [1, 10, 100]
    data = NBest.from_arrays(X, quality=-np.abs(X[:, 0]), sizes=[6] * 100)  # best in the middle: not linear
    learner = Boost(rounds=200, smoothing=0.0025).fit(data[:70])
    held_out = data[70:]
    assert learner.score(held_out) > -0.25  # random choice: about -0.8, best: about -0.14
    learner.model.save(tmp_path / "m.runoff")
    again = load(tmp_path / "m.runoff")
    assert again.scores(held_out).tolist() == learner.model.scores(held_out).tolist()
    assert again.prefix(10).weights.tolist() == learner.model.prefix(10).weights.tolist()
    assert "0>=" in str(again.explain(held_out, 0)) or "0<=" in str(again.explain(held_out, 0))


def test_the_same_bits_whatever_the_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    train, dev = binary(6), binary(7)
    found = []
    for threads in ("1", "2", "4"):
        monkeypatch.setenv("RUNOFF_THREADS", threads)
        model = Boost(max_rounds=50).fit(train, dev=dev).model
        found.append((model.provenance["smoothing"], model.weights.tobytes()))
    assert found[0] == found[1] == found[2]


def test_a_checkpoint_goes_on_where_it_was_and_ends_in_the_same_bits(tmp_path: Path) -> None:
    data = binary(8)
    whole = Boost(rounds=120, smoothing=0.0025).fit(data).model
    file = tmp_path / "run.checkpoint"
    Boost(rounds=45, smoothing=0.0025, checkpoint=str(file)).fit(data)
    resumed = Boost(rounds=120, smoothing=0.0025, checkpoint=str(file)).fit(data).model
    assert resumed.weights.tobytes() == whole.weights.tobytes()
    assert resumed.training_path.deltas.tobytes() == whole.training_path.deltas.tobytes()
    with pytest.raises(UsageError, match="other data or other parameters"):
        Boost(rounds=120, smoothing=0.0025, loss="log", checkpoint=str(file)).fit(data)
    with pytest.raises(UsageError, match="other data or other parameters"):
        Boost(rounds=120, smoothing=0.0025, checkpoint=str(file)).fit(binary(9))


LONG = """
import runoff.learners.training_loop as run
run._CHECKPOINT_SECONDS = 0.05
run._CHUNK_SECONDS = 0.01
from helpers.boosting_data import binary
from runoff import Boost
data = binary(10, groups=600, columns=600)
learner = Boost(rounds={rounds}, smoothing=1e-4, checkpoint={file!r}, verbose=True).fit(data)
learner.model.save({model!r})
print(learner.model.provenance["finished"], learner.model.provenance["rounds"])
"""


def start(tmp_path: Path, rounds: int) -> tuple[subprocess.Popen[str], Path, Path]:
    file, model = tmp_path / "run.checkpoint", tmp_path / "m.runoff"
    code = LONG.format(rounds=rounds, file=str(file), model=str(model))
    process = start_python(code)
    return process, file, model


def wait_for(file: Path) -> None:
    for _ in range(1200):
        if file.exists():
            return
        time.sleep(0.05)
    raise AssertionError(f"{file} was not written")


@pytest.mark.slow  # the quick tests kill a training on the command line
def test_kill_9_loses_nothing_that_was_kept(tmp_path: Path) -> None:
    process, file, model = start(tmp_path, 10_000_000)
    wait_for(file)
    time.sleep(0.1)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not model.exists()
    data = binary(10, groups=600, columns=600)
    resumed = Boost(rounds=3000, smoothing=1e-4, checkpoint=str(file)).fit(data).model
    whole = Boost(rounds=len(resumed.training_path), smoothing=1e-4).fit(data).model
    assert len(resumed.training_path) == 3000
    assert resumed.training_path.deltas.tobytes() == whole.training_path.deltas.tobytes()


@pytest.mark.slow
def test_ctrl_c_leaves_a_usable_model(tmp_path: Path) -> None:
    process, file, model = start(tmp_path, 10_000_000)
    wait_for(file)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert out.startswith("False")
    assert load(model).n_active > 0


@pytest.mark.parametrize(
    "wrong",
    [{"rounds": -1}, {"rounds": "many"}, {"loss": "hinge"}, {"pairs": "some"}, {"smoothing": 0}, {"cuts": 0}],
)
def test_parameters_that_do_not_exist_are_refused_with_a_sentence(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError, match=f"{next(iter(wrong))} of .* must be"):
        Boost(**wrong).fit(binary(1))


def test_data_that_cannot_teach() -> None:
    with pytest.raises(DataError, match="better and a worse candidate"):
        Boost(rounds=3).fit(NBest.from_arrays([[1.0], [0.0]], [1, 1], sizes=[2]))
    # No feature is frequent enough: the first round's score is all there is.
    data = NBest.from_arrays([[1.0], [0.0]] * 3, [1, 0] * 3, sizes=[2] * 3, base=[1.0, 0.0] * 3)
    model = Boost(rounds=3, min_groups=5).fit(data).model
    assert len(model.training_path) == 0
    assert model.base_weight > 0


def test_one_group_is_learned_from_with_stated_defaults() -> None:
    data = NBest.from_arrays([[1, 0], [0, 1], [1, 1]], quality=[1, 0, 0.5], sizes=[3])
    model = Boost(min_groups=1).fit(data).model
    assert "too few groups" in model.provenance["chosen_by_folds"]
    assert model.provenance["rounds"] == 100
    assert model.pick(data)[0].index == 0
    assert Boost(min_groups=1, rounds=150).fit(data).model.provenance["rounds"] == 150


def test_a_ranking_metric_sees_a_run_that_ends_early() -> None:
    rng = np.random.default_rng(0)
    flags = np.zeros((200, 1))
    flags[np.arange(40) * 5 + rng.integers(0, 5, 40)] = 1
    data = NBest.from_arrays(flags, quality=flags[:, 0], sizes=[5] * 40)
    learner = Boost(metric="ndcg@5").fit(data[:20], data[20:])
    assert learner.model.provenance["rounds"] >= 1
    assert learner.score(data[20:]) == 1.0


def test_dev_data_without_base_scores_is_refused_where_they_are_weighed() -> None:
    with pytest.raises(ModelError, match="the dev data has none"):
        Boost(rounds=5, smoothing=0.01).fit(binary(1), binary(2, base=False))


def test_a_training_that_dies_in_its_folds_goes_on_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from runoff.learners import boosting_selection as boost

    data, file = binary(8), str(tmp_path / "run.checkpoint")
    settings = {"max_rounds": 60, "smoothing": 0.0025}
    whole = Boost(**settings).fit(data).model
    real, calls = boost.run_all, []

    def dies(runs: list, *arguments: object, **more: object) -> bool:
        calls.append(runs[0])
        if len(calls) == 3:
            raise MemoryError
        return real(runs, *arguments, **more)

    monkeypatch.setattr(boost, "run_all", dies)
    with pytest.raises(MemoryError):
        Boost(**settings, checkpoint=file).fit(data)
    restored = []
    original = type(calls[0]).restore
    monkeypatch.setattr(boost, "run_all", real)
    monkeypatch.setattr(type(calls[0]), "restore", lambda run, *path: (restored.append(run.name), original(run, *path)))
    again = Boost(**settings, checkpoint=file).fit(data).model
    assert restored == ["fold 1 of 5, 0.0025", "fold 2 of 5, 0.0025"]
    assert again.weights.tobytes() == whole.weights.tobytes()
    assert again.provenance["rounds"] == whole.provenance["rounds"]


def test_a_shorter_run_does_not_shorten_the_checkpoint_and_auto_has_its_own(tmp_path: Path) -> None:
    data, file = binary(8), str(tmp_path / "run.checkpoint")
    Boost(rounds=90, smoothing=np.float64(0.0025), checkpoint=file).fit(data)
    assert len(Boost(rounds=10, smoothing=0.0025, checkpoint=file).fit(data).model.training_path) == 10
    again = Boost(rounds=90, smoothing=0.0025, checkpoint=file).fit(data).model
    assert again.weights.tobytes() == Boost(rounds=90, smoothing=0.0025).fit(data).model.weights.tobytes()
    with pytest.raises(UsageError, match="other data or other parameters"):
        Boost(smoothing=0.0025, checkpoint=file).fit(data, binary(9))
    with pytest.raises(UsageError, match="cannot be written"):
        Boost(rounds=5, smoothing=0.0025, checkpoint=str(tmp_path / "no" / "x")).fit(data)
    cross_validate(Boost(rounds=5, smoothing=0.0025, checkpoint=file), data, folds=2)


def test_work_and_savings_by_hand() -> None:
    work = BoostingWork(np.array([50, 30, 20, 0]), 100)
    assert work.after(2) == 0.8
    assert work.savings(2, 3) == 4.0
    assert work.curve.tolist() == [0.5, 0.8, 1.0, 1.0]
    assert work.intervals() == {"1-4": 4.0}
    # Ten rounds of 10 additions, ninety of 5, two of 1, where the naive algorithm makes 100 in each.
    long = BoostingWork(np.repeat([10, 5, 1], [10, 90, 2]), 100)
    assert long.intervals() == {"1-10": 10.0, "11-100": 20.0, "101-102": 100.0}
    assert BoostingWork(np.empty(0, np.int64), 100).intervals() == {}


def test_exact_updates_of_log_loss_reach_a_lower_loss_in_as_many_rounds() -> None:
    data = binary(0)
    by = {
        update: Boost(rounds=10, loss="log", smoothing=0.0025, min_groups=1, log_update=update).fit(data)
        for update in ("bound", "exact")
    }
    losses = {update: [entry["loss"] for entry in learner.history] for update, learner in by.items()}
    assert losses["exact"] == sorted(losses["exact"], reverse=True)
    assert losses["exact"][-1] < losses["bound"][-1]
    with pytest.raises(UsageError, match="log_update is about LogLoss"):
        Boost(log_update="exact").fit(data)
