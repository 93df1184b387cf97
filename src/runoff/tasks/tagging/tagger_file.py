"""Taggers on disk, of tags or of clauses: one zip file each, with nothing in it that can run code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runoff.errors import DataError, ModelError, UsageError
from runoff.files import reason
from runoff.opening.archive import open_archive, write_archive
from runoff.opening.limits import DamagedFileError
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
    try:
        with open_archive(path) as archive:
            if _CLAUSES in archive.names:
                return _clauses(archive, path)
            return _tagger(archive, path)
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {reason(error)}.") from error
    except DamagedFileError as error:
        raise ModelError(f"{path} is not a Runoff tagger, or it is damaged: {error}.") from error
    except _ForeignError as error:
        raise ModelError(str(error)) from error
    except (ModelError, UsageError, DataError) as error:
        raise ModelError(f"{path} is not a Runoff tagger, or it is damaged: {error}") from error
    except (KeyError, IndexError, TypeError, ValueError, OverflowError) as error:
        raise ModelError(f"{path} is not a Runoff tagger, or it is damaged.") from error


class _ForeignError(Exception):
    """A file of another kind or version, which is not damaged."""


def _tagger(archive: Archive, path: str | Path) -> Tagger:
    header = archive.json(HEADER) if HEADER in archive.names else {}
    _check_format(header, path, FORMAT, VERSION)
    return read_tagger(header, archive)


def _clauses(archive: Archive, path: str | Path) -> ClauseTagger:
    header = archive.json(_CLAUSES)
    _check_format(header, path, _CLAUSES_FORMAT, CLAUSES_VERSION)
    starts, ends = (_tagger(archive.folder(part), path) for part in _PARTS)
    check_clauses(header, {"starts": starts, "ends": ends})
    return ClauseTagger(header["column"], starts, ends, header["provenance"])


def _check_format(header: Any, path: str | Path, name: str, version: int) -> None:
    if not isinstance(header, dict) or header.get("format") != name:
        raise _ForeignError(f"{path} is not a Runoff tagger.")
    if header["version"] != version:
        raise _ForeignError(
            f"{path} has version {header['version']} of the tagger format (written by Runoff {header.get('runoff')}); "
            f"this Runoff reads version {version}. Train it again."
        )
