"""Unions of labellings: nothing overlaps, no core role is there twice, and the order of the paper decides."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.role_sentences import contents, stretches
from runoff.errors import DataError, UsageError
from runoff.tasks.roles.propositions import CORE, Proposition, RoleSentence
from runoff.tasks.roles.union import best_labels, union

LABELS = ("A0", "A1", "A2", "AM-TMP", "AM-LOC", "R-A0", "C-A1")
SIZE = 9


@st.composite
def labellings(draw: st.DrawFn) -> RoleSentence:
    """A sentence of nine words with one predicate in the middle, and no core role twice."""
    found, seen = [], set()
    for role in [
        *draw(stretches(4, LABELS)),
        *((start + 5, stop + 5, label) for start, stop, label in draw(stretches(4, LABELS))),
    ]:
        if role[2] not in CORE or role[2] not in seen:
            seen.add(role[2])
            found.append(role)
    said = Proposition.of(4, "say", [(4, 5, "V"), *found])
    return RoleSentence(tuple("abcdefghi"), (said,))


@settings(deadline=None)
@given(
    st.lists(labellings(), min_size=2, max_size=3), st.lists(st.sets(st.sampled_from(LABELS)), min_size=3, max_size=3)
)
def test_a_union_is_a_labelling(same: list[RoleSentence], best: list[set[str]]) -> None:
    (found,) = union([[each] for each in same], best[: len(same)])
    roles = found.propositions[0].arguments
    assert all(left.stop <= right.start for left, right in pairwise(roles))
    counts = Counter(role.label for role in roles)
    assert all(counts[label] <= 1 for label in CORE)
    known = {role for each in same for role in each.propositions[0].arguments}
    assert set(roles) <= known
    # Whatever was left out has a reason: a word or a core role that was taken, by itself or by a further piece of it.
    taken = {at for role in roles for at in range(role.start, role.stop)}
    for role in known - set(roles):
        alone = not any(label.startswith("C-") for _, _, label in known)
        assert not alone or taken & set(range(role.start, role.stop)) or (role.label in CORE and counts[role.label])


@settings(deadline=None)
@given(labellings(), st.sets(st.sampled_from(LABELS)), st.sets(st.sampled_from(LABELS)))
def test_a_system_with_itself_is_itself(one: RoleSentence, here: set[str], there: set[str]) -> None:
    assert contents(union([[one], [one]], [here, there])) == contents([one])


def said(*roles: tuple[int, int, str]) -> RoleSentence:
    return RoleSentence(tuple("abcdefghi"), (Proposition.of(4, "say", [(4, 5, "V"), *roles]),))


def test_labels_on_which_a_system_is_best_come_first() -> None:
    one, two = said((0, 3, "A0"), (5, 9, "A1")), said((0, 2, "A0"), (2, 4, "AM-TMP"), (5, 6, "A1"))
    assert union([[one], [two]])[0] == one
    assert union([[one], [two]], [["A1"], ["A0"]])[0] == said((0, 2, "A0"), (2, 4, "AM-TMP"), (5, 9, "A1"))
    assert union([[two], [one]])[0] == two


def test_pieces_come_with_their_argument() -> None:
    one, two = said((0, 1, "A1")), said((0, 2, "A1"), (6, 7, "C-A1"))
    assert union([[one], [two]])[0] == one
    assert union([[one], [two]], [[], ["A1"]])[0] == two


def test_the_best_system_of_a_label_is_the_one_with_the_highest_f1() -> None:
    gold = said((0, 3, "A0"), (5, 9, "A1"), (3, 4, "AM-TMP"))
    one, two = said((0, 3, "A0"), (5, 8, "A1")), said((0, 3, "A0"), (5, 9, "A1"), (3, 4, "AM-LOC"))
    assert best_labels([gold], [[one], [two]]) == [{"A0"}, {"A1"}]


def test_labellings_of_other_predicates_are_refused() -> None:
    other = RoleSentence(tuple("abcdefghi"), (Proposition.of(3, "be", [(3, 4, "V")]),))
    with pytest.raises(DataError, match="sentence 1 must have the same predicates"):
        union([[said()], [other]])
    with pytest.raises(DataError, match="sentence 1 has other words in labelling 2"):
        union([[said()], [RoleSentence(("a",))]])
    with pytest.raises(DataError, match="labelling 1 has 1 sentences; labelling 2 has 2"):
        union([[said()], [said()] * 2])
    with pytest.raises(UsageError, match="at least two systems"):
        union([[said()]])
    with pytest.raises(UsageError, match="best labels of 2 systems; found those of 1"):
        union([[said()], [said()]], [["A0"]])
