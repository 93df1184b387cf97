"""Folders of BEIR: `corpus.jsonl`, `queries.jsonl`, `qrels/SPLIT.tsv`, and one run or several.

Runs are TREC runs, or BEIR's results as JSON, `{query: {document: score}}`; those in the folder itself or in its
folder `runs` are taken unless the option `runs` names others. A candidate's text is title and text of the document,
the list's input the query, the base score that of the first run; further columns are those of TREC runs, with the same
option `absent`. Only documents that some run lists are kept in memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.errors import DataError, brief
from runoff.formats import trec
from runoff.formats.base import Folder, Format, Sample
from runoff.formats.json_reader import outline, parse
from runoff.formats.streams import BYTE_ORDER_MARK, bare_name, decode, lines, read_all, sample
from runoff.formats.trec_judgements import Judgements, grades_of, missed_grades, notes_on_judgements
from runoff.formats.trec_runs import (
    TrecRun,
    absent_rule,
    make_tags_unique,
    notes_on_runs,
    read_run,
    run_columns,
    run_paths,
    union,
)
from runoff.formats.written_numbers import finite, finite_value, is_number
from runoff.nbest import NBest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from runoff.arrays import Floats

_CORPUS, _QUERIES = "corpus.jsonl", "queries.jsonl"


def read(
    path: Path,
    runs: str | Path | Sequence[str | Path] = (),
    split: str | None = None,
    absent: str | float = "below",
) -> NBest:
    """Read a folder; `split` names the judgements, by default `test` or the only ones. O(bytes of the corpus)."""
    rule = absent_rule(absent)
    read_runs = [_read_any_run(each) for each in run_paths(runs) or _runs_inside(path)]
    make_tags_unique(read_runs)
    documents = union(read_runs)
    notes = notes_on_runs(read_runs)
    names: list[str] = []
    columns: list[Floats] = []
    for run in read_runs:
        names += [f"score:{run.tag}", f"reciprocal_rank:{run.tag}"]
        columns += run_columns(run, documents, rule)
    texts = _texts(_named(path, _CORPUS), {each for several in documents.values() for each in several}, "document")
    queries = _texts(_named(path, _QUERIES), set(documents), "query")
    judgements = _judgements(path, split)
    quality = missed = None
    if judgements is not None:
        quality, missed = grades_of(judgements, documents), missed_grades(judgements, documents)
        notes += notes_on_judgements(judgements, documents, sum(map(len, missed)))
    return NBest.from_arrays(
        np.column_stack(columns),
        quality=quality,
        sizes=[len(each) for each in documents.values()],
        base=run_columns(read_runs[0], documents)[0],
        texts=[texts[each] for several in documents.values() for each in several],
        inputs=[queries[each] for each in documents],
        group_ids=list(documents),
        candidate_ids=[document for each in documents.values() for document in each],
        missed=missed if missed is not None and any(missed) else None,
        feature_names=names,
        metric=None if judgements is None else trec.METRIC,
        notes=notes,
    )


def _named(path: Path, name: str) -> Path:
    """A file of the folder, perhaps compressed."""
    found = next((each for each in sorted(path.iterdir()) if bare_name(each) == name), None)
    if found is None:
        raise DataError(f"there is no {name} in it.", path=path)
    return found


def _runs_inside(path: Path) -> list[Path]:
    places = [place for place in (path, path / "runs") if place.is_dir()]
    files = [each for place in places for each in sorted(place.iterdir()) if each.is_file()]
    found = [
        each for each in files if bare_name(each) not in (_CORPUS, _QUERIES) and _is_run(each, each.parent == path)
    ]
    if not found:
        raise DataError(
            "there is no run in it or in its folder `runs`; name one: --runs FILE (`query Q0 document rank score tag`, "
            "or JSON with query, document and score).",
            path=path,
        )
    return found


def _is_run(path: Path, among_others: bool) -> bool:
    try:
        seen = sample(path)
    except DataError:
        return False
    is_json = seen.name.endswith(".json") and seen.first_line[:1] == b"{"
    return trec.recognise(seen) or (is_json and (not among_others or _is_results(seen)))


def _is_results(seen: Sample) -> bool:
    """Whether every value that is seen in objects of an object is a number."""
    scores = [mark for keys, mark in outline(seen.head).items() if len(keys) != 1]
    return bool(scores) and all(mark in b"-0123456789" for mark in scores)


def _read_any_run(path: Path) -> TrecRun:
    if sample(path).first_line[:1] != b"{":
        return read_run(path)
    whole = parse(read_all(path).removeprefix(BYTE_ORDER_MARK), path)
    run = TrecRun(bare_name(path).removesuffix(".json"))
    for query, scores in whole.items():
        if not isinstance(scores, dict):
            raise DataError(f"expected documents and scores of query {brief(query)}, found {brief(scores)}.", path=path)
        run.scores[query] = {
            document: finite_value(score, f"document {brief(document)} of query {brief(query)}", path)
            for document, score in scores.items()
        }
    if not run.scores:
        raise DataError("the run is empty.", path=path)
    return run


def _texts(path: Path, wanted: set[str], what: str) -> dict[str, str]:
    """Texts of the entries that are wanted, with their titles."""
    found: dict[str, str] = {}
    for number, entry in _entries(path):
        name, text, title = entry.get("_id"), entry.get("text"), entry.get("title")
        if not isinstance(name, str) or not isinstance(text, str):
            raise DataError(f"expected the texts '_id' and 'text', found {brief(entry)}.", path=path, line=number)
        if name in found:
            raise DataError(f"there is a second {what} {brief(name)}.", path=path, line=number)
        if name in wanted:
            found[name] = f"{title} {text}".strip() if isinstance(title, str) and title.strip() else text
    if len(found) < len(wanted):
        first = min(wanted - found.keys())
        raise DataError(
            f"it lacks {len(wanted) - len(found):,} {what}(s) of the runs, such as {brief(first)}.", path=path
        )
    return found


def _entries(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, raw in lines(path):
        entry = parse(raw, path, number)
        if not isinstance(entry, dict):
            raise DataError(f"expected an object, found {brief(entry)}.", path=path, line=number)
        yield number, entry


def _judgements(path: Path, split: str | None) -> Judgements | None:
    folder = path / "qrels"
    there = {bare_name(each).removesuffix(".tsv"): each for each in sorted(folder.glob("*.tsv*"))}
    if split is None:
        if not there:
            return None
        split = "test" if "test" in there else next(iter(there))
        if split != "test" and len(there) > 1:
            raise DataError(f"there are several; name one by --with split=: {', '.join(there)}.", path=folder)
    if split not in there:
        raise DataError(f"there is no {split}.tsv in it; there are: {', '.join(there) or 'none'}.", path=folder)
    judgements, file = Judgements(), there[split]
    for number, raw in lines(file):
        fields = decode(raw, file, number).split("\t")
        if number == 1 and len(fields) == 3 and not is_number(fields[2]):
            continue  # query-id corpus-id score
        if len(fields) != 3:
            raise DataError(
                f"expected query, document and relevance, found {brief(raw.decode())}.", path=file, line=number
            )
        query, document, grade_text = fields
        grade = finite(grade_text, "the relevance", file, number)
        of_query = judgements.grades.setdefault(query, {})
        if document in of_query:
            raise DataError(f"document {document!r} is judged twice for query {query!r}.", path=file, line=number)
        of_query[document] = max(grade, 0.0)
        judgements.below_zero += grade < 0
    return judgements


def recognise(_: Sample) -> bool:
    """No single file is recognised."""
    return False


def recognise_folder(folder: Folder) -> bool:
    """Recognise the corpus and the queries."""
    return {_CORPUS, _QUERIES} <= {bare_name(name) for name in folder.files if "/" not in name}


FORMAT = Format(
    name="beir",
    description="BEIR folder: corpus.jsonl, queries.jsonl, qrels and runs",
    recognise=recognise,
    read=read,
    options=("runs", "split", "absent"),
    recognise_folder=recognise_folder,
)
