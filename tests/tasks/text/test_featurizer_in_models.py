"""Featurizers of plain texts inside models: kept whole, and checked when they are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

from helpers.text_featurizers import Encoder, fitted, synthetic, table
from runoff import LinearModel, load
from runoff.errors import ModelError, RunoffError
from runoff.tasks.text.featurizer import STEP, TextFeaturizer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@pytest.mark.parametrize("hashed", [0, 64])
@pytest.mark.parametrize("metric", ["wer", "bleu[tokenize=none]", "exact[case=lower]"])
def test_a_saved_model_makes_the_same_features(tmp_path: Path, metric: str, hashed: int) -> None:
    featurizer = fitted("usual,characters", metric, base=True, hashed=hashed)
    test = synthetic(11, base=True, supplied=True)
    model = LinearModel(np.zeros(0), pa.array([], pa.large_string()), preparation=(featurizer.to_step(),))
    model.save(tmp_path / "m.runoff")
    again = load(tmp_path / "m.runoff")
    expected = featurizer.transform(test)
    for prepared in (model.prepare(test), again.prepare(test)):
        assert prepared.features.column_names().equals(expected.features.column_names())
        assert table(prepared).tobytes() == table(expected).tobytes()
    again.save(tmp_path / "n.runoff")
    assert (tmp_path / "m.runoff").read_bytes() == (tmp_path / "n.runoff").read_bytes()


def test_an_encoder_that_is_an_object_chooses_but_is_in_no_file(tmp_path: Path) -> None:
    featurizer = fitted("embedding")
    model = LinearModel(np.zeros(0), pa.array([], pa.large_string()), preparation=(featurizer.to_step(),))
    assert table(model.prepare(synthetic(1))).tobytes() == table(featurizer.transform(synthetic(1))).tobytes()
    with pytest.raises(ModelError, match="an object of Encoder that cannot be stored in a file"):
        model.save(tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_another_encoder_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Other(Encoder):
        def encode(self, texts: Sequence[str], **_: Any) -> np.ndarray:
            return 1 + super().encode(texts) ** 2

    step = fitted("embedding").to_step()
    step["encoder"] = {"name": "some-model", "fingerprint": step["encoder"]["fingerprint"], "files": None}
    monkeypatch.setattr("runoff.tasks.text.features.embedding.load_encoder", lambda _: Encoder())
    assert TextFeaturizer.from_step(step).encoder_name == "some-model"
    monkeypatch.setattr("runoff.tasks.text.features.embedding.load_encoder", lambda _: Other())
    with pytest.raises(ModelError, match="some-model is not the one that the model was trained with"):
        TextFeaturizer.from_step(step)


@pytest.mark.parametrize(
    "change",
    [
        {"families": "length"},
        {"families": ["lenght"]},
        {"families": [3]},
        {"families": None},
        {"similarity": 3},
        {"similarity": None},
        {"words": []},
        {"words": None},
        {"lm": 3},
    ],
)
def test_a_step_that_is_not_whole_is_seen(change: dict[str, Any]) -> None:
    step = fitted("usual").to_step()
    assert TextFeaturizer.is_step(step)
    assert not TextFeaturizer.is_step({**step, **change})
    assert not TextFeaturizer.is_step({name: value for name, value in step.items() if name not in change})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"similarity": "nonsense"}, "there is no metric 'nonsense'"),
        ({"similarity": "ndcg@5"}, "does not compare texts"),
        ({"families": ["embedding"]}, "is not a Runoff model, or it is damaged"),
    ],
)
def test_a_step_that_cannot_be_applied_is_a_sentence(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    step = {"step": STEP, "families": ["length"], "similarity": "wer", **change}
    LinearModel(np.zeros(0), pa.array([], pa.large_string()), preparation=(step,)).save(tmp_path / "m")
    with pytest.raises(RunoffError, match=said):
        load(tmp_path / "m").prepare(synthetic(1))
