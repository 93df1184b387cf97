"""Descriptions, evaluations, comparisons, margins and pictures."""

from runoff.report.baseline_report import BaselineReport, evaluate_baselines
from runoff.report.comparison import Comparison, compare
from runoff.report.cross_validation import cross_validate
from runoff.report.description import Description, describe
from runoff.report.evaluation import Evaluation, evaluate
from runoff.report.margin_report import Margins, margins

__all__ = [
    "BaselineReport",
    "Comparison",
    "Description",
    "Evaluation",
    "Margins",
    "compare",
    "cross_validate",
    "describe",
    "evaluate",
    "evaluate_baselines",
    "margins",
]
