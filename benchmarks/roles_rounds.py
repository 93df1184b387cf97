"""F1 of role labellers by the number of boosted trees, as figure 1 of Màrquez, Comas, Giménez & Català (2005).

One training on the first trees of the lists and one on gold trees, depth 4, one tag against all others; the first
rounds of a training are labellers too. They are tested at home and, those of first trees, on other domains, in two
ways: one tag after the other, as the paper decides, and the set of arguments with the highest expected F1.

Training resumes from RUNOFF_WORK/rounds.*.checkpoint; Ctrl-C ends it, and what was reached is tested.
Usage: python benchmarks/roles_rounds.py [first[=ROUNDS] | gold[=ROUNDS] …]
"""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from roles import domains, prepared, scored, shown, timed
from runoff.learners import BoostedChain
from runoff.pictures import COLOURS, FAINT, headline, new_figure, write_figure
from runoff.tasks.roles.frames import read_frames
from runoff.tasks.roles.labeller_file import load_labeller
from shared import data_folder, finish, skip

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from runoff.arrays import Floats
    from runoff.features.sequences import Sequences
    from runoff.tasks.roles.labeller import RoleLabeller
    from runoff.tasks.roles.propositions import RoleSentence
    from runoff.tasks.roles.role_features import RoleFeatures, RoleRows

ROUNDS = (25, 50, 100, 300, 600, 1000, 2000)
MOST = {"first": 2000, "gold": 300}  # rounds, by the trees that labellers learn from


def main() -> None:
    """Train and test what was asked for, or all."""
    folder = data_folder()
    trains = [] if folder is None else sorted((folder / "roles").glob("*.train.*"))
    if folder is None or not trains:
        skip("no roles with train, dev and test; set RUNOFF_DATA")
        return
    work = Path(os.environ.get("RUNOFF_WORK") or tempfile.mkdtemp())
    parts = prepared(folder, trains[0].name.partition(".")[0], work)
    frames = read_frames(next((folder / "roles").glob("*frames*")))
    wanted = dict(word.partition("=")[::2] for word in sys.argv[1:]) or dict.fromkeys(MOST, "")
    found: dict[str, Any] = {}
    for trees, most in wanted.items():
        train = parts["train"] if trees == "first" else parts["train.gold"]
        tests = {f"{trees} trees": (parts["test" if trees == "first" else "test.gold"], parts["test.pos"])}
        if trees == "first":
            tests |= {part: (parts[part], parts[f"{part}.pos"]) for part in domains(folder)}
        labeller, facts = boosted(trees, train, int(most or MOST[trees]), frames, work)
        found |= tested(labeller, facts, tests)
        if found:
            draw(found, work / "roles-rounds.png")
    finish(found)


def boosted(
    trees: str, train: Sequence[RoleSentence], most: int, frames: Mapping[str, str], work: Path
) -> tuple[RoleLabeller, dict[str, Any]]:
    """Train a labeller, or go on, or load the finished one."""
    saved = work / f"rounds.{trees}.runoff"
    if saved.exists():
        labeller = load_labeller(saved)
        if labeller.provenance["parameters"]["rounds"] >= most:
            return labeller, {}
    learner = BoostedChain(rounds=most, depth=4, verbose=True, checkpoint=str(work / f"rounds.{trees}.checkpoint"))
    labeller, facts = timed(train, "full", frames, learner=learner)
    if labeller.provenance["finished"]:
        labeller.save(saved)
    return labeller, facts


def tested(
    labeller: RoleLabeller,
    facts: Mapping[str, Any],
    tests: Mapping[str, tuple[Sequence[RoleSentence], Sequence[RoleSentence]]],
) -> dict[str, Any]:
    """Scores after so many rounds of training, on every test in both ways."""
    found: dict[str, Any] = {}
    reached = labeller.provenance["parameters"]["rounds"]
    if not labeller.provenance["finished"]:  # tags learn in turn, and end where nothing is left to learn
        reached = int(np.median(np.bincount(labeller.model.trees.output_of)))
    features: Any = KeptRows(labeller.features)
    for many in [each for each in ROUNDS if each <= reached]:
        then = replace(labeller, features=features, model=KeptScores(labeller.model.first_rounds(many)))
        for where, (sentences, pos) in tests.items():
            for how, labelled in (("best set", then.label), ("left to right", then.label_left_to_right)):
                name = f"{many} rounds, {where}, {how}"
                found[name] = {**facts, **scored(sentences, labelled(sentences), pos)}
                print(name, *shown(found[name]), flush=True)
    return found


@dataclass
class KeptRows:
    """Features of the same sentences are made once, whatever the rounds."""

    of: RoleFeatures
    known: dict[tuple[int, ...], RoleRows] = field(default_factory=dict)

    def transform(self, sentences: Sequence[RoleSentence]) -> RoleRows:
        """Rows of sentences that live as long as this does."""
        batch = tuple(map(id, sentences))
        if batch not in self.known:
            self.known[batch] = self.of.transform(sentences)
        return self.known[batch]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.of, name)


@dataclass
class KeptScores:
    """Scores of the same rows are made once, for both ways to decide."""

    of: Any
    known: dict[int, Floats] = field(default_factory=dict)

    def log_probabilities(self, data: Sequences) -> Floats:
        """Those of the model, of rows that live as long as this does."""
        if id(data.features) not in self.known:
            self.known[id(data.features)] = self.of.log_probabilities(data)
        return self.known[id(data.features)]


def draw(found: Mapping[str, Any], path: Path) -> None:
    """F1 on verbs by rounds: a colour for every kind of trees and domain, a style for every way to decide."""
    lines: dict[tuple[str, str], dict[int, float]] = {}
    for name, result in found.items():
        rounds, where, how = name.split(", ")
        lines.setdefault((where, how), {})[int(rounds.split()[0])] = result["verbs"]["f"]
    colours = dict(zip(dict.fromkeys(where for where, _ in lines), COLOURS, strict=False))
    figure, (axis,) = new_figure(1, 8.4, 4.6)
    for (where, how), points in lines.items():
        look = {"color": colours[where], "linestyle": "-" if how == "best set" else "--"}
        axis.plot(list(points), list(points.values()), marker="o", markersize=4, linewidth=1.6, **look)
    for where, colour in colours.items():  # named at the end of the higher line
        many, highest = max(
            (many, f1) for (each, _), points in lines.items() if each == where for many, f1 in points.items()
        )
        text, place = f"{where}: {highest:.1f}", (many, highest)
        axis.annotate(text, place, xytext=(8, 0), textcoords="offset points", va="center", color=colour, fontsize=10)
    reached = sorted({many for points in lines.values() for many in points})
    axis.set_xscale("log")
    axis.set_xticks(reached, [f"{many:,}" for many in reached])
    axis.minorticks_off()
    axis.set_xlim(reached[0] / 1.1, reached[-1] * 2.6)  # room for the names
    axis.grid(axis="y", color=FAINT, linewidth=0.5, alpha=0.7)
    axis.set_xlabel("rounds of boosting")
    axis.set_ylabel("F1 of the arguments of verbs, per cent")
    home = next(iter(lines.values()))
    first, last = min(home), max(home)
    title = f"F1 goes from {home[first]:.1f} after {first:,} rounds to {home[last]:.1f} after {last:,}"
    gold = next((points for (where, _), points in lines.items() if where.startswith("gold")), {})
    both = max(home.keys() & gold.keys(), default=0)
    if both:
        title += f"; after {both:,}, gold trees are worth {gold[both] - home[both]:.1f} more"
    headline(
        figure, title, "English Web Treebank, test. Solid: best set of arguments; dashed: one tag after the other."
    )
    write_figure(figure, path)


if __name__ == "__main__":
    main()
