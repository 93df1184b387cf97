"""One sentence of one or two files, by its id or its number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.errors import DataError, UsageError, brief

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.tasks.roles.propositions import RoleSentence


def chosen_sentences(
    files: Sequence[Sequence[RoleSentence]], which: str, names: Sequence[str]
) -> tuple[RoleSentence, ...]:
    """The sentence of every file that the first file knows by this id, or that has this number from 1.

    Raises a `UsageError` where there is no such sentence, and a `DataError` where files have other words there.

    Examples
    --------
    >>> from runoff.tasks.roles.propositions import RoleSentence
    >>> file = [RoleSentence(("Yes",), id="a"), RoleSentence(("No",), id="b")]
    >>> chosen_sentences([file], "b", ["x"])[0].words, chosen_sentences([file], "1", ["x"])[0].words
    (('No',), ('Yes',))
    """
    first = files[0]
    at = next((at for at, sentence in enumerate(first) if sentence.id == which), None)
    if at is None and which.isdecimal() and 1 <= int(which) <= len(first):
        at = int(which) - 1
    if at is None:
        raise UsageError(
            f"{names[0]} has no sentence {which!r}; sentences are known by their ids, or by their numbers from 1 to "
            f"{len(first):,}."
        )
    found = [first[at]]
    for sentences, name in zip(files[1:], names[1:], strict=True):
        if at >= len(sentences):
            raise DataError(f"{name} has {len(sentences):,} sentences, and {names[0]} has {len(first):,}.")
        other = sentences[at]
        same = len(other.words) == len(first[at].words)
        if not same or (other.has_words and first[at].has_words and other.words != first[at].words):
            raise DataError(
                f"sentence {at + 1} has other words in {name} than in {names[0]}: "
                f"{brief(' '.join(other.words))} and {brief(' '.join(first[at].words))}."
            )
        found.append(other)
    return tuple(found)
