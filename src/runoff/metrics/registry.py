"""Metrics by name: `ndcg@5`, `bleu[tokenize=none,lowercase]`, `ndcg-letor@1-10,map`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from runoff.errors import UsageError, brief
from runoff.metrics.base import Metric
from runoff.metrics.options import build
from runoff.registry import METRICS

# Other names that people know metrics by; the label is the metric's own name.
_ALIASES = {"rouge": "rouge-l", "rouge1": "rouge-1", "rouge2": "rouge-2", "rougel": "rouge-l"}

_WRITTEN = re.compile(
    r"(?P<name>[^@\[\]]+?)\s*"
    r"(?:@\s*(?P<first>\d+)\s*(?:-\s*(?P<last>\d+)\s*)?)?"
    r"(?:\[(?P<options>[^\[\]]*)\])?"
)
_COMMA = re.compile(r",(?![^\[]*\])")  # one that is not inside brackets


def names() -> list[str]:
    """Name of every metric, without importing any of them.

    Examples
    --------
    >>> "ndcg" in names()
    True
    """
    return sorted(METRICS)


def kinds() -> dict[str, type[Metric]]:
    """Class of every metric, by name. Imports them all.

    Examples
    --------
    >>> kinds()["ndcg"].__name__
    'NDCG'
    """
    return {name: _kind(name) for name in names()}


def get(metric: str | Metric) -> Metric:
    """Find the metric that a text names; a metric object is returned as it is.

    Examples
    --------
    >>> get("ndcg@5[gain=r]")
    NDCG(5, gain='r')
    """
    if isinstance(metric, Metric):
        return metric
    found = parse(_text(metric))
    if len(found) != 1:
        raise UsageError(f"expected one metric, found {len(found)} in {brief(metric)}.")
    return found[0]


def parse(text: str) -> list[Metric]:
    """Read a list of metrics, separated by commas; `@1-10` stands for ten metrics.

    Examples
    --------
    >>> [metric.label for metric in parse("ndcg-letor@1-3, map, bleu[tokenize=none,lowercase]")]
    ['ndcg-letor@1', 'ndcg-letor@2', 'ndcg-letor@3', 'map', 'bleu[lowercase,tokenize=none]']
    """
    return [metric for part in _COMMA.split(text) for metric in _one(part.strip())]


def resolve(
    wanted: str | Metric | Sequence[str | Metric] | None, default: str | Metric | Sequence[str | Metric] | None = None
) -> list[Metric]:
    """Metric objects for whatever way of naming metrics: text, an object, or a sequence of both.

    `default` is used if nothing is wanted: None, an empty text or an empty sequence.

    Examples
    --------
    >>> resolve("wer,map"), resolve(None, default="ndcg@5")
    ([WER(), MAP()], [NDCG(5)])
    >>> from runoff.metrics import NDCG
    >>> resolve([NDCG(10), "ndcg-letor@1-2"])
    [NDCG(10), LetorNDCG(1), LetorNDCG(2)]
    """
    if isinstance(wanted, Metric):
        return [wanted]
    if not wanted:
        if default is None:
            raise UsageError("no metric is named; name at least one, such as wer or ndcg@10.")
        return resolve(default)
    if isinstance(wanted, str) or not isinstance(wanted, Sequence):
        return parse(_text(wanted))
    return [metric for each in wanted for metric in ([each] if isinstance(each, Metric) else parse(_text(each)))]


def _text(metric: object) -> str:
    if not isinstance(metric, str):
        raise UsageError(f"expected a metric or the name of one, found {brief(metric)}.")
    return metric


def _kind(name: str) -> type[Metric]:
    kind = METRICS[name]
    if kind.name != name:  # its label would name another metric
        raise TypeError(f"{kind!r} is registered as the metric {name!r} but is called {kind.name!r}.")
    return kind


def _one(text: str) -> list[Metric]:
    match = _WRITTEN.fullmatch(text)
    if match is None:
        raise UsageError(
            f"{brief(text)} is not how a metric is written; expected name, name@5, name@1-10 or name[option=value]."
        )
    name = match["name"].lower()
    name = _ALIASES.get(name, name)
    kind, options = _kind(name), _options(match["options"] or "", text)
    if match["last"] is None:
        return [build(kind, None if match["first"] is None else int(match["first"]), options)]
    first, last = int(match["first"]), int(match["last"])
    if last < first:
        raise UsageError(f"{brief(text)}: the cut-offs must go up; write {name}@{last}-{first}.")
    return [build(kind, cut, options) for cut in range(first, last + 1)]


def _options(text: str, whole: str) -> dict[str, str]:
    options: dict[str, str] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if name in options:
            raise UsageError(f"{brief(whole)}: option {name!r} is given twice.")
        options[name] = value if equals else "true"
    return options
