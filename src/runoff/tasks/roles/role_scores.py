"""Roles of two files compared: the numbers of srl-eval.pl, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.metrics.resampling import Resampling
from runoff.tasks.roles.metric import SrlEval
from runoff.tasks.roles.proposition_pairs import pairs_of
from runoff.tasks.roles.propositions import PREDICATE
from runoff.tasks.roles.role_statistics import COLUMNS, NO_ROLE, RoleStatistics, compare_roles
from runoff.tasks.tagging.corpus import Column

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from runoff.arrays import Floats
    from runoff.metrics.significance import Difference, Interval
    from runoff.tasks.roles.propositions import RoleSentence

PARTS = ("precision", "recall", "f", "perfect")
_RULE = "-" * 60
_LONG_RULE = "-" * 68


@dataclass(frozen=True, eq=False)
class RoleScores:
    """Scores of arguments, overall and of every label; as text, in the layout of srl-eval.pl.

    Examples
    --------
    >>> from runoff.tasks.roles.propositions import Argument, Proposition, RoleSentence
    >>> left = Proposition(1, "leave", (Argument(0, 1, "A0"), Argument(1, 2, "V")))
    >>> gold = [RoleSentence(("I", "left"), (left,))]
    >>> found = evaluate_roles(gold, gold)
    >>> found.score("f"), dict(found.statistics.by_label)
    (100.0, {'A0': (1, 0, 0), 'V': (1, 0, 0)})
    """

    rows: Floats  # statistics of every sentence
    statistics: RoleStatistics  # of every proposition
    intervals: Mapping[str, Interval]
    signature: str
    notes: tuple[str, ...] = ()

    @property
    def sums(self) -> Floats:
        """Statistics of all sentences."""
        found: Floats = self.rows.sum(axis=0)
        return found

    def score(self, part: str) -> float:
        """One of precision, recall, f and perfect, 0 to 100."""
        return part_of(self.sums, part)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return {
            "sentences": len(self.rows),
            **{name: int(count) for name, count in zip(COLUMNS, self.sums, strict=True) if name != "perfect"},
            "perfect_propositions": int(self.sums[COLUMNS.index("perfect")]),
            **{part: self.score(part) for part in PARTS},
            "intervals": {part: [each.low, each.high] for part, each in self.intervals.items()},
            "labels": {label: label_scores(counts) for label, counts in self.statistics.by_label.items()},
            "confusions": {label: dict(counts) for label, counts in self.statistics.confusions.items()},
            "signature": self.signature,
            "notes": list(self.notes),
        }

    def srl_eval(self) -> str:
        """What srl-eval.pl prints."""
        sums, by_label = self.sums, self.statistics.by_label
        others = [label for label in by_label if label != PREDICATE]
        return "\n".join(
            [
                f"Number of Sentences    :      {len(self.rows):6d}",
                f"Number of Propositions :      {sums[-1]:6.0f}",
                f"Percentage of perfect props : {self.score('perfect'):6.2f}",
                "",
                f"{'':>10}   {'corr.':>6}  {'excess':>6}  {'missed':>6}   {'prec.':>6}  {'rec.':>6}  {'F1':>6}",
                _RULE,
                _line("Overall", (int(sums[0]), int(sums[1]), int(sums[2]))),
                "----------",
                *(_line(label, by_label[label]) for label in others),
                _RULE,
                *([_line(PREDICATE, by_label[PREDICATE])] if PREDICATE in by_label else []),
                _RULE,
            ]
        )

    def confusion_matrix(self) -> str:
        """What srl-eval.pl adds with -C: arguments whatever their labels, and which label became which."""
        found = self.statistics.confusions
        counted = {
            gold: {guess: count for guess, count in counts.items() if guess not in (NO_ROLE, PREDICATE)}
            for gold, counts in found.items()
            if gold != PREDICATE
        }
        excess = sum(counted.pop(NO_ROLE, {}).values())
        right = sum(count for counts in counted.values() for count in counts.values())
        same = sum(counts.get(gold, 0) for gold, counts in counted.items())
        missed = sum(found[gold].get(NO_ROLE, 0) for gold in counted)
        accuracy = 100 * same / right if right else 0.0
        labels = sorted({NO_ROLE, *found, *(guess for counts in found.values() for guess in counts)})
        names = f"{'':>10}   {'corr.':>6}  {'excess':>6}  {'missed':>6}   {'prec.':>6}  {'rec.':>6}  {'F1':>6}"
        rows = [
            f"{at:2d}: {gold:<8} " + "".join(f"{found.get(gold, {}).get(guess, 0):4d} " for guess in labels)
            for at, gold in enumerate(labels, -1)
        ]
        return "\n".join(
            [
                _LONG_RULE,
                f"{names}  {'lAcc':>6}",
                f"{_line('Unlabeled', (right, excess, missed))}  {accuracy:6.2f}",
                _LONG_RULE,
                "",
                "---- Confusion Matrix: (one row for each correct role, with the distribution of predictions)",
                " " * 13 + "".join(f"{at:4d} " for at in range(-1, len(labels) - 1)),
                *rows,
            ]
        )

    def __str__(self) -> str:
        bounds = "; ".join(f"{part} {each.low:.2f} to {each.high:.2f}" for part, each in self.intervals.items())
        return "\n".join([self.srl_eval(), "", f"Intervals: {bounds}.", self.signature, *self.notes])


def _line(name: str, counts: tuple[int, int, int]) -> str:
    scores = label_scores(counts)
    right, excess, missed = counts
    return (
        f"{name:>10}   {right:6d}  {excess:6d}  {missed:6d}   "
        f"{scores['precision']:6.2f}  {scores['recall']:6.2f}  {scores['f']:6.2f}"
    )


def part_of(sums: Floats, part: str) -> float:
    """One part of the summed statistics of srl-eval.

    Examples
    --------
    >>> part_of(np.array([1.0, 1.0, 3.0, 0.0, 2.0]), "precision")
    50.0
    """
    return float(SrlEval(part=part).score(sums))  # type: ignore[arg-type]  # the metric checks it


def label_scores(counts: tuple[int, int, int]) -> dict[str, Any]:
    """Precision, recall and F of a label, from its right, excess and missed arguments.

    Examples
    --------
    >>> label_scores((1, 1, 0))["precision"]
    50.0
    """
    sums = np.array([*counts, 0, 0], np.float64)
    scores = {part: part_of(sums, part) for part in PARTS[:3]}
    return {**scores, "correct": counts[0], "excess": counts[1], "missed": counts[2]}


def evaluate_roles(
    gold: Sequence[RoleSentence],
    predicted: Sequence[RoleSentence],
    *,
    verbs: bool = False,
    lenient: bool = False,
    resampling: Resampling | None = None,
) -> RoleScores:
    """Compare roles with gold ones as srl-eval.pl does.

    Parameters
    ----------
    gold
        Sentences with gold roles.
    predicted
        The same sentences with the same predicates and other roles.
    verbs
        Count only predicates that are verbs: whose gold part of speech starts with VB.
    lenient
        Count as srl-eval.pl does where predicates differ: all arguments of one that is missing, or has another lemma,
        as missed, and those of one that is not gold not at all. Default: this is an error.
    resampling
        How intervals are found; sentences are drawn.

    Notes
    -----
    O(tokens propositions + resamples sentences).

    Examples
    --------
    >>> from runoff.tasks.roles.propositions import Argument, Proposition, RoleSentence
    >>> gold = RoleSentence(("I", "left"), (Proposition(1, "leave", (Argument(0, 1, "A0"), Argument(1, 2, "V"))),))
    >>> other = gold.with_propositions([gold.propositions[0].with_roles([(0, 1, "A1")])])
    >>> evaluate_roles([gold], [other]).statistics.confusions["A0"]
    {'A1': 1}
    """
    notes: list[str] = []
    pairs = pairs_of(gold, predicted, verbs=verbs, lenient=lenient, notes=notes)
    right = [tag for pair in pairs for tag in pair.gold]
    tags = Column.of([*right, *(tag for pair in pairs for tag in pair.predicted)])
    offsets = np.concatenate([[0], np.cumsum([len(pair.gold) for pair in pairs], dtype=np.int64)])
    codes = tags.codes
    found = compare_roles(tags.values, codes[: len(right)], offsets[:-1], codes[len(right) :], offsets)
    rows = np.zeros((len(gold), len(COLUMNS)))
    np.add.at(rows, np.array([pair.sentence for pair in pairs], np.int64), found.rows)
    drawn = resampling or Resampling()
    intervals = {part: drawn.interval(rows, SrlEval(part=part)) for part in PARTS}  # type: ignore[arg-type]
    settings = "|".join(part for part in drawn.signature_parts if not part.startswith("randomisation"))
    which = "verbs" if verbs else "all"
    signature = f"srl-eval|arguments:conll-2005|predicates:{which}|{settings}"
    return RoleScores(rows, found, intervals, signature, tuple(notes))


@dataclass(frozen=True, eq=False)
class RoleComparison:
    """Two labellings of the same sentences: how much better the second is in F, and whether by chance.

    Examples
    --------
    >>> from runoff.tasks.roles.propositions import Argument, Proposition, RoleSentence
    >>> gold = RoleSentence(("I", "left"), (Proposition(1, "leave", (Argument(0, 1, "A0"), Argument(1, 2, "V"))),))
    >>> found = evaluate_roles([gold], [gold])
    >>> RoleComparison.of(found, found).p
    1.0
    """

    first: RoleScores
    second: RoleScores
    difference: Difference  # second minus first
    p: float  # of the randomisation test
    resampling: Resampling

    @classmethod
    def of(cls, first: RoleScores, second: RoleScores, resampling: Resampling | None = None) -> RoleComparison:
        """Compare two labellings by paired bootstrap and by a randomisation test; sentences are drawn and swapped."""
        drawn = resampling or Resampling()
        metric = SrlEval()
        difference = drawn.difference(second.rows, first.rows, metric)
        return cls(first, second, difference, drawn.p_value(second.rows, first.rows, metric), drawn)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        found = self.difference
        return {
            "first": self.first.to_dict(),
            "second": self.second.to_dict(),
            "difference": {"f": found.delta, "interval": [found.low, found.high], "p": self.p},
            "signature": f"srl-eval|part:f|{self.resampling.signature}",
        }

    def table(self, names: tuple[str, str]) -> str:
        """Both labellings label by label, and the test."""
        from runoff.tables import text_table

        both = [each.statistics.by_label for each in (self.first, self.second)]
        labels = sorted({label for each in both for label in each if label != PREDICATE})
        rows = []
        for label in (None, *labels, PREDICATE):
            row = ["all" if label is None else label]
            for scores, counts in zip((self.first, self.second), both, strict=True):
                sums = scores.sums.astype(int).tolist()
                own = (sums[0], sums[1], sums[2]) if label is None else counts.get(label, (0, 0, 0))
                row += [f"{own[0] + own[2]:,}"] if len(row) == 1 else []
                row += [f"{label_scores(own)[part]:.2f}" for part in PARTS[:3]]
            rows.append(row)
        header = ["", "gold", *(title for name in names for title in (f"{name}: precision", "recall", "F1"))]
        found = self.difference
        return "\n".join(
            [
                text_table(header, rows),
                f"Perfect propositions: {self.first.score('perfect'):.2f}% and {self.second.score('perfect'):.2f}%.",
                f"F1 {self.first.score('f'):.2f} and {self.second.score('f'):.2f}: difference {found.delta:+.2f} "
                f"({found.low:+.2f} to {found.high:+.2f}), p = {self.p:.4f} by randomisation over sentences.",
                f"srl-eval|part:f|{self.resampling.signature}",
            ]
        )
