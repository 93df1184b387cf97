"""The rules of srl-eval.pl (CoNLL-2005 shared task, version of 2005-04-21) in plain Python, over sets of arguments."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

Pieces = tuple[tuple[int, int], ...]


def arguments(tags: Sequence[str]) -> set[tuple[str, Pieces]]:
    """Label and pieces of every argument."""
    stretches: list[tuple[str, int, int]] = []
    for at, tag in enumerate(tags):
        if tag == "O":
            continue
        label = tag[2:]
        if tag[0] == "I" and at and tags[at - 1] != "O" and tags[at - 1][2:] == label:
            stretches[-1] = (label, stretches[-1][1], at)
        else:
            stretches.append((label, at, at))
    found: list[tuple[str, list[tuple[int, int]]]] = []
    for label, start, end in stretches:
        head = label[2:] if label[:2] == "C-" else None
        earlier = [each for each in found if each[0] == head]
        if head is not None and earlier:
            earlier[-1][1].append((start, end))
        else:
            found.append((label if head is None else head, [(start, end)]))
    return {(label, tuple(pieces)) for label, pieces in found}


def slow_srl_eval(
    gold: Sequence[Sequence[str]], guessed: Sequence[Sequence[str]]
) -> tuple[tuple[int, ...], dict[str, tuple[int, int, int]], Counter[tuple[str, str]]]:
    """Right, excess and missed arguments, perfect propositions, propositions; by label; and the confusion matrix."""
    right: Counter[str] = Counter()
    excess: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    confusion: Counter[tuple[str, str]] = Counter()
    perfect = 0
    for one, other in zip(gold, guessed, strict=True):
        real, found = arguments(one), arguments(other)
        right.update(label for label, _ in real & found)
        excess.update(label for label, _ in found - real)
        missed.update(label for label, _ in real - found)
        perfect += all(label == "V" for label, _ in real ^ found)
        labels, guesses = ({pieces: label for label, pieces in each} for each in (real, found))
        confusion.update((labels.get(each, "-NONE-"), guesses.get(each, "-NONE-")) for each in {*labels, *guesses})
    sums = tuple(sum(count for label, count in each.items() if label != "V") for each in (right, excess, missed))
    by_label = {label: (right[label], excess[label], missed[label]) for label in sorted({*right, *excess, *missed})}
    return (*sums, perfect, len(gold)), by_label, confusion
