"""España-Bonet & Comas (2012): translations of questions score candidate answers, combined by products."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.reproduce.figures import dots, found_dot
from runoff.reproduce.paper import Claim, Experiment, Figure, Line, Paper, PaperData, PaperTable, alone
from runoff.reproduce.results import cell, kept_rows, measured
from runoff.reproduce.verdicts import Judgement, alike, all_of, better
from runoff.tasks.answers.papers.answer_data import (
    NEEDS,
    USUAL,
    VARIANTS,
    drawn_questions,
    found_questions,
    upper_bound,
)
from runoff.tasks.answers.score_products import ROWS, TABLE_4, TABLE_6, product

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from runoff.arrays import Floats
    from runoff.reproduce.results import Facts, Results
    from runoff.tasks.answers.papers.answer_data import AnswerData, AskedLists

COLUMNS = ("QA T1", "QA T50", "QA MRR", "SR T1", "SR T50", "SR MRR")
BEST, BEST_SENTENCES, RANDOM = "(B+R)EL", "REL", "random"
ALIKE = 0.02  # of MRR
# Tables 4 and 6: T1, T50 and MRR of answers (QA) and of sentences (SR). L is Lb·Lr·Lf.
PUBLISHED: dict[str, tuple[float, ...]] = {
    "B": (0.018, 0.292, 0.049, 0.084, 0.540, 0.164),
    "R": (0.018, 0.283, 0.045, 0.119, 0.608, 0.209),
    "B+R": (0.022, 0.294, 0.053, 0.097, 0.573, 0.180),
    "BR": (0.027, 0.294, 0.057, 0.137, 0.591, 0.211),
    "Lf": (0.016, 0.286, 0.046, 0.137, 0.605, 0.236),
    "Lb": (0.022, 0.304, 0.054, 0.100, 0.581, 0.192),
    "Lr": (0.018, 0.326, 0.060, 0.131, 0.627, 0.225),
    "L": (0.038, 0.330, 0.079, 0.147, 0.622, 0.238),
    "E": (0.044, 0.373, 0.096, 0.058, 0.579, 0.142),
    "EL": (0.018, 0.293, 0.048, 0.118, 0.623, 0.214),
    "BL": (0.051, 0.337, 0.091, 0.184, 0.616, 0.271),
    "RL": (0.033, 0.346, 0.069, 0.191, 0.618, 0.279),
    "BRL": (0.042, 0.350, 0.082, 0.182, 0.616, 0.273),
    "(B+R)L": (0.044, 0.346, 0.085, 0.187, 0.618, 0.273),
    "BE": (0.035, 0.384, 0.084, 0.086, 0.579, 0.179),
    "RE": (0.035, 0.377, 0.086, 0.131, 0.630, 0.228),
    "BRE": (0.049, 0.377, 0.098, 0.135, 0.608, 0.220),
    "(B+R)E": (0.040, 0.386, 0.091, 0.102, 0.596, 0.196),
    "BEL": (0.093, 0.379, 0.137, 0.200, 0.621, 0.283),
    "REL": (0.071, 0.377, 0.123, 0.208, 0.619, 0.294),
    "BREL": (0.091, 0.379, 0.132, 0.200, 0.622, 0.287),
    "(B+R)EL": (0.100, 0.377, 0.141, 0.204, 0.621, 0.286),
}
PUBLISHED_RANDOM = (0.006, 0.206, 0.024, 0.066, 0.538, 0.142)
PUBLISHED_BOUND = 0.677
# Table 5, by BR: T1, T50 and MRR of answers.
PUBLISHED_VARIANTS: dict[str, tuple[float, float, float]] = {
    "Lex, LM5, 100-best": (0.027, 0.294, 0.057),
    "noLex, LM5, 100-best": (0.015, 0.281, 0.045),
    "Lex, LM3, 100-best": (0.015, 0.257, 0.041),
    "Lex, LM7, 100-best": (0.033, 0.288, 0.050),
    "Lex, LM5, 10-best": (0.024, 0.310, 0.056),
    "Lex, LM5, 1000-best": (0.027, 0.301, 0.061),
    "Lex, LM5, 10000-best": (0.011, 0.290, 0.045),
}
PUBLISHED_SIZES = {"train": (2264.0, 12_116.0), "test": (500.0, 2551.0)}
PUBLISHED_TOKENS = {"L1": (97_028.0, 393_978.0, 3232.0, 32_013.0), "L2": (91_567.0, 373_008.0, 540.0, 9130.0)}
CONTEXT = ("B", "R", "BR", "B+R")


class EspanaBonetComas2012(Paper):
    """All products of the paper's scores, for answers and for sentences."""

    name = "espana-bonet-comas-2012"
    authors = "España-Bonet, C. & Comas, P. R."
    title = "Full Machine Translation for Factoid Question Answering"
    venue = "EACL Workshop on Exploiting Synergies between Information Retrieval and Machine Translation"
    year = 2012
    needs = NEEDS
    takes = "two CPU minutes for 816 training questions with 40 sentences each"
    pictures = ("table-6",)
    claims = (
        Claim(
            "patterns", "Translations at the abstract level (BR) are better than chance", "section 6, tables 3 and 4"
        ),
        Claim("product", "The product of BLEU and ROUGE is better than their sum", "section 6, table 4"),
        Claim("both", "B, R, BR and B+R are better with E and L than with only one of them", "section 6, table 6"),
        Claim("el", "E and L together are worse for answers than L alone", "section 6, table 6"),
        Claim("boost", "The abstract level lifts T1 from that of EL to that of (B+R)EL", "section 6, table 6"),
        Claim("best", "(B+R)EL is the best product for answers", "section 6, table 6"),
        Claim("sentences", "REL is the best product for sentences", "section 6, table 6"),
        Claim("tasks", "L suits sentences and E answers", "section 6, table 6"),
        Claim("length", "The length of the list of translations is not decisive", "section 6, table 5"),
        Claim("order", "Language models of order 5 are better than those of order 3", "section 6, table 5"),
    )

    def read(self, folder: Path) -> PaperData:
        """Questions with sentences."""
        return found_questions(folder)

    def synthetic(self, seed: int) -> PaperData:
        """Questions of synthetic almanacs."""
        return drawn_questions(seed)

    def experiments(self, material: PaperData, seed: int, work: Path) -> list[Experiment]:
        """Sizes, chance, all products, and other translators."""
        data: AnswerData = material.data
        data.work = work
        found = [
            Experiment("sizes", "questions, pairs and the upper bound", lambda _: _sizes(data)),
            Experiment(RANDOM, "random choices", lambda _: _line(data.lists(), None, seed)),
        ]
        for name in ROWS:
            make = partial(_product, data, name, seed)
            found.append(Experiment(name, f"product {name}", alone(make), {"product": name}))
        for name in _variants(material):
            make = partial(_variant, data, name, seed)
            settings = {"order": VARIANTS[name][0], "best": VARIANTS[name][1]}
            found.append(Experiment(f"BR by {name}", f"translators: {name}", alone(make), settings))
        return found

    def tables(self, material: PaperData) -> list[PaperTable]:
        """Tables 1 to 6."""

        def lines(names: Sequence[str]) -> tuple[Line, ...]:
            return tuple(Line(name, name, PUBLISHED[name]) for name in names)

        tokens = ("tokens Q", "tokens A", "vocabulary Q", "vocabulary A")
        bound = Line("upper bound", "sizes/bound", (PUBLISHED_BOUND,) * len(COLUMNS))
        variants = _variants(material)
        note = f"{material.name}. T1 and T50: share of the questions with a right one first, and among the first 50; "
        note += "of equal scores every order is as likely. 95% bootstrap intervals over questions. QA: answers, SR: "
        note += "sentences."
        return [
            PaperTable(
                "table-1",
                "questions and answering sentences",
                ("Q", "A"),
                tuple(Line(part, f"sizes/{part}", numbers) for part, numbers in PUBLISHED_SIZES.items()),
                digits=0,
            ),
            PaperTable(
                "table-2",
                "tokens and vocabulary of the training pairs, in words (L1) and abstract (L2)",
                tokens,
                tuple(Line(level, f"sizes/{level}", numbers) for level, numbers in PUBLISHED_TOKENS.items()),
                digits=0,
            ),
            PaperTable(
                "table-3",
                "random choices and the upper bound",
                COLUMNS,
                (Line("random", RANDOM, PUBLISHED_RANDOM), bound),
                digits=3,
                note="The paper draws 50 answers 1,000 times; here the mean over all orders is exact.",
            ),
            PaperTable("table-4", "scores of the abstract level alone", COLUMNS, lines(TABLE_4), digits=3, note=note),
            PaperTable(
                "table-5",
                "other translators, by BR",
                COLUMNS[:3],
                tuple(
                    Line(name, f"BR by {name}" if name in variants else "", numbers)
                    for name, numbers in PUBLISHED_VARIANTS.items()
                ),
                digits=3,
                note="Without lexical weights, of order 7, and with 10,000 translations: published numbers only.",
            ),
            PaperTable("table-6", "products of all scores", COLUMNS, lines(TABLE_6), digits=3, note=note),
        ]

    def figures(self, material: PaperData, results: Results) -> list[Figure]:
        """Table 6 as a picture."""
        best = {kind: max(ROWS, key=lambda name: results.value(name, f"{kind} MRR")) for kind in ("QA", "SR")}
        title = (
            f"Best for answers: {best['QA']} (MRR {results.value(best['QA'], 'QA MRR'):.3f}); "
            f"best for sentences: {best['SR']} ({results.value(best['SR'], 'SR MRR'):.3f})"
        )
        groups = {}
        for at, kind in ((2, "QA"), (5, "SR")):
            label = "answers" if kind == "QA" else "sentences"
            groups[label] = [found_dot(results, RANDOM, f"{kind} MRR", PUBLISHED_RANDOM[at])]
            groups[label] += [found_dot(results, name, f"{kind} MRR", PUBLISHED[name][at]) for name in ROWS]
        under = f"{material.name}: {material.about}"
        return [dots("table-6", title, "Tables 3, 4 and 6: MRR by score.", under, groups, "MRR", digits=3)]

    def judge(self, material: PaperData, results: Results) -> dict[str, Judgement]:
        """Paired tests over questions."""

        def compared(one: str, other: str, what: str = "QA MRR") -> Judgement:
            return better(results.compare(one, other, what=what), digits=3)

        def others(best: str, column: str) -> str:
            return max((name for name in ROWS if name != best), key=lambda name: results.value(name, column))

        def joined(context: str, more: str) -> str:
            return f"({context}){more}" if context == "B+R" else f"{context}{more}"

        found = {
            "patterns": compared("BR", RANDOM),
            "product": compared("BR", "B+R"),
            "both": all_of(
                [compared(joined(each, "EL"), joined(each, more)) for each in CONTEXT for more in ("E", "L")]
            ),
            "el": compared("L", "EL"),
            "boost": compared(BEST, "EL", "QA T1"),
            "best": compared(BEST, others(BEST, "QA MRR")),
            "sentences": compared(BEST_SENTENCES, others(BEST_SENTENCES, "SR MRR"), "SR MRR"),
            "tasks": all_of([compared("E", "L"), compared("L", "E", "SR MRR")]),
        }
        lengths = [name for name in _variants(material) if VARIANTS[name][0] == VARIANTS[USUAL][0] and name != USUAL]
        names = [(f"BR by {name}", f"BR by {USUAL}") for name in lengths]
        found["length"] = all_of([alike(results.compare(*each, what="QA MRR"), ALIKE, digits=3) for each in names])
        found["order"] = compared(f"BR by {USUAL}", "BR by Lex, LM3, 100-best")
        return found


def _variants(material: PaperData) -> list[str]:
    """Translators that are tried; long lists only on data of one's own."""
    return [name for name, (_, k) in VARIANTS.items() if k <= VARIANTS[USUAL][1] or not material.is_quick]


def _sizes(data: AnswerData) -> Facts:
    lines: dict[str, dict[str, Any]] = {
        name: {column: cell(value) for column, value in own.items()} for name, own in data.sizes().items()
    }
    bound = upper_bound(data.lists())
    lines["bound"] = {column: cell(bound[column[:2]]) for column in COLUMNS}
    return {"lines": lines, "candidates": data.lists().data.n_candidates, "questions": len(data.lists().data)}


def _product(data: AnswerData, name: str, seed: int) -> Facts:
    return _line(data.lists(), name, seed)


def _variant(data: AnswerData, name: str, seed: int) -> Facts:
    return _line(data.lists(name), "BR", seed)


def _line(lists: AskedLists, name: str | None, seed: int) -> Facts:
    """A product's cells, and its values for every question; None: all candidates are equal."""
    table = lists.data.features.to_scipy().toarray()
    scores: Floats = np.zeros(len(table)) if name is None else product(name, table)
    facts: Facts = {"cells": {}}
    for column, values in lists.values(scores).items():
        rows = np.column_stack([values, np.ones(len(values))])  # questions without candidates are unanswered
        facts["cells"][column] = measured(rows, "quality", seed=seed)
        facts[column] = kept_rows(rows, "quality", label=column)
    return facts


PAPER = EspanaBonetComas2012()
