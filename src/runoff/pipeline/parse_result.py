"""What the chain has won on test: random, first round, chosen and oracle, as text, as Markdown and as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from runoff.report.description import describe
from runoff.report.scored import Settings, p_text
from runoff.tables import counted, text_table
from runoff.tasks.parsing.evaluation import evaluate_reranking
from runoff.tasks.parsing.metric import EXACT, SENTENCES
from runoff.tasks.parsing.recipes import METRIC

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.model import LinearModel
    from runoff.nbest import NBest
    from runoff.tasks.parsing.evaluation import RerankingEvaluation

_SHOWN = (METRIC, "evalb")
_HEADER = ("", "F", "95% interval", "exact", "F by EVALB", "95% interval")


@dataclass(frozen=True)
class ParseResult:
    """The evaluation on test, and what a perfect choice among the first k would have."""

    learner: str
    evaluation: RerankingEvaluation
    oracle_at: Mapping[str, Mapping[int, float]]  # by metric

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        at = {metric: {str(k): score for k, score in found.items()} for metric, found in self.oracle_at.items()}
        return {"learner": self.learner, **self.evaluation.to_dict(), "oracle_at": at}

    def to_text(self) -> str:
        """Lay out for a terminal."""
        return "\n".join([text_table(_HEADER, self._rows()), "", *self._remarks()])

    def to_markdown(self) -> str:
        """Lay out for a page."""
        lines = [_HEADER, ("---", *["---:"] * (len(_HEADER) - 1)), *self._rows()]
        table = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
        return "\n".join([table, "", *(f"{remark}  " for remark in self._remarks())]) + "\n"

    def _rows(self) -> list[list[str]]:
        results = [self.evaluation.proof[metric] for metric in _SHOWN]
        rows = []
        for name, role in (("random", "random"), ("first round", "first"), ("chosen", "chosen"), ("oracle", "oracle")):
            if role == "oracle":
                rows += [
                    [f"oracle of {k}", *self._of_first(_SHOWN[0], k), "", *self._of_first(_SHOWN[1], k)]
                    for k in self.oracle_at[METRIC]
                    if k > 1
                ]
            ours, theirs = (getattr(result, role) for result in results)
            title = f"{name} ({self.learner})" if role == "chosen" else name
            rows.append([title, *_with_interval(ours), self._exact(name), *_with_interval(theirs)])
        return rows

    def _of_first(self, metric: str, k: int) -> list[str]:
        return [f"{self.oracle_at[metric][k]:.2f}", ""]

    def _exact(self, choice: str) -> str:
        sums = self.evaluation.sums[METRIC].get(choice)
        return "" if sums is None or not sums[SENTENCES] else f"{sums[EXACT] / sums[SENTENCES]:.1%}"

    def _remarks(self) -> list[str]:
        found, result = self.evaluation, self.evaluation.proof[METRIC]
        less, share = found.error_reduction(METRIC), result.recovered
        same = found.changed - found.better - found.worse
        parts = [
            "" if less is None else f"{less:.1%} of the first round's errors",
            "" if share is None else f"{share:.1%} of what a perfect choice could win",
        ]
        of = f": {', '.join(filter(None, parts))}" if any(parts) else ""
        return [
            f"Gain in F {result.gain.delta:+.2f} ({result.gain.low:+.2f} to {result.gain.high:+.2f}, "
            f"p {p_text(result.p)}){of}.",
            f"{counted(found.lists, 'sentences')}; the choice differs from the first round in {found.changed:,}: "
            f"better in {found.better:,}, worse in {found.worse:,}, as good in {same:,}.",
            *found.notes,
            *(f"Warning: {warning}" for warning in found.proof.warnings if warning.startswith(f"{METRIC}:")),
            f"signature: {result.signature}",
        ]


def judge_choice(model: LinearModel, test: NBest, learner: str, seed: int = 0) -> ParseResult:
    """Judge a model's choice on lists that it never saw.

    Examples
    --------
    >>> from runoff.model import LinearModel
    >>> from runoff.tasks.parsing import ParseList, extract
    >>> trees = ["(S (NP (PRP I)) (ADVP (RB run)))", "(S (NP (PRP I)) (VP (VBP run)))"]
    >>> data = extract([ParseList("a", trees[1], [-1.0, -2.0], trees)], families=["rule"], min_lists=1)
    >>> found = judge_choice(LinearModel.of({"rule:S>NP VP!": 1.0}), data, "by hand")
    >>> print(found.to_text().partition("Gain")[2].partition("\\n")[0])
     in F +33.33 (+33.33 to +33.33, p 1.000): 100.0% of the first round's errors, 100.0% of what a perfect choice ...
    """
    prospects = describe(test, ",".join(_SHOWN), seed=seed).prospects
    at = {name: each.oracle_at for name, each in zip(_SHOWN, prospects, strict=True)}
    return ParseResult(learner, evaluate_reranking(model, test, Settings(seed=seed)), at)


def _with_interval(scored: Any) -> list[str]:
    return [f"{scored.score:.2f}", f"{scored.low:.2f}–{scored.high:.2f}"]
