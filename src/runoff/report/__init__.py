"""What people see: descriptions, evaluations, comparisons and pictures."""

from runoff.report.compare import Comparison, compare
from runoff.report.describe import Description, describe
from runoff.report.evaluate import Evaluation, evaluate
from runoff.report.folds import cross_validate

__all__ = ["Comparison", "Description", "Evaluation", "compare", "cross_validate", "describe", "evaluate"]
