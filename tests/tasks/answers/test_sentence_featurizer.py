"""The featurizer of answering sentences: what it learns, in files and models, on lists that are odd."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import runoff
from runoff.errors import DataError, ModelError
from runoff.tasks.answers.sentence_featurizer import LEARNED, SentenceFeaturizer
from runoff.tasks.answers.sentence_lists import PLACE

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.nbest import NBest

VERBS = ("built", "painted", "wrote", "sold", "found", "drew", "lost", "saw")
THINGS = ("house", "boat", "poem", "map", "bell")


def lists(n: int = 40, **more: object) -> NBest:
    """A question for a date with four sentences; the right one has the words and a year."""
    inputs, texts = [], []
    for at in range(n):
        verb, thing = VERBS[at % len(VERBS)], THINGS[at % len(THINGS)]
        inputs.append(f"when was the {thing} {verb} ?")
        texts += [
            f"somebody {verb} the {thing} with joy .",
            f"the {thing} was {verb} in {1800 + at} .",
            f"nobody came in {1900 + at} .",
            "the end .",
        ]
    return runoff.NBest.from_arrays(
        texts=texts, sizes=[4] * n, inputs=inputs, quality=[0, 1, 0, 0] * n, metric="map,mrr", **more
    )


@pytest.fixture(scope="module")
def fitted() -> tuple[SentenceFeaturizer, NBest]:
    featurizer = SentenceFeaturizer()
    return featurizer, featurizer.fit_transform(lists())


def column(data: NBest, name: str) -> list[float]:
    at = data.features.column_names().to_pylist().index(name)
    return data.features.to_scipy().toarray()[:, at].tolist()


def test_years_answer_questions_for_dates(fitted: tuple[SentenceFeaturizer, NBest]) -> None:
    cues = np.array(column(fitted[1], "cue:asks")).reshape(-1, 4)
    assert (cues[:, 1] > cues[:, 3]).all()
    assert (cues[:, 2] > cues[:, 0]).all()


def test_training_lists_are_seen_by_what_others_say() -> None:
    """A word that one question alone has with its right sentence gives that question nothing."""
    data = lists(10)
    texts, inputs = data.texts.to_pylist(), data.inputs.to_pylist()
    inputs[3], texts[13] = "zzyzx ?", "quux ."
    changed = data.replace(texts=texts, inputs=inputs)
    featurizer = SentenceFeaturizer()
    apart = column(featurizer.fit_transform(changed), "told:likelihood")
    whole = column(featurizer.transform(changed), "told:likelihood")
    assert apart[13] == pytest.approx(apart[12])  # neither knows "quux"; their lengths are too small to matter
    assert whole[13] > apart[13] + 1


def test_a_model_keeps_it(tmp_path: Path) -> None:
    data = lists()
    model = runoff.tasks.get("answer-sentences").learner("loglinear").fit(data).model
    model.save(tmp_path / "a.runoff")
    again = runoff.load(tmp_path / "a.runoff")
    other = lists(7)
    np.testing.assert_array_equal(again.scores(other), model.scores(other))
    assert runoff.evaluate(again, other, "map")["map"].chosen.score == 1.0


def test_the_task_is_recognised() -> None:
    assert runoff.tasks.recognise(lists()).name == "answer-sentences"


def test_classes_and_entities_are_used_where_there_are_such() -> None:
    tags = ["\n".join("- " * len(text.split()) for text in lists(1).texts.to_pylist())] * 40
    data = lists(attributes={"class": ["NUM:date"] * 40, "entities": tags})
    made = SentenceFeaturizer().fit_transform(data)
    assert np.unique(column(made, "cue:class")).size > 1
    tagged = [text.replace("- - - - - -", "- - - - - B-DATE") for text in tags]
    with_dates = SentenceFeaturizer().fit_transform(lists(attributes={"class": ["NUM:date"] * 40, "entities": tagged}))
    assert column(with_dates, "cue:class") != column(made, "cue:class")


def test_tags_that_do_not_fit() -> None:
    with pytest.raises(DataError, match="list 1 has tags of entities that do not fit its words"):
        SentenceFeaturizer().fit_transform(lists(2, attributes={"entities": ["- -\n-\n-\n-"] * 2}))


def test_places_stay_and_sentences_before_count() -> None:
    data = lists(10)
    placed = runoff.NBest.from_arrays(
        [[1.0 - at % 4 / 4] for at in range(40)],
        texts=data.texts,
        sizes=[4] * 10,
        inputs=data.inputs,
        quality=data.quality,
        feature_names=[PLACE],
        metric="map,mrr",
    )
    made = SentenceFeaturizer().fit_transform(placed)
    assert column(made, PLACE) == [1.0, 0.75, 0.5, 0.25] * 10
    assert column(made, "list:before")[:4] == [0.0, *column(made, "match:share")[:3]]
    assert set(column(SentenceFeaturizer().fit_transform(data), "list:before")) == {0.0}


def test_empty_lists_have_no_rows(fitted: tuple[SentenceFeaturizer, NBest]) -> None:
    empty = runoff.NBest.from_arrays(texts=["a b"], offsets=[0, 0, 1], inputs=["who ?", "when ?"], quality=[1])
    made = fitted[0].transform(empty)
    assert made.features.shape[0] == 1
    assert set(LEARNED) <= set(made.features.column_names().to_pylist())


def test_lists_that_cannot_be_used() -> None:
    featurizer = SentenceFeaturizer()
    with pytest.raises(ModelError, match="has not been fitted"):
        featurizer.transform(lists(2))
    with pytest.raises(DataError, match="the lists have no quality"):
        featurizer.fit_transform(lists(2).replace(quality=None))
    with pytest.raises(DataError, match="with their question as the input"):
        featurizer.fit_transform(lists(2).replace(inputs=None))


@pytest.mark.parametrize("part", ["counts", "translations", "asks", "classes"])
def test_steps_that_are_damaged(fitted: tuple[SentenceFeaturizer, NBest], part: str) -> None:
    step = fitted[0].to_step()
    assert SentenceFeaturizer.is_step(step)
    assert not SentenceFeaturizer.is_step({**step, part: [1]})
    assert not SentenceFeaturizer.is_step({name: value for name, value in step.items() if name != part})
