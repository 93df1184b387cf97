"""Everything about one list, for a viewer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.errors import RunoffError, UsageError
from runoff.server.study import OUTCOMES

if TYPE_CHECKING:
    from runoff.arrays import Ints
    from runoff.nbest import NBest
    from runoff.ranking import Ranking
    from runoff.server.study import Study

_MOST = 1_000  # candidates that are shown
_REASONS = 40  # features of an explanation


def group_page(study: Study, at: int, rival: int | None = None, changed: Ranking | None = None) -> dict[str, Any]:
    """A list with its candidates, best first, and why the choice leads a rival (by default the first round's choice).

    `changed` is the ranking by changed weights, if there are such.

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
    if rival is not None and not 0 <= rival < stop - start:
        raise UsageError(f"this list has {stop - start:,} candidates, counted from 0; found {rival}.")
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
        "readable": study.task.is_readable,
        "candidates": _candidates(study, start, stop, changed),
        "rival": rival,
        "explanation": None,
        "drawings": [],
    }
    if start == stop:
        return out
    part = data[at]
    if study.model is not None and stop - start > 1:
        out["explanation"] = _explanation(study, at, rival)
        out["rival"] = out["explanation"].get("rival", {}).get("index", rival)
    winner = int(study.chosen.rows[start]) - start
    drawn = [_drawing(study, part, "reference", None, each) for each in (out["references"] or [])[:1]]
    drawn.append(_drawing(study, part, "winner", winner))
    if out["rival"] is not None:
        drawn.append(_drawing(study, part, "rival", out["rival"]))
    out["drawings"] = [each for each in drawn if each is not None]
    return out


def _candidates(study: Study, start: int, stop: int, changed: Ranking | None) -> list[dict[str, Any]]:
    data = study.data

    def ranks(order: Ranking | None) -> Ints | None:
        return None if order is None else _places(order.rows[start:stop] - start)

    chosen, first = (_places(order.rows[start:stop] - start) for order in (study.chosen, study.first))
    other = ranks(None if study.other is None else study.other.chosen)
    moved = ranks(changed)
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
                "other_rank": None if other is None else int(other[index]) + 1,
                "changed_rank": None if moved is None else int(moved[index]) + 1,
                "base": None if data.base is None else float(data.base[row]),
                "quality": None if study.quality is None else float(study.quality[row]),
                "score": None if study.model is None else float(study.scores[row]),
                "probability": None if study.probabilities is None else float(study.probabilities[row]),
                "votes": 1 if copies is None or sizes is None else int(sizes[copies[index]]),
                "cluster": index if copies is None else int(copies[index]),
            }
        )
    return out


def _explanation(study: Study, at: int, rival: int | None) -> dict[str, Any]:
    assert study.model is not None  # noqa: S101 - the caller has looked
    try:
        found = study.model.explain(study.data, at, rival).to_dict()
    except RunoffError as error:
        return {"problem": str(error)}
    found["left_out"] = max(0, len(found["contributions"]) - _REASONS)
    found["contributions"] = found["contributions"][:_REASONS]
    return found


def _drawing(
    study: Study, part: NBest, role: str, index: int | None, reference: str | None = None
) -> dict[str, Any] | None:
    """What the task draws of a candidate, or of a reference."""
    text = reference if index is None or part.texts is None else part.texts[index].as_py()
    if text is None:
        return None
    try:
        found = study.task.drawing(part, text, index, study.model)
    except RunoffError as error:
        return {"role": role, "index": index, "problem": str(error)}
    return None if found is None else {"role": role, "index": index, **found.to_dict()}


def _places(order: Ints) -> Ints:
    """The place of each, from the order of all."""
    out = np.empty(order.size, np.int64)
    out[order] = np.arange(order.size)
    return out
