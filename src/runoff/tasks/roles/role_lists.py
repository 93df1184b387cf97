"""Labellings of predicates as an `NBest`, and back.

A list is one predicate of a sentence: its input is the words, a candidate's text is a tag of B, I and O for every word
("B-A0 B-V B-A1 I-A1"), and the reference has the gold tags, each joined by one blank. Its id is the sentence's id, a
colon and the position of the predicate, from 0. Parts of speech, document, predicate, lemma, voice and roleset are
attributes, and so are the arguments that a labeller proposed, with probabilities (`proposals_of` reads them). A blank
inside a word is written as ␣ (U+2423), as in lists of taggings.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from runoff.engines import current
from runoff.errors import DataError, UsageError, brief
from runoff.nbest import NBest
from runoff.pipeline.document_folds import Sentences, folds_of
from runoff.ranking import first_round
from runoff.tasks.roles import labelling_probabilities
from runoff.tasks.roles.features.predicate import voice_of
from runoff.tasks.roles.indexed_tree import IndexedTree
from runoff.tasks.roles.labelling_probabilities import best_labellings, by_probability
from runoff.tasks.roles.proposal_texts import PROPOSALS, proposals_text
from runoff.tasks.roles.propositions import Proposition
from runoff.tasks.tagging.tagging_lists import BLANK, DOCUMENT, split_entries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from runoff.ranking import Ranking
    from runoff.tasks.roles.labeller import RoleLabeller
    from runoff.tasks.roles.propositions import RoleSentence
    from runoff.tasks.roles.resolution import Labelling, Proposal

METRIC = "srl-eval[price=0.75]"  # about the F1 that labellers reach, so that learners train for F1
PREDICATE, LEMMA, VOICE, ROLESET, POS = "predicate", "lemma", "voice", "roleset", "pos"  # attributes
SUPPLIED = tuple(f"labeller:{what}" for what in labelling_probabilities.SUPPLIED)


def to_nbest(
    sentences: Sequence[RoleSentence],
    labellings: Sequence[Sequence[Sequence[Labelling]]],
    *,
    gold: bool | None = None,
    supplied: Mapping[str, Sequence[float]] | None = None,
    proposed: Sequence[Sequence[Sequence[Proposal]]] | None = None,
) -> NBest:
    """Lists of labellings as data; the base score of a candidate is the score of the labelling. O(words labellings).

    Parameters
    ----------
    sentences
        The sentences. Those without an id are called by their number from 1.
    labellings
        For every predicate of every sentence its labellings, best first, as `RoleLabeller.nbest` gives them. The gold
        one need not be among them.
    gold
        Whether the arguments that the sentences have are the references. Default: if there are any.
    supplied
        Features of all candidates, one after the other, by name.
    proposed
        For every predicate of every sentence the arguments that the labeller proposed: an attribute, not a feature.

    Examples
    --------
    >>> from runoff.tasks.roles.propositions import Argument, RoleSentence
    >>> from runoff.tasks.roles.resolution import Labelling
    >>> left = Proposition.of(1, "leave", [(0, 1, "A0"), (1, 2, "V")])
    >>> sentence = RoleSentence(("I", "left"), (left,), pos=("PRP", "VBD"), id="a")
    >>> data = to_nbest([sentence], [[[Labelling((), 0.1), Labelling((Argument(0, 1, "A0"),), 0.0)]]])
    >>> data.group_ids.to_pylist(), data.texts.to_pylist(), data.references.to_pylist()
    (['a:1'], ['O B-V', 'B-A0 B-V'], [['B-A0 B-V']])
    >>> data.attributes["voice"].to_pylist()
    ['active']
    """
    if [len(each.propositions) for each in sentences] != [len(each) for each in labellings]:
        raise UsageError("expected labellings of every predicate of every sentence.")
    has_gold = any(each.roles for _, each in _predicates(sentences)) if gold is None else gold
    attributes = _attributes(sentences)
    if proposed is not None:
        attributes[PROPOSALS] = [proposals_text(pool) for pools in proposed for pool in pools]
    each_list = list(itertools.chain.from_iterable(labellings))
    texts = [
        " ".join(proposition.with_roles(labelling.roles).tags(len(sentence.words)))
        for (sentence, proposition), found in zip(_predicates(sentences), each_list, strict=True)
        for labelling in found
    ]
    return NBest.from_arrays(
        None if supplied is None else list(zip(*supplied.values(), strict=True)),
        feature_names=None if supplied is None else list(supplied),
        sizes=[len(found) for found in each_list],
        group_ids=_ids(sentences),
        texts=texts,
        base=[labelling.score for found in each_list for labelling in found],
        inputs=[_joined(sentence.words) for sentence, _ in _predicates(sentences)],
        references=[[" ".join(each.tags(len(sentence.words)))] for sentence, each in _predicates(sentences)]
        if has_gold
        else None,
        attributes=attributes,
        metric=METRIC,
    )


def role_lists(labeller: RoleLabeller, sentences: Sequence[RoleSentence], k: int) -> NBest:
    """The k best labellings of every predicate, and what the labeller's probabilities say of them.

    Features of a candidate: how many of its arguments are right by expectation (`labeller:right`), the logarithm of the
    probability that these are all arguments, as if they were independent (`labeller:log`), and the smallest probability
    of one of them (`labeller:least`).

    Examples
    --------
    >>> role_lists(load_labeller("roles.runoff"), read_roles("dev.jsonl"), 20)  # doctest: +SKIP
    NBest(4308 groups, 71234 candidates, 3 features, metric srl-eval)
    """
    proposed = [found for _, found in labeller.proposals(sentences)]
    return _lists(sentences, proposed, k, [labeller.price] * len(sentences))


def jackknifed_lists(
    sentences: Sequence[RoleSentence],
    folds: int,
    k: int,
    train: Callable[[list[RoleSentence]], RoleLabeller],
    *,
    step: Callable[[int], object] | None = None,
) -> NBest:
    """Lists for training a second round: every fold labelled by a labeller that was trained on the others.

    Folds are made of whole documents; sentences without one are documents of their own. Costs `folds` trainings;
    `step` is told the number of each, from 1.

    Examples
    --------
    >>> jackknifed_lists(train, 5, 20, lambda part: train_labeller(part, "full"))  # doctest: +SKIP
    """
    fold_of = folds_of(material_of(sentences), folds)
    proposed: list[list[list[Proposal]]] = [[] for _ in sentences]
    prices = [0.0] * len(sentences)
    engine = current()
    made = engine.map(
        _proposed_in, range(folds), engine.share((list(sentences), list(fold_of))), engine.share(train), alone=True
    )
    for fold in range(folds):
        if step is not None:
            step(fold + 1)
        price, of_fold = next(made)
        for at, found in zip([at for at, own in enumerate(fold_of) if own == fold], of_fold, strict=True):
            proposed[at], prices[at] = found, price
    return _lists(sentences, proposed, k, prices)


def _proposed_in(
    fold: int, cut: tuple[list[RoleSentence], list[int]], train: Callable[[list[RoleSentence]], RoleLabeller]
) -> tuple[float, list[list[list[Proposal]]]]:
    """The price of arguments, and what is proposed for the sentences of a fold by a labeller of the others."""
    both = list(zip(*cut, strict=True))
    labeller = train([each for each, own in both if own != fold])
    return labeller.price, [found for _, found in labeller.proposals([each for each, own in both if own == fold])]


def material_of(sentences: Sequence[RoleSentence]) -> Sentences:
    """What folds are made from.

    Examples
    --------
    >>> from runoff.tasks.roles.propositions import Argument, RoleSentence
    >>> material_of([RoleSentence(("I", "left"), document="d"), RoleSentence(("So",))]).documents
    ['d', '#2']
    """
    return Sentences(
        [f"#{at}" if each.document is None else each.document for at, each in enumerate(sentences, 1)],
        [" ".join(each.words) for each in sentences],
        [len(each.words) for each in sentences],
        f"{len(sentences):,} sentences with roles",
    )


def to_sentences(data: NBest, sentences: Sequence[RoleSentence], choice: Ranking | None = None) -> list[RoleSentence]:
    """The same sentences with the chosen arguments; every predicate needs a list, and there must be no other lists.

    Parameters
    ----------
    data
        As `to_nbest` makes it of these sentences.
    sentences
        The sentences; arguments that they have do not matter.
    choice
        Whose winners are taken; default: the first round's.

    Examples
    --------
    >>> from runoff.tasks.roles.propositions import Argument, RoleSentence
    >>> from runoff.tasks.roles.resolution import Labelling
    >>> left = Proposition.of(1, "leave", [(0, 1, "A1"), (1, 2, "V")])
    >>> sentence = RoleSentence(("I", "left"), (left,), id="a")
    >>> data = to_nbest([sentence], [[[Labelling((Argument(0, 1, "A0"),), 0.0)]]])
    >>> to_sentences(data, [sentence])[0].propositions[0].roles
    (Argument(start=0, stop=1, label='A0'),)
    """
    if data.texts is None or data.inputs is None:
        raise DataError("lists of roles need the words as inputs and the tags as texts of the candidates.")
    if data.n_candidates and not data.sizes.all():
        empty = data.group_ids[int(data.sizes.argmin())].as_py()
        raise DataError(f"list {empty!r} has no labelling to choose; leave it out.")
    texts = data.texts.take((choice or first_round(data)).top).to_pylist()
    chosen = dict(zip(data.group_ids.to_pylist(), zip(data.inputs.to_pylist(), texts, strict=True), strict=True))
    ids = iter(_ids(sentences))
    found = [
        each.with_propositions(_chosen(each, next(ids), old, chosen) for old in each.propositions) for each in sentences
    ]
    if chosen:
        raise DataError(
            f"the list {next(iter(chosen))!r} is of no predicate of the sentences; give those it was made of."
        )
    return found


def _chosen(sentence: RoleSentence, name: str, old: Proposition, chosen: dict[str, tuple[str, str]]) -> Proposition:
    if name not in chosen:
        raise DataError(
            f"there is no list {name!r} for the predicate {brief(old.lemma)}; make lists of these sentences."
        )
    words, text = chosen.pop(name)
    tags = split_entries(text)
    if sentence.has_words and split_entries(words) != list(sentence.words):
        raise DataError(f"the list {name!r} has other words than the sentence; give the sentences it was made of.")
    if len(tags) != len(sentence.words):
        raise DataError(f"list {name!r} has {len(sentence.words):,} words; found {len(tags):,} tags.")
    return old.with_roles(Proposition.of_tags(tags, old.predicate, old.lemma).roles)


def _lists(
    sentences: Sequence[RoleSentence],
    proposed: Sequence[Sequence[Sequence[Proposal]]],
    k: int,
    prices: Sequence[float],
) -> NBest:
    labellings: list[list[list[Labelling]]] = []
    rows: list[tuple[float, float, float]] = []
    for sentence, pools, own in zip(sentences, proposed, prices, strict=True):
        labellings.append([])
        for pool in pools:
            found = best_labellings(pool, len(sentence.words), price=own, k=k)
            rows += [by_probability(pool, labelling) for labelling in found]
            labellings[-1].append(found)
    supplied = dict(zip(SUPPLIED, zip(*rows, strict=True), strict=True)) if rows else None
    return to_nbest(sentences, labellings, supplied=supplied, proposed=proposed)


def _predicates(sentences: Iterable[RoleSentence]) -> Iterator[tuple[RoleSentence, Proposition]]:
    return ((sentence, proposition) for sentence in sentences for proposition in sentence.propositions)


def _ids(sentences: Sequence[RoleSentence]) -> list[str]:
    names = [str(at) if each.id is None else each.id for at, each in enumerate(sentences, 1)]
    found = [
        f"{name}:{own.predicate}" for name, each in zip(names, sentences, strict=True) for own in each.propositions
    ]
    if len(set(found)) < len(found):
        twice = next(name for at, name in enumerate(found) if name in found[:at])
        raise DataError(f"two predicates would have the list {twice!r}: ids of sentences must differ.")
    return found


def _attributes(sentences: Sequence[RoleSentence]) -> dict[str, Any]:
    """What features need to know of every predicate."""
    found: dict[str, list[str]] = {name: [] for name in (PREDICATE, LEMMA, VOICE, ROLESET, POS, DOCUMENT)}
    documents = material_of(sentences).documents
    for sentence, document in zip(sentences, documents, strict=True):
        tags = sentence.pos if sentence.pos is not None or sentence.tree is None else IndexedTree(sentence.tree).tags
        lower = [word.lower() for word in sentence.words]
        for each in sentence.propositions:
            found[PREDICATE].append(str(each.predicate))
            found[LEMMA].append(each.lemma)
            found[VOICE].append("" if tags is None else voice_of(tags, lower, each.predicate, each.lemma))
            found[ROLESET].append(each.roleset or "")
            found[POS].append("" if tags is None else _joined(tags))
            found[DOCUMENT].append(document)
    return {name: values for name, values in found.items() if any(values)}


def _joined(entries: Iterable[str]) -> str:
    found = list(entries)
    for entry in found:
        if not entry or BLANK in entry:
            raise DataError(
                f"a word is empty or has the sign {BLANK}, which is a blank in lists: {brief(entry)}; change it."
            )
    return " ".join(entry.replace(" ", BLANK) for entry in found)
