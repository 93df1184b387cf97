"""Features of texts in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runoff.errors import UsageError
from runoff.tasks.text.featurizer import TextFeatures
from runoff.tasks.text.settings import settings_of

if TYPE_CHECKING:
    from runoff.metrics import Metric
    from runoff.nbest import NBest


def featurize(
    data: NBest, *, like: TextFeatures | None = None, metric: str | Metric | None = None, **options: Any
) -> NBest:
    """Lists of texts with features, ready for any learner.

    Vocabularies and the language model are learned from these lists, no list being scored by a language model of its
    own references; to make the same features for other lists, learn once by `TextFeatures.learn` and give that as
    `like`. `metric` says how texts are compared (default: what the data is judged by, else chrF). Options are those of
    `TextSettings`: `families="length,agreement"`, `lm_order=4` and so on.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["so so", "so"], sizes=[2])
    >>> made = featurize(data, families="repetition", metric="wer")
    >>> made.features.column_names()[0].as_py(), made.features.to_scipy().toarray()[:, 0].tolist()
    ('repeat:words', [0.5, 0.0])
    """
    if like is not None:
        if options or metric is not None:
            raise UsageError("what the features are is settled by `like`; give no metric and no options beside it.")
        return like.make(data)
    return TextFeatures.learn(data, settings_of(options), metric)[1]
