"""Trees for sentences: the first, or the reranked, ones of lists of parses; or those of a grammar."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from runoff.errors import DataError
from runoff.formats.streams import sample
from runoff.progress import progress
from runoff.tasks.parsing.brackets import Forest, parse_tree
from runoff.tasks.parsing.first_round import propose
from runoff.tasks.parsing.lists import read_lists
from runoff.tasks.parsing.parse_data import to_nbest
from runoff.tasks.parsing.parse_list import ParseList
from runoff.tasks.parsing.sentence_files import ESCAPES
from runoff.tasks.parsing.treebank_files import tidy
from runoff.tasks.roles.annotation import over
from runoff.tasks.roles.parse_column import tree_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from runoff.tasks.parsing.first_round import Parser
    from runoff.tasks.parsing.trees import Tree
    from runoff.tasks.roles.propositions import RoleSentence

_ESCAPED = str.maketrans(ESCAPES)
_DEPTH = 50  # candidates of a grammar, for a reranker


def is_model(path: str | Path) -> bool:
    """Whether a file is an archive such as grammars are, by its first bytes; else it may be trees.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.mrg"
    >>> _ = path.write_text("(INTJ (UH oh))")
    >>> is_model(path)
    False
    """
    return sample(path).head.startswith(b"PK\x03\x04")


def read_parses(
    path: str | Path, *, reranker: str | Path | None = None, notes: list[str] | None = None
) -> Iterator[Tree]:
    """The tree of every list of parses in a file: the first round's choice, or that of a reranker.

    Parameters
    ----------
    path
        Lists of parses in any format, or trees in brackets; see `runoff.tasks.parsing.read_lists`. Traces and function
        tags are removed.
    reranker
        A model of the second round, from `runoff train`.
    notes
        Receives what the reader left out, and how many lists are empty.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.mrg"
    >>> _ = path.write_text("( (S (NP-SBJ (PRP I)) (VP (VBD left) (NP (-NONE- *T*)))))")
    >>> [str(tree) for tree in read_parses(path)]
    ['(TOP (S (NP (PRP I)) (VP (VBD left))))']
    """
    empty = 0
    for tree in chosen_trees(read_lists(path, notes=notes), reranker):
        if tree is None:
            empty += 1
        else:
            yield tree
    if empty and notes is not None:
        notes.append(f"Lists of parses without a tree: {empty:,}.")


def chosen_trees(lists: Iterable[ParseList], reranker: str | Path | None = None) -> Iterator[Tree | None]:
    """One tree of every list, None for an empty one; lists are kept in memory only for a reranker.

    Examples
    --------
    >>> lists = [ParseList("a", None, [-2.0, -1.0], ["(X (UH oh))", "(INTJ (UH oh))"]), ParseList("b")]
    >>> [str(tree) for tree in chosen_trees(lists)]
    ['(TOP (INTJ (UH oh)))', 'None']
    """
    if reranker is not None:
        yield from _reranked(lists, reranker)
        return
    for parses in lists:
        if not parses.trees:
            yield None
            continue
        best = max(range(len(parses.trees)), key=parses.scores.__getitem__)
        yield tidy(parses.tree(best, Forest()), Counter())


def _reranked(lists: Iterable[ParseList], reranker: str | Path) -> Iterator[Tree | None]:
    from runoff.model import check_features, load

    model = load(reranker)
    # A choice looks at no gold tree.
    data = to_nbest(replace(parses, gold=None) for parses in lists)
    check_features(model, data)
    for choice in model.pick(data):
        text = choice.text
        yield None if text is None else tidy(parse_tree(text, f"the choice of list {choice.group!r}"), Counter())


def with_parses(
    sentences: Sequence[RoleSentence],
    grammar: Parser,
    *,
    reranker: str | Path | None = None,
    threads: int | None = None,
    verbose: bool = False,
    notes: list[str] | None = None,
) -> list[RoleSentence]:
    """The sentences with the best trees of a grammar, or those that a reranker chooses among its 50 best.

    Costs about 0.1 s per sentence of 25 words and core. Sentences for which there is no parse get a flat tree, and are
    counted in `notes`.

    Examples
    --------
    >>> from runoff.tasks.parsing.grammar import train_grammar
    >>> from runoff.tasks.roles.propositions import RoleSentence
    >>> grammar = train_grammar([parse_tree("(S (NP (PRP I)) (VP (VBP run)))")] * 5)
    >>> str(with_parses([RoleSentence(("I", "run"))], grammar)[0].tree)
    '(TOP (S (NP (PRP I)) (VP (VBP run))))'
    """
    asked = [
        ParseList(str(at), tokens=[tree_text(word).translate(_ESCAPED) for word in sentence.words])
        for at, sentence in enumerate(sentences)
    ]
    flat = 0
    with (
        progress("parsing", len(asked), verbose=verbose) as step,
        closing(propose(grammar, asked, 1 if reranker is None else _DEPTH, threads=threads)) as proposed,
    ):

        def lists() -> Iterator[ParseList]:
            nonlocal flat
            for done, each in enumerate(proposed, 1):
                flat += each.is_flat
                yield each.parses
                step(done)

        found = [
            sentence if tree is None else replace(sentence, tree=_over(tree, sentence))
            for sentence, tree in zip(sentences, chosen_trees(lists(), reranker), strict=True)
        ]
    if flat and notes is not None:
        notes.append(f"Sentences for which the grammar has no parse, and which got flat trees: {flat:,}.")
    return found


def _over(tree: Tree, sentence: RoleSentence) -> Tree:
    n_leaves = len(tree.leaves())
    if n_leaves != len(sentence.words):
        raise DataError(f"the parser gave a tree of {n_leaves} words for a sentence of {len(sentence.words)}.")
    return over(tree, sentence.words)
