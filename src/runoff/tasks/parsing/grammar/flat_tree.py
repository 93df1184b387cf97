"""The tree of a sentence for which no other was found: all words hang from one node."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.tasks.parsing.treebank_files import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.tasks.parsing.grammar.lexicon import Lexicon
    from runoff.tasks.parsing.grammar.symbols import Symbols


def flat_tree(words: Sequence[str], lexicon: Lexicon, symbols: Symbols, label: int) -> tuple[list[float], list[str]]:
    """A tree of the label over all words with their likeliest tags, and the log-probability of the words by them."""
    tagged = [lexicon.likeliest_tag(word, place == 0) for place, word in enumerate(words)]
    below = " ".join(f"({symbols.plain[tag]} {word})" for (tag, _), word in zip(tagged, words, strict=True))
    name = symbols.plain[label]
    tree = f"({ROOT} {below})" if name == ROOT else f"({ROOT} ({name} {below}))"
    return [sum(score for _, score in tagged)], [tree]
