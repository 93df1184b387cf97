"""Relevance judgements of documents, `query 0 document relevance`, and what they say about lists of candidates."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from runoff.errors import DataError
from runoff.formats.streams import decode, lines
from runoff.formats.written_numbers import finite

if TYPE_CHECKING:
    from pathlib import Path


@dataclass
class Judgements:
    """Relevance: query -> document -> grade; grades below zero count as zero, as in trec_eval."""

    grades: dict[str, dict[str, float]] = field(default_factory=dict)
    below_zero: int = 0


def read_qrels(path: Path) -> Judgements:
    """Read a file of judgements. O(lines)."""
    judgements = Judgements()
    for number, raw in lines(path):
        fields = decode(raw, path, number).split()
        if len(fields) != 4:
            raise DataError(
                f"expected four fields (query 0 document relevance), found {len(fields)}.",
                path=path,
                line=number,
            )
        query, _, document, grade_text = fields
        grade = finite(grade_text, "the relevance", path, number)
        of_query = judgements.grades.setdefault(query, {})
        if document in of_query:
            raise DataError(f"document {document!r} is judged twice for query {query!r}.", path=path, line=number)
        of_query[document] = max(grade, 0.0)
        judgements.below_zero += grade < 0
    if not judgements.grades:
        raise DataError("the file of judgements is empty.", path=path)
    return judgements


def grades_of(judgements: Judgements, documents: dict[str, list[str]]) -> list[float]:
    """Relevance of every candidate, 0 where it was not judged.

    Examples
    --------
    >>> grades_of(Judgements({"q": {"d1": 2.0}}), {"q": ["d2", "d1"]})
    [0.0, 2.0]
    """
    return [judgements.grades.get(query, {}).get(each, 0.0) for query in documents for each in documents[query]]


def missed_grades(judgements: Judgements, documents: dict[str, list[str]]) -> list[list[float]]:
    """Grades of every query's relevant documents that are not among its candidates."""
    out = []
    for query, candidates in documents.items():
        listed, grades = set(candidates), judgements.grades.get(query, {})
        out.append([grade for document, grade in grades.items() if grade > 0 and document not in listed])
    return out


def notes_on_judgements(judgements: Judgements, documents: dict[str, list[str]], missed: int) -> list[str]:
    """What is to be said about candidates without judgements, and judgements without candidates."""
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
