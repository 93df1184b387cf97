"""BLEU as sacrebleu computes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from runoff.arrays import frozen
from runoff.errors import UsageError
from runoff.kernels.bleu import bleu_statistics
from runoff.kernels.bleu_lists import ADD_K, EXP, FLOOR, NONE, bleu_sums
from runoff.kernels.ngram_lists import shared_ngrams
from runoff.kernels.ngram_numbers import ngram_numbers
from runoff.metrics.base import ratio
from runoff.metrics.expected_quality import expected_in_chunks
from runoff.metrics.options import check_choice
from runoff.metrics.sacrebleu_tokens import check_tokenizer, sacrebleu_tokens
from runoff.metrics.text_metric import TextMetric
from runoff.metrics.texts_and_references import candidates_then_references, offsets_of, texts_and_references

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Floats, Ints
    from runoff.nbest import NBest

MAX_ORDER = 4
_WAYS_TO_SMOOTH = {"none": NONE, "exp": EXP, "floor": FLOOR, "add-k": ADD_K}
_SMOOTH_VALUES = {"floor": 0.1, "add-k": 1.0}  # sacrebleu's defaults, from Chen & Cherry 2014


@dataclass(frozen=True, repr=False)
class BLEU(TextMetric):
    """BLEU (Papineni et al. 2002), 0 to 100, equal to sacrebleu's `corpus_bleu` with the same options.

    Quality is sacrebleu's `sentence_bleu` (effective order). sacrebleu tokenizes: with 13a and none once per distinct
    piece between white space, else once per distinct text, which takes about 30 microseconds. Counting is compiled.

    Parameters
    ----------
    tokenize
        Any of sacrebleu's tokenizers: 13a, none, intl, char, zh, …
    lowercase
        Ignore case.
    smooth, smooth_value
        exp, floor, add-k or none; the value matters for floor (default 0.1) and add-k (default 1).

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> texts = ["A cat sat here.", "A dog."]
    >>> data = NBest.from_arrays(texts=texts, sizes=[2], references=["A cat sat there."])
    >>> BLEU().quality(data).round(2).tolist()
    [42.73, 17.8]
    """

    tokenize: str = "13a"
    lowercase: bool = False
    smooth: Literal["exp", "floor", "add-k", "none"] = "exp"
    smooth_value: float | None = None

    name = "bleu"
    digits = 2
    limit = 100.0
    penalises_corpus = True
    columns = (
        "length",
        "reference length",
        *(f"{n}-gram matches" for n in range(1, MAX_ORDER + 1)),
        *(f"{n}-grams" for n in range(1, MAX_ORDER + 1)),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self, "smooth")
        if self.smooth_value is not None and self.smooth not in _SMOOTH_VALUES:
            raise UsageError(f"bleu[smooth={self.smooth}] takes no smooth_value; only floor and add-k do.")
        if self.tokenize != type(self).tokenize:  # the default needs no look into sacrebleu
            check_tokenizer(self.tokenize)

    @property
    def signature(self) -> str:
        """The parts of sacrebleu's own signature, with its version."""
        from sacrebleu import __version__

        smooth = self.smooth + (f"[{self._smooth_value:.2f}]" if self.smooth in _SMOOTH_VALUES else "")
        case = "lc" if self.lowercase else "mixed"
        return f"bleu|case:{case}|eff:no|tok:{self.tokenize}|smooth:{smooth}|sacrebleu:{__version__}"

    def compute(self, data: NBest) -> Floats:
        """Lengths, matches and totals, in sacrebleu's order."""
        texts, references = texts_and_references(data, self.name)
        members = candidates_then_references(texts, data.offsets, references)
        offsets = offsets_of(members)
        flat = [text for group in members for text in group]
        tokens = sacrebleu_tokens(flat, self.tokenize, lowercase=self.lowercase)
        numbers, found = ngram_numbers(offsets, tokens.offsets, frozen(tokens.ids.astype(np.int32)), MAX_ORDER)
        counts: Floats = bleu_statistics(offsets, frozen(data.sizes), tokens.offsets, numbers, found)
        return counts

    def canonical(self, text: str) -> str:
        """The text with white space normalised, in lower case if case is ignored."""
        return super().canonical(text.lower() if self.lowercase else text)

    def expected(self, texts: Sequence[str], offsets: Ints, weights: Floats) -> Floats:
        """Expected sentence BLEU where one of the list is the only reference, drawn by weight.

        Matches are counted once per pair of texts, with bit sets. The score of a pair is bit-identical to sacrebleu's
        `sentence_score` (up to Python 3.11, whose `sum` adds as a loop does), and pairs are added in the order of the
        references, so means are bit-identical to a plain double loop over the same texts and weights. (Weighting
        copies instead of repeating them can change the last bit, and so the choice between equally good texts.) About
        0.2 microseconds per pair of texts of 20 words.
        """
        tokens = sacrebleu_tokens(texts, self.tokenize, lowercase=self.lowercase)
        ids, lengths = frozen(tokens.ids.astype(np.int32)), tokens.lengths
        smooth, value = _WAYS_TO_SMOOTH[self.smooth], float(self._smooth_value)

        def sums(rows: slice, offsets: Ints, weights: Floats) -> Floats:
            text_offsets = frozen(tokens.offsets[rows.start : rows.stop + 1])
            numbers, found = ngram_numbers(offsets, text_offsets, ids, MAX_ORDER)
            shared, starts = shared_ngrams(offsets, text_offsets, numbers, found)
            added: Floats = bleu_sums(offsets, frozen(lengths[rows]), shared, starts, weights, smooth, value)
            return added

        return expected_in_chunks(sums, lengths, offsets, weights)

    def quality_of(self, statistics: Floats) -> Floats:
        """Sentence BLEU."""
        return self._bleu(statistics, effective_order=True)

    def score(self, sums: Floats) -> Floats:
        """Corpus BLEU."""
        return self._bleu(sums, effective_order=False)

    @property
    def _smooth_value(self) -> float:
        return _SMOOTH_VALUES.get(self.smooth, 0.0) if self.smooth_value is None else self.smooth_value

    def _bleu(self, statistics: Floats, *, effective_order: bool) -> Floats:
        """`sacrebleu.BLEU.compute_bleu` over many rows at once."""
        length, reference_length = statistics[..., 0], statistics[..., 1]
        correct, total = statistics[..., 2 : 2 + MAX_ORDER].copy(), statistics[..., 2 + MAX_ORDER :].copy()
        any_match = np.any(correct > 0, axis=-1)
        if self.smooth == "add-k":
            correct[..., 1:] += self._smooth_value
            total[..., 1:] += self._smooth_value
        counted = np.logical_and.accumulate(total > 0, axis=-1)
        unmatched = counted & (correct == 0)
        if self.smooth == "exp":
            correct = np.where(unmatched, 0.5 ** np.cumsum(unmatched, axis=-1), correct)
        elif self.smooth == "floor":
            correct = np.where(unmatched, self._smooth_value, correct)
        precision = np.where(counted, ratio(correct, total), 0.0)
        order = counted.sum(axis=-1) if effective_order else np.full(length.shape, MAX_ORDER)
        used = np.arange(MAX_ORDER) < order[..., None]
        possible = any_match & np.all(~used | (precision > 0), axis=-1)
        logs = np.log(precision, out=np.zeros(precision.shape), where=used & (precision > 0)).sum(axis=-1)
        brevity = np.exp(np.minimum(0.0, 1.0 - ratio(reference_length, length)))
        return np.where(possible & (length > 0), 100.0 * brevity * np.exp(ratio(logs, order)), 0.0)
