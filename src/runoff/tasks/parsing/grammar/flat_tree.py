"""The fallback tree of a sentence without a parse: one constituent over all words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.tasks.parsing.treebank_files import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.tasks.parsing.grammar.lexicon import Lexicon
    from runoff.tasks.parsing.grammar.symbols import Symbols


def flat_tree(words: Sequence[str], lexicon: Lexicon, symbols: Symbols, label: int) -> tuple[list[float], list[str]]:
    """One constituent over all words with their most likely tags, and log P(words | tags)."""
    tagged = [lexicon.likeliest_tag(word, place == 0) for place, word in enumerate(words)]
    below = " ".join(f"({symbols.plain[tag]} {word})" for (tag, _), word in zip(tagged, words, strict=True))
    name = symbols.plain[label]
    tree = f"({ROOT} {below})" if name == ROOT else f"({ROOT} ({name} {below}))"
    return [sum(score for _, score in tagged)], [tree]
