"""Lists with dense features on a device of torch: what an objective and its gradient sum up to over all groups."""

from __future__ import annotations

import threading
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from runoff.devices import find_device, load_torch
from runoff.errors import DataError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.arrays import Floats, Ints
    from runoff.nbest import Features, NBest

DEVICES = "cpu, cuda, cuda:1"
_VALUES_PER_BLOCK = {"cpu": 1 << 20}  # which the caches of a processor hold in double precision; elsewhere:
_VALUES_ELSEWHERE = 1 << 25
_LEAST_STORED = 0.05  # share of stored values from which on a GPU is the faster one
_KEPT = 0.8  # share of the free memory of the device that blocks are kept in


class GroupObjective(Protocol):
    """What is summed up: of all groups of a block at once."""

    def __call__(self, groups: GroupSegments, scores: Any, targets: Any, /) -> tuple[Any, Any]:
        """The value of every group, and its derivative by the score of every candidate."""


class GroupSegments:
    """Candidates of several groups one after the other, of any number each, and sums over each group.

    No padding, and nothing is added up by atomic operations, so that sums have the same bits every time.
    """

    def __init__(self, torch: Any, sizes: Ints, device: Any) -> None:
        self.torch = torch
        self.sizes = torch.tensor(sizes, device=device)
        self.group_of = torch.repeat_interleave(self.sizes)

    def sum(self, values: Any) -> Any:
        """Sum of every group."""
        return self.torch.segment_reduce(values, "sum", lengths=self.sizes, unsafe=True)

    def largest(self, values: Any) -> Any:
        """Maximum of every group."""
        return self.torch.segment_reduce(values, "max", lengths=self.sizes, unsafe=True)

    def each(self, of_groups: Any) -> Any:
        """The number of its group for every candidate."""
        return of_groups[self.group_of]

    def softmax(self, values: Any) -> tuple[Any, Any]:
        """Every value's share of the exponentials of its group, and the logarithms of their sums."""
        top = self.largest(values)
        shares = (values - self.each(top)).exp()
        mass = self.sum(shares)
        return shares / self.each(mass), top + mass.log()


@dataclass
class _Block:
    """Some groups: their candidates' features, if they are kept on the device, scores of the first round, targets."""

    load: Callable[[], Any]
    kept: Any
    segments: GroupSegments
    base: Any
    targets: Any

    def rows(self, space: Any) -> Any:
        """Features in double precision: a copy in the space for one block."""
        stored = self.load() if self.kept is None else self.kept
        return space[: stored.numel()].view(stored.shape).copy_(stored)


class DenseLists:
    """Candidates of all groups in blocks of dense rows on a device, in single precision as they are stored.

    As many blocks as fit are kept on the device, the others travel there in every pass. All sums are in double
    precision. One pass reads every value once and costs as much for a zero as for any other value. Memory on a GPU:
    4 bytes per value that is kept, and 400 MB.

    Parameters
    ----------
    data
        Lists; groups without candidates are left out.
    device
        A device of torch: "cpu", "cuda", "cuda:1".
    base, targets
        First-round scores, and what the objective needs to know of every candidate.
    memory
        Bytes of features that may be kept on the device; None: what is free.
    block
        Values of a block; None: what suits the device. A group is in one block, however long it is.
    """

    def __init__(
        self,
        data: NBest,
        device: str,
        base: Floats,
        targets: Any,
        *,
        memory: int | None = None,
        block: int | None = None,
    ) -> None:
        self._torch = torch = load_torch("learners on a device", "gpu")
        self.device = find_device(torch, device, DEVICES)
        if self.device.type not in ("cpu", "cuda"):
            raise UsageError(f"the device {device!r} has no double precision; give one of {DEVICES}.")
        features = data.features.check()
        _check_dense(features, device)
        self._filled = np.flatnonzero(data.sizes > 0)
        self._lock = threading.Lock()  # one pass at a time: there is space for one block
        if block is None:
            block = _VALUES_PER_BLOCK.get(self.device.type, _VALUES_ELSEWHERE)
        starts = np.append(data.offsets[:-1][self._filled], data.n_candidates)
        self._cuts = _cuts(starts, max(1, block // max(1, features.n_columns)))
        largest = int(np.diff(starts[self._cuts]).max(initial=0)) * features.n_columns
        self._blocks: list[_Block] = []
        try:
            self._space = torch.empty(largest, dtype=torch.float64, device=self.device)
            room = self._room() if memory is None else memory
            for first, last in zip(self._cuts[:-1], self._cuts[1:], strict=True):
                start, stop = int(starts[first]), int(starts[last])
                room -= 4 * (stop - start) * features.n_columns
                self._blocks.append(
                    self._block(features, start, stop, np.diff(starts[first : last + 1]), base, targets, keep=room >= 0)
                )
        except torch.OutOfMemoryError as error:
            raise DataError(
                f"the memory of {device} does not hold these lists: {largest:,} values at a time are too many "
                "beside what other programs hold; end those, or leave device out."
            ) from error

    def inside(self, groups: Ints) -> list[Any]:
        """Which groups of every block are among `groups`; to be made once for many passes."""
        found = np.isin(self._filled, groups)
        pairs = zip(self._cuts[:-1], self._cuts[1:], strict=True)
        return [self._torch.tensor(found[first:last], device=self.device) for first, last in pairs]

    def sums(
        self, objective: GroupObjective, weights: Floats, base_weight: float, inside: list[Any]
    ) -> tuple[float, Floats, float]:
        """Sum of the objective over the groups inside, its gradient, and its slope for the first round's score."""
        torch, double = self._torch, self._torch.float64
        with self._lock, torch.inference_mode():
            by = torch.tensor(weights, dtype=double, device=self.device)
            value, slope = torch.zeros((2, 1), dtype=double, device=self.device)
            gradient = torch.zeros_like(by)
            for block, is_inside in zip(self._blocks, inside, strict=True):
                rows, groups = block.rows(self._space), block.segments
                values, slopes = objective(groups, rows @ by + base_weight * block.base, block.targets)
                values = torch.where(is_inside, values, 0.0)
                slopes = torch.where(groups.each(is_inside), slopes, 0.0)
                value, slope = value + values.sum(), slope + slopes @ block.base
                gradient += slopes @ rows
            found = torch.cat([gradient, value, slope]).cpu().numpy()
        return float(found[-2]), found[:-2], float(found[-1])

    @property
    def kept(self) -> float:
        """Share of the blocks that are kept on the device."""
        return sum(block.kept is not None for block in self._blocks) / max(1, len(self._blocks))

    def _room(self) -> int:
        """Bytes for features: what is free on a GPU; a computer's own memory has them already."""
        if self.device.type == "cpu":
            return 1 << 62
        free, _ = self._torch.cuda.mem_get_info(self.device)
        return int(free * _KEPT)

    def _block(
        self, features: Features, start: int, stop: int, sizes: Ints, base: Floats, targets: Any, *, keep: bool
    ) -> _Block:
        def load() -> Any:
            return self._dense(features, start, stop)

        return _Block(
            load,
            load() if keep else None,
            GroupSegments(self._torch, sizes, self.device),
            self._sent(np.asarray(base[start:stop], np.float64)),
            self._sent(targets[start:stop]),
        )

    def _dense(self, features: Features, start: int, stop: int) -> Any:
        """Rows from start to stop as a table in single precision; copies nothing where they are one, on the CPU."""
        torch, many, width = self._torch, stop - start, features.n_columns
        indptr = features.indptr[start : stop + 1]
        stored = slice(int(indptr[0]), int(indptr[-1]))
        columns = self._sent(features.indices[stored])
        values = None if features.values is None else self._sent(features.values[stored])
        every = torch.arange(width, dtype=columns.dtype, device=self.device)
        if columns.numel() == many * width and bool((columns.view(many, width) == every).all()):
            ones = torch.ones((many, width), device=self.device)
            return ones if values is None else values.view(many, width)
        row = torch.repeat_interleave(self._sent(np.diff(indptr)))
        if values is None:
            values = torch.ones(columns.numel(), device=self.device)
        table = torch.zeros(many * width, device=self.device)
        # Added up, as a file may have a column twice in a row; on a GPU in the same order every time.
        return table.index_put_((row * width + columns,), values, accumulate=True).view(many, width)

    def _sent(self, array: Any) -> Any:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "The given NumPy array is not writ")  # nor is it written to
            return self._torch.from_numpy(np.ascontiguousarray(array)).to(self.device)


def _check_dense(features: Features, device: str) -> None:
    """Raise where most values are zeros, which a table has and a list of stored values has not."""
    stored = int(features.indptr[-1] - features.indptr[0])
    cells = (features.indptr.size - 1) * features.n_columns
    if stored < _LEAST_STORED * cells:
        raise UsageError(
            f"device={device!r} is for dense features, and {stored / cells:.2%} of these {features.n_columns:,} columns"
            f" are stored: as a table they would take {4 * cells / 1e9:,.1f} GB. Leave device out: without it, only "
            "stored values are read."
        )


def _cuts(starts: Ints, rows: int) -> Ints:
    """Places in `starts` that cut groups into blocks of at most so many rows, but one group at least."""
    cuts = [0]
    while cuts[-1] < starts.size - 1:
        fits = int(np.searchsorted(starts, starts[cuts[-1]] + rows, side="right")) - 1
        cuts.append(max(fits, cuts[-1] + 1))
    return np.array(cuts)
