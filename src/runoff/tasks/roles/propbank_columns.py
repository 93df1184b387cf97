"""Columns as PropBank is released: document, sentence, token, word, POS, parse, lemma, roleset, roles by predicate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.formats.streams import create_bytes
from runoff.nbest.records import collector_paused
from runoff.tasks.roles.parse_column import tree_of_column
from runoff.tasks.roles.proposition_columns import joined, predicates_in, propositions_of, role_columns
from runoff.tasks.roles.propositions import RoleSentence
from runoff.tasks.roles.reading_notes import ReadingNotes, WritingNotes
from runoff.tasks.roles.sentence_blocks import sentence_blocks
from runoff.tasks.roles.sentence_columns import NONE, check_numbers, known, named, tags_and_parse
from runoff.tasks.tagging.column_separator import TAB

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from runoff.tasks.roles.sentence_blocks import SentenceBlock

DOCUMENT, SENTENCE, TOKEN, WORD, POS, PARSE, LEMMA, ROLESET, FIRST_ROLE = range(9)


def read_propbank(path: str | Path, *, notes: list[str] | None = None) -> list[RoleSentence]:
    r"""Read sentences from columns as in PropBank's releases, plain, gzip or zstd.

    Parameters
    ----------
    path
        One token per line, fields between tabs, a blank line after each sentence: document, number of the sentence,
        number of the token, word, part of speech, bracket of the parse, lemma and roleset of a predicate (`-` for other
        words), and one column of brackets for every predicate, from left to right. ARG0 is read as A0, ARGM-TMP as
        AM-TMP. The id of a sentence is `document#sentence`.
    notes
        Receives a sentence about what is odd.

    Notes
    -----
    O(characters); about three microseconds per field.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "one.conll"
    >>> rows = ["d 0 0 I PRP (S(NP*) - - (ARG0*)", "d 0 1 left VBD (VP*)) leave leave.01 (V*)"]
    >>> _ = path.write_text("\n".join(rows).replace(" ", "\t"))
    >>> sentence, = read_propbank(path)
    >>> sentence.id, sentence.propositions[0].roles, str(sentence.tree)
    ('d#0', (Argument(start=0, stop=1, label='A0'),), '(S (NP (PRP I)) (VP (VBD left)))')
    """
    said = ReadingNotes()
    with collector_paused():
        found = [_sentence(block, said) for block in sentence_blocks(path, TAB)]
    if notes is not None:
        notes += said.sentences()
    return found


def _sentence(block: SentenceBlock, said: ReadingNotes) -> RoleSentence:
    if block.width < FIRST_ROLE:
        raise block.error(
            f"expected at least {FIRST_ROLE} columns (document, sentence, token, word, part of speech, parse, lemma, "
            f"roleset, then roles); found {block.width}."
        )
    document, number = block.column(DOCUMENT, "document").one(), block.column(SENTENCE, "sentence").one()
    check_numbers(block, TOKEN)
    words, tags = block.column(WORD, "word").fields, block.column(POS, "part of speech").fields
    lemmas, rolesets = block.column(LEMMA, "lemma").fields, block.column(ROLESET, "roleset").fields
    predicates = [
        (at, lemma, None if roleset == NONE else roleset)
        for at, (lemma, roleset) in enumerate(zip(lemmas, rolesets, strict=True))
        if (lemma, roleset) != (NONE, NONE)
    ]
    return RoleSentence(
        tuple(words),
        propositions_of(block, predicates, FIRST_ROLE, block.width, said.elsewhere),
        pos=known(tags),
        tree=tree_of_column(block.column(PARSE, "parse"), words, tags),
        id=number if document == NONE else f"{document}#{number}",
        document=None if document == NONE else document,
    )


def write_propbank(sentences: Iterable[RoleSentence], path: str | Path, *, notes: list[str] | None = None) -> None:
    r"""Write columns that `read_propbank` gives back, compressed if the name ends in .gz or .zst.

    Sentences without an id get their number in the document. Parts of speech are those of the tree where the sentence
    has none, and the tree's own are lost where it has others. Chunks, clauses and entities cannot be shown; `notes`
    receives a sentence about what was left out.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from runoff.tasks.roles.propositions import Argument, Proposition
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "one.conll"
    >>> write_propbank([RoleSentence(("Run",), (Proposition(0, "run", (Argument(0, 1, "V"),), "run.02"),))], path)
    >>> path.read_text()
    '-\t0\t0\tRun\t-\t*\trun\trun.02\t(V*)\n\n'
    """
    left_out = WritingNotes(("trees", "chunks", "clauses", "entities"), one_tag=True)
    with create_bytes(path) as stream:
        for number, (document, name, sentence) in enumerate(named(sentences), 1):
            left_out.take(sentence)
            stream.write("\n".join([*_lines(sentence, document, name, number), "", ""]).encode())
    if notes is not None:
        notes += left_out.sentences("Columns of PropBank")


def _lines(sentence: RoleSentence, document: str, name: str, number: int) -> Iterator[str]:
    n = len(sentence.words)
    predicates = predicates_in(sentence, number)
    tags, parse = tags_and_parse(sentence)
    columns = role_columns(predicates, n)
    for at, word in enumerate(sentence.words):
        own = predicates.get(at)
        fields = [
            document,
            name,
            str(at),
            word,
            tags[at],
            parse[at],
            NONE if own is None else own.lemma,
            NONE if own is None else own.roleset or NONE,
            *(column[at] for column in columns),
        ]
        yield joined(fields, TAB, number)
