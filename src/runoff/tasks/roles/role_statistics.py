"""Statistics of srl-eval.pl for taggings of propositions that are compared with gold ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.kernels.role_counts import CONTINUES, OUTSIDE, STARTS, role_counts
from runoff.tasks.roles.propositions import CONTINUED, PREDICATE
from runoff.tasks.tagging.phrase_statistics import coded_tags
from runoff.tasks.tagging.tag_letters import split_tag

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from runoff.arrays import Columns, Floats, Ints
    from runoff.nbest import NBest

COLUMNS = ("correct", "excess", "missed", "perfect", "propositions")
CORRECT, EXCESS, MISSED, PERFECT, PROPOSITIONS = range(len(COLUMNS))
NO_ROLE = "-NONE-"  # the label of an argument's counterpart where it has none


@dataclass(frozen=True, eq=False)
class RoleStatistics:
    """A row of statistics for every proposition, and arguments of the same words by gold and guessed label.

    Examples
    --------
    >>> gold, guess = "B-A0 B-V B-A1 I-A1".split(), "B-A2 B-V B-A1 O".split()
    >>> found = compare_roles([*gold, *guess], np.arange(4), np.array([0]), np.arange(4, 8), np.array([0, 4]))
    >>> found.rows.tolist(), found.by_label["A2"]
    ([[0.0, 2.0, 2.0, 0.0, 1.0]], (0, 1, 0))
    >>> found.confusions["A0"]
    {'A2': 1}
    """

    rows: Floats
    labels: tuple[str, ...]
    confusion: Ints  # gold label by guessed label; the last row and column are those of no argument

    @property
    def by_label(self) -> Mapping[str, tuple[int, int, int]]:
        """Right, excess and missed arguments of every label that occurs, V too, in the order of srl-eval.pl: sorted."""
        right = np.diagonal(self.confusion)[:-1]
        excess, missed = self.confusion.sum(axis=0)[:-1] - right, self.confusion.sum(axis=1)[:-1] - right
        counts = zip(self.labels, right.tolist(), excess.tolist(), missed.tolist(), strict=True)
        return {label: (ok, more, less) for label, ok, more, less in sorted(counts) if ok or more or less}

    @property
    def confusions(self) -> Mapping[str, Mapping[str, int]]:
        """How often an argument with the first label was given the second; -NONE- is no argument of these words."""
        names = [*self.labels, NO_ROLE]
        found: dict[str, dict[str, int]] = {}
        order = sorted(range(len(names)), key=names.__getitem__)
        for gold in order:
            counts = {names[guess]: int(self.confusion[gold, guess]) for guess in order if self.confusion[gold, guess]}
            if counts:
                found[names[gold]] = counts
        return found


def compare_roles(
    values: Sequence[str], gold: Columns | Ints, gold_starts: Ints, guesses: Columns | Ints, offsets: Ints
) -> RoleStatistics:
    """Compare propositions with gold ones; tags are numbers of `values`. O(tokens), compiled.

    An I that continues nothing starts an argument. A piece C-X belongs to the last X on its left, and is an X by itself
    where there is none. An argument is right if its label and all its pieces are.
    """
    numbers: dict[str, int] = {PREDICATE: 0}
    letters, labels = [], []
    for tag in values:
        letter, label = split_tag(tag)
        letters.append(OUTSIDE if letter == "O" or not label else CONTINUES if letter == "I" else STARTS)
        labels.append(numbers.setdefault(label, len(numbers)) if label else 0)
    for label in list(numbers):
        if label.startswith(CONTINUED):
            numbers.setdefault(label.removeprefix(CONTINUED), len(numbers))
    # A label that was added may be a further piece of another, C-C-X: srl-eval.pl takes it as it is then.
    continued = [
        numbers.get(label.removeprefix(CONTINUED), -1) if label.startswith(CONTINUED) else -1 for label in numbers
    ]
    rows = np.zeros((offsets.size - 1, len(COLUMNS)))
    confusion = np.zeros((len(numbers) + 1, len(numbers) + 1), np.int64)
    role_counts(
        np.ascontiguousarray(gold, np.int32),
        np.ascontiguousarray(gold_starts, np.int64),
        np.ascontiguousarray(guesses, np.int32),
        np.ascontiguousarray(offsets, np.int64),
        np.array(letters, np.int32),
        np.array(labels, np.int32),
        np.array(continued, np.int32),
        numbers[PREDICATE],
        rows,
        confusion,
    )
    return RoleStatistics(frozen(rows), tuple(numbers), frozen(confusion))


def role_statistics(data: NBest, metric: str, *, candidates: Ints | None = None) -> RoleStatistics:
    """Compare candidates (default: all) with the references of their lists; tags are separated by one blank."""
    return compare_roles(*coded_tags(data, metric, candidates))
