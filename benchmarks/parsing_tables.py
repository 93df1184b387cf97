"""Numbers and tables of the parsing benchmark."""

from __future__ import annotations

from typing import Any

from runoff.metrics import get, paired_bootstrap, randomisation
from runoff.tables import text_table

Row = dict[str, Any]
PARTS = {
    "LR": "recall",
    "LP": "precision",
    "F": "f",
    "CB": "crossing",
    "0 CB": "no-crossing",
    "<= 2 CB": "two-crossing",
    "exact": "exact",
    "tags": "tags",
}


def share(learner: str, rows: dict[str, dict[str, Any]]) -> Row:
    """Scores of first round, choice and oracle, and how sure their difference is."""
    found: Row = {"learner": learner}
    for key, variants in rows.items():
        found[key] = {
            variant: {
                name: float(get(f"{variant}[part={part}]").score(table.sum(axis=0))) for name, part in PARTS.items()
            }
            for variant, table in variants.items()
        }
    chosen, first = rows["chosen"]["parseval"], rows["first"]["parseval"]
    score = get("parseval").score
    gain = paired_bootstrap(chosen, first, score)
    before = found["first"]["parseval"]["F"]
    return found | {
        "gain": [gain.delta, gain.low, gain.high],
        "p": randomisation(chosen, first, score),
        "error reduction": 100 * gain.delta / (100 - before),
        "error reduction by EVALB": 100
        * (found["chosen"]["evalb"]["F"] - found["first"]["evalb"]["F"])
        / (100 - found["first"]["evalb"]["F"]),
    }


def learner_table(name: str, rows: list[Row]) -> None:
    """Print the table of learners, best last."""
    print(f"\n{name}")
    for variant in ("parseval", "evalb"):
        lines = [["first round", *_cells(rows[0]["first"][variant])]]
        lines += [[row["learner"], *_cells(row["chosen"][variant])] for row in rows]
        lines += [["oracle", *_cells(rows[0]["oracle"][variant])]]
        print(text_table([variant, *PARTS], lines))
    print(
        text_table(
            ["learner", "dev F", "gain", "interval", "p", "error -%", "by EVALB", "s", "GB"],
            [
                [
                    row["learner"],
                    f"{row['dev']['parseval']['F']:.2f}",
                    f"{row['gain'][0]:+.2f}",
                    f"{row['gain'][1]:+.2f} to {row['gain'][2]:+.2f}",
                    f"{row['p']:.4f}",
                    f"{row['error reduction']:.1f}",
                    f"{row['error reduction by EVALB']:.1f}",
                    f"{row['seconds']:.0f}",
                    f"{row['GB']:.1f}",
                ]
                for row in rows
            ],
        )
    )


def _cells(scores: dict[str, float]) -> list[str]:
    return [f"{value:.2f}" for value in scores.values()]


def curve_table(name: str, rows: list[Row]) -> None:
    """Print the learning curve."""
    print(f"\n{name}: training lists and F on test")
    print(text_table(["lists", "F", "s"], [[f"{r['lists']:,}", f"{r['F']:.2f}", f"{r['seconds']:.0f}"] for r in rows]))


def ablation_table(name: str, rows: list[Row]) -> None:
    """Print what each family is worth on dev, the most useful first."""
    whole = rows[0]["F"]
    print(f"\n{name}: families and F on dev")
    lines = sorted(rows[1:], key=lambda row: row["F"])
    print(
        text_table(
            ["families", "features", "F", "to all"],
            [
                [r["families"], f"{r['features']:,}", f"{r['F']:.2f}", f"{r['F'] - whole:+.2f}"]
                for r in [rows[0], *lines]
            ],
        )
    )


def tag_table(name: str, rows: list[Row]) -> None:
    """Print what learning right tags too changes, on dev and on test."""
    print(f"\n{name}: what a right tag adds to quality")
    lines = []
    for row in rows:
        numbers = [f"{row[part][each]:.2f}" for part in ("dev", "test") for each in ("f", "tags", "exact")]
        delta = "{:+.2f} ({:+.2f} to {:+.2f})".format(*row["to none"]) if "to none" in row else ""
        lines.append([str(row["tags"]), str(row.get("seed", "")), *numbers, delta])
    header = ["tags", "seed", "dev F", "dev tags", "dev exact", "test F", "test tags", "test exact", "test F to none"]
    print(text_table(header, lines))
