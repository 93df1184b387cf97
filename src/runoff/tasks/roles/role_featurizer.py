"""The featurizer of labellings: families of features of whole labellings, and what was learned in training."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from runoff.errors import UsageError
from runoff.features import source_columns
from runoff.features.columns import concat_columns
from runoff.features.featurizer import Featurizer
from runoff.tasks.roles.features.frame_patterns import NAMES as FRAME
from runoff.tasks.roles.features.frame_patterns import FramePatterns
from runoff.tasks.roles.features.labelled_lists import LabelledLists
from runoff.tasks.roles.features.labelling_families import DENSE, FAMILIES
from runoff.tasks.roles.features.labelling_table import CONSENSUS, labelling_table
from runoff.tasks.tagging.features.families import chosen
from runoff.tasks.tagging.features.tagged_lists import names_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.metrics import Metric
    from runoff.model import LinearModel
    from runoff.nbest import NBest

STEP = "roles"
SEEN = 5


class RoleFeaturizer(Featurizer):
    """Features of all arguments of a predicate together, next to those that candidates bring.

    After Haghighi, Toutanova & Manning (2005) and Toutanova, Haghighi & Manning (2008). Lists need their words as
    inputs; attributes tell parts of speech (`pos`), and `predicate`, `lemma` and `voice`. Which core roles a lemma
    usually has is learned from the references of the training lists, of which a list does not see its own.

    Parameters
    ----------
    families
        Comma-separated names; `all` stands for all, and a minus removes one: `all,-pair`.
    min_lists
        A feature must occur in at least this many lists.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> texts, right = ["B-A0 B-V O", "B-A0 B-V B-A1"], "B-A0 B-V B-A1"
    >>> lists = NBest.from_arrays(texts=texts, sizes=[2], inputs=["I eat figs"], references=[right])
    >>> made = RoleFeaturizer(families="count,repeat", min_lists=1).fit_transform(lists)
    >>> made.features.column_names().to_pylist()
    ['count:1 0', 'count:1', 'count:1 1', 'count:2']
    """

    step = STEP
    settings = ("families", "min_lists")

    def __init__(self, families: str = "all", min_lists: int = SEEN) -> None:
        if isinstance(min_lists, bool) or not isinstance(min_lists, int) or min_lists < 1:
            raise UsageError(f"min_lists must be a whole number of at least 1; found {min_lists!r}.")
        self.families, self.min_lists = chosen(str(families), FAMILIES, "labellings"), min_lists
        self.vocabulary: pa.Array | None = None
        self.frames = FramePatterns.of_nothing()

    def fit_transform(self, train: NBest, metric: str | Metric | None = None) -> NBest:  # noqa: ARG002 - any metric
        """Extract features, and learn which are frequent enough and what frames look like; data that has them stays."""
        lists = LabelledLists.of(train)
        self.frames = FramePatterns.of(lists)
        own = _ours(train)
        if own:
            self.vocabulary = _sparse(own)
            return train
        made = labelling_table(lists, self.families, self.frames, min_lists=self.min_lists, is_training=True)
        self.vocabulary = _sparse(made.column_names().to_pylist())
        return train.replace(features=concat_columns(train.features, made))

    def transform(self, data: NBest) -> NBest:
        """Extract the features of the training lists."""
        if self.vocabulary is None:
            raise UsageError("this featurizer is not fitted yet; call fit_transform first.")
        if _ours(data):
            return data
        made = labelling_table(LabelledLists.of(data), self.families, self.frames, vocabulary=self.vocabulary)
        return data.replace(features=concat_columns(data.features, made))

    def for_model(self, model: LinearModel) -> RoleFeaturizer:
        """Keep only the features to which the model gives a weight."""
        if type(model).__name__ != "LinearModel" or model.votes is not None or self.vocabulary is None:
            return self
        used = model.names.filter(pa.array(np.asarray(model.weights != 0))).to_pylist()
        wanted = set(source_columns(used, model.preparation))
        found = self.clone()
        found.vocabulary = names_of([name for name in self.vocabulary.to_pylist() if name in wanted])
        return found

    def supplied(self, data: NBest) -> pa.Array:
        """Features that candidates brought, and the vocabulary, because data may come with its features."""
        names = data.features.column_names().to_pylist()
        own = [] if self.vocabulary is None else self.vocabulary.to_pylist()
        return names_of(list(dict.fromkeys([*names, *own, *CONSENSUS, *FRAME])))

    def to_step(self) -> dict[str, Any]:
        """Families, names of the features, and frames."""
        if self.vocabulary is None:
            raise UsageError("this featurizer is not fitted yet; call fit_transform first.")
        return {
            "step": STEP,
            "families": list(self.families),
            "vocabulary": self.vocabulary,
            **self.frames.to_step(),
        }

    @classmethod
    def from_step(cls, step: Mapping[str, Any]) -> RoleFeaturizer:
        """The featurizer that a model keeps."""
        found = cls(",".join(step["families"]))
        found.vocabulary, found.frames = step["vocabulary"], FramePatterns.from_step(step)
        return found

    @classmethod
    def is_step(cls, step: Mapping[str, Any]) -> bool:
        """Whether a step that came from a file has families that are known, a vocabulary, and frames."""
        names, families = step.get("vocabulary"), step.get("families")
        has_names = isinstance(names, pa.Array) and pa.types.is_large_string(names.type) and not names.null_count
        if not (has_names and isinstance(families, list) and families and all(each in FAMILIES for each in families)):
            return False
        return super().is_step(step)


def _sparse(names: list[str]) -> pa.Array:
    return names_of([name for name in names if _family(name) not in DENSE and _family(name) in FAMILIES])


def _ours(data: NBest) -> list[str]:
    """Features of labellings that the data has already."""
    return [name for name in data.features.column_names().to_pylist() if _family(name) in FAMILIES]


def _family(name: str) -> str:
    return name.partition(":")[0]
