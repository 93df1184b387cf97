"""The featurizer of taggings: families of features of whole taggings, and the vocabulary learned in training."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from runoff.errors import UsageError
from runoff.features import source_columns
from runoff.features.columns import concat_columns
from runoff.features.featurizer import Featurizer
from runoff.tasks.tagging.features.consensus import NAMES as CONSENSUS
from runoff.tasks.tagging.features.document import NAMES as DOCUMENT
from runoff.tasks.tagging.features.families import DENSE, FAMILIES, chosen
from runoff.tasks.tagging.features.table import feature_table
from runoff.tasks.tagging.features.tagged_lists import TaggedLists, names_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.metrics import Metric
    from runoff.model import LinearModel
    from runoff.nbest import NBest

STEP = "tagging"
SEEN = 3


class TaggingFeaturizer(Featurizer):
    """Features of whole taggings (after Collins 2002), next to those that candidates bring.

    Lists need their words as inputs, one blank between two; attributes with a value for every word, such as parts of
    speech, are used too, and those called `document` tell which lists belong together.

    Parameters
    ----------
    families
        Comma-separated names; `all` stands for all, and a minus removes one: `all,-tags`.
    min_lists
        A feature must distinguish candidates in at least this many lists.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> texts, right = ["O B-PER O", "B-LOC B-PER O"], "B-LOC B-PER O"
    >>> lists = NBest.from_arrays(texts=texts, sizes=[2], inputs=["Paris Smith sings"], references=[right])
    >>> featurizer = TaggingFeaturizer(families="phrase,sequence", min_lists=1)
    >>> made = featurizer.fit_transform(lists)
    >>> made.features.column_names().to_pylist()
    ['phrase:LOC Paris', 'sequence:^ LOC', 'sequence:^ PER', 'sequence:LOC PER', 'sequence:LOC  PER',
     'sequence:LOC Paris | Smith PER']
    """

    step = STEP
    settings = ("families", "min_lists")

    def __init__(self, families: str = "all", min_lists: int = SEEN) -> None:
        if isinstance(min_lists, bool) or not isinstance(min_lists, int) or min_lists < 1:
            raise UsageError(f"min_lists must be a whole number of at least 1; found {min_lists!r}.")
        self.families, self.min_lists = chosen(str(families)), min_lists
        self.vocabulary: pa.Array | None = None

    def fit_transform(self, train: NBest, metric: str | Metric | None = None) -> NBest:  # noqa: ARG002 - any metric
        """Extract features and learn which of them are frequent enough; data that has them is not changed."""
        own = _ours(train)
        if own:
            self.vocabulary = names_of([name for name in own if _family(name) not in DENSE])
            return train
        made = feature_table(TaggedLists.of(train), self.families, min_lists=self.min_lists)
        self.vocabulary = names_of([name for name in made.column_names().to_pylist() if _family(name) not in DENSE])
        return train.replace(features=concat_columns(train.features, made))

    def transform(self, data: NBest) -> NBest:
        """Extract the features of the training lists."""
        if self.vocabulary is None:
            raise UsageError("this featurizer is not fitted yet; call fit_transform first.")
        if _ours(data):
            return data
        made = feature_table(TaggedLists.of(data), self.families, vocabulary=self.vocabulary)
        return data.replace(features=concat_columns(data.features, made))

    def for_model(self, model: LinearModel) -> TaggingFeaturizer:
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
        return names_of(list(dict.fromkeys([*names, *own, *CONSENSUS, *DOCUMENT])))

    def to_step(self) -> dict[str, Any]:
        """Families and names of the features."""
        if self.vocabulary is None:
            raise UsageError("this featurizer is not fitted yet; call fit_transform first.")
        return {"step": STEP, "families": list(self.families), "vocabulary": self.vocabulary}

    @classmethod
    def from_step(cls, step: Mapping[str, Any]) -> TaggingFeaturizer:
        """The featurizer that a model keeps."""
        found = cls(",".join(step["families"]))
        found.vocabulary = step["vocabulary"]
        return found

    @classmethod
    def is_step(cls, step: Mapping[str, Any]) -> bool:
        """Whether a step that came from a file has families that are known, and a vocabulary."""
        names, families = step.get("vocabulary"), step.get("families")
        return (
            isinstance(names, pa.Array)
            and pa.types.is_large_string(names.type)
            and not names.null_count
            and isinstance(families, list)
            and bool(families)
            and all(family in FAMILIES for family in families)
        )


def _ours(data: NBest) -> list[str]:
    """Features of taggings that the data has already."""
    return [name for name in data.features.column_names().to_pylist() if _family(name) in FAMILIES]


def _family(name: str) -> str:
    return name.partition(":")[0]
