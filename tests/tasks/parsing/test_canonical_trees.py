"""One text for each tree: against reading the tree and writing it again."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff.tasks.parsing.brackets import parse_tree
from runoff.tasks.parsing.canonical_trees import canonical_trees

blanks = st.sampled_from([" ", "  ", "\n  ", "\t"])
maybe = st.sampled_from(["", " ", "\n"])
WORDS = st.sampled_from(["oh", "a\u00a0b", "-LRB-", ".", "S1"])


@st.composite
def written(draw: st.DrawFn, depth: int = 3) -> tuple[str, str]:
    """A constituent with blanks anywhere, and as one writes it."""
    label = draw(st.sampled_from(["S", "NP", "TOP-like", "S1X"]))
    if depth == 0 or draw(st.booleans()):
        word = draw(WORDS)
        return f"({draw(maybe)}{label}{draw(blanks)}{word}{draw(maybe)})", f"({label} {word})"
    parts = draw(st.lists(written(depth - 1), min_size=1, max_size=3))
    loose = "".join(draw(maybe) + part for part, _ in parts)
    return f"({draw(maybe)}{label}{loose}{draw(maybe)})", f"({label} {' '.join(tight for _, tight in parts)})"


@settings(deadline=None)
@given(written(), st.sampled_from(["TOP", "S1", "ROOT", "", None]), blanks)
def test_the_root_is_top_and_blanks_are_single(tree: tuple[str, str], root: str | None, blank: str) -> None:
    loose, tight = tree
    text = loose if root is None else f"({root}{blank}{loose})"
    found = canonical_trees(pa.array([f"{blank}{text}{blank}"], pa.large_string())).to_pylist()
    assert found == [f"(TOP {tight})"]
    assert canonical_trees(pa.array(found, pa.large_string())).to_pylist() == found
    if tight.count("(") > 1:
        assert str(parse_tree(found[0])) == found[0]


@pytest.mark.parametrize("text", ["(())", " (()) "])
def test_no_tree_stays_no_tree(text: str) -> None:
    assert canonical_trees(pa.array([text], pa.large_string())).to_pylist() == ["(())"]


def test_nothing() -> None:
    assert len(canonical_trees(pa.array([], pa.large_string()))) == 0
