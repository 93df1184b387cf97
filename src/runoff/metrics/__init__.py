"""Metrics: what a choice is worth, and how sure one can be of it.

A metric is an object, `NDCG(10)` or `WER(case="lower")`, or is named by text, `name@cut-off[option=value,flag]`:
`wer`, `ndcg@5`, `ndcg@10[gain=r]`, `bleu[tokenize=none,lowercase]`; several are separated by commas, and
`ndcg-letor@1-10` stands for ten. To add one, write a frozen dataclass derived from `PickMetric`, `TextMetric` or
`RankingMetric`, and let its task register it (`runoff.tasks.Task.metrics`).

>>> from runoff.metrics import NDCG, get
>>> get("ndcg@10") == NDCG(10)
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.registry import METRICS, lazily

if TYPE_CHECKING:
    from runoff.metrics.base import Metric, PickMetric
    from runoff.metrics.bleu import BLEU
    from runoff.metrics.cer import CER
    from runoff.metrics.chrf import ChrF
    from runoff.metrics.exact_match import ExactMatch
    from runoff.metrics.graded_data import (
        grade,
        grade_for,
        metrics_of,
        with_references,
        with_statistics,
        without_usual_quality,
    )
    from runoff.metrics.ndcg import NDCG, LetorNDCG
    from runoff.metrics.numeric import Numeric
    from runoff.metrics.quality import Quality
    from runoff.metrics.ranking_metric import RankingMetric
    from runoff.metrics.reference_choices import first_rows, oracle, oracle_rows
    from runoff.metrics.registry import get, names, parse, resolve
    from runoff.metrics.resampling import Resampling
    from runoff.metrics.retrieval import MAP, MRR, Precision, Success
    from runoff.metrics.rouge import ROUGE1, ROUGE2, ROUGEL, ROUGES4
    from runoff.metrics.significance import Difference, Interval, interval, paired_bootstrap, randomisation
    from runoff.metrics.ter import TER
    from runoff.metrics.text_metric import TextMetric
    from runoff.metrics.token_f1 import TokenF1
    from runoff.metrics.wer import WER

__all__ = [
    "BLEU",
    "CER",
    "MAP",
    "MRR",
    "NDCG",
    "ROUGE1",
    "ROUGE2",
    "ROUGEL",
    "ROUGES4",
    "TER",
    "WER",
    "ChrF",
    "Difference",
    "ExactMatch",
    "Interval",
    "LetorNDCG",
    "Metric",
    "Numeric",
    "PickMetric",
    "Precision",
    "Quality",
    "RankingMetric",
    "Resampling",
    "Success",
    "TextMetric",
    "TokenF1",
    "first_rows",
    "get",
    "grade",
    "grade_for",
    "interval",
    "metrics_of",
    "names",
    "oracle",
    "oracle_rows",
    "paired_bootstrap",
    "parse",
    "randomisation",
    "resolve",
    "with_references",
    "with_statistics",
    "without_usual_quality",
]

_HOMES = {
    "base": ("Metric", "PickMetric"),
    "bleu": ("BLEU",),
    "cer": ("CER",),
    "chrf": ("ChrF",),
    "exact_match": ("ExactMatch",),
    "graded_data": ("grade", "grade_for", "metrics_of", "with_references", "with_statistics", "without_usual_quality"),
    "ndcg": ("NDCG", "LetorNDCG"),
    "numeric": ("Numeric",),
    "quality": ("Quality",),
    "ranking_metric": ("RankingMetric",),
    "reference_choices": ("first_rows", "oracle", "oracle_rows"),
    "registry": ("get", "names", "parse", "resolve"),
    "resampling": ("Resampling",),
    "retrieval": ("MAP", "MRR", "Precision", "Success"),
    "rouge": ("ROUGE1", "ROUGE2", "ROUGEL", "ROUGES4"),
    "significance": ("Difference", "Interval", "interval", "paired_bootstrap", "randomisation"),
    "ter": ("TER",),
    "text_metric": ("TextMetric",),
    "token_f1": ("TokenF1",),
    "wer": ("WER",),
}
for _name, _place in (
    ("bleu", "bleu:BLEU"),
    ("cer", "cer:CER"),
    ("chrf", "chrf:ChrF"),
    ("exact", "exact_match:ExactMatch"),
    ("f1", "token_f1:TokenF1"),
    ("map", "retrieval:MAP"),
    ("mrr", "retrieval:MRR"),
    ("ndcg", "ndcg:NDCG"),
    ("ndcg-letor", "ndcg:LetorNDCG"),
    ("numeric", "numeric:Numeric"),
    ("p", "retrieval:Precision"),
    ("quality", "quality:Quality"),
    ("rouge-1", "rouge:ROUGE1"),
    ("rouge-2", "rouge:ROUGE2"),
    ("rouge-l", "rouge:ROUGEL"),
    ("rouge-s4", "rouge:ROUGES4"),
    ("success", "retrieval:Success"),
    ("ter", "ter:TER"),
    ("wer", "wer:WER"),
):
    METRICS.register(_name, f"{__name__}.{_place}")
# Compilers take half a second to import; nobody should wait for what they do not use.
__getattr__ = lazily(__name__, {f"{__name__}.{home}": names for home, names in _HOMES.items()})


def __dir__() -> list[str]:
    return __all__
