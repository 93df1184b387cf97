"""ROUGE, as the `rouge_score` package and ROUGE-1.5.5 compute it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from runoff.errors import DataError, UsageError, brief
from runoff.kernels.overlap import SUBSEQUENCE, WORDS
from runoff.metrics.base import ratio
from runoff.metrics.f_measure import best_f, mean_f
from runoff.metrics.options import check_choice
from runoff.metrics.rouge_words import check_stemmer, cutter
from runoff.metrics.text_metric import TextMetric
from runoff.metrics.texts_and_references import texts_and_references
from runoff.metrics.tokens import tokenised

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Floats, Ints
    from runoff.metrics.tokens import Tokens
    from runoff.nbest import NBest


@dataclass(frozen=True, repr=False)
class ROUGE(TextMetric):
    """Mean F-measure (0 to 1) of what the chosen text shares with a reference (Lin 2004).

    Of several references the one with the highest F-measure counts, as in `rouge_score`'s `score_multi`.

    Parameters
    ----------
    tokenize
        rouge: lower-cased, and everything but a-z and 0-9 separates words, as in `rouge_score` and ROUGE-1.5.5. Other
        scripts are dropped; data that would mostly become empty is refused.
        words: letters, marks and digits of every script, lower-cased; each Han or kana character is a word.
        space: split at white space, unchanged.
    stem
        Reduce English words of more than three letters by Porter's stemmer, as `rouge_score` does with
        `use_stemmer`; needs nltk, and tokenize=rouge.
    """

    tokenize: Literal["rouge", "words", "space"] = "rouge"
    stem: bool = False

    limit = 1.0
    columns = ("f-measure", "choices")
    kind: ClassVar[int]  # of what is counted, for the kernel

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self, "tokenize")
        if self.stem and self.tokenize != "rouge":
            raise UsageError(f"{self.name}[stem] stems English words and needs tokenize=rouge; found {self.tokenize}.")
        if self.stem:
            check_stemmer(self.name)

    @property
    def signature(self) -> str:
        """How texts are tokenized, and which reference counts."""
        stem = "porter" if self.stem else "no"
        return f"{self.name}|f:1|tok:{self.tokenize}|stem:{stem}|references:highest|mean:choices"

    def canonical(self, text: str) -> str:
        """The words that are compared; of a text without any, the text with white space normalised.

        Examples
        --------
        >>> ROUGEL().canonical("It's  THE cat.")
        'it s the cat'
        """
        cut = cutter(self.tokenize, stem=self.stem)
        return " ".join(word for piece in text.split() for word in cut(piece)) or super().canonical(text)

    def compute(self, data: NBest) -> Floats:
        """F-measure and 1."""
        texts, references = texts_and_references(data, self.name)
        flat = [reference for group in references for reference in group]
        words = self._words([*texts, *flat])
        self._check(flat, words.lengths[len(texts) :])
        found = best_f(words, data.offsets, references, self.kind, empty=0.0)
        return np.column_stack([found, np.ones(found.size)])

    def expected(self, texts: Sequence[str], offsets: Ints, weights: Floats) -> Floats:
        """Mean F-measure against the texts of its list, by their weights; every pair is compared once, compiled."""
        return mean_f(self._words(texts), offsets, weights, self.kind, empty=0.0)

    def quality_of(self, statistics: Floats) -> Floats:
        """F-measure of the text."""
        return statistics[:, 0]

    def score(self, sums: Floats) -> Floats:
        """Mean; 0 without choices."""
        return ratio(sums[..., 0], sums[..., 1])

    def _words(self, texts: Sequence[str]) -> Tokens:
        return tokenised(texts, cutter(self.tokenize, stem=self.stem))

    def _check(self, texts: Sequence[str], lengths: Ints) -> None:
        """Refuse data in a script that the default tokenizer drops."""
        if self.tokenize != "rouge":
            return
        lost = [text for text, length in zip(texts, lengths.tolist(), strict=True) if not length and _written(text)]
        if 2 * len(lost) > len(texts):
            raise DataError(
                f"{self.name} keeps only a-z and 0-9, as rouge_score does, which leaves nothing of {len(lost)} of "
                f"{len(texts)} references, for example {brief(lost[0])}; write {self.name}[tokenize=words] "
                "for other scripts."
            )


@dataclass(frozen=True, repr=False)
class ROUGE1(ROUGE):
    """ROUGE-1: words in common, each as often as both have it; equal to `rouge_score`'s rouge1.

    See `ROUGE` for the options.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["A cat sat.", "dogs"], sizes=[2], references=["the cat sat down"])
    >>> ROUGE1().quality(data).round(4).tolist()
    [0.5714, 0.0]
    """

    name = "rouge-1"
    kind = WORDS


@dataclass(frozen=True, repr=False)
class ROUGE2(ROUGE):
    """ROUGE-2: pairs of neighbouring words in common; equal to `rouge_score`'s rouge2.

    See `ROUGE` for the options.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["A cat sat.", "dogs"], sizes=[2], references=["the cat sat down"])
    >>> ROUGE2().quality(data).round(4).tolist()
    [0.4, 0.0]
    """

    name = "rouge-2"
    kind = 0


@dataclass(frozen=True, repr=False)
class ROUGEL(ROUGE):
    """ROUGE-L: longest common subsequence of words; equal to `rouge_score`'s rougeL. O(n m) per pair.

    See `ROUGE` for the options.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["sat a cat", "dogs"], sizes=[2], references=["the cat sat down"])
    >>> ROUGEL().quality(data).round(4).tolist()
    [0.2857, 0.0]
    """

    name = "rouge-l"
    kind = SUBSEQUENCE


@dataclass(frozen=True, repr=False)
class ROUGES4(ROUGE):
    """ROUGE-S4: pairs of words in common, in the same order with at most four words between them.

    ROUGE-1.5.5's `-2 4` without unigrams (ROUGE-S, not ROUGE-SU). See `ROUGE` for the options.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["a b c d e f", "a b c d e f g"], sizes=[2], references=[["a f", "a g"]])
    >>> ROUGES4().quality(data).round(4).tolist()
    [0.125, 0.0952]
    """

    name = "rouge-s4"
    kind = 4


def _written(text: str) -> bool:
    return any(map(str.isalnum, text))
