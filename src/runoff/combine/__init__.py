"""Winners assembled from parts of several candidates, and lists of several first rounds merged into one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.registry import lazily

if TYPE_CHECKING:
    from runoff.combine.baselines import first_choices, system_worth, union, vote
    from runoff.combine.combiner import Assembled, Combiner
    from runoff.combine.combiner_file import load_combiner
    from runoff.combine.explanation import CombinationExplanation, explain_combination
    from runoff.combine.limits import Contributions, contributions, perfect_filter
    from runoff.combine.parts import Part, PartReader
    from runoff.combine.rerankers import add_system, held_out_scores
    from runoff.combine.training import train_combiner

__all__ = [
    "Assembled",
    "CombinationExplanation",
    "Combiner",
    "Contributions",
    "Part",
    "PartReader",
    "add_system",
    "contributions",
    "explain_combination",
    "first_choices",
    "held_out_scores",
    "load_combiner",
    "perfect_filter",
    "system_worth",
    "train_combiner",
    "union",
    "vote",
]

_HOMES = {
    "baselines": ("first_choices", "system_worth", "union", "vote"),
    "combiner": ("Assembled", "Combiner"),
    "combiner_file": ("load_combiner",),
    "explanation": ("CombinationExplanation", "explain_combination"),
    "limits": ("Contributions", "contributions", "perfect_filter"),
    "parts": ("Part", "PartReader"),
    "rerankers": ("add_system", "held_out_scores"),
    "training": ("train_combiner",),
}
__getattr__ = lazily(__name__, {f"{__name__}.{home}": names for home, names in _HOMES.items()})
