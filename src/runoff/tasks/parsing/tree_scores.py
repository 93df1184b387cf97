"""Trees compared with gold trees, in the numbers of EVALB and of parsing papers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.errors import DataError, UsageError
from runoff.metrics import get
from runoff.tables import text_table
from runoff.tasks.parsing.brackets import Forest
from runoff.tasks.parsing.metric import DELETED_LABELS, SENTENCES, Parseval
from runoff.tasks.parsing.parseval import judge
from runoff.tasks.parsing.parseval import notes as notes_on

if TYPE_CHECKING:
    from collections.abc import Iterable

    from runoff.arrays import Floats
    from runoff.tasks.parsing.parse_list import ParseList

CUT_OFF = 40
METRICS = {  # title of a metric in a table
    "evalb": "evalb",
    f"evalb@{CUT_OFF}": f"evalb, up to {CUT_OFF} words",
    "parseval": "parseval",
    f"parseval@{CUT_OFF}": f"parseval, up to {CUT_OFF} words",
}
PARTS = {  # title of a part of PARSEVAL in a table
    "recall": "LR",
    "precision": "LP",
    "f": "F",
    "crossing": "CB",
    "no-crossing": "0 CB",
    "two-crossing": "<= 2 CB",
    "exact": "exact",
    "tags": "tags",
}
EXPLAINED = (
    "LR, LP, F: labelled recall, precision and their harmonic mean; CB: crossing brackets per sentence;\n"
    "0 CB, <= 2 CB: share of sentences with none, at most two; exact: share without an error; tags: share of words.\n"
    "evalb is what EVALB computes with COLLINS.prm; parseval never skips a sentence because of its punctuation."
)


def parts(sums: Floats) -> dict[str, float]:
    """Every part of PARSEVAL from summed statistics.

    Examples
    --------
    >>> parts(np.array([3, 4, 6, 1, 0, 1, 0, 5, 5, 1.0]))["f"]
    60.0
    """
    return {part: float(get(f"parseval[part={part}]").score(sums)) for part in PARTS}


def cells(sums: Floats) -> list[str]:
    """Every part, formatted for a table."""
    return [f"{value:.2f}" for value in parts(sums).values()]


@dataclass(frozen=True)
class SentenceScore:
    """Scores of one tree."""

    id: str
    words: int  # of the gold tree
    status: str  # by EVALB: counted, error or skipped
    evalb: Floats
    parseval: Floats
    misfit: bool  # whether its number of words differs from the gold tree's

    @property
    def has_tree(self) -> bool:
        """Whether there is a tree."""
        return bool(self.parseval[SENTENCES])


@dataclass(frozen=True)
class TreeEvaluation:
    """Scores of trees, sentence by sentence."""

    sentences: tuple[SentenceScore, ...]
    notes: tuple[str, ...] = ()

    def sums(self, metric: str) -> Floats:
        """Summed statistics of `evalb` or `parseval`, optionally with a cut-off: `evalb@40`."""
        of_evalb = metric.startswith("evalb")
        sums = np.zeros(len(Parseval.columns))
        for each in self._among(metric):
            sums += each.evalb if of_evalb else each.parseval
        return sums

    def _among(self, metric: str) -> list[SentenceScore]:
        _, _, limit = metric.partition("@")
        return [each for each in self.sentences if not limit or each.words <= int(limit)]

    def counts(self, metric: str) -> dict[str, int]:
        """Number of sentences: all, counted, with errors, skipped."""
        among = self._among(metric)
        of_evalb = metric.startswith("evalb")
        return {
            "sentences": len(among),
            "counted": int(self.sums(metric)[SENTENCES]),
            "errors": sum(of_evalb and each.status == "error" for each in among),
            "skipped": sum(not each.has_tree or (of_evalb and each.status == "skipped") for each in among),
        }

    def to_dict(self, *, each: bool = False) -> dict[str, Any]:
        """Everything as plain values, for JSON; with `each`, every sentence too."""
        out: dict[str, Any] = {name: {**self.counts(name), **parts(self.sums(name))} for name in METRICS}
        if each:
            out["each"] = [
                {"id": one.id, "words": one.words, "status": one.status, **_plain(one)} for one in self.sentences
            ]
        return {**out, "notes": list(self.notes)}

    def each(self) -> str:
        """A table with one row per sentence, by EVALB."""
        header = ["sentence", "words", "status", "LR", "LP", "matched", "gold", "test", "CB", "right tags", "of words"]
        rows = []
        for one in self.sentences:
            found = parts(one.evalb)
            matched, gold, test, crossing, *_, right, tagged, _ = (f"{value:.0f}" for value in one.evalb)
            shares = [f"{found['recall']:.2f}", f"{found['precision']:.2f}"]
            rows.append([one.id, str(one.words), one.status, *shares, matched, gold, test, crossing, right, tagged])
        return text_table(header, rows)

    def __str__(self) -> str:
        rows = []
        for name, title in METRICS.items():
            counts = self.counts(name)
            rows.append([title, *(f"{count:,}" for count in counts.values()), *cells(self.sums(name))])
        header = ["", "sentences", "counted", "errors", "skipped", *PARTS.values()]
        return "\n".join([text_table(header, rows), "", EXPLAINED, *self.notes])


def _plain(sentence: SentenceScore) -> dict[str, Any]:
    return {
        name: dict(zip(Parseval.columns, getattr(sentence, name).tolist(), strict=True))
        for name in ("evalb", "parseval")
    }


def evaluate_trees(lists: Iterable[ParseList]) -> TreeEvaluation:
    """Compare trees with gold trees as EVALB does; lists have one candidate each, or none if there is no tree.

    A sentence without a tree is skipped by both variants. About 0.1 milliseconds per sentence.

    Examples
    --------
    >>> from runoff.tasks.parsing import ParseList
    >>> one = ParseList("a", "(S (NP (PRP I)) (VP (VBP run)))", [0.0], ["(S (NP (PRP I)) (VB run))"])
    >>> found = evaluate_trees([one, ParseList("b", "(INTJ (UH oh))")])
    >>> found.counts("evalb"), round(parts(found.sums("evalb"))["recall"], 2)
    ({'sentences': 2, 'counted': 1, 'errors': 0, 'skipped': 1}, 66.67)
    """
    sentences = tuple(map(_sentence, lists))
    there = [one for one in sentences if one.has_tree]
    left_out = sum(one.status != "counted" for one in there)
    notes = notes_on(sum(one.misfit for one in there), left_out, len(there))
    missing = len(sentences) - len(there)
    if missing:
        notes.append(f"{missing:,} of {len(sentences):,} sentences have no tree and are skipped.")
    return TreeEvaluation(sentences, tuple(notes))


def _sentence(parses: ParseList) -> SentenceScore:
    gold = parses.gold_tree(Forest())
    if gold is None:
        raise DataError(f"{parses.where()}: there is no gold tree to compare with.")
    if len(parses.trees) > 1:
        raise UsageError(f"{parses.where()}: expected one tree per sentence; found {len(parses.trees)}.")
    if not parses.trees:
        nothing = np.zeros(len(Parseval.columns))
        return SentenceScore(parses.id, judge(gold, []).length, "skipped", nothing, nothing, misfit=False)
    tree = parses.tree(0, Forest())
    found = judge(gold, [tree])
    status = "counted"
    if found.left_out:
        status = "skipped" if all(leaf.label in DELETED_LABELS for leaf in tree.leaves()) else "error"
    return SentenceScore(parses.id, found.length, status, found.evalb[0], found.parseval[0], misfit=bool(found.misfits))
