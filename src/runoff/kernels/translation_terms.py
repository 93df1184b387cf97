"""Terms of derivations, and the kernel that goes from a sentence to its best translations."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.decoder_options import (
    DISTORTION,
    LM,
    N_TERMS,
    NEXT,
    NOT_IN_TABLE,
    PHRASES,
    PREVIOUS,
    TABLE,
    UNKNOWN,
    WORDS,
    Options,
    Phrases,
    orientation,
    sentence_options,
)
from runoff.kernels.distinct_paths import distinct_paths
from runoff.kernels.stack_decoder import Limits, search
from runoff.kernels.translation_lattice import GOAL, Lattice

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Columns, Floats, Ints
    from runoff.kernels.lm_state import NgramLookup

    Keys = NDArray[np.uint64]


class Derivations(NamedTuple):
    """Derivations of one sentence, the best first; phrases are in the order of the translation."""

    scores: Floats  # weights x terms
    terms: Floats  # derivation, term
    word_ends: Ints  # derivation i has the words from word_ends[i] to word_ends[i + 1]
    words: Columns
    phrase_ends: Ints
    spans: Columns  # phrase -> start and end in the source, start and end in the translation
    options: Ints  # phrase -> number in the table, -1 for a word that is copied or dropped


@compiled
def best_derivations(
    spans: Columns,
    copies: Columns,
    phrases: Phrases,
    lm: NgramLookup,
    word_keys: Keys,
    weights: Floats,
    table_limit: int,
    is_copied: bool,
    limits: Limits,
    k: int,
    looked_at: int,
) -> Derivations:  # pragma: no cover - compiled
    """The best derivation of each of the k best translations of a sentence; see `sentence_options` for `spans`."""
    options = sentence_options(spans, copies, phrases, lm, word_keys, weights, table_limit, is_copied)
    lattice = search(options, lm, weights, limits)
    edges, ends = distinct_paths(lattice, options, k, looked_at)
    return _derivations(lattice, options, edges, ends, phrases, weights)


@compiled
def _derivations(
    lattice: Lattice, options: Options, edges: Ints, ends: Ints, phrases: Phrases, weights: Floats
) -> Derivations:  # pragma: no cover - compiled
    """Paths written out, in the order of their scores."""
    n = ends.size - 1
    terms, scores = np.zeros((n, N_TERMS)), np.zeros(n)
    for at in range(n):
        _sum_terms(lattice, options, edges[ends[at] : ends[at + 1]], phrases, terms[at])
        for term in range(N_TERMS):
            scores[at] += weights[term] * terms[at, term]
    # Sums of the same numbers in another order may differ in the last digit.
    order = np.argsort(-scores, kind="mergesort")
    word_ends, phrase_ends = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    for at in range(n):
        path = edges[ends[order[at]] : ends[order[at] + 1]]
        phrase_ends[at + 1] = phrase_ends[at] + path.size - 1  # the last edge is the goal's
        word_ends[at + 1] = word_ends[at]
        for edge in path[:-1]:
            option = lattice.options[edge]
            word_ends[at + 1] += options.offsets[option + 1] - options.offsets[option]
    words, spans = np.empty(word_ends[n], np.int32), np.empty((phrase_ends[n], 4), np.int32)
    numbers = np.empty(phrase_ends[n], np.int64)
    for at in range(n):
        word, phrase = word_ends[at], phrase_ends[at]
        for edge in edges[ends[order[at]] : ends[order[at] + 1] - 1]:
            option = lattice.options[edge]
            numbers[phrase] = options.numbers[option]
            spans[phrase, 0], spans[phrase, 1] = options.starts[option], options.ends[option]
            spans[phrase, 2] = word - word_ends[at]
            for place in range(options.offsets[option], options.offsets[option + 1]):
                words[word] = options.words[place]
                word += 1
            spans[phrase, 3] = word - word_ends[at]
            phrase += 1
    return Derivations(scores[order], terms[order], word_ends, words, phrase_ends, spans, numbers)


@compiled
def _sum_terms(
    lattice: Lattice, options: Options, path: Ints, phrases: Phrases, terms: Floats
) -> None:  # pragma: no cover - compiled
    """Add up the terms of a derivation from left to right, in the order of the names of a translator's terms."""
    start, end, before = -1, 0, NOT_IN_TABLE
    for edge in path:
        terms[LM] += lattice.lm[edge]
        option = lattice.options[edge]
        if option == GOAL:
            continue
        number = options.numbers[option]
        terms[DISTORTION] -= abs(options.starts[option] - end)
        terms[WORDS] += options.offsets[option + 1] - options.offsets[option]
        terms[PHRASES] += 1.0
        way = orientation(options.starts[option], options.ends[option], start, end)
        if before != NOT_IN_TABLE and phrases.reordering.shape[0] > 0:
            terms[NEXT + way] += phrases.reordering[before, 3 + way]
        if number == NOT_IN_TABLE:
            terms[UNKNOWN] += 1.0
        else:
            for term in range(phrases.scores.shape[1]):
                terms[TABLE + term] += phrases.scores[number, term]
            if phrases.reordering.shape[0] > 0:
                terms[PREVIOUS + way] += phrases.reordering[number, way]
        start, end, before = options.starts[option], options.ends[option], number
