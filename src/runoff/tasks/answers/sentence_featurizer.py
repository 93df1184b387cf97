"""The featurizer of answering sentences: what question and sentence share, translations, and learned cues."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from runoff.errors import DataError, ModelError
from runoff.features.columns import concat_columns
from runoff.features.featurizer import Featurizer
from runoff.features.on_workers import made_on_workers
from runoff.nbest import Features
from runoff.nbest.blocks import blocks
from runoff.tasks.answers.answer_cues import AnswerCues, class_keys, question_keys, sentence_cues
from runoff.tasks.answers.sentence_evidence import NAMES, ListEvidence, Meanings
from runoff.tasks.answers.sentence_lists import ENTITIES, PLACE
from runoff.tasks.answers.supersenses import Supersenses
from runoff.tasks.answers.term_counts import TermCounts, terms_of
from runoff.tasks.answers.term_translations import TermTranslations

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from runoff.arrays import Floats
    from runoff.metrics import Metric
    from runoff.nbest import NBest

STEP = "answer-sentences"
CLASS = "class"  # the attribute with the classes of questions
LEARNED = ("told:likelihood", "cue:asks", "cue:asks best", "cue:class", "cue:class best")
_FOLDS = 5
_UNFITTED = "the featurizer of answering sentences has not been fitted."


class _List(NamedTuple):
    """A list as words."""

    question: tuple[str, ...]
    sentences: tuple[tuple[str, ...], ...]
    entities: tuple[tuple[str, ...], ...] | None
    name: str  # the question's class, or nothing


class _Learned(NamedTuple):
    """What is learned from lists in which it is known which sentences answer."""

    translations: TermTranslations
    asks: AnswerCues
    classes: AnswerCues


class SentenceFeaturizer(Featurizer):
    """Features of sentences that may answer a question, next to those that candidates bring.

    Lists need the question as input; words are separated by blanks. Tags of entities in the attribute `entities` (a
    line for every sentence, a tag for every word) and the question's class in the attribute `class` are used where
    there are such. What is learned about training lists is learned from others of them, in five folds.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> texts = ["Ada wrote it in 1843 .", "Ada lived in London ."]
    >>> asked = ["When did Ada write it ?"]
    >>> lists = NBest.from_arrays(texts=texts, sizes=[2], inputs=asked, quality=[1, 0], metric="map")
    >>> made = SentenceFeaturizer().fit_transform(lists)
    >>> made.features.column_names().to_pylist()[:2], made.features.to_scipy().toarray()[:, 1].tolist()
    (['match:share', 'match:count'], [1.0, 1.0])
    """

    step = STEP

    def __init__(self) -> None:
        self._counts: TermCounts | None = None
        self._learned: _Learned | None = None
        self._senses = Supersenses.shipped()
        self._meanings = Meanings(self._senses)

    def fit_transform(self, train: NBest, metric: str | Metric | None = None) -> NBest:  # noqa: ARG002 - any metric
        """Learn from all lists; those of a fold get features by what the other folds say."""
        if train.quality is None:
            raise DataError("it is not known which of the sentences answer: the lists have no quality.")
        lists = list(_lists(train))
        self._counts = TermCounts.of(words for each in lists for words in each.sentences)
        self._learned = self._learn(lists, train.quality, train.offsets, np.ones(len(lists), bool))
        fold_of = blocks(train).folds_up_to(_FOLDS, seed=0)
        rows: list[Any] = [None] * len(lists)
        for fold in np.unique(fold_of).tolist():
            apart = self._learn(lists, train.quality, train.offsets, fold_of != fold)
            for at in np.flatnonzero(fold_of == fold).tolist():
                rows[at] = self._rows(lists[at], apart, in_order=_in_order(train))
        return _with(train, rows)

    def transform(self, data: NBest) -> NBest:
        """Add the features of the training lists."""
        _, learned = self._fitted()
        made = made_on_workers(self, data)
        if made is not None:
            return made
        in_order = _in_order(data)
        return _with(data, [self._rows(each, learned, in_order=in_order) for each in _lists(data)])

    def to_step(self) -> dict[str, Any]:
        """Plain values."""
        counts, learned = self._fitted()
        return {
            "step": STEP,
            "counts": counts.to_dict(),
            "translations": learned.translations.table,
            "asks": learned.asks.weights,
            "classes": learned.classes.weights,
        }

    @classmethod
    def from_step(cls, step: Mapping[str, Any]) -> SentenceFeaturizer:
        """The featurizer that a model keeps."""
        found = cls()
        found._counts = TermCounts.from_dict(step["counts"])
        found._learned = _Learned(
            TermTranslations.from_dict(step["translations"]),
            AnswerCues.from_dict(step["asks"]),
            AnswerCues.from_dict(step["classes"]),
        )
        return found

    def _fitted(self) -> tuple[TermCounts, _Learned]:
        if self._counts is None or self._learned is None:
            raise ModelError(_UNFITTED)
        return self._counts, self._learned

    def _learn(self, lists: Sequence[_List], quality: Floats, offsets: Any, chosen: Any) -> _Learned:
        pairs: list[tuple[list[str], list[str]]] = []
        asks: list[tuple[tuple[str, ...], frozenset[str], bool]] = []
        classes: list[tuple[tuple[str, ...], frozenset[str], bool]] = []
        for at in np.flatnonzero(chosen).tolist():
            own = lists[at]
            asked = _present(own.question)
            keys, named = question_keys(own.question, self._senses), class_keys(own.name)
            right = quality[offsets[at] : offsets[at + 1]] > 0
            for words, cues, is_right in zip(own.sentences, self._cues(own), right.tolist(), strict=True):
                if is_right:
                    pairs.append((asked, _present(words)))
                asks.append((keys, cues, is_right))
                classes.append((named, cues, is_right))
        return _Learned(TermTranslations.learn(pairs), AnswerCues.learn(asks), AnswerCues.learn(classes))

    def _cues(self, own: _List) -> list[frozenset[str]]:
        tags: Sequence[tuple[str, ...] | None] = own.entities or [None] * len(own.sentences)
        return [
            sentence_cues(words, own.question, self._senses, entities)
            for words, entities in zip(own.sentences, tags, strict=True)
        ]

    def _rows(self, own: _List, learned: _Learned, *, in_order: bool) -> Floats:
        if self._counts is None:
            raise ModelError(_UNFITTED)
        evidence = ListEvidence(own.question, own.sentences, self._counts, self._meanings)
        asked = _present(own.question)
        keys, named = question_keys(own.question, self._senses), class_keys(own.name)
        told = [
            (
                learned.translations.likelihood(asked, _present(words), self._counts),
                learned.asks.total(keys, cues),
                learned.asks.best(keys, cues),
                learned.classes.total(named, cues),
                learned.classes.best(named, cues),
            )
            for words, cues in zip(own.sentences, self._cues(own), strict=True)
        ]
        found: Floats = np.column_stack([evidence.rows(in_order=in_order), np.array(told).reshape(-1, len(LEARNED))])
        return found


def _lists(data: NBest) -> Iterator[_List]:
    if data.texts is None or data.inputs is None:
        raise DataError("answering sentences are texts, with their question as the input of each list.")
    texts, questions = data.texts.to_pylist(), data.inputs.to_pylist()
    tags, names = _attribute(data, ENTITIES), _attribute(data, CLASS)
    for at, (first, last) in enumerate(pairwise(data.offsets.tolist())):
        sentences = tuple(tuple(text.split()) for text in texts[first:last])
        lines = tags[at]
        entities = None
        if lines is not None and sentences:
            entities = tuple(tuple(line.split()) for line in lines.split("\n"))
            if [*map(len, entities)] != [*map(len, sentences)]:
                raise DataError(f"list {at + 1:,} has tags of entities that do not fit its words.")
        yield _List(tuple(questions[at].split()), sentences, entities, names[at] or "")


def _attribute(data: NBest, name: str) -> list[str | None]:
    """A text for every list, or None."""
    found: list[str | None] = [None] * len(data)
    return data.attributes[name].to_pylist() if name in data.attributes else found


def _present(words: Sequence[str]) -> list[str]:
    return [term for term in terms_of(words) if term is not None]


def _in_order(data: NBest) -> bool:
    """Whether sentences follow each other as in their document."""
    return PLACE in data.features.column_names().to_pylist()


def _with(data: NBest, rows: Sequence[Floats]) -> NBest:
    table = np.concatenate([np.zeros((0, len(NAMES) + len(LEARNED))), *rows])
    return data.replace(features=concat_columns(data.features, Features.of(table, [*NAMES, *LEARNED])))
