"""Array types used across the package."""

from __future__ import annotations

from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Singles: TypeAlias = NDArray[np.float32]
Ints: TypeAlias = NDArray[np.int64]
Columns: TypeAlias = NDArray[np.int32]
Bools: TypeAlias = NDArray[np.bool_]


Scalar = TypeVar("Scalar", bound=np.generic)


def frozen(array: NDArray[Scalar]) -> NDArray[Scalar]:
    """A read-only view, so that a shared array cannot be changed by accident."""
    view = array.view()
    view.flags.writeable = False
    return view
