"""One language of a translator: how its texts become tokens, and its tokens texts again."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from runoff.arrays import frozen
from runoff.errors import ModelError
from runoff.metrics.tokens import Tokens, tokenised
from runoff.tasks.translation.joined_tokens import JOINER, clean, join, split

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True)
class Language:
    """Tokens with joiners, and words at the start of a sentence spelled as they are elsewhere.

    `truecase=False` leaves the case of words alone.

    Examples
    --------
    >>> german = Language.learn(["Der Hund schläft.", "Ein Mann ruft der Katze.", "Männer sehen den Mann."])
    >>> tokens = german.tokens(["Der Mann ruft.", "Mann, der ruft!"])
    >>> tokens.of(0), tokens.of(1)
    (['der', 'Mann', 'ruft', '￭.'], ['Mann', '￭,', 'der', 'ruft', '￭!'])
    >>> german.text(tokens.of(0))
    'Der Mann ruft.'
    """

    spelling: Mapping[str, str] = field(default_factory=dict)  # of lower-case words, how they are spelled in sentences
    is_capitalised: bool = False  # whether texts begin with a capital
    truecase: bool = True

    @classmethod
    def learn(cls, texts: Sequence[str], *, truecase: bool = True) -> Language:
        """Learn from texts how words are spelled inside of sentences, and how texts begin. O(characters)."""
        if not truecase:
            return cls(truecase=False)
        tokens = tokenised(list(map(clean, texts)), split)
        inside: Counter[int] = Counter(tokens.ids.tolist())
        starts = _first_words(tokens)
        begun = Counter(tokens.ids[starts[starts >= 0]].tolist())
        inside.subtract(begun)
        words = tokens.spelling.to_pylist()
        best: dict[str, tuple[int, str]] = {}
        for number, count in inside.items():
            word = words[number]
            # The lower-case spelling wins ties; a word that is never inside of a sentence is none that we know.
            if count > 0 and _is_cased(word):
                best[word.lower()] = max(best.get(word.lower(), (0, "")), (count, word))
        first: Counter[bool] = Counter()
        for number, count in begun.items():
            first[_is_upper(words[number])] += count
        return cls({lower: word for lower, (_, word) in sorted(best.items())}, first[True] > first[False])

    def tokens(self, texts: Sequence[str]) -> Tokens:
        """Tokens of texts, one text each. O(characters)."""
        found = tokenised(pa.array(map(clean, texts), pa.large_string()), split)
        if not self.truecase:
            return found
        starts = _first_words(found)
        places = starts[starts >= 0]
        words = found.spelling.to_pylist()
        numbers = {word: number for number, word in enumerate(words)}
        ids = found.ids.copy()
        for word in np.unique(ids[places]).tolist():
            usual = self.spelling.get(words[word].lower(), words[word])
            ids[places[found.ids[places] == word]] = numbers.setdefault(usual, len(numbers))
        return Tokens(frozen(ids), found.offsets, pa.array(list(numbers), pa.large_string()))

    def text(self, tokens: Sequence[str]) -> str:
        """The text of some tokens, as people write it."""
        text = join(list(tokens))
        if not (self.truecase and self.is_capitalised):
            return text
        at = next((at for at, character in enumerate(text) if character.isalnum()), None)
        return text if at is None else text[:at] + _capital(text[at]) + text[at + 1 :]

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for a file."""
        return {
            "spelling": [word for lower, word in self.spelling.items() if lower != word],
            "lower": [word for lower, word in self.spelling.items() if lower == word],
            "is_capitalised": self.is_capitalised,
            "truecase": self.truecase,
        }

    @classmethod
    def from_dict(cls, values: Any) -> Language:
        """From `to_dict`, with a full check."""
        words = [*values["spelling"], *values["lower"]]
        switches = values["is_capitalised"], values["truecase"]
        if not all(isinstance(word, str) for word in words) or not all(isinstance(each, bool) for each in switches):
            raise ModelError("the spelling of its words is damaged.")
        return cls({word.lower(): word for word in words}, *switches)


def _first_words(tokens: Tokens) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Place of the first token with a letter or digit of every text, -1 where there is none."""
    has_word = np.array([any(map(str.isalnum, word)) for word in tokens.spelling.to_pylist()], bool)
    places = np.flatnonzero(has_word[tokens.ids]) if tokens.ids.size else np.zeros(0, np.int64)
    at = np.searchsorted(places, tokens.offsets[:-1])
    found = np.append(places, -1)[np.minimum(at, places.size)]
    return np.where((at < places.size) & (found < tokens.offsets[1:]), found, -1)


def _is_cased(word: str) -> bool:
    return word.lower() != word.upper()


def _is_upper(word: str) -> bool:
    bare = word.strip(JOINER)
    return bare[:1] != bare[:1].lower()


def _capital(character: str) -> str:
    upper = character.upper()
    return upper if len(upper) == 1 else character
