"""Role labellers from sentences with roles."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.errors import DataError, UsageError
from runoff.learners import BoostedChain, ChainCRF
from runoff.model.chain_model import ChainModel
from runoff.tasks.roles.candidates import OTHER, OUTSIDE, kind_of, tags_of_candidates
from runoff.tasks.roles.labeller import RoleLabeller, sequences_of
from runoff.tasks.roles.propositions import PREDICATE
from runoff.tasks.roles.resolution import PRICE, resolve
from runoff.tasks.roles.role_features import RoleFeatures
from runoff.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from runoff.features.sequences import Sequences
    from runoff.tasks.roles.candidates import Kind
    from runoff.tasks.roles.propositions import RoleSentence
    from runoff.tasks.roles.role_features import RoleRows

PAPER = {"min_count": 15, "min_count_predicate": 3}  # of Màrquez et al. (2005)
_OURS = {"min_count": 3, "min_count_predicate": 2}
_PRICES = tuple(round(0.05 * step, 2) for step in range(6, 25))


def default_learner(name: str = "crf") -> Any:
    """A random field, or the paper's trees.

    Examples
    --------
    >>> default_learner("boost").rounds
    200
    """
    if name == "boost":
        return BoostedChain(rounds=200, depth=4)
    if name != "crf":
        raise UsageError(f"there is no learner {name!r} of role labellers; there are: crf, boost.")
    return ChainCRF(solver="sgd", sigma=3.0, epochs=8, rate=0.01, least_weight=0.01)


def train_labeller(
    sentences: Sequence[RoleSentence],
    kind: str,
    *,
    learner: Any = None,
    dev: Sequence[RoleSentence] | None = None,
    frames: Mapping[str, str] | None = None,
    labels: int | None = None,
    min_count: int | None = None,
    min_count_predicate: int | None = None,
    copies: Sequence[RoleSentence] = (),
) -> RoleLabeller:
    """Train a labeller on sentences with roles and syntax.

    Parameters
    ----------
    sentences
        With trees for the kinds "full" and "constituents"; with parts of speech, base phrases and clauses for
        "partial". Syntax should be such as the labeller will see: found by tools that did not learn from these
        sentences.
    kind
        "partial", "full" or "constituents": models 1, 2 and 3 of Màrquez, Surdeanu, Comas & Turmo (2005).
    learner
        `ChainCRF` (default), which sees conjunctions of features and little of the candidates beside; or
        `BoostedChain`, the paper's, which sees all of tables 1 to 6 and no conjunctions.
    dev
        Sentences on which the price of an argument is found.
    frames
        Numbers of the roles that the predicates of a lemma may have; see `read_frames`.
    labels
        How many of the most frequent labels are learned; others become one that is never given.
    min_count, min_count_predicate
        Features (of the predicate) that fewer candidates have are left out; the paper's for trees are 15 and 3.
    copies
        Further sentences to learn from, such as the same ones with other trees.

    Notes
    -----
    Cost: about 50 microseconds for the features of a candidate, then that of the learner.

    Examples
    --------
    >>> from runoff.tasks.roles.demo.village import Village
    >>> train_labeller(Village(0).sentences(20), "constituents")
    RoleLabeller(constituents: ... tags, ... features)
    """
    how = kind_of(kind)
    material = [*sentences, *copies]
    if not any(sentence.propositions for sentence in material):
        raise DataError("there are no predicates to learn from.")
    pupil = default_learner() if learner is None else learner.clone()
    is_boosted = isinstance(pupil, BoostedChain)
    if not is_boosted and not isinstance(pupil, ChainCRF):
        raise UsageError("a role labeller needs probabilities: take a random field or boosted trees.")
    least = PAPER if is_boosted else _OURS
    features, rows = RoleFeatures.fit(
        material,
        kind,
        frames=frames,
        pairs=not is_boosted,
        min_count=min_count or least["min_count"],
        min_count_predicate=min_count_predicate or least["min_count_predicate"],
    )
    tags, codes = _numbered_tags(how, material, rows, how.labels if labels is None else labels)
    if len(tags) < 2:
        raise DataError("no candidate is an argument: there is nothing to learn.")
    data = sequences_of(rows, how, features.n_features, codes, len(tags))
    n_rows = data.n_tokens
    if is_boosted and how.is_sequence:
        data = with_history(data)
    pupil.fit(data)
    provenance = {
        "runoff": __version__,
        "learner": type(pupil).__name__,
        "parameters": pupil.get_params(),
        "sentences": len(material),
        "predicates": len(rows.candidates),
        "candidates": n_rows,
        "finished": pupil.finished_,
    }
    found = _compact(RoleLabeller(kind, tags, features, pupil.model, PRICE, provenance))
    return found if dev is None else replace(found, price=best_price(found, dev))


def _numbered_tags(
    how: Kind, sentences: Sequence[RoleSentence], rows: RoleRows, labels: int
) -> tuple[tuple[str, ...], Any]:
    propositions = [each for sentence in sentences for each in sentence.propositions]
    tags = [
        tag
        for candidates, proposition in zip(rows.candidates, propositions, strict=True)
        for tag in tags_of_candidates(how, candidates, proposition)
    ]
    counts = Counter(tags)
    kept = [tag for tag, _ in counts.most_common() if tag not in (OUTSIDE, PREDICATE)][:labels]
    starts = {tag for tag in kept if not tag.startswith("I-") or f"B-{tag[2:]}" in kept}
    names = [OUTSIDE, *([PREDICATE] if how.is_sequence else []), *(tag for tag in kept if tag in starts)]
    rare = set(counts) - set(names)
    if rare:
        names += [f"B-{OTHER}", f"I-{OTHER}"] if how.is_sequence else [OTHER]
    number = {tag: at for at, tag in enumerate(names)}
    number |= {tag: number[f"{tag[:2]}{OTHER}" if how.is_sequence else OTHER] for tag in rare}
    return tuple(names), np.array([number[tag] for tag in tags], np.int32)


def with_history(data: Sequences) -> Sequences:
    """The same sequences with the tag before as a feature of every candidate."""
    n = data.n_tokens
    return replace(
        data,
        history_indptr=np.arange(n + 1, dtype=np.int64),
        history=np.zeros(n, np.int32),
        modes=np.ones(1, np.int32),
        transitions=False,
    )


def _compact(labeller: RoleLabeller) -> RoleLabeller:
    """Without the features that have no weight."""
    if not isinstance(labeller.model, ChainModel):
        return labeller
    model = labeller.model.without_zeros()
    used = np.diff(model.shape.rows) > 0
    shape = replace(model.shape, rows=np.concatenate([[0], np.cumsum(np.diff(model.shape.rows)[used])]))
    return replace(
        labeller,
        features=labeller.features.only(used),
        model=ChainModel(shape, model.vector, model.is_probabilistic),
    )


def best_price(labeller: RoleLabeller, sentences: Sequence[RoleSentence]) -> float:
    """The price with which F1 is highest on sentences with roles.

    The expected F1 would be too high a price where a model is too sure. F1 is that of arguments without their further
    pieces; prices go in steps of 0.05, and of equal ones the lowest is taken. O(proposals) for every price.
    """
    pools = [
        (len(sentence.words), frozenset(proposition.roles), proposals)
        for sentence, proposed in labeller.proposals(sentences)
        for proposition, proposals in zip(sentence.propositions, proposed, strict=True)
    ]

    def f1(price: float) -> float:
        right = many = 0
        for n_words, gold, proposals in pools:
            roles = resolve(proposals, n_words, price=price)[0].roles
            right, many = right + len(gold.intersection(roles)), many + len(roles)
        return 2 * right / max(many + sum(len(gold) for _, gold, _ in pools), 1)

    return max(_PRICES, key=f1)
