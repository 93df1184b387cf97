"""One runner for all papers: it keeps what is finished, compares with what was published, and writes the page."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from helpers.registries import own_registries
from runoff import UsageError
from runoff.errors import DataError
from runoff.registry import PAPERS, TASKS
from runoff.reproduce import get, names, reproduce
from runoff.tasks import Task, register

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Coins


def quiet(_: object) -> None:
    pass


def test_tables_have_the_published_numbers_beside_those_found(coins: Coins, tmp_path: Path) -> None:
    page = reproduce(coins, tmp_path, say=quiet)
    (table,) = page["tables"]
    assert table["header"] == ["", "heads", "paper"]
    assert [row[0] for row in table["rows"]] == ["first", "second | coin", "third"]
    assert [row[2] for row in table["rows"]] == ["0.312", "–", "0.500"]
    assert table["rows"][2][1] == "–"
    value, low, high = table["lines"][0]["here"][0]
    assert low < value < high
    assert table["rows"][0][1] == f"{value:.3f} ({low:.3f}–{high:.3f})"


def test_claims_are_judged_by_tests_and_not_by_hand(coins: Coins, tmp_path: Path) -> None:
    verdicts = [each["verdict"] for each in reproduce(coins, tmp_path, say=quiet)["claims"]]
    assert verdicts == ["holds here", "does not hold here", "holds here", "cannot be told"]
    (folder := tmp_path / "data").mkdir()
    (folder / "coins.txt").write_text("0.7 0.3")  # the other way round
    page = reproduce(coins, tmp_path / "other", data=folder, say=quiet)
    assert [each["verdict"] for each in page["claims"]][:2] == ["does not hold here", "holds here"]
    (folder / "coins.txt").write_text("0.5 0.501")
    page = reproduce(coins, tmp_path / "equal", data=folder, say=quiet)
    assert [each["verdict"] for each in page["claims"]][:2] == ["cannot be told"] * 2


def test_what_is_finished_is_not_run_again(coins: Coins, tmp_path: Path) -> None:
    coins.fails_in = "second"
    with pytest.raises(KeyboardInterrupt):
        reproduce(coins, tmp_path, say=quiet)
    assert coins.made == ["first", "second"]
    coins.made, coins.fails_in = [], ""
    first = reproduce(coins, tmp_path, say=quiet)
    assert coins.made == ["second", "both"]
    coins.made = []
    assert reproduce(coins, tmp_path, say=quiet) == first
    assert coins.made == []
    reproduce(coins, tmp_path, seed=1, say=quiet)
    assert coins.made == ["first", "second", "both"]


def test_other_data_is_other_work(coins: Coins, tmp_path: Path) -> None:
    (folder := tmp_path / "data").mkdir()
    (folder / "coins.txt").write_text("0.2 0.6")
    reproduce(coins, tmp_path / "out", data=folder, say=quiet)
    (folder / "coins.txt").write_text("0.2 0.6 ")  # the same numbers in another file
    coins.made = []
    reproduce(coins, tmp_path / "out", data=folder, say=quiet)
    assert coins.made == ["first", "second", "both"]


def test_the_same_seed_gives_the_same_files(coins: Coins, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name / "out").mkdir(parents=True)
        reproduce(coins, tmp_path / name / "out", say=quiet)
    for file in ("page.json", "page.md", "page.html", "first.json", "figure-1.png"):
        assert (tmp_path / "a" / "out" / file).read_bytes() == (tmp_path / "b" / "out" / file).read_bytes()


def test_pages_are_whole_and_text_stays_text(coins: Coins, tmp_path: Path) -> None:
    page = reproduce(coins, tmp_path, say=quiet)
    html, markdown = ((tmp_path / f"page.{kind}").read_text(encoding="utf-8") for kind in ("html", "md"))
    assert json.loads((tmp_path / "page.json").read_text()) == page
    assert "Coins &lt;and&gt; their" in html
    assert "<and>" not in html
    assert "second \\| coin" in markdown
    assert "toss --coin first" in html
    assert "toss --coin first" in markdown
    assert "![Heads rise](figure-1.png)" in markdown
    assert len(re.findall(r'src="data:image/png;base64,', html)) == 1
    assert not re.findall(r'(?:src|href)="(?!data:)', html)  # nothing from elsewhere
    assert "Synthetic data" in markdown
    # Tables of Markdown have equally many cells in all rows.
    for block in re.findall(r"(?:^\|.*\n)+", markdown, re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in block.splitlines()}) == 1


def test_what_is_left_out_is_said(coins: Coins, tmp_path: Path) -> None:
    (folder := tmp_path / "data").mkdir()
    said: list[str] = []
    with pytest.raises(DataError, match=r"coins\.txt"):
        reproduce(coins, tmp_path / "out", data=folder, say=said.append)
    (folder / "coins.txt").write_text("0.2 0.6")
    page = reproduce(coins, tmp_path / "out", data=folder, say=said.append)
    assert "left out: table 2: there is no third coin" in said
    assert "there is no third coin" in (tmp_path / "out" / "page.md").read_text()
    assert not page["data"]["synthetic"]


def test_files_from_elsewhere_are_not_overwritten(coins: Coins, tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("mine")
    with pytest.raises(UsageError, match=r"page\.md, which no pipeline has written"):
        reproduce(coins, tmp_path, say=quiet)
    assert (tmp_path / "page.md").read_text() == "mine"


def test_tasks_bring_their_papers(coins: Coins) -> None:
    class Tossing(Task):
        name = "tossing"
        papers = {coins.name: coins}  # noqa: RUF012 - as a plug-in would write it

    with own_registries():
        register(Tossing())
        assert coins.name in names()
        assert get(coins.name) is coins
        with pytest.raises(UsageError, match="there is no paper 'coins'; did you mean coins-1999"):
            get("coins")
    assert coins.name not in PAPERS
    assert "tossing" not in TASKS


def test_fewer_rounds_are_run_where_a_paper_boosts(coins: Coins, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not boost: --rounds is for collins-koo-2005, marquez-2005"):
        reproduce(coins, tmp_path, rounds=5, say=quiet)
    paper = get("marquez-2005-tagging")
    material = replace(paper.synthetic(0), most_rounds=9)
    made = paper.experiments(material, 0, tmp_path)
    assert {each.settings["rounds"] for each in made} == {2, 4, 8, 9}  # of 2, 4, 8, 16, 32 and 24
    assert material.data.rounds == 9
    other = get("collins-koo-2005")
    boosted = other.experiments(replace(other.synthetic(0), most_rounds=7), 0, tmp_path)
    assert {each.settings["max_rounds"] for each in boosted if "max_rounds" in each.settings} == {7}
