"""Combination of role labellers, after Màrquez, Surdeanu, Comas & Turmo (2005): their tables 9, 10 and 11.

Lists and probabilities of the three labellers are those that `python benchmarks/roles_second_round.py lists` leaves in
RUNOFF_WORK/lists: of training sentences by labellers of other folds, of dev, of test, and of another domain. Filters
learn from the training lists; early stopping, calibration and price are chosen on dev. `choose` shows dev alone.
`several` makes further lists by the second labeller, over several trees of every sentence, weighted by a second round
of parses (benchmarks/roles_trees.py `trees` leaves them in RUNOFF_WORK); they are one more system, M2t.
`second` chooses among the ten best labellings by the mean of all systems' probabilities, by features of them as wholes.
Usage: python benchmarks/combine_roles.py [several | choose | paper | combinations | second | domain …]
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
from roles_second_round import FOLDS, LEARNERS, K, f1
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
from runoff.ranking import by_score
from runoff.report.combination import CombinationReport, evaluate_combination
from runoff.tables import text_table
from runoff.tasks.roles.annotation import with_trees
from runoff.tasks.roles.labeller_file import load_labeller
from runoff.tasks.roles.mixed_lists import mixed_lists
from runoff.tasks.roles.role_featurizer import RoleFeaturizer
from runoff.tasks.roles.role_files import read_roles
from runoff.tasks.roles.role_lists import jackknifed_lists, role_lists, to_sentences
from runoff.tasks.roles.role_scores import RoleComparison, evaluate_roles
from runoff.tasks.roles.tree_sources import read_weighted_parses
from shared import finish, skip

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from runoff.combine import Combiner
    from runoff.nbest import NBest
    from runoff.tasks.roles.labeller import RoleLabeller
    from runoff.tasks.roles.propositions import RoleSentence

KINDS = {"partial": "M1", "full": "M2", "constituents": "M3"}
ON_TREES = {"full.trees": "M2t"}
SETS = (("M1", "M2"), ("M1", "M3"), ("M2", "M3"), ("M1", "M2", "M3"))
TREES, TEMPERATURE = 5, 2.0
EVERY = 2  # a filter learns from every second training list
BEST = 10  # labellings for the second round
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
    sections = {each.__name__: each for each in (several, choose, paper, combinations, second, domain)}
    finish({name: sections[name](work) for name in sys.argv[1:] or ["paper", "combinations", "second", "domain"]})


def lists(work: Path, part: str, systems: Sequence[str] = tuple(KINDS.values())) -> NBest:
    """Merged lists of some labellers."""
    return runoff.merge({name: one_list(work, part, name) for name in systems})


def one_list(work: Path, part: str, system: str) -> NBest:
    """Lists of one system."""
    kinds = {name: kind for kind, name in (KINDS | ON_TREES).items()}
    return read(work / "lists" / f"{kinds[system]}.{part}.jsonl.gz")


def systems_of(work: Path) -> tuple[str, ...]:
    """All systems that have lists."""
    further = [name for kind, name in ON_TREES.items() if (work / "lists" / f"{kind}.train.jsonl.gz").exists()]
    return (*KINDS.values(), *further)


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
    train, dev = lists(work, "train", systems_of(work)), lists(work, "dev", systems_of(work))
    metric = metrics.get("srl-eval")
    found: dict[str, Any] = {name: score_of(dev, _full(texts), metric) for name, texts in first_choices(dev).items()}
    found["vote"] = max(score_of(dev, _full(vote(dev, TASK, price=price)), metric) for price in (0.6, 0.7, 0.8, 0.9))
    print(found, flush=True)
    for name, settings in FILTERS.items():
        began = time.process_time()
        combiner = train_combiner(train[::EVERY], dev, task=TASK, **settings)
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
    found: dict[str, Any] = {}
    for systems in (*SETS, systems_of(work)):
        train, dev, test = (lists(work, part, systems) for part in ("train", "dev", "test"))
        combiner = train_combiner(train[::EVERY], dev, task=TASK, **FILTERS[CHOSEN])
        name = "+".join(systems)
        found[name] = shown(name, test, combiner, work, system_worth(dev, TASK))
        if systems == tuple(KINDS.values()):
            combiner.save(work / "combiner.runoff")
            everything = perfect_filter(test, TASK, solutions=False)
            found["perfect filter of all proposals"] = score_of(test, _full(everything), metrics.get("srl-eval"))
    return found


def second(work: Path) -> dict[str, Any]:
    """The best labellings by all systems together, and a second round on them; the learner is chosen on dev."""
    names = systems_of(work)
    own = {part: {name: one_list(work, part, name) for name in names} for part in ("train", "dev", "test")}
    best, price = max((f1(mixed_lists(own["dev"], 1, price=price)), price) for price in (0.65, 0.7, 0.75, 0.8))
    data = {part: mixed_lists(each, BEST, price=price) for part, each in own.items()}
    featurizer = RoleFeaturizer()
    train = featurizer.fit_transform(data["train"])
    dev, test = featurizer.transform(data["dev"]), featurizer.transform(data["test"])
    del data["train"]
    scores, found = {}, dict[str, Any](systems=names, price=price, dev={"mixture": best})
    for name, learner in LEARNERS.items():
        model = learner.fit(train, dev=dev).model
        found["dev"][name], scores[name] = f1(dev, model.scores(dev)), model.scores(test)
        print(name, found["dev"][name], flush=True)
    chosen = max(scores, key=found["dev"].__getitem__)
    gold = read_roles(next(iter(sorted(work.glob("*.test.pos.jsonl.gz")))))
    labelled = {name: to_sentences(each, gold) for name, each in own["test"].items()}
    strongest = max(labelled, key=lambda name: evaluate_roles(gold, labelled[name]).score("f"))
    labelled |= {
        "mixture": to_sentences(data["test"], gold),
        chosen: to_sentences(test, gold, by_score(test, scores[chosen])),
    }
    for verbs in (True, False):
        scored = {name: evaluate_roles(gold, each, verbs=verbs) for name, each in labelled.items()}
        for name, each in scored.items():
            beside = {
                other: RoleComparison.of(scored[other], each).to_dict()["difference"]
                for other in (strongest, "M2", "mixture")
                if other != name and name in ("mixture", chosen)
            }
            parts = {part: each.score(part) for part in ("precision", "recall", "f", "perfect")}
            sure = each.intervals["f"]
            found[f"{'verbs' if verbs else 'all'}, {name}"] = {
                **parts,
                "interval": [sure.low, sure.high],
                "over": beside,
            }
            print("verbs" if verbs else "all", name, found[f"{'verbs' if verbs else 'all'}, {name}"], flush=True)
    return found


def domain(work: Path) -> dict[str, Any]:
    """The combiner of the first domain on the sentences of another."""
    found = {}
    combiner = load_combiner(work / "combiner.runoff")
    for path in sorted((work / "lists").glob("partial.*.jsonl.gz")):
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
