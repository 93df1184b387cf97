"""Families over the shape of constituents: size, right branching, parallelism, edges, agreement.

Names in parentheses are those of Charniak & Johnson (2005) and of their program. Tags of words outside a constituent
are the first choice's, for all candidates, so the features of a constituent do not depend on the rest of the tree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.tasks.parsing.features.nodes import size_bin

if TYPE_CHECKING:
    from runoff.tasks.parsing.features.nodes import NodeView, SentenceContext

NONE = "()"  # stands for a word beyond the end of a shorter first choice
_DEEPEST = 4  # levels to which conjuncts are compared
_MARKS = frozenset([",", ":", ";"])
_CONJUNCTIONS = frozenset(["CC", "CONJP"])


def right_branch(node: NodeView, sentence: SentenceContext) -> list[str]:
    """Whether the node is above the last word that is not punctuation (RightBranch), also by label."""
    is_right = node.start <= sentence.last < node.end
    return ["right" if is_right else "other", f"{node.label} {'right' if is_right else 'other'}"]


def heavy(node: NodeView, sentence: SentenceContext) -> list[str]:
    """Label and size, also with the distance to the last word and the punctuation that follows (Heavy).

    Theirs also has the punctuation at the end of the constituent, and counts the distance to the end of the sentence.
    """
    is_mark = node.end < len(sentence.words) and sentence.punctuation[node.end]
    follows = sentence.words[node.end] if is_mark else "none"  # no mark has letters
    size, left = size_bin(node.end - node.start), size_bin(max(sentence.last + 1 - node.end, 0))
    return [f"{node.label} {size} {left} {follows}", f"{node.label} {size}"]


def parallel(node: NodeView, _: SentenceContext) -> list[str]:
    """Whether conjuncts are alike, to each of four levels (CoPar), and how their lengths compare (CoLenPar).

    Conjuncts are the neighbours of a conjunction, ignoring commas; theirs are any neighbours in a coordination, to five
    levels. Words have nothing below them that could differ; theirs are left out at deeper levels. Length differences
    are cut at six here and at five there, where the last conjunct is distinguished and labels are not.
    """
    out = []
    children = node.children
    for at in range(1, len(children) - 1):
        if children[at].category not in _CONJUNCTIONS:
            continue
        left = next((one for one in reversed(children[:at]) if one.label not in _MARKS), None)
        right = next((one for one in children[at + 1 :] if one.label not in _MARKS), None)
        if left is None or right is None:
            continue
        longer = (right.end - right.start) - (left.end - left.start)
        bounded = max(-6, min(6, longer))
        out.append(f"length {node.label} {bounded}")
        out.append(f"labels {node.label} {left.label} {right.label}")
        out.extend(
            [
                f"to {level} {node.label} {'alike' if _are_alike(left, right, level) else 'unlike'}"
                for level in range(1, _DEEPEST + 1)
            ]
        )
    return out


def _are_alike(one: NodeView, other: NodeView, levels: int) -> bool:
    if one.category != other.category:
        return False
    if levels == 1:
        return True
    return len(one.children) == len(other.children) and all(
        _are_alike(a, b, levels - 1) for a, b in zip(one.children, other.children, strict=True)
    )


def agreement(node: NodeView, _: SentenceContext) -> list[str]:
    """Subject and the verb that agrees with it, by tag and by word (SubjVerbAgr, which has the heads' tags alone)."""
    if node.category not in ("S", "SINV", "SQ"):
        return []
    subject = _subject(node)
    if subject is None:
        return []
    finite = _finite(node)
    if finite is None:
        return [f"none {node.label} {subject.head_tag}"]
    return [
        f"tags {node.label} {subject.head_tag} {finite.label}",
        f"tag-word {node.label} {subject.head_tag} {finite.head_word}",
        f"word-tag {node.label} {subject.head_word} {finite.label}",
    ]


def _subject(node: NodeView) -> NodeView | None:
    """The last noun phrase before the verb phrase; where there is none, the last of all."""
    subject = None
    for child in node.children:
        if child.category == "NP":
            subject = child
        elif child.category == "VP" and subject is not None:
            break
    return subject


def _finite(node: NodeView) -> NodeView | None:
    """The first verb or modal here or in the first verb phrase below that has one: the one that agrees."""
    while not node.is_leaf:
        leaf = _verb(node)
        if leaf is not None:
            return leaf
        below = next((child for child in node.children if child.category == "VP"), None)
        if below is None:
            return None
        node = below
    return node


def _verb(node: NodeView) -> NodeView | None:
    """The first child that is a verb or a modal."""
    return next((child for child in node.children if child.is_leaf and child.label.startswith(("V", "M"))), None)


def edges(node: NodeView, sentence: SentenceContext) -> list[str]:
    """Label and size with the words and tags at both ends, inside and outside.

    Neighbours (tags on both sides), and some combinations of the program's Edges, WordEdges and WordNeighbours. An
    opening bracket marks the start of the constituent, a closing one its end; outside the sentence words are empty.
    """
    label, start, end = node.label, node.start, node.end
    size = size_bin(end - start)
    tag = sentence.tag
    tag_before, tag_first, tag_last, tag_after = tag(start - 1), tag(start) or NONE, tag(end - 1) or NONE, tag(end)
    before, first = sentence.word(start - 1), sentence.word(start) or NONE
    last, after = sentence.word(end - 1) or NONE, sentence.word(end)
    return [
        f"{label} tags {tag_before}( ){tag_after}",
        f"{label} tags {size} {tag_before}( ){tag_after}",
        f"{label} tags ({tag_first} {tag_last})",
        f"{label} {size} ({first}",
        f"{label} {size} {last})",
        f"{label} {size} {before}(",
        f"{label} {size} ){after}",
        f"{label} {before}( ){after}",
        f"{label} {before}({first}",
        f"{label} {last}){after}",
    ]


def outline(node: NodeView, sentence: SentenceContext) -> list[str]:
    """The words of a short constituent as a string of kinds, also with the kinds of its neighbours (Hall et al. 2014).

    A kind is a name, a number, another word or the first two characters of punctuation; theirs are upper case, lower
    case and digit, while names and numbers here are those that the first choice tags as such.
    """
    if not 2 <= node.end - node.start <= 8:
        return []
    kinds = "".join([_kind(sentence, at) for at in range(node.start, node.end)])
    return [
        f"{node.label} {kinds}",
        f"{node.label} {_kind(sentence, node.start - 1)}({kinds}){_kind(sentence, node.end)}",
    ]


def _kind(sentence: SentenceContext, at: int) -> str:
    if not 0 <= at < len(sentence.words):
        return ""
    if sentence.punctuation[at]:
        return sentence.words[at][:2]
    tag = sentence.tags[at]
    return "9" if tag == "CD" else "X" if tag.startswith("NNP") else "x"
