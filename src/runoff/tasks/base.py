"""The interface of a task; every method has a default that suits rows of features."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

from runoff.errors import UsageError
from runoff.registry import FEATURIZERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

    from runoff.arrays import Floats
    from runoff.combine.parts import PartReader
    from runoff.features.featurizer import Featurizer
    from runoff.formats import Format
    from runoff.learners import Learner
    from runoff.metrics import Metric
    from runoff.model import Choice, LinearModel
    from runoff.nbest import NBest
    from runoff.ranking import Ranking
    from runoff.reproduce.paper import Paper
    from runoff.tasks.drawing import Drawing


class CommandGroup(NamedTuple):
    """A task's own commands: `runoff NAME …`.

    Examples
    --------
    >>> CommandGroup("proofs", "my_package.commands:proofs", "Proofs.").name
    'proofs'
    """

    name: str
    home: str  # "module:attribute" of a click group
    help: str  # one line for `runoff --help`


class Details(Protocol):
    """A task's own numbers in an evaluation.

    Examples
    --------
    >>> class Lengths:
    ...     def to_dict(self):
    ...         return {"words": 7}
    ...     def __str__(self):
    ...         return "7 words"
    >>> details: Details = Lengths()
    >>> str(details)
    '7 words'
    """

    def __str__(self) -> str:
        """Format for a terminal."""

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""


class Task:
    """A kind of candidates: its formats, metrics, featurizer, baselines, explanation, table and first round.

    To add a task, derive from this class, override what differs, and call `runoff.tasks.register`; see
    docs/adding-a-task.md. Values of `formats`, `metrics`, `featurizers` and `papers` are objects, or
    "module:attribute", which is imported on first use.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> class Proofs(Task):
    ...     name, title = "proofs", "proofs"
    ...     def recognises(self, data):
    ...         return data.metric == "proved"
    >>> Proofs().recognises(NBest.from_arrays(quality=[1, 0], sizes=[2], metric="proved"))
    True
    """

    name: ClassVar[str] = "rows"
    title: ClassVar[str] = "rows of features"  # what the candidates are, for messages
    priority: ClassVar[int] = 1  # of several tasks that recognise the same data, the highest wins
    formats: ClassVar[Mapping[str, Format | str]] = {}
    metrics: ClassVar[Mapping[str, type[Metric] | str]] = {}
    featurizers: ClassVar[Mapping[str, type[Featurizer] | str]] = {}  # by step name; the first is the task's
    papers: ClassVar[Mapping[str, Paper | str]] = {}  # published experiments that `runoff reproduce` runs
    commands: ClassVar[CommandGroup | None] = None
    reported: ClassVar[str | None] = None  # metrics to report by default
    default_recipes: ClassVar[tuple[str, ...]] = ()  # for pipelines
    baseline_names: ClassVar[Mapping[str, str]] = {}  # names of the baselines, with labels
    is_readable: ClassVar[bool] = (
        True  # whether people read candidates as they are; others are drawn, beside their input
    )
    text_endings: ClassVar[tuple[str, ...]] = (".txt",)  # extensions of files that get only the chosen texts

    # ---------------------------------------------------------------- data

    def recognises(self, data: NBest) -> bool:  # noqa: ARG002 - any data has rows
        """Whether this is data of the task."""
        return True

    def check(self, data: NBest) -> None:
        """Raise a `DataError` for data that the task cannot work with."""

    def canonical(self, texts: pa.Array) -> pa.Array:
        """Candidates in a form in which equal ones have the same text, as lists that are merged keep them."""
        return texts

    def expected(self, data: NBest, weights: Floats, metric: Metric) -> Floats:
        """Expected quality of every candidate if one of its list, drawn by weight, is right.

        `weights` and the result have a row for every candidate and a column for every way of weighing.
        """
        from runoff.metrics.text_metric import TextMetric

        if not isinstance(metric, TextMetric) or data.texts is None:
            raise UsageError(f"{metric.name} cannot compare candidates with each other; name a metric of texts.")
        from runoff.metrics.expected_quality import expected_quality

        return expected_quality(metric, data, weights)

    # ---------------------------------------------------------------- learning

    def featurizer(self, **settings: Any) -> Featurizer | None:
        """The task's featurizer with these settings; None if candidates bring their own features."""
        if self._featurizer is None:
            if settings:
                raise UsageError(f"{self.title} need no featurizer; leave out {', '.join(settings)}.")
            return None
        self.check_settings(settings)
        make: Callable[..., Featurizer] = self._featurizer
        return make(**settings)

    @property
    def featurizer_settings(self) -> tuple[str, ...]:
        """Names of the featurizer's settings."""
        return () if self._featurizer is None else self._featurizer.settings

    @property
    def _featurizer(self) -> type[Featurizer] | None:
        """The first of `featurizers`."""
        return next((FEATURIZERS[name] for name in self.featurizers), None)

    def check_settings(self, names: Iterable[str]) -> None:
        """Raise a `UsageError` for a setting that the task's featurizer does not have."""
        for name in names:
            if self.featurizers and name not in self.featurizer_settings:
                known = ", ".join(self.featurizer_settings) or "none"
                raise UsageError(f"the featurizer of the task {self.name} has no setting {name!r}; it has: {known}.")

    def learner(self, name: str | None = None, **settings: Any) -> Learner:
        """The named learner, or the task's default, combined with the task's featurizer.

        `settings` are those of the learner and of the featurizer.
        """
        from runoff.learners import learner
        from runoff.learners.featurized import FeaturizedLearner

        chosen = self.default_learner() if name is None else learner(name)()
        own = {key: value for key, value in settings.items() if key in self.featurizer_settings}
        featurizer = self.featurizer(**own)
        # Both have some settings, such as the seed.
        chosen.set_params(**{key: settings[key] for key in settings if key not in own or key in chosen.get_params()})
        return chosen if featurizer is None else FeaturizedLearner(featurizer, chosen)

    def default_learner(self) -> Learner:
        """The default learner."""
        from runoff.learners import Blend

        return Blend()

    def recipes(self) -> Mapping[str, Any]:
        """Training recipes by name; see `runoff.learners.recipes`."""
        return {}

    # ---------------------------------------------------------------- evaluation and explanation

    def baselines(self, data: NBest, metric: Metric) -> dict[str, Ranking]:  # noqa: ARG002 - there are none
        """Choices without training, by the names of `baseline_names`."""
        return {}

    def tabulate(
        self,
        data: NBest,  # noqa: ARG002 - there is nothing to add
        choices: Mapping[str, Ranking],  # noqa: ARG002
    ) -> Details | None:
        """Further numbers for an evaluation; `choices` are "first round" and "chosen"."""
        return None

    def explain(self, model: LinearModel, data: NBest, group: str, against: str | int | None = None) -> Any:
        """Explain why the model's winner in a group beats a rival; has `to_text`, `to_dict` and sometimes `draw`."""
        return model.explain(data, group, against)

    def drawing(
        self,
        part: NBest,  # noqa: ARG002 - nothing is drawn of rows
        text: str,  # noqa: ARG002
        index: int | None = None,  # noqa: ARG002
        model: LinearModel | None = None,  # noqa: ARG002
    ) -> Drawing | None:
        """What a viewer draws of a text in the only list of `part`; None if the text says all.

        It is the candidate with this index, or a reference where there is none.
        """
        return None

    def line(self, choice: Choice) -> str:
        """A chosen candidate as one line of a text file."""
        return " ".join((choice.text or "").splitlines())

    def lengths(self, data: NBest) -> Floats:
        """Words per group: of its input, or of its first candidate."""
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        texts = data.inputs
        if texts is None and data.texts is not None and data.n_candidates:
            starts = np.minimum(data.offsets[:-1], data.n_candidates - 1)
            texts = data.texts.take(pa.array(starts))
        if texts is None:
            return np.zeros(len(data))
        words = pc.list_value_length(pc.utf8_split_whitespace(pc.utf8_trim_whitespace(texts)))
        return np.asarray(words.fill_null(0).to_numpy(zero_copy_only=False), np.float64)

    # ---------------------------------------------------------------- combination

    def parts(self, metric: str | None = None) -> PartReader | None:  # noqa: ARG002 - candidates have no parts
        """How candidates are taken apart and put together, for combinations; None if they have no parts.

        `metric` is the data's usual one, where candidates of the task can have parts of several kinds.
        """
        return None

    def reads_solutions(self, path: Path) -> bool:  # noqa: ARG002 - there are none
        """Whether a file, which is not of lists, has one system's solutions for the task, such as tagged sentences."""
        return False

    def read_solutions(self, path: Path, words: Path | None = None) -> NBest:  # noqa: ARG002 - there are none
        """One system's solutions as lists of one candidate; `words` has the inputs that the file lacks."""
        raise UsageError(f"there are no files of solutions for the task {self.name}; give lists of candidates.")

    def write_solutions(self, data: NBest, path: Path, like: Path, words: Path | None = None) -> list[str]:  # noqa: ARG002
        """Write lists of one candidate as solutions of the inputs in the file `like`; gives notes."""
        raise UsageError(f"solutions of the task {self.name} cannot be written to {path}; name a .jsonl file.")

    def solution_lines(self, path: Path) -> Sequence[int] | None:  # noqa: ARG002 - blank lines tell
        """The line of every solution's beginning in such a file; None: what blank lines separate."""
        return None

    # ---------------------------------------------------------------- first round

    def first_round(self, **settings: Any) -> FirstRound:  # noqa: ARG002 - there is none
        """The task's first round, which proposes candidates, if there is one."""
        raise UsageError(f"there is no first round for the task {self.name}; start from lists of candidates.")

    def __repr__(self) -> str:
        return f"<task {self.name}: {self.title}>"


class Material(Protocol):
    """Training data of a first round, such as the sentences of a treebank."""

    def __len__(self) -> int:
        """Number of items."""

    def describe(self) -> dict[str, Any]:
        """Its counts."""

    def documents(self) -> Sequence[str]:
        """Names of its documents."""


class Parts(Protocol):
    """Train, dev and test."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes from reading them."""

    def items(self) -> Mapping[str, Material]:
        """The parts by name."""

    def key(self, part: str) -> str:
        """A digest of a part."""


class FirstRound(ABC):
    """A trainable first round: train, propose, jackknife.

    Examples
    --------
    >>> from runoff import tasks
    >>> first_round = tasks.get("parsing").first_round()
    >>> isinstance(first_round, FirstRound), first_round.proposer_file
    (True, 'grammar.runoff')
    """

    unit: ClassVar[str] = "sentences"  # noun for the number of items
    proposer_file: ClassVar[str]  # file name of the trained proposer
    proposer: ClassVar[str]  # noun for it in messages

    @property
    @abstractmethod
    def options(self) -> Mapping[str, Any]:
        """All settings that its lists depend on, as plain values."""

    @abstractmethod
    def read(self, paths: Any, dev: Any, test: Any, seed: int) -> Parts:
        """Read the data and split it between documents; `dev` and `test` are shares, or separate paths."""

    @abstractmethod
    def folds_for(self, train: Any, folds: int | None) -> int:
        """Number of folds of the jackknife; raises an error for an impossible one. None: the default."""

    @abstractmethod
    def train(self, material: Any, path: Path) -> dict[str, Any]:
        """Train and save the proposer; returns facts about it."""

    @abstractmethod
    def propose(
        self,
        proposer: Path,
        material: Any,
        path: Path,
        *,
        k: int,
        threads: int | None,
        verbose: bool,
        say: Callable[[str], object],
    ) -> dict[str, Any]:
        """Write lists of up to k candidates by a trained proposer; returns facts about them."""

    @abstractmethod
    def jackknife(
        self,
        material: Any,
        path: Path,
        *,
        k: int,
        folds: int,
        threads: int | None,
        verbose: bool,
        say: Callable[[str], object],
    ) -> dict[str, Any]:
        """Write lists for the training data, each fold by a proposer trained on the others; can be resumed."""
