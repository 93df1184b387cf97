"""Metrics: what a choice is worth, and how sure one can be of it.

A metric is named by text, `name@cut-off[option=value,flag]`: `wer`, `ndcg@5`, `ndcg@10[gain=r]`,
`bleu[tokenize=none,lowercase]`; several are separated by commas, and `ndcg-letor@1-10` stands for ten.
To add one, write a frozen dataclass derived from `PickMetric` or `RankingMetric` and list it in `registry`.
"""

from runoff.metrics.base import Metric, PickMetric
from runoff.metrics.choices import first_rows, oracle, oracle_rows, random_rows
from runoff.metrics.grading import grade, grade_for, with_references, with_statistics
from runoff.metrics.ranked import RankingMetric
from runoff.metrics.registry import get, names, parse
from runoff.metrics.significance import Difference, Interval, interval, paired_bootstrap, randomisation

__all__ = [
    "Difference",
    "Interval",
    "Metric",
    "PickMetric",
    "RankingMetric",
    "first_rows",
    "get",
    "grade",
    "grade_for",
    "interval",
    "names",
    "oracle",
    "oracle_rows",
    "paired_bootstrap",
    "parse",
    "random_rows",
    "randomisation",
    "with_references",
    "with_statistics",
]
