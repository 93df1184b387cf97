"""Combiners on disk: the file of their filter, a model, whose header says what it filters and how.

Rerankers are models in folders of the same file.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

from runoff.combine.combiner import RESOLUTIONS, Combiner, reader_of
from runoff.combine.evidence import KINDS
from runoff.combine.rerankers import Reranker
from runoff.errors import ModelError, brief
from runoff.model.file import add_model, load_parts
from runoff.opening.archive import write_archive
from runoff.registry import TASKS

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.model import LinearModel

_KEY, _RERANKERS = "combination", "rerankers"
_FIELDS = {
    "task": str,
    "systems": list,
    "kind": str,
    "price": float,
    "curve": list,
    "resolution": str,
    "learned": dict,
    "provenance": dict,
}


def save_combiner(combiner: Combiner, path: str | Path) -> None:
    """Write a combiner; see `Combiner.save`."""
    header = {
        "task": combiner.task,
        "systems": list(combiner.systems),
        "kind": combiner.kind,
        "price": float(combiner.price),
        "curve": [float(each) for each in combiner.curve],
        "resolution": combiner.resolution,
        "metric": combiner.metric,
        "learned": dict(combiner.learned),
        "provenance": dict(combiner.provenance),
    }
    if combiner.rerankers:
        header[_RERANKERS] = [{"name": each.name, "sharpness": float(each.sharpness)} for each in combiner.rerankers]
    provenance = {**combiner.model.provenance, _KEY: header}
    with write_archive(path) as archive:
        add_model(dataclasses.replace(combiner.model, provenance=provenance), archive)
        for number, each in enumerate(combiner.rerankers):
            add_model(each.model, archive.folder(_folder(number)))


def load_combiner(path: str | Path) -> Combiner:
    """Open a combiner that `Combiner.save` wrote; everything in it is checked.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from runoff.model import LinearModel
    >>> where = pathlib.Path(tempfile.mkdtemp()) / "filter.runoff"
    >>> Combiner(LinearModel.of({"bias": 1.0}), "roles", ("a", "b"), price=0.8).save(where)
    >>> load_combiner(where)
    Combiner(roles: a, b; LinearModel(1 of 1 weights, base 0))
    """
    model, *models = load_parts(path, _folders_of)
    header: Any = model.provenance.get(_KEY)
    if header is None:
        raise ModelError(
            f"{path} is a model of whole candidates and no combiner; make one with `runoff combine train`."
        )
    wrong = _wrong(header)
    if wrong:
        raise ModelError(f"{path} is damaged: {wrong}.")
    intercept, slope = map(float, header["curve"])
    return Combiner(
        model,
        header["task"],
        tuple(header["systems"]),
        header["kind"],
        header["price"],
        (intercept, slope),
        header["resolution"],
        header["metric"],
        header["learned"],
        header["provenance"],
        tuple(
            Reranker(told["name"], each, float(told["sharpness"]))
            for told, each in zip(header.get(_RERANKERS, []), models, strict=True)
        ),
    )


def _folder(number: int) -> str:
    return f"reranker{number}"


def _folders_of(model: LinearModel) -> list[str]:
    """Folders of the rerankers that a filter's header names; none where it is damaged, which is said later."""
    header: Any = model.provenance.get(_KEY)
    told = header.get(_RERANKERS, []) if isinstance(header, dict) else []
    return [_folder(number) for number in range(len(told))] if isinstance(told, list) else []


def is_combiner(model: Any) -> bool:
    """Whether a model is the filter of a combiner."""
    return _KEY in model.provenance


def _wrong(header: Any) -> str:
    """What is wrong with a header, in words; empty if nothing is."""
    if not isinstance(header, dict):
        return f"the settings of its combination are {brief(header)}"
    for name, kind in _FIELDS.items():
        if type(header.get(name)) is not kind:
            return f"{name!r} of its combination must be of the type {kind.__name__}; found {brief(header.get(name))}"
    if not isinstance(header.get("metric", 0), str | None):
        return f"its metric is {brief(header.get('metric'))}"
    systems, curve = header["systems"], header["curve"]
    if not systems or not all(isinstance(each, str) and each for each in systems) or len(set(systems)) < len(systems):
        return "its systems must have different names"
    wrong = _wrong_rerankers(header.get(_RERANKERS, []), systems)
    if wrong:
        return wrong
    if len(curve) != 2 or not all(type(each) in (int, float) and math.isfinite(each) for each in curve):
        return "its curve must be two numbers"
    if not math.isfinite(header["price"]) or header["kind"] not in KINDS or header["resolution"] not in RESOLUTIONS:
        return "its price, kind of evidence or resolution is not one that Runoff knows"
    if header["task"] not in TASKS or TASKS[header["task"]].parts(header["metric"]) is None:
        return f"there is no task {brief(header['task'])} whose candidates have parts"
    try:
        reader_of(header["task"], header["metric"]).restored(header["learned"])
    except ModelError as error:
        return str(error)
    return ""


def _wrong_rerankers(told: Any, systems: list[str]) -> str:
    if not isinstance(told, list) or not all(isinstance(each, dict) for each in told):
        return f"its rerankers are {brief(told)}"
    for each in told:
        sharpness = each.get("sharpness")
        if type(sharpness) not in (int, float) or not math.isfinite(sharpness) or sharpness <= 0:
            return f"how sharp a reranker is must be a number above 0; found {brief(sharpness)}"
    names = [each.get("name") for each in told]
    if any(name not in systems for name in names) or len(set(names)) < len(names):
        return "its rerankers must be different ones of its systems"
    return ""
