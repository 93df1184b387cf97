"""All papers on the data that ships: every table and figure, a verdict for every claim, and no number by hand."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from runoff.cli import main
from runoff.reproduce import get, names

if TYPE_CHECKING:
    from pathlib import Path

SEVEN = [
    "collins-koo-2005",
    "espana-bonet-comas-2012",
    "marquez-2005-combination",
    "marquez-2005-tagging",
    "shen-joshi-2004",
    "shen-joshi-2005",
    "volkovs-2011",
]
# What must hold on any data: it is computed exactly.
ALWAYS = {
    "volkovs-2011": ["Only EL and KL", "LS puts nearly", "EL lowers", "LA and LS are upper bounds"],
    "collins-koo-2005": ["The efficient algorithm chooses as the naive one", "Every round by W+"],
    "shen-joshi-2004": ["On separable data"],
    "shen-joshi-2005": ["On separable data"],
}


def test_there_are_seven() -> None:
    assert names() == SEVEN


@pytest.mark.parametrize("name", SEVEN)
def test_a_paper_says_what_it_needs(name: str) -> None:
    paper = get(name)
    assert paper.name == name
    assert str(paper.year) in name
    assert str(paper.year) in paper.citation
    assert paper.needs.endswith(".")
    assert paper.takes
    keys = [claim.key for claim in paper.claims]
    assert len(set(keys)) == len(keys) >= 7
    assert paper.synthetic(0).is_quick


@pytest.mark.slow
@pytest.mark.parametrize("name", SEVEN)
def test_quick_runs(name: str, tmp_path: Path) -> None:
    out = tmp_path / name
    done = CliRunner().invoke(main, ["reproduce", name, "--quick", "-o", str(out), "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    page = json.loads(done.stdout)
    assert page == json.loads((out / "page.json").read_text())
    paper = get(name)
    assert {figure["name"] for figure in page["figures"]} == set(paper.pictures)
    for figure in page["figures"]:
        assert (out / figure["file"]).read_bytes()[:4] == b"\x89PNG"
    assert [each["claim"] for each in page["claims"]] == [claim.text for claim in paper.claims]
    assert all(each["reason"] != "the data lacks what it is about" for each in page["claims"])
    for beginning in ALWAYS.get(name, []):
        (claim,) = [each for each in page["claims"] if each["claim"].startswith(beginning)]
        assert claim["verdict"] == "holds here", claim["reason"]
    # Every line that an experiment fills has a number in some column; and some line has a published one.
    for table in page["tables"]:
        for line in table["lines"]:
            has_numbers = any(cell is not None for cell in line["here"])
            assert has_numbers or any(cell is not None for cell in line["paper"]), (table["name"], line["label"])
    assert any(cell is not None for table in page["tables"] for line in table["lines"] for cell in line["paper"])
    before = (out / "page.html").read_bytes()
    again = CliRunner().invoke(main, ["reproduce", name, "--quick", "-o", str(out)], catch_exceptions=False)
    assert "up to date" in again.output
    assert (out / "page.html").read_bytes() == before
