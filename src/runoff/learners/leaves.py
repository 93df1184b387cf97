"""Trees whose leaves become features for any learner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runoff.features.leaves import leaves_step

if TYPE_CHECKING:
    from runoff.nbest import NBest

DEPTH, RATE = 3, 0.1


def fit_leaves(train: NBest, trees: int = 20, *, depth: int = DEPTH, seed: int = 0) -> dict[str, Any]:
    """Grow boosted trees on lists with quality; the step that adds their leaves as features (He et al. 2014).

    Few, shallow trees, of all lists: a leaf is then a conjunction of a few conditions that many candidates meet, and
    what it is worth is left to the learner. At the cost of `TreeBoost` with as many rounds.

    Examples
    --------
    >>> from runoff.features import prepare
    >>> from runoff.nbest import NBest
    >>> X = [[0, 0], [1, 1], [1, 0], [0, 1]] * 10
    >>> train = NBest.from_arrays(X, quality=[0, 0, 1, 0] * 10, sizes=[4] * 10, feature_names=["a", "b"])
    >>> prepare(train, [fit_leaves(train, 1, depth=2)]).features.column_names().to_pylist()[2:]
    ['leaf:0:a<=0.5', 'leaf:0:a>0.5,b<=0.5', 'leaf:0:a>0.5,b>0.5']
    """
    from runoff.learners.tree_boost import TreeBoost

    learner = TreeBoost(rounds=trees, depth=depth, rate=RATE, loss="list", seed=seed, calibration="none")
    return leaves_step(learner.fit(train).trees, train.features.column_names())
