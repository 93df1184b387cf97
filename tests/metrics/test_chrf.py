"""chrF against sacrebleu, which is the outside truth of every comparison here."""

from __future__ import annotations

import gzip
import itertools
import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.chrf import CHRF

from runoff import metrics
from runoff.errors import DataError, UsageError
from runoff.metrics.text_metric import TextMetric
from runoff.nbest import NBest
from runoff.ranking import first_round

if TYPE_CHECKING:
    from pathlib import Path

pieces = st.sampled_from(
    [
        "the",
        "The ",
        "cat",
        " ",
        "  ",
        "\n",
        "\xa0",
        "\u3000",
        "mat,",
        "(hi)",
        "!",
        '"a',
        "aaaa",
        "naïve",
        "日本",
        "🙂",
        "Σ",
    ]
)
texts = st.lists(pieces, max_size=14).map("".join)
groups = st.lists(
    st.tuples(st.lists(texts, min_size=1, max_size=3), st.lists(texts, min_size=1, max_size=3)),
    min_size=1,
    max_size=5,
)
lists_of_texts = st.lists(st.lists(texts, max_size=5), max_size=4)
OPTIONS = {
    "chrf": {},
    "chrf[word_order=2]": {"word_order": 2},
    "chrf[lowercase,whitespace]": {"lowercase": True, "whitespace": True},
    "chrf[eps_smoothing,lowercase,word_order=1]": {"eps_smoothing": True, "word_order": 1, "lowercase": True},
    "chrf[beta=1,char_order=3]": {"beta": 1, "char_order": 3},
    "chrf[char_order=0,word_order=2,beta=0]": {"char_order": 0, "word_order": 2, "beta": 0},
}


def build(made: list[tuple[list[str], list[str]]]) -> NBest:
    return NBest.from_arrays(
        texts=[text for candidates, _ in made for text in candidates],
        sizes=[len(candidates) for candidates, _ in made],
        references=[references for _, references in made],
    )


def chrf(name: str) -> TextMetric:
    metric = metrics.get(name)
    assert isinstance(metric, TextMetric)
    return metric


@pytest.mark.parametrize("name", OPTIONS)
@settings(deadline=None)
@given(made=groups)
def test_corpus_sentences_and_statistics_equal_sacrebleu(name: str, made: list[tuple[list[str], list[str]]]) -> None:
    metric, data, sacre = chrf(name), build(made), CHRF(**OPTIONS[name])
    streams = list(itertools.zip_longest(*(references for _, references in made)))
    expected = sacre.corpus_score([candidates[0] for candidates, _ in made], streams).score
    assert metric.score(metric.rows(data, first_round(data)).sum(axis=0)) == expected
    pairs = [(text, refs) for texts, refs in made for text in texts]
    assert metric.quality(data).tolist() == [sacre.sentence_score(text, refs).score for text, refs in pairs]
    rows = [sacre._extract_corpus_statistics([text], [[ref] for ref in refs])[0] for text, refs in pairs]
    assert metric.statistics(data).tolist() == rows


@pytest.mark.parametrize("name", OPTIONS)
@settings(deadline=None)
@given(made=lists_of_texts, seed=st.integers(0, 9))
def test_expected_chrf_is_that_of_all_pairs(name: str, made: list[list[str]], seed: int) -> None:
    metric = chrf(name)
    flat = [text for texts in made for text in texts]
    offsets = np.concatenate([[0], np.cumsum([len(texts) for texts in made], dtype=np.int64)])
    weights = np.random.default_rng(seed).integers(0, 4, (len(flat), 2)) / 3
    np.testing.assert_allclose(
        metric.expected(flat, offsets, weights), TextMetric.expected(metric, flat, offsets, weights), 1e-9, 1e-12
    )


def test_real_samples_and_their_choices(shared_data: Path) -> None:
    paths = sorted((shared_data / "generation").glob("*.jsonl.gz"))
    if not paths:
        pytest.skip("there are no samples of generated texts among the real data")
    with gzip.open(paths[0], "rt", encoding="utf-8") as file:
        records = [json.loads(line) for line, _ in zip(file, range(20), strict=False)]
    metric, sacre = chrf("chrf"), CHRF()
    data = build([(record["candidates"], record["references"]) for record in records])
    streams = list(itertools.zip_longest(*(record["references"] for record in records)))
    expected = sacre.corpus_score([record["candidates"][0] for record in records], streams).score
    assert metric.score(metric.rows(data, first_round(data)).sum(axis=0)) == expected
    assert data.texts is not None
    found = metric.expected(data.texts.to_pylist(), data.offsets, np.ones((data.n_candidates, 1)))[:, 0]
    for group, record in enumerate(records):
        made = record["candidates"]
        sums = []
        for text in made:
            sums.append(0.0)
            for other in made:
                sums[-1] += sacre.sentence_score(text, [other]).score
        assert found[data.offsets[group] : data.offsets[group + 1]].tolist() == [total / len(made) for total in sums]


def test_an_empty_group_needs_no_reference() -> None:
    data = NBest.from_arrays(texts=["a b"], sizes=[0, 1], references=[[], ["a c"]])
    assert chrf("chrf").quality(data).tolist() == [sacrebleu.sentence_chrf("a b", ["a c"]).score]
    assert chrf("chrf").compute(NBest.from_arrays(texts=[], sizes=[], references=[])).shape == (0, 18)


def test_of_references_equally_good_the_first_counts() -> None:
    data = build([(["ab"], ["xy", "xyz"])])
    assert chrf("chrf").statistics(data)[0, :3].tolist() == [2, 2, 0]


def test_ready_made_statistics_have_a_column_for_every_order() -> None:
    metric = chrf("chrf[char_order=1,word_order=1]")
    assert metric.columns[:3] == ("character 1-grams", "character 1-grams of the reference", "character 1-gram matches")
    assert len(metric.columns) == 6
    data = NBest.from_arrays(texts=["a"], sizes=[1], stats={metric.key: np.ones((1, 18))})
    with pytest.raises(DataError, match="18 columns; expected 6"):
        metric.statistics(data)


def test_signature_has_the_parts_of_sacrebleus() -> None:
    version = sacrebleu.__version__
    assert chrf("chrf").signature == f"chrf|case:mixed|eff:yes|nc:6|nw:0|space:no|beta:2|sacrebleu:{version}"
    sacre = CHRF(word_order=2, eps_smoothing=True, lowercase=True, whitespace=True)
    sacre.corpus_score(["a"], [["a"]])
    theirs = {part for part in str(sacre.get_signature()).split("|") if not part.startswith(("nrefs", "version"))}
    assert theirs < set(chrf("chrf[word_order=2,eps_smoothing,lowercase,whitespace]").signature.split("|"))


def test_texts_that_vote_together() -> None:
    assert chrf("chrf").canonical(" A  b ") == "A b"
    assert chrf("chrf[lowercase]").canonical(" A  b ") == "a b"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("chrf[char_order=-1]", "must not be negative; found -1"),
        ("chrf[char_order=0]", "both 0"),
        ("chrf[beta=x]", "must be a whole number; found 'x'"),
    ],
)
def test_wrong_options(name: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        metrics.get(name)
