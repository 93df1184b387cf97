"""N-grams of tags of the target language."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest

from runoff.errors import ModelError, UsageError
from runoff.model.step_arrays import attach_arrays, detach_arrays
from runoff.nbest import NBest
from runoff.tasks.tagging.corpus import Corpus
from runoff.tasks.tagging.training import train_tagger
from runoff.tasks.text.distinct_texts import DistinctTexts
from runoff.tasks.translation.features.tag_vocabulary import TagVocabulary, tagger_of_words
from runoff.tasks.translation.featurizer import TranslationFeaturizer

if TYPE_CHECKING:
    from runoff.tasks.tagging.tagger import Tagger

TAGS = {"ein": "ART", "Hund": "NN", "Katze": "NN", "schläft": "VV", "sieht": "VV"}
SENTENCES = ["ein Hund schläft", "ein Hund sieht ein Katze", "Katze schläft", "sieht ein Hund"]
LISTS = NBest.from_arrays(
    texts=["ein Hund schläft", "Hund schläft ein", "Hund", "ein Katze sieht", "Katze ein sieht", "ein Katze sieht"],
    sizes=[3, 3],
    inputs=["a dog sleeps", "a cat sees"],
    references=["ein Hund schläft", "ein Katze sieht"],
)


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    words = [sentence.split() for sentence in SENTENCES]
    flat = [word for each in words for word in each]
    corpus = Corpus.of({"word": flat, "pos": [TAGS[word] for word in flat]}, sizes=[len(each) for each in words])
    return train_tagger(corpus, "pos", "pos")  # type: ignore[return-value]


def slow_counts(text: str) -> Counter[str]:
    tags = [TAGS[word] for word in text.split()]
    return Counter(
        "tags:" + " ".join(tags[at : at + order]) for order in (1, 2, 3) for at in range(len(tags) - order + 1)
    )


def test_counts_are_those_of_a_slow_count(tagger: Tagger) -> None:
    lists = DistinctTexts.of(LISTS)
    vocabulary = TagVocabulary.fit(lists, tagger, 1)
    found = vocabulary.features(lists)
    names = found.column_names().to_pylist()
    table = found.to_scipy().toarray()
    texts = lists.texts.to_pylist()
    counts = list(map(slow_counts, texts))
    # What is equally frequent in all texts of a list is no feature of that list.
    differing = set()
    for start, stop in zip(lists.offsets[:-1], lists.offsets[1:], strict=True):
        for name in set().union(*counts[start:stop]):
            if len({each[name] for each in counts[start:stop]}) > 1:
                differing.add(name)
    assert set(names) == differing
    for row, own in enumerate(counts):
        start, stop = next((a, b) for a, b in zip(lists.offsets[:-1], lists.offsets[1:], strict=True) if a <= row < b)
        for column, name in enumerate(names):
            differs = len({each[name] for each in counts[start:stop]}) > 1
            assert table[row, column] == (own[name] if differs else 0)


def test_a_model_keeps_its_tagger(tagger: Tagger) -> None:
    featurizer = TranslationFeaturizer(families="length,tags", target_tagger=tagger, min_lists=1)
    ours = featurizer.fit_transform(LISTS, "bleu").features
    plain, arrays = detach_arrays([featurizer.to_step()])
    (step,) = attach_arrays(plain, arrays.__getitem__)
    assert TranslationFeaturizer.is_step(step)
    theirs = TranslationFeaturizer.from_step(step).transform(LISTS).features
    assert ours.column_names().to_pylist() == theirs.column_names().to_pylist()
    np.testing.assert_array_equal(ours.to_scipy().toarray(), theirs.to_scipy().toarray())
    assert not TranslationFeaturizer.is_step({name: value for name, value in step.items() if name != "tags"})


def test_family_and_tagger_need_each_other(tagger: Tagger) -> None:
    with pytest.raises(UsageError, match="need each other"):
        TranslationFeaturizer(families="tags")
    with pytest.raises(UsageError, match="need each other"):
        TranslationFeaturizer(families="length", target_tagger=tagger)


def test_a_tagger_that_needs_more_than_words_is_refused() -> None:
    corpus = Corpus.of(
        {"word": ["ein", "Hund"], "pos": ["ART", "NN"], "chunk": ["B-NP", "I-NP"]},
        sizes=[2],
    )
    with pytest.raises(UsageError, match="words only"):
        tagger_of_words(train_tagger(corpus, "chunk", "chunks"))  # type: ignore[arg-type]


@pytest.mark.parametrize("damage", ["cut", "flipped", "text"])
def test_a_damaged_tagger_is_told(tagger: Tagger, damage: str) -> None:
    step = TagVocabulary.fit(DistinctTexts.of(LISTS), tagger, 1).to_step()
    content = step["tagger"].copy()
    if damage == "cut":
        content = content[: content.size // 2]
    elif damage == "flipped":
        content[content.size // 2 :] ^= 1
    step["tagger"] = "tagger" if damage == "text" else content
    with pytest.raises(ModelError):
        TagVocabulary.from_step(step)
