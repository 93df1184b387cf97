"""Training of clause taggers, on clauses as in CoNLL-2001 or on those of full parses."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.errors import DataError, UsageError
from runoff.learners import ChainCRF
from runoff.pipeline.document_folds import folds_of, usual_folds
from runoff.tasks.tagging.bracket_column import bracket_spans
from runoff.tasks.tagging.clause_patterns import with_patterns
from runoff.tasks.tagging.clause_tagger import ClauseTagger, likeliest, numbers_of
from runoff.tasks.tagging.clause_templates import clause_templates, fitting, for_starts, plain_columns
from runoff.tasks.tagging.clauses import CLAUSE_LABELS, boundary_counts, clauses_of_parses
from runoff.tasks.tagging.corpus_parts import TaggedSentences
from runoff.tasks.tagging.recipes import tagger_recipe
from runoff.tasks.tagging.training import finished, train_tagger
from runoff.version import __version__

if TYPE_CHECKING:
    from runoff.arrays import Ints
    from runoff.learners.chain_run import ChainLearner
    from runoff.tasks.tagging.corpus import Corpus
    from runoff.tasks.tagging.tagger import Tagger
    from runoff.tasks.tagging.templates import Templates

FOLDS = 3
MOST = 99  # clauses that may start or end at a token
_RARE = 1e-4  # share of tokens below which a number of clauses gets no tag of its own
_MOST_FOLDS = 10


class _Clauses(NamedTuple):
    """Sentences, and how many clauses start and end at every token."""

    corpus: Corpus
    starts: Ints
    ends: Ints
    n_clauses: int


class _Recipe(NamedTuple):
    """How both taggers are trained."""

    learner: ChainCRF
    min_count: int

    def train(self, corpus: Corpus, numbers: Ints, part: str, templates: Templates, dev: Corpus | None) -> Tagger:
        pupil = self.learner.clone()
        if pupil.checkpoint is not None:
            pupil.set_params(checkpoint=f"{pupil.checkpoint}.{part}")
        tag = part.partition("-")[0]
        tagged = corpus.with_column(tag, map(str, numbers.tolist()))
        return train_tagger(tagged, tag, templates=templates, learner=pupil, dev=dev, min_count=self.min_count)


def train_clauses(
    corpus: Corpus,
    column: str = "clause",
    *,
    templates: Templates | None = None,
    learner: ChainLearner | None = None,
    dev: Corpus | None = None,
    min_count: int | None = None,
    folds: int = FOLDS,
    keep_equal: bool = True,
    notes: list[str] | None = None,
) -> ClauseTagger:
    """Train a tagger of clauses; see `ClauseTagger`.

    The tagger of ends learns from starts as they will be found: those of every fold by a tagger of the other folds,
    which are made of whole documents. Costs the training of `folds` + 2 taggers.

    Parameters
    ----------
    corpus
        Sentences with words and, if possible, columns `pos` and `chunk`: templates that look at columns that are
        missing are left out.
    column
        Brackets: clauses called S, or full parses, of which S, SBAR, SBARQ, SINV and SQ are taken.
    templates, learner, min_count
        In place of the recipe's. Templates may look at the columns of `with_patterns` too, those of ends also at the
        starts; the learner must be a `ChainCRF`, whose probabilities are needed.
    dev
        Sentences with the same columns, for early stopping.
    folds
        From 2 to 10.
    keep_equal
        Keep clauses of the same tokens apart; see `clauses_of_parses`.
    notes
        Receives sentences about what was left out.

    Examples
    --------
    >>> from runoff.tasks.tagging.corpus import Corpus
    >>> parse = ["(TOP(S(NP*)", "(VP*", "(SBAR(S(NP*)", "(VP*))))", "*))"]
    >>> words = "I know he left .".split()
    >>> notes = []
    >>> tagger = train_clauses(Corpus.of({"word": words * 9, "parse": parse * 9}, sizes=[5] * 9), "parse", notes=notes)
    >>> tagger.label(Corpus.of({"word": words}, sizes=[5])).texts()
    ['(S*', '*', '(S(S*', '*S)S)', '*S)']
    >>> len(notes), notes[0].endswith("templates were left out: the sentences have no column 'pos' and 'chunk'.")
    (2, True)
    """
    if isinstance(folds, bool) or not isinstance(folds, int) or not 2 <= folds <= _MOST_FOLDS:
        raise UsageError(f"folds must be a whole number from 2 to {_MOST_FOLDS}; found {folds!r}.")
    usual = tagger_recipe("clauses")
    pupil = usual.learner if learner is None else learner
    if not isinstance(pupil, ChainCRF):
        raise UsageError(
            f"clauses need probabilities of their starts and ends: the learner must be a ChainCRF (crf), not a "
            f"{type(pupil).__name__}."
        )
    said: list[str] = [] if notes is None else notes
    recipe = _Recipe(pupil, min_count or usual.min_count)
    gold = _gold(corpus, column, keep_equal)
    chosen = clause_templates() if templates is None else (for_starts(templates), templates)
    if column in {name for each in chosen for name in plain_columns(each)}:
        raise UsageError(f"the templates look at the column {column!r}, which is to be found.")
    of_starts, of_ends = (fitting(each, corpus.columns, said) for each in chosen)
    most = [_most(numbers, part, said) for numbers, part in ((gold.starts, "start"), (gold.ends, "end"))]
    opens, closes = (np.minimum(each, top) for each, top in zip((gold.starts, gold.ends), most, strict=True))

    with_dev = None if dev is None else _gold(dev, column, keep_equal)
    dev_starts = None if with_dev is None else _tagged(with_patterns(with_dev.corpus), "starts", with_dev.starts)
    seen = with_patterns(corpus)
    starts = finished(recipe.train(seen, opens, "starts", of_starts, dev_starts))
    fold_of = _folds(corpus, column, folds)
    found = opens.copy()  # where all tokens are in one fold, there is nothing better
    for fold in np.unique(fold_of).tolist():
        mine = np.repeat(fold_of == fold, corpus.sizes)
        if mine.all() or not mine.any():
            continue
        others = recipe.train(seen[fold_of != fold], opens[~mine], f"starts-{fold + 1}", of_starts, dev_starts)
        found[mine] = likeliest(numbers_of(finished(others), seen[fold_of == fold]))
    dev_ends = None
    if with_dev is not None and dev_starts is not None:
        guessed = likeliest(numbers_of(starts, dev_starts))
        dev_ends = _tagged(with_patterns(with_dev.corpus, guessed), "ends", with_dev.ends)
    ends = recipe.train(with_patterns(corpus, found), closes, "ends", of_ends, dev_ends)
    provenance = {
        "runoff": __version__,
        "recipe": usual.name,
        "sentences": len(corpus),
        "tokens": corpus.n_tokens,
        "clauses": gold.n_clauses,
        "folds": folds,
        "keep_equal": keep_equal,
        "notes": list(said),
        "finished": ends.provenance["finished"],
    }
    return ClauseTagger(column, starts, ends, provenance)


def _gold(corpus: Corpus, column: str, keep_equal: bool) -> _Clauses:
    spans = clauses_of_parses(corpus, column, keep_equal=keep_equal)
    if not len(spans):
        labels = ", ".join(sorted(set(bracket_spans(corpus, column).texts()))[:5]) or "none"
        raise DataError(
            f"the column {column!r} has no clauses: none of its brackets is called {', '.join(CLAUSE_LABELS)}; "
            f"there are: {labels}."
        )
    return _Clauses(corpus, *boundary_counts(spans, corpus.n_tokens), len(spans))


def _most(numbers: Ints, part: str, notes: list[str]) -> int:
    """The largest number that is frequent enough to be a tag; larger ones are taken as it."""
    at_least = np.cumsum(np.bincount(numbers)[::-1])[::-1]
    most = min(int(np.flatnonzero(at_least >= max(1.0, _RARE * numbers.size))[-1]), MOST)
    if (numbers > most).any():
        notes.append(f"{(numbers > most).sum():,} tokens at which more than {most} clauses {part} count as {most}.")
    return most


def _tagged(corpus: Corpus, tag: str, numbers: Ints) -> Corpus:
    return corpus.with_column(tag, map(str, numbers.tolist()))


def _folds(corpus: Corpus, column: str, folds: int) -> Ints:
    """The fold of every sentence: by documents or, where they are fewer than folds, by turns."""
    sentences = TaggedSentences(corpus, column).sentences()
    if usual_folds(sentences) >= folds:
        return np.array(folds_of(sentences, folds))
    return (np.cumsum(corpus.sizes > 0) % folds).astype(np.int64)
