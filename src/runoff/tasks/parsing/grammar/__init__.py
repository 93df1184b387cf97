"""A built-in parser: a generative grammar trained on a treebank, with n-best lists."""

from __future__ import annotations

from runoff.tasks.parsing.grammar.file import load_grammar
from runoff.tasks.parsing.grammar.grammar import VERSION, Grammar, train_grammar
from runoff.tasks.parsing.grammar.nbest_search import NBestParses
from runoff.tasks.parsing.grammar.settings import SPLITS, Settings

__all__ = ["SPLITS", "VERSION", "Grammar", "NBestParses", "Settings", "load_grammar", "train_grammar"]
