"""Sentences with roles as the columns that taggers read, and tags that do not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runoff.errors import UsageError, brief
from runoff.tasks.tagging.bracket_column import brackets_in
from runoff.tasks.tagging.corpus import WORD, Column, Corpus
from runoff.tasks.tagging.span_rules import span_tags

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.tasks.roles.propositions import RoleSentence

# Tags of a sentence, and the names that columns of taggers have for them.
COLUMNS = {"pos": ("pos", "xpos"), "chunks": ("chunk", "chunks"), "entities": ("ne", "entity", "entities")}
KINDS = (*COLUMNS, "clauses")
NAMES = {"pos": "parts of speech", "chunks": "base phrases", "entities": "named entities", "clauses": "clauses"}
_EXAMPLES = {"pos": "as NN", "chunks": "as B-NP, I-NP, O", "entities": "as B-PER, I-PER, O", "clauses": "as (S*, *S)"}


def corpus_of(sentences: Sequence[RoleSentence]) -> Corpus:
    """Words of sentences in columns, with the tags that all of them have; each under every name taggers have for it.

    Examples
    --------
    >>> from runoff.tasks.roles.propositions import RoleSentence
    >>> corpus_of([RoleSentence(("Oh", "no"), pos=("UH", "UH"))])
    Corpus(1 sentence, 2 tokens: word, pos, xpos)
    """
    columns = {WORD: Column.of(word for sentence in sentences for word in sentence.words)}
    for what, names in COLUMNS.items():
        tags = [getattr(sentence, what) if sentence.words else () for sentence in sentences]
        if all(each is not None for each in tags):
            columns |= dict.fromkeys(names, Column.of(tag for own in tags for tag in own))
    return Corpus.of(columns, [len(sentence.words) for sentence in sentences])


def check_needs(tool: Any, what: str, corpus: Corpus) -> None:
    """Say which tags of the sentences a tagger of Runoff misses."""
    needed = getattr(tool, "needs", None)
    if needed is None:
        features = getattr(tool, "features", None)
        needed = [] if features is None else features.templates.columns
    for name in needed:
        if name not in corpus.columns:
            kind = next((kind for kind, names in COLUMNS.items() if name in names), None)
            do = f"which not all sentences have; add them first (--{kind})" if kind else "which no sentence has"
            raise UsageError(f"the tagger of {NAMES[what]} looks at the column {name!r}, {do}.")


def check_kind(column: Column, what: str) -> None:
    """Refuse tags of another kind, such as parts of speech for base phrases."""
    values = [column.values[code] for code in sorted(set(column.codes.tolist()))]
    are_brackets = bool(values) and all("*" in each and brackets_in(each) is not None for each in values)
    are_spans = span_tags(values) is not None or set(values) == {"O"}
    fits = {"clauses": are_brackets, "pos": not are_brackets and not are_spans}.get(what, are_spans)
    if values and not fits:
        raise UsageError(
            f"expected {NAMES[what]} ({_EXAMPLES[what]}); this tagger gives {', '.join(map(brief, values[:4]))}."
        )
