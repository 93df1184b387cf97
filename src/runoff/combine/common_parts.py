"""What systems say of the same candidates and must agree on: quality, statistics, texts, ids, missed answers."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.arrays import frozen
from runoff.errors import DataError, brief
from runoff.nbest.arrow_numbers import NUMBERS, as_numpy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Floats
    from runoff.combine.joined_candidates import JoinedCandidates

TOLERANCE = 1e-9  # of numbers that were written as text, relative


def common_numbers(joined: JoinedCandidates, columns: Sequence[Floats], what: str) -> Floats:
    """Numbers, or rows of them, that every system has for its candidates; those of one candidate must agree."""
    widths = {column.shape[1:] for column in columns}
    if len(widths) > 1:
        raise DataError(f"the {what} are rows of different lengths in different systems; count them anew.")
    values = np.zeros((joined.count, *widths.pop()))
    for at, (rows, column) in enumerate(zip(joined.rows, columns, strict=True)):
        own = joined.owner == at
        values[own] = column[rows[own]]
    for name, merged, column in zip(joined.systems, joined.merged, columns, strict=True):
        kept = np.flatnonzero(merged >= 0)
        theirs, ours = column[kept], values[merged[kept]]
        near = np.abs(theirs - ours) <= TOLERANCE * np.maximum(1.0, np.maximum(np.abs(theirs), np.abs(ours)))
        bad = kept[~near.reshape(kept.size, -1).all(axis=1)] if kept.size else kept
        if bad.size:
            raise joined.disagreement(name, int(bad[0]), what)
    return frozen(values)


def quality_and_statistics(joined: JoinedCandidates, notes: list[str]) -> tuple[Floats | None, dict[str, Floats]]:
    """Quality and statistics that all systems have; a note says what only some have and is left out."""
    systems = joined.systems
    having = [name for name, data in systems.items() if data.quality is not None]
    quality = None
    if len(having) == len(systems):
        quality = common_numbers(
            joined, [data.quality for data in systems.values() if data.quality is not None], "quality"
        )
    elif having:
        notes.append(f"Only {', '.join(having)} has the quality of its candidates, which is left out.")
    stats = {}
    for key in dict.fromkeys(key for data in systems.values() for key in data.stats):
        if all(key in data.stats for data in systems.values()):
            columns = [data.stats[key] for data in systems.values()]
            stats[key] = common_numbers(joined, columns, f"statistics for {key!r}")
        else:
            notes.append(f"Statistics for {key!r}, which not all systems have, are left out.")
    return quality, stats


def common_texts(
    joined: JoinedCandidates, columns: Sequence[pa.Array | None], *, must_agree: bool, notes: list[str]
) -> pa.Array | None:
    """Texts of the candidates, where all systems have them; a note says where only some do."""
    given = [column for column in columns if column is not None]
    if not _all_have(joined, columns, "texts", notes):
        return None
    texts = _of_owners(joined, given)
    if must_agree:
        for name, merged, column in zip(joined.systems, joined.merged, given, strict=True):
            kept = np.flatnonzero(merged >= 0)
            same = pc.equal(column.take(pa.array(kept)), texts.take(pa.array(merged[kept])))
            bad = kept[~same.to_numpy(zero_copy_only=False)] if kept.size else kept
            if bad.size:
                raise joined.disagreement(name, int(bad[0]), "text")
    return texts


def common_ids(joined: JoinedCandidates, notes: list[str]) -> pa.Array | None:
    """Ids of the candidates, where all systems have them and they differ within the merged lists."""
    columns = [data.candidate_ids for data in joined.systems.values()]
    if not _all_have(joined, columns, "ids of candidates", notes):
        return None
    ids = _of_owners(joined, columns)
    encoded = ids.dictionary_encode()
    pairs = joined.group_of * max(1, len(encoded.dictionary)) + as_numpy(encoded.indices)
    if len(pc.unique(pa.array(pairs))) < pairs.size:
        notes.append("Systems give one id to different candidates; ids of candidates are left out.")
        return None
    return ids


def _all_have(joined: JoinedCandidates, columns: Sequence[object], what: str, notes: list[str]) -> bool:
    having = [name for name, column in zip(joined.systems, columns, strict=True) if column is not None]
    if having and len(having) < len(columns):
        notes.append(f"Only {', '.join(having)} has {what}, which are left out.")
    return len(having) == len(columns)


def _of_owners(joined: JoinedCandidates, columns: Sequence[pa.Array]) -> pa.Array:
    """Of every candidate the text of its first system."""
    starts = np.cumsum([0, *map(len, columns)])
    at = starts[joined.owner] + np.array(joined.rows)[joined.owner, np.arange(joined.count)]
    found = pa.chunked_array(columns, pa.large_string()).take(pa.array(at, pa.int64()))
    return found.combine_chunks() if found.num_chunks != 1 else found.chunk(0)


def common_missed(joined: JoinedCandidates, quality: Floats | None) -> pa.Array | None:
    """Good answers that no system found: those that one of them missed, without those that another found.

    Systems that say what they missed must agree on what is left. O(candidates + missed answers).
    """
    claims = [(at, name, data) for at, (name, data) in enumerate(joined.systems.items()) if data.missed is not None]
    if not claims or quality is None:
        return None
    left: list[Counter[float] | None] = [None] * len(joined.groups.ids)
    first: list[str] = [""] * len(left)
    for at, name, data in claims:
        others: list[list[float]] = [[] for _ in left]
        for row in np.flatnonzero((quality > 0) & ~joined.found[at]).tolist():
            others[joined.group_of[row]].append(float(quality[row]))
        for group, missed in enumerate(joined.groups.of(data.missed, at).to_pylist()):
            if missed is None:
                continue
            count = Counter(each for each in missed if each > 0)
            count.subtract(others[group])
            count = Counter({grade: number for grade, number in count.items() if number})
            known = left[group]
            if (known is not None and known != count) or min(count.values(), default=0) < 0:
                whose = first[group] or "the other systems"
                group_id = brief(joined.groups.ids[group].as_py())
                raise DataError(
                    f"what {name} missed in list {group_id} does not agree with what {whose} found and missed; "
                    "all systems must be judged by the same judgements."
                )
            left[group], first[group] = count, name
    return pa.array([[] if count is None else sorted(count.elements(), reverse=True) for count in left], NUMBERS)
