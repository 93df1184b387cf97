"""Taggers: what templates see in sentences, weighed by a chain."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from runoff.arrays import frozen
from runoff.errors import ModelError, UsageError
from runoff.kernels.chain_scores import impossible
from runoff.model.chain_model import ChainModel, Constraints
from runoff.model.chain_shape import writeable
from runoff.model.chain_spans import EVERY_ERROR, decode_spans
from runoff.tasks.tagging.corpus import WORD, Column
from runoff.tasks.tagging.span_rules import as_bio, span_tags

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from runoff.arrays import Bools, Columns, Floats
    from runoff.features.sequences import Sequences
    from runoff.tasks.tagging.corpus import Corpus
    from runoff.tasks.tagging.explanation import TokenExplanation
    from runoff.tasks.tagging.token_features import TokenFeatures


DECODINGS = ("best", "spans", "f1")


class TagLists(NamedTuple):
    """The k best taggings of every sentence, best first, and their log-probabilities, or scores of a perceptron.

    Examples
    --------
    >>> TagLists([[["DT", "NN"]]], [[-0.1]]).tags[0][0]
    ['DT', 'NN']
    """

    tags: list[list[list[str]]]  # sentence, tagging, token
    scores: list[list[float]]


@dataclass(frozen=True, eq=False)
class Tagger:
    """Gives every token of a corpus a tag.

    Examples
    --------
    >>> from runoff.tasks.tagging.corpus import Corpus
    >>> from runoff.tasks.tagging.training import train_tagger
    >>> words, tags = ["a", "cat", "sleeps", "a", "dog"], ["DT", "NN", "VBZ", "DT", "NN"]
    >>> tagger = train_tagger(Corpus.of({"word": words, "pos": tags}, sizes=[3, 2]), "pos", "pos")
    >>> tagger.label(Corpus.of({"word": ["a", "dog", "sleeps"]}, sizes=[3])).texts()
    ['DT', 'NN', 'VBZ']
    """

    column: str  # name of the tags
    states: tuple[str, ...]  # the tags of the model, which may say more than those that are given out
    features: TokenFeatures
    model: Any  # `ChainModel`, `GreedyModel` or `TreeChainModel`
    legal: Constraints | None = None  # pairs of tags that may follow each other, and stand at the ends
    words: dict[str, tuple[int, ...]] = field(default_factory=dict)  # the only states that some words may have
    encoding: str = "none"
    provenance: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """The tags that are given out."""
        return tuple(dict.fromkeys(map(self._shown, self.states)))

    @cached_property
    def tag_of(self) -> Columns:
        """The number of the tag of every state."""
        return np.array([self.tags.index(self._shown(state)) for state in self.states], np.int32)

    def _shown(self, state: str) -> str:
        return as_bio(state) if self.encoding == "bioes" else state

    # ---------------------------------------------------------------- labels

    @property
    def decoding(self) -> str:
        """How `label` chooses by default: "spans" for a random field of tags that mark phrases, else "best"."""
        gives_chances = isinstance(self.model, ChainModel) and self.model.is_probabilistic
        return "spans" if gives_chances and span_tags(self.states) is not None else "best"

    def label(
        self, corpus: Corpus, *, given: Sequence[str | None] | None = None, decoding: str | None = None
    ) -> Column:
        """A tag for every token. O(tokens x (templates + tags²)).

        Parameters
        ----------
        given
            The tags of some tokens, None where they are to be found.
        decoding
            "best": the best tagging. "spans": the one with the fewest wrong and missed phrases to be expected, sentence
            by sentence, which has more right phrases than the best. "f1": the phrases of highest expected F1 of all
            sentences together; see `runoff.model.chain_spans`. None: see `Tagger.decoding`.
        """
        return Column(self.tags, frozen(self.tag_of[self.label_states(corpus, given=given, decoding=decoding)]))

    def label_states(
        self, corpus: Corpus, *, given: Sequence[str | None] | None = None, decoding: str | None = None
    ) -> Columns:
        """The state of every token; see `label`."""
        rules, how = span_tags(self.states), decoding or self.decoding
        if how not in DECODINGS:
            raise UsageError(f"there is no decoding {how!r}; there are: {', '.join(DECODINGS)}.")
        if how != "best" and rules is None:
            raise UsageError("these tags are no spans (as B-NP, I-NP and O are); use the decoding best.")

        def work(data: Sequences, limits: Constraints | None) -> list[Columns]:
            if how != "best" and rules is not None:
                price = EVERY_ERROR if how == "spans" else None
                codes = decode_spans(self._chain, data, rules, limits, price=price).tags
            else:
                codes = self.model.best(data) if limits is None else self._chain.best(data, limits)
            return np.split(codes, data.offsets[1:-1])

        return np.concatenate([np.zeros(0, np.int32), *self._each(corpus, given, work)])

    def nbest(self, corpus: Corpus, k: int, *, given: Sequence[str | None] | None = None) -> TagLists:
        """The k best taggings of every sentence. O(tokens x (templates + tags² + k tags))."""
        names = np.array(list(map(self._shown, self.states)), object)
        found = self._each(
            corpus, given, lambda data, limits: list(zip(*self._chain.kbest(data, k, limits), strict=True))
        )
        return TagLists([names[paths].tolist() for paths, _ in found], [scores.tolist() for _, scores in found])

    def marginals(self, corpus: Corpus, *, given: Sequence[str | None] | None = None) -> Floats:
        """Probability of every tag, in the order of `tags`, at every token."""
        found = self._each(
            corpus, given, lambda data, limits: np.split(self._chain.marginals(data, limits), data.offsets[1:-1])
        )
        states = np.concatenate([np.zeros((0, len(self.states))), *found])
        table = np.zeros((len(self.states), len(self.tags)))
        table[np.arange(len(self.states)), self.tag_of] = 1.0
        return states @ table

    def explain(self, sentence: Corpus, token: int, *, against: str | None = None) -> TokenExplanation:
        """Why a token of a single sentence got its tag and not another, feature by feature."""
        from runoff.tasks.tagging.explanation import explain_token

        return explain_token(self, sentence, token, against)

    @property
    def _chain(self) -> ChainModel:
        if not isinstance(self.model, ChainModel):
            raise ModelError(
                "a tagger that goes from left to right gives one tagging, without constraints; train a chain "
                "(perceptron or crf)."
            )
        return self.model

    def _each(
        self,
        corpus: Corpus,
        given: Sequence[str | None] | None,
        work: Callable[[Sequences, Constraints | None], list[Any]],
    ) -> list[Any]:
        """What `work` gives for every sentence.

        A sentence for which the dictionary and the legal pairs leave no tagging is tagged without the dictionary and,
        where that is not enough, without both; given tags always stay.
        """
        if self.legal is None and not self.words and given is None:
            return work(self.features.transform(corpus), None)
        sets, of_words, of_given = self._sets(corpus, given)
        level, offsets = np.zeros(len(corpus), np.int64), writeable(corpus.offsets)
        for tried in range(2):
            limits = self._limits(tried, sets, of_words, of_given)
            stuck = np.zeros(len(corpus), bool)
            impossible(offsets, limits.arrays(len(self.states), corpus.n_tokens), stuck)
            level[stuck & (level == tried)] = tried + 1
        results: list[Any] = [None] * len(corpus)
        for tried in np.unique(level).tolist():
            chosen = np.flatnonzero(level == tried)
            part = corpus if chosen.size == len(corpus) else corpus[chosen]
            tokens = np.repeat(level == tried, corpus.sizes)
            limits = self._limits(tried, sets, of_words[tokens], of_given[tokens])
            for at, result in zip(chosen.tolist(), work(self.features.transform(part), limits), strict=True):
                results[at] = result
        return results

    def _limits(self, level: int, sets: Bools, of_words: Columns, of_given: Columns) -> Constraints:
        legal = self.legal if self.legal is not None and level < 2 else Constraints()
        set_of = of_given if level else np.where(of_given >= 0, of_given, of_words)
        return Constraints(legal.transitions, legal.starts, legal.ends, sets, set_of)

    def _sets(self, corpus: Corpus, given: Sequence[str | None] | None) -> tuple[Bools, Columns, Columns]:
        """States that words of the dictionary, and given tags, may have; and the set of every token, -1 for none."""
        table = np.zeros((len(self.words) + len(self.tags), len(self.states)), bool)
        for row, states in enumerate(self.words.values()):
            table[row, list(states)] = True
        table[len(self.words) + self.tag_of, np.arange(len(self.states))] = True
        of_words = of_given = np.full(corpus.n_tokens, -1, np.int32)
        if self.words and corpus.n_tokens:
            row_of = {word: row for row, word in enumerate(self.words)}
            column = corpus[WORD]
            of_words = np.array([row_of.get(word, -1) for word in column.values], np.int32)[column.codes]
        if given is not None:
            number = {tag: len(self.words) + at for at, tag in enumerate(self.tags)}
            if len(given) != corpus.n_tokens:
                raise UsageError(f"there are {len(given):,} given tags for {corpus.n_tokens:,} tokens.")
            unknown = next((tag for tag in given if tag is not None and tag not in number), None)
            if unknown is not None:
                raise UsageError(f"the tagger knows no tag {unknown!r}; it knows: {', '.join(self.tags)}.")
            of_given = np.array([-1 if tag is None else number[tag] for tag in given], np.int32)
        return table, of_words, of_given

    # ---------------------------------------------------------------- files

    def save(self, path: str | Path) -> None:
        """Write one file that `load_tagger` opens; nothing in it can run code."""
        from runoff.tasks.tagging.tagger_file import save

        save(self, path)

    def __repr__(self) -> str:
        return f"Tagger({self.column}: {len(self.tags)} tags, {self.features.n_features:,} features)"
