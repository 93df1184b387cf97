"""Descriptions, evaluations, comparisons, margins and pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.registry import lazily

if TYPE_CHECKING:
    from runoff.report.baseline_report import BaselineReport, evaluate_baselines
    from runoff.report.block_reports import describe_blocks, evaluate_blocks
    from runoff.report.comparison import Comparison, compare
    from runoff.report.cross_validation import cross_validate
    from runoff.report.description import Description, describe
    from runoff.report.evaluation import Evaluation, evaluate
    from runoff.report.margin_report import Margins, margins
    from runoff.report.training_size import learning_curve

__all__ = [
    "BaselineReport",
    "Comparison",
    "Description",
    "Evaluation",
    "Margins",
    "compare",
    "cross_validate",
    "describe",
    "describe_blocks",
    "evaluate",
    "evaluate_baselines",
    "evaluate_blocks",
    "learning_curve",
    "margins",
]

_HOMES = {
    "baseline_report": ("BaselineReport", "evaluate_baselines"),
    "block_reports": ("describe_blocks", "evaluate_blocks"),
    "comparison": ("Comparison", "compare"),
    "cross_validation": ("cross_validate",),
    "description": ("Description", "describe"),
    "evaluation": ("Evaluation", "evaluate"),
    "margin_report": ("Margins", "margins"),
    "training_size": ("learning_curve",),
}
__getattr__ = lazily(__name__, {f"{__name__}.{home}": names for home, names in _HOMES.items()})


def __dir__() -> list[str]:
    return __all__
