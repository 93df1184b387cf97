"""Splitting a treebank between documents: folds for jackknifing, and train, dev and test parts.

Sentences of one document share names, topics and phrases: a parser that was trained on some of them does better on the
others than on new text. Documents that share a long sentence, such as a mail that quotes another, are one here.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import numpy as np

from runoff.errors import UsageError
from runoff.nbest.blocks import connected
from runoff.tasks.parsing.treebank import Treebank

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from runoff.arrays import Ints

LONG = 10  # words; sentences at least this long rarely occur twice by chance


def folds_of(treebank: Treebank, folds: int | None = None) -> list[int]:
    """Fold of each sentence: whole documents, about equal numbers of words; None: the folds that the sentences have.

    Documents that share a long sentence are in one fold; see `bundles`. Greedy and deterministic: the longest remaining
    document goes to the fold with the fewest words so far. The order of documents does not matter.
    O(words + documents log documents).

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> from runoff.tasks.parsing.treebank import Sentence
    >>> trees = [parse_tree(f"(TOP (NP {'(NN dog) ' * words}))") for words in (3, 3, 2, 4)]
    >>> bank = Treebank([Sentence(str(at), "aabc"[at], tree) for at, tree in enumerate(trees)])
    >>> folds_of(bank, 2)
    [0, 0, 1, 1]
    """
    if folds is None:
        return _given_folds(treebank)
    bundle_of = bundles(treebank)
    words = _words_of(treebank, bundle_of)
    if len(words) < 2:
        raise UsageError(f"folds are made of whole documents, and there are fewer than two: {treebank!r}.")
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
    return [fold_of[bundle_of[sentence.document]] for sentence in treebank]


def bundles(treebank: Treebank) -> dict[str, str]:
    """The bundle of every document, by the first of its names: documents that share a sentence of `LONG` words or more.

    Every document is alone where one bundle would have more than half of all words. O(words).

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> from runoff.tasks.parsing.treebank import Sentence
    >>> trees = [parse_tree(f"(TOP (NP {'(NN dog) ' * words}))") for words in (10, 40, 10, 9, 9)]
    >>> bundles(Treebank([Sentence(str(at), "edcba"[at], tree) for at, tree in enumerate(trees)]))
    {'e': 'c', 'd': 'd', 'c': 'c', 'b': 'b', 'a': 'a'}
    """
    documents = {name: at for at, name in enumerate(treebank.documents())}
    long = [sentence for sentence in treebank if sentence.tree.end >= LONG]
    codes: dict[str, int] = {}
    texts = np.array([codes.setdefault(sentence.text, len(codes)) for sentence in long], np.int64)
    places = np.array([documents[sentence.document] for sentence in long], np.int64)
    numbers = connected([(places, texts)], len(documents)).tolist()
    first: dict[int, str] = {}
    for name, number in sorted(zip(documents, numbers, strict=True)):
        first.setdefault(number, name)
    found = {name: first[number] for name, number in zip(documents, numbers, strict=True)}
    words, joined = _words_of(treebank, found), [name for name, count in Counter(found.values()).items() if count > 1]
    is_most = any(2 * words[name] > words.total() for name in joined)
    return {name: name for name in documents} if is_most else found


def _counted_as_one(bundle_of: Mapping[str, str]) -> str:
    joined = len(set(bundle_of.values())) < len(bundle_of)
    return f" (those that share a sentence of at least {LONG} words count as one)" if joined else ""


def _given_folds(treebank: Treebank) -> list[int]:
    # A negative number means no fold: lists of a parser that was trained on other data.
    given = [sentence.fold for sentence in treebank if sentence.fold is not None and sentence.fold >= 0]
    if len(given) < len(treebank):
        raise UsageError(
            f"{len(treebank) - len(given):,} of {len(treebank):,} sentences have no fold; give the number of folds."
        )
    if len(set(given)) < 2:
        raise UsageError("all sentences have the same fold; give the number of folds.")
    return given


def repeated(treebank: Treebank, parts: Sequence[Hashable]) -> list[bool]:
    """Which sentences of at least `LONG` words also occur, word for word, in another part. O(words).

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> from runoff.tasks.parsing.treebank import Sentence
    >>> trees = [parse_tree(f"(TOP (NP {'(NN dog) ' * words}))") for words in (9, 9, 10, 10, 11)]
    >>> bank = Treebank([Sentence(str(at), str(at), tree) for at, tree in enumerate(trees)])
    >>> repeated(bank, [0, 1, 0, 1, 1])
    [False, False, True, True, False]
    """
    found: defaultdict[str, set[Hashable]] = defaultdict(set)
    texts = [sentence.text if sentence.tree.end >= LONG else "" for sentence in treebank]
    for text, part in zip(texts, parts, strict=True):
        found[text].add(part)
    return [bool(text) and len(found[text]) > 1 for text in texts]


def split(treebank: Treebank, dev: float = 0.1, test: float = 0.1, seed: int = 0) -> dict[str, Treebank]:
    """Split into train, dev and test at random, between documents.

    Documents are shuffled as `runoff split` shuffles groups, and cut where word counts come closest to the shares;
    those that share a long sentence stay together, see `bundles`. A part with a share above 0 gets at least one
    document; sentences keep their order.

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> from runoff.tasks.parsing.treebank import Sentence
    >>> bank = Treebank([Sentence(str(at), str(at), parse_tree("(TOP (UH oh))")) for at in range(100)])
    >>> {name: len(part) for name, part in split(bank, dev=0.1, test=0.2).items()}
    {'train': 70, 'dev': 10, 'test': 20}
    """
    if not (dev >= 0 and test >= 0 and dev + test < 1):
        raise UsageError(
            f"dev and test are shares of at least 0 that leave something to train on; found {dev} and {test}."
        )
    if seed < 0:
        raise UsageError(f"the seed must not be negative; found {seed}.")
    shares = {"train": 1 - dev - test, "dev": dev, "test": test}
    bundle_of = bundles(treebank)
    words = _words_of(treebank, bundle_of)
    wanted = sum(share > 0 for share in shares.values())
    if len(words) < wanted:
        raise UsageError(
            f"{wanted} parts of whole documents need at least {wanted} documents{_counted_as_one(bundle_of)}: "
            f"{treebank!r}."
        )
    names = list(words)
    order = [names[at] for at in np.random.default_rng(seed).permutation(len(names))]
    ends = np.cumsum([0, *(words[name] for name in order)])
    cuts = _cuts(ends, list(shares.values()))
    part_of = {
        name: part for part, start, stop in zip(shares, cuts[:-1], cuts[1:], strict=True) for name in order[start:stop]
    }
    return {part: Treebank(each for each in treebank if part_of[bundle_of[each.document]] == part) for part in shares}


def _cuts(ends: Ints, shares: Sequence[float]) -> list[int]:
    """How many documents come before each part and after the last."""
    cuts = [0]
    bounds = np.cumsum(shares) * ends[-1]
    for at, (share, bound) in enumerate(zip(shares, bounds, strict=True)):
        nearest = int(np.argmin(np.abs(ends - bound)))
        needed = sum(later > 0 for later in shares[at + 1 :])
        cuts.append(min(max(nearest, cuts[-1] + (share > 0)), len(ends) - 1 - needed))
    return cuts


def _words_of(treebank: Treebank, bundle_of: Mapping[str, str]) -> Counter[str]:
    words: Counter[str] = Counter()
    for sentence in treebank:
        words[bundle_of[sentence.document]] += sentence.tree.end
    return words
