"""Role labellers: candidates, their features, and a model that tells which of them are arguments."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.errors import ModelError, UsageError
from runoff.features.sequences import Sequences
from runoff.kernels.chain_labels import sequence_scores
from runoff.kernels.chain_spans import span_probabilities
from runoff.model.chain_model import ChainModel
from runoff.model.chain_shape import tokens_of
from runoff.tasks.roles.candidates import OTHER, OUTSIDE, kind_of, roles_of_tags, without_stray_pieces
from runoff.tasks.roles.frames import allowed_core
from runoff.tasks.roles.left_to_right import tags_left_to_right
from runoff.tasks.roles.propositions import CORE, PREDICATE
from runoff.tasks.roles.resolution import PRICE, Labelling, Proposal, resolve, resolve_greedily
from runoff.tasks.tagging.span_rules import span_tags

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from runoff.arrays import Bools, Columns, Floats
    from runoff.model.chain_spans import SpanTags
    from runoff.tasks.roles.candidates import Kind
    from runoff.tasks.roles.propositions import Proposition, RoleSentence
    from runoff.tasks.roles.role_features import RoleFeatures, RoleRows
    from runoff.tasks.roles.syntax import Constituent

LEAST = 0.02  # probability of a proposal
_BATCH = 500  # sentences whose features are in memory at a time


@dataclass(frozen=True, eq=False)
class RoleLabeller:
    """Finds the arguments of predicates; made by `train_labeller`.

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> from runoff.tasks.roles.labeller_training import train_labeller
    >>> from runoff.tasks.roles.propositions import Proposition, RoleSentence
    >>> said = Proposition.of(1, "eat", [(0, 1, "A0"), (1, 2, "V"), (2, 3, "A1")])
    >>> tree = parse_tree("(S (NP (PRP I)) (VP (VBP eat) (NP (NNS figs))))")
    >>> sentences = [RoleSentence(("I", "eat", "figs"), (said,), tree=tree)] * 20
    >>> labeller = train_labeller(sentences, "full")
    >>> labeller.label(sentences[:1])[0].propositions[0].roles
    (Argument(start=0, stop=1, label='A0'), Argument(start=2, stop=3, label='A1'))
    """

    kind: str
    tags: tuple[str, ...]  # of candidates
    features: RoleFeatures
    model: Any  # `ChainModel` or `TreeChainModel`
    price: float = PRICE
    provenance: dict[str, Any] = field(default_factory=dict)

    @property
    def how(self) -> Kind:
        """How candidates are made."""
        return kind_of(self.kind)

    def label(self, sentences: Sequence[RoleSentence], *, greedy: bool = False) -> list[RoleSentence]:
        """The same sentences and predicates with the arguments that are found; arguments that they have do not matter.

        The set of arguments with the highest expected F1 without overlap and without a second A0, A1, …; `greedy`: one
        argument after the other by probability, as the paper's third model has it.
        """
        found = []
        for sentence, proposed in self.proposals(sentences):
            labelled = []
            for proposition, proposals in zip(sentence.propositions, proposed, strict=True):
                if greedy:
                    roles = resolve_greedily(proposals)
                else:
                    roles = resolve(proposals, len(sentence.words), price=self.price)[0].roles
                labelled.append(proposition.with_roles(without_stray_pieces(roles)))
            found.append(sentence.with_propositions(labelled))
        return found

    def label_left_to_right(self, sentences: Sequence[RoleSentence]) -> list[RoleSentence]:
        """The same with tags that are decided one after the other, each after the best before it, as in the paper."""
        if not self.how.is_sequence:
            raise UsageError(
                "constituents are no sequence; only labellers of runs of candidates go from left to right."
            )
        legal, found = self._rules[1], []
        for first in range(0, len(sentences), _BATCH):
            batch = sentences[first : first + _BATCH]
            scored = self._scored(self.features.transform(batch), batch)
            for sentence in batch:
                labelled = []
                for proposition, (candidates, unary, edges) in zip(sentence.propositions, scored, strict=False):
                    tags = tags_left_to_right(unary, edges, legal, self.tags)
                    roles = roles_of_tags(self.how, candidates, tags)
                    labelled.append(proposition.with_roles(without_stray_pieces(roles)))
                found.append(sentence.with_propositions(labelled))
        return found

    def nbest(self, sentences: Sequence[RoleSentence], k: int) -> list[list[list[Labelling]]]:
        """Of every sentence and predicate, the k best labellings."""
        return [
            [resolve(proposals, len(sentence.words), price=self.price, k=k) for proposals in proposed]
            for sentence, proposed in self.proposals(sentences)
        ]

    def proposals(self, sentences: Sequence[RoleSentence]) -> Iterator[tuple[RoleSentence, list[list[Proposal]]]]:
        """Of every sentence, and every predicate of it, the arguments that are probable enough.

        Of a sentence with several trees, probabilities are those by each tree, weighted by the trees'.
        """
        copies = [self._by_tree(sentence) for sentence in sentences]
        step = max(1, _BATCH // max(map(len, copies), default=1))
        for first in range(0, len(sentences), step):
            batch = copies[first : first + step]
            flat = [copy for own in batch for _, copy in own]
            rows = self.features.transform(flat)
            each = iter(self._of_sequences(rows, flat) if self.how.is_sequence else self._of_rows(rows, flat))
            for sentence, own in zip(sentences[first : first + step], batch, strict=True):
                found = [(weight, [next(each) for _ in sentence.propositions]) for weight, _ in own]
                yield sentence, found[0][1] if len(found) == 1 else mixture(found)

    def _by_tree(self, sentence: RoleSentence) -> list[tuple[float, RoleSentence]]:
        if not self.how.use_tree or sentence.trees is None:
            return [(1.0, sentence)]
        total = sum(each.probability for each in sentence.trees)
        return [(each.probability / total, sentence.with_tree(each.tree)) for each in sentence.trees]

    def _of_rows(self, rows: RoleRows, sentences: Sequence[RoleSentence]) -> Iterator[list[Proposal]]:
        data = sequences_of(rows, self.how, self.features.n_features)
        if isinstance(self.model, ChainModel):
            chances = self.model.marginals(data)
        else:
            chances = np.exp(self.model.log_probabilities(data))
        at = 0
        for candidates, proposition in zip(rows.candidates, _propositions(sentences), strict=True):
            own = np.where(self._allowed(proposition), chances[at : at + len(candidates)], 0.0)
            own /= np.maximum(own.sum(axis=1, keepdims=True), 1e-300)
            at += len(candidates)
            places, tags = np.nonzero(own > LEAST)
            yield [
                Proposal(*candidates[place][1:3], self.tags[tag], float(own[place, tag]))
                for place, tag in zip(places.tolist(), tags.tolist(), strict=True)
                if self.tags[tag] not in (OUTSIDE, OTHER)
            ]

    def _of_sequences(self, rows: RoleRows, sentences: Sequence[RoleSentence]) -> Iterator[list[Proposal]]:
        rules, legal, types = self._rules
        for candidates, unary, edges in self._scored(rows, sentences):
            many, spans, probable = span_probabilities(
                unary,
                np.where(legal, edges, -np.inf),
                rules.continues,
                rules.type_of,
                rules.n_types,
                LEAST,
                2 * len(unary) + 8,
            )
            yield [
                Proposal(candidates[start].start, candidates[stop - 1].stop, types[label], chance)
                for (start, stop, label), chance in zip(spans[:many].tolist(), probable[:many].tolist(), strict=True)
                if types[label] not in (PREDICATE, OTHER)
            ]

    def _scored(
        self, rows: RoleRows, sentences: Sequence[RoleSentence]
    ) -> Iterator[tuple[Sequence[Constituent], Floats, Floats]]:
        """Of every predicate its candidates, the scores of their tags and those of pairs of tags."""
        data = sequences_of(rows, self.how, self.features.n_features)
        if isinstance(self.model, ChainModel):
            tokens, weights, chances = tokens_of(data), self.model.weights, None
        else:
            chances = self.model.log_probabilities(data)
        edges = np.zeros((1, len(self.tags), len(self.tags)))
        for number, (candidates, proposition) in enumerate(zip(rows.candidates, _propositions(sentences), strict=True)):
            if chances is None:
                unary, edges = sequence_scores(number, tokens, weights, None)
            else:
                unary = chances[data.offsets[number] : data.offsets[number + 1]].copy()
            self._limit(unary, candidates, proposition)
            yield candidates, unary, edges

    def _limit(self, unary: Floats, candidates: Sequence[Constituent], proposition: Proposition) -> None:
        """Only the predicate is V, no argument begins inside, and core roles are those of the frame."""
        own = self.tags.index(PREDICATE)
        at = next(at for at, each in enumerate(candidates) if each.start <= proposition.predicate < each.stop)
        unary[:, ~self._allowed(proposition)] = -np.inf
        unary[:, own] = -np.inf
        unary[at] = -np.inf
        unary[at, own] = 0.0
        unary[0, self._inside] = -np.inf

    @cached_property
    def _inside(self) -> Bools:
        return np.array([tag.startswith("I-") for tag in self.tags])

    @cached_property
    def _rules(self) -> tuple[SpanTags, Bools, dict[int, str]]:
        """What spans are, which tag may follow which, and the labels of types."""
        names = [f"B-{PREDICATE}" if tag == PREDICATE else tag for tag in self.tags]
        rules = span_tags(names)
        if rules is None:
            raise ModelError("the tags of this labeller are not those of stretches.")
        legal = ~self._inside[None, :] | rules.continues
        types = {kind: name[2:] for kind, name in zip(rules.type_of.tolist(), names, strict=True) if kind >= 0}
        return rules, legal[None], types

    def _allowed(self, proposition: Proposition) -> Bools:
        """Tags that a predicate's frame allows."""
        core = allowed_core(self.features.lexicon.frames, proposition.lemma)
        if core is None:
            return np.ones(len(self.tags), bool)
        return np.array([_label(tag) not in CORE or _label(tag) in core for tag in self.tags])

    def save(self, path: str | Path) -> None:
        """Write one file that `load_labeller` opens; nothing in it can run code."""
        from runoff.tasks.roles.labeller_file import save_labeller

        save_labeller(self, path)

    def __repr__(self) -> str:
        return f"RoleLabeller({self.kind}: {len(self.tags)} tags, {self.features.n_features:,} features)"


def mixture(found: Sequence[tuple[float, Sequence[Sequence[Proposal]]]]) -> list[list[Proposal]]:
    """Proposals for every predicate as several sources have them, their probabilities weighted by those of the sources.

    Examples
    --------
    >>> (found,) = mixture([(0.75, [[Proposal(0, 1, "A0", 0.8)]]), (0.25, [[Proposal(0, 2, "A0", 0.4)]])])
    >>> [(each.stop, round(each.probability, 2)) for each in found]
    [(1, 0.6), (2, 0.1)]
    """
    together: list[list[Proposal]] = []
    for same in zip(*(pools for _, pools in found), strict=True):
        sums: dict[tuple[int, int, str], float] = {}
        for (weight, _), pool in zip(found, same, strict=True):
            for start, stop, label, probability in pool:
                sums[start, stop, label] = sums.get((start, stop, label), 0.0) + weight * probability
        together.append([Proposal(*each, total) for each, total in sorted(sums.items()) if total > LEAST])
    return together


def _label(tag: str) -> str:
    return tag.removeprefix("B-").removeprefix("I-").removeprefix("R-").removeprefix("C-")


def _propositions(sentences: Sequence[RoleSentence]) -> Iterator[Proposition]:
    return (proposition for sentence in sentences for proposition in sentence.propositions)


def sequences_of(
    rows: RoleRows, kind: Kind, n_features: int, tags: Columns | None = None, n_tags: int = 0
) -> Sequences:
    """Rows as sequences of candidates, or each by itself."""
    n = rows.indptr.size - 1
    offsets = np.arange(n + 1)
    if kind.is_sequence:
        offsets = np.concatenate([[0], np.cumsum([len(each) for each in rows.candidates])])
    none = np.zeros(0, np.int32)
    return Sequences(
        offsets.astype(np.int64),
        rows.indptr,
        rows.columns,
        n_features,
        np.zeros(n + 1, np.int64),
        none,
        none,
        kind.is_sequence,
        tags,
        n_tags,
    )
