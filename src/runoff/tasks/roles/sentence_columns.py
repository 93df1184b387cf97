"""Columns that formats of roles have in common: names and numbers, parts of speech, parses, senses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.tasks.roles.parse_column import column_of_tree, tree_over
from runoff.tasks.roles.proposition_columns import unwritable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from runoff.tasks.roles.propositions import Proposition, RoleSentence
    from runoff.tasks.roles.sentence_blocks import SentenceBlock

NONE = "-"
_UNKNOWN_SENSE = "XX"  # of CoNLL-2005


def check_numbers(block: SentenceBlock, place: int) -> None:
    """Refuse tokens that are not numbered one after the other, from 0 or from 1: a line or a blank line is missing."""
    column = block.column(place, "number of the token")
    first = 1 if column.fields[0] == "1" else 0
    for at, field in enumerate(column.fields, first):
        if field != str(at):
            raise column.error(at - first, f"the number {at}")


def known(fields: Iterable[str]) -> tuple[str, ...] | None:
    """A column, or None if it has nothing but dashes.

    Examples
    --------
    >>> known(["-", "-"]), known(["DT", "NN"])
    (None, ('DT', 'NN'))
    """
    found = tuple(fields)
    return None if all(field == NONE for field in found) else found


def named(sentences: Iterable[RoleSentence]) -> Iterator[tuple[str, str, RoleSentence]]:
    """Sentences with their document and their name in it, which is a number for those without an id."""
    counts: dict[str | None, int] = {}
    for sentence in sentences:
        at = counts.get(sentence.document, 0)
        counts[sentence.document] = at + 1
        name = str(at) if sentence.id is None else sentence.id
        yield sentence.document or NONE, name.removeprefix(f"{sentence.document}#"), sentence


def tags_and_parse(sentence: RoleSentence) -> tuple[list[str], list[str]]:
    """Columns of parts of speech and of the parse; dashes and stars where there are none."""
    n = len(sentence.words)
    if sentence.tree is None:
        return list(sentence.pos or [NONE] * n), ["*"] * n
    tree = tree_over(sentence.tree, sentence.words)
    return list(sentence.pos or (leaf.label for leaf in tree.leaves())), column_of_tree(tree, n)


def roleset_of(lemma: str, sense: str) -> str | None:
    """The roleset of a lemma and the number of its sense; a sense with a dot is a roleset by itself.

    Examples
    --------
    >>> roleset_of("hang", "01"), roleset_of("hang", "hang_up.08"), roleset_of("hang", "-")
    ('hang.01', 'hang_up.08', None)
    """
    if sense in (NONE, _UNKNOWN_SENSE):
        return None
    return sense if "." in sense else f"{lemma}.{sense}"


def sense_of(proposition: Proposition, number: int, unknown: str = _UNKNOWN_SENSE) -> str:
    """The sense that `roleset_of` turns into the roleset of a proposition of the sentence with this number."""
    roleset = proposition.roleset
    if roleset is None:
        return unknown
    sense = roleset.removeprefix(f"{proposition.lemma}.")
    sense = roleset if "." in sense else sense
    if roleset_of(proposition.lemma, sense) != roleset:
        raise unwritable(number, f"a roleset has a name and a number, such as get.01; found {roleset!r}.")
    return sense
