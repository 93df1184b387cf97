"""Bagging: the mean of what a learner makes of bootstrap samples of its lists."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.engines import current
from runoff.errors import UsageError
from runoff.features import prepare
from runoff.learners.early_stopping import dev_entry_of
from runoff.learners.feature_scaling import spread_within
from runoff.model import weighted_sum
from runoff.nbest.blocks import blocks
from runoff.progress import progress
from runoff.ranking import informative

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from runoff.arrays import Ints
    from runoff.learners.base import Learner
    from runoff.model import LinearModel
    from runoff.nbest import NBest

# Settings of learners whose models are averaged: features are made once, for all of them.
OF_MEMBERS: dict[str, Any] = {"bags": 0, "group_ranks": False, "leaves": 0, "products": 0, "missing": "mean"}
_OF_ONE_MODEL = ("loss", "active", "converged", "drift")  # what the provenance of a mean does not say


def bagged(settled: Learner, chosen: LinearModel, train: NBest, dev: NBest | None, made: int) -> LinearModel:
    """The mean of the models of `settled.bags` samples (Breiman 1996); after Ctrl-C the model that chose the settings.

    `settled` has nothing left to choose. `train` has the features that the first `made` steps of the preparation of
    `chosen` make; those that the learner makes by itself are fixed here too, so that all models weigh the same ones.
    Costs so many trainings.
    """
    own = chosen.preparation[made:]
    train = prepare(dataclasses.replace(train, rows=None), own, keep_missing=settled.keeps_missing)
    bags, once, models = settled.bags, settled.set_params(**OF_MEMBERS), []
    provenance = {name: value for name, value in chosen.provenance.items() if name not in _OF_ONE_MODEL}
    try:
        with progress(f"{settled.name}, bootstrap samples", bags, verbose=settled.verbose) as step:
            engine, drawn = current(), samples(train, bags, settled.seed, settled.group_by)
            for model in engine.map(_model_of, drawn, engine.share(once), engine.share(train), alone=True):
                models.append(_usable(model, chosen, settled.name))
                step(len(models))
    except KeyboardInterrupt:
        cut = {"finished": False, "interrupted_in": [*provenance.get("interrupted_in", []), "bags"]}
        return dataclasses.replace(chosen, provenance={**chosen.provenance, **cut})
    mean, _ = mean_of(train, models)
    if dev is not None and "dev" in provenance:
        dev = prepare(dev, own, keep_missing=settled.keeps_missing)
        provenance["dev"] = dev_entry_of(mean, dev, settled.metric_for(train))
    return dataclasses.replace(mean, preparation=chosen.preparation, provenance={**provenance, "bags": bags})


def _model_of(lists: Ints, learner: Learner, train: NBest) -> LinearModel:
    """The model of a sample."""
    return learner.fit(train[lists]).model


def _usable(model: LinearModel, chosen: LinearModel, name: str) -> LinearModel:
    """The model of a sample, which must weigh the features of the one that chose."""
    if model.provenance.get("finished") is False:
        raise KeyboardInterrupt
    if model.votes is not None or not model.names.equals(chosen.names):
        raise UsageError(
            f"with these settings {name} makes features or votes of its own from every sample, so that its models have "
            "no mean; leave out bags, or take another learner, such as crf or trees."
        )
    return model


def samples(train: NBest, bags: int, seed: int, group_by: str | None = None) -> Iterator[Ints]:
    """Lists of bootstrap samples, in their order; lists that belong together are drawn together, see `runoff.blocks`.

    Blocks without anything to learn from are left out, and as many are drawn as there are others.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> train = NBest.from_arrays(quality=[0, 1] * 5, sizes=[2] * 5, inputs=["a", "b", "a", "c", "d"])
    >>> [lists.tolist() for lists in samples(train, 3, seed=0)]
    [[1, 3, 3, 4], [3, 3, 4, 4], [0, 1, 1, 2, 4]]
    """
    block_of = blocks(train, group_by).numbers
    usable = np.unique(block_of[informative(train)])
    for bag in range(bags):
        drawn = np.random.default_rng([seed, bag]).choice(usable, usable.size)
        times = np.bincount(drawn, minlength=int(block_of.max()) + 1)
        yield np.repeat(np.arange(len(train)), times[block_of])


def mean_of(data: NBest, models: Sequence[LinearModel]) -> tuple[LinearModel, list[float]]:
    """The mean of models whose scores are brought to the spread of the first that orders anything; and the shares."""
    spreads = [spread_within(data, model.scores(data)) for model in models]
    usable = [0 < spread < np.inf for spread in spreads]  # a model that orders nothing adds nothing
    unit = next((spread for spread, is_usable in zip(spreads, usable, strict=True) if is_usable), 1.0)
    shares = [unit / spread / sum(usable) if ok else 0.0 for spread, ok in zip(spreads, usable, strict=True)]
    return weighted_sum(models, shares), shares
