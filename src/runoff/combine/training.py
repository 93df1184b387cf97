"""Training a combiner: parts of held-out solutions, a learner as their filter, its calibration and the price."""

from __future__ import annotations

import dataclasses
import itertools
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from runoff import metrics
from runoff.combine.combiner import RESOLUTIONS, Assembled, Combiner, leads_of, probabilities_of, reader_of
from runoff.combine.evidence import KINDS, evidence
from runoff.combine.part_lists import BLOCK, PartTable
from runoff.combine.pool import pools
from runoff.combine.reranker_training import train_rerankers
from runoff.combine.systems import Systems
from runoff.errors import DataError, UsageError
from runoff.learners import LogLinear
from runoff.learners.calibrate import fit_logistic
from runoff.nbest import NBest
from runoff.nbest.blocks import blocks
from runoff.progress import progress
from runoff.ranking import first_round

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from runoff.arrays import Floats, Ints
    from runoff.combine.combiner import Resolution
    from runoff.combine.evidence import Kind
    from runoff.combine.parts import PartReader
    from runoff.combine.pool import Pool
    from runoff.combine.rerankers import Reranker
    from runoff.learners import Learner
    from runoff.metrics import Metric

PRICES = tuple(round(0.3 + 0.05 * step, 2) for step in range(19))
FOLDS = 3


@dataclasses.dataclass(frozen=True)
class _Material:
    """Pools of some lists and their parts as lists."""

    data: NBest
    pools: list[Pool]
    lists: NBest
    offsets: Ints  # of the parts of every group

    @property
    def right(self) -> Floats:
        """1 for every part that is right."""
        return cast("Floats", self.lists.quality)[0::2]


def train_combiner(
    train: NBest,
    dev: NBest | None = None,
    *,
    task: str,
    learner: Learner | None = None,
    kind: Kind = "all",
    min_groups: int = 5,
    folds: int = FOLDS,
    resolution: Resolution = "exact",
    price: float | None = None,
    metric: str | Metric | None = None,
    seed: int = 0,
    verbose: bool = False,
    rerankers: Mapping[str, Learner] | None = None,
    featurizer: Mapping[str, Any] | None = None,
    group_by: str | None = None,
) -> Combiner:
    """Train the filter of a combination on lists that the systems made of inputs which they did not learn from.

    Parameters
    ----------
    train
        Lists with references; merged lists (`runoff.merge`) of several systems, or those of one. Systems must not have
        been trained on these inputs (`runoff roles jackknife` and its like), else they agree too well.
    dev
        Further lists, for early stopping of the learner, the calibration of probabilities, and the price. Without them
        these come from `folds` of the training lists, at the cost of that many trainings.
    task
        The task, whose reader knows the parts.
    learner
        Any learner of lists; default: a log-linear model, i.e. logistic regression.
    kind
        "solutions": the evidence of the paper's table 7. "all": confidences and the reader's clues too.
    min_groups
        Evidence must occur in that many groups.
    resolution
        "exact", or "greedy" by confidence as in the paper.
    price
        Of a part, see `resolve`; default: what is best by the metric on dev data or folds.
    metric
        That metric; default: the data's own.
    seed, verbose
        Seed of the folds; whether to show progress.
    rerankers
        Learners, by name, whose models of whole candidates become further systems, which the combiner keeps. The filter
        learns from scores by models of the other folds. Costs `folds` + 1 trainings for each.
    featurizer, group_by
        For rerankers: settings of the task's featurizer; the attribute that folds keep together, such as a document.

    Examples
    --------
    >>> train_combiner(merged, dev, task="roles")  # doctest: +SKIP
    Combiner(roles: partial, full, constituents; LinearModel(loglinear, 8,711 of 9,112 weights, base 0))
    """
    if kind not in KINDS:
        raise UsageError(f"evidence must be one of {', '.join(KINDS)}; found {kind!r}.")
    if resolution not in RESOLUTIONS:
        raise UsageError(f"resolution must be one of {', '.join(RESOLUTIONS)}; found {resolution!r}.")
    second: tuple[Reranker, ...] = ()
    if rerankers:
        how: dict[str, Any] = {"folds": folds, "seed": seed, "group_by": group_by, "verbose": verbose}
        made = train_rerankers(rerankers, train, dev, task=task, featurizer=featurizer, **how)
        train, dev, second = made.train, made.dev, made.rerankers
    reader, systems = reader_of(task, train.metric), Systems.of(train).names
    learner = LogLinear(sigma=0.3, calibration="none") if learner is None else learner.clone()
    if train.references is not None:
        reader = reader.learned(each or [] for each in train.references.to_pylist())
    own = _material(train, reader, systems, kind, min_groups=min_groups, own=True, verbose=verbose)
    if not own.right.size or own.right.min() == own.right.max():
        raise DataError(
            f"a filter learns to tell right {reader.unit} from wrong ones, and all {own.right.size:,} of the training "
            f"lists are {'right' if own.right.size and own.right.max() else 'wrong'}."
        )
    names = {name: at for at, name in enumerate(own.lists.features.column_names().to_pylist())}
    if dev is not None:
        judged = _material(dev, reader, systems, kind, vocabulary=names, verbose=verbose)
        model = learner.fit(own.lists, judged.lists).model
        leads = leads_of(model, judged.lists)
    else:
        judged, leads = own, _held_out_leads(learner, own, folds, seed, verbose=verbose)
        model = learner.clone().fit(own.lists).model
    intercept, slope = fit_logistic(leads, judged.right)[:2]
    curve = float(intercept), float(slope)
    found = Combiner(
        model, task, systems, kind, 1.0 if price is None else price, curve, resolution, train.metric, reader.state()
    )
    scores: dict[float, float] = {}
    if price is None and reader.shape != "slots":
        scores = _scores_by_price(found, judged, probabilities_of(leads, found.curve), metric)
        found = dataclasses.replace(found, price=max(scores, key=lambda each: (scores[each], -abs(each - 1))))
    provenance = {
        "groups": len(train),
        "parts": int(own.right.size),
        "right": int(own.right.sum()),
        "chosen_on": f"{len(judged.data):,} lists of {'folds of the training data' if dev is None else 'dev data'}",
        "prices": {str(each): value for each, value in scores.items()},
    }
    return dataclasses.replace(found, provenance=provenance, rerankers=second)


def _material(
    data: NBest,
    reader: PartReader,
    systems: Sequence[str],
    kind: Kind,
    *,
    vocabulary: dict[str, int] | None = None,
    min_groups: int = 1,
    own: bool = False,
    verbose: bool,
) -> _Material:
    """`own`: these are the lists whose references the reader learned from, which must not speak for themselves."""
    if data.references is None:
        raise DataError(f"a filter learns which {reader.unit} are right by references, and these lists have none.")
    table, kept = PartTable(vocabulary), []
    references = data.references.to_pylist()
    block_of = blocks(data).numbers.tolist()
    said: dict[int, list[str]] = {}
    for block, each in zip(block_of, references if own else (), strict=own):
        said.setdefault(block, []).extend(each or ())
    with progress(f"{reader.unit} of lists", len(data), verbose=verbose) as step:
        for at, pool in enumerate(pools(data, reader, Systems.of(data, systems))):
            right = reader.right(pool.parts, pool.texts, references[at]) if pool.parts and references[at] else []
            if not references[at]:  # nothing is known to be right
                pool = pool._replace(parts=[], members=[[] for _ in pool.members], masses=[[] for _ in pool.masses])
            seen = reader.without(said[block_of[at]]) if own else reader
            table.add(evidence(pool, seen, systems, kind), right)
            kept.append(pool)
            if at % 500 == 499:
                step(at + 1)
    return _Material(data, kept, table.lists([str(block) for block in block_of], min_groups), table.offsets)


def _held_out_leads(learner: Learner, own: _Material, folds: int, seed: int, *, verbose: bool) -> Floats:
    """Leads of every part by a model of the other folds."""
    fold_of = blocks(own.lists, BLOCK).folds_up_to(folds, seed)
    if fold_of.max(initial=0) == 0:
        raise DataError("all training lists belong together, so that no folds can be made of them; give dev lists.")
    leads = np.zeros(len(own.lists))
    with progress("folds", int(fold_of.max()) + 1, verbose=verbose) as step:
        for fold in range(int(fold_of.max()) + 1):
            model = learner.clone().fit(own.lists[fold_of != fold]).model
            leads[fold_of == fold] = leads_of(model, own.lists[fold_of == fold])
            step(fold + 1)
    return leads


def _scores_by_price(
    found: Combiner, judged: _Material, probabilities: Floats, metric: str | Metric | None
) -> dict[float, float]:
    """The metric of what every price would assemble."""
    asked = metrics.metrics_of(judged.data, metric)[0]
    reader, cuts = found.reader, judged.offsets.tolist()
    own = [probabilities[start:stop].tolist() for start, stop in itertools.pairwise(cuts)]
    if reader.is_f1(asked):
        return _f1_by_price(found, judged, own)
    scores = {}
    known: dict[tuple[int, tuple[int, ...]], str] = {}
    for price in PRICES:
        priced = dataclasses.replace(found, price=price)
        texts = []
        for at, (pool, chances) in enumerate(zip(judged.pools, own, strict=True)):
            kept = priced._kept(reader, pool, chances)  # noqa: SLF001 - a module of the same room
            key = at, tuple(kept)
            if key not in known:
                known[key] = Assembled(pool, chances, kept).text(reader) if pool.texts else ""
            texts.append(known[key])
        scores[price] = score_of(judged.data, texts, asked)
    return scores


def _f1_by_price(found: Combiner, judged: _Material, own: Sequence[Sequence[float]]) -> dict[float, float]:
    """F1 of the parts that every price would keep, 0 to 100."""
    reader, references = found.reader, cast("Any", judged.data.references).to_pylist()
    wanted = sum(
        reader.size(pool.texts, gold)
        for pool, gold in zip(judged.pools, references, strict=True)
        if gold and pool.texts
    )
    right = judged.right.astype(bool)
    scores = {}
    for price in PRICES:
        priced = dataclasses.replace(found, price=price)
        hits = kept = 0
        for pool, chances, start in zip(judged.pools, own, judged.offsets.tolist(), strict=False):
            chosen = priced._kept(reader, pool, chances)  # noqa: SLF001 - a module of the same room
            kept += len(chosen)
            hits += int(right[start + np.array(chosen, np.int64)].sum())
        scores[price] = 200.0 * hits / max(wanted + kept, 1)
    return scores


def score_of(data: NBest, texts: Sequence[str], metric: Any) -> float:
    """The metric of one text for every group, signed so that higher is better."""
    single = as_single(data, texts)
    return float(metric.signed(metric.rows(single, first_round(single)).sum(axis=0)))


def as_single(data: NBest, texts: Sequence[str]) -> NBest:
    """The same groups, each with one text as its only candidate; those without candidates stay empty."""
    filled = data.sizes > 0
    return NBest.from_arrays(
        texts=[text for text, there in zip(texts, filled.tolist(), strict=True) if there],
        sizes=filled.astype(np.int64),
        group_ids=data.group_ids,
        inputs=data.inputs,
        references=data.references,
        attributes=dict(data.attributes),
        metric=data.metric,
    )
