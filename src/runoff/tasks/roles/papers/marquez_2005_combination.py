"""Màrquez, Surdeanu, Comas & Turmo (2005): three role labellers combined by a filter of their arguments."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import runoff
from runoff.combine import perfect_filter, system_worth, train_combiner, union
from runoff.combine.limits import contributions
from runoff.combine.training import as_single
from runoff.learners import SVM
from runoff.metrics import get
from runoff.ranking import first_round
from runoff.reproduce.figures import above, dots, found_dot, stacked
from runoff.reproduce.paper import Claim, Experiment, Figure, Line, PaperTable
from runoff.reproduce.results import cell, kept_rows, measured
from runoff.reproduce.verdicts import Judgement, all_of, better, exactly
from runoff.tasks.roles.papers.marquez_2005_tagging import METRIC, PARTS
from runoff.tasks.roles.papers.role_data import KINDS, RolePaper
from runoff.tasks.roles.papers.solution_lists import lists_of, sentence_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from runoff.nbest import NBest
    from runoff.reproduce.paper import PaperData
    from runoff.reproduce.results import Facts, Results
    from runoff.tasks.roles.papers.role_data import RoleData

TASK = "roles"
SETS = (("M1", "M2"), ("M1", "M3"), ("M2", "M3"), ("M1", "M2", "M3"))
BASELINE, LIMIT = "baseline", "perfect filter"
DOMAINS = {"test": "WSJ", "other": "Brown"}  # what the paper tested on
# SVM of degree 2 over the evidence of table 7; what is rarer than `min_groups` of the parts' lists is left out.
FILTER: dict[str, Any] = {"C": 0.01, "degree": 2, "free": "bias", "min_groups": 3, "calibration": "none"}
RARE = {True: 3, False: 15}  # with --quick, and as the paper
# Tables 8, 9 and 10: perfect propositions, precision, recall and F on WSJ, then on Brown.
PUBLISHED: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "M1": ((48.45, 78.76, 72.44, 75.47), (30.85, 67.72, 58.29, 62.65)),
    "M2": ((52.04, 79.65, 74.92, 77.21), (36.44, 71.82, 64.03, 67.70)),
    "M3": ((45.28, 80.32, 72.95, 76.46), (29.48, 72.41, 59.67, 65.42)),
    "M1+M2": ((51.30, 81.30, 74.13, 77.55), (35.95, 73.70, 62.93, 67.89)),
    "M1+M3": ((47.26, 81.21, 73.36, 77.08), (28.98, 72.83, 58.84, 65.09)),
    "M2+M3": ((52.65, 81.55, 75.30, 78.30), (37.06, 73.89, 63.30, 68.18)),
    "M1+M2+M3": ((51.64, 84.89, 74.87, 79.56), (34.20, 78.66, 61.46, 69.00)),
    BASELINE: ((51.09, 77.29, 78.67, 77.98), (33.58, 67.66, 66.01, 66.82)),
    LIMIT: ((70.76, 99.12, 85.22, 91.64), (51.87, 99.63, 74.32, 85.14)),
}
# Table 11: shares of the right arguments that three, two or one system found.
SHARES = ("3 systems", "2 systems", "M1", "M2", "M3")
PUBLISHED_SHARES = {
    "A0": (80.45, 12.10, 3.47, 2.14, 1.84),
    "A1": (69.82, 17.83, 7.45, 2.77, 2.13),
    "A2": (56.04, 22.32, 12.20, 4.95, 4.49),
    "A3": (56.03, 21.55, 12.93, 5.17, 4.31),
    "A4": (65.85, 20.73, 6.10, 2.44, 4.88),
}
ALL = "M1+M2+M3"
NBEST = "runoff roles nbest {model}.runoff {test} -k 1 -o {model}.test.jsonl"
ENOUGH = 20  # right arguments of a label that a share of them is worth telling
MANY = 5.0  # per cent of the right arguments of a label that are worth looking beyond votes for


class Marquez2005Combination(RolePaper):
    """Labellers, all their combinations, a baseline without training, the upper limit, and who contributes what."""

    name = "marquez-2005-combination"
    authors = "Màrquez, L., Surdeanu, M., Comas, P. & Turmo, J."
    title = "A Robust Combination Strategy for Semantic Role Labeling"
    venue = "HLT/EMNLP"
    year = 2005
    takes = "about ten CPU minutes for 2,300 training sentences, six trainings; an hour or more for 12,500"
    has_rounds = True
    pictures = ("systems", "contributions")
    claims = (
        Claim("full", "Models 2 and 3 on full parses are better than model 1 on base phrases", "section 6, table 8"),
        Claim("combined", "Every combination is better than the best of its models", "6.1, table 9"),
        Claim("baseline", "The combination of all three is better than the baseline", "6.1, table 9"),
        Claim("all", "The combination of all three is better than those of two", "6.1, table 9"),
        Claim("perfect", "Perfect propositions: models 2 and 3 alone do better than all three", "6.1, table 9"),
        Claim("limit", "The upper limit is far above the combination", "6.2, table 10"),
        Claim("alone", "A significant number of right arguments comes from a single system", "6.2, table 11"),
        Claim("domain", "The combination is better than the best model on another domain too", "6.1, table 9"),
    )

    # ---------------------------------------------------------------- experiments

    def experiments(self, material: PaperData, seed: int, work: Path) -> list[Experiment]:
        """All lines of tables 8 to 10, and table 11."""
        data: RoleData = material.data
        data.work, data.most_rounds = work, material.most_rounds
        settings = {"rounds": data.rounds, "depth": 4}
        found = [
            Experiment(
                name,
                f"{name}: {KINDS[name]}",
                partial(self._line, data, name, seed),
                settings,
                data.command(name, NBEST),
            )
            for name in data.models
        ]
        for systems in _sets(data):
            name = "+".join(systems)
            make = partial(self._combined, data, systems, RARE[material.is_quick], seed)
            found.append(Experiment(name, f"combination {name}", make, {**settings, **FILTER}))
        found.append(
            Experiment(BASELINE, "all arguments, conflicts by votes", partial(_baseline, data, seed), settings)
        )
        found.append(Experiment(LIMIT, "the upper limit", partial(_limit, data, seed), settings))
        found.append(Experiment("contributions", "who found what", lambda _: _contributions(data), settings))
        return found

    @staticmethod
    def _line(data: RoleData, name: str, seed: int, _: Results) -> Facts:
        return _judged(data, {part: _texts(lists_of(data, part, (name,))) for part in data.domains()}, seed)

    @staticmethod
    def _combined(data: RoleData, systems: Sequence[str], rare: int, seed: int, _: Results) -> Facts:
        """A filter that learns from the last third, labelled by models of the other two, as in the paper."""
        combiner = train_combiner(
            lists_of(data, "third", systems),
            lists_of(data, "dev", systems),
            task=TASK,
            learner=SVM(**FILTER, seed=seed),
            kind="solutions",
            min_groups=rare,
            resolution="greedy",
            price=1.0,
            seed=seed,
        )
        return _judged(data, {part: combiner.texts(lists_of(data, part, systems)) for part in data.domains()}, seed)

    # ---------------------------------------------------------------- page

    def tables(self, material: PaperData) -> list[PaperTable]:
        """Tables 8 to 11."""
        data: RoleData = material.data
        columns = tuple(f"{column} {part}" for part in data.domains() for column in PARTS)
        own = list(DOMAINS)[: len(data.domains())]

        def lines(names: Sequence[str]) -> tuple[Line, ...]:
            return tuple(
                Line(name, name, tuple(n for at in range(len(own)) for n in PUBLISHED[name][at])) for name in names
            )

        combined = ["+".join(each) for each in _sets(data)]
        where = f"{material.name}; the paper's numbers are of WSJ" + (" and Brown" if len(own) > 1 else "")
        return [
            PaperTable("table-8", f"individual models, {where}", columns, lines(data.models)),
            PaperTable(
                "table-9",
                f"combinations, {where}",
                columns,
                lines([*combined, BASELINE]),
                note="95% bootstrap intervals over sentences. Filters learn from the last third of the training "
                "sentences, labelled by models of the other two thirds.",
            ),
            PaperTable("table-10", f"upper limit: a perfect filter of all arguments, {where}", columns, lines([LIMIT])),
            PaperTable(
                "table-11",
                "right arguments that all, two or one of the systems found, in per cent",
                (*SHARES, "right"),
                tuple(Line(label, f"contributions/{label}", shares) for label, shares in PUBLISHED_SHARES.items()),
                digits=(2, 2, 2, 2, 2, 0),
            ),
        ]

    def figures(self, material: PaperData, results: Results) -> list[Figure]:
        """All lines side by side, and who contributes what."""
        data: RoleData = material.data
        whole = "+".join(_sets(data)[-1])
        gain = results.value(whole, "F test") - max(results.value(name, "F test") for name in data.models)
        room = results.value(LIMIT, "F test") - results.value(whole, "F test")
        one = f"The combination is {above(gain, 'F')} the best model; a perfect filter would add {room:.2f} more"
        names = [*data.models, BASELINE, *("+".join(each) for each in _sets(data)), LIMIT]
        groups = {
            part: [found_dot(results, name, f"F {part}", PUBLISHED[name][at][-1]) for name in names]
            for at, part in enumerate(data.domains())
        }
        shares = {
            label: {
                column: float((results.cell(f"contributions/{label}", column) or [0.0])[0] or 0.0) for column in SHARES
            }
            for label in PUBLISHED_SHARES
            if results.cell(f"contributions/{label}", "right") is not None
        }
        single = _alone(results)
        most = max(single, key=lambda label: single[label], default="")
        two = (
            f"Up to {single.get(most, 0.0):.0f}% of the right arguments of a label ({most}) come from one system alone"
        )
        under = f"{material.name}: {material.about}"
        return [
            dots("systems", one, "Tables 8, 9 and 10: F1 of arguments.", under, groups, "F1, per cent"),
            stacked("contributions", two, "Table 11, test.", under, shares, "right arguments, per cent"),
        ]

    def judge(self, material: PaperData, results: Results) -> dict[str, Judgement]:
        """Paired tests over the sentences of test."""
        data: RoleData = material.data
        sets = _sets(data)
        whole = "+".join(sets[-1])

        def compared(one: str, other: str, part: str = "test", metric: str | None = None) -> Judgement:
            return better(results.compare(one, other, what=f"rows {part}", metric=metric))

        def best(names: Sequence[str], part: str = "test") -> str:
            return max(names, key=lambda name: results.value(name, f"F {part}"))

        found = {
            "combined": all_of([compared("+".join(each), best(each)) for each in sets]),
            "baseline": compared(whole, BASELINE),
            "limit": compared(LIMIT, whole),
        }
        if len(data.models) == len(KINDS):
            found["full"] = all_of([compared("M2", "M1"), compared("M3", "M1")])
            found["all"] = all_of([compared(whole, "+".join(each)) for each in sets[:-1]])
            found["perfect"] = compared("M2+M3", whole, metric=f"{METRIC}[part=perfect]")
        if "other" in data.domains():
            found["domain"] = compared(whole, best(data.models, "other"), "other")
        alone = _alone(results)
        if alone:
            found["alone"] = exactly(
                max(alone.values()) >= MANY,
                "from one system alone: "
                + ", ".join(f"{label} {share:.1f}%" for label, share in alone.items())
                + f"; {MANY:g}% of one label would do",
            )
        return found


def _alone(results: Results) -> dict[str, float]:
    """Shares of the right arguments that one system alone found, of labels with enough of them."""
    found = {}
    for label in PUBLISHED_SHARES:
        right = results.cell(f"contributions/{label}", "right")
        if right is not None and float(right[0] or 0.0) >= ENOUGH:
            cells = (results.cell(f"contributions/{label}", model) or cell(0.0) for model in KINDS)
            found[label] = sum(float(each[0] or 0.0) for each in cells)
    return found


def _sets(data: RoleData) -> list[tuple[str, ...]]:
    """All combinations of the models that there are."""
    return [systems for systems in SETS if set(systems) <= set(data.models)]


def _texts(data: NBest) -> list[str | None]:
    return [] if data.texts is None else data.texts.to_pylist()


def _judged(data: RoleData, texts: dict[str, list[str | None]], seed: int) -> Facts:
    """Cells and rows of what was assembled; sentences are drawn and swapped as a whole."""
    facts: Facts = {"cells": {}}
    metric = get(METRIC)
    for part, own in texts.items():
        single = as_single(lists_of(data, part, data.models[:1]), [text or "" for text in own])
        single = runoff.grade(single, metric)
        rows, numbers = metric.rows(single, first_round(single)), sentence_numbers(single)
        for column, name in PARTS.items():
            asked = METRIC if name == "f" else f"{METRIC}[part={name}]"
            facts["cells"][f"{column} {part}"] = measured(rows, asked, seed=seed, blocks=numbers)
        facts[f"rows {part}"] = kept_rows(rows, METRIC, numbers)
    return facts


def _baseline(data: RoleData, seed: int, _: Results) -> Facts:
    worth = system_worth(lists_of(data, "dev", data.models), TASK)
    return _judged(data, {part: union(lists_of(data, part, data.models), TASK, worth) for part in data.domains()}, seed)


def _limit(data: RoleData, seed: int, _: Results) -> Facts:
    return _judged(
        data, {part: perfect_filter(lists_of(data, part, data.models), TASK) for part in data.domains()}, seed
    )


def _contributions(data: RoleData) -> Facts:
    """Shares of the right arguments of every label, on test."""
    lines = {}
    for label, counts in contributions(lists_of(data, "test", data.models), TASK).counts.items():
        total = sum(counts.values())
        shares = {column: cell(100 * counts.get(column, 0) / total) for column in SHARES}
        lines[label] = {**shares, "right": cell(total)}
    return {"lines": lines}


PAPER = Marquez2005Combination()
