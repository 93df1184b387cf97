"""Synthetic sentences about a village, with trees, base phrases, clauses and roles; some trees have a wrong phrase.

What makes roles hard is in them: the passive, a clause as an argument, relative clauses, the recipient as a phrase
with "to" or without, phrases of time, place and manner in both places, and a phrase that belongs to the noun before it
or to the verb.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from runoff.tasks.parsing.trees import Tree
from runoff.tasks.roles.indexed_tree import IndexedTree
from runoff.tasks.roles.propositions import PREDICATE, Proposition, RoleSentence
from runoff.tasks.roles.syntax import CLAUSES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_PEOPLE = ["baker", "smith", "farmer", "teacher", "doctor", "painter", "singer", "miller", "nurse", "priest"]
_THINGS = ["bread", "horse", "letter", "cart", "song", "book", "wall", "coat", "lamp", "basket"]
_PLACES = ["market", "church", "river", "garden", "school", "mill", "bridge", "square"]
_TIMES = ("yesterday", "today", "at noon", "in winter", "every morning", "last week")
_MANNERS = ["slowly", "gladly", "quietly", "badly", "twice"]
# Lemma: past, participle, and the roles that it has.
_VERBS = {
    "bake": ("baked", "baked", "01"),
    "paint": ("painted", "painted", "01"),
    "carry": ("carried", "carried", "012"),
    "give": ("gave", "given", "012"),
    "send": ("sent", "sent", "012"),
    "sell": ("sold", "sold", "012"),
    "see": ("saw", "seen", "01"),
    "break": ("broke", "broken", "01"),
    "arrive": ("arrived", "arrived", "1"),
    "sleep": ("slept", "slept", "0"),
}
_SAYING = {"say": "said", "think": "thought", "know": "knew"}
FRAMES = {lemma: roles for lemma, (_, _, roles) in _VERBS.items()} | dict.fromkeys(_SAYING, "01")


@dataclass
class _Draft:
    """A sentence in the making: leaves so far, and predicates with their arguments."""

    leaves: list[Tree] = field(default_factory=list)
    predicates: list[tuple[int, str, list[tuple[Tree, str]]]] = field(default_factory=list)
    loose: list[Tree] = field(default_factory=list)  # phrases that a parser may hang elsewhere

    def leaf(self, tag: str, word: str) -> Tree:
        self.leaves.append(Tree.leaf(tag, word, len(self.leaves)))
        return self.leaves[-1]


class Village:
    """Draws sentences by a seed.

    Examples
    --------
    >>> sentence = Village(0).sentences(1)[0]
    >>> len(sentence.words) == len(sentence.chunks), len(sentence.propositions) > 0
    (True, True)
    """

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)

    def sentences(self, count: int, *, errors: float = 0.0) -> list[RoleSentence]:
        """So many sentences; `errors` is the share of phrases that hang at a wrong place of the tree."""
        return [self._sentence(f"{at // 10}#{at % 10}", str(at // 10), errors) for at in range(count)]

    def _one(self, choices: Sequence[str]) -> str:
        return choices[int(self._random.integers(len(choices)))]

    def _chance(self, share: float) -> bool:
        return bool(self._random.random() < share)

    def _sentence(self, name: str, document: str, errors: float) -> RoleSentence:
        draft = _Draft()
        clause = self._saying(draft) if self._chance(0.3) else self._clause(draft)
        tree = Tree("TOP", [Tree("S", [*clause.children, draft.leaf(".", ".")])])
        propositions = tuple(
            Proposition.of(
                at, lemma, [(at, at + 1, PREDICATE), *((node.start, node.end, label) for node, label in roles)]
            )
            for at, lemma, roles in sorted(draft.predicates, key=lambda each: each[0])
        )
        for phrase in draft.loose:
            if self._chance(errors):
                tree = _moved(tree, phrase)
        return RoleSentence(
            tuple(tree.words()),
            propositions,
            tuple(leaf.label for leaf in tree.leaves()),
            tree,
            _chunks(tree),
            _clauses(tree),
            id=name,
            document=document,
        )

    def _saying(self, draft: _Draft) -> Tree:
        lemma = self._one(tuple(_SAYING))
        subject = self._person(draft)
        verb = draft.leaf("VBD", _SAYING[lemma])
        head = draft.leaf("IN", "that") if self._chance(0.7) else None
        inner = self._clause(draft)
        said = Tree("SBAR", [head, inner] if head is not None else [inner])
        draft.predicates.append((verb.start, lemma, [(subject, "A0"), (said, "A1")]))
        return Tree("S", [subject, Tree("VP", [verb, said])])

    def _clause(self, draft: _Draft) -> Tree:
        lemma = self._one(tuple(_VERBS))
        past, participle, roles = _VERBS[lemma]
        found: list[tuple[Tree, str]] = []
        front = []
        if self._chance(0.2):
            when = self._time(draft)
            front = [when, draft.leaf(",", ",")]
            found.append((when, "AM-TMP"))
        is_passive = roles.startswith("01") and self._chance(0.35)
        subject = self._thing(draft) if is_passive else self._person(draft)
        found.append((subject, "A1" if is_passive or roles == "1" else "A0"))
        inner: list[Tree] = []
        if is_passive:
            outer = [draft.leaf("VBD", "was")]
            if self._chance(0.15):
                outer.append(draft.leaf("RB", "not"))
                found.append((outer[-1], "AM-NEG"))
            verb = draft.leaf("VBN", participle)
            inner.append(verb)
        else:
            outer = []
            verb = draft.leaf("VBD", past)
            inner.append(verb)
            if "2" in roles and self._chance(0.3):
                inner.append(self._person(draft))
                found.append((inner[-1], "A2"))
            if "1" in roles and roles != "1":
                inner.append(self._thing(draft))
                found.append((inner[-1], "A1"))
        if "2" in roles and not any(label == "A2" for _, label in found) and self._chance(0.6):
            inner.append(self._phrase(draft, "to", self._person))
            found.append((inner[-1], "A2"))
        if is_passive and self._chance(0.5):
            inner.append(self._phrase(draft, "by", self._person))
            found.append((inner[-1], "A0"))
        for label, share in (("AM-MNR", 0.2), ("AM-LOC", 0.35), ("AM-TMP", 0.25)):
            if self._chance(share) and not any(known == label for _, known in found):
                inner.append(self._extra(draft, label))
                found.append((inner[-1], label))
        draft.predicates.append((verb.start, lemma, found))
        phrase = Tree("VP", inner)
        return Tree("S", [*front, subject, Tree("VP", [*outer, phrase]) if outer else phrase])

    def _extra(self, draft: _Draft, label: str) -> Tree:
        if label == "AM-MNR":
            return Tree("ADVP", [draft.leaf("RB", self._one(_MANNERS))])
        if label == "AM-TMP":
            return self._time(draft)
        made = self._phrase(draft, self._one(("in", "at", "near")), self._place)
        draft.loose.append(made)
        return made

    def _phrase(self, draft: _Draft, word: str, noun: Callable[[_Draft], Tree]) -> Tree:
        head = draft.leaf("TO" if word == "to" else "IN", word)
        return Tree("PP", [head, noun(draft)])

    def _noun(self, draft: _Draft, word: str) -> Tree:
        return Tree("NP", [draft.leaf("DT", self._one(("the", "a"))), draft.leaf("NN", word)])

    def _person(self, draft: _Draft) -> Tree:
        return self._with_relative(draft, self._noun(draft, self._one(_PEOPLE)))

    def _thing(self, draft: _Draft) -> Tree:
        noun = self._noun(draft, self._one(_THINGS))
        if self._chance(0.15):
            place = self._phrase(draft, self._one(("of", "from", "in")), self._place)
            return Tree("NP", [noun, place])
        return noun

    def _place(self, draft: _Draft) -> Tree:
        return self._noun(draft, self._one(_PLACES))

    def _time(self, draft: _Draft) -> Tree:
        words = self._one(_TIMES).split()
        if words[0] in ("at", "in"):
            head = draft.leaf("IN", words[0])
            return Tree("PP", [head, Tree("NP", [draft.leaf("NN", words[1])])])
        return Tree("NP", [draft.leaf("NN" if len(words) == 1 else "JJ", word) for word in words])

    def _with_relative(self, draft: _Draft, noun: Tree) -> Tree:
        if not self._chance(0.12):
            return noun
        who = Tree("WHNP", [draft.leaf("WP", "who")])
        lemma = self._one(("see", "break", "bake"))
        verb = draft.leaf("VBD", _VERBS[lemma][0])
        thing = self._noun(draft, self._one(_THINGS))
        draft.predicates.append((verb.start, lemma, [(noun, "A0"), (who, "R-A0"), (thing, "A1")]))
        return Tree("NP", [noun, Tree("SBAR", [who, Tree("S", [Tree("VP", [verb, thing])])])])


def _moved(tree: Tree, phrase: Tree) -> Tree:
    """The tree with a phrase under the noun phrase before it, as a parser's mistake."""
    if tree.word is not None or not tree.start <= phrase.start < tree.end:
        return tree
    children = list(tree.children)
    at = next((at for at, child in enumerate(children) if child is phrase), -1)
    if at > 0 and children[at - 1].label == "NP":
        children[at - 1 : at + 1] = [Tree("NP", [children[at - 1], phrase])]
        return Tree(tree.label, children)
    return Tree(tree.label, [_moved(child, phrase) for child in children])


def _chunks(tree: Tree) -> tuple[str, ...]:
    """Base phrases: the lowest constituents, of a verb phrase its verbs."""
    indexed = IndexedTree(tree)
    found = []
    before = -1
    for leaf in indexed.leaf_of:
        parent = indexed.parents[leaf]
        label = indexed.labels[parent]
        if label in ("S", "TOP", "WHNP"):
            found.append("B-NP" if label == "WHNP" else "O")
        elif label == "VP":
            follows = bool(found) and found[-1].endswith("-VP")
            found.append("I-VP" if follows else "B-VP")
        else:
            found.append(f"I-{label}" if parent == before else f"B-{label}")
        before = parent
    return tuple(found)


def _clauses(tree: Tree) -> tuple[tuple[int, int], ...]:
    indexed = IndexedTree(tree)
    spans = {
        (indexed.starts[node], indexed.stops[node]) for node in range(len(indexed)) if indexed.labels[node] in CLAUSES
    }
    return tuple(sorted(spans, key=lambda each: (each[0], -each[1])))
