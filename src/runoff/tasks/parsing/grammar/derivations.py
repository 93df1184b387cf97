"""Derivations of trees as steps: choice of head, modifiers and words, each with its context."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.derivation_steps import FIELDS, HEADS, LABELS, LEFT, RIGHT, STOP, TAGS, WORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Ints
    from runoff.tasks.parsing.grammar.lexicon import Lexicon
    from runoff.tasks.parsing.grammar.split_labels import SplitNode
    from runoff.tasks.parsing.grammar.symbols import Symbols


class DerivationSteps:
    """Derivation steps of trees: rows of context fields (as in `runoff.kernels.derivation_steps`) with outcomes."""

    def __init__(self, symbols: Symbols, class_of: Sequence[int], lexicon: Lexicon) -> None:
        self._symbols, self._class_of, self._lexicon = symbols, class_of, lexicon
        self._rows = [array("i") for _ in range(4)]
        self._outcomes = [array("i") for _ in range(4)]
        self.words: list[tuple[str, int, int]] = []  # word, class and tag, in the order of the steps of words

    def add(self, root: SplitNode) -> None:
        """Add the derivation of one tree. O(nodes)."""
        self._place = 0
        tag, its_class, word = self._constituent(root, 0)
        row = (0, 0, 0, 0, 0, 0, 0, 0, 0, self._symbols.labels[root.label], tag)
        self._step(TAGS, row, tag)
        self._word(row, its_class, word)

    def table(self, kind: int) -> tuple[Ints, Ints]:
        """Rows and outcomes of one kind of steps."""
        rows = np.array(self._rows[kind], np.int64).reshape(-1, FIELDS)
        return rows, np.array(self._outcomes[kind], np.int64)

    def _step(self, kind: int, row: tuple[int, ...], outcome: int) -> None:
        self._rows[kind].extend(row)
        self._outcomes[kind].append(outcome)

    def _word(self, row: tuple[int, ...], its_class: int, word: str) -> None:
        self._step(WORDS, row, its_class)
        self.words.append((word, its_class, row[-1]))

    def _constituent(self, part: SplitNode, above: int) -> tuple[int, int, str]:
        """Add the steps of a node and everything below it; returns tag, class and word of its head."""
        if part.word is not None:
            self._place += 1
            return self._symbols.tags[part.label], self._lexicon.class_of(part.word, self._place == 1), part.word
        label = self._symbols.labels[part.label]
        own_class = self._class_of[label]
        heads = [self._constituent(child, own_class) for child in part.children]
        labels = [
            (self._symbols.labels if child.word is None else self._symbols.tags)[child.label] for child in part.children
        ]
        at = part.head
        head, (tag, its_class, word) = labels[at], heads[at]
        self._step(HEADS, (0, label, above, 0, tag, its_class, 0, 0, 0, 0, 0), head)
        bare = 1
        for side, places in ((RIGHT, range(at + 1, len(labels))), (LEFT, range(at - 1, -1, -1))):
            last = before = STOP
            for place in places:
                modifier, (its_tag, class_, its_word) = labels[place], heads[place]
                self._step(LABELS, (side, label, above, head, tag, its_class, last, before, bare, 0, 0), modifier)
                row = (side, label, 0, head, tag, its_class, 0, 0, 0, modifier, its_tag)
                if part.children[place].word is None:
                    self._step(TAGS, row, its_tag)
                self._word(row, class_, its_word)
                last, before, bare = modifier, last, 0
            self._step(LABELS, (side, label, above, head, tag, its_class, last, before, bare, 0, 0), STOP)
        return tag, its_class, word
