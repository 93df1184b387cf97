"""Products and sums of the scores of España-Bonet & Comas (2012), as their tables 4 and 6 combine them by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.errors import UsageError
from runoff.tasks.answers.candidate_features import COLUMNS, SCORES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.arrays import Floats

# Rows of table 4, and those that table 6 adds, in their order. L is the product of Lb, Lr and Lf.
TABLE_4 = ("B", "R", "B+R", "BR")
TABLE_6 = (
    *("Lf", "Lb", "Lr", "L", "E", "EL"),
    *("BL", "RL", "BRL", "(B+R)L", "BE", "RE", "BRE", "(B+R)E"),
    *("BEL", "REL", "BREL", "(B+R)EL"),
)
ROWS = (*TABLE_4, *TABLE_6)
EPSILON = 1e-4  # added to every factor: a candidate that one score does not touch keeps the others


def product(name: str, table: Floats, epsilon: float = EPSILON) -> Floats:
    """One combination for every candidate, given a row of `candidate_features.COLUMNS` for each.

    The paper is silent about candidates that a score does not touch; `epsilon` is added to every factor, so that they
    are not all tied at zero. With 0 they multiply as they are.

    Examples
    --------
    >>> import numpy as np
    >>> table = np.zeros((2, len(COLUMNS)))
    >>> table[:, :6] = [[0.5, 0.1, 1, 1, 1, 0.5], [0.2, 0.4, 1, 1, 1, 0.25]]
    >>> product("(B+R)E", table, 0.0).round(3).tolist(), product("BRL", table, 0.0).round(3).tolist()
    ([0.3, 0.15], [0.05, 0.08])
    """
    if name not in ROWS:
        raise UsageError(f"there is no combination {name!r}; there are: {', '.join(ROWS)}.")
    scores: Mapping[str, Floats] = {each.partition(":")[2]: table[:, COLUMNS.index(each)] for each in SCORES}
    if name in scores:
        return scores[name]
    rest = name
    out: Floats = np.ones(len(table))
    if rest.startswith("(B+R)") or rest == "B+R":
        out, rest = out * (scores["B"] + scores["R"] + epsilon), rest.removeprefix("(B+R)").removeprefix("B+R")
    for letter in rest:
        for factor in ("Lb", "Lr", "Lf") if letter == "L" else (letter,):
            out = out * (scores[factor] + epsilon)
    return out
