"""Translations of Sockeye as JSON lines, by `--output-type json --nbest-size N`.

A line has `sentence_id`, `translations` and `scores`. Sockeye's scores are negative log-probabilities, so the negated
score is the base score; if one is below zero, they are taken for log-probabilities. Of an input without words Sockeye
writes an infinite score, which is read as 0. A line without `translations` has one candidate, `translation`. `text` or
`source`, if the input had it, is the list's input.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

from runoff.errors import DataError, brief
from runoff.formats.assembly import Record, assembled
from runoff.formats.base import Format, Sample
from runoff.formats.json_reader import outline, parse
from runoff.formats.moses_references import aligned
from runoff.formats.streams import lines
from runoff.formats.written_numbers import finite_value
from runoff.nbest.records import unused_keys

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from runoff.nbest import NBest

_KEYS = frozenset({"sentence_id", "translation", "score", "translations", "scores", "text", "source"})


def read(path: Path, references: str | Path | Sequence[str | Path] | None = None) -> NBest:
    """Read translations; `references` belong to the sentences by line, which Sockeye counts from 1. O(bytes)."""
    unused, infinite = Counter[str](), list[int]()
    data = assembled(_records(path, unused, infinite), path, metric="bleu")
    notes = list(data.notes)
    if infinite:
        notes.append(f"{len(infinite):,} empty translation(s) with an infinite score have the score 0.")
    if unused:
        notes.append(unused_keys({"group": unused}))
    if data.base is not None and data.base.min(initial=0.0) < 0:
        notes.append("Some scores are below zero, so they were read as log-probabilities (higher is better).")
    elif data.base is not None:
        data = data.replace(base=0.0 - data.base)
    data = data.replace(notes=tuple(notes))
    if references is None:
        return data
    ids = data.group_ids.to_pylist()
    if all(name.isdecimal() and name != "0" for name in ids):
        ids = [str(int(name) - 1) for name in ids]
    found, more = aligned(ids, references, path)
    return data.replace(references=found, notes=(*data.notes, *more))


def _records(path: Path, unused: Counter[str], infinite: list[int]) -> Iterator[tuple[int, Record]]:
    for number, raw in lines(path):
        entry = parse(raw, path, number)
        known = isinstance(entry, dict) and (isinstance(entry.get("translation"), str) or "translations" in entry)
        if not known:
            raise DataError(
                f"expected an object with a text 'translation', found {brief(entry)}.", path=path, line=number
            )
        unused.update(key for key in entry if key not in _KEYS)
        several, scores = entry.get("translations"), entry.get("scores")
        if several is None:
            several, scores = [entry["translation"]], [entry.get("score")]
        if not isinstance(several, list) or not isinstance(scores, list) or len(several) != len(scores):
            raise DataError(
                f"expected as many 'scores' as 'translations', found {_count(scores)} and {_count(several)}.",
                path=path,
                line=number,
            )
        candidates = []
        for text, score in zip(several, scores, strict=True):
            if not isinstance(text, str):
                raise DataError(f"expected texts in 'translations', found {brief(text)}.", path=path, line=number)
            # With target factors, a score is a list that begins with that of the words.
            first = score[0] if isinstance(score, list) and score else score
            if not text and isinstance(first, float) and math.isinf(first):
                infinite.append(number)
                first = 0.0
            candidates.append({"text": text, "base": finite_value(first, "a score", path, number)})
        record: Record = {"id": entry.get("sentence_id"), "candidates": candidates}
        source = entry.get("text", entry.get("source"))
        if isinstance(source, str):
            record["input"] = source
        yield number, record


def _count(given: Any) -> str:
    return str(len(given)) if isinstance(given, list) else brief(given)


def recognise(sample: Sample) -> bool:
    """Recognise objects with the id of a sentence and its translation."""
    seen = outline(sample.head) if sample.first_line[:1] == b"{" else {}
    return ("sentence_id",) in seen and not seen.keys().isdisjoint({("translation",), ("translations",)})


FORMAT = Format(
    name="sockeye",
    description="Sockeye JSON lines: sentence_id, translations and scores; references by the option references",
    recognise=recognise,
    read=read,
    options=("references",),
)
