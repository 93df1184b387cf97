"""Stems, compared with another implementation of the same algorithm."""

from __future__ import annotations

import random

import pytest
from nltk.stem.porter import PorterStemmer

from runoff.tasks.answers.retrieval.porter import stem

# Examples of Porter (1980), "An algorithm for suffix stripping".
PUBLISHED = {
    "caresses": "caress",
    "ponies": "poni",
    "cats": "cat",
    "feed": "feed",
    "agreed": "agre",
    "plastered": "plaster",
    "motoring": "motor",
    "sing": "sing",
    "hopping": "hop",
    "falling": "fall",
    "hissing": "hiss",
    "filing": "file",
    "happy": "happi",
    "sky": "sky",
    "relational": "relat",
    "vietnamization": "vietnam",
    "triplicate": "triplic",
    "formalize": "formal",
    "hopeful": "hope",
    "revival": "reviv",
    "adoption": "adopt",
    "probate": "probat",
    "cease": "ceas",
    "controll": "control",
    "roll": "roll",
    "generalizations": "gener",
    "oscillators": "oscil",
}


@pytest.mark.parametrize("word", PUBLISHED)
def test_published_examples(word: str) -> None:
    assert stem(word) == PUBLISHED[word]


def test_equal_to_nltk_on_synthetic_words() -> None:
    other = PorterStemmer(mode=PorterStemmer.MARTIN_EXTENSIONS)
    rng = random.Random(0)
    starts = [
        "gener",
        "st",
        "y",
        "boy",
        "fly",
        "trou",
        "hop",
        "hopp",
        "fall",
        "conflat",
        "siz",
        "tanne",
        "ee",
        "bl",
        "w",
    ]
    middles = [
        "",
        "al",
        "iz",
        "iv",
        "ous",
        "ful",
        "abl",
        "ibl",
        "ement",
        "at",
        "log",
        "bl",
        "ent",
        "ss",
        "zz",
        "ay",
        "e",
    ]
    ends = [
        "",
        "s",
        "es",
        "ies",
        "sses",
        "ed",
        "eed",
        "ing",
        "ational",
        "tional",
        "enci",
        "anci",
        "izer",
        "bli",
        "alli",
    ]
    ends += [
        "entli",
        "eli",
        "ousli",
        "ization",
        "ation",
        "ator",
        "alism",
        "iveness",
        "fulness",
        "ousness",
        "aliti",
        "y",
    ]
    ends += ["iviti", "biliti", "logi", "icate", "ative", "alize", "iciti", "ical", "ness", "sion", "tion", "ion", "ll"]
    words = {"".join(map(rng.choice, (starts, middles, middles, ends, ends))) for _ in range(20_000)}
    assert [(word, stem(word)) for word in words if stem(word) != other.stem(word)] == []


def test_what_is_no_word_of_letters_stays() -> None:
    assert [stem(word) for word in ("1990s", "größes", "u.s", "is")] == ["1990s", "größes", "u.s", "is"]
