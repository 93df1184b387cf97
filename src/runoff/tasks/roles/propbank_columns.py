"""Columns as PropBank is released: document, sentence, token, word, POS, parse, lemma, roleset, roles by predicate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.formats.streams import create_bytes
from runoff.nbest.records import collector_paused
from runoff.tasks.roles.parse_column import column_of_tree, tree_of_column, tree_over
from runoff.tasks.roles.proposition_columns import joined, predicates_in, propositions_of, role_columns
from runoff.tasks.roles.propositions import RoleSentence
from runoff.tasks.roles.reading_notes import ReadingNotes, WritingNotes
from runoff.tasks.roles.sentence_blocks import sentence_blocks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from runoff.tasks.roles.sentence_blocks import SentenceBlock

NONE = "-"
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
        found = [_sentence(block, said) for block in sentence_blocks(path)]
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


def check_numbers(block: SentenceBlock, place: int) -> None:
    """Refuse tokens that are not numbered one after the other, from 0 or from 1: a line or a blank line is missing."""
    column = block.column(place, "number of the token")
    first = 1 if column.fields[0] == "1" else 0
    for at, field in enumerate(column.fields, first):
        if field != str(at):
            raise column.error(at - first, f"the number {at}")


def known(fields: Iterable[str]) -> tuple[str, ...] | None:
    """A column, or None if it has nothing but dashes.

    Examples
    --------
    >>> known(["-", "-"]), known(["DT", "NN"])
    (None, ('DT', 'NN'))
    """
    found = tuple(fields)
    return None if all(field == NONE for field in found) else found


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
    left_out = WritingNotes(("chunks", "clauses", "entities"), one_tag=True)
    with create_bytes(path) as stream:
        for number, (document, name, sentence) in enumerate(named(sentences), 1):
            left_out.take(sentence)
            stream.write("\n".join([*_lines(sentence, document, name, number), "", ""]).encode())
    if notes is not None:
        notes += left_out.sentences("columns of PropBank")


def named(sentences: Iterable[RoleSentence]) -> Iterator[tuple[str, str, RoleSentence]]:
    """Sentences with their document and their name in it, which is a number for those without an id."""
    counts: dict[str | None, int] = {}
    for sentence in sentences:
        at = counts.get(sentence.document, 0)
        counts[sentence.document] = at + 1
        name = str(at) if sentence.id is None else sentence.id
        yield sentence.document or NONE, name.removeprefix(f"{sentence.document}#"), sentence


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
        yield joined(fields, "\t", number)


def tags_and_parse(sentence: RoleSentence) -> tuple[list[str], list[str]]:
    """Columns of parts of speech and of the parse; dashes and stars where there are none."""
    n = len(sentence.words)
    if sentence.tree is None:
        return list(sentence.pos or [NONE] * n), ["*"] * n
    tree = tree_over(sentence.tree, sentence.words)
    return list(sentence.pos or (leaf.label for leaf in tree.leaves())), column_of_tree(tree, n)
