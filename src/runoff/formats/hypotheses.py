"""N-best lists of speech recognisers in the form of the HyPoradise collection: hypotheses and one transcript.

A JSON array, or JSON lines, of `{"input": [hypothesis, …], "output": reference}`; `scores` (one number per
hypothesis, higher is better) and `id` may be there, `output` may be missing.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from runoff.errors import DataError, brief
from runoff.formats.base import Format, Sample
from runoff.formats.json_reader import line_blocks, outline, parse, parse_lines
from runoff.formats.streams import BYTE_ORDER_MARK, open_bytes, read_all
from runoff.nbest.record_blocks import RecordSource
from runoff.nbest.records import RecordBuilder, collector_paused, unused_keys

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from runoff.nbest import NBest

_KEYS = frozenset({"input", "output", "scores", "id"})
_BLOCK = 1024


def read(path: Path) -> NBest:
    """Read lists of hypotheses; word error rate is the usual metric. An array is held in memory while it is read."""
    with open_bytes(path) as stream:
        is_array = stream.read(1 << 10).removeprefix(BYTE_ORDER_MARK).lstrip()[:1] == b"["
    builder = RecordBuilder(RecordSource(path, "element" if is_array else "line"))
    unused: Counter[str] = Counter()
    with collector_paused():
        if is_array:
            elements = parse(read_all(path).removeprefix(BYTE_ORDER_MARK), path)
            for start in range(0, len(elements), _BLOCK):
                block = elements[start : start + _BLOCK]
                _add(builder, block, range(start + 1, start + 1 + len(block)), unused)
        else:
            for first, _, lines in line_blocks(path):
                _add(builder, *parse_lines(lines, path, first), unused)
    if not len(builder):
        raise DataError("the file has no lists of hypotheses.", path=path)
    return builder.finish(metric="wer", notes=[unused_keys({"group": unused})] if unused else [])


def _add(builder: RecordBuilder, elements: list[Any], numbers: Sequence[int], unused: Counter[str]) -> None:
    records = []
    for element, number in zip(elements, numbers, strict=True):
        if not isinstance(element, dict):
            raise builder.source.error(
                f"expected an object with the keys 'input' and 'output', found {brief(element)}.", number
            )
        records.append(_record(builder, element, number))
        unused.update([key for key in element if key not in _KEYS])
    builder.add(records, numbers)


def _record(builder: RecordBuilder, element: dict[str, Any], number: int) -> dict[str, Any]:
    hypotheses, scores, output = element.get("input"), element.get("scores"), element.get("output")
    if hypotheses is None:
        raise builder.source.error(
            "there is no 'input'; expected a list of hypotheses (an empty one if there are none).", number
        )
    if not isinstance(hypotheses, list):
        raise builder.source.error(f"expected a list of hypotheses for 'input', found {brief(hypotheses)}.", number)
    for place, hypothesis in enumerate(hypotheses, 1):
        if not isinstance(hypothesis, str):
            raise builder.source.error(f"expected text for hypothesis {place}, found {brief(hypothesis)}.", number)
    if output is not None and not isinstance(output, str):
        raise builder.source.error(f"expected text for 'output', found {brief(output)}.", number)
    candidates: list[Any] = hypotheses
    if scores is not None:
        if not isinstance(scores, list) or len(scores) != len(hypotheses):
            raise builder.source.error(
                f"expected {len(hypotheses)} numbers for 'scores', one per hypothesis, found {brief(scores)}.", number
            )
        candidates = [{"text": text, "base": score} for text, score in zip(hypotheses, scores, strict=True)]
    return {"id": element.get("id"), "candidates": candidates, "reference": output}


def recognise(sample: Sample) -> bool:
    """Recognise objects whose `input` is a list, unless it is one of objects, such as the messages of a chat."""
    seen = outline(sample.head)
    return seen.get(("input",)) == b"[" and not any(len(keys) > 1 and keys[0] == "input" for keys in seen)


FORMAT = Format(
    name="hypotheses",
    description="recogniser lists: JSON objects with `input` (hypotheses) and `output` (reference)",
    recognise=recognise,
    read=read,
    keys=("input", "output", "scores"),
)
