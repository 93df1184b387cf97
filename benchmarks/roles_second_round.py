"""Lists of labellings of predicates: jackknifed for training, and what a second round wins on them.

`lists`: for every kind of labeller the 20 best labellings of every predicate with all proposals, those of the training
sentences by labellers of other folds of documents, as RUNOFF_WORK/lists/KIND.{train,dev,test,…}.jsonl.gz. What is there
already is kept. Labellers of base phrases and of siblings have the recipe of benchmarks/roles.py; that of constituents
learns from the first trees alone, as its copies with other trees would take an hour more.
`second`: mixtures of labellers by their first choice, and learners of whole labellings on the ten best of the mixture;
all is chosen on dev, and test is looked at once.
Usage: python benchmarks/roles_second_round.py [lists | second …] [partial | full | constituents …]
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from roles import NAMES, domains, prepared, scored, shown, timed
from runoff.io import read, write
from runoff.learners import CRF, LogLinear
from runoff.learners.feature_scaling import spread_within
from runoff.ranking import by_score, first_round
from runoff.tasks.roles.frames import read_frames
from runoff.tasks.roles.labeller_file import load_labeller
from runoff.tasks.roles.metric import SrlEval
from runoff.tasks.roles.mixed_lists import mixed_lists
from runoff.tasks.roles.role_featurizer import RoleFeaturizer
from runoff.tasks.roles.role_lists import jackknifed_lists, role_lists, to_sentences
from runoff.tasks.roles.role_scores import RoleComparison, evaluate_roles
from shared import data_folder, finish, skip

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roles import Parts
    from runoff.nbest import NBest
    from runoff.tasks.roles.labeller import RoleLabeller
    from runoff.tasks.roles.propositions import RoleSentence

FOLDS = 3
K = 20
BEST = 10  # of the mixture, for the second round
PARTS = ("train", "dev", "test")
PRICES = (0.65, 0.7, 0.75, 0.8)
LEARNERS = {
    "crf": CRF(objective="el", l2=1e-4, max_iter=150),
    "crf, stronger prior": CRF(objective="el", l2=4e-4, max_iter=150),
    "loglinear": LogLinear(sigma=0.2, right="tied", max_iter=150),
}
WITHOUT_COPIES = ("constituents",)


def main() -> None:
    """Make what was asked for, or all."""
    folder = data_folder()
    trains = [] if folder is None else sorted((folder / "roles").glob("*.train.*"))
    if folder is None or not trains:
        skip("no roles with train, dev and test; set RUNOFF_DATA")
        return
    frames = read_frames(next((folder / "roles").glob("*frames*")))
    work = Path(os.environ.get("RUNOFF_WORK") or tempfile.mkdtemp())
    parts = prepared(folder, trains[0].name.partition(".")[0], work)
    sections = {"lists": lists, "second": second}
    wanted = [name for name in sections if name in sys.argv] or sections
    finish({name: sections[name](parts, frames, folder, work) for name in wanted})


def lists(parts: Parts, frames: Mapping[str, str], folder: Path, work: Path) -> dict[str, Any]:
    """The lists of all kinds, the quickest first."""
    found: dict[str, Any] = {}
    (work / "lists").mkdir(exist_ok=True)
    for kind in [kind for kind in NAMES if kind in sys.argv] or NAMES:
        began = time.process_time()
        files = {
            part: work / "lists" / f"{kind}.{part}.jsonl.gz" for part in ("dev", "test", *domains(folder), "train")
        }
        if all(path.exists() for path in files.values()):
            continue
        saved = work / (f"{kind}.first-trees.runoff" if kind in WITHOUT_COPIES else f"{kind}.runoff")
        whole = trained(saved, parts["train"], kind, parts, frames, parts["dev"])
        for part, path in files.items():
            if part != "train":
                write(role_lists(whole, parts[part], K), path)
        folds: list[int] = []

        def of_fold(material: list[RoleSentence], kind: str = kind, own: RoleLabeller = whole) -> RoleLabeller:
            saved = work / f"{kind}.fold{folds[-1]}.runoff"  # noqa: B023 - called before the next kind
            # One price, so that scores mean the same in all lists.
            return replace(trained(saved, material, kind, parts, frames), price=own.price)

        made = jackknifed_lists(parts["train"], FOLDS, K, of_fold, step=folds.append)
        write(made, files["train"])
        (work / f"READY-{kind}").touch()
        found[kind] = {"cpu_seconds": time.process_time() - began, "lists": len(made)}
        print(kind, found[kind], flush=True)
    return found


def second(parts: Parts, _: Mapping[str, str], __: Path, work: Path) -> dict[str, Any]:
    """Mixtures of labellers, and second rounds on them; chosen on dev."""
    kinds = [kind for kind in NAMES if kind in sys.argv] or list(NAMES)
    own = {part: {kind: read(work / "lists" / f"{kind}.{part}.jsonl.gz") for kind in kinds} for part in PARTS}
    found: dict[str, Any] = {"dev, first choices": {kind: f1(own["dev"][kind]) for kind in kinds}}
    best_single = max(kinds, key=lambda kind: found["dev, first choices"][kind])
    tried: dict[tuple[str, ...], tuple[float, float]] = {}
    for many in range(2, len(kinds) + 1):
        for names in combinations(kinds, many):
            chosen = {name: own["dev"][name] for name in names}
            tried[names] = max((f1(mixed_lists(chosen, 1, price=price)), price) for price in PRICES)
            found["dev, first choices"][" + ".join(names)] = tried[names]
            print(names, tried[names], flush=True)
    names, (_dev, price) = max(tried.items(), key=lambda each: each[1])
    data = {part: mixed_lists({name: own[part][name] for name in names}, BEST, price=price) for part in PARTS}
    featurizer = RoleFeaturizer()
    train = featurizer.fit_transform(data["train"])
    dev, test = featurizer.transform(data["dev"]), featurizer.transform(data["test"])
    print(train, f"{time.process_time():.0f} CPU s so far", flush=True)
    models = {name: learner.fit(train, dev=dev).model for name, learner in LEARNERS.items()}
    scores = {name: [unit(each, model.scores(each)) for each in (dev, test)] for name, model in models.items()}
    scores["mean"] = [np.mean([scores[name][at] for name in LEARNERS], axis=0) for at in (0, 1)]
    found["dev, second round"] = {name: f1(dev, on_dev) for name, (on_dev, _) in scores.items()}
    found["oracle"] = f1(data["test"], SrlEval().quality(data["test"]))
    print(found, flush=True)
    learner = max(scores, key=lambda name: found["dev, second round"][name])
    labelled = {
        best_single: to_sentences(own["test"][best_single], parts["test"]),
        "mixture": to_sentences(data["test"], parts["test"]),
        "second round": to_sentences(test, parts["test"], by_score(test, scores[learner][1])),
    }
    found |= {"names": names, "price": price, "learner": learner}
    for name, sentences in labelled.items():
        found[name] = scored(parts["test"], sentences, parts["test.pos"])
        print(name, *shown(found[name]), flush=True)
    for one, other in ((best_single, "mixture"), ("mixture", "second round"), (best_single, "second round")):
        found[f"{other} over {one}"] = compared(parts, labelled[one], labelled[other])
        print(other, "over", one, found[f"{other} over {one}"], flush=True)
    return found


def f1(data: NBest, scores: Any = None) -> float:
    """F1 of the candidates with the highest scores, or of the first round's choice, over all predicates."""
    metric = SrlEval()
    top = (first_round(data) if scores is None else by_score(data, scores)).top
    return float(metric.score(metric.statistics(data)[top].sum(axis=0)))


def unit(data: NBest, scores: Any) -> Any:
    """Scores of unit spread within lists."""
    return scores / spread_within(data, scores)


def compared(parts: Parts, one: list[RoleSentence], other: list[RoleSentence]) -> dict[str, Any]:
    """Difference in F1 on test with its interval and p, of verbs by their gold tags and of all predicates."""
    found = {}
    for name in ("verbs", "all"):
        before, after = (evaluate_roles(parts["test.pos"], each, verbs=name == "verbs") for each in (one, other))
        found[name] = RoleComparison.of(before, after).to_dict()["difference"]
    return found


def trained(
    saved: Path,
    material: list[RoleSentence],
    kind: str,
    parts: Parts,
    frames: Mapping[str, str],
    dev: list[RoleSentence] | None = None,
) -> RoleLabeller:
    """A labeller of these sentences and their copies with other trees; from its file if there is one."""
    if saved.exists():
        return load_labeller(saved)
    known = {each.id for each in material}
    names = [] if kind in WITHOUT_COPIES else ["train.gold"] if kind == "partial" else ["train.second", "train.gold"]
    copies = [each for name in names for each in parts[name] if each.id in known]
    labeller = timed(material, kind, frames, copies=copies, dev=dev)[0]
    labeller.save(saved)
    return labeller


if __name__ == "__main__":
    main()
