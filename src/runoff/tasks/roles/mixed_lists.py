"""Lists of several labellers as one: probabilities are mixed, and candidates bring what each labeller thinks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runoff.errors import DataError, UsageError
from runoff.nbest import NBest
from runoff.tasks.roles.labeller import mixture
from runoff.tasks.roles.labelling_probabilities import SUPPLIED, best_labellings, by_probability
from runoff.tasks.roles.proposal_texts import PROPOSALS, proposals_of, proposals_text
from runoff.tasks.roles.propositions import Proposition
from runoff.tasks.roles.resolution import PRICE
from runoff.tasks.roles.role_lists import PREDICATE
from runoff.tasks.tagging.tagging_lists import split_entries

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.tasks.roles.resolution import Proposal

MIXED = "labeller"  # columns of the mixture have the names that those of one labeller have


def mixed_lists(
    lists: Mapping[str, NBest], k: int, *, weights: Mapping[str, float] | None = None, price: float = PRICE
) -> NBest:
    """The k best labellings by the mean of several labellers' probabilities.

    An argument that one labeller does not propose has the probability 0 there. Candidates bring `labeller:right`,
    `:log` and `:least` by the mixture and `NAME:right` … by every labeller. O(proposals) beside the search.

    Parameters
    ----------
    lists
        Lists of the same predicates by name of the labeller, with the attribute `proposals`, as `roles nbest` and
        `roles jackknife` write them. The order is the first one's.
    k
        Most labellings of a predicate.
    weights
        Of labellers, by name; default: all count the same.
    price
        Of an argument; see `resolve`.

    Examples
    --------
    >>> from runoff.tasks.roles.propositions import RoleSentence
    >>> from runoff.tasks.roles.resolution import Labelling, Proposal
    >>> from runoff.tasks.roles.role_lists import to_nbest
    >>> left = Proposition.of(1, "leave", [(0, 1, "A0"), (1, 2, "V")])
    >>> one, two = (
    ...     to_nbest([RoleSentence(("I", "left"), (left,))], [[[Labelling((), 0.0)]]], proposed=[[[proposal]]])
    ...     for proposal in (Proposal(0, 1, "A0", 0.9), Proposal(0, 1, "A1", 0.7))
    ... )
    >>> mixed_lists({"one": one, "two": two}, 5).texts.to_pylist()
    ['B-A0 B-V', 'O B-V', 'B-A1 B-V']
    """
    shares = _shares(lists, weights)
    first = next(iter(lists.values()))
    places = {name: _places(first, data, name) for name, data in lists.items()}
    pools = {name: data.attributes[PROPOSALS].to_pylist() for name, data in lists.items()}
    sizes: list[int] = []
    texts: list[str] = []
    base: list[float] = []
    rows: list[list[float]] = []
    together: list[str] = []
    for group, (words, own) in enumerate(zip(*_sides(first), strict=True)):
        predicate = Proposition.of_tags(split_entries(own), _predicate(first, group), "")
        proposed = [_proposals(pools[name][places[name][group]], first, group) for name in lists]
        pool = mixture([(share, [each]) for share, each in zip(shares, proposed, strict=True)])[0]
        n_words = len(split_entries(words))
        if any(each.stop > n_words for each in pool):
            raise DataError(
                f"list {first.group_ids[group].as_py()!r} has a proposal beyond its {n_words:,} words; make the lists "
                "of the same sentences."
            )
        found = best_labellings(pool, n_words, price=price, k=k)
        sizes.append(len(found))
        together.append(proposals_text(pool))
        for each in found:
            texts.append(" ".join(predicate.with_roles(each.roles).tags(n_words)))
            base.append(each.score)
            rows.append([value for source in (pool, *proposed) for value in by_probability(source, each)])
    attributes: dict[str, Any] = {name: column.to_pylist() for name, column in first.attributes.items()}
    return NBest.from_arrays(
        rows or None,
        feature_names=[f"{name}:{what}" for name in (MIXED, *lists) for what in SUPPLIED] if rows else None,
        sizes=sizes,
        group_ids=first.group_ids,
        texts=texts,
        base=base,
        inputs=first.inputs,
        references=first.references,
        attributes={**attributes, PROPOSALS: together},
        metric=first.metric,
    )


def _shares(lists: Mapping[str, NBest], weights: Mapping[str, float] | None) -> list[float]:
    if not lists:
        raise UsageError("there are no lists to mix.")
    if MIXED in lists:
        raise UsageError(f"the name {MIXED!r} is that of the mixture; give a labeller another name.")
    unknown = sorted(set(weights or ()) - set(lists))
    if unknown:
        raise UsageError(f"there is a weight for {unknown[0]!r}, which is none of {', '.join(lists)}.")
    found = [(weights or {}).get(name, 1.0) for name in lists]
    if not all(0 <= each < float("inf") for each in found) or not sum(found):
        raise UsageError("weights of labellers must be at least 0, and one of them more.")
    return [each / sum(found) for each in found]


def _places(first: NBest, data: NBest, name: str) -> list[int]:
    """Where the lists of the first labeller are in those of another, which must be of the same predicates."""
    for what, missing in ((PROPOSALS, PROPOSALS not in data.attributes), ("words", data.inputs is None)):
        if missing or data.texts is None:
            raise DataError(f"the lists of {name!r} have no {what}; make them by `runoff roles nbest` or `jackknife`.")
    place = {group: at for at, group in enumerate(data.group_ids.to_pylist())}
    found = []
    for at, group in enumerate(first.group_ids.to_pylist()):
        if group not in place:
            raise DataError(f"the lists of {name!r} have no list {group!r}; all must be of the same predicates.")
        found.append(place.pop(group))
        for what in ("inputs", "references"):
            one, other = getattr(first, what), getattr(data, what)
            if None not in (one, other) and one[at].as_py() != other[found[-1]].as_py():
                raise DataError(f"the list {group!r} of {name!r} has other {what} than that of the first labeller.")
    if place:
        raise DataError(f"the lists of {name!r} have the list {next(iter(place))!r} more than those of the first.")
    return found


def _sides(data: NBest) -> tuple[list[str], list[str]]:
    """The words of every list and its first candidate, which tells the predicate's own words."""
    if data.inputs is None or data.texts is None:
        raise DataError("lists of roles need the words as inputs and the tags as texts of the candidates.")
    if data.n_candidates and not data.sizes.all():
        raise DataError(f"list {data.group_ids[int(data.sizes.argmin())].as_py()!r} has no labelling.")
    return data.inputs.to_pylist(), data.texts.take(data.offsets[:-1]).to_pylist()


def _predicate(data: NBest, group: int) -> int:
    text = data.attributes[PREDICATE][group].as_py() if PREDICATE in data.attributes else None
    return int(text) if text is not None and text.isdecimal() else 0


def _proposals(text: str | None, data: NBest, group: int) -> list[Proposal]:
    try:
        return proposals_of(text or "")
    except DataError as error:
        raise DataError(f"list {data.group_ids[group].as_py()!r}, {error}") from None
