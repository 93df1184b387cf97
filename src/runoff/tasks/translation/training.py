"""From parallel text to a translator."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from runoff.errors import DataError, UsageError
from runoff.features.lm import LanguageModel, open_model
from runoff.progress import progress
from runoff.tables import counted
from runoff.tasks.translation.aligner import align_bitext
from runoff.tasks.translation.alignments import read_alignments
from runoff.tasks.translation.bitext import Bitext
from runoff.tasks.translation.eflomal import NOTE, eflomal_links
from runoff.tasks.translation.language import Language
from runoff.tasks.translation.phrase_table_building import build_phrase_table
from runoff.tasks.translation.terms import default_weights
from runoff.tasks.translation.translator import Translator
from runoff.tasks.translation.translator_settings import TranslatorSettings

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from runoff.metrics.tokens import Tokens


def train_translator(
    source: Sequence[str],
    target: Sequence[str],
    settings: TranslatorSettings | None = None,
    *,
    text: Sequence[str] = (),
    language_model: str | Path | None = None,
    alignment: str | Path | None = None,
    verbose: bool = False,
) -> Translator:
    """Learn a translator: align words, extract and score phrases, estimate a language model.

    Its weights are rough ones, until `runoff.tasks.translation.tune` learns them.

    Parameters
    ----------
    source, target
        Sentences and their translations.
    settings
        See `TranslatorSettings`.
    text
        More sentences in the target language, for the language model.
    language_model
        A file of a language model over tokens, in place of one that is learned.
    alignment
        A file of word alignments of these sentences as they are tokenized here, `0-0 1-2 …`, in place of an own one.
    verbose
        Show progress.

    Notes
    -----
    Eight CPU seconds for 29,000 pairs of 13 words.

    Examples
    --------
    >>> train_translator(["a cat", "a dog"], ["eine Katze", "ein Hund"]).translate(["a dog"])
    ['ein Hund']
    """
    settings = settings or TranslatorSettings()
    if len(source) != len(target):
        raise UsageError(f"there are {len(source):,} source and {len(target):,} target sentences.")
    began = time.monotonic()
    notes: list[str] = []
    ours, theirs = (Language.learn(side, truecase=settings.truecase) for side in (source, target))
    whole = Bitext(ours.tokens(source), theirs.tokens(target))
    chosen = whole.fit_for_training(settings.longest_sentence)
    if not chosen.size:
        raise DataError("no sentence pair can be aligned: all of them have an empty side or are too long.")
    if chosen.size < len(whole):
        left = counted(len(whole) - chosen.size, "pairs")
        notes.append(
            f"{left} of {len(whole):,} were left out of training: a side is empty, longer than "
            f"{settings.longest_sentence} words, or far longer than the other."
        )
    bitext = whole.take(chosen)
    if alignment is not None:
        links = read_alignments(alignment, whole).take(chosen)
    elif settings.aligner == "eflomal":
        links = eflomal_links(bitext, settings.symmetrise)
        notes.append(NOTE)
    else:
        links = align_bitext(bitext, settings.aligner, symmetrise=settings.symmetrise, verbose=verbose).alignments
    with progress("phrases and language model", 2, verbose=verbose) as step:
        table = build_phrase_table(
            bitext,
            links,
            max_length=settings.longest_phrase,
            smoothing=settings.smoothing,
            reordering="word" if settings.reordering else "none",
        )
        step(1)
        model = _language_model(language_model, theirs, list(target) + list(text), settings.order)
        step(2)
    notes += [*table.notes, *model.notes]
    provenance = {
        "settings": settings.to_dict(),
        "pairs": int(chosen.size),
        "words": [int(side.lengths.sum()) for side in (bitext.source, bitext.target)],
        "seconds": round(time.monotonic() - began, 1),
        "notes": notes,
    }
    weights = default_weights(reordering=settings.reordering)
    return Translator(ours, theirs, table, model, weights, provenance=provenance)


def _language_model(path: str | Path | None, language: Language, texts: Sequence[str], order: int) -> LanguageModel:
    if path is None:
        tokens: Tokens = language.tokens(texts)
        return LanguageModel.train(tokens, order)
    model = open_model(path)
    if not isinstance(model, LanguageModel):
        raise UsageError(
            f"{path} is a binary file of KenLM, whose n-grams cannot be listed; give the ARPA file that it was built "
            "from."
        )
    return model
