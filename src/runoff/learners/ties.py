"""Lists in which a trained model leaves the choice to the order of the file."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from runoff.metrics.base import required_quality

if TYPE_CHECKING:
    from runoff.model import LinearModel
    from runoff.nbest import NBest

MANY = 0.05  # share of the lists from which on a note says so


def count_undecided(model: LinearModel, data: NBest) -> int:
    """Number of groups whose first place is shared by candidates of different quality. Costs one scoring.

    Examples
    --------
    >>> from runoff.model import LinearModel
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays([[1], [1], [0], [1], [1]], quality=[1, 0, 0, 1, 1], sizes=[3, 2], feature_names=["a"])
    >>> count_undecided(LinearModel.of({"a": 1.0}), data)
    1
    """
    rows, counts = model.ranking(data).tied_tops
    if rows.size == 0:
        return 0
    quality = required_quality(data, "a tie")[rows]
    starts = (np.cumsum(counts) - counts)[counts > 0]
    return int((np.maximum.reduceat(quality, starts) > np.minimum.reduceat(quality, starts)).sum())


def tell_ties(model: LinearModel, data: NBest, role: str) -> LinearModel:
    """The model, whose provenance says how many choices on this data are ties, with a note where they are many."""
    undecided, of = count_undecided(model, data), int((data.sizes > 0).sum())
    provenance = {**model.provenance, "undecided": {"data": role, "groups": undecided, "of": of}}
    if undecided > MANY * of:
        provenance["notes"] = [
            *provenance.get("notes", []),
            f"{undecided:,} of {of:,} choices on the {role} data are ties of candidates of different quality: only "
            "the order of the file decides there; features or first-round scores that tell them apart would help.",
        ]
    return dataclasses.replace(model, provenance=provenance)
