"""Predicates of one sentence and the columns of brackets with their arguments, one for each, from left to right."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from runoff.errors import DataError, brief
from runoff.tasks.roles.propositions import CONTINUED, PREDICATE, Argument, Proposition
from runoff.tasks.roles.role_brackets import brackets_of_stretches, flat_stretches_of
from runoff.tasks.roles.role_labels import long_label, short_label
from runoff.tasks.tagging.column_separator import SPLIT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from runoff.tasks.roles.propositions import RoleSentence
    from runoff.tasks.roles.sentence_blocks import SentenceBlock

_UNSEEN = re.compile(r"[\n\r\0]| \t|\t | $|^ ")  # in a line: what a reader would take for something else
_OWN = (PREDICATE, CONTINUED + PREDICATE)


def propositions_of(
    block: SentenceBlock,
    predicates: Sequence[tuple[int, str, str | None]],
    first: int,
    stop: int,
    elsewhere: list[int] | None = None,
) -> tuple[Proposition, ...]:
    """The propositions of a sentence.

    Parameters
    ----------
    block
        The sentence.
    predicates
        Token, lemma and roleset of every predicate, from left to right.
    first, stop
        Places of the columns with their arguments.
    elsewhere
        Receives the lines of predicates that no V or C-V of their column covers, which is odd, but is read.
    """
    if len(predicates) != stop - first:
        raise _miscounted(block, predicates, first, stop)
    found = []
    for place, (token, lemma, roleset) in enumerate(predicates, first):
        column = block.column(place, f"roles of {brief(lemma)}")
        spans = flat_stretches_of(column)
        if not any(label == PREDICATE for _, _, label in spans):
            raise column.error(token, f"a V, which marks the predicate {brief(lemma)},")
        arguments = tuple(Argument(start, end, short_label(label)) for start, end, label in spans)
        found.append(Proposition(token, lemma, arguments, roleset))
        if elsewhere is not None and not any(start <= token < end for start, end, label in spans if label in _OWN):
            elsewhere.append(block.line + token)
    return tuple(found)


def _miscounted(
    block: SentenceBlock, predicates: Sequence[tuple[int, str, str | None]], first: int, stop: int
) -> DataError:
    named = ", ".join(f"{lemma} in line {block.line + token}" for token, lemma, _ in predicates[:4])
    more = f" and {len(predicates) - 4} more" if len(predicates) > 4 else ""
    wanted = f"{len(predicates)} column{'s' * (len(predicates) != 1)} of roles, one for every predicate"
    about = f" ({named}{more})" if named else ""
    return block.error(f"expected {wanted}{about}; found {stop - first}, from column {first + 1} on.")


def predicates_in(sentence: RoleSentence, number: int) -> dict[int, Proposition]:
    """The propositions of a sentence by the token of their predicate, from left to right, checked to be writable."""
    if not sentence.words:
        raise unwritable(number, "columns cannot show a sentence without words.")
    found: dict[int, Proposition] = {}
    for each in sorted(sentence.propositions, key=lambda each: each.predicate):
        if not 0 <= each.predicate < len(sentence.words):
            raise unwritable(number, f"the predicate {brief(each.lemma)} stands outside of its words.")
        if each.predicate in found:
            raise unwritable(number, f"two predicates stand at word {each.predicate + 1}, and columns can show one.")
        if not any(label == PREDICATE for _, _, label in each.arguments):
            raise unwritable(number, f"the predicate {brief(each.lemma)} has no V, which columns need.")
        checked = Proposition.of(each.predicate, each.lemma, each.arguments, each.roleset)
        if any(stop > len(sentence.words) or not 0 <= start < stop for start, stop, _ in checked.arguments):
            raise unwritable(number, f"an argument of {brief(each.lemma)} reaches beyond its words.")
        found[each.predicate] = checked
    return found


def role_columns(
    propositions: dict[int, Proposition], n_words: int, *, label: Callable[[str], str] = long_label
) -> list[list[str]]:
    """A column of brackets for every proposition.

    Examples
    --------
    >>> left = Proposition(1, "leave", (Argument(0, 1, "A0"), Argument(1, 2, "V")))
    >>> role_columns({1: left}, 2)
    [['(ARG0*)', '(V*)']]
    """
    return [
        brackets_of_stretches([(start, stop, label(its)) for start, stop, its in each.arguments], n_words)
        for each in propositions.values()
    ]


def joined(fields: Sequence[str], separator: str, number: int) -> str:
    r"""One line of the sentence with this number; between blanks, no field may have blanks inside.

    Examples
    --------
    >>> joined(["New York", "NNP"], "\t", 1)
    'New York\tNNP'
    """
    line = separator.join(fields)
    if not all(fields) or len(SPLIT[separator](line)) != len(fields) or _UNSEEN.search(line):
        bad = [each for each in fields if SPLIT[separator](f"-{each}-") != [f"-{each}-"] or _UNSEEN.search(each)]
        raise unwritable(number, f"its columns cannot show the text {brief(bad[0] if bad else '')}.")
    return line


def unwritable(number: int, why: str) -> DataError:
    """The error of a sentence that a format cannot show; sentences are numbered from 1."""
    return DataError(f"sentence {number} cannot be written: {why}")
