"""From lists of parses to data that any learner takes: features, PARSEVAL's statistics, quality."""

from __future__ import annotations

import tempfile
from collections import deque
from contextlib import ExitStack, contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

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
from runoff.tasks.parsing.features.feature_table import common_columns, known_columns, table
from runoff.tasks.parsing.features.workers import Workers
from runoff.tasks.parsing.parse_data import METRIC, to_lists, to_nbest
from runoff.tasks.parsing.parseval import CUT_OFFS, notes
from runoff.tasks.parsing.trees import TRACE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from concurrent.futures import Future

    from runoff.arrays import Bools, Floats
    from runoff.progress import ProgressCallback
    from runoff.tasks.parsing.parse_list import ParseList

CHUNK = 20_000  # candidates in one chunk, about; depends on nothing but the lists, so that results do not either
SEEN = 5  # lists that a feature must be in


def extract(
    lists: NBest | Iterable[ParseList],
    *,
    families: Sequence[str] = ALL,
    min_lists: int = SEEN,
    vocabulary: pa.Array | None = None,
    presence: bool = False,
    processes: int | None = None,
    cache: Path | None = None,
    verbose: bool = False,
) -> NBest:
    """Turn lists of parses into data with features, statistics and quality.

    Features are counts of what `families` find in a tree (with `presence`, whether they find it at all, under names
    such as `rule?:…`), of features that were seen in at least `min_lists` lists, or those of `vocabulary` alone, which
    says by its names whether they are of presence. Features that never tell two candidates of a list apart are left
    out, and where a feature is the same in all candidates of a list, it is not stored for them. Traces are left out of
    trees first: then all candidates count the same words. Function tags stay in the names of features, but families
    that look for a category, such as PP, find it with or without. Quality is Collins &
    Koo's: F of the tree times the number of the gold tree's constituents. Work is cut into chunks that `processes`
    make in parallel; with a `cache` folder, chunks are kept there under a name made from their content and used
    again. About 4,500 candidates per second per core with all families; memory: what is stored, twice.

    Examples
    --------
    >>> from runoff.tasks.parsing.parse_list import ParseList
    >>> trees = ["(S (NP (PRP I)) (VP (VBP run)))", "(S (NP (PRP I)) (ADVP (RB run)))"]
    >>> data = extract([ParseList("a", trees[0], [-1.0, -2.0], trees)], families=["rule"], min_lists=1)
    >>> data.quality.tolist(), data.features.column_names().to_pylist()
    ([3.0, 2.0], ['rule:S>NP VP!', 'rule:VP>VBP!', 'rule:S>NP! ADVP', 'rule:ADVP>RB!'])
    """
    given = None if isinstance(lists, NBest) else list(lists)
    data = lists if isinstance(lists, NBest) else to_nbest(given or ())
    families = chosen(",".join(families))
    own = CONSENSUS_NAMES if CONSENSUS in families else ()
    said = []
    with chunk_files(data, families, given, processes=processes, cache=cache, verbose=verbose) as paths:
        if vocabulary is None:
            columns, seen = common_columns(paths, min_lists)
        else:
            columns = known_columns(vocabulary)
            names = vocabulary.to_pylist()
            presence = presence or counts_presence(names)
            own = tuple(name for name in own if name in names)
        features = table(paths, columns, consensus=own, presence=presence)
        stats, of_statistics = statistics_in(paths, data)
    if vocabulary is None:
        total = seen + len(own)
        said.append(f"{features.n_columns:,} features of {total:,} tell candidates apart and are in enough lists.")
    traced = pc.sum(pc.match_substring(data.texts, TRACE)).as_py() if data.n_candidates else 0
    if traced:
        said.insert(0, f"{traced:,} of {data.n_candidates:,} candidates have traces; features are taken without them.")
    made = data.replace(features=features, stats=stats, notes=(*data.notes, *of_statistics, *said))
    return made.replace(quality=get(METRIC).quality(made), metric=METRIC) if stats else made


def statistics(
    data: NBest, cut_offs: Sequence[int] = (), *, processes: int | None = None, verbose: bool = False
) -> dict[str, Floats]:
    """PARSEVAL of all candidates by every variant, usual cut-off and these, one row each; references are gold trees.

    About 0.1 milliseconds per candidate and core.
    """
    with chunk_files(data, (), processes=processes, verbose=verbose) as paths:
        return statistics_in(paths, data, cut_offs)[0]


def statistics_in(
    paths: Sequence[Path], data: NBest, cut_offs: Sequence[int] = ()
) -> tuple[dict[str, Floats], list[str]]:
    """Statistics that chunks hold, and what there is to say of them; nothing where no list has a gold tree."""
    has_gold = gold_of(data)
    if not has_gold.any():
        return {}, []
    chunks = [Statistics.load(path) for path in paths]
    evalb = np.concatenate([chunk.evalb for chunk in chunks])
    stats = {"parseval": np.concatenate([chunk.parseval for chunk in chunks]), "evalb": evalb}
    length = np.repeat(np.concatenate([chunk.lengths for chunk in chunks]), data.sizes)
    for cut_off in dict.fromkeys((*CUT_OFFS, *cut_offs)):
        short = (length <= cut_off)[:, None]
        stats |= {f"{name}@{cut_off}": rows * short for name, rows in list(stats.items())[:2]}
    judged = np.repeat(has_gold, data.sizes)
    misfits = int(sum(chunk.misfits.sum() for chunk in chunks))
    said = notes(misfits, int((evalb[judged, -1] == 0).sum()), int(judged.sum()))
    missing = int((~has_gold).sum())
    if missing:
        said.append(f"{missing:,} of {len(data):,} lists have no gold tree and count for nothing.")
    return stats, said


def gold_of(data: NBest) -> Bools:
    """Which lists have a gold tree."""
    if data.references is None:
        return np.zeros(len(data), bool)
    return np.array([bool(each) for each in data.references.to_pylist()], bool)


@contextmanager
def chunk_files(
    data: NBest,
    families: Sequence[str],
    lists: Sequence[ParseList] | None = None,
    *,
    processes: int | None = None,
    cache: Path | None = None,
    verbose: bool = False,
) -> Iterator[list[Path]]:
    """Files of the chunks of all lists, kept in the cache or for as long as the context lasts.

    `lists` are those of the data where they are at hand: errors then name the lines of their files.
    """
    with ExitStack() as stack:
        folder = cache if cache is not None else Path(stack.enter_context(tempfile.TemporaryDirectory()))
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"the folder {folder} cannot be used as a cache: {reason(error)}.") from error
        with progress("reading parses", len(data), verbose=verbose) as step:
            paths = _chunk_files(
                to_lists(data) if lists is None else iter(lists), families, folder, processes or cores(), step
            )
        yield paths


def _chunk_files(
    lists: Iterator[ParseList], families: Sequence[str], folder: Path, processes: int, step: ProgressCallback
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
