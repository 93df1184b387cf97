"""Trees whose leaves become features for any learner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runoff.errors import UsageError
from runoff.features.leaves import apply_leaves, leaves_step
from runoff.nbest.blocks import blocks

if TYPE_CHECKING:
    from runoff.nbest import NBest

FORESTS, DEPTH, RATE = 2, 3, 0.1


def fit_leaves(
    train: NBest, trees: int = 40, *, depth: int = DEPTH, seed: int = 0, group_by: str | None = None
) -> tuple[dict[str, Any], NBest]:
    """Grow boosted trees; the step that adds their leaves as features (He et al. 2014), and the lists with them.

    With cross-fitting: each half of the lists gets the leaves of trees that were grown on the other half, since leaves
    look far better than they are on the lists that they were made for. At the cost of `TreeBoost` with as many rounds.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> X = [[0, 0], [1, 1], [1, 0], [0, 1]] * 40
    >>> train = NBest.from_arrays(X, quality=[0, 0, 1, 0] * 40, sizes=[4] * 40, feature_names=["a", "b"])
    >>> step, ready = fit_leaves(train, 1, depth=2)
    >>> ready.features.column_names().to_pylist()[2:5]
    ['leaf:0:a<=0.5', 'leaf:0:a>0.5,b<=0.5', 'leaf:0:a>0.5,b>0.5']
    """
    from runoff.learners.tree_boost import TreeBoost

    fold_of = blocks(train, group_by).folds_up_to(FORESTS, seed)
    folds = int(fold_of.max(initial=0)) + 1
    if folds < 2:
        raise UsageError("leaves are grown on one half of the lists for the other, and these all belong together.")
    learner = TreeBoost(
        rounds=trees, depth=depth, rate=RATE, loss="list", missing="mean", seed=seed, calibration="none"
    )
    forests = [learner.clone().fit(train[fold_of != fold]).trees for fold in range(folds)]
    step = leaves_step(forests, train.features.column_names())
    return step, apply_leaves(train, step, fold_of)
