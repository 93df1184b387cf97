"""Tagging: columns of words and tags, taggers that give n-best lists, and features of whole taggings.

>>> from runoff.tasks.tagging import Corpus, convert, evaluate_tags
>>> corpus = Corpus.of({"word": ["a", "cat"], "tag": ["B-NP", "I-NP"], "guess": ["B-NP", "B-NP"]}, sizes=[2])
>>> evaluate_tags(corpus, "guess").score("precision"), convert(corpus, "bioes")["tag"].texts()
(0.0, ['B-NP', 'E-NP'])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.registry import lazily

if TYPE_CHECKING:
    from runoff.tasks.tagging.bracket_column import bracket_spans, brackets_of
    from runoff.tasks.tagging.clause_scores import evaluate_clauses
    from runoff.tasks.tagging.clause_tagger import ClauseTagger
    from runoff.tasks.tagging.clause_training import train_clauses
    from runoff.tasks.tagging.clauses import best_clauses, clauses_of_parses
    from runoff.tasks.tagging.corpus import Column, Corpus
    from runoff.tasks.tagging.corpus_files import read_corpus, write_corpus
    from runoff.tasks.tagging.featurizer import TaggingFeaturizer
    from runoff.tasks.tagging.metric import ConllEval, TagAccuracy
    from runoff.tasks.tagging.schemes import convert, detect_scheme, first_error, phrases, tags_of
    from runoff.tasks.tagging.sentence_splitter import split_sentences
    from runoff.tasks.tagging.spans import Span, Spans
    from runoff.tasks.tagging.tag_scores import TagScores, evaluate_tags
    from runoff.tasks.tagging.tag_sources import SpacyTags, StanzaTags, TagSource
    from runoff.tasks.tagging.tagger import Tagger, TagLists
    from runoff.tasks.tagging.tagger_file import load_tagger
    from runoff.tasks.tagging.tagger_round import TaggerRound
    from runoff.tasks.tagging.tagger_settings import TaggerSettings
    from runoff.tasks.tagging.tagging_lists import taggings, to_corpus, to_nbest
    from runoff.tasks.tagging.templates import Templates
    from runoff.tasks.tagging.tokenizer import Token, tokenize
    from runoff.tasks.tagging.training import train_tagger

_HOMES = {
    "bracket_column": ("bracket_spans", "brackets_of"),
    "clause_scores": ("evaluate_clauses",),
    "clause_tagger": ("ClauseTagger",),
    "clause_training": ("train_clauses",),
    "clauses": ("best_clauses", "clauses_of_parses"),
    "corpus": ("Column", "Corpus"),
    "corpus_files": ("read_corpus", "write_corpus"),
    "featurizer": ("TaggingFeaturizer",),
    "metric": ("ConllEval", "TagAccuracy"),
    "schemes": ("convert", "detect_scheme", "first_error", "phrases", "tags_of"),
    "sentence_splitter": ("split_sentences",),
    "spans": ("Span", "Spans"),
    "tag_scores": ("TagScores", "evaluate_tags"),
    "tag_sources": ("SpacyTags", "StanzaTags", "TagSource"),
    "tagger": ("TagLists", "Tagger"),
    "tagger_file": ("load_tagger",),
    "tagger_round": ("TaggerRound",),
    "tagger_settings": ("TaggerSettings",),
    "tagging_lists": ("taggings", "to_corpus", "to_nbest"),
    "templates": ("Templates",),
    "tokenizer": ("Token", "tokenize"),
    "training": ("train_tagger",),
}
__all__ = [
    "ClauseTagger",
    "Column",
    "ConllEval",
    "Corpus",
    "SpacyTags",
    "Span",
    "Spans",
    "StanzaTags",
    "TagAccuracy",
    "TagLists",
    "TagScores",
    "TagSource",
    "Tagger",
    "TaggerRound",
    "TaggerSettings",
    "TaggingFeaturizer",
    "Templates",
    "Token",
    "best_clauses",
    "bracket_spans",
    "brackets_of",
    "clauses_of_parses",
    "convert",
    "detect_scheme",
    "evaluate_clauses",
    "evaluate_tags",
    "first_error",
    "load_tagger",
    "phrases",
    "read_corpus",
    "split_sentences",
    "taggings",
    "tags_of",
    "to_corpus",
    "to_nbest",
    "tokenize",
    "train_clauses",
    "train_tagger",
    "write_corpus",
]

# Compilers take half a second to import; nobody should wait for what they do not use.
__getattr__ = lazily(__name__, {f"{__name__}.{home}": names for home, names in _HOMES.items()})


def __dir__() -> list[str]:
    return __all__
