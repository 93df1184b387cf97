"""The featurizer of labellings: families of features of whole labellings, and what was learned in training."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runoff.features.columns import concat_columns
from runoff.features.family_featurizer import FamilyFeaturizer
from runoff.tasks.roles.features.frame_patterns import NAMES as FRAME
from runoff.tasks.roles.features.frame_patterns import FramePatterns
from runoff.tasks.roles.features.labelled_lists import LabelledLists
from runoff.tasks.roles.features.labelling_families import DENSE, FAMILIES
from runoff.tasks.roles.features.labelling_table import CONSENSUS, labelling_table
from runoff.tasks.tagging.features.families import chosen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.metrics import Metric
    from runoff.nbest import Features, NBest

STEP = "roles"
SEEN = 5


class RoleFeaturizer(FamilyFeaturizer):
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
    all_families = FAMILIES
    dense_families = DENSE
    dense_names = (*CONSENSUS, *FRAME)

    def __init__(self, families: str = "all", min_lists: int = SEEN) -> None:
        super().__init__(chosen(str(families), FAMILIES, "labellings"), min_lists)
        self.frames = FramePatterns.of_nothing()

    def fit_transform(self, train: NBest, metric: str | Metric | None = None) -> NBest:  # noqa: ARG002 - any metric
        """Extract features, and learn which are frequent enough and what frames look like; data that has them stays."""
        lists = LabelledLists.of(train)
        self.frames = FramePatterns.of(lists)
        own = self.own_names(train)
        if own:
            self.take_vocabulary(own)
            return train
        made = labelling_table(lists, self.families, self.frames, min_lists=self.min_lists, is_training=True)
        self.take_vocabulary(made.column_names().to_pylist())
        return train.replace(features=concat_columns(train.features, made))

    def extract(self, data: NBest) -> Features:
        """The features of lists: those of the vocabulary."""
        return labelling_table(LabelledLists.of(data), self.families, self.frames, vocabulary=self.vocabulary)

    def to_step(self) -> dict[str, Any]:
        """Families, names of the features, and frames."""
        return super().to_step() | self.frames.to_step()

    @classmethod
    def from_step(cls, step: Mapping[str, Any]) -> RoleFeaturizer:
        """The featurizer that a model keeps."""
        found = cls(",".join(step["families"]))
        found.vocabulary, found.frames = step["vocabulary"], FramePatterns.from_step(step)
        return found

    @classmethod
    def is_step(cls, step: Mapping[str, Any]) -> bool:
        """Whether a step that came from a file has families that are known, a vocabulary, and frames."""
        return super().is_step(step) and super(FamilyFeaturizer, cls).is_step(step)
