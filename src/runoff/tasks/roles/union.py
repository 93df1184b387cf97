"""Several labellings of the same predicates joined into one (Màrquez, Surdeanu, Comas & Turmo 2005, section 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.errors import DataError, UsageError
from runoff.tasks.roles.propositions import CONTINUED, CORE, PREDICATE, Argument
from runoff.tasks.roles.role_scores import evaluate_roles, label_scores

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from runoff.tasks.roles.propositions import Proposition, RoleSentence


def union(
    systems: Sequence[Sequence[RoleSentence]], best: Sequence[Collection[str]] | None = None
) -> list[RoleSentence]:
    """The sentences of the first system with arguments of all of them. O(arguments squared) for every predicate.

    First the arguments of every system, one system after the other, that have a label on which it is the best; then the
    other ones in the same order. An argument is left out if it shares a word with one that was taken, or has a core
    label (A0 to A5) that was taken. Further pieces of an argument (C-A1) come with it.

    Parameters
    ----------
    systems
        The same sentences and predicates, with the arguments that each system found.
    best
        For every system, the labels on which it is the best; see `best_labels`. Default: none, so that all arguments of
        a system go before those of the next one.

    Examples
    --------
    >>> from runoff.tasks.roles.propositions import Proposition, RoleSentence
    >>> one, two = (
    ...     RoleSentence(("I", "eat", "figs", "now"), (Proposition.of(1, "eat", [(1, 2, "V"), *roles]),))
    ...     for roles in ([(0, 1, "A0"), (2, 4, "A1")], [(2, 3, "A1"), (3, 4, "AM-TMP")])
    ... )
    >>> [each.label for each in union([[one], [two]])[0].propositions[0].roles]
    ['A0', 'A1']
    >>> [each.label for each in union([[one], [two]], [["A0"], ["A1"]])[0].propositions[0].roles]
    ['A0', 'A1', 'AM-TMP']
    """
    _check(systems)
    favoured = [frozenset()] * len(systems) if best is None else best
    if len(favoured) != len(systems):
        raise UsageError(f"expected the best labels of {len(systems)} systems; found those of {len(favoured)}.")
    found = []
    for same in zip(*systems, strict=True):
        others = [{each.predicate: each for each in sentence.propositions} for sentence in same]
        found.append(
            same[0].with_propositions(
                _joined([each[own.predicate] for each in others], favoured) for own in same[0].propositions
            )
        )
    return found


def best_labels(gold: Sequence[RoleSentence], systems: Sequence[Sequence[RoleSentence]]) -> list[frozenset[str]]:
    """For every system, the labels that it finds with the highest F1; of several, the first system has the label.

    Take sentences that no system was trained on, and other ones than those to be joined.

    Examples
    --------
    >>> from runoff.tasks.roles.propositions import Proposition, RoleSentence
    >>> eat = Proposition.of(1, "eat", [(0, 1, "A0"), (1, 2, "V"), (2, 3, "A1")])
    >>> gold = RoleSentence(("I", "eat", "figs"), (eat,))
    >>> one, two = (gold.with_propositions([eat.with_roles([role])]) for role in eat.roles)
    >>> [sorted(labels) for labels in best_labels([gold], [[one], [two]])]
    [['A0'], ['A1']]
    """
    scores = [evaluate_roles(gold, system).statistics.by_label for system in systems]
    found: list[set[str]] = [set() for _ in systems]
    for label in sorted({label for each in scores for label in each if label != PREDICATE}):
        values = [label_scores(each[label])["f"] if label in each else 0.0 for each in scores]
        if max(values) > 0:
            found[values.index(max(values))].add(label)
    return [frozenset(labels) for labels in found]


def _joined(same: Sequence[Proposition], best: Sequence[Collection[str]]) -> Proposition:
    kept = same[0]
    own = [each for each in kept.arguments if each not in kept.roles]
    roles: list[Argument] = []
    units = [_units(each.roles) for each in same]
    order = [
        unit
        for is_best in (True, False)
        for system, labels in zip(units, best, strict=True)
        for unit in system
        if (unit[0].label in labels) is is_best
    ]
    for unit in order:
        label = unit[0].label
        repeats = label in CORE and any(role.label == label for role in roles)
        if not repeats and not any(_overlap(piece, other) for piece in unit for other in (*own, *roles)):
            roles += unit
    return kept.with_roles(roles)


def _units(roles: Iterable[Argument]) -> list[list[Argument]]:
    """Arguments with their further pieces, which belong to the last argument of their label on the left."""
    found: list[list[Argument]] = []
    for role in sorted(roles):
        label = role.label.removeprefix(CONTINUED)
        of_label = [unit for unit in found if unit[0].label == label]
        if role.label.startswith(CONTINUED) and of_label:
            of_label[-1].append(role)
        else:
            found.append([role])
    return found


def _overlap(one: Argument, other: Argument) -> bool:
    return one.start < other.stop and other.start < one.stop


def _check(systems: Sequence[Sequence[RoleSentence]]) -> None:
    if len(systems) < 2:
        raise UsageError("a union needs the labellings of at least two systems.")
    for number, system in enumerate(systems[1:], 2):
        if len(system) != len(systems[0]):
            raise DataError(f"labelling 1 has {len(systems[0]):,} sentences; labelling {number} has {len(system):,}.")
        for at, (one, other) in enumerate(zip(systems[0], system, strict=True), 1):
            has_words = one.has_words and other.has_words
            if len(one.words) != len(other.words) or (has_words and one.words != other.words):
                raise DataError(f"sentence {at} has other words in labelling {number} than in labelling 1.")
            predicates = [sorted(each.predicate for each in sentence.propositions) for sentence in (one, other)]
            if predicates[0] != predicates[1] or len(set(predicates[0])) < len(predicates[0]):
                raise DataError(
                    f"sentence {at} must have the same predicates, each at its own word, in labellings 1 and {number}."
                )
