"""Shen & Joshi (2004): ordinal regression with uneven margins for parses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runoff.reproduce.figures import Curve, Panel, above, diagram
from runoff.reproduce.paper import Claim, Figure, Line, PaperTable
from runoff.reproduce.verdicts import Judgement, better, sooner
from runoff.tables import counted
from runoff.tasks.parsing.papers.parse_data import ParsePaper
from runoff.tasks.parsing.papers.perceptron_lines import (
    CONSECUTIVE,
    NEAR,
    POINTS,
    PaperLines,
    epochs_panel,
    line_experiments,
    theorem_experiment,
    told_bounds,
    until_near,
)

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.reproduce.paper import Experiment, PaperData
    from runoff.reproduce.results import Results

# Table 1: section 23, at most 100 words.
LINES: PaperLines = {
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
    CONSECUTIVE: {"margin": "uneven"},
}


class ShenJoshi2004(ParsePaper):
    """Orders and margins of perceptrons, learning curves, and margins."""

    name = "shen-joshi-2004"
    authors = "Shen, L. & Joshi, A. K."
    title = "Flexible Margin Selection for Reranking with Full Pairwise Samples"
    venue = "IJCNLP"
    year = 2004
    takes = "eight CPU minutes for 12,500 training lists of 50 trees, two for 2,200"
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

    def experiments(self, material: PaperData, seed: int, work: Path) -> list[Experiment]:
        """Lines of the table, curves, and theorems."""
        data = material.data
        data.work = work
        made = line_experiments(data, material, LINES, CURVES, seed, with_margins=True)
        return [*made, theorem_experiment(seed)]

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
        curves = {name: results[name]["f"] for name in CURVES}
        gap = curves["curve uneven"][-1] - curves["curve ordinal"][-1]
        one = f"After {counted(len(curves['curve uneven']), 'epochs')}, uneven margins are {above(gap, 'F')} even ones"
        speed = {name: until_near(results, name)[0] for name in ("curve uneven", "curve pairs")}
        by_sentence, by_pair = (counted(epochs, "epochs") for epochs in speed.values())
        two = f"Updates by sentence converge in {by_sentence}, updates by pair in {by_pair}"
        four_gap = curves["curve uneven"][0] - curves[CONSECUTIVE][0]
        four = f"After one epoch all pairs are {above(four_gap, 'F')} consecutive ranks alone"
        under = f"{material.name}: {material.about}; F on test, which chose nothing"
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
        pairs = {"curve uneven": "all pairs", CONSECUTIVE: "consecutive ranks"}

        def panel(labels: dict[str, str]) -> list[Panel]:
            return [epochs_panel(labels, results)]

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

        by_sentence, by_pair, some = (
            until_near(results, name) for name in ("curve uneven", "curve pairs", CONSECUTIVE)
        )
        both = {name: results[name]["f"] for name in ("curve uneven", CONSECUTIVE)}
        reach = min(max(values) for values in both.values()) - NEAR
        all_pairs, ranks_alone = (
            next(at for at, value in enumerate(values, 1) if value >= reach) for values in both.values()
        )
        return {
            "first": compared("uneven", "baseline"),
            "best-rest": compared("uneven", "best-rest"),
            "even": compared("uneven", "ordinal"),
            "worse": compared("best-rest", "ordinal"),
            "speed": sooner(
                by_sentence[1],
                by_pair[1],
                f"until within 0.1 F of the best of the curve: {counted(by_sentence[0], 'epochs')} and "
                f"{by_sentence[1]:.2f} CPU seconds by sentence, {counted(by_pair[0], 'epochs')} and {by_pair[1]:.2f} "
                "CPU seconds by pair",
            ),
            "overfit": compared("curve uneven", "curve pairs"),
            "partial": sooner(
                all_pairs,
                ranks_alone,
                f"all pairs reach {reach:.2f} F after {counted(all_pairs, 'epochs')}, consecutive ranks after "
                f"{ranks_alone} (within {NEAR} F of their own best after {some[0]})",
            ),
            "theorem": told_bounds(results),
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


PAPER = ShenJoshi2004()
