"""Features of texts in one call."""

import numpy as np
import pytest

from runoff import LogLinear, NBest
from runoff.errors import UsageError
from runoff.tasks.text import TextFeaturizer, featurize

DATA = NBest.from_arrays(
    texts=["a cat sat", "a cat", "the dog", "a dog", "the cat sat", "a cat ran"],
    sizes=[2, 2, 2],
    references=["a cat sat", "the dog", "the cat sat"],
    metric="wer",
)


def table(data: NBest) -> np.ndarray:
    return data.features.to_scipy().toarray()


def test_is_what_learning_gives_for_the_training_lists() -> None:
    featurized = featurize(DATA, families="usual", min_lists=1)
    expected = TextFeaturizer(families="usual", min_lists=1).fit_transform(DATA, "wer")
    assert featurized.features.column_names().equals(expected.features.column_names())
    assert np.array_equal(table(featurized), table(expected))


def test_texts_are_compared_by_what_the_data_is_judged_by() -> None:
    def agreement(**how: str) -> np.ndarray:
        return table(featurize(DATA, families="agreement", **how))

    assert np.array_equal(agreement(), agreement(metric="wer"))
    assert not np.array_equal(agreement(), agreement(metric="chrf"))
    assert np.array_equal(agreement(metric="wer", similarity="chrf"), agreement(metric="chrf"))


def test_like_makes_the_same_features_for_others() -> None:
    featurizer = TextFeaturizer(families="length,words", min_lists=1)
    featurizer.fit_transform(DATA, "wer")
    other = NBest.from_arrays(texts=["a cat", "new words"], sizes=[2])
    featurized = featurize(other, like=featurizer)
    assert featurized.features.column_names().equals(featurizer.transform(DATA).features.column_names())
    assert np.array_equal(table(featurized), table(featurizer.transform(other)))


def test_any_learner_can_use_them() -> None:
    featurized = featurize(DATA, families="length,repetition")
    # The longer text is never the wrong one.
    assert LogLinear(sigma=1.0, metric="wer").fit(featurized).predict(featurized).tolist() == [0, 0, 0]


def test_an_option_that_there_is_not_is_said() -> None:
    with pytest.raises(UsageError, match="familys"):
        featurize(DATA, familys="length")


def test_options_beside_like_are_said() -> None:
    featurizer = TextFeaturizer(families="length")
    featurizer.fit_transform(DATA, "wer")
    with pytest.raises(UsageError, match="`like` determines the features"):
        featurize(DATA, like=featurizer, families="words")
