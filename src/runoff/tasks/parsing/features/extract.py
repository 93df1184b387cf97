"""Extraction: from lists of parses to data with features, PARSEVAL's statistics and quality."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack, contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.cluster.processes import Processes
from runoff.engines import current
from runoff.errors import UsageError
from runoff.files import reason
from runoff.metrics import get
from runoff.nbest import NBest
from runoff.parallel import cores
from runoff.progress import progress
from runoff.tasks.parsing.features.chunk import Chunk, Cut, Statistics, chunk_of, fingerprint
from runoff.tasks.parsing.features.consensus import FAMILY as CONSENSUS
from runoff.tasks.parsing.features.consensus import NAMES as CONSENSUS_NAMES
from runoff.tasks.parsing.features.families import ALL, chosen, counts_presence
from runoff.tasks.parsing.features.feature_table import common_columns, known_columns, table
from runoff.tasks.parsing.parse_data import METRIC, to_lists, to_nbest
from runoff.tasks.parsing.parseval import CUT_OFFS, notes
from runoff.tasks.parsing.trees import TRACE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from runoff.arrays import Bools, Floats
    from runoff.progress import ProgressCallback
    from runoff.tasks.parsing.parse_list import ParseList

CHUNK = 20_000  # candidates per chunk, about; fixed, so that results do not depend on the number of processes
SEEN = 5  # minimum number of lists with a feature


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

    Features are counts of what `families` find in a tree (with `presence`, 0 or 1, under names such as `rule?:…`). Kept
    are features that occur in at least `min_lists` lists, or those of `vocabulary`, whose names tell whether they are
    binary. Features that never distinguish two candidates of a list are left out, and a feature with the same value for
    all candidates of a list is not stored for them. Traces are removed first, so that all candidates have the same
    words. Function tags are part of feature names, but families that look for a category, such as PP, ignore them.
    Quality is Collins & Koo's: F of the tree times the number of gold constituents. Work is split into chunks for
    parallel `processes`; with a `cache` folder, chunks are stored there under a hash of their input and reused. About
    4,500 candidates per second per core with all families, 0.4 GB per process; the stored features are on disk, in the
    folder of the chunks, and mapped into memory.

    Examples
    --------
    >>> from runoff.tasks.parsing.parse_list import ParseList
    >>> trees = ["(S (NP (PRP I)) (VP (VBP run)))", "(S (NP (PRP I)) (ADVP (RB run)))"]
    >>> data = extract([ParseList("a", trees[0], [-1.0, -2.0], trees)], families=["rule"], min_lists=1)
    >>> data.quality.round(6).tolist(), data.features.column_names().to_pylist()
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
        said.append(f"{features.n_columns:,} of {total:,} features distinguish candidates and occur in enough lists.")
    traced = pc.sum(pc.match_substring(data.texts, TRACE)).as_py() if data.n_candidates else 0
    if traced:
        said.insert(
            0, f"{traced:,} of {data.n_candidates:,} candidates have traces, which are removed before extraction."
        )
    made = data.replace(features=features, stats=stats, notes=(*data.notes, *of_statistics, *said))
    return made.replace(quality=get(METRIC).quality(made), metric=METRIC) if stats else made


def statistics(
    data: NBest, cut_offs: Sequence[int] = (), *, processes: int | None = None, verbose: bool = False
) -> dict[str, Floats]:
    """PARSEVAL statistics of all candidates, for both variants, the usual cut-off and these; references are gold trees.

    About 0.1 milliseconds per candidate per core.
    """
    with chunk_files(data, (), processes=processes, verbose=verbose) as paths:
        return statistics_in(paths, data, cut_offs)[0]


def statistics_in(
    paths: Sequence[Path], data: NBest, cut_offs: Sequence[int] = ()
) -> tuple[dict[str, Floats], list[str]]:
    """Statistics in the chunks, and notes about them; empty if no list has a gold tree."""
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
        said.append(f"{missing:,} of {len(data):,} lists have no gold tree and are not counted.")
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
    """Files of the chunks of all lists, in the cache or in a temporary folder.

    `lists` are the lists of the data, if available: errors then name file and line.
    """
    with ExitStack() as stack:
        folder = cache if cache is not None else Path(stack.enter_context(tempfile.TemporaryDirectory()))
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"the folder {folder} cannot be used as a cache: {reason(error)}.") from error
        with progress("reading parses", len(data), verbose=verbose) as step:
            each = to_lists(data) if lists is None else iter(lists)
            paths = _chunk_files(data, each, families, folder, processes or cores(), step)
        yield paths


def _chunk_files(
    data: NBest,
    lists: Iterator[ParseList],
    families: Sequence[str],
    folder: Path,
    processes: int,
    step: ProgressCallback,
) -> list[Path]:
    """Files of the chunks, in the order of the lists; existing ones are reused."""
    paths: list[Path] = []
    done = 0
    missing: dict[Cut, Path] = {}

    def wanted(chunks: Iterable[tuple[Cut, list[ParseList]]]) -> Iterator[Cut]:
        nonlocal done
        for cut, chunk in chunks:
            path = folder / f"{fingerprint(chunk, families)}.npz"
            paths.append(path)
            if Chunk.is_kept(path, chunk):
                done += len(chunk)
                step(done)
            else:
                missing[cut] = path
                yield cut

    with ExitStack() as stack:
        chunks = _chunks(lists)
        first = list(islice(chunks, 2))
        engine = current()
        if engine.is_here and processes > 1 and len(first) > 1:  # a single chunk is faster than starting a worker
            engine = stack.enter_context(Processes(processes))
        shared = engine.share(_trees(data)), engine.share(list(families))
        for cut, chunk in engine.map(chunk_of, wanted(chain(first, chunks)), *shared, alone=True):
            chunk.save(missing.pop(cut))
            done += cut.stop - cut.start
            step(done)
    return paths


def _trees(data: NBest) -> NBest:
    """What chunks are made from, without what else the lists have."""
    return NBest.from_arrays(
        sizes=data.sizes,
        group_ids=data.group_ids,
        texts=data.texts,
        base=data.base,
        references=data.references,
    )


def _chunks(lists: Iterator[ParseList]) -> Iterator[tuple[Cut, list[ParseList]]]:
    chunk: list[ParseList] = []
    candidates = start = 0
    for each in lists:
        chunk.append(each)
        candidates += len(each.trees)
        if candidates >= CHUNK:
            yield _cut(start, chunk), chunk
            start += len(chunk)
            chunk, candidates = [], 0
    if chunk:
        yield _cut(start, chunk), chunk


def _cut(start: int, lists: Sequence[ParseList]) -> Cut:
    return Cut(start, start + len(lists), tuple(each.origin for each in lists))
