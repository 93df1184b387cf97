"""The sparse family `tags`: n-grams of the tags that a tagger of the target language gives to translations."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from runoff.errors import ModelError, UsageError
from runoff.metrics.tokens import Tokens
from runoff.tasks.tagging.corpus import Column, Corpus
from runoff.tasks.tagging.tagger import Tagger
from runoff.tasks.tagging.tagger_file import load_tagger
from runoff.tasks.text.features.ngram_vocabulary import NgramVocabulary
from runoff.tasks.translation.features.unit_ngrams import UnitTexts, fit_units, unit_features, unit_names

if TYPE_CHECKING:
    from runoff.nbest import Features
    from runoff.tasks.text.distinct_texts import DistinctTexts

_PREFIX = "tags"
_ORDERS = (1, 2, 3)
_WORD = "word"  # the only column that texts have


@dataclass(frozen=True, eq=False)
class TagVocabulary:
    """The columns of n-grams of tags (`tags:DT NN`) that differ in number between the candidates of enough lists.

    Och et al. (2004, A smorgasbord of features) rerank translations with such features. The tagger is kept with them.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> from runoff.tasks.tagging.training import train_tagger
    >>> from runoff.tasks.text.distinct_texts import DistinctTexts
    >>> tagged = Corpus.of({"word": ["a", "cat", "sleeps", "a", "dog"], "pos": ["D", "N", "V", "D", "N"]}, sizes=[3, 2])
    >>> lists = DistinctTexts.of(NBest.from_arrays(texts=["a cat sleeps", "cat sleeps"], sizes=[2]))
    >>> sorted(TagVocabulary.fit(lists, train_tagger(tagged, "pos", "pos"), 1).names)
    ['tags:D', 'tags:D N', 'tags:D N V']
    """

    tagger: Tagger
    ngrams: NgramVocabulary

    @classmethod
    def fit(cls, lists: DistinctTexts, tagger: Tagger, min_lists: int) -> TagVocabulary:
        """Find what differs in enough lists. O(words x (templates + tags²))."""
        return cls(tagger, fit_units(_tags(lists, tagger), _ORDERS, min_lists))

    @property
    def names(self) -> list[str]:
        """Names of all columns."""
        found: list[str] = unit_names(self.ngrams, _PREFIX).to_pylist()
        return found

    def features(self, lists: DistinctTexts) -> Features:
        """Counts, a row for every distinct text. O(words x (templates + tags²))."""
        return unit_features(_tags(lists, self.tagger), self.ngrams, _PREFIX)

    def to_step(self) -> dict[str, Any]:
        """Plain arrays, for a model file; the tagger is the bytes of its own file."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "tagger.runoff"
            self.tagger.save(path)
            content = np.frombuffer(path.read_bytes(), np.uint8)
        return {"tagger": content, "ngrams": self.ngrams.to_arrays()}

    @classmethod
    def from_step(cls, kept: Any) -> TagVocabulary:
        """From `to_step`, with a full check; raises `ModelError` where something is damaged."""
        content = kept.get("tagger") if isinstance(kept, dict) else None
        if not isinstance(content, np.ndarray) or content.dtype != np.uint8 or not isinstance(kept.get("ngrams"), dict):
            raise ModelError("the vocabulary of tags is damaged in this file.")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "tagger.runoff"
            path.write_bytes(content.tobytes())
            try:
                tagger = tagger_of_words(path)
            except (ModelError, UsageError) as error:
                raise ModelError("the tagger of translations is damaged in this file.") from error
        return cls(tagger, NgramVocabulary.from_arrays(kept["ngrams"]))


def tagger_of_words(tagger: Tagger | str | Path | None) -> Tagger:
    """A tagger, or one from a file, that needs nothing but words."""
    found = load_tagger(tagger) if isinstance(tagger, str | Path) else tagger
    if not isinstance(found, Tagger):
        raise UsageError("target_tagger must give every word a tag, as taggers of parts of speech do.")
    columns = found.features.templates.columns
    if set(columns) - {_WORD}:
        raise UsageError(
            f"target_tagger looks at {' and '.join(columns)}, but translations have words only; train one with the "
            "templates of parts of speech."
        )
    return found


def _tags(lists: DistinctTexts, tagger: Tagger) -> UnitTexts:
    words = lists.words.first(lists.n_texts)
    spelling = tuple(words.spelling.to_pylist())
    column = Column(spelling, words.ids.astype(np.int32))
    tags = tagger.label(Corpus({_WORD: column}, words.offsets))
    units = Tokens(tags.codes.astype(np.int64), words.offsets, pa.array(tags.values, pa.large_string()))
    return UnitTexts.of_units(lists, units)
