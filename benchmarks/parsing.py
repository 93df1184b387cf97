"""Reranking of parses: every learner on lists with a split of their own and on lists with folds.

Parts: "extraction" (speed, memory, numbers of features), "splits" and "folds" (tables of learners: PARSEVAL, intervals,
p-values, seconds, memory), "curve" (how much training data matters), "ablation" (which families carry the gain, on
dev), "tags" (what it costs to learn right tags too). Lists are found in the data folder: NAME.train/dev/test.*.jsonl*,
and files whose lists have a fold.
Usage: python benchmarks/parsing.py [--work FOLDER] [part …] [only:word in a learner's name …]
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import runoff
from parsing_tables import ablation_table, curve_table, learner_table, share, tag_table
from runoff.features import facts
from runoff.metrics import get, paired_bootstrap
from runoff.nbest import Features
from runoff.tasks.parsing.features.consensus import FAMILY as CONSENSUS
from runoff.tasks.parsing.features.extract import extract
from runoff.tasks.parsing.features.families import ALL, CLOSED, COLLINS, SETS
from runoff.tasks.parsing.lists import read_lists
from shared import data_folder, finish, skip

if TYPE_CHECKING:
    from runoff.learners import Learner
    from runoff.nbest import NBest

Row = dict[str, Any]
PARTS = ("extraction", "splits", "folds", "curve", "ablation", "tags")
SEEN = 5
SIGMAS = [0.1, 0.2, 0.4]
L2S = [1e-3, 4e-3, 1.6e-2]
# What features a learner gets, and how it is made; all choose what is left open on dev.
LEARNERS: dict[str, tuple[str, Learner]] = {
    "LogLinear": ("counts", runoff.LogLinear(sigma=SIGMAS, max_iter=80)),
    "LogLinear, tied": ("counts", runoff.LogLinear(sigma=SIGMAS, right="tied", max_iter=80)),
    "Perceptron best-vs-rest": ("counts", runoff.Perceptron(order="best-vs-rest", max_epochs=20, patience=5)),
    "Perceptron ORUM": ("counts", runoff.Perceptron(order="orum", max_epochs=20, patience=5)),
    "Boost exp": ("presence", runoff.Boost()),
    "Boost log": ("presence", runoff.Boost(loss="log")),
    "CRF la": ("counts", runoff.CRF(objective="la", loss_weight=[1.0, 3.0], l2=L2S[1:], max_iter=80)),
    "CRF kl": ("counts", runoff.CRF(objective="kl", temperature=[0.03, 0.1], l2=L2S[1:], max_iter=80)),
    "CRF el": ("counts", runoff.CRF(objective="el", l2=L2S, max_iter=80)),
}
# Of the curve and the ablation: the best of the table with what it chose on dev, so that nothing is chosen again.
YARDSTICK = runoff.Perceptron(order="orum", tau=0.0, epochs=9)
TAGS = (0.0, 1e-9, 0.05, 0.2, 0.5)  # what a right tag adds to the quality, in right constituents
SEEDS = (0, 1)  # of the order in which lists are visited
KINDS = {"counts": False, "presence": True}  # whether only the presence of a feature counts, as boosting wants it


def main() -> None:
    """Measure the parts that were asked for."""
    words = sys.argv[1:]
    if words[:1] == ["one"]:
        finish(one(words[1], [Path(word) for word in words[2:]]))
        return
    folder = data_folder()
    lists = None if folder is None else sorted((folder / "parses").glob("*.jsonl*"))
    if not lists:
        skip("no lists of parses; set RUNOFF_DATA")
        return
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(words[words.index("--work") + 1]) if "--work" in words else Path(temporary)
        only = [word.removeprefix("only:") for word in words if word.startswith("only:")]
        learners = [name for name in LEARNERS if not only or any(word in name for word in only)]
        asked = [part for part in PARTS if part in words] or list(PARTS)
        finish(measure(lists, work, learners, asked))


def measure(lists: list[Path], work: Path, learners: list[str], parts: list[str]) -> Row:
    """All parts on all lists."""
    work.mkdir(parents=True, exist_ok=True)
    splits = {
        path.name.split(".")[0]: {
            part: next(p for p in lists if p.name.startswith(path.name.replace("train", part)))
            for part in ("train", "dev", "test")
        }
        for path in lists
        if ".train." in path.name
    }
    whole = {
        path.name.split(".")[0]: path for path in lists if not any(path in each.values() for each in splits.values())
    }
    found: Row = {}
    if "extraction" in parts:
        for name, files in splits.items():
            data, train = split_data(name, files, "counts", work)[0], files["train"]
            found[f"extraction {name}"] = extraction(train, data) | {"GB": peak_gigabytes(train, work)}
        for name, path in whole.items():
            data = fold_data(name, path, "counts", work)
            found[f"extraction {name}"] = extraction(path, data) | {"GB": peak_gigabytes(path, work)}
        print(json.dumps({key: found[key] for key in found if key.startswith("extraction")}, indent=1))
    for name, files in splits.items():
        if "splits" in parts:
            found[name] = [
                learned(learner, split_data(name, files, LEARNERS[learner][0], work)) for learner in learners
            ]
            learner_table(name, found[name])
        if "curve" in parts:
            found[f"curve {name}"] = curve(split_data(name, files, "counts", work))
            curve_table(name, found[f"curve {name}"])
        if "ablation" in parts:
            found[f"ablation {name}"] = ablation(split_data(name, files, "counts", work))
            ablation_table(name, found[f"ablation {name}"])
        if "tags" in parts:
            found[f"tags {name}"] = tags(split_data(name, files, "counts", work))
            tag_table(name, found[f"tags {name}"])
    for name, path in whole.items():
        if "folds" in parts:
            found[name] = [
                learned(learner, [fold_data(name, path, LEARNERS[learner][0], work)]) for learner in learners
            ]
            learner_table(name, found[name])
    return found


def extraction(path: Path, data: Path) -> Row:
    """Candidates per CPU second of one process, and how many features each family has at the cut-off."""
    some = [each for at, each in enumerate(read_lists(path)) if at % 16 == 0]
    candidates = sum(len(each.trees) for each in some)
    row: Row = {"candidates tried": candidates}
    extract(some[:2], processes=1)  # compiles
    for families in ("collins", "all"):
        started = time.process_time()
        extract(some, families=SETS[families], processes=1)
        row[f"{families}, candidates per CPU second"] = round(candidates / (time.process_time() - started))
    names = runoff.read(data).features.column_names().to_pylist()
    counts = Counter(name.partition(":")[0] for name in names)
    return row | {"features": len(names), "by family": dict(counts.most_common())}


def peak_gigabytes(path: Path, work: Path) -> float:
    """Peak memory of `runoff features` on all lists, mapped files included."""
    command = [sys.executable, "-m", "runoff", "features", str(path), "-o", str(work / "peak.arrow")]
    process = subprocess.Popen([*command, "--set", "processes=1", "--set", f"cache={work / 'chunks'}"])
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"`runoff features` failed with status {status}.")
    (work / "peak.arrow").unlink()
    return round(usage.ru_maxrss / 1e6, 2)


def split_data(name: str, files: dict[str, Path], kind: str, work: Path) -> list[Path]:
    """Train, dev and test with features of train, extracted once."""
    paths = [work / f"{name}.{kind}.{part}.arrow" for part in files]
    if not all(path.exists() for path in paths):
        train = extracted(files["train"], kind, work)
        train.save(paths[0])
        for part, path in zip(("dev", "test"), paths[1:], strict=True):
            extracted(files[part], kind, work, train.features.column_names()).save(path)
    return paths


def extracted(path: Path, kind: str, work: Path, known: pa.Array | None = None) -> NBest:
    """Features of all families; where only presence counts, without those that are no counts."""
    data = extract(
        read_lists(path), min_lists=SEEN, vocabulary=known, presence=KINDS[kind], cache=work / "chunks", verbose=True
    )
    if not KINDS[kind]:
        return data
    return only_columns(data, ~pc.starts_with(data.features.column_names(), CONSENSUS).to_numpy(zero_copy_only=False))


def fold_data(name: str, path: Path, kind: str, work: Path) -> Path:
    """All lists of a file with folds; rare features are left out fold by fold, by the training lists alone."""
    out = work / f"{name}.{kind}.arrow"
    if not out.exists():
        extracted(path, kind, work).save(out)
        out.with_suffix(".folds.json").write_text(json.dumps([each.fold for each in read_lists(path)]))
    return out


def learned(learner: str, paths: list[Path]) -> Row:
    """What one learner reaches, in a process of its own so that its memory can be told."""
    command = [sys.executable, __file__, "one", learner, *map(str, paths)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    row: Row = json.loads(done.stdout.splitlines()[-1])
    print(
        f"{learner}: F {row['chosen']['parseval']['F']:.2f}, {row['seconds']:.0f} s, {row['GB']:.1f} GB",
        file=sys.stderr,
    )
    return row


def one(name: str, paths: list[Path]) -> Row:
    """Learn and choose; statistics of first round, choice and oracle over all test lists."""
    import copy
    import resource

    learner = LEARNERS[name][1]
    chosen, first, best, tuned, settings, seconds, columns = [], [], [], [], [], 0.0, []
    for train, dev, test in _parts(paths):
        started = time.perf_counter()
        model = copy.deepcopy(learner).fit(train, dev).model
        seconds += time.perf_counter() - started
        tuned.append(statistics(dev, model.scores(dev)))
        chosen.append(statistics(test, model.scores(test)))
        first.append(statistics(test, -np.arange(test.n_candidates, dtype=np.float64)))
        best.append(statistics(test, test.quality))
        settings.append(
            {
                key: value
                for key, value in model.provenance.items()
                if key in ("sigma", "setting", "rounds", "smoothing", "epochs", "tau")
            }
        )
        columns.append(train.features.n_columns)
    rows = {
        key: {kind: np.concatenate([part[kind] for part in parts]) for kind in ("parseval", "evalb")}
        for key, parts in (("first", first), ("chosen", chosen), ("oracle", best), ("dev", tuned))
    }
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return share(name, rows) | {"seconds": seconds, "GB": memory, "features": columns, "settings": settings}


def _parts(paths: list[Path]) -> Any:
    if len(paths) == 3:
        yield tuple(runoff.read(path) for path in paths)
        return
    data = runoff.read(paths[0])
    fold_of = np.array(json.loads(paths[0].with_suffix(".folds.json").read_text()))
    folds = np.unique(fold_of)
    for at, fold in enumerate(folds):
        next_fold = folds[(at + 1) % folds.size]
        train = data[(fold_of != fold) & (fold_of != next_fold)]
        keep = facts(train).groups >= SEEN
        yield tuple(only_columns(part, keep) for part in (train, data[fold_of == next_fold], data[fold_of == fold]))


def only_columns(data: NBest, keep: Any) -> NBest:
    """The same lists with some of the columns."""
    rows = data.features.to_scipy()[:, np.flatnonzero(keep)]
    return data.replace(features=Features.of(rows, data.features.column_names().filter(pa.array(keep))))


def statistics(data: NBest, scores: Any) -> dict[str, Any]:
    """Statistics of the candidates with the highest scores, by both variants of PARSEVAL."""
    top = [
        start + int(np.argmax(scores[start:stop]))
        for start, stop in zip(data.offsets[:-1], data.offsets[1:], strict=True)
        if stop > start
    ]
    return {kind: data.stats[kind][top] for kind in ("parseval", "evalb")}


def curve(paths: list[Path]) -> list[Row]:
    """F on test after learning from ever larger parts of the training lists, the yardstick's settings fixed."""
    train, _, test = (runoff.read(path) for path in paths)
    order = np.random.default_rng(0).permutation(len(train))
    rows = []
    for part in (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0):
        some = train[np.sort(order[: int(part * len(train))])]
        started = time.perf_counter()
        model = YARDSTICK.fit(some).model
        rows.append({"lists": len(some), "F": f_of(test, model), "seconds": time.perf_counter() - started})
        print(rows[-1], file=sys.stderr)
    return rows


def f_of(data: NBest, model: runoff.LinearModel) -> float:
    """Corpus F of a model's choices."""
    return float(get("parseval").score(statistics(data, model.scores(data))["parseval"].sum(axis=0)))


def ablation(paths: list[Path]) -> list[Row]:
    """F on dev without each family, and with Collins's or the later ones alone."""
    train, dev, _ = (runoff.read(path) for path in paths)
    families = np.array([name.partition(":")[0] for name in train.features.column_names().to_pylist()])
    plain = np.char.rstrip(families, "+")
    sets = {"all": families != "", "collins": np.isin(plain, COLLINS), "later": ~np.isin(plain, COLLINS)}
    sets |= {f"without {name}": plain != name for name in ALL if name != CLOSED}
    sets |= {f"without {CLOSED}": plain == families}
    rows = []
    for name, keep in sets.items():
        started = time.perf_counter()
        model = YARDSTICK.fit(only_columns(train, keep)).model
        rows.append(
            {
                "families": name,
                "features": int(keep.sum()),
                "F": f_of(dev, model),
                "seconds": time.perf_counter() - started,
            }
        )
        print(rows[-1], file=sys.stderr)
    return rows


def tags(paths: list[Path]) -> list[Row]:
    """F, tags and exact matches of ORUM, which learns from trees that are better by brackets, or by tags as well."""
    train, dev, test = (runoff.read(path) for path in paths)
    first = {part: statistics(data, data.base)["parseval"] for part, data in (("dev", dev), ("test", test))}
    rows: list[Row] = [{"tags": "first round"} | parts_of(first)]
    plain: dict[int, Any] = {}  # choices that know nothing of tags, by seed
    for seed in SEEDS:
        for worth in TAGS:
            metric = get(f"parseval[tags={worth}]")
            learner = runoff.Perceptron(order="orum", tau=0.0, max_epochs=20, patience=5, metric="parseval", seed=seed)
            model = learner.fit(runoff.grade(train, metric), runoff.grade(dev, metric)).model
            found = {
                part: statistics(data, model.scores(data))["parseval"] for part, data in (("dev", dev), ("test", test))
            }
            plain.setdefault(seed, found["test"])
            gain = paired_bootstrap(found["test"], plain[seed], metric.score)
            to_none = {"to none": [gain.delta, gain.low, gain.high]}
            rows.append({"tags": worth, "seed": seed, "epochs": model.provenance["epochs"]} | parts_of(found) | to_none)
            print(rows[-1], file=sys.stderr)
    return rows


def parts_of(found: dict[str, Any]) -> Row:
    """F, tags and exact matches, by part of the data."""
    return {
        part: {name: float(get(f"parseval[part={name}]").score(table.sum(axis=0))) for name in ("f", "tags", "exact")}
        for part, table in found.items()
    }


if __name__ == "__main__":
    main()
