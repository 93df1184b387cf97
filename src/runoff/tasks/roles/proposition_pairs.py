"""Gold propositions with the predicted ones of the same predicates, sentence by sentence."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from runoff.errors import DataError, brief

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from runoff.tasks.roles.propositions import Proposition, RoleSentence

_VERB = "VB"
_MISSING = "Gold predicates that were not predicted, whose arguments all count as missed: {:,}."
_RENAMED = "Predicates with another lemma than in the gold roles, whose gold arguments all count as missed: {:,}."
_EXTRA = "Predicates that the gold roles have not, which are not counted: {:,}."
_HINT = "Count it as srl-eval.pl does with --lenient."


class PropositionPair(NamedTuple):
    """Tags of a gold proposition, and as many predicted ones."""

    sentence: int  # its number, from 0
    gold: list[str]
    predicted: list[str]


def pairs_of(
    gold: Sequence[RoleSentence],
    predicted: Sequence[RoleSentence],
    *,
    verbs: bool = False,
    lenient: bool = False,
    notes: list[str] | None = None,
) -> list[PropositionPair]:
    """Every gold proposition with the predicted one; raises a `DataError` where sentences or predicates differ.

    `verbs` keeps only predicates whose gold part of speech starts with VB. `lenient` counts as srl-eval.pl does where
    predicates differ, and `notes` receives a sentence about how many.
    """
    if len(gold) != len(predicted):
        raise DataError(f"expected the {len(gold):,} sentences of the gold roles; found {len(predicted):,}.")
    found: list[PropositionPair] = []
    odd: Counter[str] = Counter()
    for at, (right, guess) in enumerate(zip(gold, predicted, strict=True)):
        where = f"sentence {at + 1}" + (f" ({right.id})" if right.id is not None else "")
        _check_words(right, guess, where)
        found += _paired(at, right, guess, where, verbs=verbs, odd=odd if lenient else None)
    if notes is not None:
        notes += [what.format(count) for what, count in odd.items()]
    return found


def _check_words(gold: RoleSentence, predicted: RoleSentence, where: str) -> None:
    if len(gold.words) != len(predicted.words):
        raise DataError(f"{where} has {len(gold.words)} words with gold roles; found {len(predicted.words)}.")
    if gold.words == predicted.words or not (gold.has_words and predicted.has_words):
        return
    for number, (one, other) in enumerate(zip(gold.words, predicted.words, strict=True), 1):
        if one != other:
            raise DataError(
                f"{where} has other words than the one with gold roles: expected {brief(one)} at word {number}, "
                f"found {brief(other)}."
            )


def _paired(
    at: int, gold: RoleSentence, predicted: RoleSentence, where: str, *, verbs: bool, odd: Counter[str] | None
) -> Iterator[PropositionPair]:
    size = len(gold.words)
    guesses = _by_word(predicted, where, "predicted")
    if verbs and gold.pos is None and gold.propositions:
        raise DataError(f"{where} has no parts of speech, by which verbs are known; give gold roles that have them.")
    rights = _by_word(gold, where, "gold")
    for token, right in rights.items():
        guess = guesses.pop(token, None)
        if verbs and gold.pos is not None and not gold.pos[token].startswith(_VERB):
            continue
        tags = ["O"] * size
        if guess is None:
            _differs(odd, f"{where} lacks the predicate {_at(right)} of the gold roles.", _MISSING)
        elif guess.lemma != right.lemma:
            _differs(odd, f"{where}: expected the predicate {_at(right)}, found {brief(guess.lemma)} there.", _RENAMED)
        else:
            tags = guess.tags(size)
        yield PropositionPair(at, right.tags(size), tags)
    for token, guess in guesses.items():
        if not verbs or gold.pos is None or gold.pos[token].startswith(_VERB):
            _differs(odd, f"{where} has the predicate {_at(guess)}, which the gold roles have not.", _EXTRA)


def _differs(odd: Counter[str] | None, why: str, kind: str) -> None:
    if odd is None:
        raise DataError(f"{why} {_HINT}")
    odd[kind] += 1


def _by_word(sentence: RoleSentence, where: str, which: str) -> dict[int, Proposition]:
    found = {each.predicate: each for each in sentence.propositions}
    if len(found) < len(sentence.propositions):
        twice = next(
            word for word, count in Counter(each.predicate for each in sentence.propositions).items() if count > 1
        )
        raise DataError(f"{where} has two {which} predicates at word {twice + 1}, which cannot be told apart.")
    return dict(sorted(found.items()))


def _at(proposition: Proposition) -> str:
    return f"{brief(proposition.lemma)} at word {proposition.predicate + 1}"
