"""Trees assembled under rerankers of two parsers' merged lists, beside these rerankers alone and those of one parser.

Lists are those of parse_union.py: the best K of the given parser and of our own, jackknifed alike, merged, with the
columns that merging gives and the features of all families ("plain"). Assembled trees are the sets of constituents
with the highest expected F under the probabilities of one reranker, or under the mean of several. Powers of
probabilities and prices are chosen on dev; where lists have folds, for the lists of every fold on the dev scores of
the other folds' lists. A reranker's rotations are kept as they end, so that the same command resumes. Differences are
to the first reranker alone, on lists of the depth `beside` where that is given.
Usage: python benchmarks/combine_rerankers.py [--work FOLDER] [K] [only:word in the name of the data …]
       [with:reranker …] [beside:K]
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
from combine_parses import METRIC, TASK, Proof, Seen, table
from first_round import K as DEPTH
from first_round import bundles, make
from parse_union import GIVEN, LEARNERS, OURS, best, column
from parsing import SEEN
from parsing import _parts as parts_of_data
from runoff.combine import add_system
from runoff.combine.combiner import reader_of
from runoff.combine.pool import pools
from runoff.combine.reranker_training import best_sharpness
from runoff.combine.rerankers import systems_alone
from runoff.combine.resolution import resolve
from runoff.combine.systems import Systems
from runoff.tasks.parsing import ParseFeaturizer
from shared import data_folder, finish, skip

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from runoff.arrays import Floats, Ints
    from runoff.learners import Learner
    from runoff.nbest import NBest

Row = dict[str, Any]
REFERENCE = "reranking alone"  # the row that others are compared with
# The first field's settings are those that dev of the Web Treebank chose in earlier tables; the rest is chosen on dev.
RERANKERS: dict[str, Learner] = {
    "crf": runoff.CRF(objective="la", loss_weight=3.0, l2=1.6e-2, max_iter=80, metric=METRIC, calibration="none"),
    "el": runoff.CRF(objective="el", l2=[4e-3, 1.6e-2], max_iter=80, metric=METRIC, calibration="none"),
    "la": LEARNERS["CRF la"].clone().set_params(calibration="none"),
    "orum": runoff.Perceptron(order="orum", tau=0.0, max_epochs=20, patience=5, metric=METRIC, calibration="none"),
}
POWERS = (0.35, 0.5, 0.7, 1.0, 1.4)
PRICES = (0.85, 0.9, 0.95, 1.0)
PRICE = 0.95  # while powers are chosen


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
        names = [word.removeprefix("with:") for word in words if word.startswith("with:")] or list(RERANKERS)
        depth = next((int(word) for word in words if word.isdecimal()), 25)
        found: Row = {}
        for name, files in bundles(lists).items():
            if not only or any(word in name for word in only):
                paths = unions(f"{name}.{depth}", files, depth, work)
                other = next((int(word.removeprefix("beside:")) for word in words if word.startswith("beside:")), 0)
                beside = unions(f"{name}.{other}", files, other, work) if other else paths
                print(f"\n{name}, {depth} + {depth}", flush=True)
                found[name] = measure(paths, names, beside)
                table(found[name])
        finish(found)


# -------------------------------------------------------------------- lists and rerankers


def unions(name: str, files: dict[str, Path], k: int, work: Path) -> list[Path]:
    """Merged lists with features, written once: train, dev and test, or all lists of a file with folds."""
    paths = {part: work / f"{name}.{part}.plain.arrow" for part in ("train", "dev", "test", "all") if part in files}
    if all(path.exists() for path in paths.values()):
        return list(paths.values())
    ours = {part: work / f"{name.partition('.')[0]}.{part}.runoff{DEPTH}.jsonl.gz" for part in files}
    make(files, ours)
    featurizer = ParseFeaturizer(min_lists=SEEN, cache=work / "chunks", processes=2, verbose=True)
    for at, (part, path) in enumerate(paths.items()):
        both = runoff.merge({GIVEN: best(runoff.read(files[part]), k), OURS: best(runoff.read(ours[part]), k)})
        made = featurizer.transform(both) if at else featurizer.fit_transform(both, METRIC)
        made.save(path)
        if part == "all":
            path.with_suffix(".folds.json").write_text(
                json.dumps([int(fold) for fold in made.attributes["fold"].to_pylist()])
            )
    return list(paths.values())


def reranked(paths: list[Path], names: Sequence[str]) -> dict[str, dict[str, Floats]]:
    """Scores of dev and test by every reranker, each learned in a process of its own."""
    found = {}
    for name in names:
        out = paths[0].with_suffix(f".{name}.npz")
        if not out.exists():
            subprocess.run([sys.executable, __file__, "one", name, str(out), *map(str, paths)], check=True)
        with np.load(out) as kept:
            found[name] = {part: kept[part] for part in kept}
    return found


def one(name: str, out: Path, paths: list[Path]) -> None:
    """Learn, and keep the scores of all lists of dev and test, which are the same lists where they have folds."""
    rows: dict[str, list[Ints]] = {"dev": [], "test": []}
    if len(paths) == 1:
        data = runoff.read(paths[0])
        fold_of = np.repeat(folds_of(paths[0]), data.sizes)
        folds = np.unique(fold_of).tolist()
        rows["test"] = [np.flatnonzero(fold_of == fold) for fold in folds]
        rows["dev"] = [*rows["test"][1:], rows["test"][0]]
        del data
    scores: dict[str, list[Floats]] = {"dev": [], "test": []}
    for at, lists in enumerate(parts_of_data(paths)):
        kept = out.with_suffix(f".{at}.npz")
        if not kept.exists():
            started = time.process_time()
            model = RERANKERS[name].clone().fit(*lists[:2]).model
            told = {key: model.provenance.get(key) for key in ("epochs", "setting")}
            print(f"{name} {at}: {told}, {time.process_time() - started:.0f} CPU s", file=sys.stderr, flush=True)
            np.savez_compressed(kept, dev=model.scores(lists[1]), test=model.scores(lists[2]))
        with np.load(kept) as found:
            for part, own in scores.items():
                own.append(found[part])
    whole: dict[str, Any] = {part: np.concatenate(own) for part, own in scores.items()}
    for part, places in rows.items():
        if places:
            ordered = np.empty(whole[part].size)
            ordered[np.concatenate(places)] = whole[part]
            whole[part] = ordered
    np.savez_compressed(out, **whole)


def folds_of(path: Path) -> Any:
    """Folds of the lists."""
    return np.array(json.loads(path.with_suffix(".folds.json").read_text()))


# -------------------------------------------------------------------- assembly


class Lists:
    """Lists with their constituents, which of these are right, and the scores of rerankers."""

    def __init__(self, data: NBest, scores: dict[str, Floats], first: str) -> None:
        self.data, self.scores, reader = systems_alone(data), scores, reader_of(TASK)
        leading = add_system(self.data, first, scores[first])  # whose choices lend assembled trees their tags
        self.pools = list(pools(leading, reader, Systems.of(leading)))
        self.members = []
        for pool in self.pools:
            has = np.zeros((len(pool.texts), len(pool.parts)))
            for at, own in enumerate(pool.members):
                has[at, list(own)] = 1.0
            self.members.append(has)

    def masses(self, powers: dict[str, float]) -> Iterator[list[float]]:
        """How probable every constituent is by the mean of some rerankers' probabilities, to these powers."""
        for has, (start, stop) in zip(self.members, itertools.pairwise(self.data.offsets), strict=True):
            shares = np.zeros(len(has))
            for name, power in powers.items() if stop > start else ():
                own = self.scores[name][start:stop]
                weights = np.exp(power * (own - own.max()))
                shares += weights / weights.sum() / len(powers)
            yield (shares @ has).tolist()

    def choices(self, powers: dict[str, float], price: float) -> list[list[int]]:
        """The constituents that are kept of every list."""
        reader = reader_of(TASK)
        return [
            resolve(reader, pool.parts, mass, price) for pool, mass in zip(self.pools, self.masses(powers), strict=True)
        ]

    def texts(self, choices: list[list[int]]) -> list[str | None]:
        """Assembled trees."""
        reader = reader_of(TASK)
        return [
            reader.join([pool.parts[at] for at in kept], pool.best_first) if pool.texts else None
            for pool, kept in zip(self.pools, choices, strict=True)
        ]

    def first(self, scores: Floats) -> list[str | None]:
        """The trees with the highest scores."""
        texts = self.data.texts.to_pylist()  # type: ignore[union-attr]
        cuts = itertools.pairwise(self.data.offsets.tolist())
        return [texts[start + int(np.argmax(scores[start:stop]))] if stop > start else None for start, stop in cuts]


class Judge:
    """Counts of right, kept and wanted constituents of dev lists, for F over any of them."""

    def __init__(self, lists: Lists) -> None:
        reader, gold = reader_of(TASK), lists.data.references.to_pylist()  # type: ignore[union-attr]
        pairs = zip(lists.pools, gold, strict=True)
        self._seen = [Seen.of(pool, reader, own) if pool.texts and own else None for pool, own in pairs]

    def counts(self, choices: list[list[int]]) -> Floats:
        """Right ones twice, and kept and wanted ones, of every list."""
        rows = np.zeros((len(choices), 2))
        for at, (own, kept) in enumerate(zip(self._seen, choices, strict=True)):
            if own is not None:
                rows[at] = 2 * own.right[kept].sum() if kept else 0, len(kept) + own.wanted
        return rows


def scored_lists(paths: list[Path], names: Sequence[str]) -> tuple[Lists, Lists]:
    """Lists of dev and test with scores whose exponentials are probabilities."""
    found, lists = reranked(paths, names), {}
    for part, path in zip(("dev", "test"), paths[1:] or paths * 2, strict=True):
        data = runoff.read(path)
        if part == "dev":
            units = {name: best_sharpness(data, scores["dev"]) for name, scores in found.items()}
        lists[part] = Lists(data, {name: units[name] * scores[part] for name, scores in found.items()}, names[0])
    return lists["dev"], lists["test"]


def measure(paths: list[Path], names: Sequence[str], beside: list[Path]) -> list[Row]:
    """All rows of some lists; differences are to the first reranker on the lists of `beside`."""
    in_folds, (dev, test) = len(paths) == 1, scored_lists(paths, names)
    fold_of = folds_of(paths[0]) if in_folds else np.zeros(len(test.data), np.int64)
    proof = Proof(test.data)
    if beside != paths:
        pair = scored_lists(beside, names[:1])
        alone = [lists.first(lists.scores[names[0]]) for lists in pair]
        proof.add(REFERENCE, alone[1], pair[0].data, alone[0])
    for name in (GIVEN, OURS):
        first = [column(each.data, f"{name}:score") + column(each.data, f"{name}:found") for each in (dev, test)]
        proof.add(f"first round, {name}", test.first(first[1]), dev.data, dev.first(first[0]))
    for at, name in enumerate(names):
        what = REFERENCE if at == 0 and beside == paths else f"{REFERENCE}, {name}"
        proof.add(what, test.first(test.scores[name]), dev.data, dev.first(dev.scores[name]))
    judge = Judge(dev)
    powers = {name: powers_of(dev, judge, name, fold_of, in_folds) for name in names}
    for own in [(name,) for name in names] + ([tuple(names)] if len(names) > 1 else []):
        texts = assembled(dev, test, judge, {name: powers[name] for name in own}, fold_of, in_folds)
        proof.add(f"expected F by {' and '.join(own)}", texts[1], dev.data, texts[0], texts[2])
    return proof.rows


def powers_of(dev: Lists, judge: Judge, name: str, fold_of: Any, in_folds: bool) -> dict[int, float]:
    """The best power of a reranker's probabilities, for the lists of every fold by those of the others."""
    tried = {power: judge.counts(dev.choices({name: power}, PRICE)) for power in POWERS}
    return {fold: best_of(tried, fold_of, fold, in_folds) for fold in np.unique(fold_of).tolist()}


def best_of(tried: dict[float, Floats], fold_of: Any, fold: int, in_folds: bool) -> float:
    """The key with the highest F."""
    sums = {key: rows[fold_of != fold if in_folds else slice(None)].sum(axis=0) for key, rows in tried.items()}
    return max(sums, key=lambda key: sums[key][0] / sums[key][1])


def assembled(
    dev: Lists, test: Lists, judge: Judge, powers: dict[str, dict[int, float]], fold_of: Any, in_folds: bool
) -> tuple[list[str | None], list[str | None], Row]:
    """Trees of dev and test, and the prices that were chosen."""
    folds = np.unique(fold_of).tolist()
    found: list[list[str | None]] = [[None] * len(dev.data), [None] * len(test.data)]
    told = []
    for setting in {tuple(powers[name][fold] for name in powers) for fold in folds}:
        own = dict(zip(powers, setting, strict=True))
        with_it = [fold for fold in folds if tuple(powers[name][fold] for name in powers) == setting]
        choices = {price: dev.choices(own, price) for price in PRICES}
        tried = {price: judge.counts(kept) for price, kept in choices.items()}
        prices = {fold: best_of(tried, fold_of, fold, in_folds) for fold in with_it}
        told.append({"powers": own, "prices": prices})
        for price in set(prices.values()):
            folds_here = [fold for fold in with_it if prices[fold] == price]
            for texts, made in (
                (found[0], dev.texts(choices[price])),
                (found[1], test.texts(test.choices(own, price))),
            ):
                here = np.isin(fold_of, folds_here) if in_folds else np.ones(len(made), bool)
                for at in np.flatnonzero(here).tolist():
                    texts[at] = made[at]
    return found[0], found[1], {"chosen": told}


if __name__ == "__main__":
    main()
