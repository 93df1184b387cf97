"""Metrics by name: `ndcg@5`, `bleu[tokenize=none,lowercase]`, `ndcg-letor@1-10,map`."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

from runoff.errors import UsageError, brief
from runoff.metrics.bleu import Bleu
from runoff.metrics.cer import CharacterErrorRate
from runoff.metrics.chrf import Chrf
from runoff.metrics.exact import Exact
from runoff.metrics.f1 import F1
from runoff.metrics.ndcg import LetorNDCG, PlainNDCG
from runoff.metrics.numeric import Numeric
from runoff.metrics.options import build
from runoff.metrics.quality import Quality
from runoff.metrics.retrieval import MeanAveragePrecision, Precision, ReciprocalRank
from runoff.metrics.rouge import Rouge1, Rouge2, RougeL, RougeS4
from runoff.metrics.ter import TranslationEditRate
from runoff.metrics.wer import WordErrorRate
from runoff.tasks.parsing.metric import Evalb, Parseval

if TYPE_CHECKING:
    from runoff.metrics.base import Metric

METRICS: dict[str, type[Metric]] = {
    kind.name: kind
    for kind in (
        Bleu,
        CharacterErrorRate,
        Chrf,
        Evalb,
        Exact,
        F1,
        LetorNDCG,
        MeanAveragePrecision,
        Numeric,
        Parseval,
        PlainNDCG,
        Precision,
        Quality,
        ReciprocalRank,
        Rouge1,
        Rouge2,
        RougeL,
        RougeS4,
        TranslationEditRate,
        WordErrorRate,
    )
}

# Other names that people know metrics by; the label is the metric's own name.
_ALIASES = {"rouge": "rouge-l", "rouge1": "rouge-1", "rouge2": "rouge-2", "rougel": "rouge-l"}

_WRITTEN = re.compile(
    r"(?P<name>[^@\[\]]+?)\s*"
    r"(?:@\s*(?P<first>\d+)\s*(?:-\s*(?P<last>\d+)\s*)?)?"
    r"(?:\[(?P<options>[^\[\]]*)\])?"
)
_COMMA = re.compile(r",(?![^\[]*\])")  # one that is not inside brackets


def names() -> list[str]:
    """Every metric's name.

    Examples
    --------
    >>> names()
    ['bleu', 'cer', 'chrf', 'evalb', 'exact', 'f1', 'map', 'mrr', 'ndcg', 'ndcg-letor', 'numeric', 'p', 'parseval',
     'quality', 'rouge-1', 'rouge-2', 'rouge-l', 'rouge-s4', 'ter', 'wer']
    """
    return sorted(METRICS)


def get(text: str | Metric) -> Metric:
    """Find the metric that a text names; a metric is given back as it is.

    Examples
    --------
    >>> get("ndcg@5[gain=r]")
    <metric ndcg@5|gain:r|discount:log2(i+1)|none-relevant:0|short-lists:as-they-are|missed:counted>
    """
    if not isinstance(text, str):
        return text
    found = parse(text)
    if len(found) != 1:
        raise UsageError(f"expected one metric, found {len(found)} in {brief(text)}.")
    return found[0]


def parse(text: str) -> list[Metric]:
    """Read a list of metrics, separated by commas; `@1-10` stands for ten metrics.

    Examples
    --------
    >>> [metric.label for metric in parse("ndcg-letor@1-3, map, bleu[tokenize=none,lowercase]")]
    ['ndcg-letor@1', 'ndcg-letor@2', 'ndcg-letor@3', 'map', 'bleu[lowercase,tokenize=none]']
    """
    return [metric for part in _COMMA.split(text) for metric in _one(part.strip())]


def _one(text: str) -> list[Metric]:
    match = _WRITTEN.fullmatch(text)
    if match is None:
        raise UsageError(
            f"{brief(text)} is not how a metric is written; expected name, name@5, name@1-10 or name[option=value]."
        )
    name = match["name"].lower()
    kind = METRICS.get(_ALIASES.get(name, name))
    if kind is None:
        near = difflib.get_close_matches(name, METRICS, n=1, cutoff=0.5)
        hint = f"; did you mean {near[0]}?" if near else "."
        raise UsageError(f"there is no metric {match['name']!r}{hint} There are: {', '.join(names())}.")
    options = _options(match["options"] or "", text)
    if match["last"] is None:
        return [build(kind, None if match["first"] is None else int(match["first"]), options)]
    first, last = int(match["first"]), int(match["last"])
    if last < first:
        raise UsageError(f"{brief(text)}: the cut-offs must go up; write {kind.name}@{last}-{first}.")
    return [build(kind, cut, options) for cut in range(first, last + 1)]


def _options(text: str, whole: str) -> dict[str, str]:
    options: dict[str, str] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if name in options:
            raise UsageError(f"{brief(whole)}: option {name!r} is given twice.")
        options[name] = value if equals else "true"
    return options

