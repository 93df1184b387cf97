"""The featurizer of taggings: families of features of whole taggings, and the vocabulary learned in training."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runoff.features.columns import concat_columns
from runoff.features.family_featurizer import FamilyFeaturizer
from runoff.tasks.tagging.features.consensus import NAMES as CONSENSUS
from runoff.tasks.tagging.features.document import NAMES as DOCUMENT
from runoff.tasks.tagging.features.families import DENSE, FAMILIES, chosen
from runoff.tasks.tagging.features.table import feature_table
from runoff.tasks.tagging.features.tagged_lists import TaggedLists

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.metrics import Metric
    from runoff.nbest import Features, NBest

STEP = "tagging"
SEEN = 3


class TaggingFeaturizer(FamilyFeaturizer):
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
    all_families = FAMILIES
    dense_families = DENSE
    dense_names = (*CONSENSUS, *DOCUMENT)

    def __init__(self, families: str = "all", min_lists: int = SEEN) -> None:
        super().__init__(chosen(str(families)), min_lists)

    def fit_transform(self, train: NBest, metric: str | Metric | None = None) -> NBest:  # noqa: ARG002 - any metric
        """Extract features and learn which of them are frequent enough; data that has them is not changed."""
        own = self.own_names(train)
        if own:
            self.take_vocabulary(own)
            return train
        made = feature_table(TaggedLists.of(train), self.families, min_lists=self.min_lists)
        self.take_vocabulary(made.column_names().to_pylist())
        return train.replace(features=concat_columns(train.features, made))

    def sees_single_lists(self, data: NBest) -> bool:
        """Unless lists of a document vote."""
        return "document" not in self.families or TaggedLists.of(data[:1]).documents() is None

    def extract(self, data: NBest) -> Features:
        """The features of lists: those of the vocabulary."""
        return feature_table(TaggedLists.of(data), self.families, vocabulary=self.vocabulary)

    @classmethod
    def from_step(cls, step: Mapping[str, Any]) -> TaggingFeaturizer:
        """The featurizer that a model keeps."""
        found = cls(",".join(step["families"]))
        found.vocabulary = step["vocabulary"]
        return found
