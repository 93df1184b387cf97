"""A model's choice among parses beside the first round's and the best, in the numbers that parsing papers give."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.errors import DataError
from runoff.metrics import get, reference_choices
from runoff.ranking import first_round
from runoff.report.evaluation import evaluate
from runoff.report.scored import Settings, model_of, p_text
from runoff.tables import counted, text_table
from runoff.tasks.parsing.metric import GOLD, MATCHED, SENTENCES, TEST
from runoff.tasks.parsing.tree_scores import EXPLAINED, METRICS, PARTS, cells, parts

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.learners import Learner
    from runoff.metrics import Metric
    from runoff.model import LinearModel
    from runoff.nbest import NBest
    from runoff.ranking import Ranking
    from runoff.report.evaluation import Evaluation, Result


@dataclass(frozen=True)
class RerankingEvaluation:
    """First round, chosen and oracle in all parts of PARSEVAL, and how sure the gain is."""

    sums: dict[str, dict[str, Floats]]  # summed statistics by metric and choice
    proof: Evaluation
    lists: int  # that have candidates and a gold tree
    changed: int
    better: int
    worse: int
    notes: tuple[str, ...] = ()

    def error_reduction(self, metric: str) -> float | None:
        """Share of the first round's missing F that the choice has won; None where nothing is missing."""
        found = self.proof[metric]
        missing = 100.0 - found.first.score
        return found.gain.delta / missing if missing > 0 else None

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        plain = self.proof.to_dict()
        for result in plain["results"]:
            name = result["metric"]
            result["error_reduction"] = self.error_reduction(name)
            result["parts"] = {
                choice: {"sentences": int(sums[SENTENCES]), **parts(sums)} for choice, sums in self.sums[name].items()
            }
        counts = {"lists": self.lists, "changed": self.changed, "better": self.better, "worse": self.worse}
        return {**counts, "results": plain["results"], "warnings": plain["warnings"], "notes": list(self.notes)}

    def __str__(self) -> str:
        rows: list[list[str]] = []
        for name, title in METRICS.items():
            rows.append([title, *[""] * (1 + len(PARTS))])
            rows.extend(
                [f"  {choice}", f"{sums[SENTENCES]:,.0f}", *cells(sums)] for choice, sums in self.sums[name].items()
            )
        header = ["F", "gain", "its interval", "p", "errors less", "of the possible"]
        gains = [[title, *self._gain(name)] for name, title in METRICS.items()]
        same = self.changed - self.better - self.worse
        return "\n".join(
            [
                text_table(["", "sentences", *PARTS.values()], rows),
                "",
                text_table(header, gains),
                "",
                f"{counted(self.lists, 'lists')}; the choice differs from the first round in {self.changed:,}: "
                f"better in {self.better:,}, worse in {self.worse:,}, as good in {same:,}.",
                *self.notes,
                *(f"Warning: {warning}" for warning in self.proof.warnings),
                EXPLAINED,
                f"signature: {self.proof.results[0].signature}",
                f"({len(METRICS) - 1} more in the JSON)",
            ]
        )

    def _gain(self, metric: str) -> list[str]:
        found: Result = self.proof[metric]
        less, share = self.error_reduction(metric), found.recovered
        return [
            f"{found.gain.delta:+.2f}",
            f"{found.gain.low:+.2f} to {found.gain.high:+.2f}",
            p_text(found.p),
            "" if less is None else f"{less:.1%}",
            "" if share is None else f"{share:.1%}",
        ]


def evaluate_reranking(
    model: LinearModel | Learner, data: NBest, settings: Settings | None = None
) -> RerankingEvaluation:
    """Compare a model's choice among parses with the first round's and the best possible, as parsing papers do.

    The data must have PARSEVAL's statistics, as `runoff.tasks.parsing.extract` makes them. Intervals are bootstrap over
    lists, p-values by approximate randomisation. Better and worse are meant by parseval's F of the sentence.

    Examples
    --------
    >>> from runoff.model import LinearModel
    >>> from runoff.tasks.parsing import ParseList, extract
    >>> trees = ["(S (NP (PRP I)) (ADVP (RB run)))", "(S (NP (PRP I)) (VP (VBP run)))"]
    >>> data = extract([ParseList("a", trees[1], [-1.0, -2.0], trees)], families=["rule"], min_lists=1)
    >>> found = evaluate_reranking(LinearModel.of({"rule:S>NP VP!": 1.0}), data)
    >>> found.better, found.worse, found.error_reduction("evalb")
    (1, 0, 1.0)
    """
    missing = [name for name in METRICS if name not in data.stats]
    if missing and data.references is None:
        raise DataError("the lists have no gold trees to compare with; add them, or give a file of them by --gold.")
    if missing:
        raise DataError(
            f"this data lacks the statistics of {', '.join(missing)}, which `runoff parse features` writes."
        )
    ranked, first = model_of(model).ranking(data), first_round(data)
    proof = evaluate(model, data, ",".join(METRICS), **asdict(settings or Settings()))
    by_choice = {name: _by_choice(get(name), data, first, ranked) for name in METRICS}
    of_all = by_choice["parseval"]
    has_gold = of_all["first round"][:, SENTENCES] > 0
    changed = has_gold & (ranked.indices != first.indices)
    gained = _f(of_all["chosen"]) - _f(of_all["first round"])
    notes = list(proof.notes)
    without = int(((data.sizes > 0) & ~has_gold).sum())
    if without:
        notes.append(f"{without:,} list(s) have no gold tree and are left out of every number.")
    return RerankingEvaluation(
        {name: {choice: each.sum(axis=0) for choice, each in rows.items()} for name, rows in by_choice.items()},
        proof,
        int(has_gold.sum()),
        int(changed.sum()),
        int((gained > 0).sum()),
        int((gained < 0).sum()),
        tuple(notes),
    )


def _by_choice(metric: Metric, data: NBest, first: Ranking, ranked: Ranking) -> dict[str, Floats]:
    """Statistics of every choice, one row per list."""
    return {
        "first round": metric.rows(data, first),
        "chosen": metric.rows(data, ranked),
        "oracle": reference_choices.oracle_rows(metric, data),
    }


def _f(rows: Floats) -> Floats:
    out: Floats = 2.0 * rows[:, MATCHED] / np.maximum(rows[:, GOLD] + rows[:, TEST], 1.0)
    return out
