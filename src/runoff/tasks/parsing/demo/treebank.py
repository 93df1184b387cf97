"""A synthetic treebank in which the right attachment depends on what no single rule shows.

Sentences are ambiguous in five ways. In each, both readings are equally frequent, and words are chosen to fit one of
them; in a share of `SLIP` the other reading is right, so that nothing can be learned perfectly:

===============  ===================================================  ================================================
kind             ambiguous words                                      what decides
===============  ===================================================  ================================================
`attachment`     mend the coat with a (needle | ribbon)               tools go with verbs, parts with things; some verbs
                                                                      and some nouns have a preposition of their own
`relative`       the coat near the sailor (who | which) we saw        who is for people, which for things
`clause`         he knows the bakers and the sailor (sings | sing)    a verb agrees with the subject that it has
`verb`           she says that the bakers wait and (sings | sing)     verbs that are joined agree
`coordination`   the key to the sailor and (the baker | old bakers)   noun phrases that are joined look alike
===============  ===================================================  ================================================

A grammar of rules over labels, even with parent annotation and two previous siblings, prefers one reading of a kind
whatever the words are, and so is right half of the time: the words that decide are two rules apart. A grammar with the
tags of both heads of a dependency can learn `clause` and `verb`, and the number agreement of `coordination`; with
labels two levels up, a little of `clause` and `coordination`. The other two kinds need pairs of words. `PLANTED` lists
features that should find all this, with their signs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from runoff.tasks.parsing.demo.sentence_grammar import SLIP, Writer

__all__ = ["PLANTED", "SENTENCES", "SLIP", "DemoSentence", "Document", "Planted", "documents"]

SENTENCES = 20  # of one document


class Planted(NamedTuple):
    """A feature as `runoff.tasks.parsing.extract` names it, the expected sign of its weight, and why."""

    feature: str
    sign: int
    reason: str


PLANTED = (
    Planted("preposition:NP NP PP NP with fork", -1, "a fork is a tool: things do not have it"),
    Planted("preposition:NP NP PP NP with hammer", -1, "a hammer is a tool: things do not have it"),
    Planted("preposition:NP NP PP NP with handle", +1, "a handle is a part: things have it"),
    Planted("preposition:NP NP PP NP with ribbon", +1, "a ribbon is a part: things have it"),
    Planted("heads:words NP PP key > to", +1, "a key is a key to something"),
    Planted("heads:words NP PP letter > from", +1, "a letter is from someone"),
    Planted("heads:words NP SBAR sailor > who", +1, "who is for people"),
    Planted("heads:words NP SBAR sailor > which", -1, "which is not for people"),
    Planted("heads:words NP SBAR box > which", +1, "which is for things"),
    Planted("heads:words NP SBAR box > who", -1, "who is not for things"),
    Planted("agreement:tags S NNS VBP", +1, "a plural subject has a plural verb"),
    Planted("agreement:tags S NNS VBZ", -1, "a plural subject has no singular verb"),
    Planted("agreement:tags S NN VBZ", +1, "a singular subject has a singular verb"),
    Planted("agreement:tags S NN VBP", -1, "a singular subject has no plural verb"),
    Planted("heads:tags VP VP VBZ > VBZ", +1, "joined verbs agree: both singular"),
    Planted("heads:tags VP VP VBP > VBP", +1, "joined verbs agree: both plural"),
    Planted("heads:tags VP VP VBP > VBZ", -1, "joined verbs agree: not plural and singular"),
    Planted("heads:tags VP VP VBZ > VBP", -1, "joined verbs agree: not singular and plural"),
    Planted("parallel:to 2 NP alike", +1, "joined noun phrases have children that are alike"),
    Planted("parallel:to 2 NP unlike", -1, "joined noun phrases have no children that are unlike"),
)


@dataclass(frozen=True)
class DemoSentence:
    """A tree, and for each planted ambiguity its kind and the tree of the other reading."""

    id: str
    tree: str
    rivals: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Document:
    """Sentences that share a few names."""

    name: str
    sentences: tuple[DemoSentence, ...]

    @property
    def trees(self) -> list[str]:
        """The gold trees, one per sentence."""
        return [sentence.tree for sentence in self.sentences]


def documents(count: int, seed: int = 0) -> list[Document]:
    """Generate documents of `SENTENCES` sentences; the first n are the same for every count above n.

    About 8,000 sentences per second.

    Examples
    --------
    >>> first = documents(1, seed=0)[0]
    >>> first.name, len(first.trees), first.sentences[0].id
    ('story-001', 20, 'story-001.1')
    >>> documents(2, seed=0)[0] == first
    True
    """
    rng = np.random.default_rng(seed)
    return [_document(f"story-{number:03}", rng) for number in range(1, count + 1)]


def _document(name: str, rng: np.random.Generator) -> Document:
    writer = Writer(rng)
    written = [writer.sentence() for _ in range(SENTENCES)]
    return Document(
        name, tuple(DemoSentence(f"{name}.{at}", each.text, each.rivals) for at, each in enumerate(written, 1))
    )
