"""Which families a text names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runoff.errors import UsageError
from runoff.tasks.text.families import FAMILIES, SETS, SPARSE, USUAL, select_families


def test_sets() -> None:
    assert (
        select_families("usual")
        == USUAL
        == tuple(name for name in FAMILIES if name not in ("characters", "embedding", "neural"))
    )
    assert select_families("all") == tuple(name for name in FAMILIES if name != "neural")
    assert select_families("dense") == tuple(name for name in USUAL if name not in SPARSE)
    assert select_families("-words") == select_families("dense")


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([*SETS, *FAMILIES])), min_size=1, max_size=6), st.booleans())
def test_words_are_added_and_taken_away_in_turn(parts: list[tuple[bool, str]], spaced: bool) -> None:
    text = (" , " if spaced else ",").join(("-" if minus else "") + name for minus, name in parts)
    expected = set(USUAL) if parts[0][0] else set()
    for minus, name in parts:
        members = set(SETS.get(name, (name,)))
        expected = expected - members if minus else expected | members
    if not expected:
        with pytest.raises(UsageError, match="no feature family is left"):
            select_families(text)
        return
    found = select_families(text)
    assert set(found) == expected
    assert list(found) == [name for name in FAMILIES if name in expected]  # always in the same order


@pytest.mark.parametrize("text", ["", " ", ",", "-usual", "length,-length"])
def test_nothing_left(text: str) -> None:
    with pytest.raises(UsageError, match="no feature family is left"):
        select_families(text)


@pytest.mark.parametrize("text", ["lenght", "length,embeddings", "-nothing", "length lm", "--lm", "LENGTH"])
def test_unknown_names(text: str) -> None:
    with pytest.raises(UsageError, match=r"there is no feature family .*; there are: usual, all, dense, scores"):
        select_families(text)


def test_every_family_says_what_it_is() -> None:
    for name, family in FAMILIES.items():
        assert family.name == name
        assert family.what
        assert family.cost
