"""What a paper is to the runner: its experiments, the published numbers, and what it claims."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from runoff.reproduce.results import Facts, Results
    from runoff.reproduce.verdicts import Judgement


@dataclass(frozen=True)
class Experiment:
    """A piece of work whose facts are kept: one line of a table, or the numbers of one figure.

    Facts are plain values. By convention `cells` maps columns of tables to a value with the bounds of its interval, and
    `rows` has the statistics of every group, with which lines are compared in pairs.

    Examples
    --------
    >>> from runoff.reproduce.results import Results
    >>> half = Experiment("half", "a half", lambda earlier: {"cells": {"value": [0.5, None, None]}})
    >>> half.make(Results({}))
    {'cells': {'value': [0.5, None, None]}}
    """

    name: str  # also of its file
    title: str
    make: Callable[[Results], Facts]
    settings: Mapping[str, Any] = field(default_factory=dict)  # beside the data, everything its facts depend on
    command: str = ""  # does the same by hand, where one command does
    after: tuple[str, ...] = ()  # earlier experiments whose facts it uses


def alone(make: Callable[[], Facts]) -> Callable[[Results], Facts]:
    """What an experiment makes without the facts of earlier ones."""
    return lambda _: make()


@dataclass(frozen=True)
class Line:
    """A line of a published table: what it is called, the experiment that fills it, and the published numbers.

    A line without an experiment has published numbers alone. None is a cell that the paper leaves empty.

    Examples
    --------
    >>> Line("SVM-Struct", published=(36.26, None)).experiment
    ''
    """

    label: str
    experiment: str = ""
    published: tuple[float | None, ...] = ()


@dataclass(frozen=True)
class PaperTable:
    """A table as the paper has it; `columns` are the names of cells.

    Examples
    --------
    >>> PaperTable("table-1", "F on test", ("F",), (Line("baseline", "baseline", (88.2,)),)).digits
    2
    """

    name: str
    title: str
    columns: tuple[str, ...]
    lines: tuple[Line, ...]
    digits: int | tuple[int, ...] = 2  # decimals of all columns, or of each
    note: str = ""


@dataclass(frozen=True)
class Claim:
    """What a paper says was found, in one sentence, and where.

    Examples
    --------
    >>> Claim("better", "Boosting is better than the parser alone", "table 1").where
    'table 1'
    """

    key: str
    text: str
    where: str


@dataclass(frozen=True)
class Figure:
    """A picture: `title` is what it shows here, `caption` what stands beside the paper's figure.

    Examples
    --------
    >>> Figure("figure-1", "F rises", "F by rounds.", lambda path: None).name
    'figure-1'
    """

    name: str
    title: str
    caption: str
    draw: Callable[[Path], None]


@dataclass(frozen=True)
class PaperData:
    """The data of a run: its name for titles, one sentence about it, and a digest of its content.

    Examples
    --------
    >>> PaperData("MQ2008", "five folds", "0f3a", data=None).is_quick
    False
    """

    name: str
    about: str
    fingerprint: str
    data: Any
    is_quick: bool = False
    left_out: tuple[str, ...] = ()  # what cannot be done with it: what was looked for, and which tables need it
    most_rounds: int | None = None  # of boosting, where fewer were asked for than the paper has

    def rounds(self, usual: int) -> int:
        """Rounds of boosting: the usual number, or fewer if that was asked for.

        Examples
        --------
        >>> PaperData("MQ2008", "five folds", "0f3a", data=None, most_rounds=100).rounds(20_000)
        100
        """
        return usual if self.most_rounds is None else min(usual, self.most_rounds)


class Paper(ABC):
    """A published experiment that can be run again.

    Examples
    --------
    >>> from runoff import reproduce
    >>> reproduce.get("volkovs-2011").title
    'Loss-sensitive Training of Probabilistic Conditional Random Fields'
    """

    name: ClassVar[str]
    authors: ClassVar[str]
    title: ClassVar[str]
    venue: ClassVar[str]
    year: ClassVar[int]
    needs: ClassVar[str]  # what --data must have, by name and format
    takes: ClassVar[str]  # how long it takes on data of the paper's kind
    claims: ClassVar[tuple[Claim, ...]]
    pictures: ClassVar[tuple[str, ...]] = ()  # names of all figures that it may draw
    has_rounds: ClassVar[bool] = False  # whether it boosts, so that fewer rounds take less time

    @property
    def citation(self) -> str:
        """Authors, year, title and venue."""
        return f"{self.authors} ({self.year}). {self.title}. {self.venue}."

    @abstractmethod
    def read(self, folder: Path) -> PaperData:
        """Find the data in a folder; raises an error that says what was looked for."""

    @abstractmethod
    def synthetic(self, seed: int) -> PaperData:
        """Small data that needs no files."""

    @abstractmethod
    def experiments(self, material: PaperData, seed: int, work: Path) -> Sequence[Experiment]:
        """All experiments on the data, in order; `work` is a folder for what is expensive to prepare."""

    @abstractmethod
    def tables(self, material: PaperData) -> Sequence[PaperTable]:
        """The paper's tables, as far as the data fills them."""

    @abstractmethod
    def figures(self, material: PaperData, results: Results) -> Sequence[Figure]:
        """The paper's figures with the numbers found here."""

    @abstractmethod
    def judge(self, material: PaperData, results: Results) -> Mapping[str, Judgement]:
        """What the numbers say about the claims, by key; a claim without an outcome cannot be told."""
