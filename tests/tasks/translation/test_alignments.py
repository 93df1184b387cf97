"""Links and their files, and the error of alignments beside those of people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff.errors import DataError, UsageError
from runoff.metrics.tokens import tokenised
from runoff.tasks.translation.alignment_quality import alignment_error
from runoff.tasks.translation.alignments import Alignments, read_alignments, read_gold_alignments
from runoff.tasks.translation.bitext import Bitext

if TYPE_CHECKING:
    from pathlib import Path

Links = list[set[tuple[int, int]]]
links = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=8)


@given(st.lists(st.tuples(links, links, links), min_size=1, max_size=6))
@settings(deadline=None)
def test_the_error_rate_is_that_of_och_and_ney(pairs: list[tuple[set[tuple[int, int]], ...]]) -> None:
    """Och & Ney (2003), section 6: the sure links S are possible ones, P; of A, 1 - (|A∩S| + |A∩P|) / (|A| + |S|)."""
    a, s, p = ({(at, *link) for at, pair in enumerate(pairs) for link in pair[side]} for side in range(3))
    p |= s
    found = alignment_error(*(Alignments.of([pair[side] for pair in pairs]) for side in range(3)))
    assert found.error_rate == pytest.approx(1 - (len(a & s) + len(a & p)) / (len(a) + len(s)) if a | s else 0)
    assert found.precision == pytest.approx(len(a & p) / len(a) if a else 1)
    assert found.recall == pytest.approx(len(a & s) / len(s) if s else 1)
    assert found.links == len(a)


@given(st.lists(links, min_size=1, max_size=6).filter(any))  # a file of nothing is refused as empty
@settings(deadline=None)
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, lists: Links) -> None:
    path = tmp_path_factory.mktemp("links") / "a"
    made = Alignments.of(lists)
    made.write(path)
    assert path.read_text().splitlines() == [" ".join(f"{s}-{t}" for s, t in sorted(each)) for each in lists]
    again = read_alignments(path)
    assert [again.links(at) for at in range(len(again))] == [sorted(each) for each in lists]
    there = made.reversed().reversed()
    assert [there.links(at) for at in range(len(there))] == [sorted(each) for each in lists]
    order = np.arange(len(lists))[::-1]
    assert [made.take(order).links(at) for at in order.tolist()] == [made.links(at) for at in range(len(lists))]
    placed = made.take(order[:1]).placed(np.array([2]), 4)
    assert placed.to_pharaoh() == ["", "", made.to_pharaoh()[-1], ""]


def test_links_that_people_drew_are_sure_or_possible(tmp_path: Path) -> None:
    (tmp_path / "gold").write_text("0-0 1?2 2p0\n\n1-1\n")
    sure, possible = read_gold_alignments(tmp_path / "gold")
    assert sure.to_pharaoh() == ["0-0", "", "1-1"]
    assert possible.to_pharaoh() == ["0-0 1-2 2-0", "", "1-1"]
    with pytest.raises(DataError, match=r"gold, line 1: a link is marked as possible"):
        read_alignments(tmp_path / "gold")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"0-0\n0:0\n", "line 2: expected links such as 0-0 1-2, found '0:0'"),
        (b"0-0\n-1-0\n", "line 2: expected links such as 0-0 1-2, found '-1-0'"),
        (b"0-0\n0-99999999999999999999\n", "line 2: expected links"),
        (b"0-0 1-1\n0-0\n", "line 1: a link names source position 1, but the source sentence has 1 word, counted"),
        (b"0-0\n0-5\n", "line 2: a link names target position 5, but the target sentence has 2 words"),
        (b"0-0\n", "expected one alignment for each of 2 sentence pairs, found 1"),
        (b"", "the file is empty"),
        (b"0-0\n\xff\n", "UTF-8"),
    ],
)
def test_what_is_no_alignment_is_told(tmp_path: Path, content: bytes, message: str) -> None:
    bitext = Bitext(tokenised(["a", "b c"], str.split), tokenised(["x", "y z"], str.split))
    (tmp_path / "links").write_bytes(content)
    with pytest.raises(DataError, match=message):
        read_alignments(tmp_path / "links", bitext)


def test_different_numbers_of_pairs_are_told() -> None:
    with pytest.raises(UsageError, match="alignments of 1, 2 sentence pairs do not fit"):
        alignment_error(Alignments.of([[]]), Alignments.of([[], []]))
