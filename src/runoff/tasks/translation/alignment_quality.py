"""How good alignments are, beside those that people drew: alignment error rate, precision and recall."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.errors import UsageError

if TYPE_CHECKING:
    from runoff.arrays import Ints
    from runoff.tasks.translation.alignments import Alignments


class AlignmentError(NamedTuple):
    """Error rate, precision, recall and F1, each from 0 to 1, and the number of links found.

    Examples
    --------
    >>> AlignmentError(error_rate=0.25, precision=0.75, recall=0.75, f1=0.75, links=4)._asdict()["f1"]
    0.75
    """

    error_rate: float
    precision: float
    recall: float
    f1: float
    links: int


def alignment_error(found: Alignments, sure: Alignments, possible: Alignments | None = None) -> AlignmentError:
    """Alignment error rate of Och and Ney (2003), "A systematic comparison of various statistical alignment models".

    Precision counts links that are at least possible, recall sure links that were found, and the error rate is
    1 - (found and sure + found and possible) / (found + sure). Sure links count as possible. Without possible links,
    it is 1 - F1. Nothing found and nothing sure is no error. O(links log).

    Examples
    --------
    >>> from runoff.tasks.translation.alignments import Alignments
    >>> found = Alignments.of([[(0, 0), (1, 1), (2, 2)]])
    >>> sure, possible = Alignments.of([[(0, 0), (1, 2)]]), Alignments.of([[(1, 1)]])
    >>> error = alignment_error(found, sure, possible)
    >>> round(error.error_rate, 3), round(error.precision, 3), error.recall
    (0.4, 0.667, 0.5)
    """
    all_sets = [found, sure, *([] if possible is None else [possible])]
    if len({len(each) for each in all_sets}) > 1:
        raise UsageError(f"alignments of {', '.join(f'{len(each):,}' for each in all_sets)} sentence pairs do not fit.")
    widths = [
        1 + max((int(side.max(initial=0)) for side in sides), default=0)
        for sides in zip(*((x.source, x.target) for x in all_sets), strict=True)
    ]
    ours, certain, *rest = (_keys(each, *widths) for each in all_sets)
    allowed = np.union1d(certain, rest[0]) if rest else certain
    right, sure_found = np.intersect1d(ours, allowed).size, np.intersect1d(ours, certain).size
    precision = right / ours.size if ours.size else 1.0
    recall = sure_found / certain.size if certain.size else 1.0
    total = ours.size + certain.size
    return AlignmentError(
        1 - (sure_found + right) / total if total else 0.0,
        precision,
        recall,
        2 * precision * recall / (precision + recall) if precision + recall else 0.0,
        int(ours.size),
    )


def _keys(alignments: Alignments, source_width: int, target_width: int) -> Ints:
    """A number for every link."""
    keys: Ints = np.unique((alignments.pair_of * source_width + alignments.source) * target_width + alignments.target)
    return keys
