"""From parallel text to a translator."""

from __future__ import annotations

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
from runoff.tasks.translation.moses_table_reader import read_moses_tables
from runoff.tasks.translation.phrase_table_building import build_phrase_table
from runoff.tasks.translation.terms import default_weights
from runoff.tasks.translation.translator import Translator
from runoff.tasks.translation.translator_settings import TranslatorSettings

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from runoff.metrics.tokens import Tokens
    from runoff.tasks.translation.alignments import Alignments
    from runoff.tasks.translation.phrase_table import PhraseTable
    from runoff.tasks.translation.symmetrisation import Symmetrisation
    from runoff.tasks.translation.translator_settings import Aligner


def train_translator(
    source: Sequence[str],
    target: Sequence[str],
    settings: TranslatorSettings | None = None,
    *,
    text: Sequence[str] = (),
    language_model: str | Path | None = None,
    alignment: str | Path | None = None,
    phrase_table: str | Path | None = None,
    reordering_table: str | Path | None = None,
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
    phrase_table, reordering_table
        Moses' tables of these tokens, in place of phrases of one's own; nothing is then aligned.
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
    if phrase_table is not None and alignment is not None:
        raise UsageError("phrases come from an alignment or from a phrase table; give one of them.")
    if reordering_table is not None and phrase_table is None:
        raise UsageError("a reordering table belongs to a phrase table; give that too.")
    if len(source) != len(target):
        raise UsageError(f"there are {len(source):,} source and {len(target):,} target sentences.")
    notes: list[str] = []
    ours, theirs = (Language.learn(side, truecase=settings.truecase) for side in (source, target))
    whole = Bitext(ours.tokens(source), theirs.tokens(target))
    chosen = whole.fit_for_training(settings.longest_sentence)
    if not chosen.size:
        raise DataError("no sentence pair can be aligned: all of them have an empty side or are too long.")
    if chosen.size < len(whole):
        left = counted(len(whole) - chosen.size, "pairs")
        notes.append(
            f"{left} of {len(whole):,} left out of training: a side is empty, longer than "
            f"{settings.longest_sentence} words, or far longer than the other side."
        )
    bitext = whole.take(chosen)
    if phrase_table is not None:
        table = read_moses_tables(phrase_table, reordering_table)
    else:
        if alignment is not None:
            links = read_alignments(alignment, whole).take(chosen)
        else:
            links, said = align_words(bitext, settings.aligner, settings.symmetrise, verbose=verbose)
            notes += said
        table = _phrases(bitext, links, settings, verbose)
    model = _language_model(language_model, theirs, list(target) + list(text), settings.order)
    notes += [*table.notes, *model.notes]
    provenance = {
        "settings": settings.to_dict(),
        "pairs": int(chosen.size),
        "words": [int(side.lengths.sum()) for side in (bitext.source, bitext.target)],
        "notes": notes,
    }
    weights = default_weights(reordering=table.reordering is not None)
    return Translator(ours, theirs, table, model, weights, provenance=provenance)


def align_words(
    bitext: Bitext, aligner: Aligner, symmetrise: Symmetrisation, *, verbose: bool = False
) -> tuple[Alignments, list[str]]:
    """Links of sentence pairs by the named aligner, and notes about them."""
    if aligner == "eflomal":
        return eflomal_links(bitext, symmetrise), [NOTE]
    found = align_bitext(bitext, aligner, symmetrise=symmetrise, verbose=verbose)
    skipped = found.report.skipped_empty + found.report.skipped_long
    return found.alignments, [
        f"no links of {counted(skipped, 'pairs')}: a side is empty or too long."
    ] if skipped else []


def _phrases(bitext: Bitext, links: Alignments, settings: TranslatorSettings, verbose: bool) -> PhraseTable:
    with progress("phrases", 1, verbose=verbose) as step:
        table = build_phrase_table(
            bitext,
            links,
            max_length=settings.longest_phrase,
            smoothing=settings.smoothing,
            reordering="word" if settings.reordering else "none",
        )
        step(1)
    return table


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
