"""Fusion as baselines: what rankings of several systems are worth without training, for lists that tell their scores.

The systems are known by the columns of the data: `NAME:found`, `NAME:rank` and `NAME:score` of merged lists, or
`score:TAG` and `reciprocal_rank:TAG` of TREC runs. Columns are held in single precision, so that scores which differ
less than that count as equal here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.combine.fusion import Fusion, SystemScores
from runoff.ranking import by_score

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.nbest import NBest
    from runoff.ranking import Ranking

FUSIONS: dict[str, tuple[str, Fusion]] = {  # name -> label, method
    "rrf": ("reciprocal rank fusion", Fusion("rrf")),
    "combsum": ("CombSUM (min-max)", Fusion("combsum")),
    "combsum-z": ("CombSUM (z)", Fusion("combsum", "z")),
    "combmnz": ("CombMNZ (min-max)", Fusion("combmnz")),
    "borda": ("Borda", Fusion("borda")),
    "isr": ("ISR", Fusion("isr")),
    "log-isr": ("log-ISR", Fusion("log-isr")),
}


def fused_choices(data: NBest) -> dict[str, Ranking]:
    """The rankings of `FUSIONS`, by name; none unless the data tells the scores or places of two systems or more.

    Ties are broken by the first round. O(systems x candidates).

    Examples
    --------
    >>> from runoff.combine.merge import merge
    >>> from runoff.nbest import NBest
    >>> one = NBest.from_arrays(texts=["a bat", "a cat"], base=[-1.0, -3.0], sizes=[2])
    >>> two = NBest.from_arrays(texts=["a cat", "the cat"], base=[7.5, 2.5], sizes=[2])
    >>> fused_choices(merge({"one": one, "two": two}))["rrf"].indices.tolist()
    [1]
    """
    told = scores_of_systems(data)
    if told is None:
        return {}
    return {name: by_score(data, fusion.scores(told)) for name, (_, fusion) in FUSIONS.items()}


def systems_in(data: NBest) -> list[tuple[str, str | None]]:
    """Columns of every system: of its places, and of its scores if it has any."""
    names = data.features.column_names().to_pylist()
    known = frozenset(names)
    merged = [name.removesuffix(":found") for name in names if name.endswith(":found")]
    systems: list[tuple[str, str | None]] = [
        (f"{name}:rank", f"{name}:score" if f"{name}:score" in known else None)
        for name in merged
        if f"{name}:rank" in known
    ]
    tags = [name.removeprefix("score:") for name in names if name.startswith("score:")]
    runs: list[tuple[str, str | None]] = [
        (f"reciprocal_rank:{tag}", f"score:{tag}") for tag in tags if f"reciprocal_rank:{tag}" in known
    ]
    return next((found for found in (systems, runs) if len(found) > 1), [])


def scores_of_systems(data: NBest) -> SystemScores | None:
    """What the systems of merged lists or runs say of every candidate; None where there are not several."""
    systems = systems_in(data)
    if not systems:
        return None
    names = data.features.column_names().to_pylist()
    at = {name: number for number, name in enumerate(names)}
    table = data.features.check(missing=True).to_scipy().tocsc()

    def column(name: str) -> Floats:
        return table[:, [at[name]]].toarray()[:, 0].astype(np.float64)

    ranks = np.stack([column(places) for places, _ in systems])
    found = np.isfinite(ranks) & (ranks > 0)
    places = np.zeros(ranks.shape, np.int64)
    places[found] = np.rint(1 / ranks[found])
    scores = np.stack([ranks[row] if score is None else column(score) for row, (_, score) in enumerate(systems)])
    return SystemScores(data.offsets, frozen(np.where(found, scores, 0.0)), frozen(places))
