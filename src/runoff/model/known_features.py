"""Whether data has features that a model weighs: a model that knows none of them would choose blindly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.arrays import frozen
from runoff.errors import ModelError
from runoff.features import align, source_columns
from runoff.features.first_choice import COLUMN
from runoff.features.first_choice import STEP as FIRST_CHOICE
from runoff.features.steps import added_columns
from runoff.tables import counted, shorten

if TYPE_CHECKING:
    from runoff.arrays import Bools, Ints
    from runoff.model.linear import LinearModel
    from runoff.nbest import Features, NBest

_NAMED, _WIDTH = 3, 40  # names in a message, and the characters of each


def known_columns(model: LinearModel, prepared: Features, *, some: bool = False) -> Ints:
    """Index of every column of prepared data among those of the model, -1 for one that it does not know. O(columns).

    Raises where there are columns and the model knows none. Data without any column passes, unless there must be
    `some`: what a candidate does not name is zero, and in a single list all may be.
    """
    columns = align(prepared, model.names)
    own = ~_is_added(model, prepared)  # steps make some of any data
    weighs_features = model.n_active > sum(step["step"] == FIRST_CHOICE for step in model.preparation)
    if weighs_features and not np.any(columns[own] >= 0) and (some or own.any()):
        raise ModelError(
            f"the model knows none of the features of this data: it weighs {_listed(_weighed(model))}, and the data "
            f"has {_listed([name for name in prepared.column_names().to_pylist() if name != COLUMN])}. "
            "Give it lists with the features that it was trained on."
        )
    return columns


def check_features(model: LinearModel, data: NBest) -> None:
    """Raise unless the data, which is all there is to choose from, has a feature that the model weighs.

    Examples
    --------
    >>> from runoff.model import LinearModel
    >>> from runoff.nbest import NBest
    >>> check_features(LinearModel.of({"lm": 1.0}), NBest.from_arrays(texts=["a", "b"], sizes=[2]))
    Traceback (most recent call last):
    runoff.errors.ModelError: the model knows none of the features of this data: it weighs 1 feature (lm), and ...
    """
    known_columns(model, model.prepare(data).features, some=True)


def _is_added(model: LinearModel, prepared: Features) -> Bools:
    added = added_columns(model.preparation)
    if not added:
        return np.zeros(prepared.n_columns, bool)
    names = pa.array(added, pa.large_string())
    return frozen(pc.is_in(prepared.column_names(), value_set=names).to_numpy(zero_copy_only=False))


def _weighed(model: LinearModel) -> list[str]:
    """Columns of the data that the model weighs, those with the largest weights first."""
    names = [name for name, _ in model.heaviest(model.n_active) if name != COLUMN]
    return source_columns(names, model.preparation)


def _listed(names: list[str]) -> str:
    if not names:
        return "none"
    shown = [shorten(name, _WIDTH) for name in names[:_NAMED]] + ["…"] * (len(names) > _NAMED)
    return f"{counted(len(names), 'features')} ({', '.join(shown)})"
