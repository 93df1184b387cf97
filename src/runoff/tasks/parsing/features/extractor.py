"""Features of the candidates of a list: what families find at the nodes, counted per tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from runoff.kernels.tree_features import count_once, tally
from runoff.tasks.parsing.features.families import (
    CLOSED,
    OF_HEADS,
    OF_NODES,
    OF_RULES,
    OF_SPANS,
    OF_TWO_RULES,
    WITH_CLOSED,
)
from runoff.tasks.parsing.features.nodes import NodeViews, RuleTable, SentenceContext

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from runoff.arrays import Columns, Ints, Singles
    from runoff.tasks.parsing.features.nodes import NodeView, Rule
    from runoff.tasks.parsing.trees import Tree


@dataclass(frozen=True)
class FeatureCounts:
    """Features of some lists: sparse rows over `names`, and the number of lists with each name."""

    indptr: Ints
    indices: Columns
    values: Singles
    names: pa.Array
    seen: Columns


class Extractor:
    """Turns the trees of lists into sparse feature counts, list by list.

    Only features that distinguish candidates of the same list are stored: a linear model cannot use others. Features
    of a rule are cached for all lists; features of a node for all trees of its list, and if they only depend on the
    span or on the heads of the children, for all nodes that share these.

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import Forest
    >>> from runoff.tasks.parsing.features.constituent_table import constituents
    >>> forest, extractor = Forest(), Extractor(["rule"])
    >>> trees = [forest.tree("(S (NP (PRP I)) (VP (VBP run)))"), forest.tree("(S (NP (PRP I)) (VP (VB run)))")]
    >>> extractor.add(trees, *constituents(trees))
    >>> found = extractor.counts()
    >>> found.names.to_pylist()
    ['rule:S>NP VP!', 'rule:NP>PRP!', 'rule:VP>VBP!', 'rule:VP>VB!']
    >>> found.indices.tolist(), found.indptr.tolist()
    ([2, 3], [0, 1, 2])
    """

    def __init__(self, families: Sequence[str]) -> None:
        self._names = _Names()
        number = self._names.family
        self._of_rules = [(number(name), OF_RULES[name]) for name in families if name in OF_RULES]
        self._of_two = [(number(name), OF_TWO_RULES[name]) for name in families if name in OF_TWO_RULES]
        self._of_spans = [(number(name), OF_SPANS[name]) for name in families if name in OF_SPANS]
        self._of_heads = [(number(name), OF_HEADS[name]) for name in families if name in OF_HEADS]
        self._of_nodes = [(number(name), OF_NODES[name]) for name in families if name in OF_NODES]
        closed = [name for name in families if CLOSED in families and name in WITH_CLOSED]
        self._closed_rules = [(number(f"{name}+"), OF_RULES[name]) for name in closed if name in OF_RULES]
        self._closed_two = [(number(f"{name}+"), OF_TWO_RULES[name]) for name in closed if name in OF_TWO_RULES]
        self._rules = RuleTable()
        self._rule_ids: dict[Rule, list[int]] = {}
        self._closed_ids: dict[Rule, list[int]] = {}
        self._two_ids: dict[tuple[Rule, Rule], list[int]] = {}
        self._closed_two_ids: dict[tuple[Rule, Rule], list[int]] = {}
        self._places = np.full(1 << 16, -1, np.int32)
        self._last = np.full(1 << 16, -1, np.int32)
        self._seen = np.zeros(1 << 16, np.int32)
        self._parts: list[tuple[Ints, Columns, Singles]] = []

    def add(self, trees: Sequence[Tree], nodes: Sequence[Tree], has: NDArray[np.uint8], first: int = 0) -> None:
        """Add the candidates of one list: trees of one forest, the result of `constituents`, the first choice."""
        if not trees:
            self._parts.append((np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, np.float32)))
            return
        views = NodeViews(self._rules)
        leaves = trees[first].leaves()
        sentence = SentenceContext([leaf.word or "" for leaf in leaves], [leaf.label for leaf in leaves])
        ids: list[int] = []
        ends = np.zeros(len(nodes) + 1, np.int64)
        of_spans: dict[tuple[str, int, int], list[int]] = {}
        of_heads: dict[tuple[object, ...], list[int]] = {}
        for at, tree in enumerate(nodes):
            node = views.of(tree)
            self._collect(node, ids)
            span = (node.label, node.start, node.end)
            known = of_spans.get(span)
            if known is None:
                known = of_spans[span] = _numbers(self._of_spans, node, sentence)
            ids += known
            heads = (node.rule, *[child.leaf for child in node.children])
            known = of_heads.get(heads)
            if known is None:
                known = of_heads[heads] = _numbers(self._of_heads, node, sentence)
            ids += known
            ids += _numbers(self._of_nodes, node, sentence)
            ends[at + 1] = len(ids)
        self._make_room()
        found = np.array(ids, np.int32)
        self._parts.append(tally(has, ends, found, self._places))
        count_once(found, len(self._parts), self._last, self._seen)

    def _collect(self, node: NodeView, ids: list[int]) -> None:
        """Collect the features of a node's rule and of its children's rules."""
        rule, closed = node.rule, node.closed
        if rule is None:
            return
        known = self._rule_ids.get(rule)
        if known is None:
            known = self._rule_ids[rule] = [
                each for names, family in self._of_rules for each in names.numbers(family(rule))
            ]
        ids += known
        if closed is not None:
            known = self._closed_ids.get(closed)
            if known is None:
                known = self._closed_ids[closed] = [
                    each for names, family in self._closed_rules for each in names.numbers(family(closed))
                ]
            ids += known
        for child in node.children:
            below = child.rule
            if below is None:
                continue
            known = self._two_ids.get((rule, below))
            if known is None:
                known = self._two_ids[rule, below] = [
                    each for names, family in self._of_two for each in names.numbers(family(rule, below))
                ]
            ids += known
            if closed is not None or child.closed is not None:
                pair = (closed or rule, child.closed or below)
                known = self._closed_two_ids.get(pair)
                if known is None:
                    known = self._closed_two_ids[pair] = [
                        each for names, family in self._closed_two for each in names.numbers(family(*pair))
                    ]
                ids += known

    def _make_room(self) -> None:
        while self._places.size < self._names.count:
            more = self._places.size
            self._places = np.concatenate([self._places, np.full(more, -1, np.int32)])
            self._last = np.concatenate([self._last, np.full(more, -1, np.int32)])
            self._seen = np.concatenate([self._seen, np.zeros(more, np.int32)])

    def counts(self) -> FeatureCounts:
        """Everything added so far."""
        starts = np.cumsum([0, *(part[0][-1] for part in self._parts)])
        indptr = np.concatenate(
            [np.zeros(1, np.int64), *(p[0][1:] + s for p, s in zip(self._parts, starts, strict=False))]
        )
        return FeatureCounts(
            indptr,
            np.concatenate([np.empty(0, np.int32), *(part[1] for part in self._parts)]),
            np.concatenate([np.empty(0, np.float32), *(part[2] for part in self._parts)]),
            self._names.all(),
            self._seen[: self._names.count],
        )


def _numbers(
    families: list[tuple[_Family, Callable[[NodeView, SentenceContext], list[str]]]],
    node: NodeView,
    sentence: SentenceContext,
) -> list[int]:
    found: list[int] = []
    for names, of_node in families:
        found.extend(map(names.__getitem__, of_node(node, sentence)))
    return found


class _Family(dict[str, int]):
    """Feature numbers of one family; a new name gets the next free number."""

    def __init__(self, prefix: str, names: _Names) -> None:
        super().__init__()
        self.prefix, self._names = prefix, names

    def __missing__(self, text: str) -> int:
        number = self[text] = self._names.count
        self._names.count += 1
        return number

    def numbers(self, texts: list[str]) -> list[int]:
        return list(map(self.__getitem__, texts))


class _Names:
    """Names of all families with a common numbering."""

    def __init__(self) -> None:
        self.count = 0
        self._families: list[_Family] = []

    def family(self, prefix: str) -> _Family:
        family = _Family(prefix, self)
        self._families.append(family)
        return family

    def all(self) -> pa.Array:
        out = [""] * self.count
        for family in self._families:
            for text, number in family.items():
                out[number] = f"{family.prefix}:{text}"
        return pa.array(out, pa.large_string())
