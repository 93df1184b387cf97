"""Estimates equal to lmplz's, scores equal to the kenlm module's, and the theorem that probabilities sum to one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.kenlm_output import CORPUS, KENLM, LMPLZ, LMPLZ_PRUNED
from runoff.errors import UsageError
from runoff.features.lm import LanguageModel, estimate, read_arpa
from runoff.features.lm.ngram_table import SPECIAL, NgramTable
from runoff.metrics.tokens import Tokens, tokenised
from runoff.tasks.text.tokenizer import tokenize

if TYPE_CHECKING:
    from pathlib import Path


def words(texts: list[str]) -> Tokens:
    return tokenised(texts, lambda piece: [piece])


def sentences() -> list[str]:
    return CORPUS.split("\n")[:-1]


def entries(arpa: str) -> dict[tuple[str, ...], tuple[float, float]]:
    """N-grams of an ARPA file by a reader of its own."""
    rows = [line.split("\t") for line in arpa.splitlines() if "\t" in line]
    return {tuple(row[1].split(" ")): (float(row[0]), float(row[2]) if len(row) > 2 else 0.0) for row in rows}


def by_words(grams: NgramTable) -> dict[tuple[str, ...], tuple[float, float]]:
    spelling = [*SPECIAL, *grams.words.to_pylist()]
    return {
        tuple(spelling[number] for number in row): (probability, backoff)
        for rows, *values in zip(grams.rows, grams.probabilities, grams.backoffs, strict=True)
        for row, probability, backoff in zip(rows.tolist(), *(value.tolist() for value in values), strict=True)
    }


@pytest.mark.parametrize(("min_count", "truth"), [(1, LMPLZ), (2, LMPLZ_PRUNED)])
def test_every_number_is_that_of_lmplz(min_count: int, truth: str) -> None:
    found, expected = by_words(estimate(words(sentences()), 3, min_count=min_count)), entries(truth)
    assert set(found) == set(expected)
    for gram, values in expected.items():
        assert found[gram] == pytest.approx(values, abs=1e-6), gram


@pytest.mark.parametrize(
    ("texts", "expected"),
    # lmplz -o 2 --discount_fallback (KenLM 0.3.0); it says that both orders of all three fell back to 0.5 1 1.5.
    [
        (
            ["a"],
            {
                ("<unk>",): (-0.7781512, 0.0),
                ("<s>",): (0.0, -0.30103),
                ("</s>",): (-0.38021123, 0.0),
                ("a",): (-0.38021123, -0.30103),
                ("a", "</s>"): (-0.1497623, 0.0),
                ("<s>", "a"): (-0.1497623, 0.0),
            },
        ),
        (
            [""],
            {
                ("<unk>",): (-0.60206, 0.0),
                ("<s>",): (0.0, -0.30103),
                ("</s>",): (-0.12493875, 0.0),
                ("<s>", "</s>"): (-0.057991948, 0.0),
            },
        ),
        (
            ["a b c", "a b c", "a b c", "a b c", "a b c", "a b c", "a b c"],
            {
                ("<unk>",): (-1.0, 0.0),
                ("<s>",): (0.0, -0.66900676),
                ("</s>",): (-0.6478175, 0.0),
                ("a",): (-0.6478175, -0.66900676),
                ("b",): (-0.6478175, -0.66900676),
                ("c",): (-0.6478175, -0.66900676),
                ("c", "</s>"): (-0.078871146, 0.0),
                ("<s>", "a"): (-0.078871146, 0.0),
                ("a", "b"): (-0.078871146, 0.0),
                ("b", "c"): (-0.078871146, 0.0),
            },
        ),
    ],
)
def test_tiny_corpora_are_those_of_lmplz(
    texts: list[str], expected: dict[tuple[str, ...], tuple[float, float]]
) -> None:
    found = by_words(estimate(words(texts), 2))
    assert set(found) == set(expected)
    for gram, values in expected.items():
        assert found[gram] == pytest.approx(values, abs=1e-6), gram


@pytest.mark.parametrize("order", [1, 2, 3])
def test_without_texts_all_words_are_unknown(order: int) -> None:
    scores = LanguageModel.train(words([]), order).score(words(["", "a"]))
    # The end and the unknown word share the probability evenly.
    assert scores.total == pytest.approx([np.log10(1 / 2), np.log10(1 / 4)])
    assert scores.unknown.tolist() == [0, 1]


def test_scores_are_those_of_kenlm() -> None:
    texts, total, unknown, lowest = zip(*KENLM, strict=True)
    scores = LanguageModel.train(words(sentences())).score(words(list(texts)))
    assert scores.total == pytest.approx(total, abs=2e-5)
    assert scores.unknown.tolist() == list(unknown)
    assert scores.lowest == pytest.approx(lowest, abs=1e-5)


def test_scores_of_the_arpa_file_are_those_of_kenlm(tmp_path: Path) -> None:
    path = tmp_path / "corpus.arpa"
    path.write_text(LMPLZ.lstrip())
    texts, total, _, lowest = zip(*KENLM, strict=True)
    scores = read_arpa(path).score(words(list(texts)))
    assert scores.total == pytest.approx(total, abs=2e-5)
    assert scores.lowest == pytest.approx(lowest, abs=1e-5)


def test_no_texts_no_scores() -> None:
    scores = LanguageModel.train(words(["a"])).score(words([]))
    assert scores.total.size == scores.unknown.size == scores.lowest.size == 0


SMALL = st.lists(st.lists(st.sampled_from("abcd"), max_size=5).map(" ".join), max_size=12)


def by_definition(model: dict[tuple[str, ...], tuple[float, float]], gram: tuple[str, ...]) -> float:
    """Log10 probability of the last word after the others: its n-gram's, or the back-off and what is shorter."""
    if gram in model:
        return model[gram][0]
    return model.get(gram[:-1], (0.0, 0.0))[1] + by_definition(model, gram[1:])


@given(SMALL, st.integers(1, 4), st.integers(1, 3))
def test_probabilities_sum_to_one_after_every_context(texts: list[str], order: int, min_count: int) -> None:
    model = by_words(estimate(words(texts), order, min_count=min_count))
    following = [gram for gram in model if len(gram) == 1 and gram != ("<s>",)]
    for context in [gram for gram in model if len(gram) < order] + [(), ("a", "b", "c")[: order - 1]]:
        total = sum(10 ** by_definition(model, context + word) for word in following)
        assert total == pytest.approx(1, abs=1e-5), context


@given(SMALL, SMALL, st.integers(1, 4))
def test_scores_are_those_of_the_definition(texts: list[str], others: list[str], order: int) -> None:
    model = by_words(estimate(words(texts), order))
    scores = LanguageModel.train(words(texts), order).score(words(others))
    for at, text in enumerate(others):
        known = ["<s>", *(word if (word,) in model else "<unk>" for word in text.split()), "</s>"]
        places = [tuple(known[max(0, stop - order) : stop]) for stop in range(2, len(known) + 1)]
        values = [by_definition(model, place) for place in places]
        assert scores.total[at] == pytest.approx(sum(values), abs=1e-9)
        assert scores.lowest[at] == pytest.approx(min(values), abs=1e-9)
        assert scores.unknown[at] == known.count("<unk>")


def test_marks_of_arpa_files_are_ordinary_words_of_texts() -> None:
    texts = ["<s> a </s>", "<unk> a", "</s>"]
    plain = ["S a E", "U a", "E"]
    marked = LanguageModel.train(words(texts)).score(words([*texts, "a <s>"]))
    spelled = LanguageModel.train(words(plain)).score(words([*plain, "a S"]))
    assert marked.total.tolist() == spelled.total.tolist()
    assert marked.unknown.tolist() == [0, 0, 0, 0]


def test_numbers_of_tokens_make_no_difference() -> None:
    tokens = words(["z y x w v", *sentences()])
    part = Tokens(tokens.ids, tokens.offsets[1:], tokens.spelling)  # the first text is left out
    assert LanguageModel.train(part).keys.tolist() == LanguageModel.train(words(sentences())).keys.tolist()
    assert LanguageModel.train(part).values.tolist() == LanguageModel.train(words(sentences())).values.tolist()
    scores, alone = (LanguageModel.train(part).score(each) for each in (part, words(sentences())))
    assert scores.total.tolist() == alone.total.tolist()
    assert scores.unknown.tolist() == alone.unknown.tolist()


def test_repeated_texts_raise_their_own_probability() -> None:
    once = LanguageModel.train(tokenised(["a b", "c d"], tokenize)).score(words(["a b"])).total[0]
    often = LanguageModel.train(tokenised(["a b"] * 50 + ["c d"], tokenize)).score(words(["a b"])).total[0]
    assert once < often < 0


@pytest.mark.parametrize("pieces", [1, 7, 10**6])
def test_pieces_and_threads_change_nothing(pieces: int, monkeypatch: pytest.MonkeyPatch) -> None:
    model = LanguageModel.train(words(sentences()))
    expected = model.score(words(sentences()))
    monkeypatch.setattr("runoff.features.lm.model._PIECE", pieces)
    monkeypatch.setenv("RUNOFF_THREADS", "3")
    found = model.score(words(sentences()))
    assert found.total.tolist() == expected.total.tolist()
    assert found.lowest.tolist() == expected.lowest.tolist()


@pytest.mark.parametrize(
    ("order", "min_count", "message"), [(0, 1, "from 1 to 6"), (7, 1, "found 7"), (2, 0, "found 0")]
)
def test_orders_and_counts_that_are_none(order: int, min_count: int, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        LanguageModel.train(words(["a"]), order, min_count=min_count)
