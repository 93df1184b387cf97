"""Roles: who did what to whom, as labelled stretches of words for every predicate (CoNLL-2005).

>>> from runoff.tasks.roles import Argument, Proposition, RoleSentence, evaluate_roles
>>> left = Proposition(1, "leave", (Argument(0, 1, "A0"), Argument(1, 2, "V")))
>>> gold = RoleSentence(("I", "left"), (left,))
>>> evaluate_roles([gold], [gold]).score("f")
100.0
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.registry import lazily

if TYPE_CHECKING:
    from runoff.tasks.roles.annotation import with_tags, with_tree_clauses, with_trees
    from runoff.tasks.roles.frames import read_frames
    from runoff.tasks.roles.labeller import RoleLabeller
    from runoff.tasks.roles.labeller_file import load_labeller
    from runoff.tasks.roles.labeller_training import train_labeller
    from runoff.tasks.roles.metric import SrlEval
    from runoff.tasks.roles.mixed_lists import mixed_lists
    from runoff.tasks.roles.predicate_file import load_finder
    from runoff.tasks.roles.predicate_scores import PredicateScores, evaluate_predicates
    from runoff.tasks.roles.predicates import PredicateFinder, train_finder
    from runoff.tasks.roles.proposal_texts import proposals_of
    from runoff.tasks.roles.propositions import Argument, Proposition, RoleSentence, WeightedTree
    from runoff.tasks.roles.role_drawing import draw_roles
    from runoff.tasks.roles.role_files import read_roles, write_roles
    from runoff.tasks.roles.role_scores import RoleComparison, RoleScores, evaluate_roles
    from runoff.tasks.roles.role_text import roles_text
    from runoff.tasks.roles.syntax_tools import SyntaxTools, read_raw
    from runoff.tasks.roles.tree_sources import read_parses, read_weighted_parses, with_parses

_HOMES = {
    "frames": ("read_frames",),
    "labeller": ("RoleLabeller",),
    "labeller_file": ("load_labeller",),
    "labeller_training": ("train_labeller",),
    "annotation": ("with_tags", "with_tree_clauses", "with_trees"),
    "metric": ("SrlEval",),
    "mixed_lists": ("mixed_lists",),
    "predicate_file": ("load_finder",),
    "predicate_scores": ("PredicateScores", "evaluate_predicates"),
    "predicates": ("PredicateFinder", "train_finder"),
    "proposal_texts": ("proposals_of",),
    "propositions": ("Argument", "Proposition", "RoleSentence", "WeightedTree"),
    "role_drawing": ("draw_roles",),
    "role_files": ("read_roles", "write_roles"),
    "role_scores": ("RoleComparison", "RoleScores", "evaluate_roles"),
    "role_text": ("roles_text",),
    "syntax_tools": ("SyntaxTools", "read_raw"),
    "tree_sources": ("read_parses", "read_weighted_parses", "with_parses"),
}
__all__ = [
    "Argument",
    "PredicateFinder",
    "PredicateScores",
    "Proposition",
    "RoleComparison",
    "RoleLabeller",
    "RoleScores",
    "RoleSentence",
    "SrlEval",
    "SyntaxTools",
    "WeightedTree",
    "draw_roles",
    "evaluate_predicates",
    "evaluate_roles",
    "load_finder",
    "load_labeller",
    "mixed_lists",
    "proposals_of",
    "read_frames",
    "read_parses",
    "read_raw",
    "read_roles",
    "read_weighted_parses",
    "roles_text",
    "train_finder",
    "train_labeller",
    "with_parses",
    "with_tags",
    "with_tree_clauses",
    "with_trees",
    "write_roles",
]

# Compilers take half a second to import; nobody should wait for what they do not use.
__getattr__ = lazily(__name__, {f"{__name__}.{home}": names for home, names in _HOMES.items()})


def __dir__() -> list[str]:
    return __all__
