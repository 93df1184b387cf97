"""PARSEVAL from ready-made statistics; expected numbers are worked out beside each case."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from runoff import metrics
from runoff.errors import DataError, UsageError
from runoff.nbest import NBest
from runoff.ranking import first_round
from runoff.tasks.parsing.metric import COLUMNS, Evalb, Parseval

# matched, gold, test, crossing, without, up to two, exact, right tags, tagged words, sentences
WORSE = [6, 10, 8, 3, 0, 0, 0, 18, 20, 1]
BETTER = [9, 10, 10, 1, 0, 1, 0, 19, 20, 1]
RIGHT = [4, 4, 4, 0, 1, 1, 1, 5, 5, 1]
LEFT_OUT = [0] * 10
SUM = np.array([WORSE, RIGHT], float).sum(axis=0)  # 10 of 14 and of 12; 3 crossings in 2 sentences; 23 of 25 tags


def lists(name: str = "parseval") -> NBest:
    """Two lists: of two candidates, and of a right one and one that EVALB would leave out."""
    data = NBest.from_arrays(texts=["a", "b", "c", "d"], sizes=[2, 2], base=[2.0, 1.0, 2.0, 1.0])
    return data.replace(stats={name: np.array([WORSE, BETTER, RIGHT, LEFT_OUT], float)})


@pytest.mark.parametrize(
    ("part", "score"),
    [
        ("f", 200 * 10 / (14 + 12)),
        ("recall", 100 * 10 / 14),
        ("precision", 100 * 10 / 12),
        ("crossing", 3 / 2),
        ("no-crossing", 50),
        ("two-crossing", 50),
        ("exact", 50),
        ("tags", 92),
    ],
)
@pytest.mark.parametrize("name", ["parseval", "evalb"])
def test_parts(name: str, part: str, score: float) -> None:
    metric = metrics.get(f"{name}[part={part}]")
    assert metric.score(SUM) == pytest.approx(score, abs=1e-12)
    assert metric.score(metric.rows(lists(name), first_round(lists(name))).sum(axis=0)) == pytest.approx(score)
    assert metric.score(np.stack([SUM, np.zeros(10), SUM * 3]).reshape(3, 1, 10)).round(9).tolist() == [
        [round(score, 9)],
        [0.0],
        [round(score, 9)],
    ]
    assert f"part:{part}" in metric.signature


def test_summary_of_the_program() -> None:
    # Totals and summary of EVALB for the first choices of one parser on the web treebank's development part; it
    # computes f as 2 p r / (p + r).
    totals = np.array([17142, 20688, 20667, 1691, 1417, 1667, 920, 19962, 21319, 1911], float)
    printed = {"recall": 82.86, "precision": 82.94, "f": 82.90, "exact": 48.14, "crossing": 0.88}
    printed |= {"no-crossing": 74.15, "two-crossing": 87.23, "tags": 93.63}
    for part, number in printed.items():
        assert round(float(metrics.get(f"evalb[part={part}]").score(totals)), 2) == number


def test_only_crossing_is_better_when_lower() -> None:
    crossing, exact = metrics.get("evalb[part=crossing]"), metrics.get("evalb[part=exact]")
    assert (crossing.higher_is_better, crossing.limit) == (False, 0.0)
    assert (exact.higher_is_better, exact.limit) == (True, 100.0)
    assert (Evalb.higher_is_better, Parseval.limit) == (True, 100.0)  # the classes are as they were
    assert crossing.signed(SUM) == -1.5
    assert exact.signed(SUM) == 50
    again = dataclasses.replace(Evalb(), part="crossing")
    assert again == crossing
    assert not again.higher_is_better
    assert not metrics.get(crossing.label).higher_is_better


def test_quality_is_f_times_gold_constituents_whatever_the_part() -> None:
    # 2*6/(10+8) * 10 = 6.667; 2*9/20 * 10 = 9; 1 * 4 = 4; left out: 0.
    for text in ("parseval", "parseval[part=crossing]", "parseval[part=tags]"):
        assert metrics.get(text).quality(lists()).round(3).tolist() == [6.667, 9.0, 4.0, 0.0]


def test_oracle_and_blind_choice() -> None:
    metric = metrics.get("parseval")
    best = metrics.oracle_rows(metric, lists())
    assert best.tolist() == [BETTER, RIGHT]
    assert metric.score(best.sum(axis=0)) == pytest.approx(200 * 13 / (14 + 14))
    assert metric.random_rows(lists(), 0)[0].tolist() == ((np.array(WORSE) + BETTER) / 2).tolist()


def test_statistics_are_found_by_name_and_cut_off() -> None:
    assert [metrics.get(text).key for text in ("evalb", "evalb@40[part=tags]", "parseval@40")] == [  # type: ignore[attr-defined]
        "evalb",
        "evalb@40",
        "parseval@40",
    ]
    data = lists().replace(stats={"evalb@40": np.array([LEFT_OUT, LEFT_OUT, RIGHT, RIGHT], float)})
    rows = metrics.get("evalb@40[part=exact]").rows(data, first_round(data))
    assert rows.tolist() == [LEFT_OUT, RIGHT]  # a sentence beyond the cut-off counts nowhere
    assert metrics.get("evalb@40[part=exact]").score(rows.sum(axis=0)) == 100


def test_labels_and_signatures() -> None:
    assert metrics.get("parseval@40[part=no-crossing]").label == "parseval@40[part=no-crossing]"
    assert metrics.get("evalb[part=f]").label == "evalb"
    assert metrics.get("evalb@40").signature == (
        "evalb|part:f|labelled|deleted:TOP S1 ROOT -NONE- , : `` '' . and empty|equal:ADVP=PRT"
        "|words-dropped-by:own-tags|misfits:left-out|cut-off:40 words"
    )
    assert metrics.get("parseval").signature.endswith("|words-dropped-by:gold-tags|misfits:counted|cut-off:none")
    texts = ["evalb", "parseval", "evalb@40", "evalb@41", "evalb[part=tags]", "parseval[part=tags]"]
    assert len({metrics.get(text).signature for text in texts}) == len(texts)
    assert len(COLUMNS) == len(set(COLUMNS)) == 10


def test_mistakes() -> None:
    with pytest.raises(UsageError, match=r"evalb\[part=…\] must be one of f, recall, .* tags; found 'F1'"):
        metrics.get("evalb[part=F1]")
    with pytest.raises(UsageError, match="the cut-off of parseval must be at least 1; found 0"):
        metrics.get("parseval@0")
    said = "evalb compares trees with gold trees, and this data has none; add them as references, or .* --references"
    data = lists().replace(stats={"parseval": np.zeros((4, 10)), "evalb": np.zeros((4, 10)), "wer": np.zeros((4, 4))})
    with pytest.raises(DataError, match=said):
        metrics.get("evalb@20").quality(data)
    with pytest.raises(DataError, match="parseval compares trees with gold trees, and this data has none"):
        metrics.get("parseval").rows(NBest.from_arrays(texts=["a"], sizes=[1]), first_round(lists()))
    with pytest.raises(DataError, match="statistics for parseval with 3 columns; expected 10: matched, gold, test"):
        metrics.get("parseval").quality(lists().replace(stats={"parseval": np.zeros((4, 3))}))


def test_tags_decide_between_trees_of_equal_brackets() -> None:
    fewer, more = [6, 10, 8, 3, 0, 0, 0, 17, 20, 1], [9, 10, 10, 1, 0, 1, 0, 20, 20, 1]
    rows = np.array([fewer, WORSE, BETTER, more, LEFT_OUT], float)
    for name in ("parseval", "evalb"):
        by_brackets, by_tags = (metrics.get(name + option).quality_of(rows) for option in ("[tags=0]", ""))
        assert by_brackets[0] == by_brackets[1] < by_brackets[2] == by_brackets[3]
        assert by_tags[4] < by_tags[0] < by_tags[1] < by_tags[2] < by_tags[3]
        # A right tag is worth a tenth of a right constituent: 10 * 2 * 6 / 18 + 1.8, and so on.
        assert metrics.get(f"{name}[tags=0.1]").quality_of(rows).tolist() == pytest.approx(
            [120 / 18 + 1.7, 120 / 18 + 1.8, 9 + 1.9, 9 + 2.0, 0.0]
        )


def test_tags_that_break_ties_never_turn_a_difference_of_brackets() -> None:
    """Every pair of counts of a sentence of 60 constituents: the better by F stays better with all tags wrong."""
    gold, words = 60, 120
    right, found = (each.ravel() for each in np.meshgrid(np.arange(gold + 1), np.arange(1, 2 * gold), indexing="ij"))
    right, found = right[right <= found], found[right <= found]
    rows = np.zeros((right.size, len(COLUMNS)))
    rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 8] = right, gold, found, words
    by_f = Parseval(tags=0).quality_of(rows)
    order = np.argsort(by_f)
    rows[:, 7] = np.where(np.arange(right.size) % 2, words, 0)[np.argsort(order)]  # all right, none right, in turn
    by_tags = Parseval().quality_of(rows)[order]
    apart = np.diff(by_f[order]) > 0
    assert apart.sum() > 1_000
    assert (np.diff(by_tags)[apart] > 0).all()


def test_tags_have_no_part_in_scores_and_statistics() -> None:
    assert Parseval(tags=0.5).score(SUM) == Parseval().score(SUM)
    assert Parseval(tags=0.5).key == "parseval"
    assert Parseval(tags=0.5).label == "parseval[tags=0.5]"
    assert Parseval(tags=0.5).signature == f"{Parseval().signature}|tags:0.5"


@pytest.mark.parametrize("tags", ["-1", "inf", "nan"])
def test_tags_that_are_worth_nothing_sensible(tags: str) -> None:
    with pytest.raises(UsageError, match=r"evalb\[tags=…\] must be a number of at least 0; found"):
        metrics.get(f"evalb[tags={tags}]")
