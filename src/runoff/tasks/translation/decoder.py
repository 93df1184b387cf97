"""Phrase-based decoding: the best translations of sentences by a log-linear model."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.arrays import frozen
from runoff.errors import UsageError
from runoff.features.lm import LanguageModel
from runoff.kernels.decoder_options import Phrases
from runoff.kernels.stack_decoder import Limits
from runoff.kernels.translation_terms import best_derivations
from runoff.parallel import in_threads
from runoff.progress import progress
from runoff.tasks.translation.decoder_settings import DecoderSettings
from runoff.tasks.translation.terms import default_weights, term_names, weight_vector
from runoff.tasks.translation.translation_lists import Derivation, TranslationLists

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from runoff.arrays import Columns, Floats
    from runoff.kernels.translation_terms import Derivations
    from runoff.metrics.tokens import Tokens
    from runoff.tasks.translation.phrase_table import PhraseTable

_TOGETHER = 8  # sentences that a thread takes at a time
# Edges of a lattice that are looked at for each translation that is asked for, and in any case: many derivations
# make the same translation.
_LOOKED_AT, _AT_LEAST = 2_000, 100_000


class _SourceWords(NamedTuple):
    """The tokens of all sentences as the decoder needs them, and all target words."""

    numbers: Columns  # in the phrase table, -1 for none
    copies: Columns  # the target word that is written alike
    spelling: pa.Array
    keys: NDArray[np.uint64]  # of target words, for the language model


@dataclass(frozen=True, eq=False)
class Decoder:
    """Translates by a phrase table and a language model (Koehn, Och & Marcu 2003).

    Weights are by the names of `term_names`; see `default_weights`. A term that is not named has none.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from runoff.metrics.tokens import tokenised
    >>> from runoff.tasks.translation.bitext import Bitext
    >>> from runoff.tasks.translation.phrase_table_building import build_phrase_table
    >>> pairs = Bitext(tokenised(["la maison", "la"], str.split), tokenised(["the house", "the"], str.split))
    >>> links = SimpleNamespace(offsets=np.array([0, 2, 3]), source=np.array([0, 1, 0]), target=np.array([0, 1, 0]))
    >>> table = build_phrase_table(pairs, links, smoothing="none")
    >>> decoder = Decoder(table, LanguageModel.train(pairs.target, order=2))
    >>> best, = decoder.decode(tokenised(["la maison verte"], str.split))
    >>> best.words, best.terms["unknown"], best.phrases[0][:4]
    (['the', 'house', 'verte'], 1.0, (0, 2, 0, 2))
    """

    table: PhraseTable
    language_model: LanguageModel
    weights: Mapping[str, float] | None = None
    settings: DecoderSettings = field(default_factory=DecoderSettings)

    def __post_init__(self) -> None:
        if not isinstance(self.language_model, LanguageModel):
            raise UsageError(
                "decoding needs the n-grams of a language model, which a binary file of KenLM does not give; "
                "open the ARPA file that it was built from."
            )
        weights = default_weights(reordering=self._has_reordering) if self.weights is None else self.weights
        object.__setattr__(self, "weights", dict(weights))
        self._vector  # noqa: B018 - wrong names are told at once

    def with_weights(self, weights: Mapping[str, float]) -> Decoder:
        """The same decoder with other weights; what it has made of table and language model is shared."""
        other = replace(self, weights=weights)
        for name in ("_target_keys", "_phrases"):
            if name in self.__dict__:
                other.__dict__[name] = self.__dict__[name]
        return other

    @property
    def term_names(self) -> tuple[str, ...]:
        """Names of the terms of a score, in their order."""
        return term_names(reordering=self._has_reordering)

    def decode(self, source: Tokens, *, verbose: bool = False) -> list[Derivation]:
        """The best translation of every sentence."""
        lists = self.nbest(source, 1, verbose=verbose)
        return [lists.derivation(row) for row in range(len(lists))]

    def nbest(self, source: Tokens, k: int, *, verbose: bool = False) -> TranslationLists:
        """The k best different translations of every sentence, each by its best derivation.

        Fewer where the search kept no more. A sentence without words has the empty translation.
        O(words x pops x order) a sentence, and O(words x log k) a translation; threads share the sentences.
        """
        if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
            raise UsageError(f"the number of translations must be a whole number of at least 1; found {k!r}.")
        words, lock, done = self._words(source), threading.Lock(), [0]
        settings = self.settings
        limits = Limits(
            settings.stack,
            settings.pops,
            settings.distortion_limit,
            np.inf if settings.beam_threshold is None else float(settings.beam_threshold),
            settings.recombination,
        )
        with progress("translating", len(source), verbose=verbose) as step:

            def part(first: int) -> list[Derivations]:
                found = []
                for sentence in range(first, min(first + _TOGETHER, len(source))):
                    tokens = slice(source.offsets[sentence], source.offsets[sentence + 1])
                    found.append(self._best(words.numbers[tokens], words.copies[tokens], words, limits, int(k)))
                with lock:
                    done[0] += len(found)
                    step(done[0])
                return found

            parts = in_threads(part, range(0, len(source), _TOGETHER))
        return TranslationLists.of([each for part in parts for each in part], words.spelling, self.term_names)

    def _best(self, numbers: Columns, copies: Columns, words: _SourceWords, limits: Limits, k: int) -> Derivations:
        return best_derivations(
            self.table.phrases_in(numbers),
            copies,
            self._phrases,
            self.language_model.lookup,
            words.keys,
            self._vector,
            self.settings.table_limit,
            self.settings.unknown == "copy",
            limits,
            k,
            max(_AT_LEAST, _LOOKED_AT * k),
        )

    def _words(self, source: Tokens) -> _SourceWords:
        spelling = source.spelling.cast(pa.large_string())
        target = self.table.target_words.cast(pa.large_string())
        copies = pc.fill_null(pc.index_in(spelling, target), -1).to_numpy(zero_copy_only=False).astype(np.int32)
        keys, new = self._target_keys, np.flatnonzero(copies < 0)
        if new.size:
            copies[new] = len(target) + np.arange(new.size, dtype=np.int32)
            extra = spelling.take(pa.array(new))
            target = pa.concat_arrays([target, extra])
            keys = np.concatenate([keys, self.language_model.word_keys(extra)[0]])
        return _SourceWords(self.table.source_numbers(source), copies[source.ids], target, frozen(keys))

    @property
    def _has_reordering(self) -> bool:
        return self.table.reordering is not None

    @cached_property
    def _vector(self) -> Floats:
        return weight_vector(self.weights or {}, reordering=self._has_reordering)

    @cached_property
    def _target_keys(self) -> NDArray[np.uint64]:
        return self.language_model.word_keys(self.table.target_words)[0]

    @cached_property
    def _phrases(self) -> Phrases:
        table, none = self.table, np.zeros((0, 6), np.float32)
        return Phrases(
            frozen(np.ascontiguousarray(table.option_offsets)),
            frozen(np.ascontiguousarray(table.target_offsets)),
            frozen(np.ascontiguousarray(table.target_ids)),
            frozen(np.ascontiguousarray(table.scores)),
            frozen(np.ascontiguousarray(none if table.reordering is None else table.reordering)),
        )
