"""The featurizer of parses: families of features of whole trees, and the vocabulary learned in training."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from runoff.combine.systems import systems_in
from runoff.errors import DataError, UsageError
from runoff.features import source_columns
from runoff.features.columns import concat_columns
from runoff.features.featurizer import Featurizer
from runoff.metrics import resolve
from runoff.tasks.parsing.features.extract import SEEN, extract
from runoff.tasks.parsing.features.families import chosen, families_of
from runoff.tasks.parsing.metric import TIES, Parseval
from runoff.tasks.parsing.parse_data import METRIC

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from runoff.metrics import Metric
    from runoff.model import LinearModel
    from runoff.nbest import NBest

STEP = "parsing"
_NO_NAMES = pa.array([], pa.large_string())
_OF_SYSTEMS = ("found", "score", "rank", "expected")  # columns of merged lists, behind the system's name


class ParseFeaturizer(Featurizer):
    """Features of whole trees, next to those that candidates bring. Data that already has them is not changed.

    Parameters
    ----------
    families
        Comma-separated names of families and sets: `all`, `collins`, `later`, `rule,bigram`; a minus removes one.
    min_lists
        A feature must occur in at least this many lists.
    presence
        Binary features (is it in the tree?) instead of counts, for boosting.
    cache
        Folder for extracted features, reused next time. Default: the environment variable RUNOFF_CACHE.
    processes
        Number of parallel processes; None: one per core. Results do not depend on it.
    verbose
        Show progress.

    Examples
    --------
    >>> from runoff.tasks.parsing.parse_data import to_nbest
    >>> from runoff.tasks.parsing.parse_list import ParseList
    >>> trees = ["(S (NP (PRP I)) (ADVP (RB run)))", "(S (NP (PRP I)) (VP (VBP run)))"]
    >>> lists = to_nbest([ParseList("a", trees[1], [-1.0, -2.0], trees)])
    >>> featurizer = ParseFeaturizer(families="rule", min_lists=1)
    >>> featurizer.fit_transform(lists).features.n_columns, featurizer.transform(lists).features.n_columns
    (4, 4)
    """

    step = STEP
    settings = ("families", "min_lists", "presence", "cache", "processes", "verbose")

    def __init__(
        self,
        families: str = "all",
        min_lists: int = SEEN,
        presence: bool = False,
        cache: str | Path | None = None,
        processes: int | None = None,
        verbose: bool = False,
    ) -> None:
        for name, value in (("min_lists", min_lists), ("processes", 1 if processes is None else processes)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise UsageError(f"{name} must be a whole number of at least 1; found {value!r}.")
        self.families = chosen(str(families))
        self.min_lists, self.presence, self.processes, self.verbose = min_lists, presence, processes, verbose
        kept = cache or os.environ.get("RUNOFF_CACHE")
        self.cache = Path(kept) if kept else None
        self.tags = TIES  # what a right tag adds to the quality of a tree; see `Parseval`
        self.vocabulary: pa.Array | None = None  # names of the tree features
        self.supplied_names: pa.Array = _NO_NAMES  # names of features that candidates brought in training

    def fit_transform(self, train: NBest, metric: str | Metric | None = None) -> NBest:
        """Extract features and learn which of them are frequent enough; quality counts tags as the metric does."""
        asked = resolve(metric, default=METRIC)[0]
        self.tags = asked.tags if isinstance(asked, Parseval) else TIES
        made = train
        if not _of_parses(train.features.column_names().to_pylist()):
            made = self._extract(train, families=self.families, min_lists=self.min_lists, presence=self.presence)
        names = made.features.column_names().to_pylist()
        self.vocabulary = _names(_of_parses(names))
        known = set(self.vocabulary.to_pylist())
        self.supplied_names = _names(name for name in names if name not in known)
        return self._graded(made)

    def transform(self, data: NBest) -> NBest:
        """Extract the features that the training lists have, and no others."""
        if self.vocabulary is None:
            raise UsageError("this featurizer is not fitted yet; call fit_transform first.")
        names = self.vocabulary.to_pylist()
        if _of_parses(data.features.column_names().to_pylist()):
            return self._graded(data)
        # A model that weighs no feature needs none; the statistics of PARSEVAL come with any family.
        made = self._extract(data, families=families_of(names) or ("rule",), vocabulary=self.vocabulary)
        return self._graded(made)

    def _graded(self, made: NBest) -> NBest:
        """Lists whose quality counts tags, if it should."""
        if METRIC not in made.stats:
            return made
        return made.replace(quality=Parseval(tags=self.tags).quality(made))

    def _extract(self, data: NBest, **how: Any) -> NBest:
        if data.texts is None and data.n_candidates:
            raise DataError("features of parses are made from trees, and the candidates have no texts.")
        try:
            made = extract(data, **how, cache=self.cache, processes=self.processes, verbose=self.verbose)
        except KeyboardInterrupt:
            kept = f" (the same command resumes from what is in {self.cache})" if self.cache else ""
            raise KeyboardInterrupt(f"while features were extracted{kept}") from None
        return made.replace(features=concat_columns(data.features, made.features))

    def for_model(self, model: LinearModel) -> ParseFeaturizer:
        """Keep only the features that the model uses."""
        names = source_columns(model.names.filter(pa.array(model.uses)).to_pylist(), model.preparation)
        found, brought = self.clone(), set(self.supplied_names.to_pylist())
        found.vocabulary = _names(name for name in _of_parses(names) if name not in brought)
        return found

    def supplied(self, data: NBest) -> pa.Array:
        """Features that candidates brought in training, and the vocabulary, because data may come with its features."""
        if self.vocabulary is None:
            return data.features.column_names()
        return pa.concat_arrays([self.supplied_names, self.vocabulary])

    # ---------------------------------------------------------------- in models and data

    def to_step(self) -> dict[str, Any]:
        """The names of the features, which imply the families."""
        if self.vocabulary is None:
            raise UsageError("this featurizer is not fitted yet; call fit_transform first.")
        supplied = {"supplied": self.supplied_names} if len(self.supplied_names) else {}
        return {"step": STEP, "vocabulary": self.vocabulary, **supplied}

    @classmethod
    def from_step(cls, step: Mapping[str, Any]) -> ParseFeaturizer:
        """The featurizer that a model keeps."""
        found = cls()
        found.vocabulary, found.supplied_names = step["vocabulary"], step.get("supplied", _NO_NAMES)
        return found

    @classmethod
    def is_step(cls, step: Mapping[str, Any]) -> bool:
        """Whether a step that came from a file has a vocabulary."""
        return all(
            isinstance(names, pa.Array) and pa.types.is_large_string(names.type) and not names.null_count
            for names in (step.get("vocabulary"), step.get("supplied", _NO_NAMES))
        )

    @classmethod
    def like(cls, data: NBest) -> ParseFeaturizer:
        """The featurizer that makes the features which some data has."""
        names = _of_parses(data.features.column_names().to_pylist())
        if not names:
            raise UsageError("the data has no features of parses; name a model, or data written by `runoff features`.")
        found = cls()
        found.vocabulary = _names(names)
        return found


def _names(names: Iterable[str]) -> pa.Array:
    return pa.array(list(names), pa.large_string())


def _of_parses(names: Iterable[str]) -> list[str]:
    """Names that are features of parses; the systems of merged lists may be called like families."""
    names = list(names)
    ours = {family for family in {_family(name) for name in names} if families_of([family])}
    systems = set(systems_in(names))
    return [
        name
        for name in names
        if _family(name) in ours and not (_family(name) in systems and name.rpartition(":")[2] in _OF_SYSTEMS)
    ]


def _family(name: str) -> str:
    return name.partition(":")[0]
