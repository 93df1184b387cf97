"""Figure 1 of Volkovs, Larochelle & Zemel (2011) exactly, and the bounds of its section 3.1 on random lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.crf_objectives import objective
from runoff.learners.crf_problem import OBJECTIVES

if TYPE_CHECKING:
    from runoff.reproduce.results import Facts

ENERGIES, LOSSES = np.array([-1.0, -0.5, 0.0, 0.5, 1.0]), np.array([5.0, 1.0, 0.0, 1.0, 5.0])


def gradients() -> Facts:
    """Figure 1: minus the derivative of every objective by the energies, divided by its length."""
    found = {}
    for kind, name in enumerate(OBJECTIVES):
        slopes = np.zeros(LOSSES.size)
        objective(kind, 1.0, -ENERGIES, LOSSES, slopes)
        found[name] = (slopes / np.linalg.norm(slopes)).tolist()
    return {"slopes": found}


def bounds(seed: int, draws: int = 2_000) -> Facts:
    """Section 3.1 on random lists: the bounds less the loss of the most probable answer."""
    rng = np.random.default_rng([seed, 31])
    least = {}
    for name in ("la", "ls"):
        gaps = []
        for _ in range(draws):
            scores, losses = rng.normal(size=8) * 3, np.append(0.0, rng.random(7) * 5)
            value = objective(OBJECTIVES.index(name), 1.0, scores, losses, np.zeros(8))
            gaps.append(value - losses[np.argmax(scores)])
        least[name] = float(min(gaps))
    return {"least": least, "draws": draws}
