"""Descriptions and evaluations of lists that come block by block; the numbers are those of all lists at once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from runoff import tasks
from runoff.errors import DataError
from runoff.model import check_features
from runoff.report.data_warnings import BlockNotes
from runoff.report.description import ListCounts, describe, description_of, task_for
from runoff.report.evaluation import evaluate, evaluate_ranking
from runoff.report.outlines import Outlines, joined_rankings, needs_all
from runoff.report.reliability import ConfidentChoices
from runoff.report.scored import check_judgeable, metrics_for, model_of, with_model_statistics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from runoff.learners import Learner
    from runoff.metrics import Resampling
    from runoff.model import LinearModel
    from runoff.nbest import NBest
    from runoff.report.description import Description
    from runoff.report.evaluation import Evaluation
    from runoff.report.scored import Asked


def describe_blocks(
    blocks: Iterable[NBest],
    metric: Asked = None,
    *,
    task: str | None = None,
    resampling: Resampling | None = None,
    gather: Callable[[], NBest],
) -> Description:
    """Summarise lists that come block by block, as `describe` does; `gather` gives all, where the task needs that.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays([[0], [1], [0], [1]], quality=[0, 1, 0, 1], sizes=[2, 2])
    >>> describe_blocks([data[:1], data[1:]], gather=lambda: data).prospects[0].oracle
    1.0
    """
    outlines, counts = None, None
    for block in blocks:
        if outlines is None:
            kind = task_for(block, task)
            if needs_all(kind, block):
                return describe(gather(), metric, task=task, resampling=resampling)
            outlines = Outlines(kind, metrics_for(block, metric))
        mine = ListCounts.of(outlines.add(block))
        counts = mine if counts is None else counts + mine
    if outlines is None or counts is None:
        return describe(gather(), metric, task=task, resampling=resampling)
    return description_of(outlines.data(), counts, outlines.asked, outlines.judge(), resampling, has_systems=False)


def evaluate_blocks(
    model: LinearModel | Learner,
    blocks: Iterable[NBest],
    metric: Asked = None,
    *,
    resampling: Resampling | None = None,
    gather: Callable[[], NBest],
) -> Evaluation:
    """Compare a model's choice with the first round's, as `evaluate` does, on lists that come block by block.

    The result is the same. `gather` gives all lists at once, where the task needs that.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> from runoff.model import LinearModel
    >>> data = NBest.from_arrays([[0], [1], [0], [1]], quality=[0, 1, 0, 1], sizes=[2, 2])
    >>> evaluate_blocks(LinearModel.of({"0": 1.0}), [data[:1], data[1:]], gather=lambda: data)["quality"].chosen.score
    1.0
    """
    model = model_of(model)
    outlines, rankings, notes, confident = None, [], BlockNotes(model), ConfidentChoices(model)
    for block in blocks:
        if outlines is None:
            task = tasks.task_of(model, block)
            if needs_all(task, block):
                return evaluate(model, gather(), metric, resampling=resampling)
            outlines = Outlines(task, metrics_for(block, metric, model, task))
        check_features(model, block)
        notes.add(block)
        rankings.append(model.ranking(block))
        confident.add(block)
        outlines.add(with_model_statistics(model, block))
    if outlines is None:
        raise DataError("there are no candidates to evaluate: the data is empty.")
    data = outlines.data()
    check_judgeable(data)
    found = evaluate_ranking(
        joined_rankings(rankings), data, outlines.asked, resampling, notes.sentences(), task=outlines.judge()
    )
    return replace(found, reliability=confident.reliability())
