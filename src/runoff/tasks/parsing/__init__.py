"""Parse reranking: n-best parses, PARSEVAL, features of whole trees, explanations, and a built-in parser.

>>> from runoff.tasks.parsing import ParseList, extract, judge, parse_tree
>>> gold = "(S (NP (PRP I)) (VP (VBP run)))"
>>> parses = ParseList("a", gold, scores=[-1.0, -2.0], trees=["(S (NP (PRP I)) (NN run))", gold])
>>> extract([parses], families=["rule"], min_lists=1).quality.round(2).tolist()  # F times the gold tree's constituents
[2.4, 3.0]
>>> judge(parse_tree(gold), [parse_tree(gold)]).misfits
0
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.registry import lazily

if TYPE_CHECKING:
    from runoff.tasks.parsing.brackets import Forest, parse_tree, read_trees
    from runoff.tasks.parsing.drawing import draw_trees
    from runoff.tasks.parsing.explanation import ParseExplanation, explain
    from runoff.tasks.parsing.features.extract import extract
    from runoff.tasks.parsing.featurizer import ParseFeaturizer
    from runoff.tasks.parsing.first_round import parse_sentences
    from runoff.tasks.parsing.folds import folds_of, split
    from runoff.tasks.parsing.grammar import Grammar, Settings, load_grammar, train_grammar
    from runoff.tasks.parsing.jackknifing import jackknife
    from runoff.tasks.parsing.lists import read_lists, write_lists
    from runoff.tasks.parsing.parse_data import to_lists, to_nbest
    from runoff.tasks.parsing.parse_list import ParseList
    from runoff.tasks.parsing.parseval import ParsevalStatistics, judge
    from runoff.tasks.parsing.sentence_files import read_sentences
    from runoff.tasks.parsing.tree_diff import differing_nodes, marks
    from runoff.tasks.parsing.tree_display import tree_text
    from runoff.tasks.parsing.treebank import Sentence, Treebank, read_treebank
    from runoff.tasks.parsing.treebank_round import TreebankRound
    from runoff.tasks.parsing.trees import Tree, plain

_HOMES = {
    "brackets": ("Forest", "parse_tree", "read_trees"),
    "drawing": ("draw_trees",),
    "explanation": ("ParseExplanation", "explain"),
    "features.extract": ("extract",),
    "featurizer": ("ParseFeaturizer",),
    "first_round": ("parse_sentences",),
    "folds": ("folds_of", "split"),
    "grammar": ("Grammar", "Settings", "load_grammar", "train_grammar"),
    "jackknifing": ("jackknife",),
    "lists": ("read_lists", "write_lists"),
    "parse_data": ("to_lists", "to_nbest"),
    "parse_list": ("ParseList",),
    "parseval": ("ParsevalStatistics", "judge"),
    "sentence_files": ("read_sentences",),
    "tree_display": ("tree_text",),
    "tree_diff": ("differing_nodes", "marks"),
    "treebank": ("Sentence", "Treebank", "read_treebank"),
    "treebank_round": ("TreebankRound",),
    "trees": ("Tree", "plain"),
}
__all__ = [
    "Forest",
    "Grammar",
    "ParseExplanation",
    "ParseFeaturizer",
    "ParseList",
    "ParsevalStatistics",
    "Sentence",
    "Settings",
    "Tree",
    "Treebank",
    "TreebankRound",
    "differing_nodes",
    "draw_trees",
    "explain",
    "extract",
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
    "split",
    "to_lists",
    "to_nbest",
    "train_grammar",
    "tree_text",
    "write_lists",
]

# Worker processes import this package first; lazy imports keep that fast.
__getattr__ = lazily(__name__, {f"{__name__}.{home}": names for home, names in _HOMES.items()})


def __dir__() -> list[str]:
    return __all__
