"""The three ways to cut a sentence into candidates for a predicate, and arguments as tags of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from runoff.errors import UsageError
from runoff.tasks.roles.partial_candidates import region_tokens
from runoff.tasks.roles.propositions import CONTINUED, PREDICATE, Argument
from runoff.tasks.roles.tree_candidates import constituents, path_siblings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from runoff.tasks.roles.propositions import Proposition
    from runoff.tasks.roles.syntax import Constituent, Syntax

OUTSIDE = "O"
OTHER = "other"  # stands for all labels that are too rare to be learned


class Kind(NamedTuple):
    """One of the three models of Màrquez, Surdeanu, Comas & Turmo (2005)."""

    name: str
    title: str
    candidates: Callable[[Syntax, int], list[Constituent]]
    use_tree: bool
    is_sequence: bool  # candidates follow each other, and an argument may be a run of them
    labels: int  # most frequent ones that are learned


KINDS = {
    kind.name: kind
    for kind in (
        Kind("partial", "base phrases and clauses (model 1)", region_tokens, False, True, 41),
        Kind("full", "siblings on the path to the root (model 2)", path_siblings, True, True, 35),
        Kind("constituents", "constituents of the tree (model 3)", constituents, True, False, 35),
    )
}


def kind_of(name: str) -> Kind:
    """The model of this name.

    Examples
    --------
    >>> kind_of("full").title
    'siblings on the path to the root (model 2)'
    """
    if name not in KINDS:
        raise UsageError(f"there is no kind of role labeller {name!r}; there are: {', '.join(KINDS)}.")
    return KINDS[name]


def tags_of_candidates(kind: Kind, candidates: Sequence[Constituent], proposition: Proposition) -> list[str]:
    """The tag of every candidate; arguments whose boundaries no candidate has are left out. O(candidates + arguments).

    Sequences have B, I and O, and V for the predicate; else a candidate has the label of its argument, or O.

    Examples
    --------
    >>> from runoff.tasks.roles.propositions import Proposition
    >>> from runoff.tasks.roles.syntax import Constituent
    >>> tokens = [Constituent("NP", 0, 2, 1, ()), Constituent("VBD", 2, 3, 2, ()), Constituent("NP", 3, 4, 3, ()),
    ...           Constituent("PP", 4, 6, 4, ())]
    >>> said = Proposition.of(2, "eat", [(0, 2, "A0"), (2, 3, "V"), (3, 6, "A1")])
    >>> tags_of_candidates(kind_of("full"), tokens, said)
    ['B-A0', 'V', 'B-A1', 'I-A1']
    """
    found = [OUTSIDE] * len(candidates)
    if not kind.is_sequence:
        place = {(each.start, each.stop): at for at, each in enumerate(candidates)}
        for start, stop, label in proposition.roles:
            if (start, stop) in place:
                found[place[start, stop]] = label
        return found
    starts = {each.start: at for at, each in enumerate(candidates)}
    stops = {each.stop: at for at, each in enumerate(candidates)}
    for at, each in enumerate(candidates):
        if each.start <= proposition.predicate < each.stop:
            found[at] = PREDICATE
    for start, stop, label in proposition.roles:
        first, last = starts.get(start, -1), stops.get(stop, -1)
        if 0 <= first <= last and PREDICATE not in found[first : last + 1]:
            found[first : last + 1] = [f"B-{label}"] + [f"I-{label}"] * (last - first)
    return found


def roles_of_tags(kind: Kind, candidates: Sequence[Constituent], tags: Iterable[str]) -> list[Argument]:
    """Arguments from the tags of candidates; those that stand for no argument are left out.

    Examples
    --------
    >>> from runoff.tasks.roles.syntax import Constituent
    >>> tokens = [Constituent("NP", 0, 2, 1, ()), Constituent("VBD", 2, 3, 2, ()), Constituent("NP", 3, 4, 3, ())]
    >>> roles_of_tags(kind_of("full"), tokens, ["B-A0", "V", "O"])
    [Argument(start=0, stop=2, label='A0')]
    """
    found: list[Argument] = []
    going = ""
    for each, tag in zip(candidates, tags, strict=True):
        if tag in (OUTSIDE, PREDICATE, OTHER, f"B-{OTHER}", f"I-{OTHER}"):
            going = ""
        elif not kind.is_sequence:
            found.append(Argument(each.start, each.stop, tag))
        elif tag[0] == "I" and going == tag[2:] and found[-1].stop == each.start:
            found[-1] = found[-1]._replace(stop=each.stop)
        else:
            going = tag[2:]
            found.append(Argument(each.start, each.stop, going))
    return found


def without_stray_pieces(roles: Iterable[Argument]) -> list[Argument]:
    """Pieces (C-A1) that continue no argument to their left become arguments themselves.

    Examples
    --------
    >>> without_stray_pieces([Argument(0, 1, "C-A1")])
    [Argument(start=0, stop=1, label='A1')]
    """
    found: list[Argument] = []
    seen: set[str] = set()
    for role in sorted(roles):
        label = role.label
        if label.startswith(CONTINUED) and label[2:] not in seen:
            label = label[2:]
        seen.add(label)
        found.append(role._replace(label=label))
    return found
