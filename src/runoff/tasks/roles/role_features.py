"""Candidates as rows of sparse features: numbered texts, joined with where they were seen."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.tasks.roles.candidates import kind_of
from runoff.tasks.roles.features.conjunctions import conjunctions
from runoff.tasks.roles.features.constituent import constituent_features
from runoff.tasks.roles.features.lexicon import RoleLexicon
from runoff.tasks.roles.features.predicate import predicate_features
from runoff.tasks.roles.features.relation import relation_features
from runoff.tasks.roles.syntax import Syntax
from runoff.tasks.roles.tree_candidates import path_siblings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from runoff.arrays import Bools, Columns, Ints
    from runoff.tasks.roles.propositions import RoleSentence
    from runoff.tasks.roles.syntax import Constituent

# Where a feature was seen: at the candidate, at a neighbour, at the predicate, between both, or in a conjunction.
SLOTS = ("", "left1:", "left2:", "right1:", "right2:", "predicate:", "relation:", "pair:")
_OWN, _PREDICATE, _RELATION, _PAIR = 0, 5, 6, 7
_BESIDE = ((-1, 1, 4), (-2, 2, 2), (1, 3, 4), (2, 4, 2))  # how far, slot, and features where there are conjunctions
_N = len(SLOTS)
_BLOCK = 1 << 22  # features that are counted at a time, which bounds the memory of their indices


class RoleRows(NamedTuple):
    """Rows of features of all candidates, predicate after predicate."""

    candidates: list[list[Constituent]]  # of every predicate
    indptr: Ints
    columns: Columns


@dataclass(frozen=True, eq=False)
class RoleFeatures:
    """Which features there are, and their numbers.

    `numbers` has every text that was seen in training, `column_of` the column of each text in each slot, -1 where it
    was too rare.
    """

    kind: str
    lexicon: RoleLexicon
    pairs: bool  # whether there are conjunctions, and little of the candidates beside; else all of them
    numbers: dict[str, int]
    column_of: Columns
    n_features: int

    @classmethod
    def fit(
        cls,
        sentences: Sequence[RoleSentence],
        kind: str,
        *,
        frames: Mapping[str, str] | None = None,
        pairs: bool = True,
        min_count: int = 2,
        min_count_predicate: int = 2,
    ) -> tuple[RoleFeatures, RoleRows]:
        """Extract the features of training sentences and keep the frequent ones; gives their rows too."""
        lexicon = RoleLexicon.of(sentences, frames)
        numbers: dict[str, int] = {}
        extracted = _extract(sentences, kind, lexicon, numbers, pairs=pairs, grow=True)
        counts = np.zeros(len(numbers) * _N, np.int64)
        for first in range(0, extracted.columns.size, _BLOCK):
            np.add.at(counts, extracted.columns[first : first + _BLOCK], 1)
        least = np.full(_N, min_count)
        least[_PREDICATE] = min_count_predicate
        kept = counts >= np.tile(least, len(numbers))
        column_of = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
        made = cls(kind, lexicon, pairs, numbers, column_of, int(kept.sum()))
        return made, made._numbered(extracted)

    def transform(self, sentences: Sequence[RoleSentence]) -> RoleRows:
        """Rows of the features that training had. O(features)."""
        return self._numbered(_extract(sentences, self.kind, self.lexicon, self.numbers, pairs=self.pairs, grow=False))

    def only(self, used: Bools) -> RoleFeatures:
        """Some of the columns, and only the texts that these need."""
        column = np.full(self.column_of.size, -1, np.int32)
        places = np.flatnonzero(self.column_of >= 0)
        places = places[used[self.column_of[places]]]
        column[places] = (np.cumsum(used) - 1)[self.column_of[places]]
        table = column.reshape(-1, _N)
        kept = np.flatnonzero((table >= 0).any(axis=1))
        all_texts = list(self.numbers)
        texts = [all_texts[at] for at in kept.tolist()]
        numbers = {text: at for at, text in enumerate(texts)}
        return replace(self, numbers=numbers, column_of=table[kept].ravel(), n_features=int(used.sum()))

    def _numbered(self, rows: RoleRows) -> RoleRows:
        columns = self.column_of[rows.columns] if rows.columns.size else rows.columns
        kept = columns >= 0
        before = np.zeros(kept.size + 1, np.int32 if kept.size < 1 << 31 else np.int64)
        np.cumsum(kept, out=before[1:])
        return RoleRows(rows.candidates, before[rows.indptr].astype(np.int64), columns[kept])


def _extract(
    sentences: Iterable[RoleSentence],
    kind: str,
    lexicon: RoleLexicon,
    numbers: dict[str, int],
    *,
    pairs: bool,
    grow: bool,
) -> RoleRows:
    how = kind_of(kind)
    candidates: list[list[Constituent]] = []
    pieces: list[Columns] = []
    sizes: list[int] = []

    def numbered(texts: list[str], slot: int) -> list[int]:
        if grow:
            return [numbers.setdefault(text, len(numbers)) * _N + slot for text in texts]
        return [number * _N + slot for number in map(numbers.get, texts) if number is not None]

    for sentence in sentences:
        if not sentence.propositions:
            continue
        syntax = Syntax(sentence, use_tree=how.use_tree)
        rows: list[Ints] = []
        own: dict[Constituent, Ints] = {}
        first: dict[tuple[Constituent, int], Ints] = {}
        for proposition in sentence.propositions:
            found = how.candidates(syntax, proposition.predicate)
            candidates.append(found)
            for each in found:
                if each not in own:
                    texts = list(dict.fromkeys(constituent_features(syntax, each, lexicon)))
                    own[each] = np.array(numbered(texts, _OWN), np.int64)
                    for many in (2, 4):
                        first[each, many] = np.array(numbered(texts[:many], _OWN), np.int64) if pairs else own[each]
            predicate = predicate_features(syntax, proposition, lexicon)
            shared = np.array(numbered(predicate.features, _PREDICATE), np.int64)
            others = found if how.is_sequence else path_siblings(syntax, proposition.predicate)
            starts = [other.start for other in others]
            for at, each in enumerate(found):
                around = at if how.is_sequence else bisect_right(starts, each.start) - 1
                relation = relation_features(syntax, each, around, others, predicate, lexicon)
                row = [own[each], shared, np.array(numbered(relation.features, _RELATION), np.int64)]
                if pairs:
                    row.append(np.array(numbered(conjunctions(syntax, each, predicate, relation), _PAIR), np.int64))
                if how.is_sequence:
                    row += [
                        first[found[at + far], many] + slot for far, slot, many in _BESIDE if 0 <= at + far < len(found)
                    ]
                rows += row
                sizes.append(sum(map(len, row)))
        if rows:  # at once: many small arrays would take several times the memory
            pieces.append(np.concatenate(rows).astype(np.int32))
    columns = np.concatenate(pieces) if pieces else np.zeros(0, np.int32)
    return RoleRows(candidates, np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), columns)
