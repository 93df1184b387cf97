"""Families over words and heads: who depends on whom, what hangs on which preposition, which word projects what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.parsing.features.sites import STOP

if TYPE_CHECKING:
    from runoff.parsing.features.sites import Sentence, Site

NEAREST, FARTHEST = 1, 9  # distances that have features of their own


def lexical_bigram(site: Site, _: Sentence) -> list[str]:
    """Bigrams with the head words of both (Collins & Koo)."""
    out = []
    label, children, head = site.label, site.children, site.head
    for side, others in (("Right", children[head + 1 :]), ("Left", children[:head][::-1])):
        for at, one in enumerate(others):
            if at + 1 < len(others):
                other = others[at + 1]
                out.append(f"{side} {label} {one.label}/{one.head_word} {other.label}/{other.head_word}")
            else:
                out.append(f"{side} {label} {one.label}/{one.head_word} {STOP}")
    return out


def preposition(site: Site, _: Sentence) -> list[str]:
    """Modified head, preposition and its object, and the last two alone (Collins & Koo's PPs)."""
    out = []
    head = site.children[site.head]
    for at, child in enumerate(site.children):
        if child.label != "PP" or at == site.head or child.is_leaf:
            continue
        for below_at, below in enumerate(child.children):
            if below_at == child.head or below.is_leaf:
                continue
            labels = f"{site.label} {head.label} {child.label} {below.label}"
            out.append(f"{labels} {child.head_word} {below.head_word}")
            out.append(f"{labels} {head.head_word} {child.head_word} {below.head_word}")
    return out


def distance(site: Site, _: Sentence) -> list[str]:
    """Words between the head words of head and modifier: the number, and the bounds that it keeps."""
    out = []
    head = site.children[site.head]
    for at, child in enumerate(site.children):
        if at == site.head:
            continue
        apart = abs(child.place - head.place) - 1
        labels = f"{site.label} {head.label} {child.label}"
        out.append(f"{labels} ={apart}")
        out.extend([f"{labels} <={bound}" for bound in range(max(apart, 0), FARTHEST + 1)])
        out.extend([f"{labels} >={bound}" for bound in range(NEAREST, apart + 1)])
    return out


def heads(site: Site, _: Sentence) -> list[str]:
    """Head and modifier by word and by tag, with and without the label (Charniak & Johnson's Heads)."""
    out = []
    head = site.children[site.head]
    for at, child in enumerate(site.children):
        if at == site.head:
            continue
        side = "<" if at < site.head else ">"
        tags = f"{head.head_tag}{side}{child.head_tag}"
        out.append(tags)
        out.append(f"{site.label} {tags} {child.label}")
        out.append(f"{head.head_word}{side}{child.head_word}")
        out.append(f"{site.label} {head.head_word}{side}{child.head_tag}")
        out.append(f"{site.label} {head.head_tag}{side}{child.head_word}")
        out.append(f"{site.label} {child.label} {head.head_word}{side}{child.head_word}")
    return out


def modifier_labels(site: Site, _: Sentence) -> list[str]:
    """Head word with the label of each modifier, and with all of them: what a word takes."""
    word, label = site.head_word, site.label
    out = [
        f"{label} {word} {'<' if at < site.head else '>'}{child.label}"
        for at, child in enumerate(site.children)
        if at != site.head
    ]
    if site.rule is not None and len(site.children) > 1:
        out.append(f"{word} {site.rule.text}")
    return out


def word(site: Site, _: Sentence) -> list[str]:
    """A word with its tag, and with one and two labels above it (Charniak & Johnson's Word)."""
    out = []
    for child in site.children:
        if child.is_leaf:
            out.append(f"{child.head_word} {child.label}")
            out.append(f"{child.head_word} {child.label} {site.label}")
        else:
            out.extend(
                [
                    f"{below.head_word} {below.label} {child.label} {site.label}"
                    for below in child.children
                    if below.is_leaf
                ]
            )
    return out


def projection(site: Site, _: Sentence) -> list[str]:
    """Head word or tag of a modifier with the label it projects to and the labels above (WProj)."""
    out = []
    for at, child in enumerate(site.children):
        if at == site.head:
            continue
        out.append(f"{child.head_word} {child.label} {site.label}")
        out.append(f"{child.head_tag} {child.label} {site.label} {site.head_tag}")
    return out


def tree_ngram(site: Site, _: Sentence) -> list[str]:
    """The smallest fragment that joins two neighbouring words: labels down both sides (NGramTree)."""
    out = []
    for one, other in zip(site.children, site.children[1:], strict=False):
        left, last = _right_edge(one)
        right, first = _left_edge(other)
        joined = f"{site.label}({left})({right})"
        out.append(joined)
        out.append(f"{joined} {last}_")
        out.append(f"{joined} _{first}")
        out.append(f"{joined} {last} {first}")
    return out


def _right_edge(site: Site) -> tuple[str, str]:
    labels = [site.label]
    while site.children:
        site = site.children[-1]
        labels.append(site.label)
    return " ".join(labels), site.head_word


def _left_edge(site: Site) -> tuple[str, str]:
    labels = [site.label]
    while site.children:
        site = site.children[0]
        labels.append(site.label)
    return " ".join(labels), site.head_word


def head_tree(site: Site, _: Sentence) -> list[str]:
    """The head word and tag with the chain of rules that it projects to here, two levels of them (HeadTree)."""
    if site.rule is None:
        return []
    head = site.children[site.head]
    below = head.rule.text if head.rule is not None else head.label
    return [f"{site.head_tag} {site.rule.text}|{below}", f"{site.head_word} {site.rule.text}|{below}"]
