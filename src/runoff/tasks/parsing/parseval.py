"""Statistics of PARSEVAL: constituents of candidates compared with a gold tree, in two variants.

``evalb`` is what the program EVALB (Sekine & Collins 1997) computes with COLLINS.prm, including where the program
differs from its own documentation:

- A word is deleted if its tag *as written* is in the list of deleted labels. The other tags are compared as written.
  Function tags are stripped from constituents only, at the first ``-`` or ``=`` (so ``-LRB-`` over a constituent
  becomes an empty label, which counts as a label; ``|`` is not stripped).
- Constituents are deleted by their label without function tags: ``TOP-1`` is deleted, ``-NONE-`` over a constituent is
  not. A constituent without words is never counted.
- A candidate without any words is skipped; a different number of words is an error; different words are an error. All
  three look at the words that are left after deletion, so a missing full stop is no error. Sentences that are skipped
  or have an error are left out of all sums.
- The length for the cut-off is that of the gold tree, with punctuation and without traces.
- A sentence without constituents in either tree is a complete match.
- ADVP equals PRT, also as tags of words.

The program's limits (5,000 characters per line, 200 constituents) and its stop after ten errors are not reproduced.
The roots of other parsers (S1, ROOT, a node without a label) are deleted like TOP.

``parseval`` deletes the words that the *gold* tree tags as punctuation, in both trees, and only compares the number of
words, so every sentence counts. A candidate with a different number of words has nothing right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runoff.tasks.parsing.gold_standard import GoldStandard
from runoff.tasks.parsing.metric import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from runoff.arrays import Floats
    from runoff.tasks.parsing.gold_standard import Row
    from runoff.tasks.parsing.trees import Tree

CUT_OFFS = (40,)


@dataclass(frozen=True)
class ParsevalStatistics:
    """Statistics of the candidates of one list, one row each; columns as `runoff.tasks.parsing.metric.COLUMNS`.

    Examples
    --------
    >>> from runoff.tasks.parsing import parse_tree
    >>> gold = parse_tree("(S (NP (PRP I)) (VP (VBP run)))")
    >>> judge(gold, [gold]).length
    2
    """

    parseval: Floats
    evalb: Floats
    length: int  # words of the gold tree, for the cut-off
    misfits: int  # candidates whose number of words differs from the gold tree's

    @property
    def left_out(self) -> int:
        """Number of candidates that EVALB leaves out."""
        return int((self.evalb[:, -1] == 0).sum())

    def stats(self, cut_offs: Sequence[int] = CUT_OFFS) -> dict[str, Floats]:
        """Statistics by the name of the metric, as in `NBest.stats`; zeros for sentences longer than a cut-off."""
        found = {}
        for name, rows in (("parseval", self.parseval), ("evalb", self.evalb)):
            found[name] = rows
            for cut in cut_offs:
                found[f"{name}@{cut}"] = rows if self.length <= cut else np.zeros_like(rows)
        return found


def judge(gold: Tree, candidates: Iterable[Tree]) -> ParsevalStatistics:
    """Compare candidates with the gold tree.

    If the candidates of a list are trees of one `Forest`, every distinct node is compared once: about 20 microseconds
    per candidate, for both variants.

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import Forest
    >>> forest = Forest()
    >>> gold = forest.tree("(S1 (S (NP (PRP I)) (VP (VBD saw) (NP (PRP her))) (. .)))")
    >>> other = forest.tree("(S1 (S (NP (PRP I)) (VB saw) (PRP her) (SYM .)))")
    >>> found = judge(gold, [gold, other])
    >>> found.parseval.astype(int).tolist()
    [[4, 4, 4, 0, 1, 1, 1, 3, 3, 1], [2, 4, 2, 0, 1, 1, 0, 2, 3, 1]]
    >>> found.evalb.astype(int).tolist(), found.left_out
    ([[4, 4, 4, 0, 1, 1, 1, 3, 3, 1], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]], 1)
    """
    standard = GoldStandard(gold)
    rows = [standard.rows(tree) for tree in candidates]
    return ParsevalStatistics(
        _table([robust for robust, _, _ in rows]),
        _table([strict for _, strict, _ in rows]),
        standard.length,
        sum(misfit for _, _, misfit in rows),
    )


def notes(misfits: int, left_out: int, candidates: int) -> list[str]:
    """Notes about candidates that could not be compared.

    Examples
    --------
    >>> notes(2, 0, 100)
    ['2 of 100 candidates differ from the gold tree in the number of words; parseval counts nothing in them as right.']
    """
    said = []
    if misfits:
        said.append(
            f"{misfits:,} of {candidates:,} candidates differ from the gold tree in the number of words; "
            "parseval counts nothing in them as right."
        )
    if left_out:
        said.append(
            f"EVALB leaves out {left_out:,} of {candidates:,} candidates: without punctuation, their words "
            "differ from the gold tree, or none are left."
        )
    return said


def _table(rows: list[Row]) -> Floats:
    return np.array(rows, np.float64).reshape(-1, len(COLUMNS))
