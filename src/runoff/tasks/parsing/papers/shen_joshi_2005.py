"""Shen & Joshi (2005): ranks, margins and two algorithms, for parses and for translations."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.errors import DataError
from runoff.learners import Mert, Perceptron
from runoff.metrics import first_rows, get
from runoff.reproduce.data_files import PARTS, fingerprint, line_commands, one_split, splits_in
from runoff.reproduce.figures import Curve, Panel, above, diagram
from runoff.reproduce.fitting import fitted
from runoff.reproduce.paper import Claim, Experiment, Figure, Line, Paper, PaperData, PaperTable, alone
from runoff.reproduce.results import kept_rows, measured
from runoff.reproduce.verdicts import Judgement, alike, all_of, better, exactly, sooner
from runoff.tables import counted
from runoff.tasks.parsing.papers.parse_data import ParseData, drawn_parses, found_parses
from runoff.tasks.parsing.papers.perceptron_lines import (
    EPOCHS,
    LIMITS,
    PaperLines,
    epochs_panel,
    line_experiments,
    theorem_experiment,
    told_bounds,
    until_near,
)
from runoff.tasks.parsing.papers.translation_lists import CANDIDATES, SIZES, ScoredTranslations

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from runoff.reproduce.results import Facts, Results

# Table 2: section 23, at most 100 words.
PARSES: PaperLines = {
    "baseline": ("baseline", {}, (88.1, 88.3, 88.2)),
    "1-splitting": ("1-splitting, CD02", {"order": "best-vs-rest"}, (89.2, 89.8, 89.5)),
    "splitting even": ("r-splitting, even margins", {"order": "splitting", "top": "tied"}, (89.1, 89.8, 89.5)),
    "splitting uneven": (
        "r-splitting, uneven margins",
        {"order": "splitting", "top": "tied", "margin": "uneven"},
        (89.3, 90.0, 89.6),
    ),
    "ordinal even": ("ordinal regression, even margins", {"order": "ordinal"}, (88.1, 87.8, 88.0)),
    "ordinal uneven": ("ordinal regression, uneven margins", {"order": "orum"}, (89.5, 90.0, 89.8)),
}
# Section 7.2: NIST 2003, BLEU; for lists that are shorter than 1,000, the ranks 300 and 700 are shares.
TRANSLATIONS: dict[str, tuple[str, dict[str, Any] | None, float | None]] = {
    "mt baseline": ("first round", None, None),
    "mt best-rest": ("best vs rest", {"order": "best-vs-rest"}, 30.9),
    "mt splitting": ("splitting, uneven margins", {"order": "gap", "top": 0.3, "bottom": 0.7}, 32.6),
    "mt orum": ("ordinal regression, uneven margins", {"order": "mt"}, 32.9),
    "mt mert": ("minimum error rate training (Och 2003)", None, 32.9),
}
CURVES: dict[str, dict[str, Any]] = {
    "curve sentence": {"order": "orum"},
    "curve pair": {"order": "orum", "update": "pair"},
}
ALIKE = 0.5  # of BLEU
SLACK = 1.0  # a distinct dimension for each sample (Li et al. 2002)


@dataclass
class _Both:
    """Lists of parses and of translations, as far as they are there."""

    parses: ParseData | None
    translations: ScoredTranslations | None


class ShenJoshi2005(Paper):
    """Perceptrons with margins on parses and on translations, beside MERT."""

    name = "shen-joshi-2005"
    authors = "Shen, L. & Joshi, A. K."
    title = "Ranking and Reranking with Perceptron"
    venue = "Machine Learning 60"
    year = 2005
    needs = (
        "one or both of two folders in FOLDER: parses, with n-best lists of parses with gold trees, and translations, "
        "with n-best lists of translations with scores and references (any format of lists; the paper has 1,000 "
        "candidates), each in three files whose names have the words train, dev and test."
    )
    takes = "three CPU minutes for 2,200 training lists of 50 parses and 15,000 of 50 translations"
    pictures = ("figure-2", "figure-3")
    claims = (
        Claim("uneven", "Ordinal regression with uneven margins is better than every other setting", "7.1, table 2"),
        Claim("even", "Uneven margins are better than even ones in ordinal regression", "7.1, table 2"),
        Claim("splitting", "Uneven margins are better than even ones in r-splitting", "7.1, table 2"),
        Claim("rounds", "Algorithm 1 converges in fewer rounds than algorithm 2", "7.1, figure 2"),
        Claim("time", "Algorithm 2 converges in less time than algorithm 1", "7.1, figure 2"),
        Claim("stable", "Algorithm 2 does not overfit as algorithm 1 does: after the last epoch 2 is better", "7.1"),
        Claim("translations", "Splitting and uneven ordinal regression are better than best against rest", "7.2"),
        Claim("mert", "Uneven ordinal regression matches minimum error rate training", "7.2"),
        Claim("loss", "Where the loss falls from epoch to epoch, the score on test rises", "7.2, figures 3 and 4"),
        Claim("theorems", "On separable data both algorithms stop within the bounds of theorems 1 and 2", "section 6"),
    )

    def read(self, folder: Path) -> PaperData:
        """Parses and translations, from folders of these names; the other tables are left out where one lacks."""
        left_out: list[str] = []
        prints: list[str] = []
        about: list[str] = []
        places: dict[str, Path] = {}
        for kind in ("parses", "translations"):
            found = [each for each in sorted(folder.iterdir()) if each.is_dir() and each.name.startswith(kind[:5])]
            own = [each for each in found if splits_in(each, PARTS)]
            if own:
                places[kind] = own[0]
            else:
                what = "table 2, figure 2" if kind == "parses" else "the table of translations, figures 3 and 4"
                left_out.append(
                    f"{what}: there is no folder {kind} with three files whose names have the words train, dev and test"
                )
        if not places:
            raise DataError(f"{self.name} needs {self.needs}", path=folder)
        data = _Both(None, None)
        if "parses" in places:
            material = found_parses(places["parses"])
            data.parses = material.data
            prints.append(material.fingerprint)
            about.append(f"parses: {material.about}")
        if "translations" in places:
            _, files = one_split(places["translations"], "n-best lists of translations")
            data.translations = ScoredTranslations(files)
            prints.append(fingerprint(files.values()))
            about.append("translations: " + ", ".join(f"{part} from {path.name}" for part, path in files.items()))
        return PaperData(folder.name, "; ".join(about), "|".join(prints), data, left_out=tuple(left_out))

    def synthetic(self, seed: int) -> PaperData:
        """The synthetic treebank, and sentences with mistakes."""
        drawn = drawn_parses(seed)
        sizes = ", ".join(f"{size} of {part}" for part, size in SIZES.items())
        about = f"{drawn.about}; lists of {CANDIDATES} translations with 16 scores: {sizes}"
        data = _Both(drawn.data, ScoredTranslations(None, seed))
        return PaperData("synthetic lists", about, drawn.fingerprint, data, is_quick=True)

    # ---------------------------------------------------------------- experiments

    def experiments(self, material: PaperData, seed: int, work: Path) -> list[Experiment]:
        """Lines of the tables, curves, and theorems."""
        both: _Both = material.data
        found: list[Experiment] = []
        if both.parses is not None:
            both.parses.work = work
            found += line_experiments(both.parses, material, PARSES, CURVES, seed)
        if both.translations is not None:
            lists, epochs = both.translations, EPOCHS[material.is_quick]
            for name, (label, order, _) in TRANSLATIONS.items():
                settings = {}
                if order is not None:
                    margin = "uneven" if name != "mt best-rest" else "even"
                    settings = {**order, "margin": margin, "slack": SLACK, **LIMITS[material.is_quick]}
                run = partial(_translated, lists, name, settings, epochs, seed)
                command = (
                    ""
                    if material.is_quick or not order
                    else line_commands(lists.file_names(), name, "perceptron", settings, lists.metric)
                )
                found.append(Experiment(name, label, alone(run), {**settings, "epochs": epochs}, command))
        return [*found, theorem_experiment(seed)]

    # ---------------------------------------------------------------- page

    def tables(self, material: PaperData) -> list[PaperTable]:
        """Table 2, and the numbers of section 7.2."""
        both: _Both = material.data
        found = []
        if both.parses is not None:
            lines = tuple(Line(label, name, published) for name, (label, _, published) in PARSES.items())
            note = "Averaged weights; epochs and τ by dev; 95% bootstrap intervals over sentences."
            found.append(PaperTable("table-2", f"parses, {material.name}", ("LR", "LP", "F"), lines, note=note))
        if both.translations is not None:
            rows = tuple(
                Line(label, name, () if published is None else (published,))
                for name, (label, _, published) in TRANSLATIONS.items()
            )
            note = "A slack dimension for each candidate, as in the paper; epochs and τ by dev."
            found.append(PaperTable("section-7.2", f"translations, {material.name}", ("BLEU",), rows, note=note))
        return found

    def figures(self, material: PaperData, results: Results) -> list[Figure]:
        """Learning curves of both algorithms, and of translations."""
        both: _Both = material.data
        under = f"{material.name}: {material.about}"
        found = []
        if both.parses is not None:
            curves = {name: results[name]["f"] for name in CURVES}
            gap = curves["curve sentence"][-1] - curves["curve pair"][-1]
            two = f"After {len(curves['curve pair'])} epochs algorithm 2 is {above(gap, 'F')} algorithm 1"
            labels = {"curve sentence": "algorithm 2, by sentence", "curve pair": "algorithm 1, by pair"}
            panels = [epochs_panel(labels, results)]
            found.append(diagram("figure-2", two, "Uneven ordinal margins on parses.", under, panels))
        if both.translations is not None:
            own = {name: results[name]["curve"] for name in ("mt splitting", "mt orum")}
            gap = results.value("mt orum", "BLEU") - results.value("mt best-rest", "BLEU")
            unit = both.translations.metric.upper()
            three = f"Uneven ordinal regression is {above(gap, unit)} best against rest"
            base = ("first round", results.value("mt baseline", "BLEU"))
            scores = [Curve(TRANSLATIONS[name][0], range(1, len(each) + 1), each) for name, each in own.items()]
            loss = [
                Curve(TRANSLATIONS[name][0], range(1, len(results[name]["violated"]) + 1), results[name]["violated"])
                for name in own
            ]
            panels = [
                Panel(scores, "epochs", f"{unit} on test", "figures 3 and 4", reference=base),
                Panel(loss, "epochs", "violated pairs, per cent", "loss in training"),
            ]
            found.append(diagram("figure-3", three, "Figures 3 and 4: translations by epochs.", under, panels))
        return found

    def judge(self, material: PaperData, results: Results) -> dict[str, Judgement]:
        """Paired tests over sentences; rounds and seconds as they were measured."""
        both: _Both = material.data
        found = {"theorems": told_bounds(results)}

        def compared(one: str, other: str) -> Judgement:
            return better(results.compare(one, other, (one.removeprefix("mt "), other.removeprefix("mt "))))

        if both.parses is not None:
            best = "ordinal uneven"
            found["uneven"] = all_of([compared(best, name) for name in PARSES if name != best])
            found["even"] = compared(best, "ordinal even")
            found["splitting"] = compared("splitting uneven", "splitting even")
            one, two = (until_near(results, name) for name in ("curve pair", "curve sentence"))
            near = f"{counted(one[0], 'epochs')} by pair, {two[0]} by sentence"
            told = f"until within 0.1 F of the best of the curve: {near}"
            found["rounds"] = sooner(one[0], two[0], told)
            found["time"] = sooner(
                two[1], one[1], f"{told}; {one[1]:.2f} CPU seconds by pair, {two[1]:.2f} by sentence"
            )
            found["stable"] = compared("curve sentence", "curve pair")
        if both.translations is not None:
            found["translations"] = all_of([compared(name, "mt best-rest") for name in ("mt splitting", "mt orum")])
            found["mert"] = alike(results.compare("mt orum", "mt mert", ("uneven ordinal", "MERT")), ALIKE)
            falls: list[bool] = []
            said: list[str] = []
            for name in ("mt splitting", "mt orum"):
                pair = np.array([results[name]["violated"], results[name]["curve"]])
                flat = bool((pair.std(axis=1) == 0).any())
                found_r = 0.0 if flat else float(np.corrcoef(pair)[0, 1])
                falls.append(found_r < 0)
                said.append(f"{TRANSLATIONS[name][0]}: correlation {found_r:+.2f} of violated pairs and test score")
            found["loss"] = exactly(all(falls), "; ".join(said))
        return found


def _translated(lists: ScoredTranslations, name: str, settings: Mapping[str, Any], epochs: int, seed: int) -> Facts:
    """A line of translations; perceptrons with their curve on test, which chooses nothing."""
    parts, metric = lists.parts, get(lists.metric)
    facts: Facts = {}
    if name == "mt baseline":
        rows = first_rows(metric, parts["test"])
    else:
        if name == "mt mert":
            learner: Any = Mert(metric=lists.metric, seed=seed, calibration="none")
        else:
            learner = Perceptron(**settings, metric=lists.metric, seed=seed, calibration="none")
        began = time.process_time()
        model = fitted(learner, parts["train"], parts["dev"])
        facts["seconds"] = time.process_time() - began
        rows = metric.rows(parts["test"], model.ranking(parts["test"]))
        if name != "mt mert":
            fixed = {key: value for key, value in settings.items() if key not in ("max_epochs", "patience")}
            fixed["tau"] = model.provenance["tau"]
            again = Perceptron(**fixed, epochs=epochs, metric=lists.metric, seed=seed, calibration="none")
            pairs = fitted(again, parts["train"], parts["test"]).provenance["pairs"]
            facts["curve"] = [float(entry["dev"]) for entry in again.history]
            facts["violated"] = [100 * float(entry["mistakes"]) / max(pairs, 1) for entry in again.history]
    cells = {"BLEU": measured(rows, lists.metric, seed=seed)}
    return {**facts, "cells": cells, "rows": kept_rows(rows, lists.metric)}


PAPER = ShenJoshi2005()
