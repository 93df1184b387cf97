"""F1 of the words of short answers, as question answering counts it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from runoff.kernels.overlap import WORDS
from runoff.metrics.base import ratio
from runoff.metrics.f_measure import best_f, mean_f
from runoff.metrics.normalisation import AnswerMetric, with_content
from runoff.metrics.texts_and_references import texts_and_references, whitespace_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Floats, Ints
    from runoff.nbest import NBest


@dataclass(frozen=True, repr=False)
class TokenF1(AnswerMetric):
    """Mean (0 to 1) of the F1 of the words that a chosen text shares with a reference, as in SQuAD (2016, 2018).

    Of several references the one with the highest F1 counts. By default texts are normalised as in the official
    `evaluate-v2.0.py`: lower-cased, without ASCII punctuation and without English articles. A text without words
    scores 1 against a reference without words, else 0; a reference without words counts only if no reference has any.
    The options are those of `AnswerMetric`: `f1[articles=kept,case=mixed,punctuation=kept]` turns all of it off. About
    10 microseconds per distinct text of 20 words.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["The cat!", "big cat", "dog"], sizes=[3], references=[["a cat", "cats"]])
    >>> TokenF1().quality(data).round(2).tolist()
    [1.0, 0.67, 0.0]
    """

    case: Literal["mixed", "lower"] = "lower"
    punctuation: Literal["kept", "dropped", "ascii"] = "ascii"
    articles: Literal["kept", "dropped"] = "dropped"

    name = "f1"
    limit = 1.0
    columns = ("f1", "choices")

    @property
    def signature(self) -> str:
        """How words are normalised, and which reference counts."""
        return f"f1|words:white-space|{self.normalisation}|references:highest"

    def compute(self, data: NBest) -> Floats:
        """F1 and 1."""
        texts, references = texts_and_references(data, self.name)
        form = self.canonical_texts(text for part in (texts, *references) for text in part)
        right = [with_content([form[reference] for reference in group]) for group in references]
        forms = [form[text] for text in texts]
        words = whitespace_words([*forms, *(reference for group in right for reference in group)])
        found = best_f(words, data.offsets, right, WORDS, empty=1.0)
        return np.column_stack([found, np.ones(found.size)])

    def expected(self, texts: Sequence[str], offsets: Ints, weights: Floats) -> Floats:
        """Mean F1 against the texts of its list, by their weights; every pair is compared once, compiled."""
        form = self.canonical_texts(texts)
        words = whitespace_words([form[text] for text in texts])
        return mean_f(words, offsets, weights, WORDS, empty=1.0)

    def quality_of(self, statistics: Floats) -> Floats:
        """F1 of the text."""
        return statistics[:, 0]

    def score(self, sums: Floats) -> Floats:
        """Mean; 0 without choices."""
        return ratio(sums[..., 0], sums[..., 1])
