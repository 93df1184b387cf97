"""A generative parser: a grammar read off a treebank, and the trees that it finds most probable."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from runoff.errors import DataError, UsageError, brief
from runoff.kernels import head_chart
from runoff.kernels.head_chart import HEADS, LABELS, LEAF, TAGS, WHOLE, WORDS, Gates, Leaves, Shape, Task
from runoff.kernels.lazy_kbest import SILENT, k_best
from runoff.parsing.grammar.coarse import Coarse, coarse
from runoff.parsing.grammar.contexts import masks
from runoff.parsing.grammar.counting import Counted, count_steps
from runoff.parsing.grammar.flat import flat_tree
from runoff.parsing.grammar.lexicon import Lexicon
from runoff.parsing.grammar.pruning import prune
from runoff.parsing.grammar.settings import Settings
from runoff.parsing.grammar.splitting import split_tree
from runoff.parsing.grammar.steps import StepRows
from runoff.parsing.grammar.symbols import Symbols
from runoff.parsing.treebank_files import ROOT, tidy

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from runoff.arrays import Columns, Floats
    from runoff.kernels.head_chart import Steps
    from runoff.parsing.trees import Tree

VERSION = 1  # of what a grammar computes: a higher one may find other trees
_WORD = re.compile(r"[^\s()]+", re.ASCII)
_EDGES_PER_NODE = 6
_MOST = 100_000  # trees of one sentence
_LOOKED_AT = 4  # derivations for every tree that is wanted; few are alike but for their heads


class Effort(NamedTuple):
    """How much of the chart is looked at, beside the settings: factors, and how many nodes there may be."""

    threshold: float
    beam: float
    nodes: int


# Most sentences fit into the first; the others are given more room, then less to look at, then, should the beam have
# left nothing, more again. Memory is bounded by the nodes, of about 100 bytes each with their edges.
_EFFORTS = (Effort(1.0, 1.0, 1 << 16), Effort(1.0, 1.0, 1 << 19), Effort(10.0, 0.7, 1 << 19), Effort(0.1, 1.5, 1 << 19))


@dataclass(frozen=True, slots=True)
class Parsed:
    """Trees of one sentence, best first, with their log-probabilities."""

    scores: list[float]
    trees: list[str]
    is_flat: bool = False  # no tree was found: all words hang from one node


@dataclass(frozen=True, eq=False)
class Grammar:
    """A head-driven grammar with the probabilities of its steps; made by `train_grammar` or `load_grammar`.

    Examples
    --------
    >>> from runoff.parsing.brackets import parse_tree
    >>> grammar = train_grammar([parse_tree("(S (NP (PRP I)) (VP (VBP run)))")] * 5)
    >>> grammar.nbest(["I", "run"], k=2).trees[0]
    '(TOP (S (NP (PRP I)) (VP (VBP run))))'
    """

    settings: Settings
    symbols: Symbols
    lexicon: Lexicon
    counted: Counted
    rough: tuple[Coarse, Coarse]
    class_of: Columns  # label -> class that its children see above them
    tag_priors: Floats  # label, tag -> log P(tag of the head | label)
    made: dict[str, Any] = field(default_factory=dict)
    steps: Steps = field(init=False, repr=False)
    shape: Shape = field(init=False, repr=False)
    _plain: Columns = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", self.counted.steps(masks(self.settings)))
        fine = self.rough[1]
        above: list[list[int]] = [[] for _ in range(self.symbols.n_labels)]
        for label, its_class in fine.unit_labels.tolist():
            if label < self.symbols.n_labels:
                above[label].append(its_class)
        widest = max(map(len, above))
        shape = Shape(
            fine.states,
            fine.units,
            self.class_of,
            np.array([row + [0] * (widest - len(row)) for row in above], np.int32),
            np.array([len(row) for row in above], np.int32),
            int(self.class_of.max()) + 1,
            self.symbols.labels[ROOT],
            self.settings.heights,
        )
        object.__setattr__(self, "shape", shape)
        first: dict[tuple[bool, str], int] = {}
        numbers = [
            first.setdefault((at < self.symbols.n_labels, name), at) for at, name in enumerate(self.symbols.plain)
        ]
        object.__setattr__(self, "_plain", np.array(numbers, np.int32))

    def nbest(self, words: Sequence[str], k: int = 50) -> Parsed:
        """The k most probable trees over these words, all different; flat, and only one, if there is none.

        About 0.1 s for a sentence of 25 words; sentences longer than `settings.longest` are not looked at.
        """
        if not isinstance(k, int) or not 1 <= k <= _MOST:
            raise UsageError(f"k must be at least 1, and a whole number of {_MOST:,} at most; found {k}.")
        if not words:
            raise DataError("a sentence without words has no tree.")
        if isinstance(words, str):
            raise UsageError(f"words must be a list of words; found the text {brief(words)}.")
        for word in words:
            if not isinstance(word, str) or not _WORD.fullmatch(word):
                raise DataError(
                    f"the word {brief(word)} cannot stand in a tree: brackets are written -LRB- and -RRB-, "
                    "and a word has no blanks in it."
                )
        if len(words) <= self.settings.longest:
            leaves = self.lexicon.leaves(words)
            for effort in _EFFORTS:
                found = self._search(words, leaves, k, effort)
                if found is not None:
                    return found
        return Parsed(*flat_tree(words, self.lexicon, self.symbols, self._usual_top()), is_flat=True)

    def log_probability(self, tree: Tree) -> float:
        """Logarithm of the probability of a tree with its words; minus infinity if it cannot be.

        A constituent can only have heads that were seen in such a constituent under such a parent. The probability is
        that of its derivation with the heads of Collins's rules. A tree of `nbest` can have a higher
        score, by a derivation with another head.

        Examples
        --------
        >>> from runoff.parsing.brackets import parse_tree
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
        rows = StepRows(self.symbols, self.class_of.tolist(), self.lexicon)
        rows.add(part)
        fields, outcomes = rows.table(HEADS)
        words = [self.lexicon.probability(*word) for word in rows.words]
        if (self.shape.states[fields[:, head_chart.PARENT], fields[:, head_chart.ABOVE], outcomes] < 0).any():
            return -math.inf
        total = float(sum(math.log(within) for _, within in words))
        for kind in (HEADS, LABELS, TAGS, WORDS):
            fields, outcomes = rows.table(kind)
            below = np.array([known for known, _ in words]) if kind == WORDS else np.zeros(outcomes.size)
            total += float(head_chart.log_probabilities(self.steps, kind, fields, outcomes, below).sum())
        return total

    def describe(self) -> dict[str, Any]:
        """What there is, as plain values."""
        return {
            "labels": self.symbols.n_labels - 1,
            "tags": len(self.symbols) - self.symbols.n_labels,
            "frequent_words": sum(not name.startswith("like ") for name in self.lexicon.names) - 1,
            "rare_words": len(self.lexicon.rare_words),
            "contexts": int(self.counted.contexts.size),
            "steps": int(self.counted.outcomes.size),
        }

    def save(self, path: str | Path) -> None:
        """Write the grammar to a file, which is either whole or not there."""
        from runoff.parsing.grammar.file import save

        save(self, path)

    def _search(self, words: Sequence[str], leaves: Leaves, k: int, effort: Effort) -> Parsed | None:
        settings = self.settings
        left = prune(leaves, len(words), *self.rough, settings.threshold * effort.threshold, settings.heights)
        if left is None:
            return None
        kept = left.whole[left.spans[leaves.places, leaves.places + 1], self.shape.units[leaves.tags, 0]] > -np.inf
        leaves = Leaves(*(column[kept] for column in leaves))
        prior = self.tag_priors[:, leaves.tags] + np.log(leaves.known * leaves.within)
        task = Task(len(words), self.steps, leaves, Gates(*left, prior), self.shape, settings.beam * effort.beam)
        is_all, nodes, best, edges, scores = head_chart.fill(task, effort.nodes, effort.nodes * _EDGES_PER_NODE)
        if not is_all or best[-1] == -np.inf:
            return None
        found, ends, tokens = k_best(k, _LOOKED_AT * k, best, edges, scores, self._written(nodes, leaves))
        return Parsed(found.tolist(), self._texts(words, ends.tolist(), tokens.tolist()))

    def _usual_top(self) -> int:
        """The label that is most often right below the root."""
        rules, root = self.rough[0].rules, self.rough[0].goal
        under = np.flatnonzero(rules.owners == root)
        labels = rules.symbols[rules.head_units[under]]
        is_label = labels < self.symbols.n_labels
        if not is_label.any():
            return self.symbols.labels[ROOT]
        return int(labels[is_label][np.argmax(rules.heads[under][is_label])])

    def _written(self, nodes: Columns, leaves: Leaves) -> Columns:
        """How nodes are written, without splits: labels, words with tags, or not at all."""
        kind, symbol = nodes[:, head_chart.KIND], nodes[:, head_chart.NODE_LABEL]
        shown = np.where(kind == WHOLE, self._plain[symbol], SILENT).astype(np.int32)
        leaf = kind == LEAF
        shown[leaf] = -2 - (
            leaves.places[nodes[leaf, head_chart.HEAD_LEAF]] * len(self.symbols) + self._plain[symbol[leaf]]
        )
        shown[-1] = SILENT
        return shown

    def _texts(self, words: Sequence[str], ends: list[int], tokens: list[int]) -> list[str]:
        pieces = []
        for token in tokens:
            if token == -1:
                pieces.append(")")
            elif token >= 0:
                pieces.append(f" ({self.symbols.plain[token]}")
            else:
                place, tag = divmod(-2 - token, len(self.symbols))
                pieces.append(f" ({self.symbols.plain[tag]} {words[place]})")
        return ["".join(pieces[start:end])[1:] for start, end in pairwise(ends)]


def train_grammar(trees: Iterable[Tree], settings: Settings | None = None) -> Grammar:
    """Read a grammar off trees; traces and function tags are removed first. About 1 ms a sentence.

    Examples
    --------
    >>> from runoff.parsing.brackets import parse_tree
    >>> train_grammar([parse_tree("(S (NP (PRP I)) (VP (VBP run)))")]).describe()["labels"]
    4
    """
    settings = settings or Settings()
    tidied = (tidy(tree, Counter()) for tree in trees)
    parts = [split_tree(tree, settings.splits) for tree in tidied if tree is not None]
    if not parts:
        raise DataError("there is no tree to learn a grammar from.")
    symbols = Symbols.of(parts)
    sentences = [
        [(part.word, symbols.tags[part.label]) for part in root.walk() if part.word is not None] for root in parts
    ]
    lexicon = Lexicon.of(sentences, settings.rare, settings.unseen)
    class_of = _classes(symbols, settings)
    rows = StepRows(symbols, class_of.tolist(), lexicon)
    for part in parts:
        rows.add(part)
    heads, labels = rows.table(HEADS), rows.table(LABELS)
    sizes, root = (symbols.n_labels, len(symbols)), symbols.labels[ROOT]
    rough = (coarse(heads, labels, np.zeros_like(class_of), sizes, root), coarse(heads, labels, class_of, sizes, root))
    counted = count_steps(rows, masks(settings), settings.smoothing)
    made = {"sentences": len(parts), "words": sum(map(len, sentences))}
    return Grammar(settings, symbols, lexicon, counted, rough, class_of, _tag_priors(rows, symbols), made)


def _classes(symbols: Symbols, settings: Settings) -> Columns:
    """What children see above them: the label without splits, or nothing at all."""
    classes = {name: at for at, name in enumerate(dict.fromkeys(symbols.plain[: symbols.n_labels]))}
    found = np.array([classes[name] for name in symbols.plain[: symbols.n_labels]], np.int32)
    return found if settings.vertical > 1 else np.zeros_like(found)


def _tag_priors(rows: StepRows, symbols: Symbols) -> Floats:
    fields, _ = rows.table(HEADS)
    counts = np.full((symbols.n_labels, len(symbols)), 1e-6)
    np.add.at(counts, (fields[:, head_chart.PARENT], fields[:, head_chart.TAG]), 1.0)
    found: Floats = np.log(counts / counts.sum(1, keepdims=True))
    return found
