"""Objectives over all groups of a block at once, for lists on a device of torch.

They are those of the compiled loops, in the same formulas: `runoff.kernels.loglinear` and
`runoff.kernels.crf_objectives`, which say what they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runoff.learners.dense_lists import GroupSegments


def log_likelihood(groups: GroupSegments, scores: Any, roles: Any) -> tuple[Any, Any]:
    """Minus the logarithm of the probability of the right candidates; `roles` as in `kernels.loglinear`."""
    nowhere = scores.new_tensor(float("-inf"))
    shares, total = groups.softmax(groups.torch.where(roles >= 0, scores, nowhere))
    right, total_right = groups.softmax(groups.torch.where(roles == 1, scores, nowhere))
    return total - total_right, shares - right


@dataclass(frozen=True)
class CRFObjective:
    """An objective of a conditional random field by its name; targets are losses."""

    name: str
    strength: float

    def __call__(self, groups: GroupSegments, scores: Any, losses: Any) -> tuple[Any, Any]:
        """Value of every group and slope of every candidate; no number where a score is none."""
        right = (losses == 0).double()
        right = right / groups.each(groups.sum(right))  # the share of each of the right answers
        mean = groups.sum(right * scores)
        value, slopes = getattr(self, f"_{self.name}")(groups, scores, losses, right, mean)
        return value + 0.0 * groups.sum(scores.abs()), slopes

    def _ml(self, groups: GroupSegments, scores: Any, losses: Any, right: Any, mean: Any) -> tuple[Any, Any]:  # noqa: ARG002
        shares, total = groups.softmax(scores)
        return total - mean, shares - right

    def _la(self, groups: GroupSegments, scores: Any, losses: Any, right: Any, mean: Any) -> tuple[Any, Any]:
        shares, total = groups.softmax(scores + self.strength * losses)
        return total - mean, shares - right

    def _ls(self, groups: GroupSegments, scores: Any, losses: Any, right: Any, mean: Any) -> tuple[Any, Any]:
        shares, total = groups.softmax(losses * (scores - groups.each(mean)) + losses)
        pulls = shares * losses
        return total, pulls - right * groups.each(groups.sum(pulls))

    def _el(self, groups: GroupSegments, scores: Any, losses: Any, right: Any, mean: Any) -> tuple[Any, Any]:  # noqa: ARG002
        shares, _ = groups.softmax(scores)
        value = groups.sum(shares * losses)
        return value, shares * (losses - groups.each(value))

    def _kl(self, groups: GroupSegments, scores: Any, losses: Any, right: Any, mean: Any) -> tuple[Any, Any]:  # noqa: ARG002
        torch = groups.torch
        shares, total = groups.softmax(scores)
        exponent = -losses / self.strength
        exponent = exponent - groups.each(groups.sum(exponent.exp()).log())
        wanted, apart = exponent.exp(), exponent - (scores - groups.each(total))
        near = wanted * apart * apart * (0.5 - apart / 6.0 + apart * apart / 24.0)
        far = wanted * apart + (shares - wanted)
        return groups.sum(torch.where(apart.abs() < 1e-3, near, far)), shares - wanted
