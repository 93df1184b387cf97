"""Features of pieces of the lists, made by the workers of an engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.engines import current
from runoff.nbest.joining import joined_features
from runoff.nbest.list_pieces import list_cuts

if TYPE_CHECKING:
    from runoff.features.featurizer import Featurizer
    from runoff.nbest import Features, NBest


def made_on_workers(featurizer: Featurizer, data: NBest) -> NBest | None:
    """What `transform` makes of the lists, piece by piece; None where this process is to do it.

    For fitted featurizers by which the features of a list depend on that list alone, so that they are the same.
    """
    engine, cuts = current(), list_cuts(data)
    if engine.is_here or len(cuts) == 1:
        return None
    made = engine.map(_features_of, cuts, engine.share(data), engine.share(featurizer))
    return data.replace(features=joined_features(list(made)))


def _features_of(cut: tuple[int, int], data: NBest, featurizer: Featurizer) -> Features:
    return featurizer.transform(data[cut[0] : cut[1]]).features
