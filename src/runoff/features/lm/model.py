"""A language model as sorted n-gram keys with two numbers each, small enough for a model file."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.arrays import frozen
from runoff.errors import DataError, ModelError, brief
from runoff.features.lm import arpa
from runoff.features.lm.kenlm import estimate_with
from runoff.features.lm.ngram_table import END, MAX_ORDER, SPECIAL, START, UNKNOWN, NgramTable
from runoff.features.lm.scores import Scores
from runoff.kernels.lm import gram_keys, log_probabilities, slots_of
from runoff.kernels.lm_state import NgramLookup
from runoff.parallel import even_cuts, in_threads

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    import pyarrow as pa
    from numpy.typing import NDArray

    from runoff.arrays import Bools, Ints, Singles
    from runoff.metrics.tokens import Tokens

_PIECE = 500_000  # words scored at a time by one thread


@dataclass(frozen=True, eq=False)
class LanguageModel:
    """Back-off n-gram model: log10 probability and log10 back-off of every n-gram, found by a 64-bit hash.

    16 bytes per n-gram. Words that are spelled like the special words of ARPA files ("<s>", "</s>", "<unk>") are
    ordinary words. Hash collisions are possible but unlikely: a chance of two in a million for a model of a million
    n-grams and thirty million look-ups.

    Examples
    --------
    >>> from runoff.metrics.tokens import tokenised
    >>> texts = tokenised(["the cat sat", "the cat ran", "a dog sat"], str.split)
    >>> model = LanguageModel.train(texts, order=2)
    >>> scores = model.score(tokenised(["the dog sat", "sat dog mouse"], str.split))
    >>> scores.total.round(3).tolist(), scores.unknown.tolist(), scores.lowest.round(3).tolist()
    ([-2.098, -4.556], [0, 1], [-1.229, -1.505])
    """

    order: int
    keys: NDArray[np.uint64]
    values: Singles
    notes: tuple[str, ...] = ()

    @classmethod
    def train(cls, tokens: Tokens, order: int = 3, *, min_count: int = 1, engine: str = "auto") -> LanguageModel:
        """Estimate a model by interpolated modified Kneser-Ney; see `estimate` for `min_count`.

        Engine "own" is built in; "kenlm" runs KenLM's program `lmplz`, which must be on the PATH; "auto" is "kenlm" for
        very large corpora if it is installed, else "own". They agree to 1e-6. If the program fails, "own" is used and
        a note says so.
        """
        return cls.of(estimate_with(engine, tokens, order, min_count))

    @classmethod
    def of(cls, grams: NgramTable) -> LanguageModel:
        """Replace words by hashes. O(n log n)."""
        word_keys = frozen(np.append(_SPECIAL_KEYS, _spelling_keys(grams.words.to_pylist())))
        keys = np.concatenate([gram_keys(frozen(rows), word_keys) for rows in grams.rows])
        order = np.argsort(keys)
        keys = keys[order]
        if (twice := keys[1:] == keys[:-1]).any():
            raise DataError(f"the n-gram {brief(_spelled(grams, int(order[np.argmax(twice)])))} is in the model twice.")
        values = np.column_stack([np.concatenate(grams.probabilities), np.concatenate(grams.backoffs)])
        return cls(grams.order, frozen(keys), frozen(values[order]), grams.notes)

    @classmethod
    def from_arpa(cls, path: str | Path) -> LanguageModel:
        """Read an ARPA file, plain, gzip or zstd."""
        try:
            return cls.of(arpa.read(path))
        except DataError as error:
            raise DataError(error.message, path=path, line=error.line) from error

    def __len__(self) -> int:
        return int(self.keys.size)

    def score(self, tokens: Tokens) -> Scores:
        """Log10 probabilities of texts, with start and end. O(order * words).

        Equal to `kenlm.Model(...).full_scores(text, bos=True, eos=True)`.
        """
        keys, unknown = self.word_keys(tokens.spelling)
        cuts = even_cuts(tokens.offsets + np.arange(len(tokens) + 1), 1 + tokens.ids.size // _PIECE)

        def part(piece: int) -> Any:
            offsets = tokens.offsets[cuts[piece] : cuts[piece + 1] + 1]
            ends = frozen(_SPECIAL_KEYS[[START, END]])
            return log_probabilities(*self._table, self.order, ends, keys, frozen(tokens.ids), frozen(offsets))

        parts = in_threads(part, range(cuts.size - 1))
        total, lowest = (np.concatenate([np.zeros(0), *(each[which] for each in parts)]) for which in (0, 1))
        return Scores(total, _sums(unknown[tokens.ids], tokens.offsets), lowest)

    def word_keys(self, words: pa.Array) -> tuple[NDArray[np.uint64], Bools]:
        """Key of every word, that of the unknown word where the model does not have it; and where that is so."""
        keys = _spelling_keys(words.to_pylist())
        unknown = ~self._is_known(keys)
        keys[unknown] = _SPECIAL_KEYS[UNKNOWN]
        return frozen(keys), unknown

    @cached_property
    def lookup(self) -> NgramLookup:
        """What kernels need to ask the model word by word."""
        return NgramLookup(*self._table, self.order, _SPECIAL_KEYS[START], _SPECIAL_KEYS[END])

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """The model as arrays, for a model file."""
        return {"order": np.array([self.order]), "keys": self.keys, "values": self.values.ravel()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> LanguageModel:
        """Restore a model from `to_arrays`, with a full check. O(n-grams)."""
        lacking = [name for name in ("order", "keys", "values") if name not in arrays]
        if lacking:
            raise _damaged(f"it has no {lacking[0]}")
        order, keys, values = (np.asarray(arrays[name]) for name in ("order", "keys", "values"))
        if order.size != 1 or order.dtype.kind not in "iu" or not 1 <= int(order.ravel()[0]) <= MAX_ORDER:
            raise _damaged("its order is not a valid order")
        if keys.dtype != np.uint64 or keys.ndim != 1 or values.dtype != np.float32 or values.size != 2 * keys.size:
            raise _damaged("its n-grams and their numbers do not match")
        if not (keys[1:] > keys[:-1]).all():
            raise _damaged("its n-grams are out of order")
        values = values.reshape(-1, 2)
        if not np.isfinite(values).all() or (values[:, 0] > 0).any():
            raise _damaged("it has invalid probabilities")
        model = cls(int(order.ravel()[0]), frozen(keys), frozen(values))
        if not model._is_known(_SPECIAL_KEYS).all():
            raise _damaged("the start, the end or the unknown word is missing")
        return model

    @cached_property
    def _table(self) -> tuple[NDArray[np.uint64], Singles, np.uint64]:
        """Hash table of sorted keys, 1.5 slots per key, each key near the slot that its upper bits give.

        A key and its numbers are adjacent in memory, so that most look-ups cost one cache miss.
        """
        slots = self.keys.size + self.keys.size // 2 + 1
        homes = ((self.keys >> np.uint64(32)) * np.uint64(slots) >> np.uint64(32)).astype(np.int64)
        rank = np.arange(homes.size)
        places = np.maximum.accumulate(homes - rank) + rank  # in its own slot, or right after the previous key
        table = np.full((max(slots, int(places.max(initial=0)) + 1) + 1, 2), np.iinfo(np.uint64).max, np.uint64)
        table[places, 0] = self.keys
        values = table.view(np.float32)
        values[places, 2:] = self.values
        return frozen(table), frozen(values), np.uint64(slots)

    def _is_known(self, keys: NDArray[np.uint64]) -> Bools:
        table, _, slots = self._table
        return np.asarray(slots_of(frozen(keys), table, slots) >= 0)


def _spelling_keys(words: Iterable[str]) -> NDArray[np.uint64]:
    """Stable 64-bit hashes of words."""
    hashes = [hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest() for word in words]
    return np.frombuffer(b"".join(hashes), "<u8").astype(np.uint64)


# A word has no white space, so no spelling has these.
_SPECIAL_KEYS = frozen(_spelling_keys(f" {word}" for word in SPECIAL))


def _sums(flags: Bools, offsets: Ints) -> Ints:
    before = np.concatenate([[0], np.cumsum(flags)])
    return np.diff(before[offsets])


def _spelled(grams: NgramTable, row: int) -> str:
    for rows in grams.rows:
        if row < rows.shape[0]:
            spelling = [*SPECIAL, *grams.words.to_pylist()]
            return " ".join(spelling[number] for number in rows[row])
        row -= rows.shape[0]
    raise IndexError(row)


def _damaged(what: str) -> ModelError:
    return ModelError(f"the language model in this file is damaged: {what}.")
