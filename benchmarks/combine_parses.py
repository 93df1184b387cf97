"""Trees assembled from the constituents of n-best lists, beside reranking of the same lists.

Rows: the first round; votes for constituents (Henderson & Brill 1999), every candidate alike and by its probability;
a reranker's choices, and the trees with the highest expected F by its probabilities; filters that learn which
constituents are right, resolved exactly. The reranker's probabilities of training lists
are those of models of the other folds. Temperatures, prices and settings are chosen on dev.
TRAIN, DEV and TEST are data with features of parses, such as the merged lists of several parsers that parse_union.py
keeps in its folder; by default the lists of the data folder that have a split of their own. Lists of another parser
(--beside) stand beside these for votes and filters, but not for the reranker. Filters learn from every Nth training
list. With --work, what is there is taken as it is.
Usage: python benchmarks/combine_parses.py [--work FOLDER] [--beside TRAIN DEV TEST] [--every N]
       [only:word in the name of a filter …] [TRAIN DEV TEST]
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import runoff
from parsing import only_columns, split_data
from runoff.combine import add_system, first_choices, held_out_scores, train_combiner, vote
from runoff.combine.combiner import reader_of
from runoff.combine.pool import Pool, pools
from runoff.combine.resolution import resolve
from runoff.combine.systems import Systems, system_names
from runoff.combine.training import PRICES, as_single
from runoff.metrics import get, interval, paired_bootstrap, randomisation
from runoff.nbest import Features
from runoff.ranking import first_round
from runoff.tables import text_table
from runoff.tasks.parsing.features.consensus import FAMILY as CONSENSUS
from shared import data_folder, finish, skip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Floats
    from runoff.learners import Learner
    from runoff.nbest import NBest

Row = dict[str, Any]
METRIC = get("parseval[tags=0]")
TASK, RERANKER = "parsing", "reranker"
# With what "CRF la" of parsing.py chooses on dev of the Web Treebank.
LEARNER = runoff.CRF(objective="la", loss_weight=3.0, l2=1.6e-2, max_iter=80, calibration="none")
TEMPERATURES = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.4)  # powers of probabilities
FILTERS: dict[str, Learner] = {
    "log-linear filter": runoff.LogLinear(sigma=1.0, calibration="none"),
    "boosted trees of depth 4 as filter": runoff.Boost(depth=4, max_rounds=1500, calibration="none"),
}
PARTS = ("train", "dev", "test")


def main() -> None:
    """Measure all rows."""
    words = sys.argv[1:]
    folders, every = taken(words, "--work", 1), taken(words, "--every", 1)
    beside = [Path(word) for word in taken(words, "--beside", 3)]
    only = [words.pop(words.index(word)).removeprefix("only:") for word in list(words) if word.startswith("only:")]
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(folders[0] if folders else temporary)
        work.mkdir(parents=True, exist_ok=True)
        if words:
            paths = [Path(word) for word in words]
        else:
            folder = data_folder()
            train = None if folder is None else next((folder / "parses").glob("*.train.*jsonl*"), None)
            if train is None:
                skip("no lists of parses with a split of their own; set RUNOFF_DATA")
                return
            files = {part: train.with_name(train.name.replace("train", part)) for part in PARTS}
            paths = split_data(train.name.split(".")[0], files, "counts", work)
        filters = [name for name in FILTERS if not only or any(word in name for word in only)]
        rows = measure(paths, work, beside, int(every[0]) if every else 1, filters)
        table(rows)
        finish({row["what"]: row for row in rows})


def taken(words: list[str], option: str, count: int) -> list[str]:
    """What follows an option, taken out of the words; nothing if it is not there."""
    if option not in words:
        return []
    at = words.index(option)
    found = words[at + 1 : at + 1 + count]
    del words[at : at + 1 + count]
    return found


def measure(paths: list[Path], work: Path, beside: list[Path], every: int, filters: list[str]) -> list[Row]:
    """All rows of some lists."""
    scores = reranked(paths, work / f"{paths[0].stem}.reranker.npz")
    data = {part: with_systems(runoff.read(path), scores[part]) for part, path in zip(PARTS, paths, strict=True)}
    for part, path in zip(PARTS, beside, strict=False):
        data[part] = with_lists(data[part], runoff.read(path))
    proof = Proof(data["test"])
    names = system_names(data["dev"])
    proof.add("first round", first_choices(data["test"])[names[1]], data["dev"], first_choices(data["dev"])[names[1]])
    reader = reader_of(TASK)
    seen = [Seen.of(pool, reader, gold) for pool, gold in with_gold(data["dev"])]
    powers: dict[str, float] = {}
    for what, own, fixed in (
        ("vote, all candidates alike", names[1:], (0.0, 1.0)),
        ("vote by probability", names[1:], None),
        ("reranker", (RERANKER,), None),
    ):
        if own == (RERANKER,):
            chosen = {part: first_choices(data[part])[RERANKER] for part in ("dev", "test")}
            proof.add("reranking alone", chosen["test"], data["dev"], chosen["dev"])
            what = "expected F by the reranker"
        power, price = fixed or best_vote(data["dev"], seen, own)
        if fixed is None:
            powers |= dict.fromkeys(own, power)
        weights = {name: float(name in own) for name in names}
        voted = {
            part: vote(tempered(data[part], dict.fromkeys(names, power)), TASK, weights=weights, price=price)
            for part in ("dev", "test")
        }
        proof.add(what, voted["test"], data["dev"], voted["dev"], {"power": power, "price": price})
    for part in PARTS:
        data[part] = tempered(data[part], powers)
    train = data["train"][np.arange(0, len(data["train"]), every)]
    for what in filters:
        started = time.process_time()
        combiner = train_combiner(train, data["dev"], task=TASK, learner=FILTERS[what], metric="parseval")
        seconds = time.process_time() - started
        texts = {part: combiner.texts(data[part]) for part in ("dev", "test")}
        more = {"price": combiner.price, "parts": combiner.provenance["parts"], "CPU s": round(seconds)}
        proof.add(what, texts["test"], data["dev"], texts["dev"], more)
    return proof.rows


class Proof:
    """Rows of the table: F on dev and test, and the difference from reranking alone."""

    def __init__(self, test: NBest) -> None:
        self._test = test
        self._statistics: dict[str, Floats] = {}
        self.rows: list[Row] = []

    def add(
        self,
        what: str,
        texts: Sequence[str | None],
        dev: NBest,
        dev_texts: Sequence[str | None],
        more: Row | None = None,
    ) -> None:
        """Add what some trees reach."""
        test = self._statistics[what] = statistics(self._test, texts)
        score = METRIC.score
        sure = interval(test, score)
        row = {
            "what": what,
            "dev": float(score(statistics(dev, dev_texts).sum(axis=0))),
            "test": float(score(test.sum(axis=0))),
            "interval": [sure.low, sure.high],
            **(more or {}),
        }
        before = self._statistics.get("reranking alone")
        if before is not None and before is not test:
            gain = paired_bootstrap(test, before, score)
            row |= {"gain": [gain.delta, gain.low, gain.high], "p": randomisation(test, before, score)}
        self.rows.append(row)
        print(json.dumps(row), file=sys.stderr, flush=True)


def statistics(data: NBest, texts: Sequence[str | None]) -> Floats:
    """PARSEVAL's statistics of one tree for every list that has any."""
    single = as_single(data, [text or "" for text in texts])
    found: Floats = METRIC.rows(single, first_round(single))
    return found


# -------------------------------------------------------------------- the reranker


def reranked(paths: list[Path], kept: Path) -> dict[str, Floats]:
    """Scores of a reranker: of dev and test by a model of train, of train by models of other folds."""
    if not kept.exists():
        train, dev, test = (without_consensus(runoff.read(path)) for path in paths)
        model = LEARNER.clone().fit(train).model
        scores = {"dev": model.scores(dev), "test": model.scores(test)}
        del dev, test
        own = held_out_scores(LEARNER, train, group_by="doc" if "doc" in train.attributes else None)
        np.savez_compressed(kept, train=own, dev=scores["dev"], test=scores["test"])
    with np.load(kept) as found:
        return {part: found[part] for part in PARTS}


def without_consensus(data: NBest) -> NBest:
    """The lists without the family that random fields do not gain from."""
    names = data.features.column_names().to_pylist()
    keep = np.array([not name.startswith(f"{CONSENSUS}:") for name in names])
    return data if keep.all() else only_columns(data, keep)


def with_systems(data: NBest, scores: Floats) -> NBest:
    """The lists without features but for the columns of systems: the reranker, then the first round or its systems."""
    names = [f"{name}:{kind}" for name in system_names(data) for kind in ("found", "score", "rank")]
    known = data.features.column_names().to_pylist()
    columns: dict[str, Floats] = {}
    if set(names) <= set(known):
        table = data.features.to_scipy()[:, [known.index(name) for name in names]].toarray()
        columns = dict(zip(names, table.T, strict=True))
    return add_system(with_columns(data, columns), RERANKER, scores)


def with_lists(data: NBest, other: NBest) -> NBest:
    """The lists with those of another parser beside them."""
    both = runoff.merge({"given": data, "other": other})
    known = both.features.column_names().to_pylist()
    names = [name for name in known if name.partition(":")[0] in (RERANKER, "given", "other")]
    table = both.features.to_scipy()[:, [known.index(name) for name in names]].toarray()
    return with_columns(both, dict(zip(names, table.T, strict=True)))


def with_columns(data: NBest, columns: dict[str, Floats]) -> NBest:
    """The lists with these columns alone."""
    values = np.column_stack(list(columns.values())) if columns else np.zeros((data.n_candidates, 0))
    return data.replace(features=Features.of(values, list(columns)), quality=None, stats={})


def tempered(data: NBest, powers: dict[str, float]) -> NBest:
    """The lists with powers of the systems' probabilities: 0 makes all candidates of a system equal."""
    names = data.features.column_names().to_pylist()
    table = data.features.to_scipy().toarray()
    columns = dict(zip(names, table.T.astype(np.float64), strict=True))
    for name, power in powers.items():
        # Without any score, ranks would decide.
        columns[f"{name}:score"] = columns[f"{name}:score"] * power if power else np.ones(len(table))
    return with_columns(data, columns)


# -------------------------------------------------------------------- the best vote on dev


class Seen:
    """A pool with what is right in it."""

    def __init__(self, pool: Pool, right: list[bool], wanted: int) -> None:
        self.pool, self.right, self.wanted = pool, np.array(right, bool), wanted

    @classmethod
    def of(cls, pool: Pool, reader: Any, gold: Sequence[str]) -> Seen:
        """The pool of one list with its gold tree."""
        return cls(pool, reader.right(pool.parts, pool.texts, gold), reader.size(pool.texts, gold))


def with_gold(data: NBest) -> list[tuple[Pool, Sequence[str]]]:
    """Pools of lists that have candidates and a gold tree."""
    if data.references is None:
        raise SystemExit("the lists need gold trees.")
    both = zip(pools(data, reader_of(TASK), Systems.of(data)), data.references.to_pylist(), strict=True)
    return [(pool, gold) for pool, gold in both if pool.texts and gold]


def best_vote(data: NBest, seen: Sequence[Seen], systems: Sequence[str]) -> tuple[float, float]:
    """The power of the systems' probabilities and the price with the highest F on dev."""
    reader = reader_of(TASK)
    found = {}
    filled = np.flatnonzero(data.sizes > 0)
    for power in TEMPERATURES:
        told = Systems.of(tempered(data, dict.fromkeys(systems, power)))
        shares = told.shares[:, [told.names.index(name) for name in systems]].mean(axis=1)
        masses: list[list[float]] = []
        for group, own in zip(filled, seen, strict=True):
            mass = np.zeros(own.right.size)
            for candidate, share in zip(own.pool.members, shares[data.offsets[group] :], strict=False):
                mass[candidate] += share
            masses.append(mass.tolist())
        for price in (each for each in PRICES if 0.6 <= each <= 1.0):
            hits = kept = 0
            for own, votes in zip(seen, masses, strict=True):
                chosen = resolve(reader, own.pool.parts, votes, price)
                kept += len(chosen)
                hits += int(own.right[chosen].sum()) if chosen else 0
            found[power, price] = hits / (kept + sum(own.wanted for own in seen))
    return max(found, key=found.__getitem__)


def table(rows: list[Row]) -> None:
    """Print the table."""
    lines = []
    for row in rows:
        gain = "{:+.2f} ({:+.2f} to {:+.2f})".format(*row["gain"]) if "gain" in row else ""
        sure = "{:.2f} to {:.2f}".format(*row["interval"])
        p = f"{row['p']:.4f}" if "p" in row else ""
        lines.append([row["what"], f"{row['dev']:.2f}", f"{row['test']:.2f}", sure, gain, p])
    print(text_table(["", "dev F", "test F", "95%", "to reranking", "p"], lines))


if __name__ == "__main__":
    main()
