"""What the perceptron works on: lists in units that fit together, and what the orders ask of them."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.errors import DataError, UsageError
from runoff.learners.base import informative
from runoff.learners.orders import Rule, ask
from runoff.learners.perceptron_lists import Material
from runoff.learners.perceptron_run import PerceptronRun, Setting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Bools, Floats, Ints
    from runoff.learners.orders import Asked
    from runoff.learners.perceptron import Perceptron
    from runoff.learners.watch import DevWatch
    from runoff.nbest import NBest

ORDERS = ("best-vs-rest", "splitting", "ordinal", "orum")  # what order="auto" tries
TAUS = (0.0, 0.1, 1.0, 10.0)  # what tau="auto" tries, in units of the change that one visit makes to a score


class PerceptronProblem:
    """Training lists in the learner's units, and what every order that is tried asks of them."""

    def __init__(self, train: NBest, learner: Perceptron) -> None:
        self.train, self.learner = train, learner
        _check_limits(learner)
        self.material = Material.of(train, learner)
        orders: tuple[Any, ...] = ORDERS if learner.order == "auto" else (learner.order,)
        rules = [Rule(each, learner.margin, learner.top, learner.bottom, learner.epsilon) for each in orders]
        self.asked: dict[Rule, Asked] = {rule: ask(train, rule) for rule in rules}
        for rule, asked in self.asked.items():
            if asked.groups.size == 0:
                raise DataError(
                    f"the order {rule.name} asks for nothing: no group of the training data has two candidates at the "
                    "ranks that it compares and a margin above zero; look at the margin, top, bottom and epsilon, or "
                    "take another order."
                )

    @property
    def scale(self) -> Floats:
        """Units of the learner per unit of the data, for every column; 0 for a column that is left out."""
        return self.material.scale

    def fingerprint(self) -> str:
        """What the orders and margins ask for: a function has no other name to be known by."""
        digest = hashlib.blake2b(digest_size=16)
        for asked in self.asked.values():
            for array in (asked.order.prefix, asked.order.phi, asked.order.table, np.array(asked.order.shift)):
                digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def settings(self) -> list[Setting]:
        """Everything to try: orders, and margins in units of the change that a visit makes to a score."""
        if self.learner.tau != "auto":
            return [Setting(rule, float(self.learner.tau)) for rule in self.asked]
        size = float(np.mean(self.train.sizes[informative(self.train)]))
        return [Setting(rule, float(f"{tau * size * self.material.unit:.3g}")) for rule in self.asked for tau in TAUS]

    def runs(
        self, settings: Sequence[Setting], epochs: int, stage: str, watch: DevWatch | None, inside: Bools | None = None
    ) -> list[PerceptronRun]:
        """One run for every setting, over all groups or those `inside`; none where these ask for nothing."""
        found = []
        for setting in settings:
            asked = self.asked[setting.rule]
            groups: Ints = asked.groups if inside is None else asked.groups[inside[asked.groups]]
            if groups.size == 0:
                return []
            name = f"{stage}, {setting.rule.name}, {setting.tau!r}"
            found.append(PerceptronRun(name, setting, groups, epochs, self.learner, watch, self.material, asked))
            found[-1].only_curve = inside is not None
        return found


def _check_limits(learner: Perceptron) -> None:
    """Refuse what the order would not look at, and a bottom that lies above the top."""
    uses = {"top": ("splitting", "gap"), "bottom": ("splitting", "gap"), "epsilon": ("insensitive", "orum")}
    for name, orders in uses.items():
        if getattr(learner, name) and learner.order not in (*orders, "auto"):
            shown = learner.order if isinstance(learner.order, str) else "a function as order"
            raise UsageError(f"{name} says nothing to {shown}; it belongs to {' and '.join(orders)}.")
    top, bottom = learner.top, learner.bottom
    if isinstance(top, type(bottom)) and isinstance(top, (int, float)) and bottom is not None and bottom <= top:
        raise UsageError(f"bottom must lie below top; found top={top} and bottom={bottom}.")
