"""Posteriors of n-grams against sets and sums in plain Python."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff import NBest
from runoff.errors import UsageError
from runoff.tasks.text.distinct_texts import DistinctTexts
from runoff.tasks.text.features import posteriors as module
from runoff.tasks.text.features.posteriors import posterior_features

TEXT = st.lists(st.sampled_from(["a", "b", "c", "😀", "日"]), max_size=8).map(" ".join)
LISTS = st.lists(st.lists(TEXT, max_size=6), min_size=1, max_size=5)


def lists_of(groups: Sequence[Sequence[str]]) -> DistinctTexts:
    texts = [text for group in groups for text in group]
    return DistinctTexts.of(NBest.from_arrays(texts=texts, sizes=[len(group) for group in groups]))


def plain(lists: DistinctTexts, weights: Sequence[float]) -> list[dict[str, float]]:
    rows: list[dict[str, float]] = []
    for at in range(len(lists)):
        members = range(lists.offsets[at], lists.offsets[at + 1])
        total = sum(weights[row] for row in members)
        for row in members:
            columns: dict[str, float] = {}
            for n in (1, 2, 3):
                ngrams = {
                    r: [tuple(lists.words.of(r)[i : i + n]) for i in range(lists.words.lengths[r] - n + 1)]
                    for r in members
                }
                share = {
                    ngram: sum(weights[r] for r in members if ngram in ngrams[r]) / (total or 1)
                    for r in members
                    for ngram in ngrams[r]
                }
                own, mass = ngrams[row], sum(share.values())
                columns[f"agree:precision {n}"] = sum(share[ngram] for ngram in own) / len(own) if own else 0.0
                columns[f"agree:recall {n}"] = sum(share[ngram] for ngram in set(own)) / mass if mass else 0.0
                if n == 1:
                    columns["agree:weakest"] = min((share[ngram] for ngram in own), default=0.0)
                    columns["agree:unique words"] = sum(
                        not any(ngram in ngrams[other] for other in members if other != row) for ngram in own
                    )
            rows.append(columns)
    return rows


@settings(deadline=None)
@given(LISTS, st.booleans(), st.integers(0, 1000))
def test_columns_are_those_of_the_definition(groups, weighted, seed) -> None:
    lists = lists_of(groups)
    rng = np.random.default_rng(seed)
    weights = rng.random(lists.n_texts) * (rng.random(lists.n_texts) < 0.7) if weighted else None
    names, table = posterior_features(lists, weights)
    expected = plain(lists, (lists.copies if weights is None else weights).tolist())
    assert table.shape == (len(expected), len(names))
    for row, values in zip(expected, table, strict=True):
        assert dict(zip(names, values.tolist(), strict=True)) == pytest.approx(row, abs=1e-12)


def test_one_text_agrees_with_itself() -> None:
    names, table = posterior_features(lists_of([["a b"], [""], []]))
    found = dict(zip(names, table[0].tolist(), strict=True))
    assert found["agree:precision 1"] == found["agree:recall 2"] == found["agree:weakest"] == 1
    assert found["agree:unique words"] == 2
    assert found["agree:precision 3"] == found["agree:recall 3"] == 0  # it has no three words
    assert not table[1].any()


def test_a_very_long_text() -> None:
    long = " ".join(f"w{number}" for number in range(20_000))
    names, table = posterior_features(lists_of([[long, "w0 w1", ""]]))
    column = dict(zip(names, table.T.tolist(), strict=True))
    assert column["agree:unique words"] == [19_998, 0, 0]
    # 19,998 words are in one text of three, two in two of them.
    assert column["agree:recall 1"] == pytest.approx([1, 4 / 20_002, 0])


def test_results_do_not_depend_on_the_threads(monkeypatch) -> None:
    rng = np.random.default_rng(5)
    monkeypatch.setattr(module, "_WORDS_PER_PIECE", 1 << 12)
    lists = lists_of([[" ".join(rng.choice(list("abcdefgh"), 30)) for _ in range(20)] for _ in range(50)])
    found = []
    for threads in ("1", "3"):
        monkeypatch.setenv("RUNOFF_THREADS", threads)
        found.append(posterior_features(lists)[1])
    assert np.array_equal(*found)
    assert np.ptp(found[0][:, 0]) > 0


@pytest.mark.parametrize("weights", [[1.0], [1.0, -1.0], [np.nan, 1.0], [np.inf, 1.0]])
def test_weights_that_make_no_sense_are_refused(weights) -> None:
    with pytest.raises(UsageError, match="weight"):
        posterior_features(lists_of([["a", "b"]]), np.array(weights))
