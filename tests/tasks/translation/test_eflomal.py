"""Word alignment by eflomal: what is passed to it, what becomes of its links, and what is said where it is missing."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from runoff.errors import UsageError
from runoff.metrics.tokens import tokenised
from runoff.tasks.translation.bitext import Bitext
from runoff.tasks.translation.eflomal import NOTE, eflomal_links
from runoff.tasks.translation.training import align_words

if TYPE_CHECKING:
    from collections.abc import Callable


def bitext(source: list[str], target: list[str]) -> Bitext:
    return Bitext(tokenised(source, str.split), tokenised(target, str.split))


def installed(monkeypatch: pytest.MonkeyPatch, align: Callable[..., None]) -> None:
    """A module in place of eflomal's."""
    module = ModuleType("eflomal")
    module.Aligner = lambda: SimpleNamespace(align=align)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "eflomal", module)


def test_links_of_both_directions_are_made_one(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []

    def align(source: list[str], target: list[str], *, links_filename_fwd: str, links_filename_rev: str) -> None:
        given.extend((source, target))
        Path(links_filename_fwd).write_text("0-0 1-1\n\n")
        Path(links_filename_rev).write_text("0-0 1-0\n\n")

    installed(monkeypatch, align)
    pairs = bitext(["the house", "x " * 1024], ["das Haus", "y"])
    assert eflomal_links(pairs, "intersection").to_pharaoh() == ["0-0", ""]
    assert given[0] == ["the house", ""]  # a sentence that it cannot align
    assert eflomal_links(pairs, "union").to_pharaoh() == ["0-0 1-0 1-1", ""]
    assert align_words(pairs, "eflomal", "union")[1] == [NOTE]


@pytest.mark.parametrize("links", ["0-0 7-1\n", "nothing\n", None])
def test_what_goes_wrong_there_is_told(monkeypatch: pytest.MonkeyPatch, links: str | None) -> None:
    def align(*_: Any, links_filename_fwd: str, links_filename_rev: str) -> None:
        for path in (links_filename_fwd, links_filename_rev):
            if links is not None:
                Path(path).write_text(links)

    installed(monkeypatch, align)
    with pytest.raises(UsageError, match="eflomal did not align the words"):
        eflomal_links(bitext(["a b"], ["c d"]))


def test_where_it_is_missing_what_to_install_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "eflomal", None)
    with pytest.raises(UsageError, match=r"pip install 'runoff\[align\]'"):
        eflomal_links(bitext(["a"], ["b"]))


def test_the_real_one_finds_planted_links() -> None:
    pytest.importorskip("eflomal")
    links = eflomal_links(bitext(["the house", "the book", "a book"] * 20, ["das Haus", "das Buch", "ein Buch"] * 20))
    right = sum(each in ([(0, 0), (1, 1)]) for pair in range(60) for each in links.links(pair))
    assert right > 0.8 * links.source.size
