"""Proposed arguments as text, so that lists of labellings carry what the labeller thought of each argument."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from runoff.errors import DataError, brief
from runoff.tasks.roles.resolution import Proposal

if TYPE_CHECKING:
    from collections.abc import Iterable

PROPOSALS = "proposals"  # attribute of lists of labellings
_ONE = re.compile(r"(\d{1,9}) (\d{1,9}) ([^\s;]+) ([01](?:\.\d{1,17})?)", re.ASCII)


def proposals_text(proposals: Iterable[Proposal]) -> str:
    """Proposals from left to right, `start stop label probability` each, joined by `;`; probabilities have 4 digits.

    Examples
    --------
    >>> proposals_text([Proposal(2, 3, "A1", 0.25), Proposal(0, 1, "A0", 0.98765)])
    '0 1 A0 0.9877;2 3 A1 0.2500'
    """
    found = []
    for start, stop, label, probability in sorted(proposals):
        if not _ONE.fullmatch(f"0 1 {label} 1"):
            raise DataError(f"the label {brief(label)} has a blank or a semicolon; change it.")
        found.append(f"{start} {stop} {label} {probability:.4f}")
    return ";".join(found)


def proposals_of(text: str) -> list[Proposal]:
    """The proposals that `proposals_text` wrote; none where there is no text.

    Examples
    --------
    >>> proposals_of("0 1 A0 0.9877;2 3 A1 0.2500")[1]
    Proposal(start=2, stop=3, label='A1', probability=0.25)
    """
    found = []
    for at, part in enumerate(text.split(";") if text else [], 1):
        fields = _ONE.fullmatch(part)
        if fields is None:
            raise DataError(
                f"proposal {at}: expected start, stop, label and a probability from 0 to 1 between blanks, "
                f"found {brief(part)}."
            )
        proposal = Proposal(int(fields[1]), int(fields[2]), fields[3], float(fields[4]))
        if proposal.start >= proposal.stop or proposal.probability > 1:
            raise DataError(
                f"proposal {at}: expected a start before the stop and a probability from 0 to 1, found {brief(part)}."
            )
        found.append(proposal)
    return found
