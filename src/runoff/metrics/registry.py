"""Metrics by name: `ndcg@5`, `bleu[tokenize=none,lowercase]`, `ndcg-letor@1-10,map`."""

from __future__ import annotations

import difflib
import importlib
import re
from collections.abc import Sequence

from runoff.errors import UsageError, brief
from runoff.metrics.base import Metric
from runoff.metrics.options import build

# Classes by name; a text "module:Class" is imported when the metric is first used, so that listing names costs nothing.
_KINDS: dict[str, str | type[Metric]] = {
    "bleu": "runoff.metrics.bleu:BLEU",
    "cer": "runoff.metrics.cer:CER",
    "chrf": "runoff.metrics.chrf:ChrF",
    "exact": "runoff.metrics.exact_match:ExactMatch",
    "f1": "runoff.metrics.token_f1:TokenF1",
    "map": "runoff.metrics.retrieval:MAP",
    "mrr": "runoff.metrics.retrieval:MRR",
    "ndcg": "runoff.metrics.ndcg:NDCG",
    "ndcg-letor": "runoff.metrics.ndcg:LetorNDCG",
    "numeric": "runoff.metrics.numeric:Numeric",
    "p": "runoff.metrics.retrieval:Precision",
    "quality": "runoff.metrics.quality:Quality",
    "rouge-1": "runoff.metrics.rouge:ROUGE1",
    "rouge-2": "runoff.metrics.rouge:ROUGE2",
    "rouge-l": "runoff.metrics.rouge:ROUGEL",
    "rouge-s4": "runoff.metrics.rouge:ROUGES4",
    "ter": "runoff.metrics.ter:TER",
    "wer": "runoff.metrics.wer:WER",
}

# Other names that people know metrics by; the label is the metric's own name.
_ALIASES = {"rouge": "rouge-l", "rouge1": "rouge-1", "rouge2": "rouge-2", "rougel": "rouge-l"}

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")
_WRITTEN = re.compile(
    r"(?P<name>[^@\[\]]+?)\s*"
    r"(?:@\s*(?P<first>\d+)\s*(?:-\s*(?P<last>\d+)\s*)?)?"
    r"(?:\[(?P<options>[^\[\]]*)\])?"
)
_COMMA = re.compile(r",(?![^\[]*\])")  # one that is not inside brackets


def register(name: str, kind: str | type[Metric]) -> None:
    """Add a metric that can then be named in texts: its class, or "module:Class" to import it when it is first used.

    `name` is the class's own `name`, in lower case. The same name may be registered again only for the same class.

    Examples
    --------
    >>> register("wer", "runoff.metrics.wer:WER")
    >>> register("WER", "runoff.metrics.wer:WER")
    Traceback (most recent call last):
    runoff.errors.UsageError: the name of a metric is lower-case letters, digits, - and _; found 'WER'.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(f"the name of a metric is lower-case letters, digits, - and _; found {brief(name)}.")
    known = _KINDS.get(name, kind)
    if name in _ALIASES or _place(known) != _place(kind):
        raise UsageError(f"there is already a metric {name!r} ({_place(known)}); give {_place(kind)} another name.")
    _KINDS.setdefault(name, kind)


def names() -> list[str]:
    """Name of every metric, without importing any of them.

    Examples
    --------
    >>> "ndcg" in names()
    True
    """
    return sorted(_KINDS)


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


def _place(kind: str | type[Metric]) -> str:
    return kind if isinstance(kind, str) else f"{kind.__module__}:{kind.__qualname__}"


def _kind(name: str) -> type[Metric]:
    kind = _KINDS[name]
    if isinstance(kind, str):
        module, _, attribute = kind.partition(":")
        kind = getattr(importlib.import_module(module), attribute)
    if not (isinstance(kind, type) and issubclass(kind, Metric) and kind.name == name):
        raise TypeError(f"{kind!r} is registered as the metric {name!r} but is no Metric of that name.")
    _KINDS[name] = kind
    return kind


def _one(text: str) -> list[Metric]:
    match = _WRITTEN.fullmatch(text)
    if match is None:
        raise UsageError(
            f"{brief(text)} is not how a metric is written; expected name, name@5, name@1-10 or name[option=value]."
        )
    name = match["name"].lower()
    name = _ALIASES.get(name, name)
    if name not in _KINDS:
        near = difflib.get_close_matches(name, names(), n=1, cutoff=0.5)
        hint = f"; did you mean {near[0]}?" if near else "."
        raise UsageError(f"there is no metric {match['name']!r}{hint} There are: {', '.join(names())}.")
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


# TO MOVE into the room of parsing, which registers its own metrics:
_KINDS |= {"evalb": "runoff.tasks.parsing.metric:Evalb", "parseval": "runoff.tasks.parsing.metric:Parseval"}
