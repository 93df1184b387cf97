"""Which lists a viewer shows: filtered, searched, sorted, and a page of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from runoff.errors import UsageError
from runoff.opening.mapped import release_pages
from runoff.parallel import in_threads
from runoff.server.study import OUTCOMES
from runoff.server.what_if import WhatIf

if TYPE_CHECKING:
    import pyarrow as pa

    from runoff.arrays import Bools, Floats, Ints
    from runoff.server.study import Study

SHOWN = "all", "changed", "better", "worse", "missed", "unsure", "moved", "differ", "ahead", "behind"
ORDERS = "input", "gain", "loss", "confidence", "regret"
_OF_TWO = "differ", "ahead", "behind"
_UNSURE = 0.5  # confidence below which a choice counts as unsure
_LONGEST = 160  # characters of a text in the list
_LONGEST_SEARCH = 1_000
_PIECE = 1 << 18  # texts that are searched at once


@dataclass(frozen=True)
class Wanted:
    """Which lists are asked for, in which order; `factors` are those of changed weights, for the lists that move."""

    show: str = "all"
    search: str = ""
    order: str = "input"
    factors: tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        for what, value, known in (("filter", self.show, SHOWN), ("order", self.order, ORDERS)):
            if value not in known:
                raise UsageError(f"there is no {what} {value!r}; there are: {', '.join(known)}.")
        if len(self.search) > _LONGEST_SEARCH:
            raise UsageError(f"a search has at most {_LONGEST_SEARCH:,} characters; found {len(self.search):,}.")


class GroupList:
    """The lists of a study, page by page; what was asked last is remembered.

    A page of a million lists takes the time of the filter, which is a comparison of arrays, and of the search, which
    reads the texts once.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> from runoff.server.study import Study
    >>> data = NBest.from_arrays(texts=["a cat", "a dog"], quality=[0, 1], sizes=[1, 1])
    >>> GroupList(Study(data)).page(Wanted(search="DOG"))["total"]
    1
    """

    def __init__(self, study: Study, what_if: WhatIf | None = None) -> None:
        self.study = study
        self._what_if = what_if or WhatIf(study)
        self._found = lru_cache(maxsize=8)(self._find)

    def numbers(self, wanted: Wanted) -> Ints:
        """Numbers of the lists that pass, in this order."""
        return self._found(wanted)

    def page(self, wanted: Wanted, start: int = 0, size: int = 50) -> dict[str, Any]:
        """Some of them, as plain values."""
        found = self.numbers(wanted)
        start = max(0, start)
        return {
            "total": int(found.size),
            "start": start,
            "groups": [self.summary(at) for at in found[start : start + size].tolist()],
        }

    def place(self, wanted: Wanted, at: int) -> int | None:
        """The place of a list among those that pass, from 0; None if it does not."""
        found = np.flatnonzero(self.numbers(wanted) == at)
        return int(found[0]) if found.size else None

    def summary(self, at: int) -> dict[str, Any]:
        """A line about one list."""
        study, data = self.study, self.study.data
        start, stop = int(data.offsets[at]), int(data.offsets[at + 1])
        chosen = None if start == stop else int(study.chosen.rows[start])
        text = None
        if data.texts is not None and chosen is not None and (study.task.is_readable or data.inputs is None):
            text = data.texts[chosen].as_py()
        elif data.inputs is not None:
            text = data.inputs[at].as_py()
        return {
            "at": at,
            "id": data.group_ids[at].as_py(),
            "outcome": OUTCOMES[int(study.outcomes[at])],
            "gain": float(study.gains[at]),
            "regret": float(study.regrets[at]),
            "confidence": None if study.model is None else float(study.confidences[at]),
            "candidates": stop - start,
            "text": None if text is None else text[:_LONGEST],
        }

    def _find(self, wanted: Wanted) -> Ints:
        passing = self._passing(wanted)
        if wanted.search:
            passing = passing & self._matching(wanted.search)
        rows = np.flatnonzero(passing)
        if wanted.order == "input":
            return rows
        keys = self._keys(wanted.order)[rows]
        return rows[np.argsort(keys, kind="stable")]

    def _keys(self, order: str) -> Floats:
        """Numbers by which lists are sorted, from low to high."""
        study = self.study
        if order == "confidence":
            return study.confidences
        if order == "regret":
            return -study.regrets
        return study.gains if order == "loss" else -study.gains

    def _passing(self, wanted: Wanted) -> Bools:
        study, show = self.study, wanted.show
        if show in _OF_TWO and study.other is None:
            raise UsageError(f"the filter {show!r} needs a second model: runoff view MODEL DATA --compare MODEL2.")
        found: Bools
        match show:
            case "changed":
                found = np.isin(study.outcomes, [OUTCOMES.index(name) for name in ("better", "worse", "equal")])
            case "better" | "worse":
                found = study.outcomes == OUTCOMES.index(show)
            case "missed":
                found = study.regrets > 0
            case "unsure":
                found = study.confidences < _UNSURE
            case "moved":
                found = self._what_if.moved(dict(wanted.factors))
            case "ahead" | "behind":
                found = study.versus > 0 if show == "ahead" else study.versus < 0
            case "differ" if study.other is not None:
                found = study.chosen.indices != study.other.chosen.indices
            case _:
                found = np.ones(len(study.data), bool)
        return found

    def _matching(self, search: str) -> Bools:
        """Lists whose id, input, or any candidate has the text, whatever its case."""
        data = self.study.data
        out = _has(data.group_ids, search)
        if data.inputs is not None:
            out |= _has(data.inputs, search)
        if data.texts is not None:
            out[np.searchsorted(data.offsets, np.flatnonzero(_has(data.texts, search)), side="right") - 1] = True
        release_pages()  # all texts were read, for a few lists
        return out


def _has(texts: pa.Array, search: str) -> Bools:
    """Texts that have the search, whatever its case; pieces of them are searched side by side."""

    def piece(start: int) -> Bools:
        found = pc.match_substring(texts[start : start + _PIECE], search, ignore_case=True)
        return np.array(found.fill_null(False), np.bool_)

    return np.concatenate(in_threads(piece, range(0, max(1, len(texts)), _PIECE)))
