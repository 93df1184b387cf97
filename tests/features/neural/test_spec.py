"""Which models are wanted, what folders are refused, and what is kept of scores; torch is not needed for it."""

import sys
from pathlib import Path

import numpy as np
import pytest

from runoff.errors import ModelError, UsageError
from runoff.features.neural import KeptScores, NeuralModel, NeuralScorer, is_model_step, parse_models
from runoff.features.neural.columns import CandidateTexts
from runoff.features.neural.kept_scores import content_key
from runoff.features.neural.loading import check_folder


def folder_with(path: Path, *names: str) -> Path:
    path.mkdir(exist_ok=True)
    for name in names:
        (path / name).write_text("{}")
    return path


def test_models_by_text() -> None:
    found = parse_models("causal-lm=a , reward=b/one, reward=b/two", prompt="{input}", dtype="auto")
    assert [(each.kind, each.folder, each.prompt, each.dtype, each.name) for each in found] == [
        ("causal-lm", "a", "{input}", "auto", "causal-lm"),
        ("reward", "b/one", "", "auto", "reward one"),
        ("reward", "b/two", "", "auto", "reward two"),
    ]


@pytest.mark.parametrize(
    ("text", "how", "said"),
    [
        ("encoder=a", {}, "there is no kind of neural model 'encoder'; there are: cross-encoder, reward, causal-lm"),
        ("cross-encoder", {}, "given as KIND=FOLDER"),
        ("reward=a/m,reward=b/m", {}, "the same name 'reward m'"),
        ("reward=a", {"prompt": "x"}, "a prompt is for a causal language model"),
        ("reward=a", {"dtype": "int8"}, "dtype must be one of float32, auto"),
    ],
)
def test_what_cannot_be_is_said(text: str, how: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parse_models(text, **how)


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ([], "has no config.json"),
        (["config.json"], r"no file ends in \.safetensors"),
        (["config.json", "pytorch_model.bin"], r"weights in pytorch_model\.bin, which can run code"),
        (["config.json", "model.pt"], r"weights in model\.pt, which can run code"),
        (["config.json", "adapter_config.json", "adapter.safetensors"], "has an adapter"),
    ],
)
def test_folders_that_cannot_be_used_are_refused_before_anything_is_loaded(
    tmp_path: Path, names: list[str], said: str
) -> None:
    folder = folder_with(tmp_path / "m", *names)
    with pytest.raises(UsageError, match=said):
        check_folder(NeuralModel("reward", str(folder)))


def test_without_the_packages_the_person_is_told_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_with(tmp_path / "m", "config.json", "model.safetensors")
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(UsageError, match=r"pip install 'runoff\[neural\]'"):
        NeuralScorer(NeuralModel("reward", str(folder))).columns(CandidateTexts(["a"], ["b"]))


def test_a_model_file_keeps_what_identifies_the_folder(tmp_path: Path) -> None:
    folder = folder_with(tmp_path / "m", "config.json", "model.safetensors")
    step = NeuralModel("causal-lm", str(folder), "{input}").to_step()
    assert is_model_step(step)
    assert NeuralModel.from_step(step).to_step() == step
    for wrong in ({"kind": "x"}, {"prompt": 5}, {"files": ""}, {"dtype": "x"}, {"label": "\0"}, {"more": 1}):
        assert not is_model_step({**step, **wrong})
    (folder / "config.json").write_text("{ }")
    with pytest.raises(ModelError, match="is not the one that the model was trained with"):
        NeuralModel.from_step(step)
    with pytest.raises(ModelError, match="which does not exist"):
        NeuralModel.from_step({**step, "folder": str(tmp_path / "gone")})


def test_how_a_model_is_asked_is_part_of_what_its_scores_are(tmp_path: Path) -> None:
    folder = str(folder_with(tmp_path / "m", "config.json"))
    asked = [
        NeuralModel("causal-lm", folder),
        NeuralModel("causal-lm", folder, "{input}"),
        NeuralModel("causal-lm", folder, dtype="auto"),
        NeuralModel("masked-lm", folder),
    ]
    assert len({each.fingerprint for each in asked}) == len(asked)
    assert NeuralModel("causal-lm", folder, label="x").fingerprint == asked[0].fingerprint


def test_scores_of_two_processes_are_both_kept(tmp_path: Path) -> None:
    one, other = (KeptScores("f", tmp_path) for _ in range(2))
    keys = [content_key(None, text) for text in "ab"]
    one.add(keys[:1], np.array([[1.0]]), ["score"])
    other.add(keys[1:], np.array([[2.0]]), ["score"])
    one.save()
    other.save()
    found = KeptScores("f", tmp_path)
    assert [found.get(key).tolist() for key in keys] == [[1.0], [2.0]]
    assert found.columns == ("score",)


def test_damaged_files_of_scores_are_refused(tmp_path: Path) -> None:
    kept = KeptScores("f", tmp_path)
    kept.add([content_key(None, "a")], np.array([[1.0]]), ["score"])
    kept.save()
    assert kept.path is not None
    whole = kept.path.read_bytes()
    for at in range(0, len(whole), 7):
        kept.path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        try:
            found = KeptScores("f", tmp_path)
        except ModelError as error:
            assert "it can be deleted" in str(error) or "version" in str(error)  # noqa: PT017 - some bytes say nothing
        else:
            assert np.isfinite([found.get(key) for key in found._rows]).all()
    kept.path.write_bytes(whole)
    with pytest.raises(UsageError, match="cannot be written; name another, or none"):
        KeptScores("f", kept.path)
