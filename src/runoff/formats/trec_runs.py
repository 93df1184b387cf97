"""Runs for the same queries: reading them, and the columns that one run gives the documents of all."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from runoff.errors import DataError, UsageError, brief
from runoff.formats.streams import decode, lines
from runoff.formats.written_numbers import finite

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Floats

BELOW_LOWEST = 0.01
ABSENT = ("below", "lowest", "nan")
LARGEST = 1e38  # features are stored in single precision, and an absent document scores a little lower


@dataclass
class TrecRun:
    """Scores of one run: query -> document -> score, in the order of the file."""

    tag: str = ""
    scores: dict[str, dict[str, float]] = field(default_factory=dict)
    other_tags: int = 0
    unsorted: set[str] = field(default_factory=set)  # queries whose written ranks do not follow the scores


def run_paths(runs: str | Path | Sequence[str | Path]) -> list[Path]:
    """Files that an option names, separated by commas.

    Examples
    --------
    >>> [path.name for path in run_paths("a.run, b.run")]
    ['a.run', 'b.run']
    """
    several = [part.strip() for part in str(runs).split(",")] if isinstance(runs, (str, Path)) else runs
    return [Path(each) for each in several if str(each)]


def read_run(path: Path) -> TrecRun:
    """Read one run. O(lines)."""
    run = TrecRun()
    last: dict[str, tuple[float, float]] = {}
    for number, raw in lines(path):
        fields = decode(raw, path, number).split()
        if len(fields) != 6:
            hint = " This looks like judgements; give them by the option qrels." if len(fields) == 4 else ""
            raise DataError(
                f"expected six fields (query Q0 document rank score tag), found {len(fields)}.{hint}",
                path=path,
                line=number,
            )
        query, _, document, rank, score_text, tag = fields
        score = finite(score_text, "the score", path, number)
        if abs(score) > LARGEST:
            raise DataError(f"scores must lie within ±{LARGEST:g}, found {brief(score_text)}.", path=path, line=number)
        position = finite(rank, "the rank", path, number)
        of_query = run.scores.setdefault(query, {})
        if document in of_query:
            raise DataError(f"document {document!r} is listed twice for query {query!r}.", path=path, line=number)
        of_query[document] = score
        before = last.get(query)
        if before is not None and (position - before[0]) * (score - before[1]) > 0:
            run.unsorted.add(query)
        last[query] = position, score
        run.tag = run.tag or tag
        run.other_tags += tag != run.tag
    if not run.scores:
        raise DataError("the run is empty.", path=path)
    return run


def make_tags_unique(runs: list[TrecRun]) -> None:
    """Give runs of the same tag different ones."""
    seen: Counter[str] = Counter()
    for run in runs:
        seen[run.tag] += 1
        if seen[run.tag] > 1:
            run.tag = f"{run.tag}#{seen[run.tag]}"
    if len({run.tag for run in runs}) < len(runs):
        raise UsageError(f"the runs cannot be distinguished by their tags: {', '.join(run.tag for run in runs)}.")


def union(runs: list[TrecRun]) -> dict[str, list[str]]:
    """Documents of every query, each once, in the order of the runs."""
    merged: dict[str, dict[str, None]] = {}
    for run in runs:
        for query, scores in run.scores.items():
            merged.setdefault(query, {}).update(dict.fromkeys(scores))
    return {query: list(documents) for query, documents in merged.items()}


def run_columns(run: TrecRun, documents: dict[str, list[str]], absent: str | float = "below") -> tuple[Floats, Floats]:
    """Score and reciprocal rank of every candidate in one run; `absent` is what it has where it is not listed.

    Examples
    --------
    >>> run = TrecRun("a", {"q": {"d1": 3.0, "d2": 1.0}})
    >>> [column.tolist() for column in run_columns(run, {"q": ["d1", "d2", "d3"]}, "lowest")]
    [[3.0, 1.0, 1.0], [1.0, 0.5, 0.0]]
    """
    nothing = math.nan if absent == "nan" else 0.0
    scores: list[float] = []
    reciprocal_ranks: list[float] = []
    for query, candidates in documents.items():
        given = run.scores.get(query)
        if given is None:
            scores += [absent if isinstance(absent, float) else nothing] * len(candidates)
            reciprocal_ranks += [nothing] * len(candidates)
            continue
        instead = _instead(list(given.values()), absent)
        places = {
            document: 1 / place for place, document in enumerate(sorted(given, key=given.__getitem__, reverse=True), 1)
        }
        scores += [given.get(document, instead) for document in candidates]
        reciprocal_ranks += [places.get(document, nothing) for document in candidates]
    return np.array(scores), np.array(reciprocal_ranks)


def _instead(given: list[float], absent: str | float) -> float:
    lowest, highest = min(given), max(given)
    if isinstance(absent, float):
        return absent
    below = lowest - BELOW_LOWEST * ((highest - lowest) or 1.0)
    return {"below": below, "lowest": lowest, "nan": math.nan}[absent]


def absent_rule(given: str | float) -> str | float:
    """The option `absent`, checked: a word of `ABSENT`, or a number.

    Examples
    --------
    >>> absent_rule("lowest"), absent_rule(0)
    ('lowest', 0.0)
    """
    if isinstance(given, (int, float)) and not isinstance(given, bool) and abs(given) <= LARGEST:
        return float(given)
    if isinstance(given, str) and given in ABSENT:
        return given
    raise UsageError(f"absent must be a number or one of: {', '.join(ABSENT)}; found {brief(given)}.")


def notes_on_runs(runs: list[TrecRun]) -> list[str]:
    """What is to be said about tags, ranks and queries of the runs."""
    notes = []
    for run in runs:
        if run.other_tags:
            notes.append(f"Run {run.tag}: {run.other_tags:,} line(s) with another tag count as the same run.")
        if run.unsorted:
            notes.append(
                f"Run {run.tag}: the written ranks of {len(run.unsorted):,} query(ies) do not follow the "
                "scores; the scores were used."
            )
    only_others = sum(query not in runs[0].scores for query in set().union(*(run.scores for run in runs)))
    if only_others:
        notes.append(f"{only_others:,} query(ies) are not in the first run, which gives their documents 0.")
    return notes
