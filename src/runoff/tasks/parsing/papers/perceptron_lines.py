"""What the two perceptron papers share: lines of learners, learning curves, margins, and the bounds of the theorems."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from runoff.learners import Perceptron
from runoff.metrics import get
from runoff.nbest import NBest
from runoff.ranking import ranks
from runoff.report import margins
from runoff.reproduce.data_files import line_commands
from runoff.reproduce.figures import Curve, Panel
from runoff.reproduce.fitting import fitted
from runoff.reproduce.paper import Experiment, alone
from runoff.reproduce.results import kept_rows
from runoff.reproduce.verdicts import Judgement, exactly
from runoff.tasks.parsing.papers.judged import METRIC, judged, learned

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.reproduce.paper import PaperData
    from runoff.reproduce.results import Facts, Results
    from runoff.tasks.parsing.papers.parse_data import ParseData

POINTS = 201  # of a distribution of margins
NEAR = 0.1  # of F: a curve that has come so near its best has converged
LIMITS = {False: {"max_epochs": 20, "patience": 5}, True: {"max_epochs": 12, "patience": 4}}  # with --quick: True
EPOCHS = {False: 20, True: 12}  # of a learning curve
CONSECUTIVE = "curve consecutive"  # pairs of consecutive ranks alone
PaperLines = dict[str, tuple[str, dict[str, Any], tuple[float, ...]]]  # label, settings if it learns, published numbers


def line_experiments(
    data: ParseData,
    material: PaperData,
    lines: PaperLines,
    curves: Mapping[str, Mapping[str, Any]],
    seed: int,
    *,
    with_margins: bool = False,
) -> list[Experiment]:
    """The lines of a table of perceptrons, of which that without settings is the first round; then learning curves."""
    quick, found = material.is_quick, []
    for name, (label, own, _) in lines.items():
        if not own:
            first = alone(lambda: judged(data.parts()["test"], None, seed=seed))
            found.append(Experiment(name, label, first))
            continue
        settings = {**own, "tau": 1.0 if quick else "auto", **LIMITS[quick]}
        command = "" if quick else line_commands(data.file_names(), name, "perceptron", settings, METRIC)
        make = alone(partial(learned_line, data, settings, seed, with_margins=with_margins))
        found.append(Experiment(name, label, make, settings, command))
    for name, each in curves.items():
        settings = {"tau": 1.0, **each}
        run = alone(partial(curve, data, settings, EPOCHS[quick], seed, consecutive=name == CONSECUTIVE))
        found.append(Experiment(name, f"learning {name}", run, {**settings, "epochs": EPOCHS[quick]}))
    return found


def epochs_panel(labels: Mapping[str, str], results: Results) -> Panel:
    """Learning curves on test, which chose nothing, over the first round."""
    drawn = [Curve(label, range(1, len(results[key]["f"]) + 1), results[key]["f"]) for key, label in labels.items()]
    return Panel(drawn, "epochs", "F on test, per cent", reference=("first round", results.value("baseline", "F")))


def until_near(results: Results, name: str) -> tuple[int, float]:
    """Epochs until a learning curve comes near its best, and the CPU seconds that they take."""
    facts = results[name]
    epochs = epochs_until_near(facts["f"])
    return epochs, epochs * facts["seconds"] / len(facts["f"])


def learned_line(data: ParseData, settings: Mapping[str, Any], seed: int, *, with_margins: bool = False) -> Facts:
    """A perceptron that chose its epochs on dev, on test; and how far it sets the best tree apart from the others."""
    parts = data.parts()
    learner = Perceptron(**settings, metric=METRIC, seed=seed, calibration="none")
    model, facts = learned(learner, parts, seed=seed)
    if with_margins:
        found = margins(model, {"train": parts["train"], "test": parts["test"]}, METRIC)
        shares = np.linspace(0, 1, POINTS)
        facts["margins"] = {
            each.name: np.quantile(each.values[~np.isnan(each.values)] / (each.spread or 1.0), shares).tolist()
            for each in found.sets
        }
    return facts


def curve(data: ParseData, settings: Mapping[str, Any], epochs: int, seed: int, *, consecutive: bool = False) -> Facts:
    """F on test after every epoch, which chooses nothing; the CPU seconds of all; rows after the last.

    With `consecutive`, a candidate must beat only the next worse one; equal ones are told apart by the first round.
    """
    parts = dict(data.parts())
    more: dict[str, Any] = {}
    if consecutive:
        train = parts["train"]
        quality = train.quality if train.quality is not None else np.zeros(train.n_candidates)
        places = np.arange(train.n_candidates) - np.repeat(train.offsets[:-1], train.sizes)
        parts["train"] = train.replace(quality=quality - 1e-7 * places)
        more["order"] = _next_worse
    learner = Perceptron(**{**settings, **more}, epochs=epochs, metric=METRIC, seed=seed, calibration="none")
    began = time.process_time()
    model = fitted(learner, parts["train"], parts["test"])
    seconds = time.process_time() - began
    metric = get(METRIC)
    rows = metric.rows(parts["test"], model.ranking(parts["test"]))
    return {
        "f": [float(entry["dev"]) for entry in learner.history],
        "seconds": seconds,
        "rows": kept_rows(rows, METRIC),
    }


def _next_worse(better: int, worse: int) -> bool:
    return worse == better + 1


def epochs_until_near(values: list[float]) -> int:
    """The first epoch within 0.1 F of the best of the curve.

    Examples
    --------
    >>> epochs_until_near([80.0, 84.95, 85.0])
    2
    """
    return next(at for at, value in enumerate(values, 1) if value >= max(values) - NEAR)


def theorem(seed: int, *, trials: int = 60) -> Facts:
    """Both algorithms on separable lists drawn at random: updates, mistakes and margins beside the theorems' bounds.

    Algorithm 1 (Shen & Joshi 2005, theorem 1, g = 1): updates at most (2τ + 4R²)/γ², margin at least γτ/(2τ + 4R²).
    Algorithm 2 (theorem 2): mistakes at most (2τ + k²R²)/γ², margin at least γτ/(2τ + k²R²).
    """
    rng = np.random.default_rng([seed, 1962])
    worst = {"updates 1": 0.0, "mistakes 2": 0.0, "margin 1": np.inf, "margin 2": np.inf}
    for _ in range(trials):
        data, direction = _separable(rng)
        table = data.features.to_scipy().toarray().astype(float)
        gamma = _least_lead(data, table @ direction)
        radius, k, tau = float(np.linalg.norm(table, axis=1).max()), int(data.sizes.max()), 1.0
        updates: tuple[tuple[int, Literal["pair", "group"]], ...] = ((1, "pair"), (2, "group"))
        for number, update in updates:
            learner = Perceptron(
                "ordinal", "even", tau, update=update, epochs=5_000, scale="none", base=False, average=False
            ).fit(data)  # fmt: skip
            reach = 2 * tau + (4 if number == 1 else k**2) * radius**2
            count = sum(int(entry["mistakes"]) for entry in learner.history)
            weights = np.asarray(learner.model.weights)
            margin = _least_lead(data, table @ weights) / float(np.linalg.norm(weights))
            name = "updates 1" if number == 1 else "mistakes 2"
            worst[name] = max(worst[name], count / (reach / gamma**2))
            worst[f"margin {number}"] = min(worst[f"margin {number}"], margin / (gamma * tau / reach))
    return {"worst": worst, "trials": trials}


def _separable(rng: np.random.Generator) -> tuple[NBest, np.ndarray]:
    """Candidates spread along a direction by their rank, and at random across it."""
    columns = int(rng.integers(2, 6))
    direction = rng.normal(size=columns)
    direction /= np.linalg.norm(direction)
    sizes, rows, quality = rng.integers(2, 6, 6), [], []
    for size in sizes:
        order = rng.permutation(size)
        across = rng.normal(size=(size, columns))
        across -= np.outer(across @ direction, direction)
        rows.append(np.outer(-order * rng.uniform(0.5, 2), direction) + across)
        quality.append(-order.astype(float))
    return NBest.from_arrays(np.vstack(rows), np.concatenate(quality), sizes=sizes), direction


def _least_lead(data: NBest, scores: np.ndarray) -> float:
    """The smallest lead of a better candidate over a worse one of its list."""
    places, least = ranks(data), np.inf
    for start, stop in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        leads = scores[start:stop, None] - scores[None, start:stop]
        wanted = places[start:stop, None] < places[None, start:stop]
        least = min(least, float(leads[wanted].min(initial=np.inf)))
    return least


def theorem_experiment(seed: int) -> Experiment:
    """Both algorithms beside the bounds of the theorems."""
    return Experiment("theorems", "bounds on separable data", alone(lambda: theorem(seed)))


def told_bounds(results: Results) -> Judgement:
    """Whether the theorems' bounds held, and how near they came."""
    worst, trials = results["theorems"]["worst"], results["theorems"]["trials"]
    ok = worst["updates 1"] <= 1 and worst["mistakes 2"] <= 1 and min(worst["margin 1"], worst["margin 2"]) >= 1
    return exactly(
        ok,
        f"{trials} random separable problems: algorithm 1 made at most {worst['updates 1']:.3f} of the updates that "
        f"theorem 1 allows, algorithm 2 at most {worst['mistakes 2']:.4f} of the mistakes of theorem 2; margins were "
        f"at least {worst['margin 1']:.1f} and {worst['margin 2']:.1f} times those promised",
    )
