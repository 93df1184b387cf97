"""Families over shape: how heavy, how far right, how parallel, what stands at the edges, who agrees with whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.parsing.features.sites import size_bin

if TYPE_CHECKING:
    from runoff.parsing.features.sites import Sentence, Site

_DEEPEST = 4  # levels to which conjuncts are compared
_MARKS = frozenset([",", ":", ";"])


def right_branch(site: Site, sentence: Sentence) -> list[str]:
    """Whether the node is above the last word that is not punctuation (Charniak & Johnson's RightBranch)."""
    is_right = site.start <= sentence.last < site.end
    return ["right" if is_right else "other", f"{site.label} {'right' if is_right else 'other'}"]


def heavy(site: Site, sentence: Sentence) -> list[str]:
    """Label, size, distance from the end and the mark that follows, roughly (Heavy)."""
    follows = sentence.word(site.end) if site.end < len(sentence.words) and sentence.punctuation[site.end] else "-"
    size, left = size_bin(site.end - site.start), size_bin(max(sentence.last + 1 - site.end, 0))
    return [f"{site.label} {size} {left} {follows}", f"{site.label} {size}"]


def parallel(site: Site, _: Sentence) -> list[str]:
    """Whether conjuncts are alike, to each of four levels (CoPar), and how their lengths compare (CoLenPar)."""
    out = []
    children = site.children
    for at in range(1, len(children) - 1):
        if children[at].label not in ("CC", "CONJP"):
            continue
        left = next((one for one in reversed(children[:at]) if one.label not in _MARKS), None)
        right = next((one for one in children[at + 1 :] if one.label not in _MARKS), None)
        if left is None or right is None:
            continue
        longer = (right.end - right.start) - (left.end - left.start)
        bounded = max(-6, min(6, longer))
        out.append(f"length {site.label} {bounded}")
        out.append(f"labels {site.label} {left.label} {right.label}")
        out.extend(
            [
                f"to {level} {site.label} {'alike' if _are_alike(left, right, level) else 'unlike'}"
                for level in range(1, _DEEPEST + 1)
            ]
        )
    return out


def _are_alike(one: Site, other: Site, levels: int) -> bool:
    if one.label != other.label:
        return False
    if levels == 1:
        return True
    return len(one.children) == len(other.children) and all(
        _are_alike(a, b, levels - 1) for a, b in zip(one.children, other.children, strict=True)
    )


def agreement(site: Site, _: Sentence) -> list[str]:
    """Tags and numbers of subject and verb (SubjVerbAgr)."""
    if site.label not in ("S", "SINV", "SQ"):
        return []
    verb = next((child for child in site.children if child.label == "VP"), None)
    subject = next((child for child in site.children if child.label == "NP"), None)
    if subject is None:
        return []
    finite = (
        _finite(verb)
        if verb is not None
        else next((c for c in site.children if c.is_leaf and c.label[:1] in "VM"), None)
    )
    if finite is None:
        return [f"{site.label} {subject.head_tag} none"]
    return [
        f"{site.label} {subject.head_tag} {finite.label}",
        f"{site.label} {subject.head_tag} {finite.head_word}",
        f"{site.label} {subject.head_word} {finite.label}",
    ]


def _finite(site: Site) -> Site | None:
    """The first verb or modal of a verb phrase: the one that agrees."""
    while not site.is_leaf:
        leaf = next((child for child in site.children if child.is_leaf and child.label[:1] in ("V", "M")), None)
        if leaf is not None:
            return leaf
        below = next((child for child in site.children if child.label == "VP"), None)
        if below is None:
            return None
        site = below
    return site


def edges(site: Site, sentence: Sentence) -> list[str]:
    """Label and size with the words and tags inside and outside both ends (Neighbours and Edges)."""
    label, start, end = site.label, site.start, site.end
    size = size_bin(end - start)
    word, tag = sentence.word, sentence.tag
    return [
        f"{label} {tag(start - 1)}[ ]{tag(end)}",
        f"{label} {size} {tag(start - 1)}[ ]{tag(end)}",
        f"{label} [{tag(start)} {tag(end - 1)}]",
        f"{label} {size} [{word(start)}",
        f"{label} {size} {word(end - 1)}]",
        f"{label} {size} {word(start - 1)}[",
        f"{label} {size} ]{word(end)}",
        f"{label} {word(start - 1)}[ ]{word(end)}",
        f"{label} {word(start - 1)}[{word(start)}",
        f"{label} {word(end - 1)}]{word(end)}",
    ]


def outline(site: Site, sentence: Sentence) -> list[str]:
    """The span's words as a string of kinds: capital, small, number, or the mark itself (Hall et al. 2014)."""
    if not 2 <= site.end - site.start <= 8:
        return []
    kinds = "".join([_kind(sentence, at) for at in range(site.start, site.end)])
    return [
        f"{site.label} {kinds}",
        f"{site.label} {_kind(sentence, site.start - 1)}({kinds}){_kind(sentence, site.end)}",
    ]


def _kind(sentence: Sentence, at: int) -> str:
    if not 0 <= at < len(sentence.words):
        return "_"
    if sentence.punctuation[at]:
        return sentence.words[at][:2]
    tag = sentence.tags[at]
    return "9" if tag == "CD" else "X" if tag.startswith("NNP") else "x"
