"""Terms of the log-linear model of translations (Och & Ney 2002): their names, their order and their weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.arrays import Floats

# In the order of `runoff.kernels.decoder_options`.
TERMS = (
    "lm",
    "distortion",
    "words",
    "phrases",
    "unknown",
    "tm:inverse",
    "tm:inverse-lexical",
    "tm:direct",
    "tm:direct-lexical",
)
REORDERING_TERMS = tuple(
    f"reordering:{side}-{way}" for side in ("previous", "next") for way in ("monotone", "swap", "discontinuous")
)
# Those of Moses before tuning. Words that no phrase has are copied only where no longer phrase covers them.
_DEFAULTS = {"lm": 0.5, "distortion": 0.3, "words": 1.0, "phrases": 0.2, "unknown": -10.0}
_TABLE, _REORDERING = 0.2, 0.3


def term_names(*, reordering: bool) -> tuple[str, ...]:
    """Names of all terms, with or without those of lexicalised reordering.

    Examples
    --------
    >>> term_names(reordering=False)[:3], len(term_names(reordering=True))
    (('lm', 'distortion', 'words'), 15)
    """
    return TERMS + REORDERING_TERMS * reordering


def default_weights(*, reordering: bool) -> dict[str, float]:
    """Weights from which tuning starts.

    Examples
    --------
    >>> default_weights(reordering=False)["tm:direct"]
    0.2
    """
    rest = {name: _REORDERING if name in REORDERING_TERMS else _TABLE for name in term_names(reordering=reordering)}
    return rest | _DEFAULTS


def weight_vector(weights: Mapping[str, float], *, reordering: bool) -> Floats:
    """Weights in the order of all 15 terms; a term that is not named has none.

    Examples
    --------
    >>> weight_vector({"lm": 0.5, "words": 1}, reordering=False)[:3].tolist()
    [0.5, 0.0, 1.0]
    >>> weight_vector({"lmm": 0.5}, reordering=False)
    Traceback (most recent call last):
    runoff.errors.UsageError: there is no term 'lmm' to weigh; there are: lm, distortion, words, phrases, unknown, ...
    """
    names = term_names(reordering=reordering)
    for name, weight in weights.items():
        if name not in names:
            has_none = " (the phrase table has no reordering)" if name in REORDERING_TERMS else ""
            raise UsageError(f"there is no term {name!r} to weigh{has_none}; there are: {', '.join(names)}.")
        if isinstance(weight, (bool, str)) or not np.isfinite(weight):
            raise UsageError(f"the weight of {name} must be a finite number; found {weight!r}.")
    return frozen(np.array([weights.get(name, 0.0) for name in TERMS + REORDERING_TERMS], float))
