"""The header of a grammar file, checked before anything is made of it."""

from __future__ import annotations

import math
import re
from typing import Any

from runoff.errors import ModelError, brief
from runoff.tasks.parsing.grammar.split_labels import MARK
from runoff.tasks.parsing.treebank_files import ROOT

_PLAIN = re.compile(r"[^\s()]+", re.ASCII)  # what can be written in brackets


def check_header(header: dict[str, Any]) -> None:
    """Raise a `ModelError` that names the field unless symbols, classes and counts fit together. O(words).

    Trees are written with `plain`, so that brackets in it would make trees that cannot be read. The lexicon divides by
    counts, and needs a tag for every class of words; a tag outside the symbols would be a place outside the chart.
    """
    n_labels, n_symbols = _symbols(header["symbols"])
    classes = _texts(header["classes"], "classes")
    if classes[:1] != [""] or len(set(classes)) < len(classes):
        raise ModelError("'classes' must begin with an empty name, and its names must differ.")
    of_classes, tags, counts = _columns(header["tags"], "tags")
    _check_range(of_classes, range(1, len(classes)), "tags", "classes")
    _check_counts(tags, counts, range(n_labels, n_symbols), "tags")
    if len(set(of_classes)) < len(classes) - 1:
        raise ModelError("every class of words needs a tag in 'tags'.")
    words, tags, counts = _columns(header["rare_words"], "rare_words")
    _texts(words, "rare_words")
    _check_counts(tags, counts, range(n_labels, n_symbols), "rare_words")
    goals = header["goals"]
    if not isinstance(goals, list) or [type(goal) for goal in goals] != [int, int]:
        raise ModelError(f"'goals' must be two whole numbers; found {brief(goals)}.")
    if not isinstance(header["provenance"], dict):
        raise ModelError(f"'provenance' must be an object; found {brief(header['provenance'])}.")


def _symbols(symbols: dict[str, Any]) -> tuple[int, int]:
    """The number of labels, and of labels and tags."""
    names, plain = (_texts(symbols[key], f"symbols.{key}") for key in ("names", "plain"))
    n_labels = symbols["labels"]
    if type(n_labels) is not int or not 1 < n_labels < len(names):
        raise ModelError(f"'symbols.labels' must be a number of labels among the names; found {brief(n_labels)}.")
    if names[0] or len(plain) != len(names) or [name.split(MARK)[0] for name in names] != plain:
        raise ModelError("'symbols.plain' must have the names of 'symbols.names' without splits, the first one empty.")
    wrong = next((name for name in plain[1:] if not _PLAIN.fullmatch(name)), None)
    if wrong is not None:
        raise ModelError(f"'symbols.plain' has {brief(wrong)}, which cannot be written in a tree.")
    if len(set(names[:n_labels])) < n_labels or len(set(names[n_labels:])) < len(names) - n_labels:
        raise ModelError("'symbols.names' has a name twice.")
    if ROOT not in names[:n_labels]:
        raise ModelError(f"'symbols.names' has no label {ROOT}, the root of every tree.")
    return n_labels, len(names)


def _texts(values: Any, field: str) -> list[str]:
    if not isinstance(values, list) or set(map(type, values)) - {str}:
        raise ModelError(f"'{field}' must have texts.")
    return values


def _columns(rows: Any, field: str) -> tuple[list[Any], list[Any], list[Any]]:
    if not isinstance(rows, list) or any(not isinstance(row, list) or len(row) != 3 for row in rows):
        raise ModelError(f"'{field}' must have rows of three values.")
    one, two, three = ([row[at] for row in rows] for at in range(3))
    return one, two, three


def _check_counts(tags: list[Any], counts: list[Any], known: range, field: str) -> None:
    _check_range(tags, known, field, "tags")
    if set(map(type, counts)) - {int, float} or not all(0 < count < math.inf for count in counts):
        raise ModelError(f"'{field}' has a count that is not a number above 0.")


def _check_range(values: list[Any], known: range, field: str, what: str) -> None:
    if set(map(type, values)) - {int} or (values and not known.start <= min(values) <= max(values) < known.stop):
        raise ModelError(f"'{field}' has {what} that are not whole numbers from {known.start} to {known.stop - 1}.")
