"""Small sentences with roles, trees and tags of all kinds, for tools that learn from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.tasks.parsing.brackets import parse_tree
from runoff.tasks.roles.propositions import Proposition, RoleSentence
from runoff.tasks.tagging.corpus import Corpus

if TYPE_CHECKING:
    from collections.abc import Sequence

_TREE = "(TOP (S (NP (DT {0}) (NN {1})) (VP (VBD {2}) (SBAR (S (NP (PRP {3})) (VP (VBD {4}))))) (. .)))"
POS = ("DT", "NN", "VBD", "PRP", "VBD", ".")
CHUNKS = ("B-NP", "I-NP", "B-VP", "B-NP", "B-VP", "O")
CLAUSES = ("(S*", "*", "*", "(S(S*", "*S)S)", "*S)")
ENTITIES = ("O", "B-ROLE", "O", "O", "O", "O")
_LEMMAS = {"said": "say", "knew": "know", "hoped": "hope", "left": "leave", "walked": "walk", "slept": "sleep"}


def sentence(det: str, noun: str, verb: str, pronoun: str, last: str) -> RoleSentence:
    """One who said that somebody left, with gold roles, tags and tree."""
    words = (det, noun, verb, pronoun, last, ".")
    outer = Proposition.of(2, _LEMMAS[verb], [(0, 2, "A0"), (2, 3, "V"), (3, 5, "A1")], f"{_LEMMAS[verb]}.01")
    inner = Proposition.of(4, _LEMMAS[last], [(3, 4, "A0"), (4, 5, "V")], f"{_LEMMAS[last]}.01")
    return RoleSentence(words, (outer, inner), pos=POS, tree=parse_tree(_TREE.format(*words[:5])))


def sentences() -> list[RoleSentence]:
    """All combinations of a few words, 54 of them."""
    return [
        sentence(det, noun, verb, pronoun, last)
        for det in ("The", "A")
        for noun in ("man", "boss", "cat")
        for verb in ("said", "knew", "hoped")
        for pronoun, last in (("he", "left"), ("she", "walked"), ("it", "slept"))
    ]


def bare(given: Sequence[RoleSentence]) -> list[RoleSentence]:
    """Nothing but their words."""
    return [RoleSentence(each.words) for each in given]


def tagged_corpus() -> Corpus:
    """The same sentences with all tags, as taggers learn from them."""
    all_sentences = sentences()
    columns = {"word": [word for each in all_sentences for word in each.words]}
    tags = {"pos": POS, "chunk": CHUNKS, "clause": CLAUSES, "ne": ENTITIES}
    columns |= {name: list(own) * len(all_sentences) for name, own in tags.items()}
    return Corpus.of(columns, [len(POS)] * len(all_sentences))
