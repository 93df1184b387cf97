"""Synthetic labellings: right ones, and what three systems of different quality make of them."""

from __future__ import annotations

import numpy as np

from runoff.nbest import NBest
from runoff.tasks.roles.propositions import Argument, Proposition

LABELS = ("A0", "A1", "A2", "AM-TMP")
SYSTEMS = ("one", "two", "three")
QUALITIES = (0.8, 0.75, 0.7)
COLUMNS = tuple(f"{name}:{kind}" for name in SYSTEMS for kind in ("found", "rank"))


def proposition(rng: np.random.Generator, size: int) -> Proposition:
    """Arguments at random around a predicate."""
    own = int(rng.integers(0, size))
    roles: list[Argument] = []
    at = 0
    while at < size:
        stop = min(at + int(rng.integers(1, 4)), own if at < own else size)
        label = LABELS[rng.integers(len(LABELS))]
        if at != own and rng.random() < 0.6 and (label == "AM-TMP" or label not in {each.label for each in roles}):
            roles.append(Argument(at, stop, label))
        at = max(stop, at + 1)
    return Proposition.of(own, "verb", [(own, own + 1, "V"), *roles])


def labelled(rng: np.random.Generator, right: Proposition, quality: float) -> Proposition:
    """The proposition as a system labels it: some arguments are lost, called otherwise or cut short."""
    found: list[Argument] = []
    for role in right.roles:
        luck, new = rng.random(), role
        if luck > quality + 0.2:
            continue
        if luck > quality + 0.1:
            new = role._replace(label=LABELS[rng.integers(len(LABELS))])
        elif luck > quality and role.stop - role.start > 1:
            # Cut at either end, so that two of them may cross.
            at_start = bool(rng.random() < 0.5)
            new = role._replace(start=role.start + 1) if at_start else role._replace(stop=role.stop - 1)
        if new.label == "AM-TMP" or new.label not in {each.label for each in found}:
            found.append(new)
    return right.with_roles(found)


def noisy_lists(many: int, seed: int = 0, *, references: bool = True) -> NBest:
    """Merged lists of three systems, each with one labelling, whose arguments are wrong here and there."""
    rng = np.random.default_rng(seed)
    texts, gold, inputs, rows = [], [], [], []
    for _ in range(many):
        size = int(rng.integers(4, 12))
        right = proposition(rng, size)
        gold.append([" ".join(right.tags(size))])
        inputs.append(" ".join(f"w{rng.integers(30)}" for _ in range(size)))
        for at, quality in enumerate(QUALITIES):
            texts.append(" ".join(labelled(rng, right, quality).tags(size)))
            rows.append([float(at == other) for other in range(len(SYSTEMS)) for _ in range(2)])
    return NBest.from_arrays(
        rows,
        feature_names=COLUMNS,
        sizes=[len(SYSTEMS)] * many,
        texts=texts,
        inputs=inputs,
        references=gold if references else None,
        metric="srl-eval",
    )
