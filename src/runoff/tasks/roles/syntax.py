"""What is known of a sentence's syntax, in the form that candidates and features are made from."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from runoff.errors import DataError, brief
from runoff.tasks.roles.indexed_tree import IndexedTree
from runoff.tasks.roles.propositions import Proposition

if TYPE_CHECKING:
    from runoff.tasks.roles.propositions import Argument, RoleSentence

CLAUSES = frozenset(["S", "SBAR", "SBARQ", "SINV", "SQ"])


class Constituent(NamedTuple):
    """A stretch of words that may be an argument, or a piece of one.

    Examples
    --------
    >>> Constituent("NP", 0, 2, 1, ("DT", "NN")).head
    1
    """

    label: str
    start: int
    stop: int
    head: int  # position of its head word
    top: tuple[str, ...]  # labels of its topmost elements
    node: int = -1  # its number in the tree, if it is of one


class Syntax:
    """A sentence's words, tags, tree, base phrases, clauses and entities.

    Tags are those of the tree where the candidates are its nodes (`use_tree`), else the sentence's own.

    Examples
    --------
    >>> from runoff.tasks.roles.propositions import RoleSentence
    >>> syntax = Syntax(RoleSentence(("I", "left"), pos=("PRP", "VBD"), chunks=("B-NP", "B-VP"), clauses=((0, 2),)))
    >>> syntax.chunks, syntax.clause_levels
    ((Argument(start=0, stop=1, label='NP'), Argument(start=1, stop=2, label='VP')), [1, 1])
    """

    def __init__(self, sentence: RoleSentence, *, use_tree: bool = False) -> None:
        self.sentence = sentence
        self.words = sentence.words
        self.lower = [word.lower() for word in sentence.words]
        if use_tree:
            if sentence.tree is None:
                raise DataError(
                    f"{where(sentence)} has no tree, which this labeller needs; --trees or --grammar adds it."
                )
            self.tree = IndexedTree(sentence.tree)
            if len(self.tree.words) != len(self.words):
                raise DataError(
                    f"the tree of {where(sentence)} has {len(self.tree.words)} words, the sentence {len(self.words)}."
                )
            self.pos = self.tree.tags
        else:
            if sentence.pos is None or sentence.chunks is None or sentence.clauses is None:
                missing = next(name for name in ("pos", "chunks", "clauses") if getattr(sentence, name) is None)
                named = {"pos": "parts of speech"}.get(missing, missing)
                raise DataError(f"{where(sentence)} has no {named}, which this labeller needs; --{missing} adds them.")
            self.pos = list(sentence.pos)

    @property
    def has_partial(self) -> bool:
        """Whether base phrases and clauses are known."""
        return self.sentence.chunks is not None and self.sentence.clauses is not None

    @cached_property
    def chunks(self) -> tuple[Argument, ...]:
        """Base phrases, from left to right."""
        return Proposition.of_tags(self.sentence.chunks or (), 0, "").arguments

    @cached_property
    def chunk_of(self) -> list[int]:
        """Number of every word's base phrase; -1 for none."""
        found = [-1] * len(self.words)
        for number, (start, stop, _) in enumerate(self.chunks):
            found[start:stop] = [number] * (stop - start)
        return found

    @cached_property
    def entities(self) -> tuple[Argument, ...]:
        """Named entities, from left to right."""
        return Proposition.of_tags(self.sentence.entities or (), 0, "").arguments

    @cached_property
    def clauses(self) -> tuple[tuple[int, int], ...]:
        """Clauses, outer ones first; the sentence is the first of them."""
        n = len(self.words)
        return tuple(sorted({(0, n), *(self.sentence.clauses or ())}, key=lambda each: (each[0], -each[1])))

    @cached_property
    def clause_levels(self) -> list[int]:
        """How many clauses every word is in."""
        found = [0] * len(self.words)
        for start, stop in self.clauses:
            for at in range(start, stop):
                found[at] += 1
        return found


def where(sentence: RoleSentence) -> str:
    """The sentence in words, for messages.

    Examples
    --------
    >>> from runoff.tasks.roles.propositions import RoleSentence
    >>> where(RoleSentence(("I", "left"), id="a#1"))
    "the sentence 'a#1'"
    """
    return f"the sentence {brief(sentence.id or ' '.join(sentence.words))}"
