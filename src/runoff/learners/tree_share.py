"""The share that trees get in a blend, chosen by scores of held-out lists."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from runoff.learners.switching import CONFIDENCE, RESAMPLES
from runoff.metrics import Resampling, with_statistics
from runoff.nbest.blocks import blocks
from runoff.ranking import by_score
from runoff.tables import counted

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.metrics import Metric
    from runoff.nbest import NBest

SHARES = (0.25, 0.5, 0.75, 1.0)
FEWEST = 50  # lists below which trees are not tried
MOST_WORK = 1 << 29  # stored values times rounds, up to which a run takes seconds


@dataclass(frozen=True)
class TreeShare:
    """How much of the scores comes from trees, and what that gains over none on the lists that chose it."""

    share: float = 0.0
    gain: float = 0.0  # of the metric, positive is better
    gain_low: float = 0.0  # lower end of the gain's interval
    tried: bool = True
    why: str = ""  # in words

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for the provenance of a model."""
        return asdict(self)


def too_much_for_trees(train: NBest, rounds: int) -> str:
    """Why boosted trees are not tried on these lists; an empty text where they are.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> too_much_for_trees(NBest.from_arrays([[1.0], [2.0]], quality=[0, 1], sizes=[2]), 100)
    '1 list is too few for them'
    """
    if len(train) < FEWEST:
        are = "list is" if len(train) == 1 else "lists are"
        return f"{len(train)} {are} too few for them"
    if train.features.n_columns == 0:
        return "there are no features to look at"
    if train.features.n_stored * rounds > MOST_WORK:
        return f"{counted(rounds, 'rounds')} over {counted(train.features.n_stored, 'values')} would take long"
    return ""


def choose_share(
    data: NBest, linear: Floats, trees: Floats, metric: Metric, *, seed: int = 0, group_by: str | None = None
) -> TreeShare:
    """The share whose gain over the linear scores has the best lower bound, if that is above 0; else none.

    Both scores are of lists that their models were not trained on, and have the same spread. The bound is that of
    `runoff.learners.switching`: about the gain less one standard error, by paired bootstrap over groups.

    Examples
    --------
    >>> import numpy as np
    >>> from runoff.metrics import get
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(quality=[0, 1] * 60, sizes=[2] * 60)
    >>> choose_share(data, np.tile([1.0, 0.0], 60), np.tile([0.0, 3.0], 60), get("quality")).share
    0.5
    """
    data, metric = with_statistics(data, metric), metric.in_expectation
    resampling = Resampling(RESAMPLES, CONFIDENCE, seed=seed, blocks=blocks(data, group_by).numbers)
    before, best = metric.rows(data, by_score(data, linear)), TreeShare(why="no share of them gains reliably")
    for share in SHARES:
        rows = metric.rows(data, by_score(data, (1 - share) * linear + share * trees))
        won = resampling.difference(rows, before, metric)
        if won.low > best.gain_low:
            best = TreeShare(share, won.delta, won.low)
    return best
