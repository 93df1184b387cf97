"""Collins & Koo (2005): boosting for parses, its learning curves, and how much work it saves."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.learners import Boost, LogLinear
from runoff.metrics import first_rows, get
from runoff.reproduce.data_files import line_commands
from runoff.reproduce.fitting import fitted
from runoff.reproduce.paper import Claim, Experiment
from runoff.reproduce.results import cell
from runoff.tasks.parsing.papers.collins_koo_page import (
    BEST,
    SMOOTHINGS,
    figures,
    judged_claims,
    smoothing_name,
    tables,
)
from runoff.tasks.parsing.papers.judged import METRIC, cells_of, judged
from runoff.tasks.parsing.papers.naive_boosting import bound_of_appendix_b, compared_with_engine
from runoff.tasks.parsing.papers.parse_data import ParsePaper

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from runoff.model import LinearModel
    from runoff.reproduce.paper import Figure, PaperData, PaperTable
    from runoff.reproduce.results import Facts, Results
    from runoff.reproduce.verdicts import Judgement
    from runoff.tasks.parsing.papers.parse_data import ParseData

ROUNDS, FEW_ROUNDS = 20_000, 1_000
SHORT = "@40"  # sentences of at most 40 words
MOST_POINTS = 300  # of a curve that is kept


class CollinsKoo2005(ParsePaper):
    """ExpLoss boosting beside LogLoss, a log-linear model, and the parser."""

    name = "collins-koo-2005"
    authors = "Collins, M. & Koo, T."
    title = "Discriminative Reranking for Natural Language Parsing"
    venue = "Computational Linguistics 31(1)"
    year = 2005
    takes = "two and a half CPU minutes for 2,200 training lists of 50 trees; three quarters of an hour for 12,500"
    has_rounds = True
    pictures = ("figure-5", "figure-6", "figure-7", "figure-8")
    claims = (
        Claim("baseline", "ExpLoss boosting is better than the parser alone", "section 5.3, table 1"),
        Claim("weights", "Weights of examples by their difference in score are better than none", "5.4.2, table 3"),
        Claim("same", "The efficient algorithm chooses as the naive one does, round for round", "4.5, figures 3 and 4"),
        Claim("savings", "It makes far fewer additions than the naive one", "5.4.3, table 4"),
        Claim("grow", "The savings grow with the number of rounds", "5.4.3, table 4"),
        Claim("loss", "LogLoss gives similar accuracy", "section 5.3"),
        Claim("slow", "LogLoss with exact updates is many times slower for a round", "section 5.3"),
        Claim("bound", "Every round by W+ and W- lowers LogLoss by at least (√W+ - √W-)²", "appendix B"),
        Claim("prior", "A log-linear model with a Gaussian prior is an alternative of similar accuracy", "6.3"),
    )

    def experiments(self, material: PaperData, seed: int, work: Path) -> list[Experiment]:
        """Runs of boosting by smoothing and weights, and what they are compared with."""
        data, quick = material.data, material.is_quick
        data.work = work
        rounds = material.rounds(FEW_ROUNDS if quick else ROUNDS)
        found: list[Experiment] = []

        def add(name: str, title: str, make: Callable[[Results], Facts], *after: str, **settings: Any) -> None:
            own = {"presence": True, **{key: value for key, value in settings.items() if key != "learner"}}
            command = (
                ""
                if quick or "learner" not in settings
                else line_commands(data.file_names(), name, settings["learner"], own, "quality", METRIC)
            )
            found.append(Experiment(name, title, make, settings, command, after))

        add("baseline", "the parser alone", lambda _: _base(data, seed))
        for weighted in (True, False):
            names = []
            for smoothing in SMOOTHINGS:
                settings = {"smoothing": smoothing, "weighted": weighted, "max_rounds": rounds, "patience": None}
                names.append(smoothing_name(smoothing, weighted=weighted))
                make = partial(_boosted, data, settings, seed)
                add(names[-1], f"boosting, {names[-1]}", make, learner="boost", **settings)
            add(BEST[weighted], "the best of these on dev", partial(_best, names), *names)
        log = {"loss": "log", "max_rounds": rounds, "smoothing": 0.0025, "patience": None}
        add("logloss", "LogLoss by appendix B", partial(_boosted, data, log, seed), learner="boost", **log)
        prior = {"sigma": [0.1, 0.2, 0.4, 0.8]}
        add(
            "log-linear",
            "log-linear with a prior",
            partial(_log_linear, data, prior, seed),
            learner="loglinear",
            **prior,
        )
        few = 200
        add("naive", "figure 3 beside figure 4", lambda _: compared_with_engine(_train(data), 0.0025, 60, lists=few))
        add("speed", "exact LogLoss beside ExpLoss", lambda _: _speed(data))
        add("bound", "the bound of appendix B", lambda _: bound_of_appendix_b(_train(data), seed))
        return found

    def tables(self, material: PaperData) -> Sequence[PaperTable]:
        """Tables 1 to 4."""
        return tables(material)

    def figures(self, material: PaperData, results: Results) -> Sequence[Figure]:
        """Figures 5 to 9."""
        return figures(material, results)

    def judge(self, material: PaperData, results: Results) -> Mapping[str, Judgement]:  # noqa: ARG002 - the numbers suffice
        """Paired tests over sentences, and what was counted."""
        return judged_claims(results)


def _train(data: ParseData) -> Any:
    return data.parts(presence=True)["train"]


def _base(data: ParseData, seed: int) -> Facts:
    parts = data.parts(presence=True)
    facts = _on_test(parts["test"], None, seed)
    return {**facts, "dev": _worth(parts["dev"], None)}


def _worth(data: Any, model: LinearModel | None) -> float:
    """The paper's criterion (21) by sentence: right constituents times F of what is chosen."""
    metric = get("quality")
    rows = first_rows(metric, data) if model is None else metric.rows(data, model.ranking(data))
    return float(metric.score(rows.sum(axis=0)))


def _on_test(test: Any, model: LinearModel | None, seed: int) -> Facts:
    """PARSEVAL of all sentences, and of those of at most 40 words."""
    facts = judged(test, model, seed=seed)
    metric = get(f"{METRIC}{SHORT}")
    rows = first_rows(metric, test) if model is None else metric.rows(test, model.ranking(test))
    facts["cells"] |= cells_of(rows, seed=seed, suffix=SHORT, metric=f"{METRIC}{SHORT}")
    return facts


def _boosted(data: ParseData, settings: Mapping[str, Any], seed: int, _: Results) -> Facts:
    """One path, its dev score after every round relative to the parser's, its work; and the best prefix on test."""
    parts = data.parts(presence=True)
    learner = Boost(**settings, metric="quality", seed=seed, calibration="none")
    began = time.process_time()
    model = fitted(learner, parts["train"], parts["dev"])
    seconds = time.process_time() - began
    base = _worth(parts["dev"], None)
    curve = [100 * entry["dev"] / base for entry in learner.history]
    kept = _spaced(len(curve))
    best, work = int(model.provenance["rounds"]), learner.work
    score = curve[best - 1] if best else 100.0
    facts = _on_test(parts["test"], model, seed)
    facts["cells"] |= {"best N": cell(best), "best score": cell(score), "features": cell(model.n_active)}
    facts["cells"] |= {f"savings {name}": cell(value) for name, value in work.intervals().items()}
    facts["cells"][f"savings 1-{len(curve)}"] = cell(work.savings(1, len(curve)))
    totals = np.cumsum(work.additions)
    return {
        **facts,
        "rounds": (kept + 1).tolist(),
        "curve": [curve[at] for at in kept],
        "work": [float(totals[at] / work.items) for at in kept],
        "savings": [float((at + 1) * work.items / totals[at]) for at in kept],
        "intervals": work.intervals(),
        "total_rounds": len(curve),
        "seconds": seconds,
    }


def _spaced(rounds: int) -> np.ndarray:
    """Places of a curve, close together at its beginning."""
    return np.unique(np.concatenate([np.arange(min(rounds, 50)), np.geomspace(1, rounds, MOST_POINTS).astype(int) - 1]))


def _best(names: Sequence[str], results: Results) -> Facts:
    """The facts of the path with the highest dev score."""
    best = max(names, key=lambda name: results.value(name, "best score"))
    return {**results[best], "chosen": best}


def _log_linear(data: ParseData, settings: Mapping[str, Any], seed: int, _: Results) -> Facts:
    parts = data.parts(presence=True)
    learner = LogLinear(**settings, metric="quality", seed=seed, calibration="none", max_iter=80)
    model = fitted(learner, parts["train"], parts["dev"])
    facts = _on_test(parts["test"], model, seed)
    facts["cells"]["best score"] = cell(100 * _worth(parts["dev"], model) / _worth(parts["dev"], None))
    return facts


def _speed(data: ParseData, lists: int = 1_000, rounds: int = 20) -> Facts:
    """CPU seconds for a round: exact LogLoss, LogLoss by its bound, ExpLoss."""
    train = _train(data)[:lists]
    seconds: dict[str, float] = {}
    kinds: dict[str, dict[str, Any]] = {"exact": {"loss": "log", "log_update": "exact"}, "bound": {"loss": "log"}}
    kinds["exp"] = {}
    for name, settings in kinds.items():
        for many in (2, rounds):  # the first time compiles
            learner = Boost(**settings, rounds=many, smoothing=0.0025, calibration="none")
            began = time.process_time()
            fitted(learner, train)
            seconds[name] = time.process_time() - began
    return {"lists": len(train), "rounds": rounds, "seconds": seconds}


PAPER = CollinsKoo2005()
