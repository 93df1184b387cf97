"""Products of scores, written out, and the paper's measures of a ranking, counted by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from runoff.errors import UsageError
from runoff.nbest import NBest
from runoff.tasks.answers.answer_table import SentenceView, product_rows, rates
from runoff.tasks.answers.candidate_features import COLUMNS
from runoff.tasks.answers.score_products import ROWS, TABLE_4, TABLE_6, product

# B, R, Lb, Lr, Lf, E of one candidate.
B, R, LB, LR, LF, E = 0.5, 0.25, 0.75, 0.2, 0.1, 0.9
L = LB * LR * LF
# España-Bonet & Comas (2012), tables 4 and 6, as they are written there.
WRITTEN = {
    "B": B,
    "R": R,
    "B+R": B + R,
    "BR": B * R,
    "Lf": LF,
    "Lb": LB,
    "Lr": LR,
    "L": L,
    "E": E,
    "EL": E * L,
    "BL": B * L,
    "RL": R * L,
    "BRL": B * R * L,
    "(B+R)L": (B + R) * L,
    "BE": B * E,
    "RE": R * E,
    "BRE": B * R * E,
    "(B+R)E": (B + R) * E,
    "BEL": B * E * L,
    "REL": R * E * L,
    "BREL": B * R * E * L,
    "(B+R)EL": (B + R) * E * L,
}


def table_of(*rows):
    out = np.zeros((len(rows), len(COLUMNS)))
    out[:, :6] = [[b, r, lb, lr, lf, e] for b, r, lb, lr, lf, e in rows]
    return out


@pytest.mark.parametrize("name", ROWS)
def test_products_are_those_of_the_paper(name):
    assert product(name, table_of((B, R, LB, LR, LF, E)), 0.0).tolist() == pytest.approx([WRITTEN[name]])


def test_the_tables_of_the_paper_have_4_and_18_rows():
    assert (len(TABLE_4), len(TABLE_6)) == (4, 18)
    assert set(WRITTEN) == set(ROWS)
    with pytest.raises(UsageError, match="there is no combination 'BB'"):
        product("BB", table_of((B, R, LB, LR, LF, E)))


def test_a_candidate_that_one_score_does_not_touch_keeps_the_others():
    one, other = product("BREL", table_of((0.0, R, LB, LR, LF, E), (0.0, R, LB, LR, LF, 0.0)))
    assert one > other > 0


def slow_rates(groups):
    """T1, T50 and MRR over all orders of tied candidates."""
    out = np.zeros(3)
    for scores, right in groups:
        orders = [
            order
            for order in itertools.permutations(range(len(scores)))
            if all(scores[one] >= scores[other] for one, other in itertools.pairwise(order))
        ]
        values = []
        for order in orders:
            places = [at for at, row in enumerate(order, 1) if right[row]]
            first = min(places, default=None)
            values.append([first == 1, first is not None and first <= 50, 0 if first is None else 1 / first])
        out += np.mean(values, axis=0) if orders and scores else 0
    return out / len(groups)


def test_rates_are_means_over_orders_of_ties_and_all_questions():
    groups = [([1.0, 1.0, 0.5], [0, 1, 1]), ([0.2, 0.2, 0.2], [0, 0, 1]), ([0.1, 0.3], [0, 0]), ([], [])]
    data = NBest.from_arrays(
        quality=[float(each) for _, right in groups for each in right], sizes=[len(right) for _, right in groups]
    )
    found = rates(data, np.array([each for scores, _ in groups for each in scores]))
    assert [found["T1"], found["T50"], found["MRR"]] == pytest.approx(slow_rates(groups).tolist())


def test_sentences_are_ranked_by_their_best_candidates():
    data = NBest.from_arrays(quality=[0, 1, 0, 0], sizes=[3, 1])
    # Sentences 0 and 1 of the first question, 0 of two of the second, whose other one has no candidate.
    view = SentenceView(data, [[0, 1, 0], [0]], [[False, True], [False, True]])
    found = view.rates(np.array([0.1, 0.5, 0.7, 0.2]))
    assert found == {"T1": 0.0, "T50": 1.0, "MRR": 0.5}
    assert view.rates(np.array([0.1, 0.8, 0.7, 0.2])) == {"T1": 0.5, "T50": 1.0, "MRR": 0.75}


def test_every_product_has_a_row():
    table = table_of((B, R, LB, LR, LF, 0.9), (B, R, LB, LR, LF, 0.1))
    data = NBest.from_arrays(table, [0.0, 1.0], sizes=[2], feature_names=list(COLUMNS))
    rows = {row["name"]: row["T1"] for row in product_rows(data)}
    assert list(rows) == list(ROWS)
    assert (rows["E"], rows["B"]) == (0.0, 0.5)
