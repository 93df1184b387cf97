"""Overlap of a text with its input: words, bigrams, numbers and names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from runoff.arrays import frozen
from runoff.kernels.input_overlap import shared_words
from runoff.metrics.tokens import tokenised
from runoff.tasks.text.tokenizer import is_punctuation

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.tasks.text.distinct_texts import DistinctTexts

NAMES = (
    "overlap:of text",
    "overlap:of input",
    "overlap:bigrams of text",
    "overlap:numbers lost",
    "overlap:numbers added",
    "overlap:names lost",
    "overlap:names added",
)


def overlap_features(lists: DistinctTexts) -> tuple[tuple[str, ...], Floats]:
    """Shares of words and bigrams that text and input share; numbers and names that only one of them has.

    Words are split at all punctuation, so that the words in `name[Blue Spice]` are found, and compared regardless of
    case. A name begins with a capital letter and is not the first word. All are 0 if there is no input.
    O(words log input).

    Examples
    --------
    >>> from runoff.tasks.text.distinct_texts import DistinctTexts
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["Anna came in 1999"], sizes=[1], inputs=["Anna kam im Jahr 1998"])
    >>> names, table = overlap_features(DistinctTexts.of(data))
    >>> {name: value for name, value in zip(names, table[0].round(2).tolist()) if value}
    {'overlap:of text': 0.25, 'overlap:of input': 0.2, 'overlap:numbers lost': 1.0, 'overlap:numbers added': 1.0,
     'overlap:names lost': 1.0}
    """
    data = lists.data
    if data.inputs is None:
        return NAMES, np.zeros((lists.n_texts, len(NAMES)))
    inputs = data.inputs.cast(pa.large_string()).fill_null("")
    tokens = tokenised(pa.concat_arrays([lists.texts.cast(pa.large_string()), inputs]), _plain_words)
    spelling: list[str] = tokens.spelling.to_pylist()
    folded: dict[str, int] = {}
    same = np.array([folded.setdefault(word.casefold(), len(folded)) for word in spelling], np.int64)
    numbers = np.array([any(map(str.isdigit, word)) for word in spelling], bool)
    names = np.array([word[0].isupper() for word in spelling], bool)
    counts: Floats = shared_words(
        lists.offsets,
        tokens.offsets,
        frozen(same[tokens.ids]),
        len(folded),
        frozen(numbers[tokens.ids]),
        frozen(names[tokens.ids]),
        lists.n_texts,
    )
    words = tokens.lengths[: lists.n_texts]
    given = tokens.lengths[lists.n_texts :][lists.list_of]
    table = counts.copy()
    table[:, 0] /= np.maximum(words, 1)
    table[:, 1] /= np.maximum(given, 1)
    table[:, 2] /= np.maximum(words - 1, 1)
    return NAMES, table


def _plain_words(piece: str) -> list[str]:
    return "".join(" " if is_punctuation(character) else character for character in piece).split()
