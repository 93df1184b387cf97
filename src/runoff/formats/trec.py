"""TREC runs (`query Q0 document rank score tag`) with judgements (`query 0 document relevance`) as an option.

Several runs for the same queries are merged: a query's candidates are the documents of all runs, each with the
features `score:TAG` and `reciprocal_rank:TAG` of every run. As in trec_eval, a run is ordered by its scores; the
written ranks are not used. The first round's score is that of the first run.

What a document has in a run that does not list it is the option `absent`: a score "below" the lowest of the run for
that query, by one hundredth of the scores' range (0.01 where all are equal; the default), the "lowest" score itself,
any number, or "nan", a missing value. Its reciprocal rank is 0 (with "nan", a missing value). A run that lacks the
whole query gives 0, or the number or missing value. The first round's score is never missing: with "nan", it is
"below".

Relevant documents that no run has for a query are kept as the query's `missed` grades, and NDCG and MAP
count them as trec_eval does (its gain is r: `ndcg[gain=r]`). Judged queries that no run has are left out,
as in trec_eval without -c. Documents of equal score stay in the order of the file, where trec_eval goes by
their names.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from runoff.formats.base import Format
from runoff.formats.trec_judgements import grades_of, missed_grades, notes_on_judgements, read_qrels
from runoff.formats.trec_runs import (
    absent_rule,
    make_tags_unique,
    notes_on_runs,
    read_run,
    run_columns,
    run_paths,
    union,
)
from runoff.formats.trec_writer import write
from runoff.nbest import NBest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Floats
    from runoff.formats.base import Sample

METRIC = "ndcg@10,map"
_RUN_LINE = re.compile(rb"\S+\s+(?:[Qq]?0)\s+\S+\s+\d+\s+[-+]?[\d.][\d.eE+-]*\s+\S+\s*$")


def recognise(sample: Sample) -> bool:
    """Whether the first line has the six fields of a run."""
    return _RUN_LINE.match(sample.first_line) is not None


def read(
    path: Path,
    qrels: str | Path | None = None,
    runs: str | Path | Sequence[str | Path] = (),
    absent: str | float = "below",
) -> NBest:
    """Read one run or several, with judgements if there are any. O(lines)."""
    rule = absent_rule(absent)
    read_runs = [read_run(each) for each in (path, *run_paths(runs))]
    make_tags_unique(read_runs)
    documents = union(read_runs)
    notes = notes_on_runs(read_runs)
    names: list[str] = []
    columns: list[Floats] = []
    for run in read_runs:
        names += [f"score:{run.tag}", f"reciprocal_rank:{run.tag}"]
        columns += run_columns(run, documents, rule)
    quality = missed = None
    if qrels is not None:
        judgements = read_qrels(Path(qrels))
        quality = grades_of(judgements, documents)
        missed = missed_grades(judgements, documents)
        notes += notes_on_judgements(judgements, documents, sum(map(len, missed)))
    return NBest.from_arrays(
        np.column_stack(columns),
        quality=quality,
        sizes=[len(each) for each in documents.values()],
        base=run_columns(read_runs[0], documents)[0] if rule == "nan" else columns[0],
        group_ids=list(documents),
        candidate_ids=[document for each in documents.values() for document in each],
        missed=missed if missed is not None and any(missed) else None,
        feature_names=names,
        metric=None if qrels is None else METRIC,
        notes=notes,
    )


FORMAT = Format(
    name="trec",
    description="TREC run: query Q0 document rank score tag; judgements by the option qrels, more runs by runs",
    recognise=recognise,
    read=read,
    write=write,
    suffixes=(".run", ".trec"),
    options=("qrels", "runs", "absent"),
    keys=(" Q0 ",),
)
