"""Phrases that two taggings of a sentence have in common, by the rules of conlleval."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats, Ints

# What a tag says before its first hyphen.
OUTSIDE, BEGIN, INSIDE, END, DOT, BRACKET, OTHER = range(7)


@compiled
def _ends(last: int, now: int, same_type: bool) -> bool:  # pragma: no cover - compiled
    """Whether a phrase ends between two tags."""
    if last == BRACKET or (last not in (OUTSIDE, DOT) and not same_type):
        return True
    if last in (BEGIN, INSIDE):
        return now in (BEGIN, OUTSIDE)
    return last == END and now in (END, INSIDE, OUTSIDE)


@compiled
def _starts(last: int, now: int, same_type: bool) -> bool:  # pragma: no cover - compiled
    """Whether a phrase starts between two tags."""
    if now == BRACKET or (now not in (OUTSIDE, DOT) and not same_type):
        return True
    if now == BEGIN:
        return last in (BEGIN, INSIDE, OUTSIDE)
    if now == INSIDE:
        return last in (OUTSIDE, END)
    return now == END and last in (END, OUTSIDE)


@compiled
def _count(  # pragma: no cover - compiled
    gold: Columns, guess: Columns, letters: Columns, types: Columns, row: Floats, by_type: Ints
) -> None:
    """Add what two taggings of one sentence have in common to a row and to the counts by type."""
    is_right = False
    last_gold = last_guess = OUTSIDE
    gold_type = guess_type = -1  # of the token before
    for at in range(gold.size + 1):
        if at < gold.size:
            now_gold, now_guess = letters[gold[at]], letters[guess[at]]
            new_gold, new_guess = types[gold[at]], types[guess[at]]
        else:  # the blank line after the sentence
            now_gold = now_guess = OUTSIDE
            new_gold = new_guess = -1
        same_gold, same_guess = gold_type == new_gold, guess_type == new_guess
        if is_right:
            gold_ends, guess_ends = _ends(last_gold, now_gold, same_gold), _ends(last_guess, now_guess, same_guess)
            if gold_ends and guess_ends and gold_type == guess_type:
                is_right = False
                row[0] += 1
                by_type[gold_type + 1, 0] += 1
            elif gold_ends != guess_ends or new_gold != new_guess:
                is_right = False
        gold_starts, guess_starts = _starts(last_gold, now_gold, same_gold), _starts(last_guess, now_guess, same_guess)
        if gold_starts and guess_starts and new_gold == new_guess:
            is_right = True
        if guess_starts:
            row[1] += 1
            by_type[new_guess + 1, 1] += 1
        if gold_starts:
            row[2] += 1
            by_type[new_gold + 1, 2] += 1
        if at < gold.size:
            row[3] += gold[at] == guess[at]
            row[4] += 1
        last_gold, last_guess, gold_type, guess_type = now_gold, now_guess, new_gold, new_guess


@compiled
def phrase_counts(  # pragma: no cover - compiled
    gold: Columns,
    gold_starts: Ints,
    guesses: Columns,
    guess_offsets: Ints,
    letters: Columns,
    types: Columns,
    rows: Floats,
    by_type: Ints,
) -> None:
    """Right, guessed and gold phrases, right tags and tokens of every guess; the first three also by type.

    Guess i is `guesses[guess_offsets[i] : guess_offsets[i + 1]]` and its gold tags, as many, begin at `gold_starts[i]`.
    `letters` and `types` belong to the number of a tag; tags without a type have type -1, whose counts are the first of
    `by_type`. O(tokens).
    """
    for at in range(guess_offsets.size - 1):
        guess = guesses[guess_offsets[at] : guess_offsets[at + 1]]
        start = gold_starts[at]
        _count(gold[start : start + guess.size], guess, letters, types, rows[at], by_type)
