"""What is said after a file of roles was read or written: what was odd, and what its format could not show."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from runoff.tables import counted
from runoff.tasks.roles.parse_column import tree_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from runoff.tasks.roles.propositions import RoleSentence


class ReadingNotes:
    """What was odd in a file that was read.

    Examples
    --------
    >>> notes = ReadingNotes()
    >>> notes.elsewhere += [4, 9]
    >>> notes.sentences()
    ['The words of 2 predicates are not in the V of their column (first in line 4).']
    """

    def __init__(self) -> None:
        self.elsewhere: list[int] = []  # lines of predicates that are not in their V

    def sentences(self) -> list[str]:
        """What is said."""
        if not self.elsewhere:
            return []
        what = counted(len(self.elsewhere), "predicates")
        return [f"The words of {what} are not in the V of their column (first in line {self.elsewhere[0]})."]


class WritingNotes:
    """Counts the sentences that have something which a format cannot show.

    Examples
    --------
    >>> from runoff.tasks.roles.propositions import RoleSentence
    >>> notes = WritingNotes(("id",))
    >>> notes.take(RoleSentence(("Yes",), id="s1"))
    >>> notes.sentences("Columns of CoNLL-2005")
    ['Columns of CoNLL-2005 cannot show id (1 sentence).']
    """

    def __init__(self, missing: Iterable[str], *, one_tag: bool = False) -> None:
        self._missing = tuple(missing)
        self._one_tag = one_tag  # the same column is for parts of speech and for the tags of the tree
        self._counts: Counter[str] = Counter()

    def take(self, sentence: RoleSentence) -> None:
        """Look at a sentence."""
        self._counts.update(name for name in self._missing if getattr(sentence, name) is not None)
        if self._one_tag and tags_differ(sentence):
            self.add("tags of trees that differ from the parts of speech")

    def add(self, what: str) -> None:
        """Count a sentence that has something else which cannot be shown."""
        self._counts[what] += 1

    def sentences(self, what: str) -> list[str]:
        """What is said."""
        found = [f"{name} ({counted(count, 'sentences')})" for name, count in self._counts.items()]
        return [f"{what} cannot show {', '.join(found)}."] if found else []


def tags_differ(sentence: RoleSentence) -> bool:
    """Whether a sentence has parts of speech that are not those of its tree."""
    if sentence.pos is None or sentence.tree is None:
        return False
    return [leaf.label for leaf in sentence.tree.leaves()] != [tree_text(tag) for tag in sentence.pos]
