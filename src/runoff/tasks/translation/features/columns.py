"""The dense columns of all families that compare translations with their sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.tasks.text.distinct_texts import DistinctTexts
from runoff.tasks.translation.features.coverage import coverage_features
from runoff.tasks.translation.features.evidence import Evidence
from runoff.tasks.translation.features.fluency import fluency_features
from runoff.tasks.translation.features.lexicon_scores import lexicon_features
from runoff.tasks.translation.features.translated_texts import TranslatedTexts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Columns, Floats, Ints
    from runoff.nbest import NBest
    from runoff.tasks.translation.parallel_knowledge import ParallelKnowledge


class OwnColumns(NamedTuple):
    """Names and values of dense columns, a row per distinct text, and the links of all target tokens."""

    names: tuple[str, ...]
    table: Floats
    links: Columns


def own_columns(texts: TranslatedTexts, families: Sequence[str], knowledge: ParallelKnowledge) -> OwnColumns:
    """The dense columns of these families, in the order of the families."""
    evidence = Evidence.of(texts, knowledge.lexicon)
    names: list[str] = []
    tables = [np.zeros((texts.lists.n_texts, 0))]
    for family in families:
        if family == "lexicon":
            found = lexicon_features(texts, evidence)
        elif family == "coverage":
            found = coverage_features(texts, knowledge.lexicon, evidence)
        elif family == "fluency":
            found = fluency_features(texts, knowledge.language_model)
        else:
            continue
        names.extend(found[0])
        tables.append(found[1])
    return OwnColumns(tuple(names), np.column_stack(tables), evidence.links)


def cross_fitted_columns(
    texts: TranslatedTexts, families: Sequence[str], data: NBest, fold_of: Ints, apart: Sequence[ParallelKnowledge]
) -> OwnColumns:
    """The same for training lists: those of every fold by what was learned without their sentences."""
    names: tuple[str, ...] = ()
    parts: list[tuple[Ints, Floats]] = []
    links = np.full(texts.target.ids.size, -1, np.int32)
    token_fold = np.repeat(fold_of[texts.lists.list_of], texts.target.lengths)
    for fold, knowledge in enumerate(apart):
        lists = DistinctTexts.of(data[fold_of == fold])
        rows = np.flatnonzero(fold_of[texts.lists.list_of] == fold)
        here = TranslatedTexts(lists, texts.source.take(np.flatnonzero(fold_of == fold)), texts.target.take(rows))
        found = own_columns(here, families, knowledge)
        names = found.names
        parts.append((rows, found.table))
        links[token_fold == fold] = found.links
    table = np.zeros((texts.lists.n_texts, len(names)))
    for rows, values in parts:
        table[rows] = values
    return OwnColumns(names, table, links)
