"""Would more lists help? Models of growing parts of the training lists, judged on the same held-out lists."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from runoff.errors import UsageError
from runoff.metrics import Resampling, grade_for, metrics_of, reference_choices, with_statistics
from runoff.model.learning_curve import CurvePoint, LearningCurve
from runoff.nbest import NBest
from runoff.nbest.blocks import blocks
from runoff.progress import progress
from runoff.ranking import informative
from runoff.report.scored import Scored, check_judgeable, signature, with_model_statistics
from runoff.tables import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Floats, Ints
    from runoff.learners import Learner
    from runoff.metrics import Metric
    from runoff.report.scored import Asked

SHARES = 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0
HELD_OUT = 0.2  # of the lists, where none are given
FEWEST = 10  # lists with something to learn from, below which a part is left out


def learning_curve(
    learner: Learner,
    data: NBest,
    held_out: NBest | None = None,
    *,
    dev: NBest | None = None,
    metric: Asked = None,
    shares: Sequence[float] = SHARES,
    resampling: Resampling | None = None,
    group_by: str | None = None,
    verbose: bool = False,
) -> LearningCurve:
    """Train on growing parts of the lists, and judge every model on the same held-out lists.

    Parts are drawn by the seed of `resampling`, and each is contained in the next. Without `held_out`, a fifth of the
    lists is held out first, and shares are of the rest. Lists that share a reference or an input stay together, in a
    part or held out; training lists that share one with given `held_out` lists are left out, which a note says.
    `group_by` (default: the learner's) names what else keeps lists together, see `runoff.blocks`. Every training
    chooses anew what the learner leaves open, by `dev` or by its own folds, as it would with so few lists. Intervals
    are bootstrap over the held-out lists; they do not tell how much another draw of the parts would change. Parts with
    fewer than 10 lists to learn from are left out, which a note says too. Costs about one and a half trainings.

    Examples
    --------
    >>> from runoff.learners import LogLinear
    >>> from runoff.nbest import NBest
    >>> X = np.random.default_rng(0).normal(size=(1500, 3))
    >>> data = NBest.from_arrays(X, quality=X @ [1.0, 0.5, 0.2] > 0.7, sizes=[5] * 300)
    >>> curve = learning_curve(LogLinear(sigma=1.0), data)
    >>> [point.lists for point in curve.points]
    [15, 30, 60, 120, 240]
    """
    if not shares or not all(0 < each <= 1 for each in shares) or list(shares) != sorted(set(shares)):
        raise UsageError(f"shares grow from above 0 to at most 1; found {list(shares)}.")
    resampling = resampling or Resampling()
    asked = metrics_of(data, metric or learner.metric, learner.own_metric)
    if learner.metric is None:
        learner = learner.clone().set_params(metric=asked[0])
    metric, group_by = asked[0], learner.get_params()["group_by"] if group_by is None else group_by
    data, apart = grade_for(data, asked), ""
    if held_out is None:
        part_of = blocks(data, group_by).parts([1 - HELD_OUT], resampling.seed)
        data, held_out = data[part_of == 0], data[part_of == 1]
    else:
        data, apart = _without_shared(data, held_out, group_by)
    held_out = grade_for(held_out, asked)
    check_judgeable(held_out)
    kept, resampling = blocks(data, group_by), replace(resampling, group_by=group_by).over(held_out)
    parts, notes = _usable_parts(data, _nested(kept.numbers, shares, resampling.seed))
    found: list[tuple[int, Floats]] = []
    with progress("learning curve, lists", sum(lists.size for lists in parts), verbose=verbose) as step:
        for lists in parts:
            found.append((lists.size, _judged(learner, data[lists], dev, held_out, metric, group_by)))
            step(sum(size for size, _ in found))
    points = []
    for size, rows in found:
        scored = Scored.of(rows, metric, resampling)
        points.append(CurvePoint(size, scored.score, scored.low, scored.high))
    gain = resampling.difference(found[-1][1], found[-2][1], metric)
    first = reference_choices.first_rows(metric, with_statistics(held_out, metric))
    return LearningCurve(
        tuple(points),
        metric.label,
        metric.higher_is_better,
        metric.digits,
        float(metric.score(first.sum(axis=0))),
        len(held_out),
        resampling.confidence,
        gain.delta,
        gain.low,
        gain.high,
        signature(metric, held_out, resampling),
        (*filter(None, (apart, *notes, kept.note("parts"))),),
    )


def _without_shared(data: NBest, held_out: NBest, group_by: str | None) -> tuple[NBest, str]:
    """The training lists that share nothing with held-out ones, and a note about the others."""
    columns: dict[str, Any] = {}
    for name in ("references", "inputs"):
        pair = [getattr(data, name), getattr(held_out, name)]
        if all(each is not None for each in pair):
            columns[name] = pa.concat_arrays(pair)
    common = data.attributes.keys() & held_out.attributes.keys()
    columns["attributes"] = {n: pa.concat_arrays([data.attributes[n], held_out.attributes[n]]) for n in common}
    sizes = np.zeros(len(data) + len(held_out), np.int64)  # blocks look at no candidates
    block_of = blocks(NBest.from_arrays(sizes=sizes, **columns), group_by).numbers
    alone = ~np.isin(block_of[: len(data)], block_of[len(data) :])
    if alone.all():
        return data, ""
    left_out = counted(int((~alone).sum()), "training lists")
    return data[alone], f"{left_out} left out, as held-out lists share their reference, input or group."


def _nested(block_of: Ints, shares: Sequence[float], seed: int) -> list[Ints]:
    """Lists of growing parts, each contained in the next: whole blocks, in an order that the seed draws."""
    order = np.random.default_rng(seed).permutation(int(block_of.max(initial=-1)) + 1)
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    before = np.cumsum(np.bincount(block_of)[order]) - np.bincount(block_of)[order]  # lists in the blocks before
    taken = [int(np.sum(before < round(share * block_of.size))) for share in shares]
    return [np.flatnonzero(place[block_of] < blocks_) for blocks_ in dict.fromkeys(taken)]


def _usable_parts(data: NBest, parts: list[Ints]) -> tuple[list[Ints], list[str]]:
    """The parts that have something to learn from, and a note about others."""
    telling = np.zeros(len(data), bool)
    telling[informative(data)] = True
    kept = [part for part in parts if int(telling[part].sum()) >= FEWEST]
    if len(kept) < 2:
        raise UsageError(
            f"a learning curve needs two parts of at least {FEWEST} lists with a better and a worse candidate; "
            f"{counted(len(data), 'training lists')} do not have them."
        )
    left_out = len(parts) - len(kept)
    return kept, [f"{counted(left_out, 'parts')} with too few lists to learn from: left out."] if left_out else []


def _judged(
    learner: Learner, lists: NBest, dev: NBest | None, held_out: NBest, metric: Metric, group_by: str | None
) -> Floats:
    """Statistics of what a model of these lists chooses in the held-out ones."""
    fresh = learner.clone().set_params(verbose=False, group_by=group_by, calibration="none")
    if "checkpoint" in fresh.get_params():  # belongs to one training
        fresh.set_params(checkpoint=None)
    model = fresh.fit(lists, dev).model
    if model.provenance.get("finished") is False:  # Ctrl-C: an incomplete curve is no result
        raise KeyboardInterrupt
    judged = with_statistics(with_model_statistics(model, held_out), metric)
    return metric.rows(judged, model.ranking(judged))
