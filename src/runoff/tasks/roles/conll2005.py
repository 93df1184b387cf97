"""Columns of the CoNLL-2005 shared task: propositions alone, as srl-eval.pl reads them, or after words and syntax."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.errors import DataError, UsageError, brief
from runoff.formats.streams import create_bytes
from runoff.nbest.records import collector_paused
from runoff.tasks.roles.conll2005_layout import COLUMNS, layout_of
from runoff.tasks.roles.parse_column import tree_of_column
from runoff.tasks.roles.proposition_columns import joined, predicates_in, propositions_of, role_columns, unwritable
from runoff.tasks.roles.propositions import UNKNOWN_WORD, RoleSentence
from runoff.tasks.roles.reading_notes import ReadingNotes, WritingNotes, tags_differ
from runoff.tasks.roles.role_brackets import (
    brackets_of_stretches,
    flat_stretches_of,
    stretches_of,
    stretches_of_tags,
    tags_of_stretches,
)
from runoff.tasks.roles.sentence_blocks import sentence_blocks
from runoff.tasks.roles.sentence_columns import NONE, known, roleset_of, sense_of, tags_and_parse
from runoff.tasks.tagging.column_separator import BLANKS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from runoff.tasks.roles.conll2005_layout import RoleFileLayout
    from runoff.tasks.roles.propositions import Proposition
    from runoff.tasks.roles.sentence_blocks import SentenceBlock

_CLAUSE = "S"


def read_conll2005(
    path: str | Path,
    columns: str | Sequence[str] | None = None,
    *,
    words: str | Path | None = None,
    notes: list[str] | None = None,
) -> list[RoleSentence]:
    r"""Read sentences from columns of CoNLL-2005, plain, gzip or zstd.

    Parameters
    ----------
    path
        One token per line, fields between blanks or tabs, a blank line after each sentence. The last columns are the
        lemma of a predicate (`-` for other words) and one column of brackets for every predicate, from left to right;
        before them there may be words and syntax.
    columns
        Names of all columns: word, pos, chunk, clause, tag (of the parse), parse, ne, sense, lemma and, at last, props;
        `_` for one that is not read. Default: recognised by content.
    words
        A file with the words of the same sentences, where `path` has none; else its words are `_`.
    notes
        Receives a sentence about what is odd.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "props"
    >>> _ = path.write_text("-     (A0*)\nleave (V*)\n")
    >>> sentence, = read_conll2005(path)
    >>> sentence.words, sentence.propositions[0].tags(2)
    (('_', '_'), ['B-A0', 'B-V'])
    """
    said = ReadingNotes()
    with collector_paused():
        blocks = list(sentence_blocks(path))
        layout = layout_of(blocks, columns)
        given = None if words is None else _words_of(words, blocks, layout)
        found = [
            _sentence(block, layout, None if given is None else given[at], said) for at, block in enumerate(blocks)
        ]
    if notes is not None:
        notes += said.sentences()
    return found


def _words_of(path: str | Path, blocks: Sequence[SentenceBlock], layout: RoleFileLayout) -> list[tuple[str, ...]]:
    """The words of a second file, one sentence for every block."""
    from runoff.tasks.tagging.corpus import WORD
    from runoff.tasks.tagging.corpus_files import read_corpus

    if "word" in layout.places:
        raise UsageError(f"{blocks[0].path} has words of its own; leave out the file of words.")
    corpus = read_corpus(path)
    texts, ends = corpus[WORD].texts(), corpus.offsets.tolist()
    if len(corpus) != len(blocks):
        raise DataError(f"expected words of {len(blocks):,} sentences; found {len(corpus):,}.", path=path)
    for at, block in enumerate(blocks):
        if ends[at + 1] - ends[at] != len(block.rows):
            raise block.error(
                f"expected a sentence of {ends[at + 1] - ends[at]} tokens, as sentence {at + 1} of {path} has words; "
                f"found {len(block.rows)}."
            )
    return [tuple(texts[ends[at] : ends[at + 1]]) for at in range(len(blocks))]


def _sentence(
    block: SentenceBlock, layout: RoleFileLayout, words: tuple[str, ...] | None, said: ReadingNotes
) -> RoleSentence:
    size = len(block.rows)
    layout.check(block)
    columns = {name: block.column(place, name) for name, place in layout.places.items()}
    texts = words or (tuple(columns["word"].fields) if "word" in columns else (UNKNOWN_WORD,) * size)
    lemmas = columns["lemma"].fields
    senses = columns["sense"].fields if "sense" in columns else (NONE,) * size
    predicates = [
        (at, lemma, roleset_of(lemma, sense))
        for at, (lemma, sense) in enumerate(zip(lemmas, senses, strict=True))
        if lemma != NONE
    ]
    tags = columns.get("tag", columns.get("pos"))
    flat = {
        name: tags_of_stretches(flat_stretches_of(columns[name]), size) for name in ("chunk", "ne") if name in columns
    }
    return RoleSentence(
        texts,
        propositions_of(block, predicates, layout.places["lemma"] + 1, block.width, said.elsewhere),
        pos=known(columns["pos"].fields) if "pos" in columns else None,
        tree=tree_of_column(columns["parse"], texts, [NONE] * size if tags is None else tags.fields)
        if "parse" in columns
        else None,
        chunks=flat.get("chunk"),
        clauses=tuple((start, stop) for start, stop, _ in stretches_of(columns["clause"]))
        if "clause" in columns
        else None,
        entities=flat.get("ne"),
    )


def write_props(sentences: Iterable[RoleSentence], path: str | Path, *, notes: list[str] | None = None) -> None:
    r"""Write lemmas and brackets alone, as srl-eval.pl reads them, compressed if the name ends in .gz or .zst.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from runoff.tasks.roles.propositions import Argument, Proposition
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "props"
    >>> left = Proposition(1, "leave", (Argument(0, 1, "A0"), Argument(1, 2, "V")))
    >>> write_props([RoleSentence(("I", "left"), (left,))], path)
    >>> path.read_text()
    '- (A0*)\nleave (V*)\n\n'
    """
    missing = WritingNotes(("id", "document", "pos", "tree", "trees", "chunks", "clauses", "entities"))
    _write(sentences, path, (), missing)
    if notes is not None:
        notes += missing.sentences("Propositions by themselves")


def write_conll2005(sentences: Iterable[RoleSentence], path: str | Path, *, notes: list[str] | None = None) -> None:
    r"""Write words, syntax and propositions as columns of CoNLL-2005 that `read_conll2005` gives back.

    The columns are word, pos, chunk, clause, parse, ne, sense, lemma and props; there is one of tags before the parse
    if trees have other tags than the words. What is not known is a dash or a star.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "one.conll"
    >>> write_conll2005([RoleSentence(("I", "left"), pos=("PRP", "VBD"), chunks=("B-NP", "O"))], path)
    >>> path.read_text()
    'I PRP (NP*) * * * - -\nleft VBD * * * * - -\n\n'
    """
    kept = list(sentences)
    missing = WritingNotes(("id", "document", "trees"))
    with_tags = any(map(tags_differ, kept))
    _write(kept, path, [name for name in COLUMNS if with_tags or name != "tag"], missing)
    if notes is not None:
        notes += missing.sentences("Columns of CoNLL-2005")


def _write(sentences: Iterable[RoleSentence], path: str | Path, before: Sequence[str], missing: WritingNotes) -> None:
    with create_bytes(path) as stream:
        for number, sentence in enumerate(sentences, 1):
            missing.take(sentence)
            stream.write("\n".join([*_lines(sentence, before, number), "", ""]).encode())


def _lines(sentence: RoleSentence, before: Sequence[str], number: int) -> Iterator[str]:
    size = len(sentence.words)
    predicates = predicates_in(sentence, number)
    made = _columns(sentence, predicates, number) if before else {}
    lemmas = [NONE] * size
    for at, each in predicates.items():
        if each.lemma == NONE:
            raise unwritable(number, f"the lemma of a predicate must not be {brief(NONE)}.")
        lemmas[at] = each.lemma
    columns = [*(made[name] for name in before), lemmas, *role_columns(predicates, size, label=str)]
    for fields in zip(*columns, strict=True):
        yield joined(fields, BLANKS, number)


def _columns(sentence: RoleSentence, predicates: dict[int, Proposition], number: int) -> dict[str, list[str]]:
    """All columns before the lemma."""
    size = len(sentence.words)
    pos, parse = tags_and_parse(sentence)
    flat = {
        name: brackets_of_stretches(stretches_of_tags(tags or ["O"] * size), size)
        for name, tags in (("chunk", sentence.chunks), ("ne", sentence.entities))
    }
    senses = [NONE] * size
    for at, each in predicates.items():
        senses[at] = sense_of(each, number, NONE)
    clauses = [(start, stop, _CLAUSE) for start, stop in sentence.clauses or ()]
    return {
        **flat,
        "word": list(sentence.words),
        "pos": pos,
        "clause": brackets_of_stretches(sorted(clauses, key=lambda each: (each[0], -each[1])), size),
        "tag": pos if sentence.tree is None else [leaf.label for leaf in sentence.tree.leaves()],
        "parse": parse,
        "sense": senses,
    }
