"""Features of a constituent and a predicate together: tables 3 and 6."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from runoff.tasks.roles.indexed_tree import DOWN, UP
from runoff.tasks.roles.syntax import CLAUSES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.tasks.roles.features.lexicon import RoleLexicon
    from runoff.tasks.roles.features.predicate import Predicate
    from runoff.tasks.roles.syntax import Constituent, Syntax

BEFORE, AFTER, OVER = "before", "after", "over"
_LONGEST_PATH = 12  # longer ones are not features themselves
_BUCKETS = (0, 1, 2, 3, 4, 5, 7, 10, 15, 25)


class Relation(NamedTuple):
    """What conjunctions are made of, and the features."""

    position: str
    path: str
    frame: str
    features: list[str]


def relation_features(
    syntax: Syntax,
    each: Constituent,
    at: int,
    others: Sequence[Constituent],
    predicate: Predicate,
    lexicon: RoleLexicon,
) -> Relation:
    """Position, distances, paths and frame of a candidate in, or inside of, number `at` of others in a row.

    O(path + others nearby).
    """
    position = BEFORE if each.stop <= predicate.at else AFTER if each.start > predicate.at else OVER
    if position == BEFORE:
        first, last = each.stop, predicate.at
    else:
        first, last = predicate.at + 1, each.start
    between = range(first, max(first, last))
    pos = syntax.pos
    verbs = sum(pos[word].startswith("VB") for word in between)
    commas = sum(pos[word] == "," for word in between)
    found = [
        f"position={position}",
        f"distance={_bucket(len(between))}",
        f"position,distance={position} {_bucket(len(between))}",
        f"verbs={min(verbs, 4)}",
        f"commas={min(commas, 3)}",
        f"conjunctions={min(sum(pos[word] == 'CC' for word in between), 3)}",
    ]
    if not between:
        found.append(f"beside={position}")
    if syntax.lower[each.start] in lexicon.particles.get(predicate.lemma, ()):
        found.append("particle")
    path = ""
    if each.node >= 0:
        labels = syntax.tree.path(each.node, syntax.tree.leaf_of[predicate.at])
        path = "".join(labels)
        _paths(syntax, each, labels, path, predicate, found)
    if syntax.has_partial:
        partial = partial_path(syntax, each, predicate.at)
        text = " ".join(partial)
        found.append(f"level={syntax.clause_levels[predicate.at] - syntax.clause_levels[each.start]}")
        found.append(f"partial={text if len(partial) <= _LONGEST_PATH else 'long'}")
        found.append(f"chunks={_bucket(len(partial))}")
        _ends("partial", partial, found)
        path = path or f"{position} {text if len(partial) <= _LONGEST_PATH else 'long'}"
    frame = frame_of(others, at, predicate)
    if (others[at].start, others[at].stop) != (each.start, each.stop):
        frame = f"{each.label} in {frame}"
    found += [f"frame={frame}", f"lemma,frame={predicate.lemma} {frame}"]
    return Relation(position, path, frame, found)


def _paths(
    syntax: Syntax, each: Constituent, labels: list[str], path: str, predicate: Predicate, found: list[str]
) -> None:
    tree = syntax.tree
    found.append(f"path={path if len(labels) <= _LONGEST_PATH else 'long'}")
    found.append(f"path_length={min(len(labels), 12)}")
    found.append(f"clauses={min(sum(label.lstrip(UP + DOWN) in CLAUSES for label in labels), 5)}")
    found.append(f"verb_phrases={min(sum(label.lstrip(UP + DOWN) == 'VP' for label in labels), 5)}")
    found.append(f"subsumption={tree.depths[each.node] - tree.depths[tree.leaf_of[predicate.at]]}")
    _ends("path", labels, found)
    turn = next((at for at, label in enumerate(labels) if label[0] == DOWN), len(labels)) - 1
    top = labels[turn]
    found.append(f"turn={labels[0]} {top} {labels[-1]}")
    found.append(f"up={''.join(labels[: turn + 1])}")
    if len(labels) > 3:
        found += dict.fromkeys(f"path_down={labels[0]}{top}{label}{labels[-1]}" for label in labels[turn + 1 : -1])
        found += dict.fromkeys(f"path_up={labels[0]}{label}{top}{labels[-1]}" for label in labels[1:turn])


def _ends(name: str, labels: Sequence[str], found: list[str]) -> None:
    """3-, 4- and 5-grams at both ends."""
    for size in (3, 4, 5):
        if len(labels) > size:
            found.append(f"{name}_from={' '.join(labels[:size])}")
            found.append(f"{name}_to={' '.join(labels[-size:])}")


def partial_path(syntax: Syntax, each: Constituent, predicate: int) -> list[str]:
    """Base phrases and boundaries of clauses between a constituent and the predicate (Carreras et al. 2004).

    Words outside of base phrases are shown if they are conjunctions, commas, pronouns of questions or "to".
    """
    first, last = (each.stop, predicate) if each.stop <= predicate else (predicate + 1, each.start)
    found: list[str] = []
    at = first
    levels = syntax.clause_levels
    while at <= last and at < len(levels):
        if at and levels[at] != levels[at - 1]:
            found.append(")" if levels[at] < levels[at - 1] else "(S")
        if at >= last:
            break
        chunk = syntax.chunk_of[at]
        if chunk >= 0:
            found.append(syntax.chunks[chunk].label)
            at = max(at + 1, min(syntax.chunks[chunk].stop, last))
        else:
            if syntax.pos[at] in (",", "CC", "TO", "WDT", "WP", "WRB", ":"):
                found.append(syntax.pos[at])
            at += 1
    return found


def frame_of(others: Sequence[Constituent], at: int, predicate: Predicate) -> str:
    """Noun phrases and the like around the predicate with the candidate marked (Xue & Palmer 2004)."""
    found = []
    for number, other in enumerate(others):
        if number == at:
            found.append(f"[{other.label}]")
        elif other.start <= predicate.at < other.stop:
            found.append("v")
        elif abs(number - at) <= 8 and other.label in ("NP", "PP", "SBAR", "S", "ADJP", "PRT", "VP", "TO"):
            found.append(other.label.lower() if other.label != "TO" else "to")
    place = found.index("v") if "v" in found else 0
    return "_".join(found[max(0, place - 3) : place + 5])


def _bucket(number: int) -> int:
    return max(each for each in _BUCKETS if each <= number)
