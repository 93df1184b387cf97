"""Taggers from sentences with tags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.errors import DataError, UsageError
from runoff.learners.chain_run import ChainLearner
from runoff.learners.training_loop import EARLY
from runoff.model.chain_model import Constraints
from runoff.tasks.tagging.corpus import WORD
from runoff.tasks.tagging.recipes import tagger_recipe
from runoff.tasks.tagging.schemes import convert
from runoff.tasks.tagging.span_rules import legal_bioes, span_f1, span_tags
from runoff.tasks.tagging.tagger import Tagger
from runoff.tasks.tagging.token_features import TokenFeatures
from runoff.version import __version__

if TYPE_CHECKING:
    from runoff.arrays import Columns
    from runoff.features.sequences import Sequences
    from runoff.learners import BoostedChain
    from runoff.tasks.tagging.corpus import Column, Corpus
    from runoff.tasks.tagging.templates import Templates


def train_tagger(
    corpus: Corpus,
    tag_column: str,
    recipe: str | None = None,
    *,
    templates: Templates | None = None,
    learner: ChainLearner | BoostedChain | None = None,
    dev: Corpus | None = None,
    min_count: int | None = None,
    legal: str = "any",
    dictionary: int | None = None,
    encoding: str | None = None,
) -> Tagger:
    """Train a tagger on sentences with tags.

    Parameters
    ----------
    recipe
        "pos", "chunks", "clauses" or "entities": templates and a learner.
    templates, learner, min_count
        In place of the recipe's; features that occur at fewer tokens than `min_count` are left out.
    dev
        Sentences for early stopping: by the F1 of spans where tags are spans, else by accuracy.
    legal
        "seen": only pairs of neighbouring tags that occur in training are allowed, also at the ends; "any": all.
    dictionary
        Words that occur so often get only tags that they have had; None: no dictionary.
    encoding
        "bioes": where tags are spans, the model's own tags also say where a span ends, which finds more of them, at the
        price of about four times the time for pairs of tags; it gives B, I and O. "none": tags are as they are. By
        default the recipe's, where tags are spans.

    Examples
    --------
    >>> from runoff.tasks.tagging.corpus import Corpus
    >>> corpus = Corpus.of({"word": ["a", "cat", "a", "dog"], "pos": ["DT", "NN", "DT", "NN"]}, sizes=[2, 2])
    >>> train_tagger(corpus, "pos", "pos")
    Tagger(pos: 2 tags, ... features)
    """
    if legal not in ("any", "seen"):
        raise UsageError(f"legal must be one of any, seen; found {legal!r}.")
    chosen = None if recipe is None else tagger_recipe(recipe)
    used = templates if templates is not None or chosen is None else chosen.templates
    given: Any = learner if learner is not None or chosen is None else chosen.learner
    if used is None or given is None:
        raise UsageError("train_tagger needs a recipe (pos, chunks, clauses, entities), or templates and a learner.")
    pupil = given.clone()
    least = min_count or (chosen.min_count if chosen is not None and templates is None else 1)
    if tag_column in used.columns:
        raise UsageError(f"the templates look at the column {tag_column!r}, which is to be found.")
    if not corpus.n_tokens:
        raise DataError("there are no tokens to learn from.")
    if encoding not in (None, "none", "bioes"):
        raise UsageError(f"encoding must be one of none, bioes; found {encoding!r}.")
    are_spans = span_tags(corpus[tag_column].values) is not None
    if encoding == "bioes" and not are_spans:
        raise UsageError(
            "only tags that are spans (as B-NP, I-NP and O) can say where a span ends; use encoding='none'."
        )
    how = encoding or (chosen.encoding if chosen is not None and are_spans else "none")
    names, codes = _numbered(_encoded(corpus, tag_column, how))
    if len(names) < 2 and not isinstance(pupil, ChainLearner):
        raise DataError(f"all tokens have the tag {names[0]!r}, and boosted trees need two to tell apart.")
    features = TokenFeatures.fit(corpus, used, min_count=least)
    data = features.transform(corpus).with_tags(codes, len(names))
    pupil.fit(data, None if dev is None else _dev(pupil, features, _encoded(dev, tag_column, how), dev, names))
    provenance = {
        "runoff": __version__,
        "learner": type(pupil).__name__,
        "parameters": pupil.get_params(),
        "recipe": recipe,
        "sentences": len(corpus),
        "tokens": corpus.n_tokens,
        "min_count": least,
        "finished": pupil.finished_,
        "steps": len(pupil.history),
    }
    return Tagger(
        tag_column,
        names,
        features,
        pupil.model,
        _legal(data) if legal == "seen" else Constraints(*legal_bioes(names)) if how == "bioes" else None,
        {} if dictionary is None else _dictionary(corpus, codes, dictionary),
        how,
        provenance,
    )


def finished(tagger: Tagger) -> Tagger:
    """The tagger, where one is only a step of the work; raises if Ctrl-C left it without all of its training."""
    if not tagger.provenance["finished"]:
        raise KeyboardInterrupt(EARLY)
    return tagger


def _numbered(column: Column) -> tuple[tuple[str, ...], Columns]:
    """Tags that occur, and the number of every token's."""
    seen, codes = np.unique(column.codes, return_inverse=True)
    return tuple(column.values[code] for code in seen.tolist()), codes.astype(np.int32)


def _encoded(corpus: Corpus, tag_column: str, encoding: str) -> Column:
    column: Column = (convert(corpus, "bioes", tag_column) if encoding == "bioes" else corpus)[tag_column]
    return column


def _dev(learner: Any, features: TokenFeatures, column: Column, dev: Corpus, names: tuple[str, ...]) -> Any:
    """What a learner stops by: a function of a model or, for trees, sequences."""
    data = features.transform(dev)
    number = {tag: at for at, tag in enumerate(names)}
    table = np.array([number.get(tag, -1) for tag in column.values], np.int32)
    right = table[column.codes] if table.size else column.codes
    rules = span_tags(names)
    if rules is None or not isinstance(learner, ChainLearner):
        return data.with_tags(right, len(names))
    return lambda model: span_f1(rules, model.best(data), right, data.offsets)


def _legal(data: Sequences) -> Constraints:
    n, tags = data.n_tags, data.tags if data.tags is not None else np.zeros(0, np.int32)
    pairs, starts, ends = np.zeros((n, n), bool), np.zeros(n, bool), np.zeros(n, bool)
    is_full = np.diff(data.offsets) > 0
    first, last = data.offsets[:-1][is_full], data.offsets[1:][is_full] - 1
    inner = np.ones(data.n_tokens, bool)
    inner[first] = False
    at = np.flatnonzero(inner)
    pairs[tags[at - 1], tags[at]] = True
    starts[tags[first]], ends[tags[last]] = True, True
    return Constraints(pairs, starts, ends)


def _dictionary(corpus: Corpus, codes: Columns, least: int) -> dict[str, tuple[int, ...]]:
    column = corpus[WORD]
    often = np.bincount(column.codes, minlength=len(column.values)) >= least
    pairs = np.unique(np.column_stack([column.codes, codes])[often[column.codes]], axis=0)
    found: dict[str, tuple[int, ...]] = {}
    for word, tag in pairs.tolist():
        found[column.values[word]] = (*found.get(column.values[word], ()), tag)
    return found
