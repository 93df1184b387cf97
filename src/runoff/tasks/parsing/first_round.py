"""The first round: a parser proposes trees for many sentences in parallel."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from runoff.engines import current
from runoff.errors import UsageError
from runoff.parallel import cores
from runoff.progress import progress
from runoff.tasks.parsing.parse_list import ParseList

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence
    from concurrent.futures import Future

    from runoff.arrays import Bools, Floats, Ints
    from runoff.tasks.parsing.treebank import Sentence

_TOGETHER = 20  # sentences that a worker gets at a time: a few seconds of work
LOOK_AHEAD = 16  # sentences per thread: enough to keep the others busy while one parses a long sentence


class ParserOutput(Protocol):
    """Trees of one sentence with their scores, best first."""

    @property
    def scores(self) -> Sequence[float]:
        """Log-probabilities."""

    @property
    def trees(self) -> Sequence[str]:
        """Trees in brackets."""

    @property
    def is_flat(self) -> bool:
        """Whether the parser found no tree and gives one without constituents instead."""

    @property
    def is_backed_off(self) -> bool:
        """Whether the parser found trees only by a second attempt, such as with more tags for unknown words."""


class Parser(Protocol):
    """Anything that proposes trees for words, such as `runoff.tasks.parsing.grammar.Grammar`."""

    def nbest(self, words: Sequence[str], k: int = 50) -> ParserOutput:
        """Up to k best trees; called from several threads at once."""


class Proposed(NamedTuple):
    """A list of parses, and whether it is a fallback, or from a second attempt."""

    parses: ParseList
    is_flat: bool
    is_backed_off: bool = False


def parse_sentences(
    grammar: Parser,
    sentences: Sequence[Sentence],
    k: int = 50,
    *,
    threads: int | None = None,
    verbose: bool = False,
    fold: int | None = None,
) -> Iterator[ParseList]:
    """Parse the sentences of a treebank in order; every list has the gold tree, the words and the document.

    Parameters
    ----------
    grammar
        The parser.
    sentences
        Sentences to parse; the parser only sees their words.
    k
        Maximum number of candidates per list.
    threads
        Number of threads; None: one per core. Results do not depend on it.
    verbose
        Show progress.
    fold
        The fold that these sentences belong to, which the parser was not trained on.

    Notes
    -----
    A generator that parses a few sentences ahead; the lists are never all in memory.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> from runoff.tasks.parsing.treebank import Sentence
    >>> def nbest(words, k):
    ...     tree = f"(TOP (X (UH {words[0]})))"
    ...     return SimpleNamespace(scores=[-1.5], trees=[tree], is_flat=False, is_backed_off=False)
    >>> sentence = Sentence("a.0", "a", parse_tree("(TOP (INTJ (UH oh)))"))
    >>> list(parse_sentences(SimpleNamespace(nbest=nbest), [sentence]))
    [ParseList(id='a.0', gold='(TOP (INTJ (UH oh)))', scores=[-1.5], trees=['(TOP (X (UH oh)))'], tokens=['oh'],
    fold=None, document='a')]
    """
    check_numbers(k, threads)
    asked = (asking(sentence, fold) for sentence in sentences)
    return _shown(propose(grammar, asked, k, threads=threads), len(sentences), verbose=verbose)


def check_numbers(k: int, threads: int | None) -> None:
    """Check the number of candidates and threads."""
    if k < 1:
        raise UsageError(f"k must be at least 1; found {k}.")
    if threads is not None and threads < 1:
        raise UsageError(f"parsing needs at least one thread; found {threads}.")


def asking(sentence: Sentence, fold: int | None = None) -> ParseList:
    """The list of a sentence, without candidates yet."""
    return ParseList(
        sentence.id, str(sentence.tree), tokens=sentence.words, fold=fold, document=sentence.document or None
    )


def _shown(proposed: Generator[Proposed], total: int, *, verbose: bool) -> Iterator[ParseList]:
    with closing(proposed), progress("parsing", total, verbose=verbose) as step:
        for done, each in enumerate(proposed, 1):
            yield each.parses
            step(done)


def propose(
    grammar: Parser, asked: Iterable[ParseList], k: int = 50, *, threads: int | None = None
) -> Generator[Proposed]:
    """Parse lists that have words (`tokens`) and no candidates yet, in order; lists without words stay empty.

    On another engine than this process, its workers take the place of the threads.

    When the caller closes the generator, running sentences are finished and no others are started.
    """

    def fill(parses: ParseList) -> Proposed:
        if not parses.tokens:
            return Proposed(parses, is_flat=False)
        found = grammar.nbest(parses.tokens, k)
        filled = replace(parses, scores=list(found.scores), trees=list(found.trees))
        return Proposed(filled, found.is_flat, found.is_backed_off)

    threads = threads or cores()
    engine = current()
    if not engine.is_here:
        yield from _elsewhere(grammar, asked, k)
        return
    if threads == 1:
        yield from map(fill, asked)
        return
    asked = iter(asked)
    pool = ThreadPoolExecutor(threads)
    try:
        waiting: deque[Future[Proposed]] = deque(
            pool.submit(fill, parses) for parses in islice(asked, LOOK_AHEAD * threads)
        )
        while waiting:
            yield waiting.popleft().result()
            waiting.extend(pool.submit(fill, parses) for parses in islice(asked, 1))
    finally:
        pool.shutdown(cancel_futures=True)


class Parses(NamedTuple):
    """What a parser found for some sentences, as arrays: results that workers send."""

    sizes: Ints
    scores: Floats
    trees: pa.Array
    is_flat: Bools
    is_backed_off: Bools

    @classmethod
    def of(cls, proposed: Sequence[Proposed]) -> Parses:
        """What was proposed."""
        lists = [each.parses for each in proposed]
        return cls(
            np.array([len(each.trees) for each in lists], np.int64),
            np.array([score for each in lists for score in each.scores], np.float64),
            pa.array([tree for each in lists for tree in each.trees], pa.large_string()),
            np.array([each.is_flat for each in proposed], bool),
            np.array([each.is_backed_off for each in proposed], bool),
        )

    def within(self, asked: Sequence[ParseList]) -> Iterator[Proposed]:
        """Put them into the lists that were asked for."""
        start = 0
        for at, parses in enumerate(asked):
            cut = slice(start, start + int(self.sizes[at]))
            filled = replace(parses, scores=self.scores[cut].tolist(), trees=self.trees[cut].to_pylist())
            yield Proposed(filled, bool(self.is_flat[at]), bool(self.is_backed_off[at]))
            start = cut.stop


def parses_of(words: pa.Array, grammar: Parser, k: int) -> Parses:
    """Parse some sentences, on any worker."""
    asked = [ParseList("", tokens=tokens) for tokens in words.to_pylist()]
    return Parses.of(list(propose(grammar, asked, k)))


def _elsewhere(grammar: Parser, asked: Iterable[ParseList], k: int) -> Generator[Proposed]:
    engine, left = current(), iter(asked)
    under_way: deque[list[ParseList]] = deque()

    def pieces() -> Iterator[pa.Array]:
        while some := list(islice(left, _TOGETHER)):
            under_way.append(some)
            yield pa.array([each.tokens for each in some], pa.list_(pa.string()))

    with closing(engine.map(parses_of, pieces(), engine.share(grammar), engine.share(k))) as found:
        for parses in found:
            yield from parses.within(under_way.popleft())
