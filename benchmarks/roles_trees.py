"""What better trees, and several trees per sentence, are worth to role labellers.

`trees`: models 2 and 3 on the first tree of each list, on the one that a second round of parses chooses and on the gold
one, trained and tested alike, without copies. Training lists are reranked by models of other folds of documents.
`several`: labellers of benchmarks/roles.py (or of `trees`, where those are not there) mix their probabilities over the
best K trees of each list; K and the temperature are chosen on dev.
Usage: python benchmarks/roles_trees.py [trees | several …] [kind …] [first | reranked | gold …]
"""

from __future__ import annotations

import gzip
import json
import math
import os
import sys
import tempfile
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import runoff
from parsing import SEEN, only_columns
from roles import FOLDS, NAMES, TREE_KINDS, prepared, scored, shown, timed
from runoff.files import replacing
from runoff.nbest.blocks import blocks
from runoff.tasks.parsing.features.consensus import FAMILY as CONSENSUS
from runoff.tasks.parsing.features.extract import extract
from runoff.tasks.parsing.lists import read_lists
from runoff.tasks.roles.annotation import with_trees
from runoff.tasks.roles.candidates import without_stray_pieces
from runoff.tasks.roles.frames import read_frames
from runoff.tasks.roles.labeller import mixture
from runoff.tasks.roles.labeller_file import load_labeller
from runoff.tasks.roles.light_verbs import without_light_verbs
from runoff.tasks.roles.resolution import resolve
from runoff.tasks.roles.role_files import read_roles
from runoff.tasks.roles.role_scores import RoleComparison, evaluate_roles
from runoff.tasks.roles.tree_sources import read_parses, read_weighted_parses
from shared import data_folder, finish, skip

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from roles import Parts
    from runoff.nbest import NBest
    from runoff.tasks.roles.labeller import RoleLabeller
    from runoff.tasks.roles.propositions import RoleSentence
    from runoff.tasks.roles.resolution import Proposal

PARTS = ("train", "dev", "test")
MANY = (1, 3, 5)
KEPT = 10  # reranked trees of a list
TEMPERATURES = (1.0, 2.0)
# Of the learners in benchmarks/parsing.py, with what it chose on dev there.
RERANKER = runoff.CRF(objective="la", loss_weight=3.0, l2=1.6e-2, max_iter=80)


def main() -> None:
    """Measure what was asked for, or all."""
    folder = data_folder()
    trains = [] if folder is None else sorted((folder / "roles").glob("*.train.*"))
    if folder is None or not trains:
        skip("no roles with train, dev and test; set RUNOFF_DATA")
        return
    name = trains[0].name.partition(".")[0]
    frames = read_frames(next((folder / "roles").glob("*frames*")))
    work = Path(os.environ.get("RUNOFF_WORK") or tempfile.mkdtemp())
    parts = prepared(folder, name, work)
    lists = {part: next((folder / "parses").glob(f"{name}.{part}.*")) for part in PARTS}
    lists["gold dev"] = next((folder / "roles").glob(f"{name}.dev.*"))
    sections = {"trees": trees, "several": several}
    kinds = [word for word in sys.argv[1:] if word in TREE_KINDS] or list(TREE_KINDS)
    wanted = [word for word in sys.argv[1:] if word in sections] or list(sections)
    finish({section: sections[section](parts, frames, lists, work, kinds) for section in wanted})


def trees(
    parts: Parts, frames: Mapping[str, str], lists: Mapping[str, Path], work: Path, kinds: Sequence[str]
) -> dict[str, Any]:
    """Labellers on first, reranked and gold trees."""
    sources = {
        "first": lambda: [parts[part] for part in PARTS],
        "reranked": lambda: [
            with_trees(parts[part], read_parses(path), missing="flat") for part, path in reranked(lists, work).items()
        ],
        "gold": lambda: [
            parts["train.gold"],
            without_light_verbs(read_roles(lists["gold dev"])),
            parts["test.gold"],
        ],
    }
    wanted = [word for word in sys.argv[1:] if word in sources] or list(sources)
    found: dict[str, Any] = {}
    for kind in kinds:
        labelled = {}
        for name in wanted:
            train, dev, test = sources[name]()
            saved = work / f"{kind}.{name}-trees.runoff"
            if saved.exists():
                labeller = load_labeller(saved)
                facts: dict[str, Any] = {}
            else:
                labeller, facts = timed(train, kind, frames, dev=dev)
                labeller.save(saved)
            labelled[name] = labeller.label(test)
            found[f"{kind}, {name}"] = facts | scored(parts["test"], labelled[name], parts["test.pos"])
            print(NAMES[kind], name, *shown(found[f"{kind}, {name}"]), flush=True)
        if {"first", "reranked"} <= labelled.keys():
            found[f"{kind}, reranked over first"] = compared(parts, labelled["first"], labelled["reranked"])
            print(kind, found[f"{kind}, reranked over first"], flush=True)
    return found


def several(
    parts: Parts, _: Mapping[str, str], lists: Mapping[str, Path], work: Path, kinds: Sequence[str]
) -> dict[str, Any]:
    """Probabilities over the best trees by the parser's scores and, where lists are reranked, by the second round's."""
    sources = {"first": lists}
    if all((work / f"{part}.reranked.jsonl.gz").exists() for part in ("dev", "test")):
        sources["reranked"] = {part: work / f"{part}.reranked.jsonl.gz" for part in ("dev", "test")}
    found: dict[str, Any] = {}
    for kind in kinds:
        saved = work / f"{kind}.runoff"
        labeller = load_labeller(saved if saved.exists() else work / f"{kind}.first-trees.runoff")
        one = labeller.label(parts["test"])
        for name, own in sources.items():
            dev = TreePools.of(labeller, parts["dev"], own["dev"], max(MANY))
            rows = {}
            for temperature in TEMPERATURES:
                for many in MANY:
                    if many == 1 and temperature != TEMPERATURES[0]:
                        continue
                    labelled = dev.mixed(many, temperature).label(parts["dev"], labeller.price)
                    rows[many, temperature] = evaluate_roles(parts["dev"], labelled).score("f")
                    print(
                        kind,
                        name,
                        f"dev: {many} trees, temperature {temperature}:",
                        rows[many, temperature],
                        flush=True,
                    )
            many, temperature = max(rows, key=rows.__getitem__)
            test = TreePools.of(labeller, parts["test"], own["test"], many).mixed(many, temperature)
            labelled = test.label(parts["test"], labeller.price)
            found[f"{kind}, {name}"] = {
                "dev": [[*key, value] for key, value in rows.items()],
                "chosen": [many, temperature],
                "one": scored(parts["test"], one, parts["test.pos"]),
                "several": scored(parts["test"], labelled, parts["test.pos"]),
                "gain": compared(parts, one, labelled),
            }
            print(kind, name, many, temperature, *shown(found[f"{kind}, {name}"]["several"]), flush=True)
            print(kind, name, found[f"{kind}, {name}"]["gain"], flush=True)
    return found


def compared(parts: Parts, one: Sequence[RoleSentence], other: Sequence[RoleSentence]) -> dict[str, Any]:
    """Difference in F1 on test with its interval and p, of verbs by their gold tags and of all predicates."""
    found = {}
    for name in ("verbs", "all"):
        first, second = (evaluate_roles(parts["test.pos"], each, verbs=name == "verbs") for each in (one, other))
        found[name] = RoleComparison.of(first, second).to_dict()["difference"]
    return found


# ---------------------------------------------------------------- several trees


@dataclass
class Pools:
    """Proposals of all predicates, in the place of a labeller."""

    pools: list[list[list[Proposal]]]  # of every sentence and predicate

    def proposals(self, sentences: Sequence[RoleSentence]) -> Iterator[tuple[RoleSentence, list[list[Proposal]]]]:
        """Those of the sentences that they were made of."""
        return zip(sentences, self.pools, strict=True)

    def label(self, sentences: Sequence[RoleSentence], price: float) -> list[RoleSentence]:
        """The best sets of them."""
        return [
            sentence.with_propositions(
                own.with_roles(without_stray_pieces(resolve(pool, len(sentence.words), price=price)[0].roles))
                for own, pool in zip(sentence.propositions, pools, strict=True)
            )
            for sentence, pools in self.proposals(sentences)
        ]


@dataclass
class TreePools:
    """Proposals by each of the best trees, so that all mixtures cost one labelling."""

    scores: list[list[float]]  # of every sentence's trees, best first
    pools: list[list[list[list[Proposal]]]]  # of every sentence, tree and predicate

    @classmethod
    def of(cls, labeller: RoleLabeller, sentences: Sequence[RoleSentence], path: Path, best: int) -> TreePools:
        """Label every sentence by each of its trees."""
        own = [
            each.trees or ((1.0, each.tree),)
            for each in with_trees(sentences, read_weighted_parses(path, best), missing="flat")
        ]
        flat = [each.with_tree(tree) for each, trees in zip(sentences, own, strict=True) for _, tree in trees]
        found = (pools for _, pools in labeller.proposals(flat))
        return cls(
            [[math.log(chance) for chance, _ in trees] for trees in own],
            [[next(found) for _ in trees] for trees in own],
        )

    def mixed(self, many: int, temperature: float) -> Pools:
        """The proposals by the first trees, weighted by a softmax of their scores."""
        mixed = []
        for scores, pools in zip(self.scores, self.pools, strict=True):
            weights = [math.exp((score - scores[0]) / temperature) for score in scores[:many]]
            total = sum(weights)
            mixed.append(mixture([(weight / total, pool) for weight, pool in zip(weights, pools, strict=False)]))
        return Pools(mixed)


# ---------------------------------------------------------------- reranked trees


def reranked(lists: Mapping[str, Path], work: Path) -> dict[str, Path]:
    """The best trees of every list by a second round; those of train by models of other folds of documents."""
    files = {part: work / f"{part}.reranked.jsonl.gz" for part in PARTS}
    if all(path.exists() for path in files.values()):
        return files
    data = features(lists, work)
    kept = {part: work / f"{part}.parses.scores.npy" for part in PARTS}
    if not kept["train"].exists():
        fold_of = blocks(data["train"], "doc").folds(FOLDS, 0)
        scores = np.zeros(data["train"].n_candidates)
        for fold in range(FOLDS):
            model = RERANKER.clone().fit(data["train"][fold_of != fold]).model
            scores[np.repeat(fold_of == fold, data["train"].sizes)] = model.scores(data["train"][fold_of == fold])
        np.save(kept["train"], scores)
    if not kept["test"].exists():
        model = RERANKER.clone().fit(data["train"]).model
        for part in ("dev", "test"):
            np.save(kept[part], model.scores(data[part]))
    for part, path in files.items():
        _write(data[part], np.load(kept[part]), path)
    return files


def features(lists: Mapping[str, Path], work: Path) -> dict[str, NBest]:
    """Features of parses by the vocabulary of train, without consensus."""
    found: dict[str, NBest] = {}
    known = None
    for part in PARTS:
        saved = work / f"{part}.parses.arrow"
        if not saved.exists():
            extract(read_lists(lists[part]), min_lists=SEEN, vocabulary=known, processes=1).save(saved)
        data = runoff.read(saved)
        known = data.features.column_names()
        found[part] = only_columns(data, np.array([not name.startswith(CONSENSUS) for name in known.to_pylist()]))
    return found


def _write(data: NBest, scores: Any, path: Path) -> None:
    texts = [] if data.texts is None else data.texts.to_pylist()
    with replacing(path) as temporary, gzip.open(temporary, "wt", encoding="utf-8") as stream:
        for at, (start, stop) in enumerate(pairwise(data.offsets.tolist())):
            order = start + np.argsort(-scores[start:stop], kind="stable")[:KEPT]
            nbest = [[float(scores[row]), texts[row]] for row in order.tolist()]
            stream.write(json.dumps({"id": data.group_ids[at].as_py(), "nbest": nbest}) + "\n")


if __name__ == "__main__":
    main()
