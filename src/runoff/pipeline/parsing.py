"""From a treebank to a parser that reranks its own parses, with the proof that it helps."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runoff.errors import UsageError
from runoff.files import reason
from runoff.pipeline.parse_stages import MODEL, Plan
from runoff.pipeline.stages import run_stages
from runoff.tasks.parsing.features.extract import SEEN
from runoff.tasks.parsing.features.families import ALL, chosen
from runoff.tasks.parsing.folds import folds_of
from runoff.tasks.parsing.grammar import Settings
from runoff.tasks.parsing.parts import folds_for, read_parts
from runoff.tasks.parsing.recipes import DEFAULT, check_recipes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from runoff.tasks.parsing.parts import Paths


@dataclass(frozen=True)
class Outcome:
    """What the chain has found; everything else is in the folder."""

    folder: Path
    learner: str  # that was best on dev
    numbers: dict[str, Any]  # as in result.json
    table: str  # as text for a terminal

    @property
    def model(self) -> Path:
        """File of the model that was chosen."""
        return self.folder / MODEL

    def __str__(self) -> str:
        return self.table


def parse_chain(
    treebank_paths: Paths,
    folder: str | Path,
    *,
    settings: Settings | None = None,
    k: int = 50,
    folds: int | None = None,
    learners: Sequence[str] = DEFAULT,
    dev: float | Paths = 0.1,
    test: float | Paths = 0.1,
    families: Sequence[str] = ALL,
    min_lists: int = SEEN,
    about: Sequence[str] = (),
    seed: int = 0,
    threads: int | None = None,
    show: bool = False,
    say: Callable[[str], object] = print,
) -> Outcome:
    """Train a grammar and a reranker on a treebank, and judge them on sentences that neither has seen.

    The treebank is cut between documents. Train is jackknifed: every fold is parsed by a grammar of the others, so that
    the reranker learns from lists like those it will meet; dev and test are parsed by a grammar of all of train. The
    learner that is best on dev is judged on test, once. Every stage leaves its files in `folder`; the same call goes on
    where it was interrupted, and with other arguments makes anew what depends on them.

    Parameters
    ----------
    treebank_paths
        Files or folders of trees, as `runoff.tasks.parsing.treebank.read_treebank` takes them.
    settings
        Of the grammar.
    k
        Parses of a sentence.
    folds
        Of the jackknife; None: ten, or as many as there are documents.
    learners
        Names of `runoff.tasks.parsing.recipes`.
    dev, test
        Shares of the words, or files or folders of their own.
    families, min_lists
        Features: see `runoff.tasks.parsing.extract`.
    about
        Features that the decision which is shown should turn on; without, the most decided one is shown.
    seed
        Of the cut, the learners and the proof.
    threads
        Threads of the parser and processes of the extraction; None: one a core. Results do not depend on it.
    show, say
        Whether progress is shown, and where what there is to say goes.

    Examples
    --------
    >>> import tempfile
    >>> from runoff.tasks.parsing.demo.treebank import documents
    >>> where = Path(tempfile.mkdtemp())
    >>> _ = (where / "bank.mrg").write_text("\\n".join(tree for story in documents(5) for tree in story.trees))
    >>> found = parse_chain(where / "bank.mrg", where / "out", k=5, learners=["orum"], say=lambda _: None)
    >>> found.learner, found.model.name, found.numbers["test"]["lists"]
    ('orum', 'model.runoff', 20)
    """
    if k < 2:
        raise UsageError(f"a second round needs two parses of a sentence at least; found k = {k}.")
    names, wanted = check_recipes(learners), chosen(",".join(families))
    where = Path(folder)
    parts = read_parts(treebank_paths, dev, test, seed)
    for note in parts.notes:
        say(f"note: {note}")
    for part, bank in parts.items().items():
        say(f"{part}: {bank!r}")
    count = folds_for(parts.train, folds)
    folds_of(parts.train, count)  # says what is wrong with the number before the work begins
    try:
        where.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"the folder {where} cannot be made: {reason(error)}.") from error
    plan = Plan(
        folder=where,
        parts=parts,
        settings=settings or Settings(),
        k=k,
        folds=count,
        learners=names,
        min_lists=min_lists,
        families=wanted,
        about=tuple(about),
        seed=seed,
        threads=threads,
        show=show,
        say=say,
    )
    facts = run_stages(where, plan.stages(), say)
    found = facts["result"]
    return Outcome(where, facts["choice"]["learner"], found["numbers"], found["text"])
