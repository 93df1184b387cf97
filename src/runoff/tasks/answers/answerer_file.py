"""Answerers on disk: taggers, question types, translators and ranker in folders of one archive; no code in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from runoff.errors import ModelError
from runoff.model.file import add_model, read_model
from runoff.opening.archive import write_archive
from runoff.opening.guard import check_format, guarded_archive
from runoff.tasks.answers.answerer import Answerer
from runoff.tasks.answers.answerer_settings import AnswererSettings
from runoff.tasks.answers.candidate_features import COLUMNS
from runoff.tasks.answers.expected_answer import ExpectedAnswer
from runoff.tasks.answers.pattern_translators import PatternTranslators
from runoff.tasks.answers.question import add_analyser, read_analyser
from runoff.tasks.answers.term_counts import TermCounts
from runoff.tasks.tagging.tagger_members import read_array, read_texts
from runoff.tasks.translation.lexical_table import LexicalTable
from runoff.tasks.translation.translator_file import add_translator, read_translator
from runoff.version import __version__

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.opening.archive import Archive, ArchiveWriter
    from runoff.tasks.tagging.tag_sources import TagSource

FORMAT, VERSION, HEADER = "runoff-answerer", 1, "answerer.json"
_WHAT = "answerer"
_ANALYSER, _WORDS, _ABSTRACT, _LEXICON, _RANKER = "analyser", "words", "abstract", "lexicon", "ranker"


def save_answerer(answerer: Answerer, path: str | Path) -> None:
    """Write an answerer; see `Answerer.save`."""
    with write_archive(path) as archive:
        archive.add_json(
            HEADER,
            {
                "format": FORMAT,
                "version": VERSION,
                "runoff": __version__,
                "settings": answerer.settings.to_dict(),
                "expected": answerer.expected.to_dict(),
                "counts": answerer.counts.to_dict(),
                "provenance": dict(answerer.provenance),
            },
        )
        add_analyser(answerer.analyser, archive.folder(_ANALYSER))
        add_translator(answerer.translators.words, archive.folder(_WORDS))
        add_translator(answerer.translators.abstract, archive.folder(_ABSTRACT))
        _add_lexicon(answerer.translators.lexicon, archive.folder(_LEXICON))
        add_model(answerer.ranker, archive.folder(_RANKER))


def load_answerer(path: str | Path, **taggers: TagSource | None) -> Answerer:
    """Open an answerer that `Answerer.save` wrote; everything in it is checked.

    `pos`, `chunks`, `entities` take the place of the taggers in the file, and must be given where it has none.

    Examples
    --------
    >>> load_answerer("answers.runoff")  # doctest: +SKIP
    Answerer(816 questions, 4,732 pairs)
    """
    with guarded_archive(path, _WHAT) as archive:
        header = archive.json(HEADER) if HEADER in archive.names else {}
        check_format(header, path, _WHAT, FORMAT, VERSION)
        if not isinstance(header["provenance"], dict):
            raise ModelError("'provenance' must be an object.")
        analyser = read_analyser(archive.folder(_ANALYSER), path, **taggers)
        words, abstract = (read_translator(archive.folder(name), path) for name in (_WORDS, _ABSTRACT))
        ranker = read_model(archive.folder(_RANKER), path)
        unknown = set(ranker.names.to_pylist()) - set(COLUMNS)
        if unknown and not ranker.preparation:
            raise ModelError(f"its ranker knows a column {min(unknown)!r} that candidates do not have.")
        return Answerer(
            analyser,
            PatternTranslators(words, abstract, _read_lexicon(archive.folder(_LEXICON))),
            ExpectedAnswer.from_dict(header["expected"]),
            TermCounts.from_dict(header["counts"]),
            ranker,
            AnswererSettings(**header["settings"]),
            header["provenance"],
        )


def _add_lexicon(lexicon: LexicalTable, archive: ArchiveWriter) -> None:
    for name, array in lexicon.to_arrays().items():
        archive.add_array(f"{name}.npy", np.ascontiguousarray(array))
    for name, words in (("source", lexicon.source_words), ("target", lexicon.target_words)):
        archive.add_table(f"{name}.arrow", pa.table({"text": words.cast(pa.string())}))


def _read_lexicon(archive: Archive) -> LexicalTable:
    arrays: dict[str, Any] = {name: read_array(archive, name) for name in ("starts", "words", "probabilities")}
    source, target = (
        pa.array(read_texts(archive, f"{name}.arrow"), pa.large_string()) for name in ("source", "target")
    )
    return LexicalTable.from_arrays(arrays, source, target)
