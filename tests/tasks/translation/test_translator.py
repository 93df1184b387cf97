"""Translators: what they translate, the lists they make, and how they are trained."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from runoff.errors import DataError, UsageError
from runoff.features.lm import LanguageModel, estimate, write_arpa
from runoff.metrics.tokens import tokenised
from runoff.tasks.translation.alignments import Alignments
from runoff.tasks.translation.training import train_translator
from runoff.tasks.translation.translation_scores import scores_of
from runoff.tasks.translation.translator_settings import TranslatorSettings

from .conftest import TRAINED

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.tasks.translation.translator import Translator

Sides = tuple[list[str], list[str]]
SMALL = ["a cat", "a dog", "the cat sleeps"], ["eine Katze", "ein Hund", "die Katze schläft"]


def test_sentences_that_training_has_not_seen(translator: Translator, phrases: Sides) -> None:
    source, target = (side[TRAINED:] for side in phrases)
    found = translator.translate(source)
    scores = scores_of(found, [[text] for text in target])
    words = scores_of(source, [[text] for text in target])  # nothing done
    assert scores["bleu"] > 60 > 20 > words["bleu"]
    assert translator.translate(["", source[0], "  "]) == ["", found[0], ""]
    assert translator.translate([]) == []


def test_lists_have_the_terms_of_scores_and_different_translations(translator: Translator, phrases: Sides) -> None:
    source, target = (side[TRAINED : TRAINED + 4] for side in phrases)
    lists = translator.nbest([*source, "banks", ""], 1000, references=[[text] for text in [*target, "", ""]])
    assert lists.sizes[:4].tolist() == [1000] * 4
    assert lists.sizes[5] == 1
    names = lists.features.column_names().to_pylist()
    assert set(names) == set(translator.weights)
    weights = np.array([translator.weights[name] for name in names])
    assert lists.base == pytest.approx(lists.features.to_scipy() @ weights, rel=1e-5, abs=1e-5)
    texts = lists.texts.to_pylist()
    tokens = translator.target.tokens(texts)
    for group in range(len(lists)):
        rows = slice(lists.offsets[group], lists.offsets[group + 1])
        assert (np.diff(lists.base[rows]) <= 1e-9).all()
        here = range(rows.start, rows.stop)
        assert len({tuple(tokens.of(row)) for row in here}) > 0.9 * len(here)  # capitals and blanks may be the same
    assert [texts[row] for row in lists.offsets[:-1]] == translator.translate([*source, "banks", ""])
    assert lists.group_ids.to_pylist() == [str(at) for at in range(6)]
    assert lists.metric == "bleu"


def test_phrase_pairs_are_counted(translator: Translator, phrases: Sides) -> None:
    source = phrases[0][TRAINED : TRAINED + 5]
    plain, lists = (translator.nbest(source, 20, phrase_pairs=each) for each in (False, True))
    names = lists.features.column_names().to_pylist()
    assert names[: len(translator.weights)] == plain.features.column_names().to_pylist()
    table = lists.features.to_scipy().toarray()
    pairs = [name.startswith("phrase:") for name in names]
    used = table[:, pairs].sum(axis=1)
    phrases_term, unknown = names.index("phrases"), names.index("unknown")
    np.testing.assert_array_equal(used, table[:, phrases_term] - table[:, unknown])
    first = [name for name, value in zip(names, table[0], strict=True) if value and name.startswith("phrase:")]
    tokens = translator.source.tokens(source[:1]).of(0)
    said = [name.removeprefix("phrase:").split("=")[0] for name in first]
    assert sorted(word for text in said for word in text.split()) == sorted(tokens)


def test_other_weights_are_other_translations(translator: Translator, phrases: Sides) -> None:
    source = phrases[0][TRAINED : TRAINED + 5]
    before = translator.translate(source)
    longer = translator.with_weights({**translator.weights, "words": translator.weights["words"] + 3.0})
    assert sum(map(len, longer.translate(source))) > sum(map(len, before))
    assert translator.translate(source) == before
    assert longer.decoder._phrases is translator.decoder._phrases
    with pytest.raises(UsageError, match="there is no term 'lmm' to weigh"):
        translator.with_weights({"lmm": 1.0})


@pytest.mark.parametrize("aligner", ["model1", "hmm", "diagonal"])
@pytest.mark.parametrize("smoothing", ["none", "kneser-ney"])
def test_all_kinds_of_training(phrases: Sides, aligner: str, smoothing: str) -> None:
    source, target = (side[:60] for side in phrases)
    settings = TranslatorSettings(aligner=aligner, smoothing=smoothing, reordering=False, truecase=False, order=2)  # type: ignore[arg-type]
    found = train_translator(source, target, settings)
    assert not any(name.startswith("reordering") for name in found.weights)
    assert scores_of(found.translate(source[:10]), [[text] for text in target[:10]])["bleu"] > 50
    assert found.provenance["settings"] == settings.to_dict()


def test_training_is_the_same_for_any_number_of_threads(phrases: Sides, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for threads in ("1", "3"):
        monkeypatch.setenv("RUNOFF_THREADS", threads)
        found.append(train_translator(phrases[0][:80], phrases[1][:80]))
    assert np.array_equal(found[0].table.scores, found[1].table.scores)
    assert np.array_equal(found[0].table.links, found[1].table.links)
    assert np.array_equal(found[0].language_model.values, found[1].language_model.values)


def test_a_language_model_and_an_alignment_may_be_given(tmp_path: Path) -> None:
    source, target = SMALL
    own = train_translator(source, target)
    tokens = own.target.tokens([*target, "ein Haus"])
    write_arpa(estimate(tokens, 2), tmp_path / "lm.arpa")
    Alignments.of([[(0, 0), (1, 1)], [(0, 0), (1, 1)], [(0, 0), (1, 1), (2, 2)]]).write(tmp_path / "links")
    given = train_translator(source, target, language_model=tmp_path / "lm.arpa", alignment=tmp_path / "links")
    expected = LanguageModel.train(tokens, 2)
    assert given.language_model.order == 2
    np.testing.assert_array_equal(given.language_model.keys, expected.keys)
    np.testing.assert_allclose(given.language_model.values, expected.values, atol=1e-6)
    assert given.table.options(["cat", "sleeps"])[0].links == ((0, 0), (1, 1))
    more = train_translator(source, target, text=["ein Haus"])
    assert more.language_model.score(tokenised(["ein Haus"], str.split)).unknown[0] == 0
    assert own.language_model.score(tokenised(["ein Haus"], str.split)).unknown[0] == 1


def test_pairs_that_cannot_be_aligned_are_left_out_and_counted() -> None:
    source, target = [*SMALL[0], "", "word", "x " * 101], [*SMALL[1], "leer", "", "x " * 101]
    found = train_translator(source, target)
    assert found.provenance["pairs"] == 3
    assert found.provenance["notes"][0].startswith("3 pairs of 6 left out of training: a side is empty, ")
    with pytest.raises(DataError, match="no sentence pair can be aligned"):
        train_translator(["", "a"], ["a", ""])
    with pytest.raises(UsageError, match="there are 1 source and 2 target sentences"):
        train_translator(["a"], ["a", "b"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"aligner": "giza"}, "no word aligner 'giza'; there are: model1, hmm, diagonal, eflomal"),
        ({"smoothing": "gt"}, "no smoothing of phrases 'gt'; there are: kneser-ney, none"),
        ({"symmetrise": "both"}, "no way to symmetrise alignments 'both'"),
        ({"longest_phrase": 9}, "the length of phrases must be a whole number from 1 to 8; found 9"),
        ({"order": True}, "the order of the language model must be a whole number from 1 to 7; found True"),
        ({"longest_sentence": 0}, "the length of training sentences must be a whole number from 1 to 1,000"),
    ],
)
def test_mistakes_in_settings_are_told(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        TranslatorSettings(**options)  # type: ignore[arg-type]
