"""Lists of two parsers merged into one, and reranked: the lists that came with the data, and those of our own parser.

Our lists are jackknifed by the folds of the given ones (as in first_round.py), `runoff.merge` joins the best K of each,
and the features of parses are made of the merged lists. Columns of the systems are of two kinds: "plain", what merging
gives (presence, score, rank), and "votes": what each system expects of every tree (F under its own list, as
probabilities and flattened to the power 0.3), and the log-probability of every tree by our grammar, the given parser's
trees included. Settings of learners are chosen on dev, by brackets alone; "mean" is that of their scores, each divided
by its spread on dev, and "expected F" chooses by the F that every tree can expect under probabilities that are a power,
chosen on dev, of what these scores say.
Parts: "lists" (F and oracle), "learn". With --work, what is there is taken as it is.
Usage: python benchmarks/parse_union.py [--work FOLDER] [K …] [part …] [only:word in a name of the data …]
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

import runoff
from first_round import K as DEPTH
from first_round import bundles, make
from parsing import SEEN, only_columns, statistics
from parsing import _parts as parts_of_data
from runoff.features.columns import concat_columns
from runoff.learners.feature_scaling import spread_within
from runoff.metrics import get, interval, paired_bootstrap, randomisation
from runoff.nbest import Features
from runoff.tables import text_table
from runoff.tasks.parsing import ParseFeaturizer
from runoff.tasks.parsing.brackets import Forest
from runoff.tasks.parsing.features.agreement import expected_f_of
from runoff.tasks.parsing.features.consensus import FAMILY as CONSENSUS
from runoff.tasks.parsing.grammar import train_grammar
from runoff.tasks.parsing.parse_data import to_lists
from runoff.tasks.parsing.treebank import Treebank, read_treebank
from shared import data_folder, finish, skip

if TYPE_CHECKING:
    from runoff.arrays import Bools, Floats
    from runoff.nbest import NBest

Row = dict[str, Any]
METRIC = get("parseval[tags=0]")
GIVEN, OURS, TREE, DERIVED = "given", "ours", "ours:tree", "ours:derived"
POWERS = (1.0, 0.3)
VOTES = ":expected"
# Which columns, and which learner: the first is the plain union, with which the others are compared.
ROWS = (("plain", "CRF la"), ("plain", "Perceptron ORUM"), ("votes", "CRF la"), ("votes", "Perceptron ORUM"))
LEARNERS = {
    "CRF la": runoff.CRF(objective="la", loss_weight=[3.0, 10.0], l2=[1.6e-2, 5e-2], max_iter=80, metric=METRIC),
    "Perceptron ORUM": runoff.Perceptron(order="orum", max_epochs=20, patience=5, metric=METRIC),
}
SHARPNESS = (1.0, 2.0, 3.0, 5.0, 8.0)  # powers of probabilities from the mean of scores


def main() -> None:
    """Measure what was asked for."""
    words = sys.argv[1:]
    if words[:1] == ["columns"]:
        write_kind(words[1], [Path(word) for word in words[2:]])
        return
    if words[:1] == ["one"]:
        one(words[1], words[2], Path(words[3]), [Path(word) for word in words[4:]])
        return
    folder = data_folder()
    lists = None if folder is None else sorted((folder / "parses").glob("*.jsonl*"))
    if not lists:
        skip("no lists of parses with gold trees; set RUNOFF_DATA")
        return
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(words[words.index("--work") + 1]) if "--work" in words else Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        only = [word.removeprefix("only:") for word in words if word.startswith("only:")]
        depths = [int(word) for word in words if word.isdecimal()] or [25, DEPTH]
        asked = [part for part in ("lists", "learn") if part in words] or ["lists", "learn"]
        found: Row = {}
        for name, files in bundles(lists).items():
            if only and not any(word in name for word in only):
                continue
            ours = {part: work / f"{name}.{part}.runoff{DEPTH}.jsonl.gz" for part in files}
            make(files, ours)
            for k in depths:
                paths = unions(f"{name}.{k}", files, ours, k, work)
                found[f"{name}, {k} + {k}"] = {
                    part: (judged if part == "lists" else learned)(f"{name}, {k} + {k}", paths, work) for part in asked
                }
        finish(found)


# -------------------------------------------------------------------- data


def unions(name: str, files: dict[str, Path], ours: dict[str, Path], k: int, work: Path) -> list[Path]:
    """Merged lists with all features, written once: train, dev and test, or all lists of a file with folds."""
    paths = {part: work / f"{name}.{part}.arrow" for part in ("train", "dev", "test", "all") if part in files}
    if all(path.exists() for path in paths.values()):
        return list(paths.values())
    bank = read_treebank(files["all" if "all" in files else "train"])
    featurizer = ParseFeaturizer(min_lists=SEEN, cache=work / "chunks", processes=1, verbose=True)
    for at, (part, path) in enumerate(paths.items()):
        merged = work / f"{name}.{part}.merged.arrow"
        if not merged.exists():
            lists = {GIVEN: best(runoff.read(files[part]), k), OURS: best(runoff.read(ours[part]), k)}
            both = with_votes(with_tree_scores(runoff.merge(lists), bank))
            print(f"{part}: {both!r} {both.notes}", file=sys.stderr)
            both.save(merged)
        data = runoff.read(merged)
        made = featurizer.transform(data) if at else featurizer.fit_transform(data, METRIC)
        made.save(path)
        if part == "all":
            folds = [int(fold) for fold in made.attributes["fold"].to_pylist()]
            path.with_suffix(".folds.json").write_text(json.dumps(folds))
    return list(paths.values())


def best(data: NBest, k: int) -> NBest:
    """The best k candidates of every list, by score."""
    if data.base is None or data.texts is None:
        raise SystemExit("the lists need trees with scores.")
    order = np.lexsort((np.arange(data.n_candidates), -data.base, data.group_of))
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size) - np.repeat(data.offsets[:-1], data.sizes)
    kept = np.flatnonzero(place < k)
    return runoff.NBest.from_arrays(
        sizes=np.minimum(data.sizes, k),
        group_ids=data.group_ids,
        base=data.base[kept],
        texts=data.texts.take(pa.array(kept)),
        inputs=data.inputs,
        references=data.references,
        attributes=data.attributes,
        metric=data.metric,
    )


def with_tree_scores(merged: NBest, bank: Treebank) -> NBest:
    """Lists with the log-probability of every tree by a grammar that has not seen it.

    Trees that the grammar cannot derive get the lowest of their list, and 0 in a column of their own.
    """
    found, scores = (column(merged, f"{OURS}:{what}") for what in ("found", "score"))
    values = np.where(found > 0, scores, np.nan)
    folds = merged.attributes["fold"].to_pylist() if "fold" in merged.attributes else [None] * len(merged)
    for fold in dict.fromkeys(folds):
        grammar = train_grammar(each.tree for each in bank if str(each.fold) != fold)
        some = np.flatnonzero([each == fold for each in folds])
        for group, parses in zip(some, to_lists(merged[some]), strict=True):
            forest, start = Forest(), int(merged.offsets[group])
            for at in range(len(parses.trees)):
                if np.isnan(values[start + at]):
                    values[start + at] = grammar.log_probability(parses.tree(at, forest))
    derived = np.isfinite(values)
    lowest = np.full(len(merged), np.inf)
    np.minimum.at(lowest, merged.group_of[derived], values[derived])
    lowest[np.isinf(lowest)] = 0.0
    return with_columns(merged, {TREE: np.where(derived, values, lowest[merged.group_of]), DERIVED: derived})


def with_votes(merged: NBest) -> NBest:
    """Lists with the F that every tree can expect, by either system's probabilities."""
    weights: dict[str, Floats] = {}
    for system in (GIVEN, OURS, TREE):
        scores = column(merged, system if system == TREE else f"{system}:score")
        known = column(merged, DERIVED if system == TREE else f"{system}:found") > 0
        top = np.full(len(merged), -np.inf)
        np.maximum.at(top, merged.group_of[known], scores[known])
        relative = np.where(known, scores - top[merged.group_of], -np.inf)
        weights |= {f"{system}{VOTES}, power {power:g}": np.exp(power * relative) for power in POWERS}
    expected = expected_f_of(merged, np.column_stack(list(weights.values())))
    return with_columns(merged, dict(zip(weights, expected.T, strict=True)))


def column(data: NBest, name: str) -> Floats:
    """Values of a column."""
    at = data.features.column_names().to_pylist().index(name)
    values: Floats = data.features.to_scipy()[:, [at]].toarray().ravel().astype(np.float64)
    return values


def with_columns(data: NBest, columns: dict[str, Floats]) -> NBest:
    """The data with further columns."""
    added = Features.of(np.column_stack(list(columns.values())), list(columns))
    return data.replace(features=concat_columns(data.features, added))


def kept_columns(data: NBest, kind: str) -> Bools:
    """Which columns a learner gets."""
    names = data.features.column_names().to_pylist()
    return np.array([kind == "votes" or (name not in (TREE, DERIVED) and VOTES not in name) for name in names])


# -------------------------------------------------------------------- learning


def judged(name: str, paths: list[Path], work: Path) -> Row:  # noqa: ARG001 - as of `learned`
    """F of the first round of either system, of their votes, and of the best trees."""
    found: Row = {}
    for path in paths if len(paths) == 1 else paths[1:]:
        data = runoff.read(path)
        names = data.features.column_names().to_pylist()
        choices: dict[str, Any] = {GIVEN: data.base, "oracle": data.quality}
        # Candidates that our parser lacks have its lowest score.
        choices[OURS] = column(data, f"{OURS}:score") + column(data, f"{OURS}:found")
        voters = (GIVEN, OURS, CONSENSUS)
        choices |= {each: column(data, each) for each in names if VOTES in each and each.startswith(voters)}
        both = [f"{system}{VOTES}, power {POWERS[-1]:g}" for system in (GIVEN, TREE)]
        choices["sum of votes"] = np.sum([choices[each] for each in both], axis=0)
        found[path.stem] = {each: f_of(statistics(data, scores)["parseval"]) for each, scores in choices.items()}
        print(f"\n{name}, {path.stem}: {data!r}")
        print(text_table(["choice", "F"], [[each, f"{score:.2f}"] for each, score in found[path.stem].items()]))
    return found


def learned(name: str, paths: list[Path], work: Path) -> list[Row]:
    """What the learners reach, beside each other and together."""
    results: dict[str, list[Row]] = {}
    rows: list[Row] = []
    for kind, learner in ROWS:
        files = of_kind(paths, kind)
        label = f"{learner}, {kind}"
        out = work / f"{paths[0].name.removesuffix('.arrow')}.{kind}.{learner.replace(' ', '-')}.npz"
        if not out.exists():
            subprocess.run([sys.executable, __file__, "one", kind, learner, str(out), *map(str, files)], check=True)
        results[label] = loaded(out)
        rows.append(summary(label, results[label], next(iter(results.values()))))
        print(json.dumps(rows[-1]), file=sys.stderr)
    first = next(iter(results.values()))
    for kind in ("plain", "votes"):
        both = mean([found for label, found in results.items() if label.endswith(kind)])
        rows.append(summary(f"mean, {kind}", both, first))
        rows.append(summary(f"mean, {kind}, expected F", by_expected_f(both, list(parts_of_data(paths))), first))
    table(name, rows)
    return rows


def of_kind(paths: list[Path], kind: str) -> list[Path]:
    """Files with the columns of a kind alone, which learners then map into memory; written once, by another process."""
    found = [path if kind == "votes" else path.with_suffix(f".{kind}.arrow") for path in paths]
    if not all(path.exists() for path in found):
        subprocess.run([sys.executable, __file__, "columns", kind, *map(str, paths)], check=True)
    return found


def write_kind(kind: str, paths: list[Path]) -> None:
    """Write the files of `of_kind`."""
    for path, out in zip(paths, (path.with_suffix(f".{kind}.arrow") for path in paths), strict=True):
        data = runoff.read(path)
        only_columns(data, kept_columns(data, kind)).save(out)
        folds = path.with_suffix(".folds.json")
        if folds.exists():
            out.with_suffix(".folds.json").write_text(folds.read_text())


def one(kind: str, learner: str, out: Path, paths: list[Path]) -> None:
    """Learn in a process of its own; keep scores and statistics of dev and test."""
    import copy
    import resource

    kept: dict[str, Any] = {}
    started, settings = time.process_time(), []
    for at, (train, dev, test) in enumerate(parts_of_data(paths)):
        model = copy.deepcopy(LEARNERS[learner]).fit(train, dev).model
        settings.append(model.provenance.get("setting") or model.provenance.get("epochs"))
        for part, data in (("dev", dev), ("test", test)):
            full = data.sizes > 0
            kept |= {
                f"{part}{at}scores": model.scores(data),
                f"{part}{at}offsets": data.offsets[np.append(full, True)],
                f"{part}{at}stats": data.stats["parseval"],
            }
    print(f"{learner}, {kind}: {settings}", file=sys.stderr)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    np.savez_compressed(out, seconds=time.process_time() - started, GB=memory, **kept)


def loaded(path: Path) -> list[Row]:
    """Results of `one`, part by part."""
    with np.load(path) as found:
        count = sum(name.startswith("dev") and name.endswith("scores") for name in found)
        names = [f"{part}{{}}{what}" for part in ("dev", "test") for what in ("scores", "offsets", "stats")]
        return [{name.format(""): found[name.format(at)] for name in names} for at in range(count)]


def picked(row: Row, part: str) -> Floats:
    """Statistics of the candidates with the highest scores."""
    scores, offsets = row[f"{part}scores"], row[f"{part}offsets"]
    top = [start + int(np.argmax(scores[start:stop])) for start, stop in itertools.pairwise(offsets) if stop > start]
    chosen: Floats = row[f"{part}stats"][top]
    return chosen


def mean(members: list[list[Row]]) -> list[Row]:
    """Means of scores, divided by their spread on dev."""
    found = []
    for rows in zip(*members, strict=True):
        scaled = {
            f"{part}scores": np.mean([row[f"{part}scores"] / spread(row) for row in rows], axis=0)
            for part in ("dev", "test")
        }
        found.append(rows[0] | scaled)
    return found


def by_expected_f(rows: list[Row], parts: list[Any]) -> list[Row]:
    """The F that every tree can expect; how sharp the probabilities are is chosen on dev."""
    found = []
    for row, (_, *lists) in zip(rows, parts, strict=True):
        expected = {}
        for part, data in zip(("dev", "test"), lists, strict=True):
            scores = row[f"{part}scores"]
            top = np.full(len(data), -np.inf)
            np.maximum.at(top, data.group_of, scores)
            expected[part] = expected_f_of(data, np.exp(np.outer(scores - top[data.group_of], SHARPNESS)))
        tried = [f_of(picked(row | {"devscores": values}, "dev")) for values in expected["dev"].T]
        sharpest = int(np.argmax(tried))
        print(f"sharpness {SHARPNESS[sharpest]:g}", file=sys.stderr)
        found.append(row | {f"{part}scores": values[:, sharpest] for part, values in expected.items()})
    return found


def spread(row: Row) -> float:
    """Spread of the scores within the lists of dev."""
    data = runoff.NBest.from_arrays(offsets=row["devoffsets"], quality=row["devscores"])
    return spread_within(data, row["devscores"])


def f_of(rows: Floats) -> float:
    """Corpus F."""
    return float(METRIC.score(rows.sum(axis=0)))


def summary(label: str, parts: list[Row], reference: list[Row]) -> Row:
    """F on dev and test, and the difference from the reference."""
    dev, test, before = (
        np.concatenate([picked(row, part) for row in rows])
        for rows, part in ((parts, "dev"), (parts, "test"), (reference, "test"))
    )
    gain = paired_bootstrap(test, before, METRIC.score)
    exact = float(get("parseval[part=exact]").score(test.sum(axis=0)))
    sure = interval(test, METRIC.score)
    return {
        "learner": label,
        "dev": f_of(dev),
        "test": f_of(test),
        "interval": [sure.low, sure.high],
        "exact": exact,
        "gain": [gain.delta, gain.low, gain.high],
        "p": randomisation(test, before, METRIC.score),
    }


def table(name: str, rows: list[Row]) -> None:
    """Print the table of learners."""
    lines = [
        [
            row["learner"],
            f"{row['dev']:.2f}",
            f"{row['test']:.2f}",
            "{:.2f} to {:.2f}".format(*row["interval"]),
            f"{row['exact']:.2f}",
            "{:+.2f} ({:+.2f} to {:+.2f})".format(*row["gain"]),
            f"{row['p']:.4f}",
        ]
        for row in rows
    ]
    print(f"\n{name}\n" + text_table(["learner", "dev F", "test F", "interval", "exact", "to the first", "p"], lines))


if __name__ == "__main__":
    main()
