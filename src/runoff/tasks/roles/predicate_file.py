"""Finders of predicates on disk: one zip file with a tagger and two tables, nothing in it that can run code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from runoff.errors import ModelError, brief
from runoff.opening.archive import write_archive
from runoff.opening.guard import check_format, guarded_archive
from runoff.tasks.roles.lemmas import WORD_CLASSES, Lemmas
from runoff.tasks.roles.predicates import COLUMN, IS_NONE, IS_PREDICATE, PredicateFinder
from runoff.tasks.tagging.corpus import WORD
from runoff.tasks.tagging.tagger_members import FORMAT as TAGGER_FORMAT
from runoff.tasks.tagging.tagger_members import HEADER as TAGGER_HEADER
from runoff.tasks.tagging.tagger_members import VERSION as TAGGER_VERSION
from runoff.tasks.tagging.tagger_members import add_tagger, read_tagger, read_texts
from runoff.version import __version__

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.opening.archive import Archive
    from runoff.tasks.tagging.tagger import Tagger

FORMAT, VERSION = "runoff-predicates", 1
HEADER = "predicates.json"
_WHAT = "finder of predicates"
_TAGGER = "tagger"
_LEMMAS = ("word", "class", "lemma")
_ROLESETS = ("lemma", "roleset")


def save_finder(finder: PredicateFinder, path: str | Path) -> None:
    """Write a finder; see `PredicateFinder.save`."""
    header = {"format": FORMAT, "version": VERSION, "runoff": __version__, "provenance": finder.provenance}
    lemmas = [(*key, lemma) for key, lemma in finder.lemmas.of_words.items()]
    with write_archive(path) as archive:
        archive.add_json(HEADER, header)
        archive.add_table("lemmas.arrow", _table(_LEMMAS, lemmas))
        archive.add_table("rolesets.arrow", _table(_ROLESETS, list(finder.lemmas.rolesets.items())))
        add_tagger(finder.tagger, archive.folder(_TAGGER))


def load_finder(path: str | Path) -> PredicateFinder:
    """Open a finder that `PredicateFinder.save` wrote; everything in it is checked.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from runoff.tasks.roles.predicates import train_finder
    >>> from runoff.tasks.roles.propositions import Proposition, RoleSentence
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "predicates.runoff"
    >>> train_finder([RoleSentence(("Go", "!"), (Proposition.of(0, "go", [(0, 1, "V")]),))]).save(path)
    >>> load_finder(path)
    PredicateFinder(... features, 1 words with lemmas)
    """
    with guarded_archive(path, _WHAT) as archive:
        header = archive.json(HEADER) if HEADER in archive.names else {}
        check_format(header, path, _WHAT, FORMAT, VERSION)
        if type(header.get("provenance")) is not dict:
            raise ModelError(f"'provenance' must be an object; found {brief(header.get('provenance'))}.")
        return PredicateFinder(_tagger(archive.folder(_TAGGER), path), _lemmas(archive), header["provenance"])


def _table(names: tuple[str, ...], rows: list[Any]) -> pa.Table:
    return pa.table({name: pa.array([row[at] for row in rows], pa.string()) for at, name in enumerate(names)})


def _tagger(archive: Archive, path: str | Path) -> Tagger:
    header = archive.json(TAGGER_HEADER)
    check_format(header, path, "tagger", TAGGER_FORMAT, TAGGER_VERSION)
    tagger = read_tagger(header, archive)
    columns = tagger.features.templates.columns
    if tagger.column != COLUMN or not {IS_PREDICATE, IS_NONE}.issuperset(tagger.tags):
        raise ModelError(f"the tagger must tell predicates ({IS_PREDICATE}) from others ({IS_NONE}).")
    if not {WORD, "pos"}.issuperset(columns):
        raise ModelError(f"the tagger must look at words and parts of speech; it looks at {', '.join(columns)}.")
    return tagger


def _lemmas(archive: Archive) -> Lemmas:
    words, classes, lemmas = (read_texts(archive, "lemmas.arrow", name) for name in _LEMMAS)
    named, rolesets = (read_texts(archive, "rolesets.arrow", name) for name in _ROLESETS)
    if not all([*words, *lemmas, *named, *rolesets]):
        raise ModelError("words, lemmas and rolesets must not be empty.")
    unknown = next((each for each in classes if each not in WORD_CLASSES), None)
    if unknown is not None:
        raise ModelError(f"there is no class of words {brief(unknown)}.")
    of_words = dict(zip(zip(words, classes, strict=True), lemmas, strict=True))
    if len(of_words) < len(words) or len(set(named)) < len(named):
        raise ModelError("a word or a lemma comes twice.")
    return Lemmas(of_words, dict(zip(named, rolesets, strict=True)))
