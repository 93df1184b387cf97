"""Constituents as parts of trees, for combinations."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from runoff.combine.parts import Part, PartReader
from runoff.tasks.parsing.gold_standard import category
from runoff.tasks.parsing.joined_tree import tree_of_parts
from runoff.tasks.parsing.metric import DELETED_LABELS, Parseval
from runoff.tasks.parsing.tree_sketch import NOBODY, tree_sketch
from runoff.tasks.parsing.word_edges import WordEdges

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from runoff.metrics import Metric
    from runoff.tasks.parsing.tree_sketch import TreeSketch

_EDGE = "-"  # beyond the first and the last word, and above the root
_MOST_CHILDREN = 5


class ConstituentParts(PartReader):
    """Constituents of a sentence: they lie inside each other or apart.

    A part is right exactly if PARSEVAL (`parseval`) counts its bracket as matched, where the tags of most candidates
    say of the same words as the gold tree's that they are punctuation: positions are those of all words, and a part
    reaches from its first to its last word that is no punctuation.

    Examples
    --------
    >>> reader = ConstituentParts()
    >>> one, two = "(S1 (S (NP (NN I)) (. .)))", "(S1 (S (NP (PRP I))) (. .))"
    >>> reader.split([one, two])[1]
    [Part(start=0, stop=1, label='S'), Part(start=0, stop=1, label='NP')]
    >>> reader.join([Part(0, 1, "S")], [one, two])
    '(S1 (S (NN I) (. .)))'
    """

    unit: ClassVar[str] = "constituents"
    shape: ClassVar = "nested"

    def split(self, texts: Sequence[str]) -> list[list[Part]]:
        """Constituents that count; none for trees over more or fewer words than most of the list."""
        sketches = [tree_sketch(text) for text in texts]
        edges = WordEdges.of(sketches)
        return [[part for part in edges.parts(sketch) if part is not None] for sketch in sketches]

    def join(self, parts: Sequence[Part], texts: Sequence[str]) -> str:
        """A tree of these constituents over the words and tags of the first text; see `tree_of_parts`."""
        return tree_of_parts(parts, texts)

    def right(self, parts: Sequence[Part], texts: Sequence[str], references: Sequence[str]) -> list[bool]:
        """Which parts match a constituent of the gold tree over the words that its own tags call no punctuation."""
        gold = tree_sketch(references[0])
        if len(gold.tags) != WordEdges.of([tree_sketch(text) for text in texts]).length:
            return [False] * len(parts)
        edges = WordEdges([tag in DELETED_LABELS for tag in gold.tags])
        matched = {part for part in edges.parts(gold) if part is not None}
        return [edges.narrowed(part) in matched for part in parts]

    def is_f1(self, metric: Metric) -> bool:
        """PARSEVAL's F of all sentences."""
        return type(metric) is Parseval and metric.part == "f" and metric.k is None

    def outline(self, parts: Sequence[Part], text: str) -> str | None:  # noqa: ARG002 - as every reader's
        """Nothing: trees have too many constituents."""
        return None

    def clues(
        self,
        parts: Sequence[Part],
        texts: Sequence[str],
        given: str | None,  # noqa: ARG002 - the words are those of the trees
        attributes: Mapping[str, str],  # noqa: ARG002
    ) -> list[list[str]]:
        """Label with parent, children and the tags inside and around, as the first candidate has them that has it."""
        sketches = [tree_sketch(text) for text in texts]
        edges = WordEdges.of(sketches)
        waiting = set(parts)
        found: dict[Part, list[str]] = {}
        for sketch in sketches:
            if not waiting:
                break
            children: list[list[str]] | None = None
            for number, part in enumerate(edges.parts(sketch)):
                if part in waiting:
                    children = _children(sketch) if children is None else children
                    waiting.remove(part)
                    found[part] = _clues(part, sketch, number, children[number])
        return [found.get(part, []) for part in parts]


def _children(sketch: TreeSketch) -> list[list[str]]:
    """Labels of the children of every constituent, from left to right."""
    places: list[list[tuple[int, str]]] = [[] for _ in sketch.labels]
    for number, parent in enumerate(sketch.parents):
        if parent != NOBODY:
            places[parent].append((sketch.starts[number], category(sketch.labels[number]) or _EDGE))
    for at, parent in enumerate(sketch.over):
        if parent != NOBODY:
            places[parent].append((at, sketch.tags[at]))
    return [[label for _, label in sorted(own, key=lambda each: each[0])] for own in places]


def _clues(part: Part, sketch: TreeSketch, number: int, children: Sequence[str]) -> list[str]:
    start, stop, label = part
    tags = sketch.tags
    above = sketch.parents[number]
    parent = _EDGE if above == NOBODY else category(sketch.labels[above]) or _EDGE
    before = tags[start - 1] if start else _EDGE
    after = tags[stop] if stop < len(tags) else _EDGE
    rule = " ".join(children) if len(children) <= _MOST_CHILDREN else f"{len(children)} from {children[0]}"
    return [
        f"{label} under {parent}",
        f"{label} > {rule}",
        f"{label} under {parent} of {min(len(children), _MOST_CHILDREN)}",
        f"{label} first {tags[start]} after {before}",
        f"{label} last {tags[stop - 1]} before {after}",
        f"{label} first word {sketch.words[start].lower()}",
        f"{label} next word {sketch.words[stop].lower() if stop < len(tags) else _EDGE}",
    ]
