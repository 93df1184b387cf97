"""Boosting with its pairs on several workers gives the bits of one process, as does a slow reading of the paper.

That reading is in test_boosting_engine.py. Here the workers are objects of this process; tests/cluster has real ones.
"""

from __future__ import annotations

import numpy as np
import pytest

from runoff.engines import Here, using
from runoff.learners import boosting_engine
from runoff.learners.boosting_engine import BoostingEngine, ExpEngine, LogEngine, PairIndex
from runoff.learners.boosting_parts import ExpPartsEngine, LogPartsEngine
from runoff.nbest import NBest
from runoff.pairs import make_pairs

KINDS = ((ExpEngine, ExpPartsEngine), (LogEngine, LogPartsEngine))


class Elsewhere(Here):
    """So many workers, which are in this process but take messages."""

    def __init__(self, workers: int) -> None:
        self._workers = workers

    @property
    def workers(self) -> int:
        return self._workers

    @property
    def is_here(self) -> bool:
        return False


def index_of(seed: int, weighted: bool) -> tuple[PairIndex, np.ndarray]:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 7, 60)
    n = int(sizes.sum())
    data = NBest.from_arrays(
        (rng.random((n, 300)) < 0.1).astype(float), quality=rng.integers(0, 4, n), base=rng.normal(size=n), sizes=sizes
    )
    pairs = make_pairs(data, "all", weighted=weighted)
    return PairIndex.build(data, pairs, 1), 0.5 * (data.base[pairs.better] - data.base[pairs.worse])


def bits(engine: BoostingEngine) -> list[bytes]:
    parts = engine._state, engine._sums, engine.features, engine.deltas, engine.losses, engine.additions
    return [part.tobytes() for part in parts]


@pytest.mark.parametrize("workers", [1, 2, 4])
@pytest.mark.parametrize(("whole", "in_parts"), KINDS)
@pytest.mark.parametrize("seed", [0, 1])
def test_the_same_bits_on_any_number_of_workers(
    whole: type[BoostingEngine],
    in_parts: type[BoostingEngine],
    seed: int,
    workers: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(boosting_engine, "LEAST", 2.0**49.9)  # units change many times
    monkeypatch.setattr("runoff.learners.boosting_parts.LEAST", 2.0**49.9)
    index, margins = index_of(seed, weighted=seed == 0)
    one = whole(index, margins, 1e-3)
    before = np.copy(one._bits)
    assert one.run(120) == 120
    assert np.all(one._bits > before)
    with using(Elsewhere(workers)):
        other = in_parts(index, margins, 1e-3)
        assert other.run(50) == 50  # and then some more
        other.run(70)
        assert other._parts is not None
        assert other._parts.count == workers
        again = in_parts(index, margins, 1e-3)
        again.replay(other.features[:90], other.deltas[:90])
        again.run(30)
        other.close()
        again.close()
    assert bits(other) == bits(one) == bits(again)
    assert other._amounts().tobytes() == one._amounts().tobytes()
