"""Splitting sentences between documents: folds for jackknifing, and train, dev and test parts.

Sentences of one document share names, topics and phrases: a first round that was trained on some of them does better on
the others than on new text. Documents that share a long sentence, such as a mail that quotes another, are one here.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.errors import UsageError
from runoff.nbest.blocks import connected

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from runoff.arrays import Ints

LONG = 10  # words; sentences at least this long rarely occur twice by chance
FOLDS = 10


class Sentences(NamedTuple):
    """What folds and parts are made from, one entry per sentence.

    Examples
    --------
    >>> Sentences(["a", "b"], ["oh no", "yes"], [2, 1], "two sentences").documents
    ['a', 'b']
    """

    documents: Sequence[str]
    texts: Sequence[str]
    words: Sequence[int]  # number of words
    title: str  # for messages


def folds_of(sentences: Sentences, folds: int) -> list[int]:
    """Fold of each sentence: whole documents, about equal numbers of words.

    Documents that share a long sentence are in one fold; see `bundles`. Greedy and deterministic: the longest remaining
    document goes to the fold with the fewest words so far. The order of documents does not matter.
    O(words + documents log documents).

    Examples
    --------
    >>> folds_of(Sentences("aabc", ["x", "y", "z", "w"], [3, 3, 2, 4], "four"), 2)
    [0, 0, 1, 1]
    """
    bundle_of = bundles(sentences)
    words = _words_of(sentences, bundle_of)
    if len(words) < 2:
        raise UsageError(f"folds are made of whole documents, and there are fewer than two: {sentences.title}.")
    if not 2 <= folds <= len(words):
        raise UsageError(
            f"expected 2 to {len(words):,} folds, because they are made of whole documents "
            f"and there are {len(words):,} documents{_counted_as_one(bundle_of)}; found {folds:,}."
        )
    lightest = [(0, fold) for fold in range(folds)]
    fold_of: dict[str, int] = {}
    for bundle in sorted(words, key=lambda name: (-words[name], name)):
        weight, fold = lightest[0]
        fold_of[bundle] = fold
        heapq.heapreplace(lightest, (weight + words[bundle], fold))
    return [fold_of[bundle_of[document]] for document in sentences.documents]


def usual_folds(sentences: Sentences) -> int:
    """Number of folds without another wish: ten, or as many as there are documents, or bundles of them, if fewer.

    Examples
    --------
    >>> usual_folds(Sentences("aabc", ["x", "y", "z", "w"], [3, 3, 2, 4], "four"))
    3
    """
    return min(FOLDS, len(set(bundles(sentences).values())))


def bundles(sentences: Sentences) -> dict[str, str]:
    """The bundle of every document, by the first of its names: documents that share a sentence of `LONG` words or more.

    Every document is alone where one bundle would have more than half of all words. O(words).

    Examples
    --------
    >>> bundles(Sentences("edcba", ["x", "y", "x", "z", "z"], [10, 40, 10, 9, 9], "five"))
    {'e': 'c', 'd': 'd', 'c': 'c', 'b': 'b', 'a': 'a'}
    """
    documents = {name: at for at, name in enumerate(dict.fromkeys(sentences.documents))}
    codes: dict[str, int] = {}
    long = [
        (documents[document], codes.setdefault(text, len(codes)))
        for document, text, words in zip(sentences.documents, sentences.texts, sentences.words, strict=True)
        if words >= LONG
    ]
    places, texts = np.array(long, np.int64).reshape(-1, 2).T
    numbers = connected([(places, texts)], len(documents)).tolist()
    first: dict[int, str] = {}
    for name, number in sorted(zip(documents, numbers, strict=True)):
        first.setdefault(number, name)
    found = {name: first[number] for name, number in zip(documents, numbers, strict=True)}
    words, joined = _words_of(sentences, found), [name for name, count in Counter(found.values()).items() if count > 1]
    is_most = any(2 * words[name] > words.total() for name in joined)
    return {name: name for name in documents} if is_most else found


def repeated(sentences: Sentences, parts: Sequence[Hashable]) -> list[bool]:
    """Which sentences of at least `LONG` words also occur, word for word, in another part. O(words).

    Examples
    --------
    >>> repeated(Sentences("abcde", ["x", "x", "y", "y", "z"], [9, 9, 10, 10, 11], "five"), [0, 1, 0, 1, 1])
    [False, False, True, True, False]
    """
    found: defaultdict[str, set[Hashable]] = defaultdict(set)
    texts = [text if words >= LONG else "" for text, words in zip(sentences.texts, sentences.words, strict=True)]
    for text, part in zip(texts, parts, strict=True):
        found[text].add(part)
    return [bool(text) and len(found[text]) > 1 for text in texts]


def shares_of(dev: object, test: object, files: str) -> dict[str, float]:
    """Those of dev and test that are shares and not files; raises a `UsageError` for an impossible one.

    Examples
    --------
    >>> shares_of(0.1, "test.mrg", "trees")
    {'dev': 0.1}
    """
    shares = {name: float(part) for name, part in (("dev", dev), ("test", test)) if isinstance(part, float | int)}
    for name, share in shares.items():
        if not 0 < share < 1:
            raise UsageError(f"{name} is a share between 0 and 1, or a file of {files}; found {share:g}.")
    return shares


def in_train_too(parts: Mapping[str, Sentences]) -> list[str]:
    """A note for dev and for test if they share long sentences with train, e.g. copies of files under other names.

    Examples
    --------
    >>> one = Sentences(["a"], ["x"], [10], "one")
    >>> in_train_too({"train": one, "dev": one, "test": Sentences([], [], [], "none")})
    ['Sentences of dev with at least 10 words that also occur, word for word, in train: 1 of 1. Results on them ...']
    """
    train, notes = set(_long_texts(parts["train"])), []
    for name in ("dev", "test"):
        again = sum(text in train for text in _long_texts(parts[name]))
        if again:
            notes.append(
                f"Sentences of {name} with at least {LONG} words that also occur, word for word, in train: "
                f"{again:,} of {len(parts[name].texts):,}. Results on them are optimistically biased."
            )
    return notes


def _long_texts(sentences: Sentences) -> list[str]:
    return [text for text, words in zip(sentences.texts, sentences.words, strict=True) if words >= LONG]


def parts_of(sentences: Sentences, dev: float = 0.1, test: float = 0.1, seed: int = 0) -> list[str]:
    """The part of every sentence, train, dev or test, drawn between documents.

    Documents are shuffled as `runoff split` shuffles groups, and cut where word counts come closest to the shares;
    those that share a long sentence stay together, see `bundles`. A part with a share above 0 gets at least one
    document.

    Examples
    --------
    >>> names = [str(at) for at in range(100)]
    >>> found = parts_of(Sentences(names, names, [1] * 100, "hundred"), dev=0.1, test=0.2)
    >>> [found.count(part) for part in ("train", "dev", "test")]
    [70, 10, 20]
    """
    if not (dev >= 0 and test >= 0 and dev + test < 1):
        raise UsageError(
            f"dev and test are shares of at least 0 that leave something to train on; found {dev} and {test}."
        )
    if seed < 0:
        raise UsageError(f"the seed must not be negative; found {seed}.")
    shares = {"train": 1 - dev - test, "dev": dev, "test": test}
    bundle_of = bundles(sentences)
    words = _words_of(sentences, bundle_of)
    wanted = sum(share > 0 for share in shares.values())
    if len(words) < wanted:
        raise UsageError(
            f"{wanted} parts of whole documents need at least {wanted} documents{_counted_as_one(bundle_of)}: "
            f"{sentences.title}."
        )
    names = list(words)
    order = [names[at] for at in np.random.default_rng(seed).permutation(len(names))]
    ends = np.cumsum([0, *(words[name] for name in order)])
    cuts = _cuts(ends, list(shares.values()))
    part_of = {
        name: part for part, start, stop in zip(shares, cuts[:-1], cuts[1:], strict=True) for name in order[start:stop]
    }
    return [part_of[bundle_of[document]] for document in sentences.documents]


def together_note(sentences: Sentences) -> list[str]:
    """A note where documents are kept together because they share long sentences."""
    bundle_of = bundles(sentences)
    count = len(set(bundle_of.values()))
    if count == len(bundle_of):
        return []
    return [
        f"Folds keep documents together that share a sentence of at least {LONG} words: "
        f"{len(bundle_of):,} documents in {count:,} blocks."
    ]


def _counted_as_one(bundle_of: Mapping[str, str]) -> str:
    joined = len(set(bundle_of.values())) < len(bundle_of)
    return f" (those that share a sentence of at least {LONG} words count as one)" if joined else ""


def _cuts(ends: Ints, shares: Sequence[float]) -> list[int]:
    """How many documents come before each part and after the last."""
    cuts = [0]
    bounds = np.cumsum(shares) * ends[-1]
    for at, (share, bound) in enumerate(zip(shares, bounds, strict=True)):
        nearest = int(np.argmin(np.abs(ends - bound)))
        needed = sum(later > 0 for later in shares[at + 1 :])
        cuts.append(min(max(nearest, cuts[-1] + (share > 0)), len(ends) - 1 - needed))
    return cuts


def _words_of(sentences: Sentences, bundle_of: Mapping[str, str]) -> Counter[str]:
    words: Counter[str] = Counter()
    for document, count in zip(sentences.documents, sentences.words, strict=True):
        words[bundle_of[document]] += count
    return words
