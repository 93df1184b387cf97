"""Lists of plain texts: features by themselves, a reranker, and the choices that need no training.

>>> import runoff
>>> data = runoff.NBest.from_arrays(texts=["a bat", "a cat", "a cat"], sizes=[3])
>>> runoff.text.featurize(data, families="length,agreement", metric="wer")
NBest(1 group, 3 candidates, 15 features)
"""

from runoff.features.text.families import FAMILIES
from runoff.features.text.maker import TextFeatures
from runoff.features.text.settings import TextSettings
from runoff.text.baselines import BASELINES, baselines
from runoff.text.making import featurize
from runoff.text.recipes import RECIPES
from runoff.text.reranker import TextReranker

__all__ = [
    "BASELINES",
    "FAMILIES",
    "RECIPES",
    "TextFeatures",
    "TextReranker",
    "TextSettings",
    "baselines",
    "featurize",
]
