"""Which lists a viewer shows: filtered, searched, sorted, and a page of them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.errors import UsageError
from runoff.server.study import OUTCOMES

if TYPE_CHECKING:
    from runoff.arrays import Bools, Ints
    from runoff.server.study import Study

SHOWN = "all", "changed", "better", "worse", "missed", "unsure"
ORDERS = "input", "gain", "loss", "confidence", "regret"
_UNSURE = 0.5  # confidence below which a choice counts as unsure
_LONGEST = 160  # characters of a text in the list


class GroupList:
    """The lists of a study, page by page; what was asked last is remembered.

    A page of a million lists takes the time of the filter, which is a comparison of arrays, and of the search, which
    reads the texts once.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> from runoff.server.study import Study
    >>> data = NBest.from_arrays(texts=["a cat", "a dog"], quality=[0, 1], sizes=[1, 1])
    >>> GroupList(Study(data)).page(search="DOG")["total"]
    1
    """

    def __init__(self, study: Study) -> None:
        self.study = study
        self._found = lru_cache(maxsize=8)(self._find)

    def numbers(self, show: str = "all", search: str = "", order: str = "input") -> Ints:
        """Numbers of the lists that pass, in this order."""
        if show not in SHOWN:
            raise UsageError(f"there is no filter {show!r}; there are: {', '.join(SHOWN)}.")
        if order not in ORDERS:
            raise UsageError(f"there is no order {order!r}; there are: {', '.join(ORDERS)}.")
        return self._found(show, search, order)

    def page(
        self, show: str = "all", search: str = "", order: str = "input", start: int = 0, size: int = 50
    ) -> dict[str, Any]:
        """Some of them, as plain values."""
        found = self.numbers(show, search, order)
        rows = found[max(0, start) : max(0, start) + size].tolist()
        return {"total": int(found.size), "start": start, "groups": [self.summary(at) for at in rows]}

    def summary(self, at: int) -> dict[str, Any]:
        """A line about one list."""
        study, data = self.study, self.study.data
        start, stop = int(data.offsets[at]), int(data.offsets[at + 1])
        chosen = None if start == stop else int(study.chosen.rows[start])
        text = None
        if data.texts is not None and chosen is not None:
            text = data.texts[chosen].as_py()
        elif data.inputs is not None:
            text = data.inputs[at].as_py()
        return {
            "at": at,
            "id": data.group_ids[at].as_py(),
            "outcome": OUTCOMES[int(study.outcomes[at])],
            "gain": float(study.gains[at]),
            "regret": float(study.regrets[at]),
            "confidence": float(study.confidences[at]),
            "candidates": stop - start,
            "text": None if text is None else text[:_LONGEST],
        }

    def _find(self, show: str, search: str, order: str) -> Ints:
        passing = self._passing(show)
        if search:
            passing = passing & self._matching(search)
        rows = np.flatnonzero(passing)
        if order == "input":
            return rows
        study = self.study
        by = study.confidences if order == "confidence" else study.regrets if order == "regret" else study.gains
        keys = by[rows] if order in {"confidence", "loss"} else -by[rows]
        return rows[np.argsort(keys, kind="stable")]

    def _passing(self, show: str) -> Bools:
        study = self.study
        if show == "changed":
            return np.isin(study.outcomes, [OUTCOMES.index(name) for name in ("better", "worse", "equal")])
        if show in OUTCOMES:
            found: Bools = study.outcomes == OUTCOMES.index(show)
            return found
        if show == "missed":
            return study.regrets > 0
        if show == "unsure":
            return study.confidences < _UNSURE
        return np.ones(len(study.data), bool)

    def _matching(self, search: str) -> Bools:
        """Lists whose id, input, or any candidate has the text, whatever its case."""
        data = self.study.data
        out = _has(data.group_ids, search)
        if data.inputs is not None:
            out |= _has(data.inputs, search)
        if data.texts is not None:
            out[np.searchsorted(data.offsets, np.flatnonzero(_has(data.texts, search)), side="right") - 1] = True
        return out


def _has(texts: pa.Array, search: str) -> Bools:
    found: Bools = np.array(pc.match_substring(texts, search, ignore_case=True).fill_null(False), np.bool_)
    return found
