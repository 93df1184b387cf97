"""The combiner: a filter of parts, and the resolution that makes a candidate of those that pass."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from runoff.combine.evidence import evidence
from runoff.combine.part_lists import PartTable
from runoff.combine.pool import pools
from runoff.combine.rerankers import with_rerankers
from runoff.combine.resolution import resolve, resolve_greedily
from runoff.combine.systems import Systems
from runoff.errors import UsageError
from runoff.features.steps import source_columns
from runoff.progress import progress
from runoff.registry import TASKS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from runoff.arrays import Floats
    from runoff.combine.evidence import Kind
    from runoff.combine.parts import PartReader
    from runoff.combine.pool import Pool
    from runoff.combine.rerankers import Reranker
    from runoff.model import LinearModel
    from runoff.nbest import NBest

Resolution = Literal["exact", "greedy"]
RESOLUTIONS = ("exact", "greedy")
_BATCH = 2000  # groups whose evidence is in memory at a time


class Assembled(NamedTuple):
    """What became of one group: its pool, how probable every part is, and the places of those that were kept.

    Examples
    --------
    >>> found = Assembled(pool=None, probabilities=[0.9, 0.2, 0.7], kept=[0, 2])
    >>> [found.probabilities[at] for at in found.kept]
    [0.9, 0.7]
    """

    pool: Pool
    probabilities: Sequence[float]
    kept: Sequence[int]

    def text(self, reader: PartReader) -> str:
        """The assembled candidate."""
        return reader.join([self.pool.parts[at] for at in self.kept], self.pool.best_first)


@dataclass(frozen=True, eq=False)
class Combiner:
    """Assembles a winner from parts of several candidates; made by `runoff.combine.train_combiner`.

    Màrquez, Surdeanu, Comas & Turmo (2005): a filter says of every part how probably it is right, by what the systems
    that proposed it say, and a resolution takes the best parts that can stand together. The filter is any model of
    lists, over lists of two candidates: to take the part, or to leave it. Its own `rerankers`, if it has any, are
    further systems, which score the candidates of any lists first.

    Examples
    --------
    >>> combiner = load_combiner("filter.runoff")  # doctest: +SKIP
    >>> combiner.append(lists)  # doctest: +SKIP
    NBest(4157 groups, 16211 candidates, 12 features, base, references)
    """

    model: LinearModel
    task: str
    systems: tuple[str, ...]
    kind: Kind = "all"
    price: float = 1.0  # of a part; see `resolve`
    curve: tuple[float, float] = (0.0, 1.0)  # from the lead of taking a part to the logarithm of its odds
    resolution: Resolution = "exact"
    metric: str | None = None  # the usual one of the training lists
    learned: Mapping[str, Any] = field(default_factory=dict, repr=False)  # the state of the reader
    provenance: Mapping[str, Any] = field(default_factory=dict)
    rerankers: tuple[Reranker, ...] = ()

    def with_rerankers(self, data: NBest) -> tuple[NBest, Combiner]:
        """The lists with the rerankers as systems, and what combines these: the same without rerankers of its own."""
        if not self.rerankers:
            return data, self
        return with_rerankers(data, self.rerankers), replace(self, rerankers=())

    @property
    def reader(self) -> PartReader:
        """How the task's candidates are taken apart and put together."""
        return reader_of(self.task, self.metric).restored(self.learned)

    def assemble(self, data: NBest, *, verbose: bool = False) -> Iterator[Assembled]:
        """Every group's pool, probabilities and kept parts, one group after the other."""
        data, reader = self.with_rerankers(data)[0], self.reader
        for pool, probabilities in self._judged(data, reader, verbose=verbose):
            yield Assembled(pool, probabilities, self._kept(reader, pool, probabilities))

    def texts(self, data: NBest, *, verbose: bool = False) -> list[str | None]:
        """The assembled candidate of every group; None for a group without candidates."""
        reader = self.reader
        return [found.text(reader) if found.pool.texts else None for found in self.assemble(data, verbose=verbose)]

    def append(self, data: NBest, *, verbose: bool = False) -> NBest:
        """The same lists, each with the assembled candidate as one more, unless it is there already.

        New columns: `combined` is 1 for the assembled candidate, and `combined:gain` is for every candidate the sum of
        `2p - price` over its parts, which is highest for the assembled one. So evaluation, explanation and a further
        round of training work as with any lists.
        """
        from runoff.combine.appended import appended

        return appended(self, data, verbose=verbose)

    def gains(self, found: Assembled) -> list[float]:
        """Of every candidate of a group, the sum of `2p - price` over its parts."""
        return [sum(2 * found.probabilities[at] - self.price for at in set(own)) for own in found.pool.members]

    def save(self, path: str | Path) -> None:
        """Write one file that `load_combiner` opens; nothing in it can run code."""
        from runoff.combine.combiner_file import save_combiner

        save_combiner(self, path)

    def _kept(self, reader: PartReader, pool: Pool, probabilities: Sequence[float]) -> list[int]:
        if self.resolution == "greedy":
            return resolve_greedily(reader, pool.parts, probabilities, self.price / 2)
        return resolve(reader, pool.parts, probabilities, self.price)

    def _judged(self, data: NBest, reader: PartReader, *, verbose: bool) -> Iterator[tuple[Pool, list[float]]]:
        systems = Systems.of(data, self.systems)
        names = source_columns(self.model.names.to_pylist(), self.model.preparation)
        vocabulary = {name: at for at, name in enumerate(dict.fromkeys(names))}
        with progress("combining", len(data), verbose=verbose) as step:
            waiting: list[Pool] = []
            table = PartTable(vocabulary)
            for number, pool in enumerate(pools(data, reader, systems), 1):
                table.add(evidence(pool, reader, systems.names, self.kind))
                waiting.append(pool)
                if len(waiting) == _BATCH or number == len(data):
                    yield from zip(waiting, self._probabilities(table, len(waiting)), strict=True)
                    waiting, table = [], PartTable(vocabulary)
                    step(number)

    def _probabilities(self, table: PartTable, groups: int) -> list[list[float]]:
        found = probabilities_of(leads_of(self.model, table.lists([""] * groups)), self.curve)
        cuts = table.offsets.tolist()
        return [found[start:stop].tolist() for start, stop in itertools.pairwise(cuts)]

    def __repr__(self) -> str:
        return f"Combiner({self.task}: {', '.join(self.systems)}; {self.model!r})"


def leads_of(model: LinearModel, lists: NBest) -> Floats:
    """By how much a model would rather take than leave every part."""
    if not len(lists):
        return np.zeros(0)
    scores = model.scores(lists)
    return scores[0::2] - scores[1::2]


def probabilities_of(leads: Floats, curve: tuple[float, float]) -> Floats:
    """Probabilities of parts by the leads of taking them (Platt 1999)."""
    return 1.0 / (1.0 + np.exp(-np.clip(curve[0] + curve[1] * leads, -700, 700)))


def reader_of(task: str, metric: str | None = None) -> PartReader:
    """How a task's candidates are taken apart and put together, those of data with this usual metric.

    Examples
    --------
    >>> reader_of("rows")
    Traceback (most recent call last):
    runoff.errors.UsageError: candidates of the task rows have no parts to combine; tasks with parts: ...
    """
    found = TASKS[task].parts(metric)
    if found is None:
        known = [name for name, each in TASKS.items() if each.parts() is not None]
        raise UsageError(
            f"candidates of the task {task} have no parts to combine; tasks with parts: {', '.join(known) or 'none'}."
        )
    return found
