"""Translators: two languages, phrases, a language model and weights."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from runoff.nbest import Features, NBest
from runoff.tasks.translation.decoder import Decoder
from runoff.tasks.translation.decoder_settings import DecoderSettings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

    from runoff.features.lm import LanguageModel
    from runoff.tasks.translation.language import Language
    from runoff.tasks.translation.phrase_table import PhraseTable
    from runoff.tasks.translation.translation_lists import TranslationLists


@dataclass(frozen=True, eq=False)
class Translator:
    """Translates texts by phrases (Koehn, Och & Marcu 2003), and lists the best translations.

    Examples
    --------
    >>> from runoff.tasks.translation.training import train_translator
    >>> english = ["the house", "the small house", "a house", "the book"]
    >>> german = ["das Haus", "das kleine Haus", "ein Haus", "das Buch"]
    >>> translator = train_translator(english, german)
    >>> translator.translate(["the small book"])
    ['das kleine Buch']
    >>> lists = translator.nbest(["the book"], k=3)
    >>> lists.texts[0].as_py(), "tm:direct" in lists.features.column_names().to_pylist()
    ('das Buch', True)
    """

    source: Language
    target: Language
    table: PhraseTable
    language_model: LanguageModel
    weights: Mapping[str, float]
    settings: DecoderSettings = field(default_factory=DecoderSettings)
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def decoder(self) -> Decoder:
        """What searches for translations."""
        return Decoder(self.table, self.language_model, self.weights, self.settings)

    def with_weights(self, weights: Mapping[str, float]) -> Translator:
        """The same translator with other weights; its decoder is not built anew."""
        other = replace(self, weights=dict(weights))
        other.__dict__["decoder"] = self.decoder.with_weights(weights)
        return other

    def translate(self, texts: Sequence[str], *, verbose: bool = False) -> list[str]:
        """The best translation of every text, which is one sentence; an empty one for an empty one."""
        found = self.decoder.nbest(self.source.tokens(texts), 1, verbose=verbose)
        return [self.target.text(found.tokens.of(row)) for row in found.offsets[:-1].tolist()]

    def nbest(
        self,
        texts: Sequence[str],
        k: int = 100,
        *,
        references: Sequence[Sequence[str]] | None = None,
        ids: Sequence[str] | None = None,
        phrase_pairs: bool = False,
        verbose: bool = False,
    ) -> NBest:
        """The k best different translations of every text, as lists with the terms of their scores as features.

        Parameters
        ----------
        texts
            Sentences.
        k
            Most translations of each; there are fewer of short sentences.
        references
            Reference translations of each.
        ids
            Of the lists; default: numbers from 0, as Moses has them.
        phrase_pairs
            Add a feature for every phrase pair of a translation, `phrase:SOURCE=TARGET`.
        verbose
            Show progress.
        """
        found = self.decoder.nbest(self.source.tokens(texts), k, verbose=verbose)
        features = Features.of(found.terms, list(found.names))
        if phrase_pairs:
            features = self._with_pairs(found)
        return NBest.from_arrays(
            features,
            base=found.scores,
            sizes=np.diff(found.offsets),
            texts=[self.target.text(found.tokens.of(row)) for row in range(found.scores.size)],
            group_ids=[str(at) for at in range(len(texts))] if ids is None else list(ids),
            inputs=list(texts),
            references=None if references is None else [list(each) for each in references],
            metric="bleu",
        )

    def save(self, path: str | Path) -> None:
        """Write one file that `load_translator` opens; nothing in it can run code."""
        from runoff.tasks.translation.translator_file import save

        save(self, path)

    def describe(self) -> dict[str, Any]:
        """Its sizes."""
        return {
            "phrases": len(self.table),
            "options": self.table.n_options,
            "ngrams": len(self.language_model),
            "order": self.language_model.order,
            "reordering": self.table.reordering is not None,
        }

    def __repr__(self) -> str:
        return (
            f"Translator({len(self.table):,} phrases, {self.table.n_options:,} options, "
            f"{len(self.language_model):,} n-grams)"
        )

    def _with_pairs(self, found: TranslationLists) -> Features:
        """The terms, and how often each option of the phrase table is used."""
        used = found.options >= 0
        rows = np.repeat(np.arange(found.scores.size), np.diff(found.phrase_offsets))[used]
        options, columns = np.unique(found.options[used], return_inverse=True)
        counts = sparse.csr_array(
            (np.ones(rows.size, np.float32), (rows, columns)), shape=(found.scores.size, options.size)
        )
        table, phrases = self.table, np.searchsorted(self.table.option_offsets, options, side="right") - 1
        sources = _joined(table.source_words, table.phrase_words, table.phrase_offsets, phrases)
        targets = _joined(table.target_words, table.target_ids, table.target_offsets, options)
        names = [f"phrase:{source}={target}" for source, target in zip(sources, targets, strict=True)]
        return Features.of(sparse.hstack([sparse.csr_array(found.terms), counts], format="csr"), [*found.names, *names])


def _joined(words: pa.Array, ids: Any, offsets: Any, rows: Any) -> list[str]:
    """The words of some rows, with blanks between them."""
    spelling = words.to_pylist()
    return [" ".join(spelling[word] for word in ids[offsets[row] : offsets[row + 1]]) for row in rows.tolist()]
