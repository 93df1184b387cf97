"""Questions of the paper about answers, and the upper bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from runoff import NBest
from runoff.errors import DataError
from runoff.tasks.answers.answer_table import SentenceView
from runoff.tasks.answers.papers.answer_data import AnswerData, AskedLists, found_questions, upper_bound
from runoff.tasks.answers.papers.espana_bonet_comas_2012 import PUBLISHED, _line
from runoff.tasks.answers.score_products import ROWS

if TYPE_CHECKING:
    from pathlib import Path


def little_lists() -> AskedLists:
    """Three questions: a right answer second, none, and no candidates."""
    columns = np.zeros((4, 3))
    data = NBest.from_arrays(columns, [0, 1, 0, 0], sizes=[2, 2, 0])
    return AskedLists(data, SentenceView(data, [[0, 1], [0, 0], []], [[False, True], [False], [True]]))


def test_all_rows_of_the_paper_are_there() -> None:
    assert set(PUBLISHED) == set(ROWS)
    assert all(len(numbers) == 6 for numbers in PUBLISHED.values())


def test_chance_is_the_mean_over_all_orders() -> None:
    # By hand: of two candidates one is right: first half of the time, reciprocal rank 3/4; the others have none.
    cells = _line(little_lists(), None, 0)["cells"]
    assert cells["QA T1"][0] == pytest.approx(0.5 / 3)
    assert cells["QA MRR"][0] == pytest.approx(0.75 / 3)
    assert cells["QA T50"][0] == pytest.approx(1 / 3)


def test_the_upper_bound_counts_questions_without_candidates() -> None:
    assert upper_bound(little_lists()) == {"QA": pytest.approx(1 / 3), "SR": pytest.approx(2 / 3)}


def test_synthetic_questions_do_not_share_answers_between_the_parts() -> None:
    records = AnswerData(None, "drawn").records
    assert min(len(own) for own in records.values()) > 60
    ids = [each.id for own in records.values() for each in own]
    assert len(set(ids)) == len(ids)
    words = [each.question.words for own in records.values() for each in own]
    assert len(set(words)) == len(words)


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"expected questions in 2 files .* train and test"):
        found_questions(tmp_path)
    line = '{"question": "Who?", "answers": ["Ada"], "answering": ["Ada did."], "other": []}\n'
    for part in ("train", "test"):
        (tmp_path / f"own.{part}.jsonl").write_text(line)
    material = found_questions(tmp_path)
    assert material.about == "1 questions of train, 1 questions of test"
    assert "no file has the word types" in material.left_out[0]
    (tmp_path / "own.test.jsonl").write_text('{"question": "Who?"}\n')
    with pytest.raises(DataError, match="0 questions of test"):
        found_questions(tmp_path)
