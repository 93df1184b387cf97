"""A synthetic newspaper: names that are a person in one article and a place or a firm in another.

Some sentences say what a name is ("President Jordan"), most do not ("Jordan was quiet"). A tagger that goes from word
to word must guess there; who reads the whole article need not: the first mention that is clear settles the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.tasks.tagging.corpus import Corpus

if TYPE_CHECKING:
    from collections.abc import Sequence

NAMES = [
    "Jordan",
    "Lincoln",
    "Chelsea",
    "Paris",
    "Washington",
    "Florence",
    "Austin",
    "Madison",
    "Georgia",
    "Carolina",
    "Sydney",
    "Victoria",
    "Hudson",
    "Preston",
    "Bristol",
    "Kent",
    "Logan",
    "Dallas",
    "Houston",
    "Milan",
    "Siena",
    "Ascot",
    "Ford",
    "Hilton",
    "Benson",
    "Morgan",
    "Chester",
    "Warwick",
    "Orson",
    "Lennox",
]
FIRST = ["Ann", "Bob", "Carla", "Dan", "Eve", "Frank", "Gina", "Hugo"]
CLEAR: dict[str, Sequence[str]] = {
    "PER": (
        "President * spoke to reporters on Monday .",
        "Mr. * said that he was tired .",
        "% * arrived late .",
        "the lawyer * , who was born in May , agreed .",
    ),
    "LOC": (
        "thousands live in * today .",
        "the road to * was closed .",
        "flights from * were late .",
        "the mayor of * resigned .",
    ),
    "ORG": (
        "shares of * Corp. fell .",
        "* Inc. hired two engineers .",
        "the board of * Ltd. met on Friday .",
        "* Corp. reported a loss .",
    ),
}
UNCLEAR = (
    "* was quiet on Monday .",
    "critics of * were pleased .",
    "nobody expected this from * .",
    "* won again , and the papers noticed .",
    "everybody looked at * and waited .",
    "after the vote , * changed .",
    "the future of * is open .",
    "* has had a good year .",
)
SENTENCES = 8  # of an article
_CLEAR = 0.35  # share of sentences that say what a name is


def newspaper(articles: int, seed: int) -> Corpus:
    """So many articles, each about two names; columns word and tag (BIO).

    Examples
    --------
    >>> corpus = newspaper(2, seed=0)
    >>> len(corpus), sorted({tag for tag in corpus["tag"].texts()} - {"O"})[:1] != []
    (16, True)
    """
    rng = np.random.default_rng(seed)
    words: list[str] = []
    tags: list[str] = []
    sizes, ids, documents = [], [], []
    for article in range(articles):
        names = rng.choice(NAMES, 2, replace=False).tolist()
        kinds = rng.choice(list(CLEAR), 2).tolist()
        for sentence in range(SENTENCES):
            at = int(rng.integers(2))
            frames = CLEAR[kinds[at]] if rng.random() < _CLEAR else UNCLEAR
            before = len(words)
            for word in frames[int(rng.integers(len(frames)))].split():
                _add(word, names[at], kinds[at], rng, words, tags)
            sizes.append(len(words) - before)
            ids.append(f"{article + 1}.{sentence + 1}")
            documents.append(f"article {article + 1}")
    return Corpus.of({"word": words, "tag": tags}, sizes, ids, documents)


def _add(word: str, name: str, kind: str, rng: np.random.Generator, words: list[str], tags: list[str]) -> None:
    """One word of a frame: `*` is the name, `%` a first name, which the name continues; firms go on to Corp."""
    if word == "%":
        words.append(str(rng.choice(FIRST)))
        tags.append(f"B-{kind}")
    elif word == "*":
        words.append(name)
        tags.append(f"I-{kind}" if tags and tags[-1].startswith("B-") and words[-2] in FIRST else f"B-{kind}")
    else:
        words.append(word)
        tags.append(f"I-{kind}" if word in ("Corp.", "Inc.", "Ltd.") else "O")
