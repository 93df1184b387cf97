"""Differences of long texts: always shown, with a few words around them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runoff import LinearModel, NBest
from runoff.word_diff import differences

LONG = " ".join(f"w{at}" for at in range(60))


def test_short_texts_are_shown_as_they_are() -> None:
    assert differences("a  cat", "a\ncats") == ("a cat", "a cats")


@pytest.mark.parametrize(
    ("a", "b", "shown", "other"),
    [
        (f"{LONG} cat", f"{LONG} cats", "… w56 w57 w58 w59 [cat]", "… w56 w57 w58 w59 [cats]"),
        (f"cat {LONG}", LONG, "[cat] w0 w1 w2 w3 …", "[] w0 w1 w2 w3 …"),
        (
            LONG.replace("w30", "x").replace("w50", "y"),
            LONG,
            "… w26 w27 w28 w29 [x] w31 w32 w33 w34 … w46 w47 w48 w49 [y] w51 w52 w53 w54 …",
            "… w26 w27 w28 w29 [w30] w31 w32 w33 w34 … w46 w47 w48 w49 [w50] w51 w52 w53 w54 …",
        ),
        (
            "文" * 120 + "猫" + "字" * 9,
            "文" * 120 + "犬" + "字" * 9,
            "… 文文文文 [猫] 字字字字 …",
            "… 文文文文 [犬] 字字字字 …",
        ),
    ],
)
def test_long_texts_are_cut_to_their_differences(a: str, b: str, shown: str, other: str) -> None:
    assert differences(a, b) == (shown, other)


def test_the_same_text_has_none() -> None:
    assert differences(LONG, f" {LONG}") == (f"{LONG[:99]}…", f"{LONG[:99]}…")


@given(st.lists(st.sampled_from("abcde"), min_size=60, max_size=120), st.integers(0, 59))
def test_one_changed_word_is_always_seen(words: list[str], at: int) -> None:
    changed = [*words[:at], "changed", *words[at + 1 :]]
    a, b = differences(" ".join(words), " ".join(changed))
    assert "[changed]" in b
    assert f"[{words[at]}]" in a


def test_many_differences_end_with_an_ellipsis() -> None:
    a, b = differences(" ".join("xs" * 500), " ".join("xt" * 500))
    assert a.endswith("…")
    assert len(b) < 400


def test_explanations_show_the_words_that_differ() -> None:
    data = NBest.from_arrays([[0.0], [1.0]], texts=[f"{LONG} cat", f"{LONG} cats"], sizes=[2], feature_names=["x"])
    text = str(LinearModel.of({"x": 1.0}).explain(data, 0))
    assert "         … w56 w57 w58 w59 [cats]\n" in text
    assert "         … w56 w57 w58 w59 [cat]\n" in text
