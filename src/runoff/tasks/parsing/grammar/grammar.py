"""A generative parser: a grammar estimated from a treebank, and its most probable trees."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.errors import DataError
from runoff.kernels import derivation_steps
from runoff.kernels.derivation_steps import HEADS, LABELS, TAGS, WORDS
from runoff.kernels.head_chart import Shape
from runoff.tasks.parsing.grammar.backoff import masks
from runoff.tasks.parsing.grammar.coarse_grammar import CoarseGrammar, coarse_grammar
from runoff.tasks.parsing.grammar.derivations import DerivationSteps
from runoff.tasks.parsing.grammar.lexicon import Lexicon
from runoff.tasks.parsing.grammar.nbest_search import NBestParses, search
from runoff.tasks.parsing.grammar.settings import Settings
from runoff.tasks.parsing.grammar.split_labels import split_tree
from runoff.tasks.parsing.grammar.step_probabilities import StepProbabilities, count_steps
from runoff.tasks.parsing.grammar.symbols import Symbols
from runoff.tasks.parsing.treebank_files import ROOT, tidy

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from runoff.arrays import Columns, Floats
    from runoff.kernels.derivation_steps import Steps
    from runoff.tasks.parsing.trees import Tree

VERSION = 2  # of what a grammar computes; another version may find other trees
_MOST_LABELS = 500  # tables grow with the cube of this number, up to about 1 GB


@dataclass(frozen=True, eq=False)
class Grammar:
    """A head-driven grammar with the probabilities of its derivation steps; see `train_grammar` and `load_grammar`.

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> grammar = train_grammar([parse_tree("(S (NP (PRP I)) (VP (VBP run)))")] * 5)
    >>> grammar.nbest(["I", "run"], k=2).trees[0]
    '(TOP (S (NP (PRP I)) (VP (VBP run))))'
    """

    settings: Settings
    symbols: Symbols
    lexicon: Lexicon
    probabilities: StepProbabilities
    coarse: tuple[CoarseGrammar, CoarseGrammar]
    class_of: Columns  # label -> class that its children are conditioned on
    tag_priors: Floats  # label, tag -> log P(tag of the head | label)
    provenance: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def steps(self) -> Steps:
        """Probabilities of steps as hash tables."""
        return self.probabilities.steps(masks(self.settings))

    @cached_property
    def shape(self) -> Shape:
        """What can be under what, for the chart."""
        fine = self.coarse[1]
        above: list[list[int]] = [[] for _ in range(self.symbols.n_labels)]
        for label, its_class in fine.unit_labels.tolist():
            if label < self.symbols.n_labels:
                above[label].append(its_class)
        widest = max(map(len, above))
        return Shape(
            fine.states,
            fine.units,
            self.class_of,
            np.array([row + [0] * (widest - len(row)) for row in above], np.int32),
            np.array([len(row) for row in above], np.int32),
            int(self.class_of.max()) + 1,
            self.symbols.labels[ROOT],
            self.settings.heights,
        )

    @cached_property
    def plain(self) -> Columns:
        """The first symbol with the same unsplit name, by symbol."""
        first: dict[tuple[bool, str], int] = {}
        numbers = [
            first.setdefault((at < self.symbols.n_labels, name), at) for at, name in enumerate(self.symbols.plain)
        ]
        return np.array(numbers, np.int32)

    def nbest(self, words: Sequence[str], k: int = 50) -> NBestParses:
        """The k most probable distinct trees over these words; a single flat tree if there is no parse.

        Where there is none at first, unknown words get more tags and the beam is changed (`is_backed_off`). About 0.1 s
        for a sentence of 25 words; sentences longer than `settings.longest` get a flat tree.
        """
        return search(self, words, k)

    def log_probability(self, tree: Tree) -> float:
        """Log-probability of a tree with its words; minus infinity if the grammar cannot derive it.

        A constituent can only have heads that were seen in such a constituent under such a parent. This is the
        probability of the derivation with the heads of Collins's rules; a tree of `nbest` can have a higher score, from
        a derivation with other heads.

        Examples
        --------
        >>> from runoff.tasks.parsing.brackets import parse_tree
        >>> grammar = train_grammar([parse_tree("(S (NP (PRP I)) (VP (VBP run)))")] * 5)
        >>> parsed = grammar.nbest(["I", "run"])
        >>> bool(np.isclose(grammar.log_probability(parse_tree(parsed.trees[0])), parsed.scores[0]))
        True
        """
        tidied = tidy(tree, Counter())
        if tidied is None:
            return -math.inf
        part = split_tree(tidied, self.settings.splits)
        if any(self.symbols.number(each) is None for each in part.walk()):
            return -math.inf
        rows = DerivationSteps(self.symbols, self.class_of.tolist(), self.lexicon)
        rows.add(part)
        fields, outcomes = rows.table(HEADS)
        words = [self.lexicon.probability(*word) for word in rows.words]
        if (
            self.shape.states[fields[:, derivation_steps.PARENT], fields[:, derivation_steps.ABOVE], outcomes] < 0
        ).any():
            return -math.inf
        total = float(sum(math.log(within) for _, within in words))
        for kind in (HEADS, LABELS, TAGS, WORDS):
            fields, outcomes = rows.table(kind)
            below = np.array([known for known, _ in words]) if kind == WORDS else np.zeros(outcomes.size)
            total += float(derivation_steps.log_probabilities(self.steps, kind, fields, outcomes, below).sum())
        return total

    def describe(self) -> dict[str, Any]:
        """Sizes, as plain values."""
        return {
            "labels": len(set(self.symbols.plain[1 : self.symbols.n_labels])),
            "labels_with_splits": self.symbols.n_labels - 1,
            "tags": len(set(self.symbols.plain[self.symbols.n_labels :])),
            "tags_with_splits": len(self.symbols) - self.symbols.n_labels,
            "frequent_words": sum(not name.startswith("like ") for name in self.lexicon.names) - 1,
            "rare_words": len(self.lexicon.rare_words),
            "contexts": int(self.probabilities.contexts.size),
            "steps": int(self.probabilities.outcomes.size),
        }

    def save(self, path: str | Path) -> None:
        """Write the grammar to a file; never leaves a partial file."""
        from runoff.tasks.parsing.grammar.file import save

        save(self, path)


def train_grammar(trees: Iterable[Tree], settings: Settings | None = None) -> Grammar:
    """Estimate a grammar from trees, without traces and function tags. About 1 ms per sentence.

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> train_grammar([parse_tree("(S (NP (PRP I)) (VP (VBP run)))")]).describe()["labels"]
    4
    """
    settings = settings or Settings()
    tidied = (tidy(tree, Counter()) for tree in trees)
    parts = [split_tree(tree, settings.splits) for tree in tidied if tree is not None]
    if not parts:
        raise DataError("there is no tree to train a grammar on.")
    symbols = Symbols.of(parts)
    if symbols.n_labels - 1 > _MOST_LABELS:
        raise DataError(
            f"the treebank has {symbols.n_labels - 1:,} labels; a grammar can have {_MOST_LABELS:,}. Function tags "
            "after - or = are removed; remove other additions to the category from the labels first."
        )
    sentences = [
        [(part.word, symbols.tags[part.label]) for part in root.walk() if part.word is not None] for root in parts
    ]
    lexicon = Lexicon.of(sentences, settings.rare, settings.unseen)
    class_of = label_classes(symbols, settings)
    rows = DerivationSteps(symbols, class_of.tolist(), lexicon)
    for part in parts:
        rows.add(part)
    heads, labels = rows.table(HEADS), rows.table(LABELS)
    sizes, root = (symbols.n_labels, len(symbols)), symbols.labels[ROOT]
    coarse = (
        coarse_grammar(heads, labels, np.zeros_like(class_of), sizes, root),
        coarse_grammar(heads, labels, class_of, sizes, root),
    )
    probabilities = count_steps(rows, masks(settings), settings.smoothing)
    provenance = {"sentences": len(parts), "words": sum(map(len, sentences))}
    return Grammar(settings, symbols, lexicon, probabilities, coarse, class_of, _tag_priors(rows, symbols), provenance)


def label_classes(symbols: Symbols, settings: Settings) -> Columns:
    """Class of each label that its children are conditioned on: the unsplit label, or nothing."""
    classes = {name: at for at, name in enumerate(dict.fromkeys(symbols.plain[: symbols.n_labels]))}
    found = np.array([classes[name] for name in symbols.plain[: symbols.n_labels]], np.int32)
    return found if settings.vertical > 1 else np.zeros_like(found)


def _tag_priors(rows: DerivationSteps, symbols: Symbols) -> Floats:
    fields, _ = rows.table(HEADS)
    counts = np.full((symbols.n_labels, len(symbols)), 1e-6)
    np.add.at(counts, (fields[:, derivation_steps.PARENT], fields[:, derivation_steps.TAG]), 1.0)
    found: Floats = np.log(counts / counts.sum(1, keepdims=True))
    return found
