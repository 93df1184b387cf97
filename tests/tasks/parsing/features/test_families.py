"""Families by name."""

from __future__ import annotations

import pytest

from runoff.errors import UsageError
from runoff.tasks.parsing.features import families
from runoff.tasks.parsing.features.families import ALL, COLLINS, LATER, chosen, counts_presence, families_of


def test_every_family_is_of_one_set() -> None:
    parts = (families.OF_RULES, families.OF_TWO_RULES, families.OF_SPANS, families.OF_HEADS, families.OF_NODES)
    names = [name for part in parts for name in part]
    assert sorted([*names, "closed", "consensus"]) == sorted(ALL)
    assert len(set(ALL)) == len(ALL)
    assert (*COLLINS, *LATER) == ALL


def test_collins_and_koo_have_ten_kinds_and_a_second_pass() -> None:
    # Section 5.2: rules, bigrams, grandparent rules and bigrams, lexical bigrams, two-level rules and bigrams,
    # trigrams, head modifiers, PPs, distance head modifiers; further lexicalization.
    assert len(COLLINS) == 11 + 1
    # "All features apart from head modifiers, PPs, and distance head modifiers"; lexical bigrams have words anyway.
    assert set(families.WITH_CLOSED) == set(COLLINS) - {
        *("head-modifier", "preposition", "distance", "closed", "lexical-bigram")
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rule", ("rule",)),
        ("bigram, rule", ("rule", "bigram")),  # always in the same order
        ("rule,rule", ("rule",)),
        ("collins", COLLINS),
        ("all", ALL),
        ("all,-collins", LATER),
        ("all,-collins,rule", ("rule", *LATER)),
        ("-rule,rule", ("rule",)),
    ],
)
def test_chosen(text: str, expected: tuple[str, ...]) -> None:
    assert chosen(text) == expected


@pytest.mark.parametrize("text", ["rul", "all,-rul", "", " , ", "rule,-collins"])
def test_nothing_to_choose(text: str) -> None:
    with pytest.raises(UsageError, match="there are: collins, later, all, rule, bigram"):
        chosen(text)


def test_families_of_names() -> None:
    assert families_of(["rule:A:B", "consensus:place", "length", "other:x"]) == ("rule", "consensus")
    assert families_of(["bigram+:x"]) == ("bigram", "closed")
    assert families_of(["bigram+?:x", "heads?:tags a"]) == ("bigram", "closed", "heads")
    assert families_of([]) == ()


def test_presence_is_told_by_the_family_alone() -> None:
    assert counts_presence(["rule?:x"])
    assert not counts_presence(["word:? .", "consensus:first"])
