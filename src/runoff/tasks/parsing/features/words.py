"""Families over words and heads: dependencies, prepositional attachment, projections.

Names in parentheses are those of Charniak & Johnson (2005) and of their program. Theirs have several parametrised
variants of each family; here are one or a few of them, with one kind of head (Collins's) and words in lower case.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from runoff.tasks.parsing.features.nodes import STOP

if TYPE_CHECKING:
    from runoff.tasks.parsing.features.nodes import NodeView, SentenceContext

NEAREST, FARTHEST = 1, 9  # distances that have features of their own


def lexical_bigram(node: NodeView, _: SentenceContext) -> list[str]:
    """Bigrams with the head words of both (Collins & Koo).

    Theirs also exist with closed-class head words at the labels, which here would only add the parent's.
    """
    out = []
    label, children, head = node.label, node.children, node.head
    for side, others in (("Right", children[head + 1 :]), ("Left", children[:head][::-1])):
        for at, one in enumerate(others):
            if at + 1 < len(others):
                other = others[at + 1]
                out.append(f"{side} {label} {one.label}/{one.head_word} {other.label}/{other.head_word}")
            else:
                out.append(f"{side} {label} {one.label}/{one.head_word} {STOP}")
    return out


def preposition(node: NodeView, _: SentenceContext) -> list[str]:
    """Modified head, preposition and its object, and the last two alone (Collins & Koo's PPs)."""
    out = []
    for at, child in enumerate(node.children):
        if child.category != "PP" or at == node.head or child.is_leaf:
            continue
        head = node.children[node.head]
        for below_at, below in enumerate(child.children):
            if below_at == child.head or below.is_leaf:
                continue
            labels = f"{node.label} {head.label} {child.label} {below.label}"
            out.append(f"{labels} {child.head_word} {below.head_word}")
            out.append(f"{labels} {head.head_word} {child.head_word} {below.head_word}")
    return out


def distance(node: NodeView, _: SentenceContext) -> list[str]:
    """Words between the head words of head and modifier: the number, and its upper and lower bounds (Collins & Koo)."""
    out = []
    head = node.children[node.head]
    for at, child in enumerate(node.children):
        if at == node.head:
            continue
        apart = abs(child.place - head.place) - 1  # never negative: their words differ
        labels = f"{node.label} {head.label} {child.label}"
        out.append(f"{labels} ={apart}")
        out.extend([f"{labels} <={bound}" for bound in range(apart, FARTHEST + 1)])
        out.extend([f"{labels} >={bound}" for bound in range(NEAREST, apart + 1)])
    return out


def heads(node: NodeView, _: SentenceContext) -> list[str]:
    """Head and modifier by word and by tag, with and without the labels (Heads, of two words and not of three)."""
    out = []
    label, head = node.label, node.children[node.head]
    for at, child in enumerate(node.children):
        if at == node.head:
            continue
        side = "<" if at < node.head else ">"
        tags = f"{head.head_tag} {side} {child.head_tag}"
        words = f"{head.head_word} {side} {child.head_word}"
        out.append(f"tags {tags}")
        out.append(f"tags {label} {child.label} {tags}")
        out.append(f"words {words}")
        out.append(f"words {label} {child.label} {words}")
        out.append(f"word-tag {label} {head.head_word} {side} {child.head_tag}")
        out.append(f"tag-word {label} {head.head_tag} {side} {child.head_word}")
    return out


def modifier_labels(node: NodeView, _: SentenceContext) -> list[str]:
    """Head word with the label of each modifier, and with all of them: subcategorisation."""
    word, label = node.head_word, node.label
    out = [
        f"{label} {word} {'<' if at < node.head else '>'}{child.label}"
        for at, child in enumerate(node.children)
        if at != node.head
    ]
    if node.rule is not None and len(node.children) > 1:
        out.append(f"{word} {node.rule.text}")
    return out


def word(node: NodeView, _: SentenceContext) -> list[str]:
    """A word with its tag, and with one and two labels above it (Word of one to three levels)."""
    out = []
    for child in node.children:
        if child.is_leaf:
            out.append(f"{child.head_word} {child.label}")
            out.append(f"{child.head_word} {child.label} {node.label}")
        else:
            out.extend(
                [
                    f"{below.head_word} {below.label} {child.label} {node.label}"
                    for below in child.children
                    if below.is_leaf
                ]
            )
    return out


def projection(node: NodeView, _: SentenceContext) -> list[str]:
    """Head word or tag of a modifier with the label it projects to and the one above (WProj, of one ancestor)."""
    out = []
    for at, child in enumerate(node.children):
        if at == node.head:
            continue
        out.append(f"{child.head_word} {child.label} {node.label}")
        out.append(f"{child.head_tag} {child.label} {node.label} {node.head_tag}")
    return out


def tree_ngram(node: NodeView, _: SentenceContext) -> list[str]:
    """The smallest fragment that joins two neighbouring words: labels down both sides, with no, one or both words.

    NGramTree of two words without the nodes off the path; theirs has three words as well.
    """
    out = []
    for one, other in pairwise(node.children):
        joined = f"{node.label}({one.right_edge})({other.left_edge})"
        out.append(joined)
        out.append(f"{joined}({one.last_word})()")
        out.append(f"{joined}()({other.first_word})")
        out.append(f"{joined}({one.last_word})({other.first_word})")
    return out


def head_tree(node: NodeView, _: SentenceContext) -> list[str]:
    """The head's word or tag with this rule and the next one on the path to the head.

    HeadTree has the whole path, from the highest node headed by the word; here it is two levels.
    """
    if node.rule is None:
        return []
    head = node.children[node.head]
    below = head.rule.text if head.rule is not None else head.label
    return [f"tag {node.head_tag} {node.rule.text}|{below}", f"word {node.head_word} {node.rule.text}|{below}"]
