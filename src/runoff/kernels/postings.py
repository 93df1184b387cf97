"""Inverted lists: which passages have a term, where, and what a passage scores by the terms of a query.

Posting p of a term is a passage, `passages[p]`, and the places of the term in it,
`places[place_offsets[p]:place_offsets[p + 1]]`; passages of a term ascend, and so do places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Bools, Columns, Floats, Ints

    Inverted = tuple[Ints, Columns, Ints, Columns]
    Matches = tuple[Columns, Ints, Columns]


@compiled
def inverted(terms: Columns, offsets: Ints, n_terms: int) -> Inverted:  # pragma: no cover - compiled
    """Postings of all terms: offsets of terms, passages, offsets of places, places. O(terms).

    Passage i is `terms[offsets[i]:offsets[i + 1]]`.
    """
    n_postings, n_places = np.zeros(n_terms + 1, np.int64), np.zeros(n_terms + 1, np.int64)
    last = np.full(n_terms, -1, np.int64)
    for passage in range(offsets.size - 1):
        for at in range(offsets[passage], offsets[passage + 1]):
            term = terms[at]
            n_places[term + 1] += 1
            if last[term] != passage:
                last[term] = passage
                n_postings[term + 1] += 1
    posting_offsets, starts = np.cumsum(n_postings), np.cumsum(n_places)
    passages = np.empty(posting_offsets[-1], np.int32)
    place_offsets = np.zeros(posting_offsets[-1] + 1, np.int64)
    places = np.empty(terms.size, np.int32)
    next_posting = posting_offsets[:-1].copy()
    last[:] = -1
    for passage in range(offsets.size - 1):
        for at in range(offsets[passage], offsets[passage + 1]):
            term = terms[at]
            if last[term] != passage:
                last[term] = passage
                passages[next_posting[term]] = passage
                next_posting[term] += 1
            places[starts[term]] = at - offsets[passage]
            starts[term] += 1
            place_offsets[next_posting[term]] = starts[term]
    return posting_offsets, passages, place_offsets, places


@compiled
def in_order(
    posting_offsets: Ints, passages: Columns, place_offsets: Ints, places: Columns, offsets: Ints
) -> Columns:  # pragma: no cover - compiled
    """The term at every place of every passage, which is `inverted` backwards; -1 where there is none. O(places)."""
    terms = np.full(offsets[-1], -1, np.int32)
    for term in range(posting_offsets.size - 1):
        for posting in range(posting_offsets[term], posting_offsets[term + 1]):
            for at in range(place_offsets[posting], place_offsets[posting + 1]):
                terms[offsets[passages[posting]] + places[at]] = term
    return terms


@compiled
def are_consistent(
    posting_offsets: Ints, passages: Columns, place_offsets: Ints, places: Columns, lengths: Columns
) -> bool:  # pragma: no cover - compiled
    """Whether passages and places ascend and every place of a passage has one term; arrays are in bounds. O(places)."""
    starts = np.zeros(lengths.size + 1, np.int64)
    starts[1:] = np.cumsum(lengths)
    if starts[-1] != places.size:
        return False
    is_taken = np.zeros(places.size, np.bool_)
    for term in range(posting_offsets.size - 1):
        before = -1
        for posting in range(posting_offsets[term], posting_offsets[term + 1]):
            passage, last = passages[posting], -1
            if passage <= before:
                return False
            before = passage
            for at in range(place_offsets[posting], place_offsets[posting + 1]):
                place = places[at]
                if place <= last or place >= lengths[passage] or is_taken[starts[passage] + place]:
                    return False
                last = place
                is_taken[starts[passage] + place] = True
    return True


@compiled
def add_scores(
    passages: Columns,
    place_offsets: Ints,
    start: int,
    stop: int,
    lengths: Columns,
    weight: float,
    k1: float,
    b: float,
    mean_length: float,
    scores: Floats,
) -> None:  # pragma: no cover - compiled
    """Add one term's part of BM25, `weight * tf / (tf + k1 (1 - b + b length / mean))`. O(postings of the term)."""
    fixed, per_word = k1 * (1.0 - b), k1 * b / mean_length
    for posting in range(start, stop):
        passage = passages[posting]
        count = place_offsets[posting + 1] - place_offsets[posting]
        scores[passage] += weight * count / (count + fixed + per_word * lengths[passage])


@compiled
def followed(
    passages: Columns,
    place_offsets: Ints,
    places: Columns,
    next_passages: Columns,
    next_place_offsets: Ints,
    next_places: Columns,
    distance: int,
) -> Matches:  # pragma: no cover - compiled
    """Places of the first list that have one of the second list exactly `distance` later. O(both)."""
    out_passages, out_places = np.empty(passages.size, np.int32), np.empty(places.size, np.int32)
    out_offsets = np.zeros(passages.size + 1, np.int64)
    n_found, n_places, other = 0, 0, 0
    for posting in range(passages.size):
        while other < next_passages.size and next_passages[other] < passages[posting]:
            other += 1
        if other == next_passages.size:
            break
        if next_passages[other] != passages[posting]:
            continue
        at, before = next_place_offsets[other], n_places
        for mine in range(place_offsets[posting], place_offsets[posting + 1]):
            wanted = places[mine] + distance
            while at < next_place_offsets[other + 1] and next_places[at] < wanted:
                at += 1
            if at < next_place_offsets[other + 1] and next_places[at] == wanted:
                out_places[n_places] = places[mine]
                n_places += 1
        if n_places > before:
            out_passages[n_found] = passages[posting]
            n_found += 1
            out_offsets[n_found] = n_places
    return out_passages[:n_found].copy(), out_offsets[: n_found + 1].copy(), out_places[:n_places].copy()


@compiled
def are_near(
    place_offsets: Ints, places: Columns, lengths: Columns, n_passages: int, n_keywords: int, most: int
) -> Bools:  # pragma: no cover - compiled
    """Whether all keywords occur in a row with at most so many words between one occurrence and the next.

    Keyword k has `lengths[k]` words and is in passage i at `places[place_offsets[r]:place_offsets[r + 1]]` with
    r = i * n_keywords + k. O(places * keywords).
    """
    found = np.zeros(n_passages, np.bool_)
    next_place = np.empty(n_keywords, np.int64)
    seen_in = np.empty(n_keywords, np.int64)
    for passage in range(n_passages):
        first = passage * n_keywords
        for keyword in range(n_keywords):
            next_place[keyword] = place_offsets[first + keyword]
            seen_in[keyword] = -1
        row, n_seen, end = 0, 0, np.int64(-1)
        while True:
            chosen = -1
            for keyword in range(n_keywords):
                if next_place[keyword] < place_offsets[first + keyword + 1] and (
                    chosen < 0 or places[next_place[keyword]] < places[next_place[chosen]]
                ):
                    chosen = keyword
            if chosen < 0:
                break
            place = np.int64(places[next_place[chosen]])
            next_place[chosen] += 1
            if end >= 0 and place - end > most:
                row, n_seen = row + 1, 0
            if seen_in[chosen] != row:
                seen_in[chosen] = row
                n_seen += 1
            stop = place + np.int64(lengths[chosen])
            end = stop if stop > end else end
            if n_seen == n_keywords:
                found[passage] = True
                break
    return found
