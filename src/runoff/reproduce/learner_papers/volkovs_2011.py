"""Volkovs, Larochelle & Zemel (2011): five objectives for conditional random fields, on LETOR's folds."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.learners.crf_problem import OBJECTIVES
from runoff.metrics import parse
from runoff.report.scored import p_text
from runoff.reproduce.data_files import fingerprint, train_command
from runoff.reproduce.figures import Curve, Panel, above, draw_bars, draw_panels
from runoff.reproduce.fitting import fitted
from runoff.reproduce.learner_papers.crf_gradients import LOSSES, bounds, gradients
from runoff.reproduce.learner_papers.letor_folds import DOCUMENTS, QUERIES, drawn_folds, find_folds
from runoff.reproduce.paper import Claim, Experiment, Figure, Line, Paper, PaperData, PaperTable
from runoff.reproduce.results import kept_rows, measured
from runoff.reproduce.verdicts import Judgement, alike, all_of, better, exactly

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from runoff.reproduce.learner_papers.letor_folds import Fold, FoldFiles
    from runoff.reproduce.results import Facts, Results

COLUMNS = tuple(f"NDCG@{k}" for k in range(1, 6))
CHOSEN_BY, JUDGED_BY = "ndcg-letor", "ndcg-letor@1-5"
ALIKE = 0.01  # of mean NDCG@1-5

# Section 6: six documents, all orders enumerated, the last weights of SGD, features as they are, its grids (its list of
# rates names 0.01 twice; the first is taken for 0.1).
SETTING: dict[str, Any] = {
    "space": "permutations",
    "method": "sgd",
    "documents": 6,
    "orders": "enumerate",
    "average": False,
    "scale": "none",
    "rate": [0.5, 0.1, 0.01, 0.001],
    "l2": 0.0,
    "metric": CHOSEN_BY,
}
STRENGTHS = {"la": {"loss_weight": [1.0, 10.0, 20.0, 50.0]}, "kl": {"temperature": [1.0, 10.0, 20.0, 50.0]}}
SMALL: dict[str, Any] = {"rate": [0.5, 0.1, 0.01], "max_epochs": 12}  # with --quick
SMALL_STRENGTHS = {"la": {"loss_weight": [1.0, 10.0]}, "kl": {"temperature": [1.0, 10.0]}}
BASELINES: dict[str, tuple[str, dict[str, Any]]] = {
    "regression": ("Regression", {"l2": 0.0, "metric": CHOSEN_BY}),
    "listnet": ("ListNet", {"scale": "none", "metric": CHOSEN_BY}),
    "adarank": ("AdaRank", {"scale": "none", "metric": CHOSEN_BY}),
}
SEEDS = 3

# Table 1; those of ML, LA, LS and EL are drawn in figure 2, without numbers.
PUBLISHED: dict[str, dict[str, tuple[float, ...]]] = {
    "MQ2007": {
        "Regression": (38.94, 39.60, 39.86, 40.53, 41.11),
        "SVM-Struct": (40.96, 40.73, 40.62, 40.84, 41.42),
        "ListNet": (40.02, 40.63, 40.91, 41.44, 41.70),
        "AdaRank": (38.76, 39.67, 40.44, 40.67, 41.02),
        "KL": (41.06, 40.90, 40.93, 41.33, 41.75),
    },
    "MQ2008": {
        "Regression": (36.67, 40.62, 42.89, 45.60, 47.73),
        "SVM-Struct": (36.26, 39.84, 42.85, 45.08, 46.95),
        "ListNet": (37.54, 41.12, 43.24, 45.68, 47.47),
        "AdaRank": (38.26, 42.11, 44.20, 46.53, 48.21),
        "KL": (39.47, 41.80, 43.74, 46.18, 47.84),
    },
}


class Volkovs2011(Paper):
    """Five objectives over all orders of six documents, and linear baselines."""

    name = "volkovs-2011"
    authors = "Volkovs, M. N., Larochelle, H. & Zemel, R. S."
    title = "Loss-sensitive Training of Probabilistic Conditional Random Fields"
    venue = "arXiv:1107.1805"
    year = 2011
    needs = (
        "one or more LETOR collections: folders Fold1, Fold2 … with train, vali and test in LETOR's text format "
        "(MQ2007 and MQ2008 of LETOR 4.0, MSLR or your own)."
    )
    takes = "seven minutes for MQ2008 on two busy cores; MQ2007 has twice as many queries"
    pictures = ("figure-1", "figure-2")
    claims = (
        Claim("lower", "Only EL and KL lower the energy of some answers that have a loss", "section 3.4, figure 1"),
        Claim(
            "violators", "LS puts nearly all of its gradient for wrong answers on the worst violator, LA less", "3.4"
        ),
        Claim("el", "EL lowers a wrong answer's energy more than the right one's; KL does not", "3.4"),
        Claim("bounds", "LA and LS are upper bounds of the loss", "section 3.1"),
        Claim("la", "Loss-augmentation (LA) is better than maximum likelihood (ML)", "6.2, figure 2"),
        Claim("ls", "Loss-scaling (LS) is better than LA", "6.2, figure 2"),
        Claim("ls-el", "LS and expected loss (EL) perform alike", "6.2, figure 2"),
        Claim("kl", "KL is the best of the five objectives", "6.2, figure 2"),
        Claim("baselines", "KL is better than Regression, ListNet and AdaRank", "6.2, table 1, MQ2007"),
    )

    def read(self, folder: Path) -> PaperData:
        """Collections with folds."""
        found = find_folds(folder)
        files = [path for folds in found.values() for fold in folds for _, path in fold.files]
        about = "; ".join(f"{name}, {len(folds)} folds" for name, folds in found.items())
        lacking = tuple(
            f"the columns of {name}: there is no collection of this name with Fold1, Fold2 …"
            for name in PUBLISHED
            if name not in found
        )
        return PaperData(" and ".join(found), about, fingerprint(files), found, left_out=lacking)

    def synthetic(self, seed: int) -> PaperData:
        """Five folds of 300 queries."""
        about = f"{5 * QUERIES} queries of {DOCUMENTS} documents, graded 0 to 2 with much noise, in five folds"
        data = {"synthetic data": drawn_folds(seed)}
        return PaperData("synthetic data", about, f"drawn folds {seed}", data, is_quick=True)

    # ---------------------------------------------------------------- experiments

    def experiments(self, material: PaperData, seed: int, work: Path) -> list[Experiment]:  # noqa: ARG002 - nothing to prepare
        """Gradients, bounds, and all lines of the table on every collection."""
        found = [
            Experiment("gradients", "figure 1: gradients of the five objectives", lambda _: gradients()),
            Experiment("bounds", "upper bounds of the loss", lambda _: bounds(seed)),
        ]
        seeds = [seed] if material.is_quick else [seed + at for at in range(SEEDS)]
        for name, folds in material.data.items():
            for line, (learner, settings) in self._lines(material.is_quick).items():
                settings_of = {"learner": learner, "settings": settings, "seeds": seeds}
                found.append(
                    Experiment(
                        f"{line} {name}",
                        f"{name}: {line}",
                        partial(self._learned, folds, learner, settings, seeds, seed),
                        settings_of,
                        "" if material.is_quick else _command(name, folds[0], line, learner, settings),
                    )
                )
        return found

    @staticmethod
    def _lines(is_quick: bool) -> dict[str, tuple[str, dict[str, Any]]]:
        """Learner and settings of every line."""
        found = {}
        for name in OBJECTIVES:
            strengths = (SMALL_STRENGTHS if is_quick else STRENGTHS).get(name, {})
            found[name] = "crf", {"objective": name, **SETTING, **(SMALL if is_quick else {}), **strengths}
        return found | {line: (line, settings) for line, (_, settings) in BASELINES.items()}

    @staticmethod
    def _learned(
        folds: Sequence[Fold],
        learner: str,
        settings: Mapping[str, Any],
        seeds: Sequence[int],
        seed: int,
        _: Results,
    ) -> Facts:
        """NDCG@1 to 5 of all test queries, each fold weighing the same, by models chosen on validation data."""
        from runoff.learners import learner as named

        metrics = list(parse(JUDGED_BY))
        values, weights = [], []
        for fold in folds:
            parts = fold.parts
            found = []
            for each in seeds:
                pupil = named(learner)(**settings, seed=each, calibration="none")
                model = fitted(pupil, parts["train"], parts["vali"])
                ranking = model.ranking(parts["test"])
                found.append(np.column_stack([metric.rows(parts["test"], ranking)[:, 0] for metric in metrics]))
            values.append(np.mean(found, axis=0))
            weights.append(np.full(len(values[-1]), 1.0 / len(values[-1])))
        table, weight = np.vstack(values), np.concatenate(weights) * len(np.concatenate(values)) / len(folds)
        rows = [np.column_stack([column * weight, weight]) for column in (*table.T, table.mean(axis=1))]
        cells = {
            name: measured(each, "quality", seed=seed, factor=100.0)
            for name, each in zip((*COLUMNS, "mean"), rows, strict=True)
        }
        kept = {name: kept_rows(each, "quality", label=name) for name, each in zip(COLUMNS, rows, strict=False)}
        return {"cells": cells, "rows": kept_rows(rows[-1], "quality", label="mean NDCG@1–5"), **kept}

    # ---------------------------------------------------------------- page

    def tables(self, material: PaperData) -> list[PaperTable]:
        """Table 1, one for every collection."""
        labels = {name: name.upper() for name in OBJECTIVES} | {line: label for line, (label, _) in BASELINES.items()}
        found = []
        for at, name in enumerate(material.data):
            published = PUBLISHED.get("MQ2008" if material.is_quick else name, {})
            lines = [Line(label, f"{line} {name}", published.get(label, ())) for line, label in labels.items()]
            if "SVM-Struct" in published:
                lines.append(Line("SVM-Struct (published only)", "", published["SVM-Struct"]))
            found.append(
                PaperTable(
                    f"table-1{'abcdefgh'[at] if len(material.data) > 1 else ''}",
                    f"NDCG@1–5 by LETOR's rules, {name}, in per cent",
                    COLUMNS,
                    tuple(lines),
                    note="Means of the folds' test sets with 95% bootstrap intervals over queries. The paper gives ML, "
                    "LA, LS and EL only as a figure" + ("; its numbers are of MQ2008." if material.is_quick else "."),
                )
            )
        return found

    def figures(self, material: PaperData, results: Results) -> list[Figure]:
        """Figure 1 exactly; figure 2 with intervals."""
        slopes = results["gradients"]["slopes"]
        lowering = [name.upper() for name, each in slopes.items() if min(each[0], each[1], each[3], each[4]) < -1e-12]
        best = {
            name: max(OBJECTIVES, key=lambda line: results.value(f"{line} {name}", "mean")) for name in material.data
        }
        told = "; ".join(_finding(name, line, results) for name, line in best.items())
        return [
            Figure(
                "figure-1",
                f"{' and '.join(lowering)} alone lower the energy of answers that have a loss",
                "Minus the derivative of each objective by the energy of five answers, divided by its length; energies "
                "-1, -0.5, 0, 0.5, 1 and losses 5, 1, 0, 1, 5 as in the paper (α = 1, T = 1). Computed exactly.",
                lambda path: draw_bars(
                    path,
                    f"{' and '.join(lowering)} alone lower the energy of answers that have a loss",
                    "minus the derivative by the energy of each answer, divided by its length: below zero, the energy "
                    "falls and the answer becomes more probable",
                    {name.upper(): each for name, each in slopes.items()},
                    [f"{loss:g}" for loss in LOSSES],
                    "loss of the answer",
                    "change of energy",
                ),
            ),
            Figure(
                "figure-2",
                told,
                "NDCG@1 to 5 of four objectives less that of ML, with paired 95% intervals over the test queries.",
                lambda path: draw_panels(
                    path,
                    told,
                    f"{material.about}; paired 95% intervals over test queries",
                    [_panel(name, results) for name in material.data],
                ),
            ),
        ]

    def judge(self, material: PaperData, results: Results) -> dict[str, Judgement]:
        """Exact claims of section 3, and paired tests over the queries of every collection."""
        slopes, found = results["gradients"]["slopes"], {}
        wrong = (0, 1, 3, 4)
        lowest = {name: min(each[at] for at in wrong) for name, each in slopes.items()}
        found["lower"] = exactly(
            {name for name, least in lowest.items() if least < -1e-12} == {"el", "kl"},
            "least change of a wrong answer's energy: "
            + ", ".join(f"{name.upper()} {least:+.3f}" for name, least in lowest.items()),
        )
        shares = {name: slopes[name][0] / sum(slopes[name][at] for at in wrong) for name in ("ml", "la", "ls")}
        found["violators"] = exactly(
            shares["ls"] > 0.99 and shares["ls"] > shares["la"] > shares["ml"],
            "share on the worst violator: "
            + ", ".join(f"{name.upper()} {share:.4f}" for name, share in shares.items()),
        )
        found["el"] = exactly(
            slopes["el"][1] < slopes["el"][2] < 0 and slopes["kl"][2] < min(slopes["kl"][at] for at in wrong),
            f"EL: {slopes['el'][1]:+.3f} for the probable answer of loss 1, {slopes['el'][2]:+.3f} for the right one; "
            f"KL: {slopes['kl'][2]:+.3f} for the right one, {min(slopes['kl'][at] for at in wrong):+.3f} at least else",
        )
        drawn = results["bounds"]
        found["bounds"] = exactly(
            min(drawn["least"].values()) >= -1e-9,
            f"{drawn['draws']:,} random lists: the bound less the loss of the prediction is at least "
            + ", ".join(f"{least:.2e} ({name.upper()})" for name, least in drawn["least"].items()),
        )

        def compared(first: str, second: str, name: str) -> Any:
            labels = f"{first.upper()} on {name}", second.upper() if second in OBJECTIVES else BASELINES[second][0]
            return results.compare(f"{first} {name}", f"{second} {name}", labels)

        def beats(first: str, *others: str) -> Judgement:
            return all_of(
                [better(compared(first, each, name), factor=100.0) for name in material.data for each in others]
            )

        found["la"], found["ls"] = beats("la", "ml"), beats("ls", "la")
        found["ls-el"] = all_of([alike(compared("ls", "el", name), ALIKE, factor=100.0) for name in material.data])
        found["kl"], found["baselines"] = beats("kl", "ml", "la", "ls", "el"), beats("kl", *BASELINES)
        return found


def _finding(name: str, line: str, results: Results) -> str:
    """The best objective beside the first."""
    if line == "ml":
        return f"On {name} no objective is above ML"
    found = results.compare(f"{line} {name}", f"ml {name}")
    lead = above(100 * found.difference.delta, "points of NDCG")
    return f"On {name} {line.upper()} is best, {lead} ML (p {p_text(found.p)})"


def _panel(name: str, results: Results) -> Panel:
    """NDCG@k less that of ML, with paired intervals."""
    curves = []
    for line in OBJECTIVES[1:]:
        found = [results.compare(f"{line} {name}", f"ml {name}", what=column).difference for column in COLUMNS]
        y, low, high = ([100 * getattr(each, part) for each in found] for part in ("delta", "low", "high"))
        curves.append(Curve(line.upper(), range(1, 6), y, low, high))
    return Panel(curves, "k", "NDCG@k less that of ML, percentage points", name, reference=("ML", 0.0))


def _command(collection: str, fold: FoldFiles, line: str, learner: str, settings: dict[str, Any]) -> str:
    """The same on the first fold."""
    own = {key: value for key, value in settings.items() if key != "metric"}
    files = {part: f"{collection}/{path.parent.name}/{path.name}" for part, path in fold.files}
    trained = train_command(files["train"], files["vali"], learner, own, f"{line}.runoff", CHOSEN_BY)
    return f"{trained}\nrunoff eval {line}.runoff {files['test']} --metric {JUDGED_BY}"


PAPER = Volkovs2011()
