"""Questions that belong together: the same one asked again, or asked of the same sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.nbest.blocks import Blocks, connected
from runoff.tasks.answers.term_counts import terms_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from runoff.nbest.blocks import Pairs
    from runoff.tasks.answers.question_file import QuestionRecord

LONG = 10  # words; sentences at least this long rarely occur twice by chance
_QUESTION, _SENTENCE = "the words of the question", "a sentence"


def question_blocks(records: Sequence[QuestionRecord]) -> Blocks:
    """Blocks of questions that have the same words that say something, or a long sentence in common.

    Translators that have seen a sentence with its answer know it again, whatever question it was seen with. Where most
    questions would be one block, because all are asked of the same sentences, only the questions' words are compared.
    O(words).

    Examples
    --------
    >>> from runoff.tasks.answers.question_file import question_record
    >>> asked = ["When was Ada born?", "Who sang?", "When was Ada born", "Who ran?"]
    >>> records = [question_record({"question": each}, str(at)) for at, each in enumerate(asked)]
    >>> found = question_blocks(records)
    >>> found.numbers.tolist(), found.shared
    ([0, 1, 0, 2], 'the words of the question or a sentence')
    """
    words = _pairs([frozenset(term for term in terms_of(each.question.words) if term)] for each in records)
    sentences = _pairs({each.words for each in own.sentences if len(each.words) >= LONG} for own in records)
    for shared, pairs in ((f"{_QUESTION} or {_SENTENCE}", [words, sentences]), (_QUESTION, [words])):
        numbers = connected(pairs, len(records))
        if 2 * int(np.bincount(numbers, minlength=1).max()) <= len(records):
            return Blocks(numbers, shared)
    return Blocks(frozen(np.arange(len(records))))


def _pairs(things: Iterable[Iterable[Hashable]]) -> Pairs:
    """The number of every question, for each of its things, and the number of the thing; empty ones join nothing."""
    codes: dict[Hashable, int] = {}
    found = [(at, codes.setdefault(each, len(codes))) for at, own in enumerate(things) for each in own if each]
    numbers = np.array(found, np.int64).reshape(-1, 2)
    return numbers[:, 0], numbers[:, 1]
