"""Who did what to whom: predicates of sentences and the labelled stretches that are their arguments."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from runoff.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from runoff.tasks.parsing.trees import Tree

PREDICATE = "V"  # label of the predicate's own words
CONTINUED, REFERRING = "C-", "R-"  # prefixes: a further piece of an argument, a word that refers to one
UNKNOWN_WORD = "_"  # where a file has propositions without words
CORE = frozenset(["A0", "A1", "A2", "A3", "A4", "A5"])  # at most one of each in a proposition


class Argument(NamedTuple):
    """Words from `start` up to, not including, `stop` with a label of CoNLL-2005: A0, AM-TMP, R-A1, C-A1, V.

    Examples
    --------
    >>> Argument(0, 2, "A0").label
    'A0'
    """

    start: int
    stop: int
    label: str


@dataclass(frozen=True, slots=True)
class Proposition:
    """One predicate and its arguments, which do not overlap, from left to right; the predicate's own words are V.

    Examples
    --------
    >>> told = Proposition(1, "tell", (Argument(0, 1, "A0"), Argument(1, 2, "V"), Argument(2, 3, "A2")))
    >>> told.tags(4), Proposition.of_tags(told.tags(4), 1, "tell") == told
    (['B-A0', 'B-V', 'B-A2', 'O'], True)
    """

    predicate: int  # number of its token
    lemma: str
    arguments: tuple[Argument, ...]
    roleset: str | None = None  # such as tell.01

    @classmethod
    def of(
        cls, predicate: int, lemma: str, arguments: Iterable[tuple[int, int, str]], roleset: str | None = None
    ) -> Proposition:
        """A proposition from arguments in any order; raises a `DataError` where two overlap."""
        found = tuple(sorted(Argument(*each) for each in arguments))
        for left, right in pairwise(found):
            if right.start < left.stop:
                raise DataError(
                    f"the arguments {left.label} and {right.label} of {lemma!r} share the word {right.start + 1}."
                )
        return cls(predicate, lemma, found, roleset)

    @classmethod
    def of_tags(cls, tags: Sequence[str], predicate: int, lemma: str, roleset: str | None = None) -> Proposition:
        """A proposition from B, I and O; an I that continues nothing starts an argument."""
        found: list[Argument] = []
        start, label = 0, ""
        for at, tag in enumerate([*tags, "O"]):
            if label and tag != f"I-{label}":
                found.append(Argument(start, at, label))
                label = ""
            if tag != "O" and not label:
                start, label = at, tag[2:]
        return cls(predicate, lemma, tuple(found), roleset)

    def tags(self, n_words: int) -> list[str]:
        """B, I and O of every word."""
        found = ["O"] * n_words
        for start, stop, label in self.arguments:
            found[start:stop] = [f"B-{label}"] + [f"I-{label}"] * (stop - start - 1)
        return found

    @property
    def roles(self) -> tuple[Argument, ...]:
        """The arguments without the predicate's own words."""
        return tuple(each for each in self.arguments if each.label not in (PREDICATE, CONTINUED + PREDICATE))

    def with_roles(self, roles: Iterable[tuple[int, int, str]]) -> Proposition:
        """The same predicate with other arguments; its own words are one where these take the others."""
        found = [Argument(*each) for each in roles]
        own = [each for each in self.arguments if each.label in (PREDICATE, CONTINUED + PREDICATE)]
        if not own or any(one.start < two.stop and two.start < one.stop for one in own for two in found):
            own = [Argument(self.predicate, self.predicate + 1, PREDICATE)]
        return Proposition.of(self.predicate, self.lemma, [*own, *found], self.roleset)


class WeightedTree(NamedTuple):
    """One of the trees that a sentence may have, and how probable it is.

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> WeightedTree(0.7, parse_tree("(INTJ (UH oh))")).probability
    0.7
    """

    probability: float
    tree: Tree


@dataclass(frozen=True, slots=True)
class RoleSentence:
    """A sentence with its predicates, and as much syntax as is known of it.

    Examples
    --------
    >>> sentence = RoleSentence(("I", "left"), (Proposition(1, "leave", (Argument(0, 1, "A0"), Argument(1, 2, "V"))),))
    >>> sentence.propositions[0].roles
    (Argument(start=0, stop=1, label='A0'),)
    """

    words: tuple[str, ...]
    propositions: tuple[Proposition, ...] = ()
    pos: tuple[str, ...] | None = None  # parts of speech
    tree: Tree | None = None  # over the same words
    chunks: tuple[str, ...] | None = None  # B, I and O of base phrases
    clauses: tuple[tuple[int, int], ...] | None = None  # start and stop of every clause, outer ones first
    entities: tuple[str, ...] | None = None  # B, I and O of named entities
    id: str | None = None
    document: str | None = None
    trees: tuple[WeightedTree, ...] | None = None  # several that it may have, of which `tree` is the most probable

    @property
    def has_words(self) -> bool:
        """Whether its words are known; they are not where a file has propositions alone."""
        return any(word != UNKNOWN_WORD for word in self.words)

    def with_tree(self, tree: Tree | None, trees: Iterable[WeightedTree] = ()) -> RoleSentence:
        """The same sentence with another tree, or several."""
        return replace(self, tree=tree, trees=tuple(trees) or None)

    def with_propositions(self, propositions: Iterable[Proposition]) -> RoleSentence:
        """The same sentence with other propositions."""
        return replace(self, propositions=tuple(propositions))
