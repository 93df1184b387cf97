"""Sentences with roles for tests: compared, and drawn at random."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from helpers.corpora import NAME, TEXT
from runoff.tasks.parsing.trees import Tree
from runoff.tasks.roles.json_roles import record_of
from runoff.tasks.roles.parse_column import leaves_of
from runoff.tasks.roles.propositions import Argument, Proposition, RoleSentence

if TYPE_CHECKING:
    from collections.abc import Iterable

LABELS = ("A0", "A1", "A2", "AA", "AM-TMP", "AM", "R-A0", "C-A1", "R-AM-LOC", "C-V", "A1-DSP", "C-AM-CXN")
TAGS = ("NN", "VB", "-LRB-", "(", ",", "``")
PHRASES = ("S", "NP", "VP-1", "SBAR")


def contents(sentences: Iterable[RoleSentence]) -> list[dict[str, Any]]:
    """Everything that sentences say, as plain values: trees are compared by what they say."""
    return [record_of(sentence) for sentence in sentences]


@st.composite
def stretches(draw: st.DrawFn, size: int, labels: Iterable[str]) -> list[Argument]:
    """Stretches that do not overlap, from left to right."""
    cuts = sorted(draw(st.sets(st.integers(0, size), max_size=6)))
    return [Argument(cuts[at], cuts[at + 1], draw(st.sampled_from(list(labels)))) for at in range(0, len(cuts) - 1, 2)]


@st.composite
def bracket_trees(draw: st.DrawFn, leaves: list[Tree]) -> Tree:
    """A tree over these leaves whose root is a constituent."""
    nodes = list(leaves)
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(nodes) - 1))
        stop = draw(st.integers(start + 1, len(nodes)))
        nodes[start:stop] = [Tree(draw(st.sampled_from(PHRASES)), nodes[start:stop])]
    return Tree("TOP", nodes)


@st.composite
def tags(draw: st.DrawFn, size: int, labels: Iterable[str]) -> tuple[str, ...]:
    """B, I and O."""
    return tuple(Proposition(0, "", tuple(draw(stretches(size, labels)))).tags(size))


@st.composite
def propositions(draw: st.DrawFn, size: int, lemmas: st.SearchStrategy[str]) -> tuple[Proposition, ...]:
    """Propositions at different words, each with a V."""
    found = []
    for at in sorted(draw(st.sets(st.integers(0, size - 1), max_size=3))):
        stop = draw(st.integers(at + 1, size))
        own = Argument(at, stop, "V")
        left = draw(stretches(at, LABELS))
        right = [Argument(a + stop, b + stop, label) for a, b, label in draw(stretches(size - stop, LABELS))]
        lemma = draw(lemmas)
        roleset = draw(st.sampled_from([None, f"{lemma}.01", "hang_up.08", f"{lemma}.LV"]))
        found.append(Proposition(at, lemma, (*left, own, *right), roleset))
    return tuple(found)


@st.composite
def role_sentences(draw: st.DrawFn, *, words: st.SearchStrategy[str] = TEXT, syntax: bool = True) -> list[RoleSentence]:
    """A few sentences that have or have not parts of speech, trees, chunks, clauses, entities and names."""
    found = []
    parts = draw(st.sets(st.sampled_from(["pos", "tree", "chunks", "clauses", "entities", "tags"]))) if syntax else ()
    for number in range(draw(st.integers(1, 4))):
        size = draw(st.integers(1, 7))
        text = tuple(draw(st.lists(words, min_size=size, max_size=size)))
        pos = tuple(draw(st.lists(st.sampled_from(TAGS), min_size=size, max_size=size)))
        others = tuple(draw(st.lists(st.sampled_from(TAGS), min_size=size, max_size=size)))
        clauses = {(each.start, each.stop) for each in draw(stretches(size, ["S"]))} | {(0, size)}
        found.append(
            RoleSentence(
                text,
                draw(propositions(size, NAME.filter(lambda each: each != "-" and not set(each) & set(" \t")))),
                pos=pos if "pos" in parts else None,
                tree=draw(bracket_trees(leaves_of(text, others if "tags" in parts else pos)))
                if "tree" in parts
                else None,
                chunks=draw(tags(size, ["NP", "VP"])) if "chunks" in parts else None,
                clauses=tuple(sorted(clauses, key=lambda each: (each[0], -each[1]))) if "clauses" in parts else None,
                entities=draw(tags(size, ["PER", "ORG"])) if "entities" in parts else None,
                id=f"d#{number}",
                document="d",
            )
        )
    return found
