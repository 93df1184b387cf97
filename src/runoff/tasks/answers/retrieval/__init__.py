"""Retrieval: passages of text on disk, searched by BM25 or by boolean queries that are relaxed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.registry import lazily

if TYPE_CHECKING:
    from runoff.tasks.answers.retrieval.passage import Hit, Passage
    from runoff.tasks.answers.retrieval.passage_index import PassageIndex

_HOMES = {"passage": ("Hit", "Passage"), "passage_index": ("PassageIndex",)}
__all__ = ["Hit", "Passage", "PassageIndex"]

__getattr__ = lazily(__name__, {f"{__name__}.{home}": names for home, names in _HOMES.items()})


def __dir__() -> list[str]:
    return __all__
