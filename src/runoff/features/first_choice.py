"""The first round's choice as a feature: its weight is the lead that another candidate needs to replace it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.features.columns import concat_columns
from runoff.nbest import Features
from runoff.ranking import first_round

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.nbest import NBest

STEP = "first-choice"
COLUMN = "switch:first round's choice"


def apply_first_choice(data: NBest, step: Mapping[str, Any]) -> NBest:  # noqa: ARG001 - has no parameters
    """Add a column that is 1 for the first round's choice of every group. O(n log k).

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays([[1.0], [2.0]], base=[0.0, 3.0], sizes=[2], feature_names=["a"])
    >>> apply_first_choice(data, {}).features.to_scipy().toarray().tolist()
    [[1.0, 0.0], [2.0, 1.0]]
    """
    is_first = np.zeros((data.n_candidates, 1), np.float32)
    is_first[first_round(data).top] = 1.0
    return data.replace(features=concat_columns(data.features, Features.of(is_first, [COLUMN])))
