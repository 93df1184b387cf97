"""From lists of parses to data that any learner takes: features, PARSEVAL's statistics, quality."""

from __future__ import annotations

import tempfile
from collections import deque
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from runoff.errors import UsageError
from runoff.files import reason
from runoff.metrics import get
from runoff.nbest import NBest
from runoff.parallel import cores
from runoff.progress import progress
from runoff.tasks.parsing.features.chunk import Chunk, Statistics, fingerprint, make_chunk
from runoff.tasks.parsing.features.consensus import FAMILY as CONSENSUS
from runoff.tasks.parsing.features.consensus import NAMES as CONSENSUS_NAMES
from runoff.tasks.parsing.features.families import ALL, chosen, counts_presence
from runoff.tasks.parsing.features.merging import common_columns, known_columns, table
from runoff.tasks.parsing.features.workers import Workers
from runoff.tasks.parsing.parseval import CUT_OFFS, notes
from runoff.tasks.parsing.trees import TRACE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from concurrent.futures import Future

    from runoff.arrays import Floats
    from runoff.nbest import Features
    from runoff.progress import Step
    from runoff.tasks.parsing.parse_list import ParseList

CHUNK = 20_000  # candidates in one chunk, about; depends on nothing but the lists, so that results do not either
SEEN = 5  # lists that a feature must be in


def extract(
    lists: Iterable[ParseList],
    *,
    families: Sequence[str] = ALL,
    min_lists: int = SEEN,
    vocabulary: pa.Array | None = None,
    presence: bool = False,
    processes: int | None = None,
    cache: Path | None = None,
    show: bool = False,
    total: int | None = None,
) -> NBest:
    """Turn lists of parses into data with features, statistics and quality.

    Features are counts of what `families` find in a tree (with `presence`, whether they find it at all, under names
    such as `rule?:…`), of features that were seen in at least `min_lists` lists, or those of `vocabulary` alone, which
    says by its names whether they are of presence. Features that never tell two candidates of a list apart are left
    out, and where a feature is the same in all candidates of a list, it is not stored for them. Traces are left out of
    trees first: then all candidates count the same words. Function tags stay in the names of features, but families
    that look for a category, such as PP, find it with or without. Quality is Collins &
    Koo's: F of the tree times the number of the gold tree's constituents. Work is cut into chunks that `processes`
    make side by side; with a `cache` folder, chunks are kept there under a name made from their content and used
    again. About 4,500 candidates a second and core with all families; memory: what is stored, twice.

    Examples
    --------
    >>> from runoff.tasks.parsing.parse_list import ParseList
    >>> trees = ["(S (NP (PRP I)) (VP (VBP run)))", "(S (NP (PRP I)) (ADVP (RB run)))"]
    >>> data = extract([ParseList("a", trees[0], [-1.0, -2.0], trees)], families=["rule"], min_lists=1)
    >>> data.quality.tolist(), data.features.column_names().to_pylist()
    ([3.0, 2.0], ['rule:S>NP VP!', 'rule:VP>VBP!', 'rule:S>NP! ADVP', 'rule:ADVP>RB!'])
    """
    found = _Found()
    families = chosen(",".join(families))
    own = CONSENSUS_NAMES if CONSENSUS in families else ()
    with ExitStack() as stack:
        folder = cache if cache is not None else Path(stack.enter_context(tempfile.TemporaryDirectory()))
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"the folder {folder} cannot be used as a cache: {reason(error)}.") from error
        with progress("reading parses", total or 0, show=show) as step:
            paths = _chunk_files(found.passing(lists), families, folder, processes or cores(), step)
        if vocabulary is None:
            columns, seen = common_columns(paths, min_lists)
            found.distinct = seen + len(own)
        else:
            columns = known_columns(vocabulary)
            names = vocabulary.to_pylist()
            presence = presence or counts_presence(names)
            own = tuple(name for name in own if name in names)
        features = table(paths, columns, consensus=own, presence=presence)
        return found.data(features, [Statistics.load(path) for path in paths])


def _chunk_files(
    lists: Iterator[ParseList], families: Sequence[str], folder: Path, processes: int, step: Step
) -> list[Path]:
    """Files of the chunks, in the order of the lists; those that are there already are not made again."""
    paths: list[Path] = []
    waiting: deque[tuple[int, Future[None]]] = deque()
    done = 0

    def finish(most: int) -> None:
        nonlocal done
        while len(waiting) > most:
            count, future = waiting.popleft()
            future.result()
            done += count
            step(done)

    with ExitStack() as stack:
        chunks = _chunks(lists)
        first = list(islice(chunks, 2))
        several = processes > 1 and len(first) > 1  # a single chunk is made before a worker would have begun
        workers = stack.enter_context(Workers(processes, families)) if several else None
        for chunk in chain(first, chunks):
            path = folder / f"{fingerprint(chunk, families)}.npz"
            paths.append(path)
            if Chunk.is_kept(path):
                done += len(chunk)
            elif workers is None:
                make_chunk(chunk, families).save(path)
                done += len(chunk)
            else:
                waiting.append((len(chunk), workers.pool.submit(workers.make, chunk, path)))
                finish(2 * processes)
            step(done)
        finish(0)
    return paths


def _chunks(lists: Iterator[ParseList]) -> Iterator[list[ParseList]]:
    chunk: list[ParseList] = []
    candidates = 0
    for each in lists:
        chunk.append(each)
        candidates += len(each.trees)
        if candidates >= CHUNK:
            yield chunk
            chunk, candidates = [], 0
    if chunk:
        yield chunk


@dataclass
class _Found:
    """What the data needs of the lists beside their features, taken down as they pass."""

    ids: list[str] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    gold: list[str | None] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    texts: list[pa.Array] = field(default_factory=list)
    distinct: int | None = None
    traced: int = 0

    def passing(self, lists: Iterable[ParseList]) -> Iterator[ParseList]:
        for each in lists:
            self.ids.append(each.id)
            self.inputs.append(" ".join(each.tokens or ()))
            self.gold.append(each.gold)
            self.sizes.append(len(each.trees))
            self.scores.extend(each.scores)
            self.traced += sum(TRACE in tree for tree in each.trees)
            self.texts.append(pa.array(each.trees, pa.large_string()))
            yield each

    def data(self, features: Features, chunks: Sequence[Statistics]) -> NBest:
        judged = any(gold is not None for gold in self.gold)
        stats: dict[str, Floats] = {}
        said: list[str] = []
        if judged:
            stats, said = self._statistics(chunks)
        if self.traced:
            said.append(
                f"{self.traced:,} of {len(self.scores):,} candidates have traces; features are taken without them."
            )
        if self.distinct is not None:
            said.append(
                f"{features.n_columns:,} features of {self.distinct:,} tell candidates apart and are in enough lists."
            )
        data = NBest.from_arrays(
            features,
            sizes=self.sizes,
            group_ids=self.ids,
            base=self.scores,
            texts=pa.concat_arrays([pa.array([], pa.large_string()), *self.texts]),
            inputs=self.inputs if any(self.inputs) else None,
            references=[[] if gold is None else [gold] for gold in self.gold] if judged else None,
            stats=stats,
            metric="parseval" if judged else None,
            notes=said,
        )
        return data.replace(quality=get("parseval").quality(data)) if judged else data

    def _statistics(self, chunks: Sequence[Statistics]) -> tuple[dict[str, Floats], list[str]]:
        parseval = np.concatenate([chunk.parseval for chunk in chunks])
        evalb = np.concatenate([chunk.evalb for chunk in chunks])
        length = np.repeat(np.concatenate([chunk.lengths for chunk in chunks]), self.sizes)
        stats = {"parseval": parseval, "evalb": evalb}
        for cut_off in CUT_OFFS:
            stats |= {
                f"{name}@{cut_off}": rows * (length <= cut_off)[:, None] for name, rows in list(stats.items())[:2]
            }
        has_gold = np.repeat([gold is not None for gold in self.gold], self.sizes)
        said = notes(
            int(sum(chunk.misfits.sum() for chunk in chunks)),
            int((evalb[has_gold, -1] == 0).sum()),
            int(has_gold.sum()),
        )
        missing = sum(gold is None for gold in self.gold)
        if missing:
            said.append(f"{missing:,} of {len(self.gold):,} lists have no gold tree and count for nothing.")
        return stats, said
