"""What people see: descriptions, evaluations, comparisons and pictures."""

from runoff.report.comparison import Comparison, compare
from runoff.report.description import Description, describe
from runoff.report.evaluation import Evaluation, evaluate
from runoff.report.folds import cross_validate

__all__ = ["Comparison", "Description", "Evaluation", "compare", "cross_validate", "describe", "evaluate"]
