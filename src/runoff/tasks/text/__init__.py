"""Lists of plain texts: a featurizer, a reranker that selects among recipes, and baselines that need no training.

>>> import runoff
>>> data = runoff.NBest.from_arrays(texts=["a bat", "a cat", "a cat"], sizes=[3])
>>> runoff.tasks.text.featurize(data, families="length,agreement", metric="wer")
NBest(1 group, 3 candidates, 15 features)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.registry import lazily

if TYPE_CHECKING:
    from runoff.tasks.text.baseline_choices import BASELINES, baselines
    from runoff.tasks.text.families import FAMILIES
    from runoff.tasks.text.featurizer import TextFeaturizer, featurize
    from runoff.tasks.text.recipes import RECIPES
    from runoff.tasks.text.reranker import TextReranker
    from runoff.tasks.text.settings import TextSettings

__all__ = [
    "BASELINES",
    "FAMILIES",
    "RECIPES",
    "TextFeaturizer",
    "TextReranker",
    "TextSettings",
    "baselines",
    "featurize",
]

__getattr__ = lazily(
    __name__,
    {
        f"{__name__}.baseline_choices": ("BASELINES", "baselines"),
        f"{__name__}.families": ("FAMILIES",),
        f"{__name__}.featurizer": ("TextFeaturizer", "featurize"),
        f"{__name__}.recipes": ("RECIPES",),
        f"{__name__}.reranker": ("TextReranker",),
        f"{__name__}.settings": ("TextSettings",),
    },
)


def __dir__() -> list[str]:
    return __all__
