"""Features of translations: those of a slow and obvious computation, by what has not seen the sentence."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest

import runoff
from runoff import learners
from runoff.errors import DataError, UsageError
from runoff.learners.featurized import with_featurizer
from runoff.nbest import NBest
from runoff.nbest.blocks import blocks
from runoff.tasks.text.distinct_texts import DistinctTexts
from runoff.tasks.translation.families import DENSE, OWN, select_families
from runoff.tasks.translation.feature_settings import FeatureSettings
from runoff.tasks.translation.features.evidence import FLOOR, Evidence
from runoff.tasks.translation.features.lexicon_scores import lexicon_features
from runoff.tasks.translation.features.linked_pairs import left_out_units, linked_units
from runoff.tasks.translation.features.translated_texts import TranslatedTexts
from runoff.tasks.translation.featurizer import TranslationFeaturizer
from runoff.tasks.translation.parallel_knowledge import TrainingPairs

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.tasks.translation.bilingual_lexicon import BilingualLexicon
    from runoff.tasks.translation.translator import Translator

TRAINED = 250
Sides = tuple[list[str], list[str]]


@pytest.fixture(scope="module")
def lists(translator: Translator, phrases: Sides) -> NBest:
    """Lists of sentences that the translator was not trained on."""
    source, target = (side[TRAINED : TRAINED + 12] for side in phrases)
    return runoff.grade(translator.nbest(source, 6, references=[[text] for text in target]), "bleu")


@pytest.fixture(scope="module")
def texts(lists: NBest, phrases: Sides) -> tuple[TranslatedTexts, BilingualLexicon]:
    """The lists as tokens, with a lexicon of other sentences."""
    source, target = (side[:60] for side in phrases)
    lexicon = TrainingPairs(source, target).learn(lm_order=2).lexicon
    return TranslatedTexts.of(DistinctTexts.of(lists), lexicon.source, lexicon.target), lexicon


def test_lexicon_scores_are_model_1s(texts: tuple[TranslatedTexts, BilingualLexicon]) -> None:
    # The textbook's sum: for every target word the mean over source words and none of p(word | source word).
    found, lexicon = texts
    names, table = lexicon_features(found, Evidence.of(found, lexicon))
    assert len(names) == table.shape[1] == 8
    for text in range(0, found.lists.n_texts, 7):
        source = found.source.of(int(found.lists.list_of[text]))
        target = found.target.of(text)
        for column, (ours, theirs, lexical) in enumerate(
            ((source, target, lexicon.direct), (target, source, lexicon.inverse))
        ):
            probability = {(a, b): p for a in [*ours, None] for b in theirs if (p := lexical.probability(a, b)) > 0}
            slow = sum(
                math.log(max(sum(probability.get((a, b), 0.0) for a in [*ours, None]) / (len(ours) + 1), FLOOR))
                for b in theirs
            )
            assert table[text, column] == pytest.approx(slow, rel=1e-6), (ours, theirs)
            assert table[text, column + 4] == pytest.approx(slow / len(theirs), rel=1e-6)


def test_linked_words_and_words_left_out_are_all_words(texts: tuple[TranslatedTexts, BilingualLexicon]) -> None:
    found, lexicon = texts
    links = Evidence.of(found, lexicon).links
    linked, left = linked_units(found, links), left_out_units(found, links)
    for text in range(found.lists.n_texts):
        source, target = found.source.of(int(found.lists.list_of[text])), found.target.of(text)
        here = links[found.target.offsets[text] : found.target.offsets[text + 1]].tolist()
        pairs = [f"{source[at] if at >= 0 else ''}={word}" for at, word in zip(here, target, strict=True)]
        assert linked.of(text) == pairs
        assert left.of(text) == [word for at, word in enumerate(source) if at not in here]


def test_no_list_is_measured_by_its_own_sentence(lists: NBest, phrases: Sides) -> None:
    # What a list gets must not change when the translation of its own sentence becomes another one.
    source, target = phrases[0][: TRAINED + 12], phrases[1][: TRAINED + 12]
    options = {"families": "own", "folds": 3, "lm_order": 2}
    made = TranslationFeaturizer(**options, source_text=source, target_text=target).fit_transform(lists, "bleu")
    fold_of = blocks(lists, None).folds_up_to(3, 0)
    for group in (0, 5):
        other = list(target)
        other[TRAINED + group] = "ganz andere Worte stehen hier"
        changed = TranslationFeaturizer(**options, source_text=source, target_text=other).fit_transform(lists, "bleu")
        rows = slice(lists.offsets[group], lists.offsets[group + 1])
        one, two = (each.features.to_scipy()[rows].toarray() for each in (made, changed))
        assert np.array_equal(one, two)
        elsewhere = np.flatnonzero(fold_of != fold_of[group])[0]
        rows = slice(lists.offsets[elsewhere], lists.offsets[elsewhere + 1])
        one, two = (each.features.to_scipy()[rows].toarray() for each in (made, changed))
        assert not np.array_equal(one, two)  # others have learned from it


def test_inputs_and_references_of_the_lists_are_parallel_text_too(lists: NBest) -> None:
    made = TranslationFeaturizer(families="lexicon").fit_transform(lists, "bleu")
    assert made.features.n_columns == 8
    featurizer = TranslationFeaturizer(families="usual")
    without = featurizer.fit_transform(lists.replace(references=None))
    assert "there is no parallel text, and there are no references" in featurizer.notes[-1]
    assert not any(name.startswith(tuple(OWN)) for name in without.features.column_names().to_pylist())
    featurizer.fit_transform(lists.replace(inputs=None), "bleu")
    assert "there are no source sentences in the lists" in featurizer.notes[-1]


def test_models_carry_what_they_need_and_take_raw_lists(lists: NBest, phrases: Sides, tmp_path: Path) -> None:
    source, target = (side[:60] for side in phrases)
    featurizer = TranslationFeaturizer(
        families="usual,pairs", min_lists=2, lm_order=2, source_text=source, target_text=target
    )
    made = featurizer.fit_transform(lists, "bleu")
    assert any(name.startswith("pair:") for name in made.features.column_names().to_pylist())
    model = with_featurizer(learners.LogLinear().fit(made).model, featurizer)
    model.save(tmp_path / "m")
    again = runoff.load(tmp_path / "m")
    assert np.array_equal(again.scores(lists), model.scores(lists))
    unseen = featurizer.transform(lists)
    assert np.array_equal(again.scores(unseen), model.scores(lists))  # made before, or made by the model
    assert "not seen in training" not in str(runoff.evaluate(again, unseen, metric="bleu"))
    with pytest.raises(DataError, match="need the source sentences"):
        again.scores(lists.replace(inputs=None))


def test_words_numbers_and_marks_are_kept_lost_and_added(phrases: Sides) -> None:
    source, target = (side[:60] for side in phrases)
    pairs = [f"{line} 7" for line in source], [f"{line} 7" for line in target]
    data = NBest.from_arrays(
        texts=["Der Mann sieht Zorbo 42!", "Der Mann sieht 43."], sizes=[2], inputs=["The man sees Zorbo 42!"]
    )
    featurizer = TranslationFeaturizer(families="coverage", source_text=pairs[0], target_text=pairs[1])
    made = featurizer.fit_transform(data)
    names = made.features.column_names().to_pylist()
    table = made.features.to_scipy().toarray()
    values = [dict(zip(names, row, strict=True)) for row in table]
    for what, counts in {
        "unknown words kept": (1, 0),
        "unknown words lost": (0, 1),
        "numbers kept": (1, 0),
        "numbers lost": (0, 1),
        "numbers added": (0, 1),
        "marks kept": (1, 0),
        "marks lost": (0, 1),
        "marks added": (0, 1),
    }.items():
        assert tuple(each[f"coverage:{what}"] for each in values) == counts, what


def test_families_are_named_as_those_of_texts() -> None:
    assert select_families("usual") == DENSE
    assert set(select_families("usual,pairs")) == {*DENSE, "pairs"}
    assert "lexicon" not in select_families("-lexicon")
    assert Counter(select_families("own,lexicon"))["lexicon"] == 1
    with pytest.raises(UsageError, match="'tail'"):
        select_families("tail")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"source_text": ["a"]}, "parallel text has two sides; give both source_text and target_text"),
        ({"families": "tags"}, "the family tags and the setting target_tagger need each other"),
        ({"lm_order": 9}, "lm_order of FeatureSettings"),
        ({"folds": 1}, "folds of FeatureSettings"),
        ({"colour": 1}, "features of translations have no setting 'colour'; there are: families, "),
    ],
)
def test_mistakes_in_settings_are_told(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        FeatureSettings.of(dict(options))


def test_sides_of_parallel_text_must_fit(lists: NBest, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="source_text has 2 sentences, but target_text has 1"):
        TranslationFeaturizer(families="lexicon", source_text=["a", "b"], target_text=["c"]).fit_transform(lists)
    with pytest.raises(UsageError, match="must both be files, or both be sentences"):
        TranslationFeaturizer(families="lexicon", source_text=tmp_path, target_text=["c"]).fit_transform(lists)
    with pytest.raises(DataError, match="no lexicon can be learned"):
        TranslationFeaturizer(families="lexicon", source_text=["a"], target_text=[""]).fit_transform(lists)
    with pytest.raises(UsageError, match="not fitted yet"):
        TranslationFeaturizer(families="lexicon").transform(lists)
