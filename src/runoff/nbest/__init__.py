"""`NBest`, the one data object: groups of candidates with features, scores, quality and texts."""

from runoff.nbest.core import NBest
from runoff.nbest.csr import Features

__all__ = ["Features", "NBest"]
