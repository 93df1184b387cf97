"""Lists of several first rounds of the same inputs become one, in which equal candidates are one.

What each system says of a candidate is kept as columns, so that a learner can weigh the systems against each other.
Scores stay in the units of their system, since learners scale columns; nothing is rescaled here. The score of the
merged list is that of one of the systems, or a fusion of all (`runoff.combine.fusion`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import pyarrow as pa

from runoff.combine.common_parts import common_ids, common_missed, common_texts, quality_and_statistics
from runoff.combine.fusion import METHODS, Fusion, SystemScores
from runoff.combine.joined_candidates import join_candidates, reciprocal_ranks, scores
from runoff.combine.joined_columns import join_columns
from runoff.combine.joined_groups import (
    By,
    Missing,
    common_attributes,
    common_inputs,
    common_metric,
    common_references,
    join_groups,
)
from runoff.errors import DataError, UsageError
from runoff.features.columns import concat_columns
from runoff.metrics import resolve
from runoff.nbest import Features, NBest
from runoff.registry import TASKS, recognised

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from runoff.arrays import Floats
    from runoff.combine.joined_candidates import JoinedCandidates
    from runoff.metrics import Metric
    from runoff.tasks import Task

Same = Literal["text", "id"]
FIRST, LOWEST = "first", "lowest"


def merge(
    systems: Mapping[str, NBest],
    *,
    by: By = "id",
    same: Same | None = None,
    missing: Missing = "keep",
    absent: str | float = "lowest",
    base: str | Fusion = "first",
    expected: str | Metric | None = None,
    task: str | None = None,
) -> NBest:
    """Merge the lists of several systems; every system NAME gives the columns `NAME:found`, `NAME:score`, `NAME:rank`.

    Parameters
    ----------
    systems
        Lists of every system, by its name.
    by
        What lists have in common: their "id", or their "input", which must then differ within a system.
    same
        What equal candidates have in common: their "text", or their "id". Default: texts where all systems have them,
        as the task sees them (trees are compared as trees), else ids.
    missing
        What becomes of lists that some systems lack: "keep", "drop" or "error".
    absent
        `NAME:score` of a candidate that the system lacks: "lowest", the system's lowest score in that list (0 where
        it lacks the list), "nan", a missing value, or a number.
    base
        Base score of the merged lists: that of the "first" system, of the one with this name, or a fusion of all,
        by its method ("rrf", "combsum"…) or with its options. Candidates that a single system lacks get its lowest
        score and come after its own, so that its first choice is that of the merged list; lists that it lacks have the
        score of the next system.
    expected
        A metric: also `NAME:expected`, the quality that every candidate can expect if one of the system's list is
        right, with its score as log-probability. So every system votes on the candidates of all; its highest value is
        the system's minimum Bayes risk choice (Kumar & Byrne 2004). Takes O(k²) comparisons for lists of k.
    task
        Name of the task. Default: recognised.

    Notes
    -----
    `NAME:rank` is one over the candidate's place, 0 where the system lacks it. References, inputs, qualities,
    statistics and the metric must agree. Attributes that agree are kept, others become `NAME:attribute`; so do columns
    that candidates bring, by the candidates that systems share. What is left out or differs is said in the notes.
    O(candidates log candidates) time, O(candidates) memory.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> one = NBest.from_arrays(texts=["a bat", "a cat"], base=[-1.0, -3.0], sizes=[2])
    >>> two = NBest.from_arrays(texts=["a cat", "the cat"], base=[7.5, 2.5], sizes=[2])
    >>> both = merge({"one": one, "two": two})
    >>> both.texts.to_pylist(), both.base.tolist()
    (['a bat', 'a cat', 'the cat'], [-1.0, -3.0, -3.0])
    >>> both.features.column_names().to_pylist()
    ['one:found', 'one:score', 'one:rank', 'two:found', 'two:score', 'two:rank']
    >>> both.features.to_scipy().toarray()[2].tolist()
    [0.0, -3.0, 0.0, 1.0, 2.5, 0.5]
    """
    fusion = _check(systems, {"by": by, "same": same, "missing": missing}, base)
    absent_score = _absent(absent)
    found = recognised(next((data for data in systems.values() if data.n_candidates), next(iter(systems.values()))))
    chosen = found if task is None else TASKS[task]
    canonical, voted = chosen.canonical, None if expected is None else resolve(expected)[0]
    groups = join_groups(systems, by, missing)
    same = same or ("text" if all(data.texts is not None for data in systems.values()) else "id")
    texts = [None if data.texts is None else canonical(data.texts) for data in systems.values()]
    keys = [_key(name, data, of, same) for (name, data), of in zip(systems.items(), texts, strict=True)]
    leader = list(systems).index(base) if isinstance(base, str) and base in systems else 0
    joined = join_candidates(systems, groups, keys, leader)

    notes = [f"{name}: {note}" for name, data in systems.items() for note in data.notes]
    notes += [*groups.notes, *_notes_on_candidates(joined)]
    ranks = [reciprocal_ranks(joined, at) for at in range(len(systems))]
    features, differing = join_columns(joined, _columns(joined, ranks, absent_score))
    attributes, other = common_attributes(systems, groups)
    for what, several in (("Columns", differing), ("Attributes", other)):
        if several:
            notes.append(f"{what} that differ are kept for each system: {_some(several)}.")
    quality, stats = quality_and_statistics(joined, notes)
    merged = NBest.from_arrays(
        features,
        quality,
        offsets=joined.offsets,
        base=_base(joined, ranks, leader) if fusion is None else fusion.scores(_told(joined, ranks)),
        texts=common_texts(joined, texts, must_agree=same == "id", notes=notes),
        candidate_ids=common_ids(joined, notes),
        group_ids=groups.ids,
        inputs=common_inputs(systems, groups),
        references=common_references(systems, groups, canonical),
        missed=common_missed(joined, quality),
        attributes=attributes,
        stats=stats,
        metric=common_metric(systems),
        notes=notes,
    )
    return merged if voted is None else _with_votes(merged, joined, chosen, voted)


def found_by(merged: NBest, names: Iterable[str]) -> dict[str, dict[str, int]]:
    """For every system the number of candidates that it found, and that it alone found.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> one, two = (NBest.from_arrays(texts=texts, sizes=[2]) for texts in (["a", "b"], ["b", "c"]))
    >>> found_by(merge({"one": one, "two": two}), ["one", "two"])
    {'one': {'candidates': 2, 'alone': 1}, 'two': {'candidates': 2, 'alone': 1}}
    """
    columns = merged.features.column_names().to_pylist()
    at = [columns.index(f"{name}:found") for name in names]
    found = merged.features.to_scipy()[:, at].toarray() > 0
    alone = found & (found.sum(axis=1, keepdims=True) == 1)
    counts = zip(found.sum(axis=0).tolist(), alone.sum(axis=0).tolist(), strict=True)
    return {name: {"candidates": every, "alone": own} for name, (every, own) in zip(names, counts, strict=True)}


def _check(systems: Mapping[str, NBest], options: Mapping[str, str | None], base: str | Fusion) -> Fusion | None:
    """The fusion that gives the base score, if one does; raises for options that do not exist."""
    if len(systems) < 2:
        raise UsageError(f"merging needs the lists of at least two systems; found {len(systems)}.")
    for name in systems:
        if not name or ":" in name:
            raise UsageError(f"the name of a system must be a text without a colon; found {name!r}.")
    for option, value in options.items():
        allowed = {"by": get_args(By), "same": (*get_args(Same), None), "missing": get_args(Missing)}[option]
        if value not in allowed:
            raise UsageError(f"{option} must be {' or '.join(map(str, filter(None, allowed)))}; found {value!r}.")
    if isinstance(base, Fusion):
        base.check(list(systems))
        return base
    if base in systems or base == FIRST:
        return None
    if base not in METHODS:
        raise UsageError(
            f"base must be first, a fusion ({', '.join(METHODS)}) or the name of a system ({', '.join(systems)}); "
            f"found {base!r}."
        )
    return Fusion(base)


def _absent(value: str | float) -> float | None:
    """The score of absent candidates; None: the lowest of the list."""
    if value == LOWEST:
        return None
    try:
        score = float(value)
    except (TypeError, ValueError):
        raise UsageError(f"absent must be lowest, nan or a number; found {value!r}.") from None
    if math.isinf(score):
        raise UsageError(f"absent must be lowest, nan or a finite number; found {value!r}.")
    return score


def _key(name: str, data: NBest, texts: pa.Array | None, same: Same) -> pa.Array:
    """What tells the candidates of a system apart."""
    if not data.n_candidates:
        return pa.array([], pa.large_string())
    key = texts if same == "text" else data.candidate_ids
    if key is None:
        raise DataError(f"the candidates of {name} have no {same}s, by which equal candidates are known.")
    return key


def _columns(joined: JoinedCandidates, ranks: Sequence[Floats], absent: float | None) -> dict[str, Floats]:
    columns = {}
    for at, (name, data) in enumerate(joined.systems.items()):
        columns[f"{name}:found"] = joined.found[at].astype(np.float64)
        if data.base is not None:
            columns[f"{name}:score"] = scores(joined, at, data.base, absent)
        columns[f"{name}:rank"] = ranks[at]
    return columns


def _with_votes(merged: NBest, joined: JoinedCandidates, task: Task, metric: Metric) -> NBest:
    """What every system expects of the candidates of all."""
    columns, names = [], []
    for at, (name, data) in enumerate(joined.systems.items()):
        if data.base is not None:
            names.append(f"{name}:expected")
            columns.append(np.where(joined.found[at], _probabilities(joined, scores(joined, at, data.base)), 0.0))
    if not names:
        raise UsageError("no system has scores, which say how probable its candidates are; leave out expected.")
    expected = task.expected(merged, np.column_stack(columns), metric)
    return merged.replace(features=concat_columns(merged.features, Features.of(expected, names)))


def _probabilities(joined: JoinedCandidates, values: Floats) -> Floats:
    """Weights of candidates from log-probabilities, 1 for the best of a list."""
    best = np.full(joined.offsets.size - 1, -np.inf)
    np.maximum.at(best, joined.group_of, values)
    weights: Floats = np.exp(values - best[joined.group_of])
    return weights


def _told(joined: JoinedCandidates, ranks: Sequence[Floats]) -> SystemScores:
    """What every system says of all candidates, for a fusion; the order of candidates counts where it has no scores."""
    places = [np.rint(np.divide(1.0, each, out=np.zeros(each.size), where=each > 0)).astype(np.int64) for each in ranks]
    bases = [data.base for data in joined.systems.values()]
    told = [ranks[at] if base is None else scores(joined, at, base, 0.0) for at, base in enumerate(bases)]
    return SystemScores(joined.offsets, np.stack(told), np.stack(places))


def _base(joined: JoinedCandidates, ranks: Sequence[Floats], leader: int) -> Floats:
    """Scores of the leading system, and of the next one where its list is empty."""
    values, is_open = np.zeros(joined.count), np.ones(joined.offsets.size - 1, bool)
    systems = list(joined.systems.values())
    for at in (leader, *(each for each in range(len(systems)) if each != leader)):
        has = np.zeros(is_open.size, bool)
        has[joined.group_of[joined.found[at]]] = True
        base = systems[at].base
        own = ranks[at] if base is None else scores(joined, at, base)
        here = (has & is_open)[joined.group_of]
        values[here] = own[here]
        is_open &= ~has
    return values


def _notes_on_candidates(joined: JoinedCandidates) -> list[str]:
    notes = []
    for name, merged, found in zip(joined.systems, joined.merged, joined.found, strict=True):
        copies = int((merged >= 0).sum() - found.sum())
        if copies:
            notes.append(f"{name}: {copies:,} candidates are copies of others of their list, and joined with them.")
    unscored = [name for name, data in joined.systems.items() if data.base is None]
    if unscored:
        notes.append(f"{', '.join(unscored)}: there are no scores; the order of the candidates counts.")
    return notes


def _some(names: Sequence[str], most: int = 5) -> str:
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
