"""Pairs of features for linear learners; trees find theirs by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.tasks.roles.features.constituent import content_word

if TYPE_CHECKING:
    from runoff.tasks.roles.features.predicate import Predicate
    from runoff.tasks.roles.features.relation import Relation
    from runoff.tasks.roles.syntax import Constituent, Syntax


def conjunctions(syntax: Syntax, each: Constituent, predicate: Predicate, relation: Relation) -> list[str]:
    """Predicate with constituent, voice with position, path with words. O(1) beyond the content word's search."""
    lower, pos = syntax.lower, syntax.pos
    lemma, voice, position, path = predicate.lemma, predicate.voice, relation.position, relation.path
    label, head = each.label, lower[each.head]
    content, first = lower[content_word(syntax, each)], lower[each.start]
    kind = f"{position} {label}"
    verb = "VB" if predicate.pos.startswith("VB") else predicate.pos[:2]
    found = [
        f"lp={lemma} {kind}",
        f"lpv={lemma} {voice} {kind}",
        f"lh={lemma} {position} {head}",
        f"lc={lemma} {content}",
        f"lf={lemma} {position} {first}",
        f"lt={lemma} {path}",
        f"lpos={lemma} {position} {pos[each.head]}",
        f"vk={voice} {kind}",
        f"vt={voice} {path}",
        f"vpk={predicate.pos} {voice} {kind} {pos[each.head]}",
        f"pt={predicate.pos} {path}",
        f"th={path} {head}",
        f"tc={path} {content}",
        f"tf={path} {first}",
        f"kc={verb} {kind} {content}",
        f"kh={verb} {kind} {head}",
        f"kf={verb} {kind} {first}",
        f"fc={position} {first} {content}",
        f"fv={voice} {relation.frame}",
        f"vpt={voice} {path} {pos[each.head]}",
    ]
    if predicate.roles:
        found += [
            f"rk={predicate.roles} {kind}",
            f"rvk={predicate.roles} {voice} {kind}",
            f"rvf={predicate.roles} {voice} {relation.frame}",
            f"rt={predicate.roles} {path}",
            f"rf={predicate.roles} {position} {first}",
        ]
    return found
