"""One call from raw data to a reranker of its own first round, evaluated on held-out data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runoff.errors import UsageError
from runoff.files import reason
from runoff.learners.recipes import check_names
from runoff.pipeline.plan import MODEL, Plan
from runoff.pipeline.stages import run_stages

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from runoff.tasks import FirstRound, Task


@dataclass(frozen=True)
class Outcome:
    """The result of the pipeline; everything else is in the folder."""

    folder: Path
    learner: str  # the recipe that was best on dev
    numbers: dict[str, Any]  # as in result.json
    table: str  # as text for a terminal

    @property
    def model(self) -> Path:
        """File of the chosen model."""
        return self.folder / MODEL

    def __str__(self) -> str:
        return self.table


def run_pipeline(
    task: Task,
    material: Any,
    folder: str | Path,
    *,
    first_round: FirstRound | None = None,
    k: int = 50,
    folds: int | None = None,
    recipes: Sequence[str] | None = None,
    metrics: Sequence[str] | None = None,
    dev: Any = 0.1,
    test: Any = 0.1,
    features: Mapping[str, Any] | None = None,
    about: Sequence[str] = (),
    seed: int = 0,
    threads: int | None = None,
    verbose: bool = False,
    say: Callable[[str], object] = print,
) -> Outcome:
    """Train a first round and a reranker on raw data, and evaluate them on a part that neither has seen.

    The data is split between documents. Train is jackknifed: the lists of every fold come from a first round trained on
    the other folds, so that the reranker is trained on lists like those that it will see; the lists of dev and test
    come from one trained on all of train. The recipe that is best on dev is evaluated on test, once. Every stage writes
    its files to `folder`; the same call resumes after an interruption, and a call with other arguments repeats only
    what depends on them.

    Parameters
    ----------
    task
        A task with a first round, such as `runoff.tasks.get("parsing")`.
    material
        Files or folders that the first round reads.
    first_round
        The first round to use. None: the task's, with default settings.
    k
        Candidates per input.
    folds
        Folds of the jackknife. None: the first round's default.
    recipes
        Names of the task's recipes to try. None: the task's default.
    metrics
        Metrics to report; the first one selects the recipe. None: what the task reports.
    dev, test
        Shares of the data, or separate files or folders.
    features
        Settings of the task's featurizer.
    about
        Features that the explained decision should depend on; without any, the clearest decision is explained.
    seed
        Seed of the split, the learners and the evaluation.
    threads
        Threads of the first round and processes of the featurizer; None: one per core. Results do not depend on it.
    verbose, say
        Whether to show progress, and the function that receives messages.
    """
    if k < 2:
        raise UsageError(f"a second round needs at least two candidates; found k = {k}.")
    where, round_ = Path(folder), first_round or task.first_round()
    shown, known = tuple(metrics or (task.reported or "quality").split(",")), task.recipes()
    asked = task.default_recipes if recipes is None else recipes
    names = check_names(asked, known, kind="recipe", task=f"the task {task.name}")
    settings, workers = dict(features or {}), {"processes": threads, "verbose": verbose}
    task.check_settings(settings)
    takes = task.featurizer_settings
    featurizer = task.featurizer(**settings, **{name: value for name, value in workers.items() if name in takes})
    if featurizer is None:
        raise UsageError(f"a pipeline needs a featurizer, and the task {task.name} has none.")
    parts = round_.read(material, dev, test, seed)
    for note in parts.notes:
        say(f"note: {note}")
    for part, its in parts.items().items():
        say(f"{part}: {its!r}")
    count = round_.folds_for(parts.items()["train"], folds)
    try:
        where.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"the folder {where} cannot be created: {reason(error)}.") from error
    plan = Plan(
        folder=where,
        task=task,
        first_round=round_,
        parts=parts,
        featurizer=featurizer,
        featurizer_options=settings,
        k=k,
        folds=count,
        learners={name: known[name].build(shown[0], seed) for name in names},
        metrics=shown,
        about=tuple(about),
        seed=seed,
        threads=threads,
        verbose=verbose,
        say=say,
    )
    facts = run_stages(where, plan.stages(), say)
    found = facts["result"]
    return Outcome(where, facts["choice"]["learner"], found["numbers"], found["text"])
