"""Role labellers: three kinds, what bounds them, their union, another domain.

Roles of roles/NAME.{train,dev,test}.*, first and second trees of parses/NAME.*.jsonl*, chunks of chunks/*.train.*, and
frames of roles/*frames*. Parts of speech and clauses of the training sentences come from taggers of other folds of
documents. Light verbs, and be, have and do without arguments, are left out. What is prepared is kept in the folder
RUNOFF_WORK.
Usage: python benchmarks/roles.py [labellers | domain …]
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from dataclasses import replace
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.learners import ChainPerceptron
from runoff.pipeline.document_folds import folds_of
from runoff.tables import text_table
from runoff.tasks.parsing.brackets import parse_tree
from runoff.tasks.roles.annotation import with_tags, with_tree_clauses, with_trees
from runoff.tasks.roles.candidates import kind_of, roles_of_tags, tags_of_candidates
from runoff.tasks.roles.frames import read_frames
from runoff.tasks.roles.labeller_file import load_labeller
from runoff.tasks.roles.labeller_training import train_labeller
from runoff.tasks.roles.light_verbs import without_light_verbs
from runoff.tasks.roles.role_files import read_roles, write_roles
from runoff.tasks.roles.role_scores import RoleComparison, evaluate_roles
from runoff.tasks.roles.syntax import Syntax
from runoff.tasks.roles.tag_columns import corpus_of
from runoff.tasks.roles.union import best_labels, union
from runoff.tasks.tagging import read_corpus
from runoff.tasks.tagging.clause_training import train_clauses
from runoff.tasks.tagging.corpus_parts import TaggedSentences
from runoff.tasks.tagging.training import train_tagger
from shared import data_folder, finish, skip

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from runoff.tasks.roles.labeller import RoleLabeller
    from runoff.tasks.roles.propositions import RoleSentence

    Parts = dict[str, list[RoleSentence]]

FOLDS = 3
POS = ChainPerceptron(epochs=6, margin=1.0, dropout=0.2, pairs="all")
CHUNKS = ChainPerceptron(epochs=8, margin=1.0, dropout=0.1)
TREE_KINDS = ("full", "constituents")
NAMES = {
    "partial": "base phrases and clauses (1)",
    "full": "siblings on the path (2)",
    "constituents": "constituents (3)",
}


def main() -> None:
    """Measure what was asked for, or all."""
    folder = data_folder()
    trains = [] if folder is None else sorted((folder / "roles").glob("*.train.*"))
    if folder is None or not trains:
        skip("no roles with train, dev and test; set RUNOFF_DATA")
        return
    name = trains[0].name.partition(".")[0]
    wanted = sys.argv[1:] or ["labellers", "domain"]
    frames = read_frames(next((folder / "roles").glob("*frames*")))
    work = Path(os.environ.get("RUNOFF_WORK") or tempfile.mkdtemp())
    parts = prepared(folder, name, work)
    sections = {"labellers": labellers, "domain": domain}
    results: dict[str, Any] = {"name": name}
    for section in wanted:
        results[section] = sections[section](parts, frames, folder, work)
    finish(results)


# ---------------------------------------------------------------- what is measured


def labellers(parts: Parts, frames: Mapping[str, str], _: Path, work: Path) -> dict[str, Any]:
    """Three labellers by the default recipe, and their unions."""
    rows, found, solutions = [], {}, {}
    gold = parts["test"]
    for kind, title in NAMES.items():
        copies = parts["train.gold"] if kind == "partial" else [*parts["train.second"], *parts["train.gold"]]
        saved = work / f"{kind}.runoff"
        facts: dict[str, Any] = {}
        if saved.exists():
            labeller = load_labeller(saved)
        else:
            labeller, facts = timed(parts["train"], kind, frames, copies=copies, dev=parts["dev"])
            labeller.save(saved)
        began = time.process_time()
        solutions[kind] = {part: labeller.label(parts[part]) for part in ("dev", "test")}
        facts["sentences_per_cpu_second"] = (len(parts["dev"]) + len(gold)) / (time.process_time() - began)
        facts["price"] = labeller.price
        facts["bound"] = bound(kind, gold)
        found[kind] = facts | scored(gold, solutions[kind]["test"], parts["test.pos"])
        rows.append([title, f"{100 * facts['bound']:.1f}", *shown(found[kind])])
        print(text_table(["", "bound", "verbs P", "R", "F1", "all P", "R", "F1", "perfect"], rows[-1:]), flush=True)
    for chosen in (("full", "partial"), ("constituents", "partial"), ("full", "constituents", "partial")):
        best = best_labels(parts["dev"], [solutions[kind]["dev"] for kind in chosen])
        joined = union([solutions[kind]["test"] for kind in chosen], best)
        name = " + ".join(chosen)
        found[name] = scored(gold, joined, parts["test.pos"])
        strongest = max(chosen, key=lambda kind: found[kind]["verbs"]["f"])
        right = [replace(each, pos=given.pos) for each, given in zip(gold, parts["test.pos"], strict=True)]
        one, two = (evaluate_roles(right, each, verbs=True) for each in (solutions[strongest]["test"], joined))
        found[name]["beside"] = {strongest: RoleComparison.of(one, two).to_dict()["difference"]}
        rows.append([f"union: {name}", "", *shown(found[name])])
    print(text_table(["", "bound", "verbs P", "R", "F1", "all P", "R", "F1", "perfect"], rows))
    return found


def domain(parts: Parts, frames: Mapping[str, str], folder: Path, work: Path) -> dict[str, Any]:
    """Labellers of the first domain on sentences of another, with the first trees of its lists."""
    found: dict[str, Any] = {}
    for part in domains(folder):
        for kind in NAMES:
            saved = work / f"{kind}.runoff"
            labeller = load_labeller(saved) if saved.exists() else timed(parts["train"], kind, frames)[0]
            found[f"{part}, {kind}"] = scored(parts[part], labeller.label(parts[part]), parts[f"{part}.pos"])
            print(part, kind, *shown(found[f"{part}, {kind}"]), flush=True)
    return found


def timed(train: Sequence[RoleSentence], kind: str, frames: Mapping[str, str], **more: Any) -> tuple[RoleLabeller, Any]:
    """Train, with the time and the memory that it took."""
    began, on_cpu = time.monotonic(), time.process_time()
    labeller = train_labeller(train, kind, frames=frames, **more)
    facts = {
        "seconds": time.monotonic() - began,
        "cpu_seconds": time.process_time() - on_cpu,
        "peak_gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
        **{name: labeller.provenance[name] for name in ("predicates", "candidates")},
        "features": labeller.features.n_features,
    }
    print(kind, {name: round(value, 1) for name, value in facts.items()}, flush=True)
    return labeller, facts


def scored(gold: Sequence[RoleSentence], found: Sequence[RoleSentence], pos: Sequence[RoleSentence]) -> dict[str, Any]:
    """Precision, recall, F1 with interval and perfect propositions; of verbs by their gold tags, and of all."""
    right = [replace(each, pos=given.pos) for each, given in zip(gold, pos, strict=True)]
    scores = {name: evaluate_roles(right, found, verbs=name == "verbs") for name in ("verbs", "all")}
    return {
        name: {part: each.score(part) for part in ("precision", "recall", "f", "perfect")}
        | {"interval": [each.intervals["f"].low, each.intervals["f"].high]}
        for name, each in scores.items()
    }


def shown(result: Mapping[str, Any]) -> list[str]:
    """Cells of a row."""
    cells = []
    for name in ("verbs", "all"):
        low, high = result[name]["interval"]
        cells += [f"{result[name]['precision']:.2f}", f"{result[name]['recall']:.2f}"]
        cells.append(f"{result[name]['f']:.2f} ({low:.1f}-{high:.1f})")
    return [*cells, f"{result['all']['perfect']:.2f}"]


def bound(kind: str, sentences: Sequence[RoleSentence]) -> float:
    """Share of the arguments of verbs that candidates reach."""
    how, reached, total = kind_of(kind), 0, 0
    for sentence in sentences:
        if not sentence.propositions:
            continue
        syntax = Syntax(sentence, use_tree=how.use_tree)
        for proposition in sentence.propositions:
            if not syntax.pos[proposition.predicate].startswith("VB"):
                continue
            candidates = how.candidates(syntax, proposition.predicate)
            tags = tags_of_candidates(how, candidates, proposition)
            reached += len(set(roles_of_tags(how, candidates, tags)) & set(proposition.roles))
            total += len(proposition.roles)
    return reached / total


# ---------------------------------------------------------------- what is prepared


def prepared(folder: Path, name: str, work: Path) -> Parts:
    """Sentences with automatic syntax; `train.second` and `train.gold` are the same sentences with other trees."""
    wanted = ["train", "train.second", "train.gold", "dev", "test", "test.gold", "test.pos"]
    wanted += [part for other in domains(folder) for part in (other, f"{other}.pos")]
    files = {part: work / f"{name}.{part}.jsonl.gz" for part in wanted}
    if not all(path.exists() for path in files.values()):
        for part, sentences in _prepare(folder, name).items():
            write_roles(sentences, files[part])
    return {part: read_roles(path) for part, path in files.items()}


def domains(folder: Path) -> dict[str, tuple[Path, Path]]:
    """Samples of other domains: roles, and lists of parses."""
    found = {}
    for path in sorted((folder / "roles").glob("*-sample.*")):
        lists = next((folder / "parses").glob(f"{path.name.partition('.')[0]}.*"), None)
        if lists is not None:
            found[path.name.partition("-")[0]] = (path, lists)
    return found


def _prepare(folder: Path, name: str) -> Parts:
    files = {
        part: tuple(next((folder / room).glob(f"{name}.{part}.*")) for room in ("roles", "parses"))
        for part in ("train", "dev", "test")
    } | domains(folder)
    gold = {part: without_light_verbs(read_roles(path)) for part, (path, _) in files.items()}
    chunker = train_tagger(
        read_corpus(next((folder / "chunks").glob("*.train.*")), columns="word,pos,chunk"),
        "chunk",
        "chunks",
        learner=CHUNKS,
    )
    fold_of = np.array(folds_of(TaggedSentences(corpus_of(gold["train"]), "pos").sentences(), FOLDS))
    train = list(gold["train"])
    for fold in range(FOLDS):
        others = [each for each, at in zip(gold["train"], fold_of, strict=True) if at != fold]
        places = np.flatnonzero(fold_of == fold).tolist()
        tagger = train_tagger(corpus_of(others), "pos", "pos", learner=POS)
        for at, each in zip(places, with_tags([gold["train"][at] for at in places], tagger, "pos"), strict=True):
            train[at] = each
    tagged: Parts = {"train": train}
    tagger = train_tagger(corpus_of(gold["train"]), "pos", "pos", learner=POS)
    for part in gold:
        if part != "train":
            tagged[part] = with_tags(gold[part], tagger, "pos")
    tagged = {part: with_tags(sentences, chunker, "chunks") for part, sentences in tagged.items()}
    clauses = _clauses(tagged, fold_of)
    found: Parts = {}
    for part, sentences in clauses.items():
        lists = files[part][1]
        first = with_trees(sentences, listed_trees(lists, 0), missing="leave" if part in domains(folder) else "flat")
        found[part] = first
        if part == "train":
            found["train.second"] = [
                each for each in with_trees(sentences, listed_trees(lists, 1)) if each.tree is not None
            ]
            copies = [
                replace(each, pos=right.pos, tree=right.tree) for each, right in zip(first, gold[part], strict=True)
            ]
            found["train.gold"] = with_tree_clauses(copies)
        if part in domains(folder):  # some have no parse
            has_tree = [each.tree is not None for each in first]
            found[part] = list(compress(first, has_tree))
            found[f"{part}.pos"] = list(compress(gold[part], has_tree))
    found["test.gold"] = gold["test"]
    found["test.pos"] = gold["test"]
    return found


def _clauses(tagged: Parts, fold_of: Any) -> Parts:
    """Clauses by taggers that learn from the clauses of gold trees, which the sentences still have."""

    def learned(sentences: list[RoleSentence]) -> Any:
        from runoff.tasks.tagging import brackets_of
        from runoff.tasks.tagging.clauses import clause_spans

        corpus = corpus_of(sentences)
        spans = sorted(
            (first + start, -(first + stop))
            for first, sentence in zip(corpus.offsets.tolist(), with_tree_clauses(sentences), strict=False)
            for start, stop in sentence.clauses or ()
        )
        starts, stops = np.array([each[0] for each in spans]), np.array([-each[1] for each in spans])
        column = brackets_of(clause_spans(starts, stops), corpus.offsets)
        return train_clauses(corpus.with_column("clause", column), "clause", folds=2)

    whole = learned(tagged["train"])
    found = {part: with_tags(sentences, whole, "clauses") for part, sentences in tagged.items() if part != "train"}
    train: list[Any] = [None] * len(fold_of)
    for fold in range(FOLDS):
        places = np.flatnonzero(fold_of == fold).tolist()
        tool = learned([each for each, at in zip(tagged["train"], fold_of, strict=True) if at != fold])
        for at, each in zip(places, with_tags([tagged["train"][at] for at in places], tool, "clauses"), strict=True):
            train[at] = each
    return {"train": train, **found}


def listed_trees(path: Path, rank: int) -> list[Any]:
    """The tree at a place of every list that is long enough."""
    import gzip
    import json

    found = []
    with gzip.open(path, "rt") as lines:
        for line in lines:
            candidates = json.loads(line)["nbest"]
            if len(candidates) > rank:
                found.append(parse_tree(candidates[rank][1]))
    return found


if __name__ == "__main__":
    main()
