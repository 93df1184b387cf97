"""Synthetic sentences, and the n-best lists of a synthetic speech recogniser.

The recogniser works word by word: its score reflects how each word sounded, but not whether the verb agrees with a
subject five words earlier, whether "either" is followed by "or", or whether "yesterday" fits the tense.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

NOUNS = {  # singular -> plural
    "knight": "knights",
    "dog": "dogs",
    "owl": "owls",
    "baker": "bakers",
    "engineer": "engineers",
    "sailor": "sailors",
    "aunt": "aunts",
    "child": "children",
}
PLACES = (
    "near the old mill",
    "behind the harbours",
    "from the islands",
    "with the red hat",
    "under the bridges",
    "",
)
VERBS = {  # base -> third person, past
    "meet": ("meets", "met"),
    "see": ("sees", "saw"),
    "follow": ("follows", "followed"),
    "greet": ("greets", "greeted"),
    "admire": ("admires", "admired"),
    "chase": ("chases", "chased"),
}
OBJECTS = ("apple", "umbrella", "letter", "flower", "orange", "boat", "engine", "candle")
TIMES = {"yesterday": "past", "last week": "past", "every day": "present", "these days": "present"}
SOUNDS_LIKE = {
    "knight": "night",
    "knights": "nights",
    "flower": "flour",
    "meet": "meat",
    "see": "sea",
    "aunt": "ant",
}
PLURALS = frozenset(NOUNS.values())
PRESENT_SINGULAR = {forms[0]: base for base, forms in VERBS.items()}
PAST = {forms[1]: base for base, forms in VERBS.items()}


@dataclass(frozen=True)
class World:
    """Settings of the synthetic recogniser: the number of hypotheses, and how reliable its score is."""

    hypotheses: int = 10
    hearing: float = 1.1  # score lost per wrong word
    noise: float = 1.3  # standard deviation of the noise in the score


def lists(groups: int, seed: int, world: World | None = None) -> Iterator[dict[str, Any]]:
    """Generate groups as Runoff's records: a reference, hypotheses, their scores and features of whole sentences.

    Examples
    --------
    >>> first = next(lists(1, seed=0))
    >>> sorted(first)
    ['candidates', 'id', 'references']
    """
    world = world or World()
    rng = np.random.default_rng(seed)
    for number in range(groups):
        truth = sentence(rng)
        heard = {" ".join(truth): 0} if rng.random() < 0.92 else {}
        while len(heard) < world.hypotheses:
            words, wrong = list(truth), 1 + int(rng.poisson(0.6))
            for _ in range(wrong):
                words = mishear(words, rng)
            heard.setdefault(" ".join(words), wrong)
        scores = [-world.hearing * wrong + world.noise * rng.standard_normal() for wrong in heard.values()]
        order = np.argsort(scores)[::-1]
        texts = list(heard)
        yield {
            "id": f"utterance-{number + 1}",
            "references": [" ".join(truth)],
            "candidates": [
                {
                    "text": texts[at],
                    "base": round(float(scores[at]), 4),
                    "features": features(texts[at].split()),
                }
                for at in order
            ],
        }


def sentence(rng: np.random.Generator) -> list[str]:
    """One grammatical sentence."""

    def one(choices: Any) -> str:
        return str(rng.choice(list(choices)))

    time, noun, verb = one(TIMES), one(NOUNS), one(VERBS)
    plural = rng.random() < 0.5
    present = verb if plural else VERBS[verb][0]
    said = VERBS[verb][1] if TIMES[time] == "past" else present
    thing = one(OBJECTS)
    target = f"{article(thing)} {thing}"
    if rng.random() < 0.4:
        other = one([each for each in OBJECTS if each != thing])
        target = f"either {target} or {article(other)} {other}"
    return f"{time} the {NOUNS[noun] if plural else noun} {one(PLACES)} {said} {target}".split()


def article(noun: str) -> str:
    """The indefinite article of a word."""
    return "an" if noun[0] in "aeiou" else "a"


def mishear(words: list[str], rng: np.random.Generator) -> list[str]:
    """One recognition error: an ending, a tense, an article, a homophone, a word lost or doubled."""
    out = list(words)
    at = int(rng.integers(len(out)))
    options = _confusions(out[at])
    if options:
        out[at] = str(rng.choice(options))
    elif rng.random() < 0.5:
        out.insert(at, out[at])
    elif len(out) > 4:
        del out[at]
    return out


def _confusions(word: str) -> list[str]:
    found = [SOUNDS_LIKE[word]] if word in SOUNDS_LIKE else []
    if word in NOUNS:
        found.append(NOUNS[word])
    found += [singular for singular, plural in NOUNS.items() if plural == word]
    base = PRESENT_SINGULAR.get(word) or PAST.get(word) or (word if word in VERBS else None)
    if base:
        found += [form for form in (base, *VERBS[base]) if form != word]
    found += {"a": ["an"], "an": ["a"], "or": ["are"], "either": ["neither"], "the": ["a"]}.get(word, [])
    return found


def features(words: list[str]) -> dict[str, float]:
    """Properties of the whole sentence that no single word shows; named `family:property`."""
    found = {
        "agreement:verb_clashes_with_subject": float(_subject_clash(words)),
        "agreement:tense_clashes_with_time": float(_tense_clash(words)),
        "agreement:article_clashes": float(sum(_article_clash(a, b) for a, b in pairwise(words))),
        "pair:either_without_or": float("either" in words and "or" not in words),
        "pair:or_without_either": float("or" in words and "either" not in words),
        "shape:word_twice": float(sum(a == b for a, b in pairwise(words))),
        "shape:no_verb": float(not any(_is_verb(word) for word in words)),
        "shape:words": float(len(words)),
    }
    for pair in zip(["<s>", *words], [*words, "</s>"], strict=True):
        found["bigram:" + "_".join(pair)] = found.get("bigram:" + "_".join(pair), 0.0) + 1.0
    return {name: value for name, value in found.items() if value}


def _is_verb(word: str) -> bool:
    return word in VERBS or word in PRESENT_SINGULAR or word in PAST


def _subject_clash(words: list[str]) -> bool:
    subject = next((word for word in words if word in NOUNS or word in PLURALS), None)
    verb = next((word for word in words if _is_verb(word)), None)
    if subject is None or verb is None or verb in PAST:
        return False
    return (verb in PRESENT_SINGULAR) == (subject in PLURALS)


def _tense_clash(words: list[str]) -> bool:
    text = " ".join(words)
    tense = next((tense for time, tense in TIMES.items() if text.startswith(time)), None)
    verb = next((word for word in words if _is_verb(word)), None)
    return tense is not None and verb is not None and (verb in PAST) != (tense == "past")


def _article_clash(first: str, second: str) -> bool:
    return first in ("a", "an") and first != article(second)
