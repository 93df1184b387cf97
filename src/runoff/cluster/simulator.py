"""Time and money of a stage on a cluster, from what it costs on one core: a plan before machines are rented.

A stage is pieces of independent work, with a part that stays in one process, what is sent to every machine once, what
comes back with every piece, and, for training, rounds in which all workers wait for one another. The model is that of
bulk-synchronous work (Valiant 1990): computation, exchange through the link of the process that gives out the work,
latency, and waiting for the slowest worker. docs/scale.md says where the costs come from and how far the model is from
what was measured.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields
from importlib import resources
from typing import TYPE_CHECKING, Any

import orjson

from runoff.errors import DataError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

MILLION = 1e6


@dataclass(frozen=True)
class StageCosts:
    """What a stage costs for every million candidates, and besides.

    Examples
    --------
    >>> StageCosts("scoring", seconds=2.0, bytes_in=1e9, bytes_out=8e6).pieces
    100.0
    """

    name: str
    seconds: float  # of one core, shared by the workers
    serial: float = 0.0  # seconds in the process that gives out the work
    bytes_in: float = 0.0  # what all workers get together, where each gets its part
    bytes_shared: float = 0.0  # what every machine gets whole
    bytes_out: float = 0.0  # what comes back
    pieces: float = 100.0
    most_pieces: float = 0.0  # of data of any size; 0: as many as it has
    rounds: float = 0.0  # in which all wait for all, whatever the size of the data
    round_bytes: float = 0.0  # to and from every worker, in a round
    start: float = 0.0  # seconds, whatever the size of the data and the number of workers


@dataclass(frozen=True)
class ClusterOf:
    """Workers, each a core of a machine, and what is between them and the process that gives out the work.

    Examples
    --------
    >>> ClusterOf(64).price
    0.05
    """

    workers: int
    bandwidth: float = 1.25e9  # bytes per second of the link of the process that gives out the work
    latency: float = 0.0005  # seconds of a message to a worker and back
    start: float = 5.0  # seconds until workers have begun
    spread: float = 0.1  # standard deviation of the speed of workers, as a share
    price: float = 0.05  # of a worker and hour, in any currency
    per_machine: int = 16  # workers
    cores: float = 0  # that all workers share, where these are fewer; 0: each has its own

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            at_least = 1 if each.name in ("workers", "per_machine") else 0
            if not (isinstance(value, int | float) and math.isfinite(value) and value >= at_least):
                raise UsageError(f"{each.name} must be a number of at least {at_least}; found {value!r}.")
        if not self.bandwidth:
            raise UsageError("bandwidth must be above 0.")


@dataclass(frozen=True)
class StagePlan:
    """Seconds of a stage by what they are spent on, and the price of all workers for as long."""

    name: str
    compute: float
    waiting: float  # for the slowest worker, and for the last piece
    exchange: float
    serial: float
    start: float
    price: float

    @property
    def seconds(self) -> float:
        """From beginning to end."""
        return self.compute + self.waiting + self.exchange + self.serial + self.start

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {**asdict(self), "seconds": self.seconds}


def plan(costs: StageCosts, candidates: float, cluster: ClusterOf) -> StagePlan:
    """Time and price of a stage over so many candidates.

    Examples
    --------
    >>> costs = StageCosts("features", seconds=600.0, bytes_in=1e9, bytes_out=4e9)
    >>> one, many = (plan(costs, 1e8, ClusterOf(workers)) for workers in (1, 100))
    >>> round(one.seconds / 3600, 1), round(many.seconds / 3600, 2)
    (16.8, 0.28)
    """
    if not (math.isfinite(candidates) and candidates > 0):
        raise UsageError(f"the number of candidates must be above 0; found {candidates!r}.")
    millions = candidates / MILLION
    at_once = min(cluster.workers, cluster.cores) if cluster.cores else cluster.workers
    pieces = max(1.0, min(costs.pieces * millions, costs.most_pieces or math.inf))
    compute = costs.seconds * millions / min(at_once, pieces)
    # The expected lateness of the slowest of n is about spread * sqrt(2 ln n) of its work since all last waited. Pieces
    # that are given to whoever is free even this out, but for the last one; where all wait for all, nothing does.
    late = cluster.spread * math.sqrt(2 * math.log(max(1.0, at_once)))
    piece = costs.seconds * millions / pieces
    waiting = late * compute if costs.rounds else (late + (1 - at_once / cluster.workers + (at_once > 1)) / 2) * piece
    moved = costs.bytes_in * millions + costs.bytes_out * millions
    moved += costs.bytes_shared * millions * math.ceil(cluster.workers / cluster.per_machine)
    moved += costs.rounds * costs.round_bytes * min(cluster.workers, pieces)
    messages = costs.rounds if costs.rounds else pieces / cluster.workers
    exchange = moved / cluster.bandwidth + messages * cluster.latency
    serial, start = costs.serial * millions, costs.start + cluster.start
    seconds = compute + waiting + exchange + serial + start
    price = seconds / 3600 * cluster.workers * cluster.price
    return StagePlan(costs.name, compute, waiting, exchange, serial, start, price)


def read_costs(path: Path | None = None) -> list[StageCosts]:
    """Costs from a file that benchmarks/scale.py prints; without one, those of docs/scale.md.

    Examples
    --------
    >>> "features of texts" in [each.name for each in read_costs()]
    True
    """
    if path is None:
        content = resources.files("runoff.cluster").joinpath("costs.json").read_bytes()
    else:
        try:
            content = path.read_bytes()
        except OSError as error:
            raise DataError("the file cannot be read.", path=path) from error
    try:
        return _costs(orjson.loads(content))
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
        known = ", ".join(each.name for each in fields(StageCosts))
        raise DataError(
            f"expected costs as benchmarks/scale.py prints them: an object whose `stages` are objects with {known}.",
            path=path,
        ) from error


def _costs(found: Mapping[str, Any]) -> list[StageCosts]:
    known = {each.name for each in fields(StageCosts)}
    stages: Sequence[Mapping[str, Any]] = found["stages"]
    made = [StageCosts(**{key: value for key, value in each.items() if key in known}) for each in stages]
    for each in made:
        if not all(
            isinstance(value, int | float) and value >= 0 for key, value in asdict(each).items() if key != "name"
        ):
            raise TypeError(each)
    return made
