"""Published experiments as data: every table line with its setting and its published number, and one runner for all.

A paper about a task stands in the room of that task, which names it in `Task.papers`; papers about learners alone
stand here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.registry import PAPERS, lazily

if TYPE_CHECKING:
    from runoff.reproduce.paper import Claim, Experiment, Figure, Line, Paper, PaperData, PaperTable
    from runoff.reproduce.results import Results
    from runoff.reproduce.run import reproduce
    from runoff.reproduce.verdicts import Judgement

__all__ = [
    "Claim",
    "Experiment",
    "Figure",
    "Judgement",
    "Line",
    "Paper",
    "PaperData",
    "PaperTable",
    "Results",
    "get",
    "names",
    "reproduce",
]

_HOMES = {
    "runoff.reproduce.paper": ("Claim", "Experiment", "Figure", "PaperTable", "Line", "PaperData", "Paper"),
    "runoff.reproduce.results": ("Results",),
    "runoff.reproduce.run": ("reproduce",),
    "runoff.reproduce.verdicts": ("Judgement",),
}
__getattr__ = lazily(__name__, _HOMES)

PAPERS.register("volkovs-2011", "runoff.reproduce.learner_papers.volkovs_2011:PAPER")


def names() -> list[str]:
    """Names of all papers, in alphabetical order.

    Examples
    --------
    >>> "volkovs-2011" in names()
    True
    """
    return sorted(PAPERS)


def get(name: str) -> Paper:
    """A paper by name.

    Examples
    --------
    >>> get("volkovs-2011").year
    2011
    """
    return PAPERS[name]
