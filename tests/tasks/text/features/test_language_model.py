"""Language models of references: nothing of a list's own references may reach its scores in training."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest

from runoff import NBest
from runoff.errors import DataError, ModelError
from runoff.features.lm import LanguageModel, estimate, write_arpa
from runoff.metrics.tokens import tokenised
from runoff.nbest.blocks import Blocks, blocks
from runoff.tasks.text import TextFeaturizer, featurize
from runoff.tasks.text.distinct_texts import DistinctTexts
from runoff.tasks.text.features.language_model import (
    NAMES,
    LanguageModelFeatures,
    cross_fitted_features,
    has_references,
)
from runoff.tasks.text.tokenizer import tokenize

if TYPE_CHECKING:
    from pathlib import Path

UNKNOWN = NAMES.index("lm:unknown words")


def own_words(n: int, again: dict[int, list[str]] | None = None) -> NBest:
    """Lists whose references have words that no other list has; `again` adds references to some."""
    references = [[f"x{at} y{at} z{at}", *(again or {}).get(at, [])] for at in range(n)]
    texts = [text for at in range(n) for text in (f"x{at} y{at} z{at}", f"x{at} w{at}")]
    return NBest.from_arrays(texts=texts, sizes=[2] * n, references=references)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 20])
@pytest.mark.parametrize("folds", [2, 5])
@pytest.mark.parametrize("seed", [0, 1, 5])
def test_no_list_is_scored_by_its_own_references(n: int, folds: int, seed: int) -> None:
    # Every word of a list stands in its own references alone: a model that saw them would know some.
    lists = DistinctTexts.of(own_words(n))
    names, table = cross_fitted_features(lists, 2, blocks(lists.data).folds_up_to(folds, seed))
    assert names == NAMES
    assert table[:, UNKNOWN].tolist() == lists.words.lengths[: lists.n_texts].tolist()
    # The model of all references does know them: the case would show a leak.
    known = LanguageModelFeatures.of_references(lists.data, 2).features(lists)[1]
    assert known[::2, UNKNOWN].tolist() == [0.0] * n


def test_references_of_another_fold_are_used() -> None:
    n = 12
    fold_of = Blocks(np.arange(n)).folds(3, 0)
    far = int(np.flatnonzero(fold_of != fold_of[0])[0])
    near = int(np.flatnonzero(fold_of == fold_of[0])[1])
    for other, unknown in ((far, [0.0, 1.0]), (near, [3.0, 2.0])):
        lists = DistinctTexts.of(own_words(n, {other: ["x0 y0 z0"]}))
        assert cross_fitted_features(lists, 2, fold_of)[1][:2, UNKNOWN].tolist() == unknown


@pytest.mark.parametrize("seed", range(5))
def test_lists_that_share_a_reference_are_scored_by_models_of_neither(seed: int) -> None:
    data = own_words(12, {at: ["x0 y0 z0"] for at in (3, 7, 11)})
    settings = {"families": "lm", "lm_order": 2, "folds": 3, "seed": seed}
    unknown = {
        by: featurize(data, metric="wer", **settings, group_by=by).features.to_scipy().toarray()[0, UNKNOWN]
        for by in (None, "none")
    }
    assert unknown == {None: 3.0, "none": 0.0}


def test_what_the_folds_of_a_language_model_keep_together_is_said() -> None:
    data = own_words(12, {at: ["x0 y0 z0"] for at in (3, 7, 11)})
    notes = {}
    for by in (None, "none"):
        featurizer = TextFeaturizer(families="lm", lm_order=2, folds=3, group_by=by)
        featurizer.fit_transform(data, "wer")
        notes[by] = [note for note in featurizer.notes if "together" in note]
    assert notes == {None: ["Folds keep lists together that share a reference: 12 lists in 9 blocks."], "none": []}


def test_each_fold_is_scored_by_a_model_of_the_others() -> None:
    rng = np.random.default_rng(0)
    words = np.array(["a", "b", "c", "d", "e"])
    references = [" ".join(rng.choice(words, 4)) for _ in range(9)]
    texts = [" ".join(rng.choice(words, 3)) for _ in range(18)]
    lists = DistinctTexts.of(NBest.from_arrays(texts=texts, sizes=[2] * 9, references=references))
    fold_of = blocks(lists.data).folds(4, 7)
    table = cross_fitted_features(lists, 3, fold_of)[1]
    for row in range(lists.n_texts):
        at = int(lists.list_of[row])
        others = [text for i, text in enumerate(references) if fold_of[i] != fold_of[at]]
        model = LanguageModel.train(tokenised(others, tokenize), 3)
        score = model.score(tokenised([lists.texts[row].as_py()], tokenize))
        n = len(lists.texts[row].as_py().split())
        expected = [score.total[0], score.total[0] / (n + 1), score.lowest[0], score.unknown[0]]
        assert table[row] == pytest.approx(expected, abs=1e-12)


def test_the_same_reference_twice_in_a_list_counts_once() -> None:
    once = NBest.from_arrays(texts=["a b", "b"], sizes=[1, 1], references=[["a b"], ["b c"]])
    twice = once.replace(references=[["a b", "a b"], ["b c", "b c", "b c"]])
    tables = [
        LanguageModelFeatures.of_references(data, 2).features(DistinctTexts.of(data))[1] for data in (once, twice)
    ]
    assert tables[0].tolist() == tables[1].tolist()


def test_whether_there_are_references() -> None:
    data = NBest.from_arrays(texts=["a"], sizes=[1])
    assert not has_references(data)
    assert not has_references(data.replace(references=[[]]))
    assert has_references(data.replace(references=["a"]))


def test_lists_without_references_and_empty_references() -> None:
    data = NBest.from_arrays(texts=["a", "b", "c"], sizes=[1, 1, 1], references=[[], ["a b", ""], ["", "b"]])
    table = cross_fitted_features(DistinctTexts.of(data), 2, np.arange(3))[1]
    assert np.isfinite(table).all()


# ---------------------------------------------------------------- files of one's own


@pytest.fixture
def arpa(tmp_path: Path) -> Path:
    path = tmp_path / "own.arpa"
    write_arpa(estimate(tokenised(["a b", "b c a"], tokenize), 2), path)
    return path


LISTS = DistinctTexts.of(NBest.from_arrays(texts=["a b", "c x"], sizes=[2]))


def test_a_file_is_used_where_it_is_and_known_again(arpa: Path) -> None:
    fluency = LanguageModelFeatures.of_file(str(arpa))
    again = LanguageModelFeatures.from_step(fluency.to_step())
    assert again.features(LISTS)[1].tolist() == fluency.features(LISTS)[1].tolist()
    assert fluency.features(LISTS)[1][:, UNKNOWN].tolist() == [0.0, 1.0]


def test_a_file_that_is_gone_or_another_is_said(arpa: Path) -> None:
    step = LanguageModelFeatures.of_file(str(arpa)).to_step()
    shutil.copy(arpa, arpa.with_suffix(".kept"))
    arpa.unlink()
    with pytest.raises(ModelError, match=r"own.arpa, which does not exist"):
        LanguageModelFeatures.from_step(step)
    arpa.mkdir()
    with pytest.raises(ModelError, match=r"own.arpa, which does not exist"):
        LanguageModelFeatures.from_step(step)
    arpa.rmdir()
    arpa.write_bytes(arpa.with_suffix(".kept").read_bytes().replace(b"a", b"d"))
    with pytest.raises(ModelError, match="is not the one that the model was trained with"):
        LanguageModelFeatures.from_step(step)


def test_a_file_that_never_was_is_said(tmp_path: Path) -> None:
    with pytest.raises((DataError, ModelError), match="cannot be read"):
        LanguageModelFeatures.of_file(str(tmp_path / "none.arpa"))


def test_what_a_model_keeps_gives_the_same_scores() -> None:
    fluency = LanguageModelFeatures.of_references(own_words(5), 3)
    again = LanguageModelFeatures.from_step(fluency.to_step())
    lists = DistinctTexts.of(own_words(7))
    assert again.features(lists)[1].tobytes() == fluency.features(lists)[1].tobytes()


def test_arrays_that_are_not_there_are_said() -> None:
    with pytest.raises(ModelError, match="the language model in this file is damaged"):
        LanguageModelFeatures.from_step({"arrays": {}})


@pytest.mark.parametrize("kept", [{}, {"file": {}}, {"file": 5}, {"file": {"path": 5, "is": ""}}, {"arrays": 5}])
def test_what_is_damaged_is_said(kept: dict[str, object]) -> None:
    with pytest.raises(ModelError, match="is damaged: it has neither arrays nor the name of a file"):
        LanguageModelFeatures.from_step(kept)
