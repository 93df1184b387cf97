"""Leaves of trees as features: which leaf a candidate ends in, tree by tree, beside the features that it has.

A leaf of a tree is a conjunction of conditions: `leaf:3:bm25>0.5,pagerank<=2` is there for the candidates that the
fourth tree sends there. A linear model that weighs leaves sees features that act together (He et al. 2014), and can
still be explained weight by weight. Missing values go where the trees send them: to the lower side, unless the name of
the other says `bm25>0.5 or missing`. Where such a name is taken by another column, all of them get a mark: `leaf':3:…`.

Trees come in forests, one for each fold of the training lists, grown on the others. In training a list has the leaves
of its own fold's forest alone, with the value 1: what leaves are worth is learned from lists that they were not made
for. Other lists have those of all forests, with the value 1 / forests: the mean of what the forests say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from runoff.arrays import frozen
from runoff.features.added_columns import free_mark, has_columns_and_mark, names_apart, texts
from runoff.features.columns import align, concat_columns
from runoff.features.trees import MOST_DEPTH, Trees
from runoff.nbest import Features
from runoff.opening.limits import DamagedFileError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from runoff.arrays import Ints
    from runoff.nbest import NBest

STEP = "leaves"
_ARRAYS = {"column": np.int64, "cut": np.float64, "missing_right": np.uint8, "sizes": np.int64}


def leaves_step(forests: Sequence[Trees], names: pa.Array) -> dict[str, Any]:
    """The step that adds the leaves of trees whose columns have these names; it keeps the names that trees look at.

    Examples
    --------
    >>> trees = Trees(np.array([[1]]), np.array([[0.5]]), np.array([[True]]), np.zeros((1, 2)))
    >>> leaf_names(leaves_step([trees], pa.array(["lm", "bm25"])))
    ['leaf:0:bm25<=0.5', 'leaf:0:bm25>0.5 or missing']
    """
    trees = Trees.joined(forests)
    used = np.unique(trees.column[trees.column >= 0])
    column = np.where(trees.column >= 0, np.searchsorted(used, trees.column), -1)
    step: dict[str, Any] = {
        "step": STEP,
        "columns": names.take(pa.array(used)).to_pylist(),
        "depth": trees.depth,
        "column": frozen(column.astype(np.int64).ravel()),
        "cut": frozen(trees.cut.ravel()),
        "missing_right": frozen(trees.missing_right.astype(np.uint8).ravel()),
        "sizes": frozen(np.array([len(forest) for forest in forests], np.int64)),
    }
    return {**step, "mark": free_mark(names, lambda mark: leaf_names({**step, "mark": mark}))}


def apply_leaves(data: NBest, step: Mapping[str, Any], forest_of: Ints | None = None) -> NBest:
    """Add a column for every leaf, filled for the candidates that end in it; `forest_of` is for lists in training.

    What a candidate becomes depends on it alone. A column that the training data did not have, and that has the name of
    a leaf, is renamed so as not to be taken for it. O(stored values + candidates x trees).

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> trees = Trees(np.array([[0]]), np.array([[0.5]]), np.array([[True]]), np.zeros((1, 2)))
    >>> data = NBest.from_arrays([[0.0], [2.0], [np.nan]], sizes=[3], feature_names=["lm"])
    >>> made = apply_leaves(data, leaves_step([trees], pa.array(["lm"])))
    >>> made.features.to_scipy().toarray()[:, 1:].tolist()
    [[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    """
    features, trees = data.features.check(missing=True), _trees(step)
    named = list(_leaves(step, trees))
    if not named:
        return data
    place = np.full(trees.leaves.shape, -1, np.int64)
    tree_of, leaf_of = np.array([each[:2] for each in named]).T
    place[tree_of, leaf_of] = np.arange(len(named))
    reached = place[np.arange(len(trees)), trees.reached(features, align(features, texts(step["columns"])))]
    is_there = reached >= 0
    if forest_of is not None:
        is_there &= np.repeat(np.arange(step["sizes"].size), step["sizes"]) == forest_of[data.group_of][:, None]
    value = 1.0 if forest_of is not None else 1 / step["sizes"].size
    indptr = np.append(0, np.cumsum(is_there.sum(axis=1)))
    names = [name for _, _, name, _ in named]
    values = None if value == 1 else np.full(indptr[-1], value, np.float32)
    added = Features.from_csr(indptr, reached[is_there].astype(np.int32), values, len(names), texts(names))
    own = Features.of(features, names_apart(features.column_names(), names, " (not a leaf)"))
    return data.replace(features=concat_columns(own, added))


def leaf_names(step: Mapping[str, Any]) -> list[str]:
    """Names of the columns that the step adds, by tree and from left to right; only of leaves that can be reached."""
    return [name for _, _, name, _ in _leaves(step, _trees(step))]


def leaf_sources(step: Mapping[str, Any]) -> dict[str, list[str]]:
    """Columns that the conditions of each leaf are about."""
    return {name: columns for _, _, name, columns in _leaves(step, _trees(step))}


def is_leaves(step: Mapping[str, Any]) -> bool:
    """Whether a step that came from a file can be applied: names, and arrays that are trees over these.

    Examples
    --------
    >>> is_leaves({"step": "leaves", "columns": ["lm"], "depth": 1, "column": np.array([1])})
    False
    """
    depth = step.get("depth")
    if not has_columns_and_mark(step) or type(depth) is not int or not 1 <= depth <= MOST_DEPTH:
        return False
    for name, kind in _ARRAYS.items():
        found = step.get(name)
        if not isinstance(found, np.ndarray) or found.dtype != kind or found.ndim != 1:
            return False
    try:
        _trees(step)
    except DamagedFileError:
        return False
    return True


def _trees(step: Mapping[str, Any]) -> Trees:
    inner = (1 << step["depth"]) - 1
    column, cut, missing_right, sizes = (step[name] for name in _ARRAYS)
    if column.size % inner:
        raise DamagedFileError("its trees do not all have the same number of leaves")
    if not sizes.size or sizes.min() < 0 or sizes.max() > column.size or sizes.sum() != column.size // inner:
        raise DamagedFileError("its forests do not have its trees")
    values = np.zeros(column.size // inner * (inner + 1))
    return Trees.from_file(column, cut, missing_right, values, len(step["columns"]))


def _leaves(step: Mapping[str, Any], trees: Trees) -> Iterator[tuple[int, int, str, list[str]]]:
    """Tree, number, name and columns of every leaf that candidates can reach."""
    family, inner = f"leaf{step.get('mark', '')}", trees.column.shape[1]
    for tree in range(len(trees)):
        column, cut, right = trees.column[tree], trees.cut[tree], trees.missing_right[tree]
        paths: list[tuple[int, list[str], list[str]]] = [(0, [], [])]
        while paths:
            node, conditions, columns = paths.pop()
            if node >= inner and conditions:
                yield tree, node - inner, f"{family}:{tree}:{','.join(conditions)}", list(dict.fromkeys(columns))
            if node >= inner:
                continue
            if column[node] < 0:  # everything goes left
                paths.append((2 * node + 1, conditions, columns))
                continue
            name = step["columns"][column[node]]
            for goes_right in (True, False):  # taken from the end: left first
                missing = " or missing" if goes_right and right[node] else ""
                condition = f"{name}{'>' if goes_right else '<='}{cut[node]:.6g}{missing}"
                paths.append((2 * node + 1 + goes_right, [*conditions, condition], [*columns, name]))
