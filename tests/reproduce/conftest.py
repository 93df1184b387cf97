"""A small paper, and runs of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pytest

from runoff.errors import DataError
from runoff.reproduce import Claim, Experiment, Line, Paper, PaperData, PaperTable
from runoff.reproduce.data_files import fingerprint
from runoff.reproduce.figures import Curve, Panel, diagram
from runoff.reproduce.results import kept_rows, measured
from runoff.reproduce.verdicts import better, exactly

if TYPE_CHECKING:
    from pathlib import Path


class Coins(Paper):
    """Two coins: the paper says that the second shows heads more often."""

    name = "coins-1999"
    authors = "Doe, J."
    title = "Coins <and> their | heads"
    venue = "Journal"
    year = 1999
    needs = "a file coins.txt with the shares of heads of two coins."
    takes = "a moment"
    pictures = ("figure-1",)
    claims: ClassVar[tuple[Claim, ...]] = (
        Claim("more", "The second coin shows heads more often", "table 1"),
        Claim("less", "The first coin shows heads more often", "table 1"),
        Claim("sum", "Shares are shares", "section 1"),
        Claim("third", "So does a third one", "section 2"),
    )

    def __init__(self) -> None:
        self.made: list[str] = []
        self.fails_in = ""

    def read(self, folder: Path) -> PaperData:
        path = folder / "coins.txt"
        if not path.exists():
            raise DataError("expected a file coins.txt, found none.", path=folder)
        shares = [float(word) for word in path.read_text().split()]
        left_out = ("table 2: there is no third coin",)
        return PaperData("own coins", "two of them", fingerprint([path]), shares, left_out=left_out)

    def synthetic(self, seed: int) -> PaperData:
        return PaperData("drawn coins", "two of them", f"coins {seed}", [0.3, 0.7], is_quick=True)

    def experiments(self, material: PaperData, seed: int, work: Path) -> list[Experiment]:  # noqa: ARG002
        def tossed(name: str, share: float) -> Any:
            def make(_: Any) -> dict[str, Any]:
                self.made.append(name)
                if name == self.fails_in:
                    raise KeyboardInterrupt
                heads = np.random.default_rng([seed, round(1000 * share)]).random(200) < share
                rows = np.column_stack([heads, np.ones(200)]).astype(float)
                return {"cells": {"heads": measured(rows, "quality", seed=seed)}, "rows": kept_rows(rows, "quality")}

            return make

        first, second = material.data[:2]
        return [
            Experiment("first", "the first coin", tossed("first", first), {"share": first}, "toss --coin first"),
            Experiment("second", "the second coin", tossed("second", second), {"share": second}),
            Experiment("both", "both coins", self._both, {}, "", ("first", "second")),
        ]

    def _both(self, results: Any) -> dict[str, Any]:
        self.made.append("both")
        assert sorted(results.facts) == ["first", "second"]
        return {"sum": results.value("first", "heads") + results.value("second", "heads")}

    def tables(self, material: PaperData) -> list[PaperTable]:
        lines = (Line("first", "first", (0.312,)), Line("second | coin", "second", (None,)), Line("third", "", (0.5,)))
        return [PaperTable("table-1", f"heads, {material.name}", ("heads",), lines, digits=3)]

    def figures(self, material: PaperData, results: Any) -> list[Any]:
        curve = Curve("coin", [1, 2], [results.value(name, "heads") for name in ("first", "second")])
        return [diagram("figure-1", "Heads rise", "As drawn.", material.about, [Panel([curve], "coin", "heads")])]

    def judge(self, material: PaperData, results: Any) -> dict[str, Any]:  # noqa: ARG002
        return {
            "more": better(results.compare("second", "first")),
            "less": better(results.compare("first", "second")),
            "sum": exactly(results["both"]["sum"] <= 2, "their sum"),
        }


@pytest.fixture
def coins() -> Coins:
    return Coins()
