"""Models that name files outside their own: opened only where that is allowed, and with those of the training alone."""

from __future__ import annotations

import dataclasses
import os
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from click.testing import CliRunner

from helpers.text_featurizers import Encoder, synthetic
from runoff import LinearModel, ModelError, NBest, load, write
from runoff.cli import main
from runoff.features.external_files import files_fingerprint
from runoff.features.featurizer import Featurizer
from runoff.features.lm import estimate, write_arpa
from runoff.metrics.tokens import tokenised
from runoff.registry import FEATURIZERS
from runoff.tasks.text.featurizer import TextFeaturizer
from runoff.tasks.text.tokenizer import tokenize

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TEST = synthetic(3)


class Loads:
    """Stands for `SentenceTransformer`: takes down what it was asked to load."""

    asked: list[str]

    def __init__(self) -> None:
        self.asked = []

    def __call__(self, name: str, **_: Any) -> Encoder:
        self.asked.append(name)
        return Encoder()


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> Loads:
    found = Loads()
    monkeypatch.setitem(sys.modules, "sentence_transformers", SimpleNamespace(SentenceTransformer=found))
    return found


def saved(path: Path, **settings: Any) -> LinearModel:
    """A model with a featurizer, and its file."""
    featurizer = TextFeaturizer(**settings)
    made = featurizer.fit_transform(synthetic(1))
    weights = dict.fromkeys(made.features.column_names().to_pylist(), 0.5)
    model = LinearModel.of(weights)
    kept = LinearModel(model.weights, model.names, preparation=(featurizer.to_step(),))
    kept.save(path)
    return kept


@pytest.fixture
def arpa(tmp_path: Path) -> Path:
    path = tmp_path / "big.arpa"
    write_arpa(estimate(tokenised(["a b", "b c a"], tokenize), 2), path)
    return path


@pytest.fixture
def encoder(tmp_path: Path) -> Path:
    folder = tmp_path / "encoder"
    (folder / "weights").mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    (folder / "weights" / "model.bin").write_text("12")
    return folder


def test_a_language_model_needs_permission(arpa: Path, tmp_path: Path) -> None:
    trained = saved(tmp_path / "m.runoff", families="lm", lm=str(arpa))
    expected = trained.scores(TEST)  # where it was trained, it is used
    with pytest.raises(ModelError) as error:
        load(tmp_path / "m.runoff")
    assert str(error.value).endswith(
        f"m.runoff asks for the language model {arpa}, outside its file; if you trust both, allow it: "
        "--allow-external, or load(path, allow_external=True)."
    )
    assert load(tmp_path / "m.runoff", allow_external=True).scores(TEST).tobytes() == expected.tobytes()


def test_a_change_at_the_end_of_a_large_language_model_is_seen(arpa: Path, tmp_path: Path) -> None:
    with arpa.open("a") as file:
        file.write("\n" * (1 << 20) + "x")
    saved(tmp_path / "m.runoff", families="lm", lm=str(arpa))
    content = arpa.read_bytes()
    arpa.write_bytes(content[:-1] + b"y")
    model = load(tmp_path / "m.runoff", allow_external=True)
    with pytest.raises(ModelError, match=r"big\.arpa is not the one that the model was trained with"):
        model.scores(TEST)
    arpa.write_bytes(content)
    model.scores(TEST)


@pytest.mark.parametrize("change", ["none", "content", "another file", "renamed", "gone", "hidden"])
def test_an_encoder_needs_permission_and_the_same_files(
    encoder: Path, tmp_path: Path, loads: Loads, change: str
) -> None:
    saved(tmp_path / "m.runoff", families="embedding", encoder=str(encoder))
    loads.asked.clear()
    with pytest.raises(ModelError, match=f"asks for the sentence encoder {encoder}, outside its file"):
        load(tmp_path / "m.runoff")
    if change == "content":
        (encoder / "weights" / "model.bin").write_text("13")
    elif change == "another file":
        (encoder / "code.py").write_text("print()")
    elif change == "renamed":
        (encoder / "config.json").rename(encoder / "other.json")
    elif change == "gone":
        encoder.rename(tmp_path / "elsewhere")
    elif change == "hidden":
        (encoder / ".git").write_text("a note")
    model = load(tmp_path / "m.runoff", allow_external=True)
    assert loads.asked == []
    if change in ("none", "hidden"):
        model.scores(TEST)
        assert loads.asked == [str(encoder)]
        return
    with pytest.raises(ModelError, match="encoder is not the one that the model was trained with"):
        model.scores(TEST)
    assert loads.asked == []


def test_a_folder_does_not_pass_for_an_encoder_that_was_known_by_name(
    tmp_path: Path, loads: Loads, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    saved(tmp_path / "m.runoff", families="embedding", encoder="some-model")
    load("m.runoff", allow_external=True).scores(TEST)
    loads.asked.clear()
    (tmp_path / "some-model").mkdir()
    with pytest.raises(ModelError, match="some-model is not the one"):
        load("m.runoff", allow_external=True).scores(TEST)
    assert loads.asked == []


def test_both_are_named(arpa: Path, encoder: Path, tmp_path: Path, loads: Loads) -> None:
    saved(tmp_path / "m.runoff", families="lm,embedding", lm=str(arpa), encoder=str(encoder))
    assert loads.asked == [str(encoder)]
    with pytest.raises(ModelError, match=f"the language model {arpa} and the sentence encoder {encoder}, outside"):
        load(tmp_path / "m.runoff")


@pytest.mark.parametrize(
    "arguments",
    [
        ["pick", "m.runoff", "test.jsonl"],
        ["eval", "m.runoff", "test.jsonl", "--metric", "wer", "--resamples", "10", "--trials", "10"],
        ["explain", "m.runoff", "test.jsonl", "--group", "two"],
        ["compare", "m.runoff", "m.runoff", "test.jsonl", "--metric", "wer", "--resamples", "10", "--trials", "10"],
        ["margins", "m.runoff", "test.jsonl", "--metric", "wer"],
        ["features", "test.jsonl", "--like", "m.runoff", "-o", "made.jsonl"],
        ["train", "rows.jsonl", "--featurizer", "m.runoff", "-o", "n.runoff"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_every_command_that_opens_a_model_asks(
    arguments: list[str], arpa: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    saved(tmp_path / "m.runoff", families="lm", lm=str(arpa))
    texts = {"texts": ["a b", "b c", "c a b", "b"], "sizes": [2, 2], "references": ["a b", "b c"]}
    write(NBest.from_arrays(**texts, group_ids=["one", "two"], metric="wer"), "test.jsonl")
    rows = np.array([[1.0], [0.0], [0.0], [1.0]])
    write(NBest.from_arrays(rows, [1, 0, 0, 1], sizes=[2, 2], feature_names=["lm:per word"]), "rows.jsonl")
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 1, done.output
    assert f"asks for the language model {arpa}" in done.output
    done = CliRunner().invoke(main, [*arguments, "--allow-external"])
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize(
    ("arguments", "of"),
    [(["features", "a.jsonl", "-o", "b.jsonl"], "--like"), (["train", "a.jsonl", "-o", "b"], "--featurizer")],
)
def test_permission_without_a_model_is_said(
    arguments: list[str], of: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.jsonl").write_text('{"candidates": ["a", "b"]}')
    done = CliRunner().invoke(main, [*arguments, "--allow-external"])
    assert done.exit_code == 2
    assert f"--allow-external is for the file of {of}" in done.output


@pytest.mark.parametrize(
    "change",
    [
        lambda step: step["encoder"].__setitem__("object", "text"),
        lambda step: step["encoder"].__setitem__("name", "a\0b"),
        lambda step: step["encoder"].__setitem__("files", 3),
        lambda step: step["encoder"].__delitem__("files"),
        lambda step: step.__setitem__("lm", {"file": {"path": "a\0b", "is": "x"}}),
    ],
)
def test_a_step_that_names_something_impossible_is_seen(
    change: Callable[[dict[str, Any]], None], encoder: Path, loads: Loads
) -> None:
    featurizer = TextFeaturizer(families="embedding", encoder=str(encoder))
    featurizer.fit_transform(synthetic(1))
    step = featurizer.to_step()
    assert TextFeaturizer.is_step(step)
    change(step)
    assert not TextFeaturizer.is_step(step)
    assert len(loads.asked) == 1


def test_a_featurizer_is_asked_what_it_needs_before_it_is_restored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    restored: list[Any] = []

    class Needy(Featurizer):
        step = "needy"

        @classmethod
        def externals(cls, step: Any) -> tuple[str, ...]:
            return (f"the letter {step['letter']}",)

        @classmethod
        def from_step(cls, step: Any) -> Any:
            restored.append(step)

    monkeypatch.setitem(FEATURIZERS._entries, "needy", Needy)
    needy = dataclasses.replace(LinearModel.of({}), preparation=({"step": "needy", "letter": "A"},))
    needy.save(tmp_path / "m.runoff")
    with pytest.raises(ModelError, match="asks for the letter A, outside its file"):
        load(tmp_path / "m.runoff")
    assert restored == []
    load(tmp_path / "m.runoff", allow_external=True)
    assert len(restored) == 1


def test_files_that_cannot_be_read_are_a_sentence(encoder: Path) -> None:
    if os.geteuid() == 0:
        (encoder / "weights" / "model.bin").unlink()
        (encoder / "weights" / "model.bin").symlink_to("/proc/self/mem")
    else:
        (encoder / "weights" / "model.bin").chmod(0)
    with pytest.raises(ModelError, match="encoder cannot be read"):
        files_fingerprint(encoder)
