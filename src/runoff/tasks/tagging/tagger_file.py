"""Taggers on disk, of tags or of clauses: one zip file each, with nothing in it that can run code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.opening.archive import write_archive
from runoff.opening.guard import check_format, guarded_archive
from runoff.tasks.tagging.clause_tagger import ClauseTagger
from runoff.tasks.tagging.tagger_members import FORMAT, HEADER, VERSION, add_tagger, read_tagger
from runoff.tasks.tagging.tagger_validation import check_clauses
from runoff.version import __version__

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.opening.archive import Archive
    from runoff.tasks.tagging.tagger import Tagger

CLAUSES_VERSION = 1
_CLAUSES, _CLAUSES_FORMAT = "clauses.json", "runoff-clauses"
_PARTS = ("starts", "ends")


def save(tagger: Tagger, path: str | Path) -> None:
    """Write a tagger; see `Tagger.save`."""
    with write_archive(path) as archive:
        add_tagger(tagger, archive)


def save_clauses(tagger: ClauseTagger, path: str | Path) -> None:
    """Write a tagger of clauses, both of its taggers in folders of their own; see `ClauseTagger.save`."""
    header = {
        "format": _CLAUSES_FORMAT,
        "version": CLAUSES_VERSION,
        "runoff": __version__,
        "column": tagger.column,
        "provenance": tagger.provenance,
    }
    with write_archive(path) as archive:
        archive.add_json(_CLAUSES, header)
        for part in _PARTS:
            add_tagger(getattr(tagger, part), archive.folder(part))


def load_tagger(path: str | Path) -> Tagger | ClauseTagger:
    """Open a tagger that `Tagger.save` or `ClauseTagger.save` wrote.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from runoff.tasks.tagging.corpus import Corpus
    >>> from runoff.tasks.tagging.training import train_tagger
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.tagger"
    >>> corpus = Corpus.of({"word": ["a", "cat", "a", "dog"], "pos": ["DT", "NN", "DT", "NN"]}, sizes=[2, 2])
    >>> train_tagger(corpus, "pos", "pos").save(path)
    >>> load_tagger(path).label(corpus).texts()
    ['DT', 'NN', 'DT', 'NN']
    """
    with guarded_archive(path, "tagger") as archive:
        return _clauses(archive, path) if _CLAUSES in archive.names else _tagger(archive, path)


def _tagger(archive: Archive, path: str | Path) -> Tagger:
    header = archive.json(HEADER) if HEADER in archive.names else {}
    check_format(header, path, "tagger", FORMAT, VERSION)
    return read_tagger(header, archive)


def _clauses(archive: Archive, path: str | Path) -> ClauseTagger:
    header = archive.json(_CLAUSES)
    check_format(header, path, "tagger", _CLAUSES_FORMAT, CLAUSES_VERSION)
    starts, ends = (_tagger(archive.folder(part), path) for part in _PARTS)
    check_clauses(header, {"starts": starts, "ends": ends})
    return ClauseTagger(header["column"], starts, ends, header["provenance"])
