"""Translation: word alignments, phrases, a decoder that gives n-best lists, and features of whole translations.

>>> from runoff.tasks.translation import train_translator
>>> translator = train_translator(["a cat", "a dog", "the cat"], ["eine Katze", "ein Hund", "die Katze"])
>>> translator.translate(["a dog"])
['ein Hund']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.registry import lazily

if TYPE_CHECKING:
    from runoff.tasks.translation.aligner import WordAlignment, align_bitext
    from runoff.tasks.translation.alignment_quality import AlignmentError, alignment_error
    from runoff.tasks.translation.alignments import Alignments, read_alignments, read_gold_alignments
    from runoff.tasks.translation.bitext import Bitext
    from runoff.tasks.translation.decoder_settings import DecoderSettings
    from runoff.tasks.translation.featurizer import TranslationFeaturizer
    from runoff.tasks.translation.language import Language
    from runoff.tasks.translation.moses_table_reader import read_moses_tables
    from runoff.tasks.translation.moses_tables import write_phrase_table, write_reordering_table
    from runoff.tasks.translation.phrase_table import PhraseOption, PhraseTable
    from runoff.tasks.translation.training import train_translator
    from runoff.tasks.translation.translator import Translator
    from runoff.tasks.translation.translator_file import load_translator
    from runoff.tasks.translation.translator_round import TranslatorRound
    from runoff.tasks.translation.translator_settings import TranslatorSettings
    from runoff.tasks.translation.tuning import Tuning, tune

_HOMES = {
    "aligner": ("WordAlignment", "align_bitext"),
    "alignment_quality": ("AlignmentError", "alignment_error"),
    "alignments": ("Alignments", "read_alignments", "read_gold_alignments"),
    "bitext": ("Bitext",),
    "decoder_settings": ("DecoderSettings",),
    "featurizer": ("TranslationFeaturizer",),
    "language": ("Language",),
    "moses_table_reader": ("read_moses_tables",),
    "moses_tables": ("write_phrase_table", "write_reordering_table"),
    "phrase_table": ("PhraseOption", "PhraseTable"),
    "training": ("train_translator",),
    "translator": ("Translator",),
    "translator_file": ("load_translator",),
    "translator_round": ("TranslatorRound",),
    "translator_settings": ("TranslatorSettings",),
    "tuning": ("Tuning", "tune"),
}
__all__ = [
    "AlignmentError",
    "Alignments",
    "Bitext",
    "DecoderSettings",
    "Language",
    "PhraseOption",
    "PhraseTable",
    "TranslationFeaturizer",
    "Translator",
    "TranslatorRound",
    "TranslatorSettings",
    "Tuning",
    "WordAlignment",
    "align_bitext",
    "alignment_error",
    "load_translator",
    "read_alignments",
    "read_gold_alignments",
    "read_moses_tables",
    "train_translator",
    "tune",
    "write_phrase_table",
    "write_reordering_table",
]

# Compilers take half a second to import; nobody should wait for what they do not use.
__getattr__ = lazily(__name__, {f"{__name__}.{home}": names for home, names in _HOMES.items()})


def __dir__() -> list[str]:
    return __all__
