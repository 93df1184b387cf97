"""The arrays of a grammar, checked in full: compiled loops read them without looking at bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.errors import ModelError
from runoff.tasks.parsing.grammar.coarse_grammar import Numbering, numbering
from runoff.tasks.parsing.grammar.grammar import label_classes
from runoff.tasks.parsing.treebank_files import ROOT

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from runoff.arrays import Columns
    from runoff.tasks.parsing.grammar.coarse_grammar import CoarseGrammar
    from runoff.tasks.parsing.grammar.grammar import Grammar
    from runoff.tasks.parsing.grammar.step_probabilities import StepProbabilities

_LONGEST_PROBE = 1000  # slots; good hashes in a table that is half empty need about 100 for a million keys


def check_grammar(grammar: Grammar) -> None:
    """Raise a `ModelError` that names the array unless all arrays are what training could have made.

    What the kernels rely on: classes, states and units are numbered without gaps and inside every table; every head is
    a unit; every state of the finer grammar has one in the coarser; tables of steps have keys that are found after few
    probes; probabilities are from 0 to 1, and words have one above 0. Unary chains are bounded by `heights`, and
    charts are made level by level, so that nothing else can loop. O(bytes), and sorting the keys.
    """
    symbols, settings = grammar.symbols, grammar.settings
    sizes = symbols.n_labels, len(symbols)
    _same("class_of", grammar.class_of, label_classes(symbols, settings))
    _numbers("tag_priors", grammar.tag_priors, np.float64, sizes, -np.finfo(np.float64).max, 0.0)
    _steps(grammar.probabilities)
    root = symbols.labels[ROOT]
    for at, (coarse, class_of) in enumerate(
        zip(grammar.coarse, (np.zeros_like(grammar.class_of), grammar.class_of), strict=True)
    ):
        _coarse(f"coarse{at}", coarse, class_of, sizes, root)
    one, two = grammar.coarse
    without_class = two.state_labels * np.array([1, 0, 1], np.int32)
    _same("coarse0.state_labels", one.state_labels, np.unique(without_class, axis=0))
    if not grammar.lexicon.least_probability() > 0.0:
        raise ModelError("the counts of 'tags' and 'rare_words' differ so much that some words get probability 0.")


def _steps(steps: StepProbabilities) -> None:
    for keys, values in (("contexts", "left_over"), ("outcomes", "shares")):
        name, array = f"probabilities.{keys}", getattr(steps, keys)
        _is(name, array, np.uint64, array.shape[:1])
        _numbers(f"probabilities.{values}", getattr(steps, values), np.float64, array.shape, 0.0, 1.0)
        if _longest_probe(array) > _LONGEST_PROBE:
            raise ModelError(f"the array {name} has keys that are no hashes: too many share a slot.")


def _longest_probe(keys: NDArray[np.uint64]) -> int:
    """How far the farthest key is from its slot in the table that `derivation_steps.table` makes. O(keys log keys)."""
    if not keys.size:
        return 0
    size = 1 << max(2, (2 * keys.size - 1).bit_length())
    slots = np.sort(keys & np.uint64(size - 1)).astype(np.int64)
    places = np.arange(keys.size)
    taken = np.maximum.accumulate(slots - places) + places  # the next free slot, in a table without an end
    return int((taken - slots).max())


def _coarse(name: str, coarse: CoarseGrammar, class_of: Columns, sizes: tuple[int, int], root: int) -> None:
    n_labels, n_symbols = sizes
    n_classes = int(class_of.max()) + 1
    of_state = coarse.state_labels
    n_states = of_state.shape[0] if of_state.ndim else 0
    _is(f"{name}.state_labels", of_state, np.int32, (n_states, 3))
    bounds = ((1, n_labels), (0, n_classes), (1, n_symbols))
    if not n_states or any(
        column.min() < least or column.max() >= end for column, (least, end) in zip(of_state.T, bounds, strict=True)
    ):
        raise ModelError(f"the array {name}.state_labels has a label, a class or a head that does not exist.")
    order = np.lexsort((of_state[:, 2], of_state[:, 1], of_state[:, 0], class_of[of_state[:, 0]]))
    if (order != np.arange(n_states)).any() or not np.diff(of_state, axis=0).any(1).all():
        raise ModelError(f"the array {name}.state_labels is not in order, or has a state twice.")
    _is(f"{name}.states", coarse.states, np.int32, (n_labels, n_classes, n_symbols))  # before a table is made like it
    expected = numbering(of_state, class_of, sizes)
    for field in Numbering._fields:
        is_table = hasattr(coarse, field)
        found = getattr(coarse if is_table else coarse.rules, field)
        _same(f"{name}.{field}" if is_table else f"{name}.rules.{field}", found, getattr(expected, field))
    if (expected.head_units < 0).any():
        raise ModelError(f"the array {name}.state_labels has a head that is no unit.")
    if coarse.goal != expected.units[root, 0] or coarse.goal < 0:
        raise ModelError(f"the goal of {name} is {coarse.goal}, which is not the unit of {ROOT}.")
    shapes = {
        "heads": (n_states,),
        "right": (n_symbols, n_states),
        "left": (n_symbols, n_states),
        "stops": (2, n_states),
    }
    for field, shape in shapes.items():
        _numbers(f"{name}.rules.{field}", getattr(coarse.rules, field), np.float64, shape, 0.0, 1.0)


def _is(name: str, array: NDArray[Any], dtype: DTypeLike, shape: tuple[int, ...]) -> None:
    if array.dtype != dtype or array.shape != shape or not array.flags.c_contiguous:
        raise ModelError(
            f"the array {name} has {array.dtype} of shape {array.shape}; expected {np.dtype(dtype)} of shape {shape}, "
            "row by row."
        )


def _numbers(
    name: str, array: NDArray[Any], dtype: DTypeLike, shape: tuple[int, ...], least: float, most: float
) -> None:
    _is(name, array, dtype, shape)
    if array.size and not (array.min() >= least and array.max() <= most):  # false for NaN, too
        raise ModelError(f"the array {name} has a number that is not from {least:g} to {most:g}.")


def _same(name: str, array: NDArray[Any], expected: NDArray[Any]) -> None:
    _is(name, array, expected.dtype, expected.shape)
    different = np.flatnonzero(array != expected)
    if different.size:
        at = int(different[0])
        raise ModelError(
            f"the array {name} has {array.ravel()[at]} at place {at}; with the other arrays, it must be "
            f"{expected.ravel()[at]}."
        )
