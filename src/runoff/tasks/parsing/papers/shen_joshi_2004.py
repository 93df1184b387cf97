"""Shen & Joshi (2004): ordinal regression with uneven margins for parses."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from runoff.reproduce.data_files import train_command
from runoff.reproduce.figures import Curve, Panel, above, diagram
from runoff.reproduce.paper import Claim, Experiment, Figure, Line, Paper, PaperData, PaperTable, alone
from runoff.reproduce.verdicts import Judgement, better, exactly, sooner
from runoff.tasks.parsing.papers.judged import METRIC, judged
from runoff.tasks.parsing.papers.parse_data import NEEDS, drawn_parses, found_parses
from runoff.tasks.parsing.papers.perceptron_lines import (
    LARGE,
    POINTS,
    SMALL,
    curve,
    epochs_until_near,
    learned_line,
    theorem,
    told_bounds,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from runoff.reproduce.results import Results
    from runoff.tasks.parsing.papers.parse_data import ParseData

# Table 1: section 23, at most 100 words.
LINES: dict[str, tuple[str, dict[str, Any], tuple[float, ...]]] = {
    "baseline": ("baseline", {}, (88.1, 88.3, 88.2)),
    "best-rest": ("best-rest", {"order": "best-vs-rest"}, (89.2, 89.8, 89.5)),
    "ordinal": ("ordinal", {"order": "ordinal"}, (88.1, 87.8, 88.0)),
    "uneven": ("uneven ordinal", {"order": "orum"}, (89.5, 90.0, 89.8)),
}
CURVES: dict[str, dict[str, Any]] = {
    "curve best-rest": {"order": "best-vs-rest"},
    "curve ordinal": {"order": "ordinal"},
    "curve uneven": {"order": "orum"},
    "curve pairs": {"order": "orum", "update": "pair"},
    "curve consecutive": {"margin": "uneven"},
}
EPOCHS, FEW_EPOCHS = 20, 12


class ShenJoshi2004(Paper):
    """Orders and margins of perceptrons, learning curves, and margins."""

    name = "shen-joshi-2004"
    authors = "Shen, L. & Joshi, A. K."
    title = "Flexible Margin Selection for Reranking with Full Pairwise Samples"
    venue = "IJCNLP"
    year = 2004
    needs = NEEDS
    takes = "estimated from its parts: half an hour on two cores for 12,500 training lists of 50 trees"
    pictures = ("figure-1", "figure-3", "figure-4", "margins")
    claims = (
        Claim("first", "Perceptrons with uneven ordinal margins are better than the first round", "section 5, table 1"),
        Claim("best-rest", "Uneven ordinal margins are better than best against rest", "section 5, table 1"),
        Claim("even", "Uneven ordinal margins are better than even ones", "section 5, table 1"),
        Claim("worse", "Even ordinal margins are worse than best against rest", "table 1"),
        Claim("speed", "Updates by sentence (algorithm 2) need less time to converge than updates by pair", "figure 3"),
        Claim("overfit", "Algorithm 1 overfits, algorithm 2 does not: after the last epoch 2 is better", "figure 3"),
        Claim("partial", "Pairs of consecutive ranks alone converge more slowly than all pairs", "figure 4"),
        Claim("theorem", "On separable data both algorithms stop within the bounds of their theorems", "section 4.3"),
    )

    def read(self, folder: Path) -> PaperData:
        """Lists of parses."""
        return found_parses(folder)

    def synthetic(self, seed: int) -> PaperData:
        """The synthetic treebank."""
        return drawn_parses(seed)

    def experiments(self, material: PaperData, seed: int, work: Path) -> list[Experiment]:
        """Lines of the table, curves, and theorems."""
        data, found = material.data, []
        data.work = work
        limits = SMALL if material.is_quick else LARGE
        for name, (label, own, _) in LINES.items():
            settings = {**own, "tau": 1.0 if material.is_quick else "auto", **limits} if own else {}
            make = partial(learned_line, data, settings, seed, with_margins=True)
            command = "" if material.is_quick or not own else _command(data, settings, name)
            found.append(
                Experiment(
                    name,
                    label,
                    (alone(make)) if own else lambda _: judged(data.parts()["test"], None, seed=seed),
                    settings,
                    command,
                )
            )
        epochs = FEW_EPOCHS if material.is_quick else EPOCHS
        for name, own in CURVES.items():
            settings = {"tau": 1.0, **own}
            run = partial(curve, data, settings, epochs, seed, consecutive=name == "curve consecutive")
            found.append(Experiment(name, f"learning {name}", alone(run), {**settings, "epochs": epochs}))
        found.append(Experiment("theorems", "bounds on separable data", lambda _: theorem(seed)))
        return found

    def tables(self, material: PaperData) -> list[PaperTable]:
        """Table 1."""
        lines = tuple(Line(label, name, published) for name, (label, _, published) in LINES.items())
        return [
            PaperTable(
                "table-1",
                f"labelled recall, precision and F, {material.name}",
                ("LR", "LP", "F"),
                lines,
                note="All sentences, as EVALB counts with COLLINS.prm; 95% bootstrap intervals over sentences. "
                "Averaged weights, which stand for the paper's votes; epochs and τ by dev.",
            )
        ]

    def figures(self, material: PaperData, results: Results) -> list[Figure]:
        """Learning curves of figures 1 to 4, and margins."""
        base = results.value("baseline", "F")
        curves = {name: results[name]["f"] for name in CURVES}
        last = {name: values[-1] for name, values in curves.items()}
        gap = last["curve uneven"] - last["curve ordinal"]
        one = f"After {len(curves['curve uneven'])} epochs, uneven margins are {above(gap, 'F')} even ones"
        speed = {name: epochs_until_near(curves[name]) for name in ("curve uneven", "curve pairs")}
        two = (
            f"Updates by sentence converge in {speed['curve uneven']} epochs, updates by pair in {speed['curve pairs']}"
        )
        four_gap = curves["curve uneven"][0] - curves["curve consecutive"][0]
        four = f"After one epoch all pairs are {above(four_gap, 'F')} consecutive ranks alone"
        under = f"{material.name}: {material.about}; F on test, which chose nothing"

        def panel(named: Mapping[str, str]) -> list[Panel]:
            drawn = [Curve(label, range(1, len(curves[key]) + 1), curves[key]) for key, label in named.items()]
            return [Panel(drawn, "epochs", "F, per cent", reference=("first round", base))]

        table = {name: label for name, (label, settings, _) in LINES.items() if settings}
        wrong = {
            label: 100 * sum(value <= 0 for value in results[name]["margins"]["test"]) / POINTS
            for name, label in table.items()
        }
        told = "Test sentences whose best tree does not lead: " + ", ".join(
            f"{label} {share:.0f}%" for label, share in wrong.items()
        )
        orders = {f"curve {name}": label for name, label in table.items()}
        updates = {"curve uneven": "by sentence (algorithm 2)", "curve pairs": "by pair (algorithm 1)"}
        pairs = {"curve uneven": "all pairs", "curve consecutive": "consecutive ranks"}
        return [
            diagram("figure-1", one, "The paper's figures 1 and 2 in one diagram.", under, panel(orders)),
            diagram("figure-3", two, "Uneven ordinal margins by algorithms 1 and 2.", under, panel(updates)),
            diagram("figure-4", four, "Uneven margins over all pairs and over consecutive ranks.", under, panel(pairs)),
            diagram(
                "margins",
                told,
                "The score of the best tree less that of the strongest worse one.",
                f"{material.name}; margins in standard deviations of the scores within a list",
                [_margin_panel(part, results) for part in ("train", "test")],
            ),
        ]

    def judge(self, material: PaperData, results: Results) -> dict[str, Judgement]:  # noqa: ARG002 - the numbers suffice
        """Paired tests over sentences; epochs and seconds as they were measured."""

        def compared(one: str, two: str) -> Judgement:
            labels = one.removeprefix("curve "), two.removeprefix("curve ")
            return better(results.compare(one, two, labels))

        curves = {name: results[name] for name in CURVES}
        need = {}
        for name, each in curves.items():
            epochs = epochs_until_near(each["f"])
            need[name] = epochs, epochs * each["seconds"] / len(each["f"])
        by_sentence, by_pair, partial_ = (need[name] for name in ("curve uneven", "curve pairs", "curve consecutive"))
        reach = min(max(curves[name]["f"]) for name in ("curve uneven", "curve consecutive")) - 0.1
        reached = {
            name: next(at for at, value in enumerate(curves[name]["f"], 1) if value >= reach)
            for name in ("curve uneven", "curve consecutive")
        }
        return {
            "first": compared("uneven", "baseline"),
            "best-rest": compared("uneven", "best-rest"),
            "even": compared("uneven", "ordinal"),
            "worse": compared("best-rest", "ordinal"),
            "speed": sooner(
                by_sentence[1],
                by_pair[1],
                f"until within 0.1 F of the best of the curve: {by_sentence[0]} epochs and {by_sentence[1]:.2f} CPU "
                f"seconds by sentence, {by_pair[0]} epochs and {by_pair[1]:.2f} CPU seconds by pair",
            ),
            "overfit": compared("curve uneven", "curve pairs"),
            "partial": sooner(
                reached["curve uneven"],
                reached["curve consecutive"],
                f"all pairs reach {reach:.2f} F after {reached['curve uneven']} epochs, consecutive ranks after "
                f"{reached['curve consecutive']} (within 0.1 F of their own best after {partial_[0]})",
            ),
            "theorem": exactly(*told_bounds(results, "theorems")),
        }


def _margin_panel(part: str, results: Results) -> Panel:
    """Share of the lists with at most a margin."""
    shares = [100 * at / (POINTS - 1) for at in range(POINTS)]
    drawn = [
        Curve(LINES[name][0], results[name]["margins"][part], shares) for name in ("best-rest", "ordinal", "uneven")
    ]
    return Panel(
        drawn, "margin, in standard deviations within a list", "lists with at most this margin, per cent", part
    )


def _command(data: ParseData, settings: dict[str, Any], line: str) -> str:
    files = data.file_names()
    trained = train_command(files["train"], files["dev"], "perceptron", settings, f"{line}.runoff", METRIC)
    return f"{trained}\nrunoff eval {line}.runoff {files['test']} --metric {METRIC}"


PAPER = ShenJoshi2004()
