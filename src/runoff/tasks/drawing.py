"""What a viewer draws of a candidate: a tree, labelled spans of words, or words linked to those of a source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence


class Drawing(Protocol):
    """A candidate taken apart; the page knows how to draw every `kind`.

    Examples
    --------
    >>> found: Drawing = SpanDrawing(("dogs", "run"), ((0, 1, "NP"),))
    >>> found.to_dict()["kind"]
    'spans'
    """

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""


class TreeNode(NamedTuple):
    """A node over words `start` to `stop`; `parent` is the place of its parent among the nodes, -1 for the root."""

    label: str
    start: int
    stop: int
    parent: int
    word: str | None  # of a leaf


@dataclass(frozen=True)
class TreeDrawing:
    """A tree: nodes, parents before children and from left to right.

    Examples
    --------
    >>> TreeDrawing((TreeNode("NP", 0, 1, -1, None), TreeNode("NN", 0, 1, 0, "dogs"))).to_dict()["nodes"][1]
    ['NN', 0, 1, 0, 'dogs']
    """

    kind: ClassVar[str] = "tree"
    nodes: Sequence[TreeNode]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"kind": self.kind, "nodes": [list(node) for node in self.nodes]}


@dataclass(frozen=True)
class SpanDrawing:
    """Words, and labels of some stretches of them, from start to stop."""

    kind: ClassVar[str] = "spans"
    words: Sequence[str]
    spans: Sequence[tuple[int, int, str]]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"kind": self.kind, "words": list(self.words), "spans": [list(span) for span in self.spans]}


@dataclass(frozen=True)
class LinkDrawing:
    """Words, and which words of a source they stand for: start and stop there, start and stop here."""

    kind: ClassVar[str] = "links"
    source: Sequence[str]
    words: Sequence[str]
    links: Sequence[tuple[int, int, int, int]]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        links = [list(link) for link in self.links]
        return {"kind": self.kind, "source": list(self.source), "words": list(self.words), "links": links}
