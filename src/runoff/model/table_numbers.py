"""Numbers in the tables of a model's file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from runoff.nbest.arrow_numbers import as_numpy
from runoff.opening.limits import DamagedFileError

if TYPE_CHECKING:
    from numpy.typing import NDArray


def numbers_of(column: pa.ChunkedArray, kind: Any) -> NDArray[Any]:
    """The numbers of a column, all of which must be there and be what they are taken for.

    Examples
    --------
    >>> numbers_of(pa.chunked_array([[1, 2]]), np.int64).tolist()
    [1, 2]
    """
    array = column.combine_chunks()
    if array.null_count or array.type != pa.from_numpy_dtype(kind):
        raise DamagedFileError(f"a column that should be {np.dtype(kind)} is {array.type} or has gaps")
    found: NDArray[Any] = as_numpy(array)
    return found
