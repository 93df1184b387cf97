"""What carries the learned ranking of answers, and whether anything does that new data would not have.

Sections, on the lists that `answers.py lists` has written to RUNOFF_WORK: `alone`, rankings without learning;
`ablation`, the learned ranking without some of its columns; `surface`, whether the form of sentences alone tells
answering ones from others; `related`, test questions with a similar training question.
Usage: python benchmarks/answer_ablation.py [alone | ablation | surface | related …]
"""

from __future__ import annotations

import re
import sys
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.stats import rankdata
from sklearn.linear_model import LogisticRegression

from answers import KINDS, QUESTIONS, interval_and_p, ranker, records, split, training_lists
from answers import SETTINGS as ANSWERER
from answers import part as lists_of
from runoff.nbest import Features
from runoff.tables import text_table
from runoff.tasks.answers.answer_table import rates, values_of
from runoff.tasks.answers.candidate_features import COLUMNS
from runoff.tasks.answers.score_products import EPSILON, product
from runoff.tasks.answers.term_counts import terms_of
from shared import data_folder, finish, skip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.nbest import NBest

PAPER = ("context", "language", "type:E")
TRANSLATED = ("context", "language", "window", "translation")
# What is left out of all columns, by name; the base score, a product of the paper's, goes with what it is made of.
WITHOUT = {
    "nothing": (),
    "type:E and type:affinity": ("type",),
    "sentence": ("sentence",),
    "sentence:length": ("sentence:length",),
    "near": ("near",),
    "own": ("own",),
    "votes": ("votes",),
    "votes:share of all": ("votes:share of all",),
    "translation": ("translation",),
    "window": ("window",),
    "the paper's scores": PAPER,
    "all that translators give": TRANSLATED,
    "sentence, near and votes": ("sentence", "near", "votes"),
}
SIMILAR = 0.6  # of the terms of two questions, that both have


def main() -> None:
    """All sections, or those that are named."""
    folder = data_folder()
    if folder is None or not (folder / "answers" / QUESTIONS).exists():
        skip(f"no questions answers/{QUESTIONS} in the data folder; set RUNOFF_DATA")
        return
    sections = {"alone": alone, "ablation": ablation, "surface": surface, "related": related}
    finish({name: sections[name]() for name in sys.argv[1:] or sections})


def alone() -> dict[str, Any]:
    """T1 and MRR on the test questions by a few columns without learning, and the learned ranking against each."""
    found = {}
    for kind in KINDS:
        data = lists_of(kind, ANSWERER.folds).data
        table = data.features.to_scipy().toarray()
        column = {name: table[:, COLUMNS.index(name)] for name in COLUMNS}
        e = column["type:E"] + EPSILON
        scores = {
            "(B+R)EL": product("(B+R)EL", table),
            "BM25": column["sentence:bm25"],
            "votes, weighted by BM25": column["votes:weighted"],
            "BM25 · E": column["sentence:bm25"] * e,
            "BM25 · E, not in the question": column["sentence:bm25"] * e * (column["own:in question"] < 0.5),
            "votes · E, not in the question": column["votes:weighted"] * e * (column["own:in question"] < 0.5),
            "(B+R)EL · BM25, not in the question": product("(B+R)EL", table)
            * column["sentence:bm25"]
            * (column["own:in question"] < 0.5),
        }
        learned = values_of(data, ranker().fit(training_lists(kind)[0]).model.scores(data))
        rows = {name: values_of(data, each) for name, each in scores.items()}
        found[kind] = {name: {column: float(each[column].mean()) for column in each} for name, each in rows.items()}
        _show(kind, found[kind])
        for name, each in rows.items():
            p = [interval_and_p(learned[column], each[column])["p"] for column in ("T1", "MRR")]
            print(f"learned against {name}: p {p[0]:.4f} for T1, {p[1]:.4f} for MRR")
    return found


def ablation() -> dict[str, Any]:
    """T1 and MRR in `found` of rankings that are learned without some columns; 20 CPU seconds for each."""
    training, test = training_lists("found")[0], lists_of("found", ANSWERER.folds).data
    rows = {}
    for name, families in WITHOUT.items():
        kept = [column for column in COLUMNS if not any(_is_of(column, each) for each in families)]
        has_base = not {"context", "type"} & set(families)
        model = ranker().fit(_only(training, kept, has_base=has_base)).model
        rows[name] = rates(test, model.scores(_only(test, kept, has_base=has_base)))
        print(name, rows[name], file=sys.stderr, flush=True)
    _show("found, without", rows)
    return rows


def surface() -> dict[str, Any]:
    """Area under the curve of telling answering sentences from others of TREC-11, learned from other years.

    `marks` are punctuation and special tokens only; `form` also has the shapes of words and the order of both. Beside
    the length of a sentence alone, marks should say nothing.
    """
    known, _ = records()
    rows = [
        (at, " ".join(words), label)
        for at, record in enumerate(known)
        for own, label in ((record.answering, 1), (record.other, 0))
        for words in (each.words for each in own)
    ]
    question_of, label_of = np.array([row[0] for row in rows]), np.array([row[2] for row in rows])
    training, test = (np.flatnonzero(np.isin(question_of, each)) for each in split())
    lengths = np.log([len(text.split()) for _, text, _ in rows])[:, None]
    marks = _table([[t for t in text.split() if not any(map(str.isalnum, t))] for _, text, _ in rows])
    forms = _table([_shapes(text) for _, text, _ in rows])
    length = sparse.csr_array(lengths)
    tried = {
        "length": length,
        "marks": marks,
        "length and marks": sparse.hstack([length, marks]).tocsr(),
        "length and form": sparse.hstack([length, forms]).tocsr(),
    }
    found = {}
    for name, table in tried.items():
        model = LogisticRegression(C=0.1, max_iter=1000).fit(table[training], label_of[training])
        scores = model.decision_function(table[test])
        found[name] = {
            "all": _area(scores, label_of[test]),
            "within questions": _within(scores, label_of[test], question_of[test]),
        }
        print(f"{name}: {found[name]}")
    return found


def related() -> dict[str, Any]:
    """T1 and MRR of the ranking for test questions with and without a similar training question."""
    known, _ = records()
    training, test = split()
    terms = [frozenset(each for each in terms_of(record.question.words) if each) for record in known]
    is_similar = np.array(
        [any(_likeness(terms[at], terms[other]) >= SIMILAR for other in training.tolist()) for at in test.tolist()]
    )
    found: dict[str, Any] = {"training questions": int(training.size), "similar": int(is_similar.sum())}
    for kind in KINDS:
        made = lists_of(kind, ANSWERER.folds).data
        values = values_of(made, ranker().fit(training_lists(kind)[0]).model.scores(made))
        for name, chosen in (("similar", is_similar), ("others", ~is_similar)):
            found[f"{kind}, {name}"] = {column: float(values[column][chosen].mean()) for column in ("T1", "MRR")}
    print(found)
    return found


# ---------------------------------------------------------------- parts


def _is_of(name: str, family: str) -> bool:
    return name == family if ":" in family else name.partition(":")[0] == family


def _only(made: NBest, names: Sequence[str], *, has_base: bool) -> NBest:
    table = made.features.to_scipy().toarray()[:, [COLUMNS.index(name) for name in names]]
    base = np.asarray(made.base) if has_base else np.zeros(made.n_candidates)
    return made.replace(features=Features.of(table, list(names)), base=base)


def _show(kind: str, rows: dict[str, dict[str, float]]) -> None:
    body = [[name, f"{each['T1']:.3f}", f"{each['MRR']:.3f}"] for name, each in rows.items()]
    print(f"\n{kind}\n{text_table(['ranking', 'T1', 'MRR'], body)}")


def _shapes(text: str) -> list[str]:
    """Shapes of pieces and of two in a row: A for capitals, a for letters, 0 for digits, marks as they are."""
    pieces = [re.sub(r"[0-9]+", "0", re.sub(r"[a-z]+", "a", re.sub(r"[A-Z]+", "A", p))) for p in text.split()]
    return pieces + [f"{one} {other}" for one, other in pairwise(pieces)]


def _table(pieces: Sequence[Sequence[str]]) -> Any:
    codes: dict[str, int] = {}
    row, column = [], []
    for at, own in enumerate(pieces):
        for each in set(own):
            row.append(at)
            column.append(codes.setdefault(each, len(codes)))
    table = sparse.csr_array((np.ones(len(row)), (row, column)), shape=(len(pieces), len(codes)))
    return table[:, np.flatnonzero(table.sum(axis=0) >= 20)]


def _area(scores: Any, labels: Any) -> float:
    right = labels == 1
    many = int(right.sum())
    return float((rankdata(scores)[right].sum() - many * (many + 1) / 2) / (many * (labels.size - many)))


def _within(scores: Any, labels: Any, question_of: Any) -> float:
    """The mean of the areas of questions with sentences of both kinds."""
    inside = [question_of == at for at in np.unique(question_of)]
    return float(np.mean([_area(scores[own], labels[own]) for own in inside if 0 < labels[own].mean() < 1]))


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(len(one | other), 1)


if __name__ == "__main__":
    main()
