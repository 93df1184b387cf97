"""A first round of our own: a generative parser from a treebank, with n-best lists."""

from __future__ import annotations

from runoff.tasks.parsing.grammar.file import load_grammar
from runoff.tasks.parsing.grammar.grammar import VERSION, Grammar, train_grammar
from runoff.tasks.parsing.grammar.searching import Parsed
from runoff.tasks.parsing.grammar.settings import SPLITS, Settings

__all__ = ["SPLITS", "VERSION", "Grammar", "Parsed", "Settings", "load_grammar", "train_grammar"]
