"""What Runoff needs to know of a kind of candidates; every method has a default that suits rows of features."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

from runoff.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from runoff.arrays import Floats
    from runoff.features.featurizer import Featurizer
    from runoff.formats import Format
    from runoff.learners import Learner
    from runoff.metrics import Metric
    from runoff.model import Choice, LinearModel
    from runoff.nbest import NBest
    from runoff.ranking import Ranking


class CommandGroup(NamedTuple):
    """Commands of a task's own: `runoff NAME …`."""

    name: str
    home: str  # "module:attribute" of a click group
    help: str  # one line for `runoff --help`


class Details(Protocol):
    """What a task has to add to an evaluation."""

    def __str__(self) -> str:
        """Lay out for a terminal."""

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""


class Task:
    """A kind of candidates: its formats, metrics, featurizer, baselines, explanation, table and first round.

    A task of one's own derives from this class, changes what differs, and is made known by `runoff.tasks.register`; see
    docs/adding-a-task.md. Values of `formats`, `metrics` and `featurizers` are the things themselves or
    "module:attribute", which is imported when it is needed.
    """

    name: ClassVar[str] = "rows"
    title: ClassVar[str] = "rows of features"  # what the candidates are, for a sentence
    priority: ClassVar[int] = 1  # of several tasks that recognise the same data, the one with the highest has it
    formats: ClassVar[Mapping[str, Format | str]] = {}
    metrics: ClassVar[Mapping[str, type[Metric] | str]] = {}
    featurizers: ClassVar[Mapping[str, type[Featurizer] | str]] = {}  # by the name of their step
    commands: ClassVar[CommandGroup | None] = None
    reported: ClassVar[str | None] = None  # metrics that are shown where none is asked for
    default_recipes: ClassVar[tuple[str, ...]] = ()  # that a pipeline tries
    baseline_names: ClassVar[Mapping[str, str]] = {}  # choices without training, with the name that people say
    text_endings: ClassVar[tuple[str, ...]] = (".txt",)  # files that get chosen texts alone

    # ---------------------------------------------------------------- data

    def recognises(self, data: NBest) -> bool:  # noqa: ARG002 - any data has rows
        """Whether the data is of this kind."""
        return True

    def check(self, data: NBest) -> None:
        """Raise a sentence for data that the task cannot work with."""

    # ---------------------------------------------------------------- learning

    def featurizer(self, **settings: Any) -> Featurizer | None:
        """What makes features, with these settings; None where candidates bring their own."""
        if settings:
            raise UsageError(f"{self.title} have features of their own; leave out {', '.join(settings)}.")
        return None

    @property
    def featurizer_settings(self) -> tuple[str, ...]:
        """Names of the featurizer's settings."""
        return ()

    def learner(self, name: str | None = None, **settings: Any) -> Learner:
        """The learner by that name, or the one that suits the task best, with its featurizer before it.

        `settings` are those of the learner and of the featurizer.
        """
        from runoff.learners import learner
        from runoff.learners.featurized import FeaturizedLearner

        chosen = self.default_learner() if name is None else learner(name)()
        own = {key: value for key, value in settings.items() if key in self.featurizer_settings}
        featurizer = self.featurizer(**own)
        # Seed and progress, say, are settings of both.
        chosen.set_params(**{key: settings[key] for key in settings if key not in own or key in chosen.get_params()})
        return chosen if featurizer is None else FeaturizedLearner(featurizer, chosen)

    def default_learner(self) -> Learner:
        """The learner where none is named."""
        from runoff.learners import LogLinear

        return LogLinear()

    def recipes(self) -> Mapping[str, Any]:
        """Ways to learn that do well on this task, by name; see `runoff.learners.recipes`."""
        return {}

    # ---------------------------------------------------------------- judging and explaining

    def baselines(self, data: NBest, metric: Metric) -> dict[str, Ranking]:  # noqa: ARG002 - there are none
        """Choices that need no training, by the names of `baseline_names`."""
        return {}

    def tabulate(
        self,
        data: NBest,  # noqa: ARG002 - there is nothing to add
        choices: Mapping[str, Ranking],  # noqa: ARG002
    ) -> Details | None:
        """What this task's readers expect beside the usual table; `choices` are first round and chosen."""
        return None

    def explain(self, model: LinearModel, data: NBest, group: str, against: str | int | None = None) -> Any:
        """Say why the model's winner in a group leads a rival; has `to_text` and `to_dict`, and perhaps `draw`."""
        return model.explain(data, group, against)

    def line(self, choice: Choice) -> str:
        """A chosen candidate as one line of a text file."""
        return " ".join((choice.text or "").splitlines())

    def lengths(self, data: NBest) -> Floats:
        """How long every group is to read: the words of its input, or of its first candidate."""
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

    # ---------------------------------------------------------------- first round

    def first_round(self, **settings: Any) -> FirstRound:  # noqa: ARG002 - there is none
        """What proposes candidates from raw material, where Runoff can do that for the task."""
        raise UsageError(f"Runoff has no first round for the task {self.name}; bring lists of candidates.")

    def __repr__(self) -> str:
        return f"<task {self.name}: {self.title}>"


class Material(Protocol):
    """A part of what a first round learns from, such as the sentences of a treebank."""

    def __len__(self) -> int:
        """Number of items."""

    def describe(self) -> dict[str, Any]:
        """What it is, in numbers."""

    def documents(self) -> Sequence[str]:
        """Names of its documents."""


class Parts(Protocol):
    """Train, dev and test."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What there was to say when they were read."""

    def items(self) -> Mapping[str, Any]:
        """The parts by name."""

    def key(self, part: str) -> str:
        """A name for everything that is in a part."""


class FirstRound(ABC):
    """Learns to propose candidates from raw material: train, propose, jackknife."""

    unit: ClassVar[str] = "sentences"  # what the material is counted in
    proposer_file: ClassVar[str]  # how the trained proposer is called in a folder
    proposer: ClassVar[str]  # and in a sentence

    @property
    @abstractmethod
    def options(self) -> Mapping[str, Any]:
        """Everything that its lists depend on beside the material, as plain values."""

    @abstractmethod
    def read(self, paths: Any, dev: Any, test: Any, seed: int) -> Parts:
        """Read the material and cut it between documents; `dev` and `test` are shares, or paths of their own."""

    @abstractmethod
    def folds_for(self, train: Any, folds: int | None) -> int:
        """How many folds the jackknife makes where so many are asked for; raises for a number that cannot be."""

    @abstractmethod
    def train(self, material: Any, path: Path) -> dict[str, Any]:
        """Train on all of some material and keep the result in a file; gives what there is to say of it."""

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
        """Write lists of up to k candidates by a trained proposer; gives what there is to say of them."""

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
        """Write lists of the training material, each fold by a proposer of the others; can be resumed."""
