"""What scikit-learn asks of its classifiers: rows, labels, and what is said where they are wrong.

scikit-learn need not be installed. Where it is loaded, errors and warnings are also of its kinds.
"""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.errors import DataError, UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_COLUMN = "A column-vector y was passed when a 1d array was expected; its only column is taken."


def as_csr(X: Any) -> Any:
    """Rows as a CSR matrix of single precision without stored zeros."""
    from scipy import sparse

    given: Any = X if sparse.issparse(X) else np.asarray(X)
    if given.dtype.kind == "c":
        raise DataError("Complex data not supported: features must be real numbers.")
    if given.ndim != 2:
        raise DataError(
            f"rows of features have two dimensions; found the shape {given.shape}. Reshape your data: a single row is "
            "[[1.0, 2.0]]."
        )
    for size, what in zip(given.shape, ("sample", "feature"), strict=True):
        if not size:
            raise DataError(f"0 {what}(s) (shape={given.shape}) while a minimum of 1 is required.")
    if sparse.issparse(X):
        table = given.tocsr().astype(np.float32, copy=True)
    else:
        table = sparse.csr_array(np.asarray(X, dtype=np.float32))
    table.sum_duplicates()
    table.eliminate_zeros()
    if np.isinf(table.data).any():
        raise DataError("features must be finite, or NaN where they are missing; some are infinite.")
    return table


def as_labels(y: Any, rows: int) -> NDArray[Any]:
    """Labels, one for every row.

    Examples
    --------
    >>> as_labels(["yes", "no"], 2).tolist()
    ['yes', 'no']
    """
    if y is None:
        raise DataError("AdaBoost requires y to be passed, but the target y is None.")
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        warnings.warn(_COLUMN, _of_scikit_learn("DataConversionWarning", UserWarning), stacklevel=3)
        labels = labels[:, 0]
    if labels.shape != (rows,):
        raise DataError(f"there are {rows:,} rows and labels of the shape {labels.shape}; y should be a 1d array.")
    if labels.dtype.kind == "f" and not np.all(labels == np.rint(labels)):
        raise DataError(
            f"labels must name classes, and these are continuous, such as {labels[labels % 1 != 0][0]:.6g}."
        )
    return labels


def not_fitted(message: str) -> UsageError:
    """The error of a classifier that has not learned anything, for scikit-learn's tools too."""
    kind = _of_scikit_learn("NotFittedError", UsageError)
    return UsageError(message) if kind is UsageError else type("NotFittedError", (UsageError, kind), {})(message)


def _of_scikit_learn(name: str, otherwise: type) -> Any:
    """A class of scikit-learn's exceptions, if somebody has loaded it."""
    return getattr(sys.modules.get("sklearn.exceptions"), name, otherwise)
