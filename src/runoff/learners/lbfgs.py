"""L-BFGS one step at a time, with a state of arrays that a checkpoint can keep (Nocedal 1980)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.arrays import Floats

MEMORY = 6  # steps from which the curvature is estimated
_ENOUGH, _MOST_TRIES = 1e-4, 20


class LBFGSState(NamedTuple):
    """All that the next step depends on."""

    point: Floats
    gradient: Floats
    value: Floats  # one number
    moves: Floats  # the last changes of the point, newest last, and of the gradient
    turns: Floats
    known: Floats  # how many of these there are

    @classmethod
    def at(cls, start: Floats, value: float, gradient: Floats) -> LBFGSState:
        """A state without any memory."""
        memory = np.zeros((2, MEMORY, start.size))
        return cls(start.copy(), gradient.copy(), np.array([value]), memory[0], memory[1], np.zeros(1))


def lbfgs_step(state: LBFGSState, objective: Callable[[Floats], tuple[float, Floats]]) -> bool:
    """Go to a lower point; False where none is found along the direction. One or a few calls of the objective."""
    direction = _direction(state)
    slope = float(direction @ state.gradient)
    if not slope < 0:
        state.known[0] = 0
        direction, slope = -state.gradient, -float(state.gradient @ state.gradient)
        if slope == 0:
            return False
    length = 1.0 if state.known[0] else 1.0 / np.sqrt(float(direction @ direction))
    for _ in range(_MOST_TRIES):
        point = state.point + length * direction
        value, gradient = objective(point)
        if np.isfinite(value) and value <= state.value[0] + _ENOUGH * length * slope:
            break
        length *= 0.5
    else:
        if not state.known[0]:
            return False
        state.known[0] = 0  # once more, straight down
        return lbfgs_step(state, objective)
    move, turn = point - state.point, gradient - state.gradient
    if float(move @ turn) > 1e-12 * float(turn @ turn):  # else the curvature is not positive, and says nothing
        state.moves[:-1], state.turns[:-1] = state.moves[1:], state.turns[1:]
        state.moves[-1], state.turns[-1] = move, turn
        state.known[0] = min(MEMORY, state.known[0] + 1)
    state.point[:], state.gradient[:], state.value[0] = point, gradient, value
    return True


def _direction(state: LBFGSState) -> Floats:
    """The two loops of the method."""
    direction = -state.gradient
    newest_first = range(MEMORY - 1, MEMORY - 1 - int(state.known[0]), -1)
    shares = {}
    for at in newest_first:
        shares[at] = float(state.moves[at] @ direction) / float(state.moves[at] @ state.turns[at])
        direction -= shares[at] * state.turns[at]
    if state.known[0]:
        turn = state.turns[-1]
        direction *= float(state.moves[-1] @ turn) / float(turn @ turn)
    for at in reversed(newest_first):
        share = float(state.turns[at] @ direction) / float(state.moves[at] @ state.turns[at])
        direction += (shares[at] - share) * state.moves[at]
    return direction
