"""The training problem of the perceptron: scaled lists, and the pairs that the orders require."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.errors import DataError, UsageError
from runoff.learners.corpus_quality import credited, credits_to_try
from runoff.learners.perceptron_lists import ScaledLists
from runoff.learners.perceptron_mixing import MixedRun
from runoff.learners.perceptron_orders import OrderRule, compile_order
from runoff.learners.perceptron_run import PerceptronRun, PerceptronSetting
from runoff.ranking import informative

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Bools, Floats, Ints
    from runoff.learners.early_stopping import DevScorer
    from runoff.learners.perceptron import Perceptron
    from runoff.learners.perceptron_orders import CompiledOrder
    from runoff.nbest import NBest

ORDERS = ("best-vs-rest", "splitting", "ordinal", "orum")  # what order="auto" tries
TAUS = (0.0, 0.1, 1.0, 10.0)  # what tau="auto" tries, in units of the change of a score by one visit


class PerceptronProblem:
    """Training lists with scaled features, and every order that is tried, compiled for them."""

    def __init__(self, train: NBest, learner: Perceptron) -> None:
        self.train, self.learner = train, learner
        _check_limits(learner)
        self.scaled = ScaledLists.of(train, learner)
        orders: tuple[Any, ...] = ORDERS if learner.order == "auto" else (learner.order,)
        rules = [OrderRule(each, learner.margin, learner.top, learner.bottom, learner.epsilon) for each in orders]
        metric = learner.metric_for(train)
        ranked = {credit: credited(train, metric, credit) for credit in credits_to_try(train, metric, learner.credit)}
        self.compiled: dict[tuple[OrderRule, str], CompiledOrder] = {
            (rule, credit): compile_order(data, rule) for credit, data in ranked.items() for rule in rules
        }
        for (rule, _), compiled in self.compiled.items():
            if compiled.groups.size == 0:
                raise DataError(
                    f"the order {rule.name} requires no pair: no group of the training data has two candidates at the "
                    "ranks that it compares and a margin above zero; change the margin, top, bottom or epsilon, or "
                    "take another order."
                )

    @property
    def scale(self) -> Floats:
        """Units of the learner per unit of the data, for every column; 0 for a column that is left out."""
        return self.scaled.scale

    def fingerprint(self) -> str:
        """Digest of the compiled orders and margins, which identifies custom functions."""
        digest = hashlib.blake2b(digest_size=16)
        for compiled in self.compiled.values():
            for array in (
                compiled.order.prefix,
                compiled.order.phi,
                compiled.order.table,
                np.array(compiled.order.shift),
            ):
                digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def settings(self) -> list[PerceptronSetting]:
        """Everything to try: what ranks, orders, and margins in units of the change that a visit makes to a score."""
        if self.learner.tau != "auto":
            return [PerceptronSetting(*each, float(self.learner.tau)) for each in self.compiled]
        size = float(np.mean(self.train.sizes[informative(self.train)]))
        return [
            PerceptronSetting(*each, float(f"{tau * size * self.scaled.unit:.3g}"))
            for each in self.compiled
            for tau in TAUS
        ]

    def runs(
        self,
        settings: Sequence[PerceptronSetting],
        epochs: int,
        stage: str,
        scorer: DevScorer | None,
        inside: Bools | None = None,
    ) -> list[PerceptronRun]:
        """One run for every setting, over all groups or those `inside`; none where these have no required pair."""
        found = []
        for setting in settings:
            compiled = self.compiled[setting.rule, setting.credit]
            groups: Ints = compiled.groups if inside is None else compiled.groups[inside[compiled.groups]]
            if groups.size == 0:
                return []
            name = f"{stage}, {setting.rule.name}, {setting.tau!r}{setting.told}"
            kind = MixedRun if self.learner.mixing else PerceptronRun
            found.append(kind(name, setting, groups, epochs, self.learner, scorer, self.scaled, compiled))
            found[-1].only_curve = inside is not None
        return found


def _check_limits(learner: Perceptron) -> None:
    """Raise for parameters that the order or mixing does not use, and for a bottom above the top."""
    if learner.mixing and (learner.update == "pair" or learner.average == "voted" or learner.slack):
        raise UsageError('mixing takes update="group", no slack, and an average that is true or false.')
    uses = {"top": ("splitting", "gap"), "bottom": ("splitting", "gap"), "epsilon": ("insensitive", "orum")}
    for name, orders in uses.items():
        if getattr(learner, name) and learner.order not in (*orders, "auto"):
            shown = learner.order if isinstance(learner.order, str) else "a function as order"
            raise UsageError(f"{name} has no effect with {shown}; it belongs to {' and '.join(orders)}.")
    top, bottom = learner.top, learner.bottom
    if isinstance(top, type(bottom)) and isinstance(top, (int, float)) and bottom is not None and bottom <= top:
        raise UsageError(f"bottom must lie below top; found top={top} and bottom={bottom}.")
