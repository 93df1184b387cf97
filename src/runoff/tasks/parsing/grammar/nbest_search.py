"""Search for the most probable trees of a sentence, with bounded effort."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.errors import DataError, UsageError, brief
from runoff.kernels import head_chart
from runoff.kernels.head_chart import LEAF, WHOLE, Gates, Leaves, ParseTask
from runoff.kernels.lazy_kbest import SILENT, k_best
from runoff.tasks.parsing.grammar.flat_tree import flat_tree
from runoff.tasks.parsing.grammar.lexicon import ANY, OPEN, OWN
from runoff.tasks.parsing.grammar.pruning import prune
from runoff.tasks.parsing.treebank_files import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Columns
    from runoff.tasks.parsing.grammar.grammar import Grammar
    from runoff.tasks.parsing.grammar.pruning import Unpruned

_WORD = re.compile(r"[^\s()]+", re.ASCII)
_MOST = 100_000  # trees of one sentence
_EDGES_PER_NODE = 6
_LOOKED_AT = 4  # derivations per requested tree; few differ only in their heads


@dataclass(frozen=True, slots=True)
class NBestParses:
    """Trees of one sentence, best first, with their log-probabilities."""

    scores: list[float]
    trees: list[str]
    is_flat: bool = False  # no parse was found: one constituent over all words
    is_backed_off: bool = False  # a parse was found only with more tags for unknown words, or another beam


class _Effort(NamedTuple):
    """Search effort: factor of the threshold, and attempts with factor of the beam and maximum number of nodes."""

    threshold: float
    tries: tuple[tuple[float, int], ...]


# The first is enough for most sentences; others get more nodes, then a smaller search space; then, if the beam left
# nothing, a larger one again. Memory is bounded by the number of nodes, about 300 bytes each with their edges.
_EFFORTS = (
    _Effort(1.0, ((1.0, 1 << 16), (1.0, 1 << 19))),
    _Effort(10.0, ((0.7, 1 << 19),)),
    _Effort(0.1, ((1.5, 1 << 19),)),
)


_NARROW = (_Effort(100.0, ((0.4, 1 << 19),)), _Effort(1000.0, ((0.2, 1 << 19),)))
_WIDE = (_Effort(0.01, ((3.0, 1 << 19),)),)
# For sentences without a tree, with the tags that unknown words have: there were too many nodes; or their tags fit into
# no tree, as with words of symbols alone or masked words; or the trees are all improbable.
_BACK_OFF = ((OWN, _NARROW), (OPEN, (*_EFFORTS, *_NARROW)), (ANY, (*_EFFORTS, *_NARROW)), (OWN, _WIDE))


def search(grammar: Grammar, words: Sequence[str], k: int) -> NBestParses:
    """The k most probable trees; see `Grammar.nbest`."""
    _check(words, k)
    if len(words) <= grammar.settings.longest:
        leaves = grammar.lexicon.leaves(words)
        found = _tried(grammar, words, leaves, k, _EFFORTS)
        if found is not None:
            return found
        for tags, efforts in _BACK_OFF:
            more = grammar.lexicon.leaves(words, tags)
            is_new = tags == OWN or more.places.size > leaves.places.size
            found = _tried(grammar, words, more, k, efforts) if is_new else None
            if found is not None:
                return replace(found, is_backed_off=True)
    return NBestParses(*flat_tree(words, grammar.lexicon, grammar.symbols, _usual_top(grammar)), is_flat=True)


def _tried(
    grammar: Grammar, words: Sequence[str], leaves: Leaves, k: int, efforts: Sequence[_Effort]
) -> NBestParses | None:
    """Trees found with the first effort that finds some."""
    for threshold, tries in efforts:
        least = grammar.settings.threshold * threshold
        left = prune(leaves, len(words), *grammar.coarse, least, grammar.settings.heights)
        if left is None:
            continue
        for beam, room in tries:
            found = _trees(grammar, words, leaves, left, k, beam, room)
            if found is not None:
                return found
    return None


def _check(words: Sequence[str], k: int) -> None:
    if not isinstance(k, int) or not 1 <= k <= _MOST:
        raise UsageError(f"k must be a whole number from 1 to {_MOST:,}; found {k}.")
    if not words:
        raise DataError("the sentence has no words.")
    if isinstance(words, str):
        raise UsageError(f"words must be a list of words; found the text {brief(words)}.")
    for word in words:
        if not isinstance(word, str) or not _WORD.fullmatch(word):
            raise DataError(
                f"the word {brief(word)} cannot be in a tree: write brackets as -LRB- and -RRB-, and leave out blanks."
            )


def _trees(
    grammar: Grammar, words: Sequence[str], leaves: Leaves, left: Unpruned, k: int, beam: float, room: int
) -> NBestParses | None:
    """Trees found with this effort; None if there were too many nodes, or the beam left nothing."""
    shape = grammar.shape
    kept = left.whole[left.spans[leaves.places, leaves.places + 1], shape.units[leaves.tags, 0]] > -np.inf
    leaves = Leaves(*(column[kept] for column in leaves))
    prior = np.ascontiguousarray(grammar.tag_priors[:, leaves.tags] + np.log(leaves.known * leaves.within))
    beam *= grammar.settings.beam
    task = ParseTask(len(words), grammar.steps, leaves, Gates(*left, prior), shape, beam)
    is_all, nodes, best, edges, scores = head_chart.fill(task, room, room * _EDGES_PER_NODE)
    if not is_all or best[-1] == -np.inf:
        return None
    found, ends, tokens = k_best(k, _LOOKED_AT * k, best, edges, scores, _written(grammar, nodes, leaves))
    return NBestParses(found.tolist(), _texts(grammar, words, ends.tolist(), tokens.tolist()))


def _usual_top(grammar: Grammar) -> int:
    """The most frequent label directly below the root."""
    rules, root = grammar.coarse[0].rules, grammar.coarse[0].goal
    under = np.flatnonzero(rules.owners == root)
    labels = rules.symbols[rules.head_units[under]]
    is_label = labels < grammar.symbols.n_labels
    if not is_label.any():
        return grammar.symbols.labels[ROOT]
    return int(labels[is_label][np.argmax(rules.heads[under][is_label])])


def _written(grammar: Grammar, nodes: Columns, leaves: Leaves) -> Columns:
    """How nodes are written, without splits: as labels, as words with tags, or not at all."""
    kind, symbol = nodes[:, head_chart.KIND], grammar.plain[nodes[:, head_chart.NODE_LABEL]]
    shown = np.where(kind == WHOLE, symbol, SILENT).astype(np.int32)
    is_leaf = kind == LEAF
    places = leaves.places[nodes[is_leaf, head_chart.HEAD_LEAF]]
    shown[is_leaf] = -2 - (places * len(grammar.symbols) + symbol[is_leaf])
    shown[-1] = SILENT
    return shown


def _texts(grammar: Grammar, words: Sequence[str], ends: list[int], tokens: list[int]) -> list[str]:
    """Trees in brackets, from tokens as `_written` has them."""
    plain, pieces = grammar.symbols.plain, []
    for token in tokens:
        if token == -1:
            pieces.append(")")
        elif token >= 0:
            pieces.append(f" ({plain[token]}")
        else:
            place, tag = divmod(-2 - token, len(grammar.symbols))
            pieces.append(f" ({plain[tag]} {words[place]})")
    return ["".join(pieces[start:end])[1:] for start, end in pairwise(ends)]
