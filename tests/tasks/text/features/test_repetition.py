"""Repetition against plain Python, and what loops of language models look like."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff import NBest
from runoff.tasks.text.distinct_texts import DistinctTexts
from runoff.tasks.text.features import repetition as module
from runoff.tasks.text.features.repetition import repetition_features


def of(texts: list[str]) -> dict[str, list[float]]:
    names, table = repetition_features(DistinctTexts.of(NBest.from_arrays(texts=texts, sizes=[1] * len(texts))))
    return dict(zip(names, table.T.tolist(), strict=True))


def plain(words: list[str]) -> dict[str, float]:
    out = {"repeat:words": 0.0, "repeat:bigrams": 0.0, "repeat:trigrams": 0.0, "repeat:distinct": 1.0}
    if words:
        out["repeat:words"] = sum(one == other for one, other in pairwise(words)) / len(words)
        out["repeat:distinct"] = len(set(words)) / len(words)
    for n, name in ((2, "repeat:bigrams"), (3, "repeat:trigrams")):
        ngrams = [tuple(words[at : at + n]) for at in range(len(words) - n + 1)]
        if ngrams:
            out[name] = sum(ngram in ngrams[:at] for at, ngram in enumerate(ngrams)) / len(ngrams)
    longest = 0
    for start in range(len(words)):
        for period in range(1, len(words) - start):
            stretch, times = words[start : start + period], 1
            while words[start + times * period : start + (times + 1) * period] == stretch:
                times += 1
            longest = max(longest, (times - 1) * period)
    return out | {"repeat:longest": math.log1p(longest)}


@settings(deadline=None)
@given(st.lists(st.lists(st.sampled_from(["a", "b", "😀"]), max_size=14), min_size=1, max_size=4))
def test_columns_are_those_of_the_definition(texts) -> None:
    found = of([" ".join(words) for words in texts])
    for at, words in enumerate(texts):
        assert {name: values[at] for name, values in found.items()} == pytest.approx(plain(words))


def test_loops() -> None:
    found = of(["the the the", "a b a b a b", "a b a", "so it goes . so it goes . and on", ""])
    # Two words repeat "the", four repeat "a b", none in "a b a", and the four of a whole sentence.
    assert np.expm1(found["repeat:longest"]) == pytest.approx([2, 4, 0, 4, 0])


def test_a_very_long_text() -> None:
    looping = " ".join(["as I said before ,"] * 4_000)
    different = " ".join(f"w{number}" for number in range(20_000))
    found = of([looping, different])
    assert np.expm1(found["repeat:longest"]) == pytest.approx([19_995, 0])
    assert found["repeat:distinct"] == [5 / 20_000, 1]
    assert found["repeat:bigrams"] == [(19_999 - 5) / 19_999, 0]


def test_results_do_not_depend_on_the_threads(monkeypatch) -> None:
    rng = np.random.default_rng(5)
    monkeypatch.setattr(module, "_WORDS_PER_PIECE", 1 << 12)
    texts = [" ".join(rng.choice(list("abcdefgh"), 300)) for _ in range(60)]
    found = []
    for threads in ("1", "3"):
        monkeypatch.setenv("RUNOFF_THREADS", threads)
        found.append(of(texts))
    assert found[0] == found[1]
