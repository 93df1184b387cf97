"""Features of tokens by templates: numbers that training gives, and the same ones for any other corpus."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.errors import DataError, UsageError
from runoff.features.sequences import Sequences
from runoff.kernels.hashing import table_size
from runoff.kernels.token_features import (
    AFTER,
    BEFORE,
    FIRST_VALUE,
    NONE,
    conjunction_keys,
    csr_of,
    fill_slots,
    find_codes,
    find_keys,
    keys_of_parts,
    number_keys,
)
from runoff.tasks.tagging.atoms import atom_values

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from runoff.arrays import Columns, Ints
    from runoff.kernels.hashing import Keys
    from runoff.tasks.tagging.corpus import Corpus
    from runoff.tasks.tagging.templates import Template, Templates

    Kind = tuple[str, str, int]  # column, function, length: an atom without its offset

OUTSIDE = {BEFORE: "<before>", AFTER: "<after>"}


@dataclass(frozen=True, eq=False)
class TokenFeatures:
    """Numbered features of templates: `values` of the atoms, and for every feature the codes of its atoms.

    A conjunction is found by a key of 64 bits that mixes its template and codes. Two of n features share a key with a
    probability of n²/2⁶⁵ (3 in 10⁸ for a million): they are then one feature. An unknown conjunction is taken for a
    known one with n/2⁶⁴. Keys are not stored: they follow from the codes, and so do names. A corpus costs
    O(different texts) for atoms and O(tokens x templates) for the rest.

    Examples
    --------
    >>> from runoff.tasks.tagging.corpus import Corpus
    >>> from runoff.tasks.tagging.templates import Templates
    >>> corpus = Corpus.of({"word": ["a", "cat", "a", "dog"]}, sizes=[2, 2])
    >>> features = TokenFeatures.fit(corpus, Templates.parse("word[0]\\nword[-1] suffix[0,2]\\ntag[-1]"))
    >>> features.names
    ['word[0]=a', 'word[0]=cat', 'word[0]=dog', 'word[-1]=a suffix[0,2]=at', 'word[-1]=a suffix[0,2]=og']
    >>> features.transform(corpus).features.tolist()
    [0, 1, 3, 0, 2, 4]
    """

    templates: Templates
    kinds: tuple[Kind, ...]
    values: tuple[tuple[str, ...], ...]  # of every kind; code `FIRST_VALUE + i` is the i-th
    parts: tuple[Columns, ...]  # of every template: a row of codes for every feature

    @classmethod
    def fit(cls, corpus: Corpus, templates: Templates, *, min_count: int = 1) -> TokenFeatures:
        """Number the features that occur at `min_count` tokens or more."""
        kinds = kinds_of(templates)
        values, codes = [], np.empty((len(kinds), corpus.n_tokens), np.int32)
        complete = with_lexicons(corpus, templates)
        for at, (column, function, length) in enumerate(kinds):
            number: dict[str | None, int] = {None: NONE}
            texts = atom_values(function, length, complete[column].values)
            table = [number.setdefault(text, len(number) + FIRST_VALUE - 1) for text in texts]
            codes[at] = np.array(table, np.int32)[complete[column].codes] if texts else 0
            values.append([text for text in number if text is not None])
        parts = [
            _counted_parts(at, template, _rows(template, kinds), codes, corpus.offsets, min_count)
            for at, template in enumerate(templates.templates)
        ]
        return cls(templates, kinds, *_only_used(templates, kinds, values, parts))

    # ---------------------------------------------------------------- numbers

    @cached_property
    def starts(self) -> Ints:
        """The first number of every template's features; those with and without tags are numbered apart."""
        starts = np.zeros(len(self.parts), np.int64)
        known = [0, 0]
        for at, (template, parts) in enumerate(zip(self.templates.templates, self.parts, strict=True)):
            starts[at] = known[template.history > 0]
            known[template.history > 0] += len(parts)
        return starts

    @cached_property
    def n_features(self) -> int:
        """Number of features without tags."""
        return sum(len(parts) for template, parts in self._both if not template.history)

    @cached_property
    def modes(self) -> Columns:
        """With which tags every history feature is joined."""
        return np.array([each.history for each, parts in self._both if each.history for _ in parts], np.int32)

    @property
    def _both(self) -> Iterable[tuple[Template, Columns]]:
        return zip(self.templates.templates, self.parts, strict=True)

    @cached_property
    def _numbers_of_values(self) -> tuple[dict[str | None, int], ...]:
        return tuple({text: FIRST_VALUE + at for at, text in enumerate(texts)} for texts in self.values)

    @cached_property
    def _tables(self) -> tuple[tuple[Columns, Keys], ...]:
        """Of every template: slots and keys; or number by code and no keys, for one atom."""
        return tuple(self._table(at) for at in range(len(self.parts)))

    def _table(self, at: int) -> tuple[Columns, Keys]:
        template, parts, start = self.templates.templates[at], self.parts[at], self.starts[at]
        if len(template.atoms) == 1:
            kind = int(_rows(template, self.kinds)[0])
            number_of = np.full(FIRST_VALUE + len(self.values[kind]), -1, np.int32)
            number_of[parts[:, 0]] = start + np.arange(len(parts))
            return number_of, np.empty(0, np.uint64)
        keys = np.empty(len(parts), np.uint64)
        keys_of_parts(at, parts, keys)
        slots = np.zeros(table_size(len(parts)), np.int32)
        twice = fill_slots(keys, len(parts), slots)
        if twice >= 0:
            raise DataError(f"two features of the template {template} have the same key: {self._name(at, twice)!r}.")
        return slots, keys

    def transform(self, corpus: Corpus) -> Sequences:
        """Features of the tokens of a corpus; what training has not seen is left out."""
        n, offsets = corpus.n_tokens, corpus.offsets
        complete = with_lexicons(corpus, self.templates)
        codes = np.empty((len(self.kinds), n), np.int32)
        of_column: dict[str, Sequence[str]] = {}
        for at, ((column, function, length), known) in enumerate(zip(self.kinds, self._numbers_of_values, strict=True)):
            texts = of_column.setdefault(column, complete[column].values)
            table = np.array([known.get(text, NONE) for text in atom_values(function, length, texts)], np.int32)
            codes[at] = table[complete[column].codes] if n else 0
        plain = [at for at, each in enumerate(self.templates.templates) if not each.history]
        joined = [at for at, each in enumerate(self.templates.templates) if each.history and not is_transition(each)]
        keys = np.empty(n, np.uint64)
        csr = [_csr(self._numbers(which, codes, offsets, keys)) for which in (plain, joined)]
        return Sequences(
            offsets, *csr[0], self.n_features, *csr[1], self.modes, any(map(is_transition, self.templates.templates))
        )

    def _numbers(self, which: list[int], codes: Columns, offsets: Ints, keys: Keys) -> Columns:
        numbers = np.empty((len(which), codes.shape[1]), np.int32)
        for row, at in enumerate(which):
            template, (slots, known) = self.templates.templates[at], self._tables[at]
            rows, shifts = _rows(template, self.kinds), np.array([atom.offset for atom in template.atoms], np.int64)
            if len(template.atoms) == 1:
                find_codes(codes[rows[0]], int(shifts[0]), offsets, slots, numbers[row])
            else:
                conjunction_keys(at, codes, rows, shifts, offsets, keys)
                find_keys(keys, slots, known, int(self.starts[at]), numbers[row])
        return numbers

    # ---------------------------------------------------------------- names

    @property
    def names(self) -> list[str]:
        """Names of the features without tags, by number."""
        return [
            self._name(at, row)
            for at, (template, parts) in enumerate(self._both)
            if not template.history
            for row in range(len(parts))
        ]

    @property
    def history_names(self) -> list[str]:
        """Names of the features that are joined with tags, by number."""
        return [
            self._name(at, row)
            for at, (template, parts) in enumerate(self._both)
            if template.history
            for row in range(len(parts))
        ]

    def name(self, number: int, *, history: bool = False) -> str:
        """The name of one feature. O(templates)."""
        for at, (template, parts) in enumerate(self._both):
            if (template.history > 0) == history and 0 <= number - self.starts[at] < len(parts):
                return self._name(at, int(number - self.starts[at]))
        raise UsageError(f"there is no feature {number}.")

    def _name(self, at: int, row: int) -> str:
        template = self.templates.templates[at]
        tags = [f"tag[-{back}]" for back in (1, 2) if template.history & back]
        kinds = _rows(template, self.kinds).tolist()
        told = [
            f"{atom}={OUTSIDE.get(code) or self.values[kind][code - FIRST_VALUE]}"
            for atom, kind, code in zip(template.atoms, kinds, self.parts[at][row].tolist(), strict=True)
        ]
        return " ".join(tags + told)


def is_transition(template: Template) -> bool:
    """Whether it is `tag[-1]` alone, whose weights a chain has in a table of its own."""
    return template.history == 1 and not template.atoms


def kinds_of(templates: Templates) -> tuple[Kind, ...]:
    """The different atoms, whatever their offset."""
    return tuple(dict.fromkeys(atom[:3] for template in templates.templates for atom in template.atoms))


def with_lexicons(corpus: Corpus, templates: Templates) -> Corpus:
    """The corpus with the columns that lexicons add."""
    check_columns(corpus, templates.columns)
    for lexicon in templates.lexicons:
        corpus = corpus.with_column(lexicon.name, lexicon.column(corpus))
    return corpus


def check_columns(corpus: Corpus, needed: Iterable[str]) -> None:
    """Raise a `UsageError` unless the corpus has the columns that templates need."""
    missing = [name for name in needed if name not in corpus.columns]
    if missing:
        raise UsageError(
            f"the templates look at the column {missing[0]!r}, and the sentences have none; they have: "
            f"{', '.join(corpus.columns)}. Name the columns of the file in their order "
            "(--columns word,pos,tag), or let another tagger add it (--with)."
        )


def _rows(template: Template, kinds: tuple[Kind, ...]) -> Ints:
    return np.array([kinds.index(atom[:3]) for atom in template.atoms], np.int64)


def _csr(numbers: Columns) -> tuple[Ints, Columns]:
    indptr = np.zeros(numbers.shape[1] + 1, np.int64)
    features = np.empty(int(np.count_nonzero(numbers >= 0)), np.int32)
    csr_of(numbers, indptr, features)
    return frozen(indptr), frozen(features)


def _counted_parts(at: int, template: Template, rows: Ints, codes: Columns, offsets: Ints, min_count: int) -> Columns:
    """Codes of the features of a template, a row each, in the order of their first token."""
    n = codes.shape[1]
    if not template.atoms:
        return np.zeros((int(n >= min_count), 0), np.int32)
    shifts = np.array([atom.offset for atom in template.atoms], np.int64)
    wanted = np.empty(n, np.uint64)
    conjunction_keys(at, codes, rows, shifts, offsets, wanted)
    place, known, size = 0, 0, 1 << 12
    keys, counts, firsts = np.empty(0, np.uint64), np.empty(0, np.int64), np.empty(0, np.int64)
    while place < n:
        keys, counts, firsts = (
            np.concatenate([each[:known], np.zeros(size - known, each.dtype)]) for each in (keys, counts, firsts)
        )
        slots = np.zeros(table_size(size), np.int32)
        fill_slots(keys, known, slots)
        place, known = number_keys(wanted, place, slots, keys, counts, firsts, known)
        size *= 2
    tokens = firsts[:known][counts[:known] >= min_count]
    sentence = np.searchsorted(offsets, tokens, side="right") - 1
    parts = np.empty((tokens.size, rows.size), np.int32)
    for column, (row, shift) in enumerate(zip(rows, shifts, strict=True)):
        places = tokens + shift
        before, after = places < offsets[sentence], places >= offsets[sentence + 1]
        inside = codes[row][np.where(before | after, 0, places)]
        parts[:, column] = np.where(before, BEFORE, np.where(after, AFTER, inside))
    return parts


def _only_used(
    templates: Templates, kinds: tuple[Kind, ...], values: list[list[str]], parts: list[Columns]
) -> tuple[tuple[tuple[str, ...], ...], tuple[Columns, ...]]:
    """Values that features need, and the codes of their atoms after the others are gone."""
    kept = []
    for kind, texts in enumerate(values):
        is_used = np.zeros(FIRST_VALUE + len(texts), bool)
        for template, rows in zip(templates.templates, parts, strict=True):
            for column in np.flatnonzero(_rows(template, kinds) == kind):
                is_used[rows[:, column]] = True
        is_used[:FIRST_VALUE] = True
        renumbered = np.cumsum(is_used) - 1
        for template, rows in zip(templates.templates, parts, strict=True):
            for column in np.flatnonzero(_rows(template, kinds) == kind):
                rows[:, column] = renumbered[rows[:, column]]
        kept.append(tuple(text for text, used in zip(texts, is_used[FIRST_VALUE:].tolist(), strict=True) if used))
    return tuple(kept), tuple(parts)
