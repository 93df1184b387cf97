"""Everything about one list, for a viewer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.errors import RunoffError, UsageError
from runoff.server.study import OUTCOMES

if TYPE_CHECKING:
    from runoff.server.study import Study

_MOST = 1_000  # candidates that are shown
_REASONS = 40  # features of an explanation


def group_page(study: Study, at: int, rival: int | None = None) -> dict[str, Any]:
    """A list with its candidates, best first, and why the choice leads a rival (by default the first round's choice).

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> from runoff.server.study import Study
    >>> data = NBest.from_arrays(texts=["a cat", "a dog"], base=[1, 2], quality=[0, 1], sizes=[2])
    >>> [each["text"] for each in group_page(Study(data), 0)["candidates"]]
    ['a dog', 'a cat']
    """
    data = study.data
    if not 0 <= at < len(data):
        raise UsageError(f"there are {len(data):,} lists, counted from 0; found {at}.")
    start, stop = int(data.offsets[at]), int(data.offsets[at + 1])
    out: dict[str, Any] = {
        "at": at,
        "id": data.group_ids[at].as_py(),
        "outcome": OUTCOMES[int(study.outcomes[at])],
        "gain": float(study.gains[at]),
        "regret": float(study.regrets[at]),
        "confidence": None if study.model is None else float(study.confidences[at]),
        "input": None if data.inputs is None else data.inputs[at].as_py(),
        "references": None if data.references is None else data.references[at].as_py(),
        "attributes": {name: column[at].as_py() for name, column in data.attributes.items()},
        "size": stop - start,
        "candidates": _candidates(study, start, stop),
        "explanation": None,
    }
    if study.model is not None and stop - start > 1:
        out["explanation"] = _explanation(study, at, rival)
    return out


def _candidates(study: Study, start: int, stop: int) -> list[dict[str, Any]]:
    data = study.data
    chosen, first = (ranks_of(order.rows[start:stop] - start) for order in (study.chosen, study.first))
    copies = None if data.first_copies is None else data.first_copies[start:stop] - start
    sizes = None if copies is None else np.bincount(copies, minlength=stop - start)
    out = []
    for index in np.argsort(chosen, kind="stable")[:_MOST].tolist():
        row = start + index
        out.append(
            {
                "index": index,
                "id": None if data.candidate_ids is None else data.candidate_ids[row].as_py(),
                "text": None if data.texts is None else data.texts[row].as_py(),
                "rank": int(chosen[index]) + 1,
                "first_rank": int(first[index]) + 1,
                "base": None if data.base is None else float(data.base[row]),
                "quality": None if study.quality is None else float(study.quality[row]),
                "score": float(study.scores[row]),
                "probability": None if study.probabilities is None else float(study.probabilities[row]),
                "copies": 1 if copies is None or sizes is None else int(sizes[copies[index]]),
            }
        )
    return out


def _explanation(study: Study, at: int, rival: int | None) -> dict[str, Any] | None:
    assert study.model is not None  # noqa: S101 - the caller has looked
    try:
        found = study.model.explain(study.data, at, rival).to_dict()
    except RunoffError as error:
        return {"problem": str(error)}
    found["left_out"] = max(0, len(found["contributions"]) - _REASONS)
    found["contributions"] = found["contributions"][:_REASONS]
    return found


def ranks_of(order: Any) -> Any:
    """The place of each, from the order of all."""
    out = np.empty(order.size, np.int64)
    out[order] = np.arange(order.size)
    return out
