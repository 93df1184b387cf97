"""Features of a predicate: tables 2 and 5."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.tasks.roles.features.lexicon import RoleLexicon
    from runoff.tasks.roles.propositions import Proposition
    from runoff.tasks.roles.syntax import Syntax

_BE = frozenset(["be", "is", "am", "are", "was", "were", "been", "being", "'s", "'re", "'m", "get", "gets", "got"])
_COPULAS = frozenset(["be", "become", "seem", "appear", "remain"])
_SKIPPED = ("RB", "NN", "PRP", "DT", "JJ", "MD", ",")
_BACK = 6  # words to the left in which auxiliaries are looked for


class Predicate(NamedTuple):
    """A predicate as relations see it."""

    at: int
    lemma: str
    pos: str
    voice: str
    roles: str  # numbers of the roles that its frames have; empty if they are not known
    features: list[str]


def predicate_features(syntax: Syntax, proposition: Proposition, lexicon: RoleLexicon) -> Predicate:
    """Form, lemma, tag, voice, verb phrase, clause boundaries, subcategorisation. O(path to the root).

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> from runoff.tasks.roles.features.lexicon import RoleLexicon
    >>> from runoff.tasks.roles.propositions import Proposition, RoleSentence
    >>> from runoff.tasks.roles.syntax import Syntax
    >>> tree = parse_tree("(S (NP (PRP I)) (VP (VBD was) (VP (VBN seen))))")
    >>> syntax = Syntax(RoleSentence(("I", "was", "seen"), tree=tree), use_tree=True)
    >>> predicate_features(syntax, Proposition(2, "see", ()), RoleLexicon()).voice
    'passive'
    """
    at, lemma = proposition.predicate, proposition.lemma
    pos, spoken = syntax.pos[at], voice_of(syntax.pos, syntax.lower, at, lemma)
    found = [
        f"form={syntax.lower[at]}",
        f"lemma={lemma}",
        f"pos={pos}",
        f"voice={spoken}",
        f"lemma,voice={lemma} {spoken}",
        f"before={syntax.lower[at - 1] if at else '^'}",
        f"after={syntax.lower[at + 1] if at + 1 < len(syntax.lower) else '$'}",
        f"after_pos={syntax.pos[at + 1] if at + 1 < len(syntax.pos) else '$'}",
    ]
    if lemma in lexicon.frequent:
        found.append("frequent")
    roles = lexicon.frames.get(lemma, "")
    if roles:
        found.append(f"roles={roles}")
    if syntax.has_partial:
        chunk = syntax.chunk_of[at]
        if chunk >= 0:
            start, stop, label = syntax.chunks[chunk]
            found.append(f"chunk={label}")
            found.append(f"verb_phrase={'one word' if stop - start == 1 else 'several words'}")
        found += ["starts_clause"] if any(start == at for start, _ in syntax.clauses) else []
        found += ["ends_clause"] if any(stop == at + 1 for _, stop in syntax.clauses) else []
    if hasattr(syntax, "tree"):
        tree = syntax.tree
        leaf = tree.leaf_of[at]
        parent = tree.parents[leaf]
        if parent >= 0:
            rule = f"{tree.labels[parent]}>{' '.join(tree.labels[child] for child in tree.children[parent])}"
            found += [f"rule={rule}", f"parent={tree.labels[parent]}", f"lemma,rule={lemma} {rule}"]
            above = tree.parents[parent]
            found.append(f"above={tree.labels[above] if above >= 0 else '-'}>{tree.labels[parent]}")
    return Predicate(at, lemma, pos, spoken, roles, found)


def voice_of(tags: Sequence[str], lower: Sequence[str], at: int, lemma: str) -> str:
    """Active, passive, copulative, infinitive or progressive, by the tag and auxiliaries to the left; - for nouns.

    Examples
    --------
    >>> voice_of(["PRP", "VBD", "VBN"], ["i", "was", "seen"], 2, "see")
    'passive'
    """
    pos = tags[at]
    if not pos.startswith("VB"):
        return "-"
    if lemma in _COPULAS:
        return "copulative"
    for back in range(at - 1, max(at - 1 - _BACK, -1), -1):
        word, tag = lower[back], tags[back]
        if word in _BE and tag.startswith("VB"):
            if pos in ("VBN", "VBD"):
                return "passive"
            return "progressive" if pos == "VBG" else "active"
        if tag == "TO":
            return "infinitive"
        if tag.startswith("VB") or not tag.startswith(_SKIPPED):
            break
    if pos == "VBN":
        had = any(lower[back] in ("have", "has", "had", "'ve", "having") for back in range(max(0, at - 4), at))
        return "active" if had else "passive"
    return "active"
