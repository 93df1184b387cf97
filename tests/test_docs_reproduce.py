"""What docs/reproduce.md tells people to type works, and its tables are complete."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from helpers.pages import DOCS, Page, names, said_by
from runoff import reproduce
from runoff.reproduce.learner_papers.letor_folds import drawn_folds

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Page("reproduce.md")


def test_all_papers_are_told() -> None:
    assert sorted(names(row[0])[0] for row in PAGE.table("# Reproducing papers")) == reproduce.names()


def letor_lines(part: str, fold: int) -> Iterator[str]:
    """A part of a small synthetic fold in LETOR's format."""
    data = drawn_folds(0)[fold].parts[part][:12]
    table = data.features.to_scipy().toarray()
    for row, (query, grade) in enumerate(zip(data.group_of.tolist(), data.quality.tolist(), strict=True)):
        values = " ".join(f"{at}:{value:g}" for at, value in enumerate(table[row], 1))
        yield f"{grade:g} qid:{query} {values} #docid = {query}-{row}\n"


@pytest.mark.slow
def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    for fold in range(2):
        (place := Path("MQ2008") / f"Fold{fold + 1}").mkdir(parents=True)
        for part in ("train", "vali", "test"):
            (place / f"{part}.txt").write_text("".join(letor_lines(part, fold)))
    listed, quick, own = (said_by(*command) for command in PAGE.commands())
    assert all(name in listed for name in reproduce.names())
    assert "[holds here] LA and LS are upper bounds of the loss" in quick
    assert "MQ2008" in own
    assert "37.54" in own  # LETOR's ListNet
    PAGE.run_python()
    said = capsys.readouterr().out
    assert said.count("holds here -") == 4
    assert "[['half', '0.50', '0.50']] holds here" in said


@pytest.mark.parametrize("page", sorted((DOCS / "papers").glob("*.md")), ids=lambda path: path.stem)
def test_pages_of_papers_are_whole(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    paper = reproduce.get(page.stem)
    assert paper.citation in text
    assert all(f"{claim.text} ({claim.where})" in text for claim in paper.claims)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        assert (page.parent / link).exists(), link
    assert "Synthetic data" not in text
