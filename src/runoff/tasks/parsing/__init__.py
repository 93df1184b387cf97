"""Parse reranking: lists of parses, PARSEVAL, features of whole trees, choosing by a model; and a parser of our own.

>>> from runoff.tasks.parsing import ParseList, extract, judge, parse_tree
>>> gold = "(S (NP (PRP I)) (VP (VBP run)))"
>>> parses = ParseList("a", gold, scores=[-1.0, -2.0], trees=["(S (NP (PRP I)) (NN run))", gold])
>>> extract([parses], families=["rule"], min_lists=1).quality.round(2).tolist()  # F times the gold tree's constituents
[2.4, 3.0]
>>> judge(parse_tree(gold), [parse_tree(gold)]).misfits
0
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runoff.tasks.parsing.brackets import Forest, parse_tree, read_trees
    from runoff.tasks.parsing.drawing import draw_trees
    from runoff.tasks.parsing.explanation import ParseExplanation, explain
    from runoff.tasks.parsing.features.extract import extract
    from runoff.tasks.parsing.first_round import parse_sentences
    from runoff.tasks.parsing.folds import folds_of, split
    from runoff.tasks.parsing.grammar import Grammar, Settings, load_grammar, train_grammar
    from runoff.tasks.parsing.jackknifing import jackknife
    from runoff.tasks.parsing.lists import read_lists, write_lists
    from runoff.tasks.parsing.parse_list import ParseList
    from runoff.tasks.parsing.parseval import Judged, judge
    from runoff.tasks.parsing.reranking import data_for, extract_file, rerank, wanted_by
    from runoff.tasks.parsing.sentence_files import read_sentences
    from runoff.tasks.parsing.tree_display import tree_text
    from runoff.tasks.parsing.tree_marks import differing, marks
    from runoff.tasks.parsing.treebank import Sentence, Treebank, read_treebank
    from runoff.tasks.parsing.trees import Tree, plain

__all__ = [
    "Forest",
    "Grammar",
    "Judged",
    "ParseExplanation",
    "ParseList",
    "Sentence",
    "Settings",
    "Tree",
    "Treebank",
    "data_for",
    "differing",
    "draw_trees",
    "explain",
    "extract",
    "extract_file",
    "folds_of",
    "jackknife",
    "judge",
    "load_grammar",
    "marks",
    "parse_sentences",
    "parse_tree",
    "plain",
    "read_lists",
    "read_sentences",
    "read_treebank",
    "read_trees",
    "rerank",
    "split",
    "train_grammar",
    "tree_text",
    "wanted_by",
    "write_lists",
]

_HOMES = {
    "runoff.tasks.parsing.brackets": ("Forest", "parse_tree", "read_trees"),
    "runoff.tasks.parsing.drawing": ("draw_trees",),
    "runoff.tasks.parsing.explanation": ("ParseExplanation", "explain"),
    "runoff.tasks.parsing.features.extract": ("extract",),
    "runoff.tasks.parsing.first_round": ("parse_sentences",),
    "runoff.tasks.parsing.folds": ("folds_of", "split"),
    "runoff.tasks.parsing.grammar": ("Grammar", "Settings", "load_grammar", "train_grammar"),
    "runoff.tasks.parsing.jackknifing": ("jackknife",),
    "runoff.tasks.parsing.lists": ("read_lists", "write_lists"),
    "runoff.tasks.parsing.parse_list": ("ParseList",),
    "runoff.tasks.parsing.parseval": ("Judged", "judge"),
    "runoff.tasks.parsing.reranking": ("data_for", "extract_file", "rerank", "wanted_by"),
    "runoff.tasks.parsing.sentence_files": ("read_sentences",),
    "runoff.tasks.parsing.tree_marks": ("differing", "marks"),
    "runoff.tasks.parsing.tree_display": ("tree_text",),
    "runoff.tasks.parsing.treebank": ("Sentence", "Treebank", "read_treebank"),
    "runoff.tasks.parsing.trees": ("Tree", "plain"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    # The processes that extract features begin by importing this package, and should be quick about it.
    if name not in _HOME_OF:
        raise AttributeError(f"module 'runoff.tasks.parsing' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return __all__
