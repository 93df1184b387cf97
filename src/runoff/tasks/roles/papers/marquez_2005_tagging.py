"""Màrquez, Comas, Giménez & Català (2005): role labelling as tagging, over base phrases and over full parses."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from runoff.errors import DataError
from runoff.reproduce.figures import Curve, Panel, above, diagram, dots, found_dot
from runoff.reproduce.paper import Claim, Experiment, Figure, Line, PaperTable, alone
from runoff.reproduce.results import cell, kept_rows, measured
from runoff.reproduce.verdicts import Judgement, all_of, apart, better, exactly, sooner
from runoff.tasks.roles.papers.role_data import KINDS, NEEDS, RolePaper, bound
from runoff.tasks.roles.role_scores import evaluate_roles, label_scores
from runoff.tasks.roles.union import best_labels, union

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from runoff.reproduce.paper import PaperData
    from runoff.reproduce.results import Facts, Results
    from runoff.tasks.roles.papers.role_data import RoleData
    from runoff.tasks.roles.propositions import RoleSentence

METRIC = "srl-eval"
PARTS = {"PProps": "perfect", "P": "precision", "R": "recall", "F": "f"}
SYSTEMS = {"PP": "M1", "FP": "M2"}  # over base phrases and clauses, and over full parses
UNION = "combined"
ROUNDS, FEW_ROUNDS = (25, 50, 100, 300, 600, 1_000, 2_000), (2, 4, 8, 16, 32)
NEAR = 0.5  # of F: rounds that come so near the best of the curve are enough
# Table 1, dev; table 2, of the combined system; section 1.
PUBLISHED_DEV = {
    "PP": (47.38, 76.86, 70.55, 73.57),
    "FP": (51.51, 78.08, 73.54, 75.75),
    UNION: (51.39, 78.39, 75.53, 76.93),
}
PUBLISHED_TEST = {"dev": (78.39, 75.53, 76.93), "test": (79.55, 76.45, 77.97), "other": (70.79, 64.35, 67.42)}
PUBLISHED_LABELS: dict[str, tuple[float, float, float]] = {
    "A0": (87.11, 86.28, 86.69),
    "A1": (79.60, 76.72, 78.13),
    "A2": (69.18, 67.75, 68.46),
    "A3": (76.38, 56.07, 64.67),
    "A4": (79.78, 69.61, 74.35),
    "AM-ADV": (59.15, 52.37, 55.56),
    "AM-CAU": (73.68, 57.53, 64.62),
    "AM-DIR": (71.43, 35.29, 47.24),
    "AM-DIS": (77.14, 75.94, 76.54),
    "AM-EXT": (63.64, 43.75, 51.85),
    "AM-LOC": (62.74, 54.27, 58.20),
    "AM-MNR": (54.33, 52.91, 53.61),
    "AM-MOD": (96.16, 95.46, 95.81),
    "AM-NEG": (99.13, 98.70, 98.91),
    "AM-PNC": (53.49, 40.00, 45.77),
    "AM-TMP": (77.68, 78.75, 78.21),
    "R-A0": (86.84, 88.39, 87.61),
    "R-A1": (75.32, 76.28, 75.80),
    "R-A2": (54.55, 37.50, 44.44),
    "R-AM-TMP": (69.81, 71.15, 70.48),
}
PUBLISHED_SIZES = {"PP": (95.67, 1_049_049, 105_175), "FP": (90.32, 828_811, 80_742)}


class Marquez2005Tagging(RolePaper):
    """Two taggers, their union, what bounds them, and F by rounds of boosting."""

    name = "marquez-2005-tagging"
    authors = "Màrquez, L., Comas, P., Giménez, J. & Català, N."
    title = "Semantic Role Labeling as Sequential Tagging"
    venue = "CoNLL"
    year = 2005
    takes = "13 CPU minutes for 2,300 training sentences with --rounds 1000; hours for 12,500 and all 2,000 rounds"
    has_rounds = True
    pictures = ("figure-1", "systems")
    claims = (
        Claim("full", "Tagging over full parses (FP) is better than over base phrases (PP)", "section 2, table 1"),
        Claim("union", "Their union is better than the better of the two", "section 2, table 1"),
        Claim("recall", "The union gains by recall", "section 2, table 1"),
        Claim("perfect", "FP has more propositions that are perfect", "section 2, table 1"),
        Claim("rounds", "FP needs fewer rounds of boosting to come near its best", "section 2, figure 1"),
        Claim("bound", "PP can reach more of the arguments than FP", "section 1"),
        Claim("examples", "FP has fewer examples to learn from", "section 2"),
        Claim("precision", "Precision is higher than recall for both", "section 2"),
        Claim("domain", "F falls on text of another domain", "section 2, table 2"),
    )

    def read(self, folder: Path) -> PaperData:
        """Sentences whose syntax is enough for both taggers."""
        material = super().read(folder)
        data: RoleData = material.data
        lacking = [name for name, model in SYSTEMS.items() if model not in data.models]
        if lacking:
            raise DataError(f"the syntax of these sentences is not enough for {lacking[0]}. {NEEDS}", path=folder)
        return material

    def experiments(self, material: PaperData, seed: int, work: Path) -> list[Experiment]:
        """Both systems, their union, bounds, and F by rounds."""
        data: RoleData = material.data
        data.work, data.most_rounds = work, material.most_rounds
        found = []
        for name, model in SYSTEMS.items():
            settings = {"rounds": data.rounds, "depth": 4}
            make = partial(_system, data, model, seed)
            command = data.command(model, "runoff roles label {model}.runoff {test} -o {model}.props")
            found.append(Experiment(name, f"{name}: {KINDS[model]}", alone(make), settings, command))
        found.append(Experiment(UNION, "the union of both", lambda _: _union(data, seed), {"rounds": data.rounds}))
        for name, model in SYSTEMS.items():
            for rounds in dict.fromkeys(map(material.rounds, FEW_ROUNDS if material.is_quick else ROUNDS)):
                run = partial(_at, data, model, rounds)
                key = f"{name} {rounds} rounds"
                found.append(Experiment(key, f"{name}, {rounds} rounds", alone(run), {"rounds": rounds}))
        return found

    def tables(self, material: PaperData) -> list[PaperTable]:
        """Tables 1 and 2, and the sizes of sections 1 and 2."""
        data: RoleData = material.data
        parts = ("dev", *data.domains())
        one = tuple(Line(name, name, published) for name, published in PUBLISHED_DEV.items())
        columns = tuple(f"{column} dev" for column in PARTS)
        top = tuple(f"{column} {part}" for part in parts for column in ("P", "R", "F"))
        published = tuple(value for part in parts for value in PUBLISHED_TEST[part])
        found = [
            PaperTable("table-1", f"both systems and their union on dev, {material.name}", columns, one),
            PaperTable(
                "table-2a", f"the union on dev and test, {material.name}", top, (Line("overall", UNION, published),)
            ),
        ]
        by_label = tuple(Line(label, f"{UNION}/{label}", numbers) for label, numbers in PUBLISHED_LABELS.items())
        found.append(PaperTable("table-2b", f"the union by label on test, {material.name}", ("P", "R", "F"), by_label))
        sizes = tuple(Line(name, name, numbers) for name, numbers in PUBLISHED_SIZES.items())
        found.append(
            PaperTable(
                "sizes",
                "arguments that candidates reach (dev, per cent), examples and features to learn from",
                ("bound", "examples", "features"),
                sizes,
                digits=(2, 0, 0),
            )
        )
        return found

    def figures(self, material: PaperData, results: Results) -> list[Figure]:
        """F by rounds, and the systems side by side."""
        curves = _curves(results)
        under = f"{material.name}: {material.about}; trees of depth 4"
        best = {name: max(values) for name, (_, values) in curves.items()}
        gap = best["FP"] - best["PP"]
        need = {name: _enough(*curve) for name, curve in curves.items()}
        one = (
            f"Full parses are {above(gap, 'F')} base phrases; {NEAR} F below their best they need {need['FP']} rounds, "
            f"base phrases {need['PP']}"
        )
        drawn = [_curve(name, rounds, results) for name, (rounds, _) in curves.items()]
        lift = results.value(UNION, "F dev") - max(results.value(name, "F dev") for name in SYSTEMS)
        two = f"The union is {above(lift, 'F')} the better system on dev"
        groups = {
            column: [found_dot(results, name, f"{column} dev", PUBLISHED_DEV[name][at]) for name in PUBLISHED_DEV]
            for at, column in enumerate(PARTS)
            if column != "PProps"
        }
        return [
            diagram(
                "figure-1",
                one,
                "F1 on dev by rounds of boosting.",
                under,
                [Panel(drawn, "rounds of boosting", "F1 on dev, per cent", log_x=True)],
            ),
            dots("systems", two, "Table 1 as a picture: precision, recall and F on dev.", under, groups, "per cent"),
        ]

    def judge(self, material: PaperData, results: Results) -> dict[str, Judgement]:
        """Paired tests over the sentences of dev, and counts."""
        data: RoleData = material.data
        strongest = max(SYSTEMS, key=lambda name: results.value(name, "F dev"))
        need = {name: _enough(*curve) for name, curve in _curves(results).items()}
        examples = {name: int(results.value(name, "examples")) for name in SYSTEMS}
        found = {
            "full": better(results.compare("FP", "PP", what="rows dev")),
            "union": better(results.compare(UNION, strongest, what="rows dev")),
            "recall": all_of(
                [
                    better(results.compare(UNION, name, what="rows dev", metric=f"{METRIC}[part=recall]"))
                    for name in SYSTEMS
                ]
            ),
            "perfect": better(results.compare("FP", "PP", what="rows dev", metric=f"{METRIC}[part=perfect]")),
            "rounds": sooner(
                need["FP"],
                need["PP"],
                f"within {NEAR} F of the best of its curve: FP after {need['FP']} rounds, PP after {need['PP']}",
            ),
            "bound": better(results.compare("PP", "FP", what="rows bound"), factor=100.0),
            "examples": exactly(
                examples["FP"] < examples["PP"],
                f"FP {examples['FP']:,}, PP {examples['PP']:,}: {100 * (1 - examples['FP'] / examples['PP']):.0f}% "
                "fewer (the paper: 21%)",
            ),
            "precision": all_of(
                [
                    apart(p, r, f"{name}: P {_told(p)}, R {_told(r)}")
                    for name in SYSTEMS
                    for p, r in [(results.cell(name, "P dev") or cell(0.0), results.cell(name, "R dev") or cell(0.0))]
                ]
            ),
        }
        if "other" in data.parts:
            here, there = (results.cell(UNION, f"F {part}") or cell(0.0) for part in ("test", "other"))
            told = f"F {_told(here)} on test, {_told(there)} on the other domain"
            found["domain"] = apart(here, there, told)
        return found


def judged(gold: Sequence[RoleSentence], found: Sequence[RoleSentence], part: str, seed: int) -> Facts:
    """Cells and rows of a labelling, whose names end in the part of the data; rows are sentences."""
    rows = evaluate_roles(gold, found).rows
    cells = {
        f"{column} {part}": measured(rows, METRIC if name == "f" else f"{METRIC}[part={name}]", seed=seed)
        for column, name in PARTS.items()
    }
    return {"cells": cells, f"rows {part}": kept_rows(rows, METRIC)}


def _all_parts(data: RoleData, solutions: dict[str, list[RoleSentence]], seed: int) -> Facts:
    facts: Facts = {"cells": {}}
    for part in ("dev", *data.domains()):
        each = judged(data.parts[part], solutions[part], part, seed)
        facts["cells"] |= each.pop("cells")
        facts |= each
    return facts


def _system(data: RoleData, model: str, seed: int) -> Facts:
    """A labeller on dev and test, with its bound and the size of what it learned from."""
    facts = _all_parts(data, data.labelled(model), seed)
    reach, sizes = bound(KINDS[model], data.parts["dev"]), data.facts(model)
    facts["cells"]["bound"] = measured(reach, "quality", seed=seed, factor=100.0)
    facts["rows bound"] = kept_rows(reach, "quality", label="points of recall")
    facts["cells"] |= {key: cell(value) for key, value in sizes.items()}
    return facts


def _union(data: RoleData, seed: int) -> Facts:
    """Arguments of both; which system has the best of a label is told by dev, as in the paper."""
    own = [data.labelled(model) for model in reversed(SYSTEMS.values())]  # full parses first
    best = best_labels(data.parts["dev"], [each["dev"] for each in own])
    joined = {part: union([each[part] for each in own], best) for part in ("dev", *data.domains())}
    facts = _all_parts(data, joined, seed)
    counts = evaluate_roles(data.parts["test"], joined["test"]).statistics.by_label
    facts["lines"] = {
        label: {"P": cell(scores["precision"]), "R": cell(scores["recall"]), "F": cell(scores["f"])}
        for label, scores in ((label, label_scores(each)) for label, each in counts.items())
    }
    facts["best"] = [sorted(each) for each in best]
    return facts


def _at(data: RoleData, model: str, rounds: int) -> Facts:
    """F on dev after so many rounds; a longer run goes on where a shorter one ended."""
    labeller = data.labeller(model, data.parts["train"], rounds)
    return judged(data.parts["dev"], data.label(labeller, data.parts["dev"]), "dev", data.seed)


def _curves(results: Results) -> dict[str, tuple[list[int], list[float]]]:
    found: dict[str, tuple[list[int], list[float]]] = {}
    for name in SYSTEMS:
        rounds = sorted(int(key.split()[1]) for key in results.facts if key.startswith(f"{name} "))
        found[name] = rounds, [results.value(f"{name} {each} rounds", "F dev") for each in rounds]
    return found


def _curve(name: str, rounds: list[int], results: Results) -> Curve:
    found = [found_dot(results, f"{name} {each} rounds", "F dev") for each in rounds]
    low, high = [each.low or 0.0 for each in found], [each.high or 0.0 for each in found]
    return Curve(name, rounds, [each.value for each in found], low, high)


def _enough(rounds: list[int], values: list[float]) -> int:
    return next(many for many, value in zip(rounds, values, strict=True) if value >= max(values) - NEAR)


def _told(found: Sequence[float | None]) -> str:
    """A cell in words."""
    value, low, high = (float(each or 0.0) for each in found)
    return f"{value:.2f} ({low:.2f} to {high:.2f})"


PAPER = Marquez2005Tagging()
