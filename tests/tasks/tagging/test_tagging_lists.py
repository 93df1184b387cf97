"""Taggings as lists, and back."""

from __future__ import annotations

import dataclasses
import itertools
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings

import runoff
from helpers.corpora import content, corpora
from runoff.errors import DataError, UsageError
from runoff.ranking import by_score
from runoff.tasks import recognise
from runoff.tasks.tagging import Corpus, taggings, to_corpus, to_nbest

if TYPE_CHECKING:
    from pathlib import Path


def corpus() -> Corpus:
    columns = {
        "word": ["New York", "is", "Yes"],
        "pos": ["NNP", "VBZ", "UH"],
        "tag": ["B-LOC", "O", "O"],
    }
    return Corpus.of(columns, [2, 0, 1], ids=["a", "b", "c"], documents=["x", "x", "y"])


def lists() -> runoff.NBest:
    return to_nbest(corpus(), [["O O", ["B-LOC", "O"]], [""], [["O"]]], [[-1, -2], [0], [-3]])


def test_how_taggings_are_kept() -> None:
    data = lists()
    assert data.texts.to_pylist() == ["O O", "B-LOC O", "", "O"]
    assert data.inputs.to_pylist() == ["New␣York is", "", "Yes"]
    assert data.references.to_pylist() == [["B-LOC O"], [""], ["O"]]
    assert {name: column.to_pylist() for name, column in data.attributes.items()} == {
        "pos": ["NNP VBZ", "", "UH"],
        "document": ["x", "x", "y"],
    }
    assert (data.group_ids.to_pylist(), data.base.tolist()) == (["a", "b", "c"], [-1, -2, 0, -3])
    assert data.metric == "conlleval"
    assert recognise(data).name == "tagging"
    assert taggings(data) == [[["O", "O"], ["B-LOC", "O"]], [[]], [["O"]]]


def test_back_to_columns() -> None:
    first = to_corpus(lists())
    assert first["predicted"].texts() == ["O", "O", "O"]
    second = to_corpus(lists(), by_score(lists(), np.array([0.0, 1, 0, 0])), predicted="guess")
    assert second["guess"].texts() == ["B-LOC", "O", "O"]
    wanted = corpus()
    for name in wanted.columns:
        assert second[name].texts() == wanted[name].texts()
    assert (second.ids, second.documents, second.offsets.tolist()) == (wanted.ids, wanted.documents, [0, 2, 2, 3])


@settings(deadline=None)
@given(corpora(["word", "pos", "tag"]))
def test_round_trips(drawn: Corpus) -> None:
    tags = [tag.replace(" ", "") for tag in drawn["tag"].texts()]
    whole = Corpus.of(
        {**drawn.columns, "tag": tags}, drawn.sizes.tolist(), [str(at) for at in range(len(drawn))], drawn.documents
    )
    ends = whole.offsets.tolist()
    candidates = [[tags[start:stop]] for start, stop in itertools.pairwise(ends)]
    again = to_corpus(to_nbest(whole, candidates))
    predicted = again["predicted"].texts()
    assert predicted == tags
    columns = {name: column for name, column in again.columns.items() if name != "predicted"}
    assert content(dataclasses.replace(again, columns=columns)) == content(whole)


def test_without_gold_tags() -> None:
    data = to_nbest(Corpus.of({"word": ["a"]}, [1]), [["O"]], metric="tag-accuracy")
    assert (data.references, data.group_ids.to_pylist(), data.metric) == (None, ["1"], "tag-accuracy")
    assert list(to_corpus(data).columns) == ["word", "predicted"]


def test_written_and_read_again(tmp_path: Path) -> None:
    data = lists()
    runoff.write(data, tmp_path / "lists.jsonl")
    again = runoff.read(tmp_path / "lists.jsonl")
    assert content(to_corpus(again)) == content(to_corpus(data))
    report = runoff.evaluate(runoff.LinearModel.of({}, base_weight=1.0), again)
    assert "conlleval" in str(report)


@pytest.mark.parametrize(
    ("candidates", "error", "message"),
    [
        ([["O"], [""], ["O"]], DataError, "sentence 1 has 2 words; found a tagging with 1 tags"),
        ([[["O", "O X"]], [""], ["O"]], DataError, "a tag must be a text without blanks; found 'O X' in sentence 1"),
        ([["O "], [""], ["O"]], DataError, "found '' in sentence 1"),
        ([["O O"], [""]], UsageError, "expected taggings of 3 sentences; found 2"),
    ],
)
def test_taggings_that_do_not_fit(candidates: list[list[str]], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        to_nbest(corpus(), candidates)


def test_other_mistakes() -> None:
    with pytest.raises(UsageError, match="one score for every tagging"):
        to_nbest(corpus(), [["O O"], [""], ["O"]], [[1], [1, 2], [3]])
    with pytest.raises(DataError, match="the column 'word' is empty or has the sign ␣"):
        to_nbest(Corpus.of({"word": ["a␣b"]}, [1]), [["O"]])
    with pytest.raises(DataError, match="list 'a' has no tagging"):
        to_corpus(to_nbest(Corpus.of({"word": ["a"]}, [1], ids=["a"]), [[]]))
    with pytest.raises(DataError, match="words as inputs"):
        to_corpus(runoff.NBest.from_arrays(texts=["O"], sizes=[1]))
    with pytest.raises(DataError, match="list '0' has 2 words; found 1 tags"):
        to_corpus(runoff.NBest.from_arrays(texts=["O"], sizes=[1], inputs=["a b"], group_ids=["0"]))
    with pytest.raises(UsageError, match="give the column another name"):
        to_nbest(Corpus.of({"word": ["a"], "document": ["x"]}, [1]), [["O"]])
