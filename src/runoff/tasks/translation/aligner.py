"""Word alignment of parallel text: models of both directions are trained and their links made one set."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np

from runoff.errors import UsageError
from runoff.parallel import one_pool
from runoff.progress import progress
from runoff.tasks.translation.alignments import Alignments
from runoff.tasks.translation.symmetrisation import Symmetrisation, symmetrised
from runoff.tasks.translation.word_models import DiagonalPositions, JumpPositions, UniformPositions
from runoff.tasks.translation.word_probabilities import SMOOTHING, SentencePairs, Smoothing, WordProbabilities

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.metrics.tokens import Tokens
    from runoff.parallel import Apply
    from runoff.progress import ProgressCallback
    from runoff.tasks.translation.bitext import Bitext
    from runoff.tasks.translation.lexical_table import LexicalTable
    from runoff.tasks.translation.word_models import PositionModel

Model = Literal["model1", "hmm", "diagonal"]
Decoding = Literal["viterbi", "posterior"]
_NAMES: dict[str, tuple[str, ...]] = {
    "model": get_args(Model),
    "decoding": get_args(Decoding),
    "smoothing": tuple(SMOOTHING),
    "symmetrisation": get_args(Symmetrisation),
}


class Iteration(NamedTuple):
    """A pass over all sentence pairs, which measures the model that it begins with."""

    direction: str  # forward: p(target | source)
    model: str
    number: int
    log_likelihood: float  # natural, of all target words given source sentences and lengths
    perplexity: float  # per target word
    seconds: float


class AlignmentReport(NamedTuple):
    """How an alignment came about."""

    iterations: tuple[Iteration, ...]
    seconds: float
    pairs: int
    skipped_empty: int
    skipped_long: int

    def log_likelihoods(self, direction: str, model: str | None = None) -> list[float]:
        """Logarithms of the likelihood before every pass of a direction, and of one model if asked for."""
        return [x.log_likelihood for x in self.iterations if x.direction == direction and model in (None, x.model)]


class WordAlignment(NamedTuple):
    """Links, p(target word | source word), p(source word | target word), and how they came about.

    Examples
    --------
    >>> from runoff.metrics.tokens import tokenised
    >>> from runoff.tasks.translation.bitext import Bitext
    >>> pair = Bitext(tokenised(["the house"], str.split), tokenised(["das Haus"], str.split))
    >>> align_bitext(pair, "model1")._fields
    ('alignments', 'direct', 'inverse', 'report')
    """

    alignments: Alignments
    direct: LexicalTable
    inverse: LexicalTable
    report: AlignmentReport


def align_bitext(
    bitext: Bitext,
    model: Model = "hmm",
    *,
    iterations: int = 5,
    symmetrise: Symmetrisation = "grow-diag-final-and",
    decoding: Decoding = "viterbi",
    smoothing: Smoothing = "variational",
    alpha: float = 0.01,
    null: float = 0.2,
    longest: int = 1000,
    threads: int | None = None,
    verbose: bool = False,
) -> WordAlignment:
    """Align the words of sentence pairs.

    Parameters
    ----------
    bitext
        Sentence pairs. Those with an empty side, or with more words than `longest`, get no links; the report says how
        many.
    model
        "model1": IBM model 1 (Brown et al. 1993); "hmm": as many passes of model 1, then those of an HMM (Vogel et al.
        1996; Och and Ney 2003); "diagonal": likewise with fast_align's model 2 (Dyer et al. 2013).
    iterations
        Passes of EM over the pairs, for each model.
    symmetrise
        How links of both directions become one set; see `symmetrised`.
    decoding
        "viterbi": the most probable alignment of a sentence; "posterior": of each word.
    smoothing, alpha
        Of p(target word | source word): "none", "add" `alpha` to every count, or "variational", which is how
        fast_align's Dirichlet prior keeps rare words from being linked to everything (Riley and Gildea 2012).
    null
        Probability that a target word comes from no source word, in all models but the first.
    longest
        Most words of a sentence that is aligned.
    threads
        Number of threads; None: one per core. Results do not depend on it.
    verbose
        Show progress.

    Notes
    -----
    A pass costs O(sum over pairs of source words times target words) look-ups per direction; memory is 12 bytes for
    every two different words that stand opposite each other somewhere, and 8 more for each of up to 8 pieces.

    Examples
    --------
    >>> from runoff.metrics.tokens import tokenised
    >>> from runoff.tasks.translation.bitext import Bitext
    >>> ours, theirs = ["the house", "the book", "a book"], ["das Haus", "das Buch", "ein Buch"]
    >>> found = align_bitext(Bitext(tokenised(ours, str.split), tokenised(theirs, str.split)), "model1")
    >>> found.alignments.to_pharaoh(), found.direct.translations("book", 1)[0][0]
    (['0-0 1-1', '0-0 1-1', '0-0 1-1'], 'Buch')
    """
    names = {"model": model, "decoding": decoding, "smoothing": smoothing, "symmetrisation": symmetrise}
    _check(names, {"iterations": iterations, "longest": longest, "threads": threads}, alpha, null)
    started = time.perf_counter()
    lengths = bitext.source.lengths, bitext.target.lengths
    is_empty, is_long = np.minimum(*lengths) == 0, np.maximum(*lengths) > longest
    chosen = np.flatnonzero(~is_empty & ~is_long)
    pairs = bitext if chosen.size == len(bitext) else bitext.take(chosen)
    passes = 2 * iterations * (1 if model == "model1" else 2)
    done: list[Iteration] = []
    with (
        one_pool(most=threads) as apply,
        progress("aligning words", passes, verbose=verbose) as step,
    ):
        trainer = _Trainer(model, iterations, decoding, smoothing, alpha, null, apply, step, done)
        forward, direct = trainer.run("forward", pairs.source, pairs.target)
        backward, inverse = trainer.run("backward", pairs.target, pairs.source)
        links = symmetrised(forward, backward.reversed(), pairs.source.lengths, pairs.target.lengths, symmetrise, apply)
    report = AlignmentReport(
        tuple(done),
        time.perf_counter() - started,
        int(chosen.size),
        int(is_empty.sum()),
        int((is_long & ~is_empty).sum()),
    )
    return WordAlignment(links.placed(chosen, len(bitext)), direct, inverse, report)


class _Trainer(NamedTuple):
    """What the training of both directions shares."""

    model: Model
    iterations: int
    decoding: Decoding
    smoothing: Smoothing
    alpha: float
    null: float
    apply: Apply
    step: ProgressCallback
    done: list[Iteration]

    def run(self, direction: str, source: Tokens, target: Tokens) -> tuple[Alignments, LexicalTable]:
        """Links of every target word, and p(target word | source word)."""
        pairs = SentencePairs.of(source, target)
        lexicon = WordProbabilities.of(pairs, len(source.spelling), len(target.spelling), self.apply)
        model: PositionModel = UniformPositions()
        self._train(direction, model, lexicon)
        if self.model != "model1":
            model = JumpPositions(self.null) if self.model == "hmm" else DiagonalPositions(pairs, self.null)
            self._train(direction, model, lexicon)
        best = lexicon.align(model, self.decoding == "posterior", self.apply)
        return Alignments.of_positions(best, pairs.target_offsets), lexicon.table(source, target)

    def _train(self, direction: str, model: PositionModel, lexicon: WordProbabilities) -> None:
        for number in range(self.iterations):
            started = time.perf_counter()
            log_likelihood = lexicon.train(model, self.smoothing, self.alpha, self.apply)
            perplexity = float(np.exp(-log_likelihood / max(lexicon.pairs.target.size, 1)))
            seconds = time.perf_counter() - started
            self.done.append(Iteration(direction, model.name, number, log_likelihood, perplexity, seconds))
            self.step(len(self.done), f"{direction} {model.name}, perplexity {perplexity:.2f}")


def _check(names: Mapping[str, str], numbers: Mapping[str, int | None], alpha: float, null: float) -> None:
    for kind, name in names.items():
        if name not in _NAMES[kind]:
            raise UsageError(f"there is no {kind} {name!r} of word aligners; there are: {', '.join(_NAMES[kind])}.")
    for kind, number in numbers.items():
        if number is not None and number < 1:
            raise UsageError(f"{kind} of a word aligner must be at least 1; found {number}.")
    if names["smoothing"] != "none" and not 0 < alpha < np.inf:
        raise UsageError(f"alpha of a word aligner must be a positive number; found {alpha}.")
    if not 0 < null < 1:
        raise UsageError(f"null of a word aligner must be a number above 0 and below 1; found {null}.")
