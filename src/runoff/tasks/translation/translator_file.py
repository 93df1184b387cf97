"""Translators on disk: one zip file of plain arrays, which are memory-mapped; nothing in it can run code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.errors import ModelError
from runoff.features.lm import LanguageModel
from runoff.opening.archive import write_archive
from runoff.opening.guard import check_format, guarded_archive
from runoff.tasks.translation.decoder_settings import DecoderSettings
from runoff.tasks.translation.language import Language
from runoff.tasks.translation.phrase_table_arrays import add_phrase_table, read_phrase_table
from runoff.tasks.translation.terms import weight_vector
from runoff.tasks.translation.translator import Translator
from runoff.version import __version__

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.opening.archive import Archive, ArchiveWriter

FORMAT, VERSION = "runoff-translator", 1
_HEADER, _PHRASES, _NGRAMS = "translator.json", "phrases", "language-model"


def save(translator: Translator, path: str | Path) -> None:
    """Write a translator; see `Translator.save`."""
    # Not compressed, so that arrays can be mapped.
    with write_archive(path, compressed=False) as archive:
        add_translator(translator, archive)


def add_translator(translator: Translator, archive: ArchiveWriter) -> None:
    """Write a translator into an archive, or a folder of one."""
    header = {
        "format": FORMAT,
        "version": VERSION,
        "runoff": __version__,
        "source": translator.source.to_dict(),
        "target": translator.target.to_dict(),
        "weights": dict(translator.weights),
        "settings": translator.settings.to_dict(),
        "provenance": dict(translator.provenance),
    }
    archive.add_json(_HEADER, header)
    add_phrase_table(translator.table, archive.folder(_PHRASES))
    ngrams = archive.folder(_NGRAMS)
    for name, array in translator.language_model.to_arrays().items():
        ngrams.add_array(f"{name}.npy", array)


def load_translator(path: str | Path) -> Translator:
    """Open a translator that `Translator.save` wrote; everything in it is checked. O(bytes).

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from runoff.tasks.translation.training import train_translator
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "en-de.runoff"
    >>> train_translator(["a cat", "a dog"], ["eine Katze", "ein Hund"]).save(path)
    >>> load_translator(path).translate(["a cat"])
    ['eine Katze']
    """
    with guarded_archive(path, "translator") as archive:
        return read_translator(archive, path)


def read_translator(archive: Archive, path: str | Path) -> Translator:
    """A translator from an archive, or a folder of one, checked; inside of `guarded_archive`."""
    header = archive.json(_HEADER) if _HEADER in archive.names else {}
    check_format(header, path, "translator", FORMAT, VERSION)
    table, ngrams = read_phrase_table(archive.folder(_PHRASES)), archive.folder(_NGRAMS)
    if not isinstance(header["provenance"], dict) or not isinstance(header["weights"], dict):
        raise ModelError("its weights are damaged.")
    weight_vector(header["weights"], reordering=table.reordering is not None)  # checks names and numbers
    return Translator(
        Language.from_dict(header["source"]),
        Language.from_dict(header["target"]),
        table,
        LanguageModel.from_arrays(
            {name.removesuffix(".npy"): ngrams.array(name, mapped=True) for name in sorted(ngrams.names)}
        ),
        header["weights"],
        DecoderSettings(**header["settings"]),
        header["provenance"],
    )
