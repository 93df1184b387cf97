"""Clauses of two files compared: exact spans, as in the CoNLL-2001 shared task."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from runoff.tasks.tagging.bracket_column import bracket_spans
from runoff.tasks.tagging.metric import ConllEval
from runoff.tasks.tagging.phrase_statistics import (
    COLUMNS,
    CORRECT,
    GOLD,
    GUESSED,
    RIGHT_TAGS,
    TOKENS,
    PhraseStatistics,
)
from runoff.tasks.tagging.tag_scores import TagScores, same_sentences, scores_of

if TYPE_CHECKING:
    from runoff.metrics.resampling import Resampling
    from runoff.tasks.tagging.corpus import Corpus
    from runoff.tasks.tagging.spans import Spans


def evaluate_clauses(
    gold: Corpus, predicted: Corpus | str, *, column: str = "clause", resampling: Resampling | None = None
) -> TagScores:
    """Compare columns of brackets as CoNLL-2001 did: a clause is right if its first and last token are.

    Labels count too. Several clauses of the same tokens count as often as both have them. Accuracy is the share of
    tokens with the same brackets. Parameters are those of `evaluate_tags`. O(tokens + clauses log).

    Examples
    --------
    >>> from runoff.tasks.tagging.corpus import Corpus
    >>> gold = Corpus.of({"clause": ["(S*", "(S*S)S)"], "guess": ["(S*", "*S)"]}, sizes=[2])
    >>> evaluate_clauses(gold, "guess").score("recall")
    50.0
    """
    right, guesses = same_sentences(gold, predicted, column)
    two = dataclasses.replace(gold, columns={"gold": right, "guess": guesses})
    found = _compare_spans(bracket_spans(two, "gold"), bracket_spans(two, "guess"), two)
    return scores_of(found, gold, ConllEval(), resampling, (), "clauses")


def _compare_spans(gold: Spans, guess: Spans, corpus: Corpus) -> PhraseStatistics:
    labels = sorted({*gold.labels, *guess.labels})
    number = {label: at for at, label in enumerate(labels)}
    keys = [
        np.stack([each.starts, each.stops, np.array([number[text] for text in each.texts()], np.int64)], axis=1)
        for each in (gold, guess)
    ]
    found, which = np.unique(np.concatenate(keys), axis=0, return_inverse=True)
    which = which.reshape(-1)
    in_gold, in_guess = (np.bincount(part, minlength=len(found)) for part in (which[: len(gold)], which[len(gold) :]))
    sentence = np.searchsorted(corpus.offsets, found[:, 0], side="right") - 1
    counts = {CORRECT: np.minimum(in_gold, in_guess), GUESSED: in_guess, GOLD: in_gold}
    rows = np.zeros((len(corpus), len(COLUMNS)))
    for at, count in counts.items():
        rows[:, at] = np.bincount(sentence, count, minlength=len(corpus))
    same = np.array(
        [one == other for one, other in zip(*(corpus[name].texts() for name in ("gold", "guess")), strict=True)]
    )
    rows[:, RIGHT_TAGS] = np.bincount(
        np.repeat(np.arange(len(corpus)), corpus.sizes), same.astype(np.float64), minlength=len(corpus)
    )
    rows[:, TOKENS] = corpus.sizes
    by_type = {
        label: (
            int(counts[CORRECT][found[:, 2] == at].sum()),
            int(in_guess[found[:, 2] == at].sum()),
            int(in_gold[found[:, 2] == at].sum()),
        )
        for label, at in number.items()
    }
    return PhraseStatistics(rows, by_type)
