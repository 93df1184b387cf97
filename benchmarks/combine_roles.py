"""Combination of role labellers, after Màrquez, Surdeanu, Comas & Turmo (2005): their tables 9, 10 and 11.

Lists and probabilities of the three labellers are those that `python benchmarks/roles_second_round.py lists` leaves in
RUNOFF_WORK/lists: of training sentences by labellers of other folds, of dev, of test, and of another domain. Filters
learn from the training lists; early stopping, calibration and price are chosen on dev. `choose` shows dev alone.
`several` makes further lists by the same labellers, over several trees of every sentence, weighted by a second round of
parses (benchmarks/roles_trees.py `trees` leaves them in RUNOFF_WORK); they are two more systems, M2t and M3t.
Usage: python benchmarks/combine_roles.py [several | choose | paper | combinations | domain …]
"""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import runoff
from roles_second_round import FOLDS, K
from runoff import metrics
from runoff.combine import (
    first_choices,
    load_combiner,
    perfect_filter,
    system_worth,
    train_combiner,
    vote,
)
from runoff.combine.training import score_of
from runoff.formats import read
from runoff.learners import SVM, Boost, LogLinear
from runoff.report.combination import CombinationReport, evaluate_combination
from runoff.tables import text_table
from runoff.tasks.roles.annotation import with_trees
from runoff.tasks.roles.labeller_file import load_labeller
from runoff.tasks.roles.role_files import read_roles
from runoff.tasks.roles.role_lists import jackknifed_lists, role_lists
from runoff.tasks.roles.tree_sources import read_weighted_parses
from shared import finish, skip

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from runoff.combine import Combiner
    from runoff.nbest import NBest
    from runoff.tasks.roles.labeller import RoleLabeller
    from runoff.tasks.roles.propositions import RoleSentence

KINDS = {"partial": "M1", "full": "M2", "constituents": "M3"}
ON_TREES = {"full.trees": "M2t", "constituents.trees": "M3t"}
SETS = (("M1", "M2"), ("M1", "M3"), ("M2", "M3"), ("M1", "M2", "M3"))
ALL = (*KINDS.values(), *ON_TREES.values())
TREES, TEMPERATURE = 5, 2.0
TASK = "roles"
FILTERS: dict[str, dict[str, Any]] = {
    "solutions, logistic": {"kind": "solutions"},
    "all, logistic": {"learner": LogLinear(sigma=0.1, calibration="none")},
    "all, trees": {"learner": Boost(depth=4, rounds=400, loss="log", seed=0)},
}
CHOSEN = "all, trees"


def main() -> None:
    """Measure what was asked for, or all."""
    work = Path(os.environ.get("RUNOFF_WORK", ""))
    if not all((work / "lists" / f"{kind}.train.jsonl.gz").exists() for kind in KINDS):
        skip("no lists of three labellers; run benchmarks/roles_second_round.py lists, with RUNOFF_WORK")
        return
    sections = {"several": several, "choose": choose, "paper": paper, "combinations": combinations, "domain": domain}
    finish({name: sections[name](work) for name in sys.argv[1:] or ["paper", "combinations", "domain"]})


def lists(work: Path, part: str, systems: Sequence[str] = tuple(KINDS.values())) -> NBest:
    """Merged lists of some labellers."""
    kinds = {name: kind for kind, name in (KINDS | ON_TREES).items()}
    return runoff.merge({name: read(work / "lists" / f"{kinds[name]}.{part}.jsonl.gz") for name in systems})


def several(work: Path) -> dict[str, Any]:
    """Lists of labellers that see the best trees of a second round of parses, those of train by labellers of folds."""
    found = {}
    for kind in ON_TREES:
        plain = kind.removesuffix(".trees")
        saved = work / f"{plain}.runoff"
        whole = load_labeller(saved if saved.exists() else work / f"{plain}.first-trees.runoff")
        began = time.process_time()
        for part in ("dev", "test", "train"):
            path = work / "lists" / f"{kind}.{part}.jsonl.gz"
            if path.exists():
                continue
            own = read_roles(next(iter(sorted(work.glob(f"*.{part}.jsonl.gz")))))
            trees = read_weighted_parses(work / f"{part}.reranked.jsonl.gz", TREES, temperature=TEMPERATURE)
            sentences = with_trees(own, trees, missing="flat")
            if part == "train":
                folds = [load_labeller(work / f"{plain}.fold{at}.runoff") for at in range(1, FOLDS + 1)]
                labellers = iter([replace(each, price=whole.price) for each in folds])

                def of_fold(_: list[RoleSentence], ready: Iterator[RoleLabeller] = labellers) -> RoleLabeller:
                    return next(ready)

                made = jackknifed_lists(sentences, FOLDS, K, of_fold)
            else:
                made = role_lists(whole, sentences, K)
            runoff.write(made, path)
            print(kind, part, made, flush=True)
        found[kind] = {"cpu_seconds": time.process_time() - began}
    return found


def choose(work: Path) -> dict[str, Any]:
    """Filters on dev, which also chose their price: only for the choice between them."""
    train, dev = lists(work, "train"), lists(work, "dev")
    metric = metrics.get("srl-eval")
    found: dict[str, Any] = {name: score_of(dev, _full(texts), metric) for name, texts in first_choices(dev).items()}
    found["vote"] = max(score_of(dev, _full(vote(dev, TASK, price=price)), metric) for price in (0.6, 0.7, 0.8, 0.9))
    print(found, flush=True)
    for name, settings in FILTERS.items():
        began = time.process_time()
        combiner = train_combiner(train, dev, task=TASK, **settings)
        combiner.save(work / f"combiner {name}.runoff")
        found[name] = {
            "dev": score_of(dev, _full(combiner.texts(dev)), metric),
            "price": combiner.price,
            "cpu_seconds": time.process_time() - began,
        }
        print(name, found[name], flush=True)
    return found


def paper(work: Path) -> dict[str, Any]:
    """The paper's own filter: table 7 alone, SVM of degree 2, greedy resolution, no price."""
    train, dev, test = (lists(work, part) for part in ("train", "dev", "test"))
    learner = SVM(C=0.01, degree=2, free="bias", min_groups=3, calibration="none")
    combiner = train_combiner(
        train, dev, task=TASK, learner=learner, kind="solutions", resolution="greedy", price=1.0, min_groups=15
    )
    combiner.save(work / "combiner paper.runoff")
    return shown("the paper's filter", test, combiner, work, system_worth(dev, TASK))


def combinations(work: Path) -> dict[str, Any]:
    """All sets of two or three labellers on test (table 9) by the chosen filter, limits and contributions."""
    combiner: Combiner
    found: dict[str, Any] = {}
    for systems in SETS:
        train, dev, test = (lists(work, part, systems) for part in ("train", "dev", "test"))
        saved = work / f"combiner {CHOSEN}.runoff"
        if len(systems) == len(KINDS) and saved.exists():
            combiner = load_combiner(saved)
        else:
            combiner = train_combiner(train, dev, task=TASK, **FILTERS[CHOSEN])
        name = "+".join(systems)
        found[name] = shown(name, test, combiner, work, system_worth(dev, TASK))
        if len(systems) == len(KINDS):
            combiner.save(work / "combiner.runoff")
            everything = perfect_filter(test, TASK, solutions=False)
            found["perfect filter of all proposals"] = score_of(test, _full(everything), metrics.get("srl-eval"))
    return found


def domain(work: Path) -> dict[str, Any]:
    """The combiner of the first domain on the sentences of another."""
    found = {}
    combiner = load_combiner(work / "combiner.runoff")
    for path in sorted((work / "lists").glob("full.*.jsonl.gz")):
        part = path.name.split(".")[1]
        if part not in ("train", "dev", "test"):
            found[part] = shown(part, lists(work, part), combiner, work, None, part)
    return found


def shown(
    name: str, data: NBest, combiner: Combiner, work: Path, worth: dict[str, float] | None, part: str = "test"
) -> dict[str, Any]:
    """The report on all predicates, and F1 and tests on verbs."""
    began = time.process_time()
    report = evaluate_combination(data, combiner, worth=worth)
    print(f"== {name}, all predicates, price {combiner.price:g}\n{report}", flush=True)
    verbs = is_verb(data, work, part)
    of_verbs = evaluate_combination(data[verbs], combiner, worth=worth)
    print(f"== {name}, verbs\n{text_table(*of_verbs.table())}", flush=True)
    return {
        "all": _row(report),
        "verbs": _row(of_verbs),
        "systems": combiner.systems,
        "cpu_seconds": time.process_time() - began,
    }


def is_verb(data: NBest, work: Path, part: str) -> Any:
    """Which predicates are verbs, by their gold parts of speech."""
    path = next(iter(sorted(work.glob(f"*.{part}.pos.jsonl.gz"))))
    pos = {each.id: each.pos or () for each in read_roles(path)}
    names = (name.rpartition(":") for name in data.group_ids.to_pylist())
    return np.array([pos[sentence][int(at)].startswith("VB") for sentence, _, at in names])


def _row(report: CombinationReport) -> dict[str, Any]:
    made = report.to_dict()
    return {name: made[name] for name in ("rows", "best", "differences")}


def _full(texts: Sequence[str | None]) -> list[str]:
    return [text or "" for text in texts]


if __name__ == "__main__":
    main()
