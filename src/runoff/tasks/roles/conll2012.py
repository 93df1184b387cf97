"""Columns of the CoNLL-2012 shared task (OntoNotes): words, parses, predicates, entities, roles, coreference."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from runoff.formats.streams import create_bytes
from runoff.nbest.records import collector_paused
from runoff.tasks.roles.parse_column import tree_of_column
from runoff.tasks.roles.proposition_columns import joined, predicates_in, propositions_of, role_columns
from runoff.tasks.roles.propositions import RoleSentence
from runoff.tasks.roles.reading_notes import ReadingNotes, WritingNotes
from runoff.tasks.roles.role_brackets import (
    brackets_of_stretches,
    flat_stretches_of,
    stretches_of_tags,
    tags_of_stretches,
)
from runoff.tasks.roles.sentence_blocks import sentence_blocks
from runoff.tasks.roles.sentence_columns import (
    NONE,
    check_numbers,
    known,
    named,
    roleset_of,
    sense_of,
    tags_and_parse,
)
from runoff.tasks.tagging.column_separator import BLANKS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from runoff.tasks.roles.sentence_blocks import FieldColumn, SentenceBlock

DOCUMENT, PART, TOKEN, WORD, POS, PARSE, LEMMA, FRAMESET, SENSE, SPEAKER, ENTITY, FIRST_ROLE = range(12)
LEAST_COLUMNS = FIRST_ROLE + 1  # the last column is coreference
_BEGIN, _END = "#begin document", "#end document"
_ALONE = re.compile(r"\(([^()*\s]+)\)")  # an entity of one word, which has no star
_PART = re.compile(r"(.*)/part_([0-9]+)")


def is_document_mark(line: str) -> bool:
    """Whether a line begins or ends a document.

    Examples
    --------
    >>> is_document_mark("#begin document (bc/cnn); part 000"), is_document_mark("#")
    (True, False)
    """
    return line.startswith((_BEGIN, _END))


def read_conll2012(path: str | Path, *, notes: list[str] | None = None) -> list[RoleSentence]:
    r"""Read sentences from columns of CoNLL-2012, plain, gzip or zstd.

    Parameters
    ----------
    path
        One token per line, fields between blanks, a blank line after each sentence: document, part, number of the
        token, word, part of speech, bracket of the parse, lemma, number of the frameset (for predicates, else `-`),
        sense, speaker, entity, one column of brackets for every predicate, and coreference. Senses, speakers and
        coreference are not kept. A part other than 0 belongs to the document's name: `name/part_001`; the id of a
        sentence is `document#number`.
    notes
        Receives a sentence about what is odd.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "one.conll"
    >>> rows = ["d 0 0 I PRP (S(NP*) - - - A * (ARG0*) -", "d 0 1 left VBD (VP*)) leave 01 1 A * (V*) -"]
    >>> _ = path.write_text("#begin document (d); part 000\n" + "\n".join(rows) + "\n\n#end document\n")
    >>> sentence, = read_conll2012(path)
    >>> sentence.id, sentence.propositions[0].roleset, sentence.propositions[0].roles
    ('d#0', 'leave.01', (Argument(start=0, stop=1, label='A0'),))
    """
    said = ReadingNotes()
    with collector_paused():
        found = [_sentence(block, said) for block in sentence_blocks(path, is_mark=is_document_mark)]
    if all(tag == "O" for sentence in found for tag in sentence.entities or ()):
        found = [replace(sentence, entities=None) for sentence in found]
    if notes is not None:
        notes += said.sentences()
    return [replace(sentence, id=f"{document}#{name}".removeprefix("-#")) for document, name, sentence in named(found)]


def _sentence(block: SentenceBlock, said: ReadingNotes) -> RoleSentence:
    if block.width < LEAST_COLUMNS:
        raise block.error(
            f"expected at least {LEAST_COLUMNS} columns (document, part, token, word, part of speech, parse, lemma, "
            f"frameset, sense, speaker, entity, then roles, coreference); found {block.width}."
        )
    document, part = block.column(DOCUMENT, "document").one(), block.column(PART, "part").one()
    check_numbers(block, TOKEN)
    words, tags = block.column(WORD, "word").fields, block.column(POS, "part of speech").fields
    lemmas, framesets = block.column(LEMMA, "lemma").fields, block.column(FRAMESET, "frameset").fields
    predicates = [
        (at, lemma, roleset_of(lemma, frameset))
        for at, (lemma, frameset) in enumerate(zip(lemmas, framesets, strict=True))
        if frameset != NONE
    ]
    return RoleSentence(
        tuple(words),
        propositions_of(block, predicates, FIRST_ROLE, block.width - 1, said.elsewhere),
        pos=known(tags),
        tree=tree_of_column(block.column(PARSE, "parse"), words, tags),
        entities=tags_of_stretches(flat_stretches_of(_starred(block.column(ENTITY, "entity"))), len(words)),
        document=None if document == NONE else document if not part.strip("0") else f"{document}/part_{part:0>3}",
    )


def _starred(column: FieldColumn) -> FieldColumn:
    """The column with `(GPE*)` for `(GPE)`."""
    return replace(column, fields=[_ALONE.sub(r"(\1*)", field) for field in column.fields])


def write_conll2012(sentences: Iterable[RoleSentence], path: str | Path, *, notes: list[str] | None = None) -> None:
    r"""Write columns that `read_conll2012` gives back, compressed if the name ends in .gz or .zst.

    Senses, speakers and coreference are dashes. Ids, chunks and clauses cannot be shown, and parts of speech are also
    the tags of trees; `notes` receives a sentence about what was left out.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "one.conll"
    >>> write_conll2012([RoleSentence(("Yes",), pos=("UH",), document="d")], path)
    >>> print(path.read_text().rstrip())
    #begin document (d); part 000
    d 0 0 Yes UH * - - - - * -
    <BLANKLINE>
    #end document
    """
    missing = WritingNotes(("trees", "chunks", "clauses"), one_tag=True)
    before: str | None = None
    counts: Counter[str] = Counter()
    with create_bytes(path) as stream:
        for number, (document, name_there, sentence) in enumerate(named(sentences), 1):
            missing.take(sentence)
            if name_there != str(counts[document]):
                missing.add("ids other than numbers of sentences in their documents")
            counts[document] += 1
            found = _PART.fullmatch(document)
            name, part = (found[1], int(found[2])) if found else (document, 0)
            if document != before:
                end = "" if before is None else f"{_END}\n"
                stream.write(f"{end}{_BEGIN} ({name}); part {part:03d}\n".encode())
            before = document
            stream.write("\n".join([*_lines(sentence, name, str(part), number), "", ""]).encode())
        stream.write(b"" if before is None else f"{_END}\n".encode())
    if notes is not None:
        notes += missing.sentences("Columns of CoNLL-2012")


def _lines(sentence: RoleSentence, document: str, part: str, number: int) -> Iterator[str]:
    size = len(sentence.words)
    predicates = predicates_in(sentence, number)
    pos, parse = tags_and_parse(sentence)
    entities = brackets_of_stretches(stretches_of_tags(sentence.entities or ["O"] * size), size)
    columns = role_columns(predicates, size)
    for at, word in enumerate(sentence.words):
        own = predicates.get(at)
        fields = [document, part, str(at), word, pos[at], parse[at]]
        fields += [NONE, NONE] if own is None else [own.lemma, sense_of(own, number)]
        fields += [NONE, NONE, entities[at].replace("*)", ")") if "(" in entities[at] else entities[at]]
        yield joined([*fields, *(column[at] for column in columns), NONE], BLANKS, number)
