"""What is done to texts before they are compared, against jiwer and Python's Unicode tables."""

from __future__ import annotations

import jiwer
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff import metrics
from runoff.nbest import NBest

pieces = st.sampled_from(
    ["Don't", "STOP!", "«oui»", "well-known", "$5+3", "a…", "—", "É", "ΟΔΟΣ", "3.5", "¿Qué?", "👍🏽"]
)
sentences = st.lists(pieces, max_size=7).map(" ".join)
JIWER = [jiwer.ToLowerCase(), jiwer.RemovePunctuation()]


@settings(deadline=None)
@given(st.lists(st.tuples(sentences, sentences), min_size=1, max_size=5))
def test_lower_case_without_punctuation_equals_jiwer(pairs: list[tuple[str, str]]) -> None:
    references, texts = [reference for reference, _ in pairs], [text for _, text in pairs]
    data = NBest.from_arrays(texts=texts, sizes=[1] * len(texts), references=references)
    words = jiwer.Compose([*JIWER, jiwer.RemoveMultipleSpaces(), jiwer.Strip(), jiwer.ReduceToListOfListOfWords()])
    characters = jiwer.Compose([*JIWER, jiwer.Strip(), jiwer.ReduceToListOfListOfChars()])
    for name, expected in (
        ("wer", jiwer.wer(references, texts, words, words)),
        ("cer", jiwer.cer(references, texts, characters, characters)),
    ):
        metric = metrics.get(f"{name}[case=lower,punctuation=dropped]")
        found = metric.score(metrics.first_rows(metric, data).sum(axis=0))
        assert found == pytest.approx(100 * expected, abs=1e-9)


def quality(name: str, text: str, reference: str) -> float:
    return float(metrics.get(name).quality(NBest.from_arrays(texts=[text], sizes=[1], references=[reference]))[0])


@pytest.mark.parametrize(
    ("options", "text", "reference", "same"),
    [
        ("", "e\u0301", "\u00e9", False),
        ("[unicode=nfc]", "e\u0301", "\u00e9", True),  # Unicode's canonical composition
        ("[unicode=nfc]", "\ufb01", "fi", False),  # a ligature is only compatible
        ("[unicode=nfkc]", "\ufb01", "fi", True),
        ("[unicode=nfkc]", "\uff21", "A", True),  # full-width A
        ("[case=lower]", "ÀB", "àb", True),
        ("[punctuation=dropped]", "don\u2019t", "don't", True),  # both apostrophes are of category P*
        ("[punctuation=ascii]", "don\u2019t", "don't", False),
        ("[punctuation=dropped]", "$5", "5", False),  # a symbol, category Sc
        ("[punctuation=ascii]", "$5", "5", True),
        ("[punctuation=dropped]", "\U0001f600", "", False),  # an emoji is no punctuation
    ],
)
def test_one_option_at_a_time(options: str, text: str, reference: str, same: bool) -> None:
    for name in ("exact", "wer", "cer"):
        metric = metrics.get(name + options)
        assert (quality(metric.label, text, reference) == float(name == "exact")) is same
        assert (metric.canonical(text) == metric.canonical(reference)) is same


def test_articles_are_words_and_english() -> None:
    found = metrics.get("exact[articles=dropped]").canonical("The theme: an ant, a1 and A")
    assert found == "theme: ant, a1 and"


def test_options_are_in_the_signature() -> None:
    assert metrics.get("wer").signature == (
        "wer|words:white-space|case:mixed|punct:kept|unicode:none|references:fewest-edits"
    )
    seen = {
        metrics.get(f"{name}[{option}]").signature
        for name in ("wer", "cer", "exact", "f1")
        for option in ("case=lower", "case=mixed", "punctuation=dropped", "unicode=nfkc", "unicode=nfc")
    }
    assert len(seen) == 20
