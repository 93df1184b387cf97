"""Numbering of labels and tags."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from runoff.tasks.parsing.grammar.split_labels import SplitNode


@dataclass(frozen=True, eq=False)
class Symbols:
    """Number 0 means no label (stop), then come labels, then tags; a name can be both.

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> from runoff.tasks.parsing.grammar.split_labels import split_tree
    >>> symbols = Symbols.of([split_tree(parse_tree("(X (NP (DT a) (X b)))"), ["base"])])
    >>> symbols.names, symbols.plain, symbols.n_labels, symbols.tags["X"]
    (('', 'NP base', 'X', 'DT', 'X'), ('', 'NP', 'X', 'DT', 'X'), 3, 4)
    """

    names: tuple[str, ...]
    plain: tuple[str, ...]  # as the treebank writes them
    n_labels: int  # including number 0
    labels: dict[str, int] = field(init=False, repr=False)
    tags: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        numbered = list(enumerate(self.names))
        object.__setattr__(self, "labels", {name: at for at, name in numbered[: self.n_labels]})
        object.__setattr__(self, "tags", {name: at for at, name in numbered[self.n_labels :]})

    @classmethod
    def of(cls, roots: Iterable[SplitNode]) -> Symbols:
        """Number the symbols of trees. O(nodes)."""
        labels: dict[str, str] = {}
        tags: dict[str, str] = {}
        for root in roots:
            for part in root.walk():
                (labels if part.word is None else tags)[part.label] = part.plain
        names = [*sorted(labels), *sorted(tags)]
        plain = [*(labels[name] for name in sorted(labels)), *(tags[name] for name in sorted(tags))]
        return cls(("", *names), ("", *plain), len(labels) + 1)

    def number(self, part: SplitNode) -> int | None:
        """The number of a node's label or tag; None if unknown."""
        return (self.labels if part.word is None else self.tags).get(part.label)

    def __len__(self) -> int:
        return len(self.names)
