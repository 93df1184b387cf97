"""Arguments as parts of labellings, for combinations."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from runoff.combine.parts import Part, PartReader
from runoff.combine.systems import ONLY
from runoff.errors import DataError
from runoff.tasks.roles.candidates import without_stray_pieces
from runoff.tasks.roles.proposal_texts import PROPOSALS, proposals_of
from runoff.tasks.roles.propositions import CORE, PREDICATE, Argument, Proposition
from runoff.tasks.roles.role_lists import LEMMA, POS, VOICE
from runoff.tasks.roles.role_lists import PREDICATE as PLACE
from runoff.tasks.tagging.tagging_lists import split_entries, unequal_sizes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_FAR = 6  # words between predicate and argument, from where on it is just far


class RoleParts(PartReader):
    """Arguments of a predicate: they do not overlap, and A0 to A5 occur once.

    Examples
    --------
    >>> reader = RoleParts()
    >>> reader.split(["B-A0 B-V B-A1 I-A1"])
    [[Part(start=0, stop=1, label='A0'), Part(start=2, stop=4, label='A1')]]
    >>> reader.join([Part(2, 4, "A1")], ["B-A0 B-V O O"])
    'O B-V B-A1 I-A1'
    >>> reader.outline([Part(2, 4, "A1"), Part(0, 1, "A0")], "B-A0 B-V B-A1 I-A1")
    'A0-V-A1'
    """

    unit: ClassVar[str] = "arguments"
    once: ClassVar[frozenset[str]] = CORE
    reported: ClassVar[str | None] = "srl-eval,srl-eval[part=precision],srl-eval[part=recall],srl-eval[part=perfect]"

    def check(self, texts: Sequence[str]) -> str:
        """They must be of as many words."""
        return unequal_sizes(texts)

    def split(self, texts: Sequence[str]) -> list[list[Part]]:
        """Arguments without the predicate's own words."""
        return [[Part(*each) for each in _proposition(text).roles] for text in texts]

    def join(self, parts: Sequence[Part], texts: Sequence[str]) -> str:
        """Tags of these arguments and of the predicate of the first text."""
        words = len(split_entries(texts[0]))
        # Verbs of several words lose those that an argument has, but for the predicate, which all candidates call V.
        own = set.intersection(*(set(_verb(split_entries(text))) for text in texts))
        free = sorted(at for at in own if not any(start <= at < stop for start, stop, _ in parts)) or sorted(own)
        kept = [part for part in parts if not free or not part.start <= free[0] < part.stop]
        roles = without_stray_pieces(Argument(*part) for part in kept)
        beyond = next((role for role in roles if role.stop > words), None)
        if beyond is not None:
            raise DataError(f"a proposed {beyond.label} ends at word {beyond.stop:,} of a sentence of {words:,}.")
        found = replace(_proposition(texts[0]), predicate=free[0] if free else 0)
        return " ".join(found.with_roles(roles).tags(words))

    def outline(self, parts: Sequence[Part], text: str) -> str | None:
        """Labels from left to right, the predicate among them."""
        own = [Part(*each) for each in _proposition(text).arguments if each.label == PREDICATE]
        return super().outline([*parts, *own[:1]], text)

    def probabilities(self, attributes: Mapping[str, str]) -> list[tuple[str, Part, float]]:
        """What labellers propose, in the attribute `proposals`."""
        place = attributes.get(PLACE, "")
        own = int(place) if place.isdecimal() else -1
        found = []
        for name, text in attributes.items():
            system, _, kind = name.rpartition(":")
            if kind == PROPOSALS and text:
                found += [
                    (system or ONLY, Part(*each[:3]), each.probability)
                    for each in proposals_of(text)
                    if not each.start <= own < each.stop  # a predicate is no argument of itself
                ]
        return found

    def clues(
        self, parts: Sequence[Part], texts: Sequence[str], given: str | None, attributes: Mapping[str, str]
    ) -> list[list[str]]:
        """Label with lemma, voice and side, the words and parts of speech at the edges, and the distance."""
        if not texts or given is None:
            return [[] for _ in parts]
        words = ["<s>", *(word.lower() for word in split_entries(given)), "</s>"]
        tags = split_entries(attributes[POS]) if attributes.get(POS) else []
        lemma, voice = attributes.get(LEMMA, ""), attributes.get(VOICE, "")
        at = int(attributes[PLACE]) if attributes.get(PLACE, "").isdecimal() else _proposition(texts[0]).predicate
        found = []
        for start, stop, label in parts:
            side = "left" if stop <= at else "right" if start > at else "around"
            gap = min(at - stop if stop <= at else start - at - 1, _FAR)
            own = [
                f"{label} lemma {lemma}",
                f"{label} {voice} {side}",
                f"{label} {side} {gap}",
                f"{label} first {words[start + 1]}",
                f"{label} last {words[stop]}",
                f"{label} before {words[start]}",
                f"{label} after {words[stop + 1]}",
            ]
            if len(tags) == len(words) - 2:
                before = tags[start - 1] if start else "<s>"
                after = tags[stop] if stop < len(tags) else "</s>"
                own += [
                    f"{label} tags {tags[start]} {tags[stop - 1]}",
                    f"tags {before} {tags[start]}",
                    f"tags {tags[stop - 1]} {after}",
                    f"{side} {before} {tags[start]} {tags[stop - 1]} {after}",
                ]
            found.append(own)
        return found


def _proposition(text: str) -> Proposition:
    tags = split_entries(text)
    return Proposition.of_tags(tags, next(iter(_verb(tags)), 0), "")


def _verb(tags: Sequence[str]) -> list[int]:
    """Words of the predicate."""
    return [at for at, tag in enumerate(tags) if tag in (f"B-{PREDICATE}", f"I-{PREDICATE}")]
