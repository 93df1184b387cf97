"""Files of roles as one system's solutions: lists of one labelling, for combinations."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from runoff.errors import DataError
from runoff.formats.streams import bare_name, sample, spooled
from runoff.tasks.roles.propositions import Proposition
from runoff.tasks.roles.resolution import Labelling
from runoff.tasks.roles.role_files import read_roles, recognise, write_roles
from runoff.tasks.roles.role_lists import to_nbest
from runoff.tasks.tagging.tagging_lists import split_entries

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.nbest import NBest
    from runoff.tasks.roles.propositions import RoleSentence

_BRACKET = b"(V*"  # every proposition of a file of columns has one


def has_roles(path: Path) -> bool:
    """Whether a file looks like one of roles: by its name, or by brackets of predicates or propositions in it."""
    if bare_name(path).endswith("props"):
        return True
    head = sample(path).head
    if head.lstrip()[:1] == b"{":
        return b'"propositions"' in head
    return _BRACKET in head and recognise(path) in ("propbank", "conll2005", "props", "conll2012")


def read_role_solutions(path: Path, words: Path | None = None) -> NBest:
    """One list for every predicate, with the labelling of the file as its candidate.

    Sentences are known by their number, so that files of other formats fit: the list of the fifth word of sentence 3 is
    `3:4`. Files without words have lists without input.
    """
    notes: list[str] = []
    sentences = _numbered(_read(path, words, notes))
    labellings = [[[Labelling(each.roles, 0.0)] for each in sentence.propositions] for sentence in sentences]
    data = to_nbest(sentences, labellings, gold=False)
    has_words = any(sentence.has_words for sentence in sentences)
    return data.replace(base=None, notes=notes, **({} if has_words else {"inputs": None}))


def write_role_solutions(data: NBest, path: Path, like: Path, words: Path | None = None) -> list[str]:
    """Write the labellings of lists of one candidate as roles of the sentences in the file `like`."""
    notes: list[str] = []
    sentences = _read(like, words, notes)
    if data.texts is None:
        raise DataError("these lists have no texts, so there are no roles to write.")
    texts = dict(zip(data.group_ids.to_pylist(), data.texts.to_pylist(), strict=True))
    found = [
        sentence.with_propositions(
            _labelled(each, texts.get(f"{number}:{each.predicate}"), len(sentence.words), like, number)
            for each in sentence.propositions
        )
        for number, sentence in enumerate(sentences, 1)
    ]
    written: list[str] = []
    write_roles(found, path, notes=written)
    return written


def _read(path: Path, words: Path | None, notes: list[str]) -> list[RoleSentence]:
    with spooled(path) as file:
        if words is not None and recognise(file) == "conll2005":
            return read_roles(file, notes=notes, words=words)
        return read_roles(file, notes=notes)


def _numbered(sentences: list[RoleSentence]) -> list[RoleSentence]:
    return [replace(sentence, id=str(number)) for number, sentence in enumerate(sentences, 1)]


def _labelled(old: Proposition, text: str | None, n_words: int, like: Path, number: int) -> Proposition:
    if text is None:
        raise DataError(f"there is no list for word {old.predicate + 1} of sentence {number}.", path=like)
    tags = split_entries(text)
    if len(tags) != n_words:
        raise DataError(f"sentence {number} has {n_words:,} words, and its list {len(tags):,} tags.", path=like)
    return old.with_roles(Proposition.of_tags(tags, old.predicate, old.lemma).roles)
