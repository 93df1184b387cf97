"""Linked words as units: what every target word translates, and source words that nothing translates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.arrays import frozen
from runoff.metrics.tokens import Tokens

if TYPE_CHECKING:
    from runoff.arrays import Columns, Ints
    from runoff.tasks.translation.features.translated_texts import TranslatedTexts

_NONE = ""  # in place of a word that is not there


def linked_units(texts: TranslatedTexts, links: Columns) -> Tokens:
    """A unit for every target word, `source=target`; `=target` where it has no link.

    Two units in a row are a pair of phrases of two words. O(words log).

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> from runoff.tasks.text.distinct_texts import DistinctTexts
    >>> from runoff.tasks.translation.features.translated_texts import TranslatedTexts
    >>> from runoff.tasks.translation.language import Language
    >>> data = NBest.from_arrays(texts=["ein Hund", "Hund hier"], sizes=[2], inputs=["a dog"])
    >>> texts = TranslatedTexts.of(DistinctTexts.of(data), Language(truecase=False), Language(truecase=False))
    >>> units = linked_units(texts, np.array([0, 1, 1, -1], np.int32))
    >>> units.of(0), units.of(1), left_out_units(texts, np.array([0, 1, 1, -1], np.int32)).of(1)
    (['a=ein', 'dog=Hund'], ['dog=Hund', '=hier'], ['a'])
    """
    ours = np.full(links.size, -1, np.int64)
    text_of = np.repeat(np.arange(texts.lists.n_texts), texts.target.lengths)
    has_link = np.flatnonzero(links >= 0)
    starts = texts.source.offsets[texts.lists.list_of[text_of[has_link]]]
    ours[has_link] = texts.source.ids[starts + links[has_link]]
    width = max(len(texts.target.spelling), 1)
    keys, ids = np.unique((ours + 1) * width + texts.target.ids, return_inverse=True)
    source = pa.concat_arrays([pa.array([_NONE], pa.large_string()), texts.source.spelling]).take(
        pa.array(keys // width)
    )
    target = texts.target.spelling.take(pa.array(keys % width))
    spelling = pc.binary_join_element_wise(source, target, pa.scalar("=", pa.large_string()))
    return Tokens(frozen(ids.astype(np.int64)), texts.target.offsets, spelling)


def left_out_units(texts: TranslatedTexts, links: Columns) -> Tokens:
    """The source words of every distinct text that no target word is linked to. O(source words + target words)."""
    list_of = texts.lists.list_of
    lengths = texts.source.lengths[list_of]
    offsets: Ints = np.concatenate([[0], np.cumsum(lengths)])
    is_linked = np.zeros(int(offsets[-1]), bool)
    text_of = np.repeat(np.arange(texts.lists.n_texts), texts.target.lengths)
    has_link = np.flatnonzero(links >= 0)
    is_linked[offsets[text_of[has_link]] + links[has_link]] = True
    left = np.flatnonzero(~is_linked)
    source_of = np.repeat(texts.source.offsets[list_of] - offsets[:-1], lengths)
    ids = texts.source.ids[left + source_of[left]]
    return Tokens(frozen(ids), frozen(np.searchsorted(left, offsets).astype(np.int64)), texts.source.spelling)
