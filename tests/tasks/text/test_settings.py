"""What is asked of features, and sentences for what cannot be."""

from __future__ import annotations

from typing import Any

import pytest

from runoff import NBest
from runoff.errors import UsageError
from runoff.metrics import get
from runoff.tasks.text.settings import TextSettings, similarity_metric


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"families": "lenght"}, "there is no feature family 'lenght'"),
        ({"families": "length,embedding"}, "the family embedding needs an encoder"),
        ({"lm_order": 0}, "lm_order of TextSettings must be a whole number from 1 to 6; found 0"),
        ({"lm_order": 7}, "lm_order of TextSettings must be a whole number from 1 to 6; found 7"),
        ({"folds": 1}, "folds of TextSettings must be a whole number of at least 2; found 1"),
        ({"word_orders": None}, "word_orders of TextSettings must be a list, each a whole number from 1 to 8"),
        ({"word_orders": ()}, "word_orders of TextSettings must be a list, each a whole number from 1 to 8"),
        ({"word_orders": (0,)}, "word_orders of TextSettings must be a list, each a whole number from 1 to 8"),
        (
            {"character_orders": (3, 9)},
            "character_orders of TextSettings must be a list, each a whole",
        ),
        (
            {"character_orders": (2.5,)},
            "character_orders of TextSettings must be a list, each a whole",
        ),
        ({"min_lists": 0}, "min_lists of TextSettings must be a whole number of at least 1"),
        ({"hashed": -1}, "hashed of TextSettings must be 0 or a power of two"),
        ({"similarity": "nonsense"}, "there is no metric 'nonsense'"),
        ({"similarity": "quality"}, "does not compare texts"),
        ({"similarity": "ndcg@3"}, "does not compare texts"),
    ],
)
def test_what_cannot_be_is_said(options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        TextSettings(**options)


@pytest.mark.parametrize(
    "options",
    [
        {"families": None},
        {"lm_order": "3"},
        {"lm_order": 2.5},
        {"folds": 2.5},
        {"folds": None},
        {"word_orders": 3},
        {"min_lists": "5"},
        {"min_lists": 1.5},
        {"hashed": 3},
        {"seed": "x"},
        {"seed": -1},
        {"similarity": 5},
        {"lm": 5},
    ],
)
def test_wrong_kinds_are_said(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=f"{next(iter(options))} of TextSettings must be "):
        TextSettings(**options)


def compared_by(metric: Any, data_metric: str | None = None, similarity: str | None = None) -> str:
    data = NBest.from_arrays(texts=["a"], sizes=[1], metric=data_metric)
    return TextSettings(similarity=similarity).similarity_for(data, metric).label


def test_texts_are_compared_by_what_they_are_judged_by() -> None:
    assert compared_by("wer") == "wer"
    assert compared_by("wer", data_metric="bleu") == "wer"
    assert compared_by(None, data_metric="bleu") == "bleu"
    assert compared_by(get("exact[case=lower]")) == "exact[case=lower]"
    assert compared_by("wer,bleu") == "wer"
    assert compared_by("wer", similarity="rouge-l") == "rouge-l"


@pytest.mark.parametrize("metric", [None, "quality", "ndcg@5"])
def test_where_that_cannot_compare_chrf_does(metric: str | None) -> None:
    assert compared_by(metric) == "chrf"


def test_similarity_by_name() -> None:
    assert similarity_metric("bleu[tokenize=none]").label == "bleu[tokenize=none]"
    with pytest.raises(UsageError, match="ndcg@5 does not compare texts"):
        similarity_metric("ndcg@5")
