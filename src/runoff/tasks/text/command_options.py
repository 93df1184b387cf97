"""What the commands for lists of texts share: their settings, and data that they cannot work with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runoff.cli.options import settings
from runoff.errors import DataError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.learners import Learner
    from runoff.nbest import NBest


def learner_for(
    name: str | None, task: str | None, text_options: dict[str, Any], common: dict[str, Any], pairs: tuple[str, ...]
) -> Learner:
    """The learner that is asked for by name or by task, with its parameters; those of `--set` come last."""
    if task is None:
        for option in text_options:
            written = "--bold" if option == "careful" else f"--{option}"
            raise UsageError(f"{written} belongs to --task text; add that, or leave it out.")
        from runoff.learners import learner

        return learner(name or "loglinear")().set_params(**common).set_params(**settings(pairs))
    if name is not None:
        raise UsageError("--task text chooses the way to learn by itself; leave out --learner, or --task text.")
    from runoff.tasks.text import TextReranker

    given = text_settings(pairs)
    for option in given:
        if option in text_options:
            raise UsageError(f"{option} is given twice, by --set and by an option of its own; leave one out.")
    return TextReranker(**text_options).set_params(**common).set_params(**given)


def text_settings(pairs: tuple[str, ...]) -> dict[str, Any]:
    """Settings of the features as `--set` has them; orders may be written 1,2,3 as well as [1,2,3]."""
    found = settings(pairs)
    for name in ("word_orders", "character_orders"):
        if name in found:
            orders = found[name].split(",") if isinstance(found[name], str) else found[name]
            several = orders if isinstance(orders, list) else [orders]
            found[name] = tuple(int(order) if str(order).strip().isdecimal() else order for order in several)
    return found


def check_texts(lists: NBest, path: Path) -> None:
    """Raise for data that cannot be looked at as texts."""
    if lists.n_candidates == 0:
        raise DataError("there are no candidates: the data is empty.", path=path)
    if lists.texts is None:
        raise DataError(
            "texts are to be looked at, and these candidates have none; `runoff train` without --task text learns from "
            "the features that they carry.",
            path=path,
        )


def check_metric(lists: NBest, path: Path, metric: str | None) -> None:
    """Raise where it is not known what a choice is judged by, or there is nothing to judge it by."""
    if lists.quality is not None:
        return
    if lists.references is None:
        raise DataError(
            "there are neither references nor quality, so no choice can be judged and nothing be learned; "
            "`runoff text pick --by bayes-risk` chooses without them.",
            path=path,
        )
    if metric is None and lists.metric is None:
        raise UsageError(f"say what a choice is judged by: --metric M. For texts there are: {text_metrics()}.")


def text_metrics() -> str:
    """Names of the metrics that compare texts."""
    from runoff.metrics.registry import kinds
    from runoff.metrics.text_metric import TextMetric

    return ", ".join(name for name, kind in kinds().items() if issubclass(kind, TextMetric))
