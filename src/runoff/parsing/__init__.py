"""Parse reranking: lists of parses, PARSEVAL, features of whole trees, choosing by a model; and a parser of our own.

>>> from runoff.parsing import ParseList, extract, judge, parse_tree
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
    from runoff.parsing.brackets import Forest, parse_tree, read_trees
    from runoff.parsing.drawing import draw_trees
    from runoff.parsing.explaining import ParseExplanation, explain
    from runoff.parsing.features.extract import extract
    from runoff.parsing.first_round import parse_sentences
    from runoff.parsing.folds import folds_of, split
    from runoff.parsing.grammar import Grammar, Settings, load_grammar, train_grammar
    from runoff.parsing.jackknifing import jackknife
    from runoff.parsing.lists import read_lists, write_lists
    from runoff.parsing.parse_list import ParseList
    from runoff.parsing.parseval import Judged, judge
    from runoff.parsing.reranking import data_for, extract_file, rerank, wanted_by
    from runoff.parsing.sentence_files import read_sentences
    from runoff.parsing.tree_display import tree_text
    from runoff.parsing.tree_marks import differing, marks
    from runoff.parsing.treebank import Sentence, Treebank, read_treebank
    from runoff.parsing.trees import Tree, plain

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
    "runoff.parsing.brackets": ("Forest", "parse_tree", "read_trees"),
    "runoff.parsing.drawing": ("draw_trees",),
    "runoff.parsing.explaining": ("ParseExplanation", "explain"),
    "runoff.parsing.features.extract": ("extract",),
    "runoff.parsing.first_round": ("parse_sentences",),
    "runoff.parsing.folds": ("folds_of", "split"),
    "runoff.parsing.grammar": ("Grammar", "Settings", "load_grammar", "train_grammar"),
    "runoff.parsing.jackknifing": ("jackknife",),
    "runoff.parsing.lists": ("read_lists", "write_lists"),
    "runoff.parsing.parse_list": ("ParseList",),
    "runoff.parsing.parseval": ("Judged", "judge"),
    "runoff.parsing.reranking": ("data_for", "extract_file", "rerank", "wanted_by"),
    "runoff.parsing.sentence_files": ("read_sentences",),
    "runoff.parsing.tree_marks": ("differing", "marks"),
    "runoff.parsing.tree_display": ("tree_text",),
    "runoff.parsing.treebank": ("Sentence", "Treebank", "read_treebank"),
    "runoff.parsing.trees": ("Tree", "plain"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    # The processes that extract features begin by importing this package, and should be quick about it.
    if name not in _HOME_OF:
        raise AttributeError(f"module 'runoff.parsing' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return __all__
