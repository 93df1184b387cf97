"""The family `neural`: columns of the text featurizer, kept in models by folder and fingerprint."""

from pathlib import Path

import numpy as np
import pytest

from helpers.counting_network import model_folder, use_counts
from runoff import LinearModel, ModelError, NBest, load
from runoff.errors import UsageError
from runoff.tasks.text import TextFeaturizer, TextReranker
from runoff.tasks.text.settings import TextSettings

LISTS = NBest.from_arrays(
    texts=["aa", "b", "aa", "c", "aaa"], sizes=[3, 2], inputs=["a", None], references=["aa", "aaa"], metric="exact"
)
COLUMNS = ["cross-encoder:a", "cross-encoder:length"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    use_counts(monkeypatch, tmp_path / "caches")
    return model_folder(tmp_path / "m")


def featurizer(folder: Path) -> TextFeaturizer:
    return TextFeaturizer(families="neural", neural=f"cross-encoder={folder}", similarity="wer")


def test_columns_are_those_of_the_model(folder: Path) -> None:
    made = featurizer(folder).fit_transform(LISTS)
    assert made.features.column_names().to_pylist() == COLUMNS
    assert made.features.to_scipy().toarray().tolist() == [[3, 4], [1, 3], [3, 4], [0, 2], [3, 4]]


def test_a_model_names_the_folder_and_is_opened_only_with_permission(folder: Path, tmp_path: Path) -> None:
    fitted = featurizer(folder)
    made = fitted.fit_transform(LISTS)
    path = tmp_path / "model.runoff"
    weighed = LinearModel.of({COLUMNS[0]: 1.0})
    LinearModel(weighed.weights, weighed.names, preparation=(fitted.to_step(),)).save(path)
    with pytest.raises(ModelError, match=f"the neural model {folder}"):
        load(path)
    found = load(path, allow_external=True)
    expected = made.features.to_scipy().toarray()[:, 0]
    np.testing.assert_array_equal(found.scores(LISTS), expected)
    (folder / "model.safetensors").write_bytes(b"13")
    with pytest.raises(ModelError, match="is not the one that the model was trained with"):
        load(path, allow_external=True).scores(LISTS)


def test_a_reranker_learns_from_them(folder: Path) -> None:
    texts = ["b", "aa"] * 40
    train = NBest.from_arrays(texts=texts, sizes=[2] * 40, references=["aa"] * 40, metric="exact")
    settings = {"families": "neural", "neural": f"reward={folder}", "recipes": "loglinear"}
    model = TextReranker(metric="exact", **settings).fit(train).model
    assert [choice.text for choice in model.pick(train)[:2]] == ["aa", "aa"]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"families": "usual,neural"}, "the family neural needs models, as in neural=cross-encoder=FOLDER"),
        ({"neural": "reward=m"}, "neural models are used by the family neural"),
        ({"families": "neural", "neural": "rewrd=m"}, "there is no kind of neural model 'rewrd'"),
        ({"families": "neural", "neural": "reward=m", "prompt": "x"}, "a prompt is for a causal language model"),
        ({"families": "neural", "neural": 5}, "neural of TextSettings must be a text"),
    ],
)
def test_what_cannot_be_is_said(settings: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        TextSettings(**settings)


def test_damaged_steps_are_refused(folder: Path) -> None:
    fitted = featurizer(folder)
    fitted.fit_transform(LISTS)
    step = fitted.to_step()
    assert TextFeaturizer.is_step(step)
    assert not TextFeaturizer.is_step({**step, "neural": []})
    assert not TextFeaturizer.is_step({**step, "neural": [{**step["neural"][0], "kind": 5}]})
    assert not TextFeaturizer.is_step({name: value for name, value in step.items() if name != "neural"})
