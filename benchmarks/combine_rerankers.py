"""Trees assembled under several rerankers of two parsers' merged lists, beside the best of these rerankers alone.

Lists are those of parse_union.py: the best K of the given parser and of our own, jackknifed alike, merged, with the
columns that merging gives and the features of all families. Rerankers learn from train; of train itself, scores are
those of models of two of three folds by documents, whose mean scores of dev and test serve as further rerankers (the
names with "folds"). Assembled trees are the sets of constituents with the highest expected F under the probabilities
of a reranker, of several (their mean), or of a filter that has them all for evidence. Powers of probabilities, which
rerankers, and prices are chosen on dev; with lists in folds, on dev scores of the lists outside the fold.
Usage: python benchmarks/combine_rerankers.py [--work FOLDER] [K] [only:word in the name of the data …] [filter]
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

import runoff
from combine_parses import METRIC, TASK, Proof, Seen
from first_round import K as DEPTH
from first_round import bundles, make
from parse_union import GIVEN, OURS, best
from parsing import SEEN
from parsing import _parts as parts_of_data
from runoff.combine import add_system, train_combiner
from runoff.combine.combiner import reader_of
from runoff.combine.resolution import resolve
from runoff.combine.systems import Systems, system_names
from runoff.nbest import Features
from runoff.tables import text_table
from runoff.tasks.parsing import ParseFeaturizer
from shared import data_folder, finish, skip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Floats
    from runoff.learners import Learner
    from runoff.nbest import NBest

Row = dict[str, Any]
FIRST = "crf"  # the row that others are compared with
# The field's settings are those that dev of the Web Treebank chose in earlier tables; epochs are chosen on dev.
RERANKERS: dict[str, Learner] = {
    FIRST: runoff.CRF(objective="la", loss_weight=3.0, l2=1.6e-2, max_iter=80, metric=METRIC, calibration="none"),
    "orum": runoff.Perceptron(order="orum", tau=0.0, max_epochs=20, patience=5, metric=METRIC, calibration="none"),
}
FOLDS = 3
POWERS = (0.2, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0)
FOUND = (0.8, 0.85, 0.9, 0.95, 1.0)  # prices that are tried


def main() -> None:
    """Measure what was asked for."""
    words = sys.argv[1:]
    if words[:1] == ["one"]:
        one(words[1], Path(words[2]), [Path(word) for word in words[3:]])
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
        depth = next((int(word) for word in words if word.isdecimal()), 25)
        found: Row = {}
        for name, files in bundles(lists).items():
            if not only or any(word in name for word in only):
                paths = unions(f"{name}.{depth}", files, depth, work)
                found[name] = measure(paths, "filter" in words)
                table(f"{name}, {depth} + {depth}", found[name])
        finish(found)


# -------------------------------------------------------------------- lists and rerankers


def unions(name: str, files: dict[str, Path], k: int, work: Path) -> list[Path]:
    """Merged lists with features, written once: train, dev and test, or all lists of a file with folds."""
    paths = {part: work / f"{name}.{part}.plain.arrow" for part in ("train", "dev", "test", "all") if part in files}
    ours = {part: work / f"{name.partition('.')[0]}.{part}.runoff{DEPTH}.jsonl.gz" for part in files}
    make(files, ours)
    featurizer = ParseFeaturizer(min_lists=SEEN, cache=work / "chunks", processes=2, verbose=True)
    if all(path.exists() for path in paths.values()):
        return list(paths.values())
    for at, (part, path) in enumerate(paths.items()):
        lists = {GIVEN: best(runoff.read(files[part]), k), OURS: best(runoff.read(ours[part]), k)}
        both = runoff.merge(lists)
        made = featurizer.transform(both) if at else featurizer.fit_transform(both, METRIC)
        made.save(path)
        if part == "all":
            folds = [int(fold) for fold in made.attributes["fold"].to_pylist()]
            path.with_suffix(".folds.json").write_text(json.dumps(folds))
    return list(paths.values())


def reranked(paths: list[Path]) -> dict[str, dict[str, Floats]]:
    """Scores of dev, test and train by every reranker, each learned in a process of its own."""
    found: dict[str, dict[str, Floats]] = {}
    for name in RERANKERS:
        out = paths[0].with_suffix(f".{name}.npz")
        if not out.exists():
            subprocess.run([sys.executable, __file__, "one", name, str(out), *map(str, paths)], check=True)
        with np.load(out) as kept:
            found[name] = {part: kept[part] for part in kept}
    return found


def one(name: str, out: Path, paths: list[Path]) -> None:
    """Learn, and keep the scores of all lists."""
    started, learner = time.process_time(), RERANKERS[name]
    if len(paths) == 1:
        data = runoff.read(paths[0])
        fold_of = np.repeat(folds_of(paths[0]), data.sizes)
        folds = np.unique(fold_of)
        found = {part: np.zeros(data.n_candidates) for part in ("dev", "test")}
        for at, (train, dev, test) in enumerate(parts_of_data(paths)):
            model = learner.clone().fit(train, dev).model
            found["dev"][fold_of == folds[(at + 1) % folds.size]] = model.scores(dev)
            found["test"][fold_of == folds[at]] = model.scores(test)
    else:
        train, dev, test = (runoff.read(path) for path in paths)
        model = learner.clone().fit(train, dev).model
        found = {"dev": model.scores(dev), "test": model.scores(test)}
        if "epochs" in model.provenance:
            learner = learner.clone().set_params(epochs=model.provenance["epochs"])
        fold_of = runoff.blocks(train, "doc").folds_up_to(FOLDS, 0)
        own = np.zeros(train.n_candidates)
        for fold in range(FOLDS):
            model = learner.clone().fit(train[fold_of != fold]).model
            own[np.repeat(fold_of == fold, train.sizes)] = model.scores(train[fold_of == fold])
            for part, data in (("dev", dev), ("test", test)):
                found[f"{part} folds"] = found.get(f"{part} folds", 0.0) + model.scores(data) / FOLDS
        found["train"] = own
    print(f"{name}: {time.process_time() - started:.0f} CPU s", file=sys.stderr, flush=True)
    np.savez_compressed(out, **found)


def folds_of(path: Path) -> Any:
    """Folds of the lists."""
    return np.array(json.loads(path.with_suffix(".folds.json").read_text()))


# -------------------------------------------------------------------- assembly


class Lists:
    """Lists with their constituents, which of them are right, and what rerankers say."""

    def __init__(self, data: NBest, scores: dict[str, Floats]) -> None:
        from runoff.combine.pool import pools

        names = [
            name for name in data.features.column_names().to_pylist() if name.startswith((f"{GIVEN}:", f"{OURS}:"))
        ]
        known = data.features.column_names().to_pylist()
        columns = data.features.to_scipy()[:, [known.index(name) for name in names]]
        self.plain = data.replace(features=Features.of(columns.toarray(), names), quality=None, stats={})
        self.scores = scores
        self.data = add_system(
            self.plain, "mean", sum(scores[name] / spread(self.plain, scores[name]) for name in scores)
        )
        self.pools = list(pools(self.data, reader_of(TASK), Systems.of(self.data)))
        reader, gold = reader_of(TASK), data.references.to_pylist()  # type: ignore[union-attr]
        self.seen = [
            Seen.of(pool, reader, own) if pool.texts and own else None
            for pool, own in zip(self.pools, gold, strict=True)
        ]
        self.members = []
        for pool in self.pools:
            has = np.zeros((len(pool.texts), len(pool.parts)))
            for at, own in enumerate(pool.members):
                has[at, list(own)] = 1.0
            self.members.append(has)

    def masses(self, powers: dict[str, float]) -> list[Floats]:
        """How probable every constituent is by the mean of some rerankers' probabilities, to these powers."""
        offsets, found = self.data.offsets, []
        for at, has in enumerate(self.members):
            own = slice(offsets[at], offsets[at + 1])
            shares = np.zeros(len(has))
            for name, power in powers.items():
                weights = np.exp(power * (self.scores[name][own] - self.scores[name][own].max(initial=-np.inf)))
                shares += weights / weights.sum() / len(powers) if len(has) else 0.0
            found.append(shares @ has)
        return found

    def f(self, masses: Sequence[Floats], price: float, kept: Any = None) -> float:
        """F of what is assembled, of the lists that are kept."""
        hits = count = wanted = 0
        reader = reader_of(TASK)
        for at, (own, mass) in enumerate(zip(self.seen, masses, strict=True)):
            if own is None or (kept is not None and not kept[at]):
                continue
            chosen = resolve(reader, own.pool.parts, mass.tolist(), price)
            count += len(chosen)
            wanted += own.wanted
            hits += int(own.right[chosen].sum()) if chosen else 0
        return 200 * hits / (count + wanted)

    def texts(self, masses: Sequence[Floats], price: float) -> list[str | None]:
        """Assembled trees."""
        reader = reader_of(TASK)
        found: list[str | None] = []
        for pool, mass in zip(self.pools, masses, strict=True):
            kept = resolve(reader, pool.parts, mass.tolist(), price)
            found.append(reader.join([pool.parts[at] for at in kept], pool.best_first) if pool.texts else None)
        return found

    def first(self, scores: Floats) -> list[str | None]:
        """The trees with the highest scores."""
        texts = self.data.texts.to_pylist()  # type: ignore[union-attr]
        return [
            texts[start + int(np.argmax(scores[start:stop]))] if stop > start else None
            for start, stop in itertools.pairwise(self.data.offsets)
        ]


def spread(data: NBest, scores: Floats) -> float:
    """Spread of scores within lists."""
    from runoff.learners.feature_scaling import spread_within

    return float(spread_within(data.replace(quality=scores), scores))


def measure(paths: list[Path], with_filter: bool) -> list[Row]:
    """All rows of some lists."""
    found = reranked(paths)
    parts = ("dev", "test")
    lists = {}
    for part, path in zip(parts, paths[1:] or paths * 2, strict=True):
        own = {name: scores[part] for name, scores in found.items()}
        own |= {f"{name} folds": scores[f"{part} folds"] for name, scores in found.items() if f"{part} folds" in scores}
        lists[part] = Lists(runoff.read(path), own)
    dev, test = lists["dev"], lists["test"]
    proof = Proof(test.plain)
    for name in system_names(dev.plain):
        scores = [column(each.plain, f"{name}:score") + column(each.plain, f"{name}:found") for each in (dev, test)]
        proof.add(f"first round, {name}", test.first(scores[1]), dev.plain, dev.first(scores[0]))
    for name in dev.scores:
        what = "reranking alone" if name == FIRST else f"reranking alone, {name}"
        proof.add(what, test.first(test.scores[name]), dev.plain, dev.first(dev.scores[name]))
    fold_of = folds_of(paths[0]) if len(paths) == 1 else np.zeros(len(test.plain), np.int64)
    for names in [(name,) for name in dev.scores] + [tuple(RERANKERS), tuple(dev.scores)]:
        if len(names) == 1 or names != tuple(RERANKERS) or len(dev.scores) > len(RERANKERS):
            proof.add(f"expected F, {' and '.join(names)}", *assembled(dev, test, names, fold_of, len(paths) == 1))
    if with_filter and len(paths) == 3:
        filtered(proof, paths, found, lists)
    return proof.rows


def assembled(
    dev: Lists, test: Lists, names: Sequence[str], fold_of: Any, in_folds: bool
) -> tuple[list[str | None], NBest, list[str | None], Row]:
    """Trees of test and dev, powers and price chosen on dev; of the lists of every fold, without this fold."""
    texts: dict[str, list[str | None]] = {"dev": [None] * len(dev.plain), "test": [None] * len(test.plain)}
    chosen = []
    for fold in np.unique(fold_of):
        kept = fold_of != fold if in_folds else None
        powers = {}
        for name in names:
            tried = {power: dev.f(dev.masses({name: power}), 0.95, kept) for power in POWERS}
            powers[name] = max(tried, key=tried.__getitem__)
        masses = dev.masses(powers)
        prices = {price: dev.f(masses, price, kept) for price in FOUND}
        price = max(prices, key=prices.__getitem__)
        chosen.append({"powers": powers, "price": price})
        for part, own, mass in (("dev", dev, masses), ("test", test, test.masses(powers))):
            for at in np.flatnonzero(fold_of == fold) if in_folds else range(len(own.plain)):
                pool = own.pools[at]
                if pool.texts:
                    reader = reader_of(TASK)
                    parts = resolve(reader, pool.parts, mass[at].tolist(), price)
                    texts[part][at] = reader.join([pool.parts[each] for each in parts], pool.best_first)
    return texts["test"], dev.plain, texts["dev"], {"chosen": chosen}


def column(data: NBest, name: str) -> Floats:
    """Values of a column."""
    at = data.features.column_names().to_pylist().index(name)
    values: Floats = data.features.to_scipy()[:, [at]].toarray().ravel().astype(np.float64)
    return values


def filtered(proof: Proof, paths: list[Path], found: dict[str, dict[str, Floats]], lists: dict[str, Lists]) -> None:
    """Rows of filters that have the rerankers and both first rounds for evidence."""
    train = Lists.__new__(Lists)
    del train
    powers = {name: best_power(lists["dev"], name) for name in found}
    raw = without_features(runoff.read(paths[0]))
    for name, scores in found.items():
        raw = add_system(raw, name, scores["train"] * powers[name])
    for kind in ("", " folds"):
        data = {}
        for part in ("dev", "test"):
            data[part] = lists[part].plain
            for name in found:
                own = lists[part].scores[name]
                if kind:
                    own = (own + lists[part].scores[f"{name}{kind}"]) / 2
                data[part] = add_system(data[part], name, own * powers[name])
        started = time.process_time()
        learner = runoff.LogLinear(sigma=1.0, calibration="none")
        combiner = train_combiner(raw, data["dev"], task=TASK, learner=learner, metric="parseval")
        texts = {part: combiner.texts(own) for part, own in data.items()}
        more = {
            "price": combiner.price,
            "CPU s": round(time.process_time() - started),
            "parts": combiner.provenance["parts"],
        }
        proof.add(
            f"log-linear filter{', mean with' if kind else ''}{kind}", texts["test"], data["dev"], texts["dev"], more
        )


def best_power(dev: Lists, name: str) -> float:
    """The power of a reranker's probabilities that is best on dev."""
    tried = {power: dev.f(dev.masses({name: power}), 0.95) for power in POWERS}
    return max(tried, key=tried.__getitem__)


def without_features(data: NBest) -> NBest:
    """The lists with the columns of systems alone."""
    known = data.features.column_names().to_pylist()
    at = [place for place, name in enumerate(known) if name.startswith((f"{GIVEN}:", f"{OURS}:"))]
    columns = data.features.to_scipy()[:, at].toarray()
    return data.replace(features=Features.of(columns, [known[place] for place in at]), quality=None, stats={})


def table(name: str, rows: list[Row]) -> None:
    """Print the table."""
    lines = []
    for row in rows:
        gain = "{:+.2f} ({:+.2f} to {:+.2f})".format(*row["gain"]) if "gain" in row else ""
        sure = "{:.2f} to {:.2f}".format(*row["interval"])
        p = f"{row['p']:.4f}" if "p" in row else ""
        lines.append([row["what"], f"{row['dev']:.2f}", f"{row['test']:.2f}", sure, gain, p])
    print(f"\n{name}\n" + text_table(["", "dev F", "test F", "95%", "to reranking", "p"], lines))


if __name__ == "__main__":
    main()
