"""Lists of plain texts: features by themselves, a reranker, and the choices that need no training.

>>> import runoff
>>> data = runoff.NBest.from_arrays(texts=["a bat", "a cat", "a cat"], sizes=[3])
>>> runoff.tasks.text.featurize(data, families="length,agreement", metric="wer")
NBest(1 group, 3 candidates, 15 features)
"""

from runoff.tasks.text.baselines import BASELINES, baselines
from runoff.tasks.text.families import FAMILIES
from runoff.tasks.text.featurizer import TextFeatures
from runoff.tasks.text.making import featurize
from runoff.tasks.text.recipes import RECIPES
from runoff.tasks.text.reranker import TextReranker
from runoff.tasks.text.settings import TextSettings

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
