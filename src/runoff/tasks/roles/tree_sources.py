"""Trees for sentences: the first ones of lists of parses, or the best after reranking; or those of a grammar."""

from __future__ import annotations

import math
import sys
from collections import Counter
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from runoff.errors import DataError, UsageError
from runoff.formats.streams import sample
from runoff.progress import progress
from runoff.tasks.parsing.brackets import Forest, parse_tree
from runoff.tasks.parsing.first_round import propose
from runoff.tasks.parsing.lists import read_lists
from runoff.tasks.parsing.parse_data import to_nbest
from runoff.tasks.parsing.parse_list import ParseList
from runoff.tasks.parsing.sentence_files import ESCAPES
from runoff.tasks.parsing.treebank_files import tidy
from runoff.tasks.roles.annotation import with_weighted
from runoff.tasks.roles.parse_column import tree_text
from runoff.tasks.roles.propositions import WeightedTree

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
    for trees in read_weighted_parses(path, 1, reranker=reranker, notes=notes):
        yield trees[0].tree


def read_weighted_parses(
    path: str | Path,
    best: int,
    *,
    reranker: str | Path | None = None,
    temperature: float = 1.0,
    notes: list[str] | None = None,
) -> Iterator[tuple[WeightedTree, ...]]:
    """The best trees of every list of parses in a file with their probabilities; otherwise as `read_parses`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.jsonl"
    >>> _ = path.write_text('{"id": "a", "nbest": [[-1, "(INTJ (UH oh))"], [-3, "(X (UH oh))"]]}')
    >>> [(round(each.probability, 2), str(each.tree)) for each in next(read_weighted_parses(path, 2, temperature=2))]
    [(0.73, '(TOP (INTJ (UH oh)))'), (0.27, '(TOP (X (UH oh)))')]
    """
    empty = 0
    for trees in weighted_trees(read_lists(path, notes=notes), best, reranker, temperature):
        if trees:
            yield trees
        else:
            empty += 1
    if empty and notes is not None:
        notes.append(f"Lists of parses without a tree: {empty:,}.")


def weighted_trees(
    lists: Iterable[ParseList], best: int = 1, reranker: str | Path | None = None, temperature: float = 1.0
) -> Iterator[tuple[WeightedTree, ...]]:
    """The best trees of every list, best first, by the first round's scores or by a reranker's.

    Probabilities are a softmax of these trees' scores, divided by the temperature. Lists are kept in memory only for a
    reranker.

    Examples
    --------
    >>> lists = [ParseList("a", None, [-2.0, -1.0], ["(X (UH oh))", "(INTJ (UH oh))"]), ParseList("b")]
    >>> [[str(each.tree) for each in trees] for trees in weighted_trees(lists)]
    [['(TOP (INTJ (UH oh)))'], []]
    """
    check_best(best, temperature)
    for candidates in _by_score(lists, best) if reranker is None else _reranked(lists, best, reranker):
        found = [(score, tree) for score, each in candidates if (tree := tidy(each, Counter())) is not None]
        highest = max((score for score, _ in found), default=0.0)
        # What is less than a float can hold would be a tree of probability 0.
        chances = [(math.exp((score - highest) / temperature) or sys.float_info.min, tree) for score, tree in found]
        total = sum(chance for chance, _ in chances)
        yield tuple(WeightedTree(chance / total, tree) for chance, tree in chances)


def check_best(best: int, temperature: float) -> None:
    """Refuse what is no number of trees or no temperature."""
    if best < 1:
        raise UsageError(f"the number of trees per sentence must be at least 1; found {best}.")
    if not 0 < temperature < math.inf:
        raise UsageError(f"the temperature of trees must be a finite number above 0; found {temperature}.")


def _by_score(lists: Iterable[ParseList], best: int) -> Iterator[list[tuple[float, Tree]]]:
    for parses in lists:
        order = sorted(range(len(parses.trees)), key=lambda at: -parses.scores[at])
        forest = Forest()
        yield [(parses.scores[at], parses.tree(at, forest)) for at in order[:best]]


def _reranked(lists: Iterable[ParseList], best: int, reranker: str | Path) -> Iterator[list[tuple[float, Tree]]]:
    from runoff.model import check_features, load

    model = load(reranker)
    # A choice looks at no gold tree.
    data = to_nbest(replace(parses, gold=None) for parses in lists)
    check_features(model, data)
    for choices in model.top(data, best):
        yield [
            (each.score, parse_tree(each.text, f"the choice of list {each.group!r}"))
            for each in choices
            if each.text is not None
        ]


def with_parses(
    sentences: Sequence[RoleSentence],
    grammar: Parser,
    *,
    reranker: str | Path | None = None,
    best: int = 1,
    temperature: float = 1.0,
    threads: int | None = None,
    verbose: bool = False,
    notes: list[str] | None = None,
) -> list[RoleSentence]:
    """The sentences with the best trees of a grammar, or those that a reranker chooses among its 50 best.

    With `best` above 1, sentences get that many trees with probabilities; see `weighted_trees`. Costs about 0.1 s per
    sentence of 25 words and core. Sentences for which there is no parse get a flat tree, and are counted in `notes`.

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
        closing(propose(grammar, asked, best if reranker is None else max(best, _DEPTH), threads=threads)) as proposed,
    ):

        def lists() -> Iterator[ParseList]:
            nonlocal flat
            for done, each in enumerate(proposed, 1):
                flat += each.is_flat
                yield each.parses
                step(done)

        found = [
            _over(trees, sentence) if trees else sentence
            for sentence, trees in zip(sentences, weighted_trees(lists(), best, reranker, temperature), strict=True)
        ]
    if flat and notes is not None:
        notes.append(f"Sentences for which the grammar has no parse, and which got flat trees: {flat:,}.")
    return found


def _over(trees: Sequence[WeightedTree], sentence: RoleSentence) -> RoleSentence:
    n_leaves = len(trees[0].tree.leaves())
    if n_leaves != len(sentence.words):
        raise DataError(f"the parser gave a tree of {n_leaves} words for a sentence of {len(sentence.words)}.")
    return with_weighted(sentence, trees)
