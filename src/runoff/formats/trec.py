"""TREC runs (`query Q0 document rank score tag`) with judgements (`query 0 document relevance`) as an option.

Several runs for the same queries are merged: a query's candidates are the documents of all runs, each with the
features `score:TAG` and `reciprocal_rank:TAG` of every run. As in trec_eval, a run is ordered by its scores; the
written ranks are not used. A run that lacks a document gives it no reciprocal rank and a score below its lowest for
that query, by one hundredth of the scores' range (0.01 where all are equal); a run that lacks the whole query gives 0.
The first round's score is that of the first run.

Relevant documents that no run has for a query are kept as the query's `missed` grades, and NDCG and MAP
count them as trec_eval does (its gain is r: `ndcg[gain=r]`). Judged queries that no run has are left out,
as in trec_eval without -c. Documents of equal score stay in the order of the file, where trec_eval goes by
their names.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from runoff.errors import DataError, UsageError, brief
from runoff.formats.base import Format
from runoff.formats.streams import decode, lines
from runoff.nbest import NBest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Floats
    from runoff.formats.base import Sample

METRIC = "ndcg@10,map"
BELOW_LOWEST = 0.01
_LARGEST = 1e38  # features are stored in single precision, and a missing document scores a little lower
_RUN_LINE = re.compile(rb"\S+\s+(?:[Qq]?0)\s+\S+\s+\d+\s+[-+]?[\d.][\d.eE+-]*\s+\S+\s*$")


@dataclass
class _Run:
    """Scores of one run: query -> document -> score, in the order of the file."""

    tag: str = ""
    scores: dict[str, dict[str, float]] = field(default_factory=dict)
    other_tags: int = 0
    unsorted: set[str] = field(default_factory=set)  # queries whose written ranks do not follow the scores


@dataclass
class _Judgements:
    """Relevance: query -> document -> grade; grades below zero count as zero, as in trec_eval."""

    grades: dict[str, dict[str, float]] = field(default_factory=dict)
    below_zero: int = 0


def recognise(sample: Sample) -> bool:
    """Whether the first line has the six fields of a run."""
    return _RUN_LINE.match(sample.first_line) is not None


def read(path: Path, qrels: str | Path | None = None, runs: str | Path | Sequence[str | Path] = ()) -> NBest:
    """Read one run or several, with judgements if there are any. O(lines)."""
    if isinstance(runs, (str, Path)):
        runs = [part.strip() for part in str(runs).split(",") if part.strip()]
    read_runs = [_read_run(each) for each in (path, *map(Path, runs))]
    _make_tags_unique(read_runs)
    documents = _union(read_runs)
    notes = _notes_on_runs(read_runs)
    names, columns = [], []
    for run in read_runs:
        scores, reciprocal_ranks = _columns(run, documents)
        names += [f"score:{run.tag}", f"reciprocal_rank:{run.tag}"]
        columns += [scores, reciprocal_ranks]
    quality = missed = None
    if qrels is not None:
        judgements = _read_qrels(Path(qrels))
        quality = [
            judgements.grades.get(query, {}).get(document, 0.0) for query in documents for document in documents[query]
        ]
        missed = _missed(judgements, documents)
        notes += _notes_on_judgements(judgements, documents, sum(map(len, missed)))
    return NBest.from_arrays(
        np.column_stack(columns),
        quality=quality,
        sizes=[len(each) for each in documents.values()],
        base=columns[0],
        group_ids=list(documents),
        candidate_ids=[document for each in documents.values() for document in each],
        missed=missed if missed is not None and any(missed) else None,
        feature_names=names,
        metric=None if qrels is None else METRIC,
        notes=notes,
    )


def _read_run(path: Path) -> _Run:
    run = _Run()
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
        score = _number(score_text, "score", path, number)
        if abs(score) > _LARGEST:
            raise DataError(f"scores must lie within ±{_LARGEST:g}, found {brief(score_text)}.", path=path, line=number)
        position = _number(rank, "rank", path, number)
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


def _read_qrels(path: Path) -> _Judgements:
    judgements = _Judgements()
    for number, raw in lines(path):
        fields = decode(raw, path, number).split()
        if len(fields) != 4:
            raise DataError(
                f"expected four fields (query 0 document relevance), found {len(fields)}.",
                path=path,
                line=number,
            )
        query, _, document, grade_text = fields
        grade = _number(grade_text, "relevance", path, number)
        of_query = judgements.grades.setdefault(query, {})
        if document in of_query:
            raise DataError(f"document {document!r} is judged twice for query {query!r}.", path=path, line=number)
        of_query[document] = max(grade, 0.0)
        judgements.below_zero += grade < 0
    if not judgements.grades:
        raise DataError("the file of judgements is empty.", path=path)
    return judgements


def _number(text: str, what: str, path: Path, line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise DataError(f"expected a finite number for the {what}, found {brief(text)}.", path=path, line=line)
    return value


def _make_tags_unique(runs: list[_Run]) -> None:
    seen: Counter[str] = Counter()
    for run in runs:
        seen[run.tag] += 1
        if seen[run.tag] > 1:
            run.tag = f"{run.tag}#{seen[run.tag]}"
    if len({run.tag for run in runs}) < len(runs):
        raise UsageError(f"the runs cannot be distinguished by their tags: {', '.join(run.tag for run in runs)}.")


def _union(runs: list[_Run]) -> dict[str, list[str]]:
    """Documents of every query, each once, in the order of the runs."""
    merged: dict[str, dict[str, None]] = {}
    for run in runs:
        for query, scores in run.scores.items():
            merged.setdefault(query, {}).update(dict.fromkeys(scores))
    return {query: list(documents) for query, documents in merged.items()}


def _columns(run: _Run, documents: dict[str, list[str]]) -> tuple[Floats, Floats]:
    """Score and reciprocal rank of every candidate in one run."""
    scores: list[float] = []
    reciprocal_ranks: list[float] = []
    for query, candidates in documents.items():
        given = run.scores.get(query)
        if given is None:
            scores += [0.0] * len(candidates)
            reciprocal_ranks += [0.0] * len(candidates)
            continue
        lowest, highest = min(given.values()), max(given.values())
        missing = lowest - BELOW_LOWEST * ((highest - lowest) or 1.0)
        places = {
            document: 1 / place for place, document in enumerate(sorted(given, key=given.__getitem__, reverse=True), 1)
        }
        scores += [given.get(document, missing) for document in candidates]
        reciprocal_ranks += [places.get(document, 0.0) for document in candidates]
    return np.array(scores), np.array(reciprocal_ranks)


def _notes_on_runs(runs: list[_Run]) -> list[str]:
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


def _missed(judgements: _Judgements, documents: dict[str, list[str]]) -> list[list[float]]:
    """Grades of every query's relevant documents that are not among its candidates."""
    out = []
    for query, candidates in documents.items():
        listed, grades = set(candidates), judgements.grades.get(query, {})
        out.append([grade for document, grade in grades.items() if grade > 0 and document not in listed])
    return out


def _notes_on_judgements(judgements: _Judgements, documents: dict[str, list[str]], missed: int) -> list[str]:
    unjudged = silent = 0
    for query, candidates in documents.items():
        grades = judgements.grades.get(query, {})
        found = sum(document in grades for document in candidates)
        unjudged += len(candidates) - found
        silent += not grades
    if silent == len(documents):
        raise DataError("no query of the run has a judgement; are these the right judgements for this run?")
    notes = []
    if unjudged:
        notes.append(f"{unjudged:,} candidate(s) have no judgement and count as relevance 0.")
    if silent:
        notes.append(f"{silent:,} query(ies) have no judgement at all; trec_eval leaves them out, Runoff does not.")
    if judgements.below_zero:
        notes.append(f"{judgements.below_zero:,} judgement(s) below zero count as relevance 0.")
    if missed:
        notes.append(
            f"{missed:,} relevant document(s) are in no candidate list; NDCG and MAP count them, as trec_eval does, "
            "so that even the best order may score below 1."
        )
    unlisted = sum(query not in documents for query in judgements.grades)
    if unlisted:
        notes.append(f"{unlisted:,} judged query(ies) have no candidates and were left out.")
    return notes


FORMAT = Format(
    name="trec",
    description="TREC run: query Q0 document rank score tag; judgements by the option qrels, more runs by runs",
    recognise=recognise,
    read=read,
    options=("qrels", "runs"),
    keys=(" Q0 ",),
)
