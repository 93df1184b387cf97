"""Files of translators: what is written is read, and what is no translator is refused with a sentence."""

from __future__ import annotations

import re
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff.errors import ModelError
from runoff.features.lm import LanguageModel
from runoff.model import LinearModel
from runoff.nbest import NBest
from runoff.opening.archive import write_archive
from runoff.tasks.translation.training import train_translator
from runoff.tasks.translation.translator_file import load_translator
from runoff.tasks.translation.translator_settings import TranslatorSettings

from .conftest import TRAINED

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from runoff.tasks.translation.translator import Translator

SOURCE, TARGET = ["a cat", "the dog", "the cat sleeps"], ["eine Katze", "der Hund", "die Katze schläft"]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("small") / "a.runoff"
    train_translator(SOURCE, TARGET, TranslatorSettings(order=2)).save(path)
    return path


def test_what_is_written_is_read(
    translator: Translator, model_file: Path, phrases: tuple[list[str], list[str]], tmp_path: Path
) -> None:
    again = load_translator(model_file)
    source = phrases[0][TRAINED : TRAINED + 10]
    one, other = (each.nbest(source, 20, phrase_pairs=True) for each in (translator, again))
    assert one.texts.equals(other.texts)
    assert np.array_equal(one.base, other.base)
    assert (one.features.to_scipy() != other.features.to_scipy()).nnz == 0
    assert again.weights == translator.weights
    assert again.settings == translator.settings
    assert again.provenance == translator.provenance
    assert again.describe() == translator.describe()
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == model_file.read_bytes()  # the same content gives the same bytes


def opened_or_told(path: Path) -> tuple[Translator | None, str]:
    try:
        return load_translator(path), ""
    except ModelError as error:
        return None, str(error)


@given(at=st.integers(0, 10**7), byte=st.integers(0, 255))
@settings(deadline=None, max_examples=60)
def test_any_changed_byte_is_refused_or_says_nothing(small: Path, at: int, byte: int) -> None:
    content = bytearray(small.read_bytes())
    content[at % len(content)] = byte
    path = small.with_name("changed")
    path.write_bytes(content)
    found, said = opened_or_told(path)
    if found is None:
        assert said.endswith(".")
        assert "\n" not in said
        return
    before, after = (each.nbest(SOURCE, 5) for each in (load_translator(small), found))
    assert before.texts.equals(after.texts)  # a time, a note about the system that wrote it, or padding
    assert np.array_equal(before.base, after.base)


def test_files_that_end_too_early_are_refused(small: Path, tmp_path: Path) -> None:
    content = small.read_bytes()
    for length in (0, 1, 3, 30, 100, len(content) // 2, len(content) - 30, len(content) - 1):
        (tmp_path / "short").write_bytes(content[:length])
        with pytest.raises(ModelError, match="short is not a Runoff translator, or it is damaged"):
            load_translator(tmp_path / "short")


def test_other_files_are_refused(tmp_path: Path) -> None:
    linear = LinearModel(np.array([1.0]), ["a"])
    linear.save(tmp_path / "linear")
    (tmp_path / "text").write_text("a cat ||| eine Katze\n")
    with zipfile.ZipFile(tmp_path / "zip", "w") as out:
        out.writestr("hello", b"world")
    for name in ("linear", "text", "zip"):
        with pytest.raises(ModelError, match=f"{name} is not a Runoff translator"):
            load_translator(tmp_path / name)
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(ModelError, match=f"{re.escape(str(path))} cannot be read"):
            load_translator(path)


def changed(path: Path, out: Path, change: Callable[[dict[str, Any], dict[str, Any]], object]) -> Path:
    """A file with another header or other arrays, and good checksums."""
    from runoff.opening.archive import open_archive

    with open_archive(path) as archive:
        header = archive.json("translator.json")
        arrays = {name: archive.array(name).copy() for name in archive.names if name.endswith(".npy")}
    change(header, arrays)
    with write_archive(out, compressed=False) as archive:
        archive.add_json("translator.json", header)
        for name, array in sorted(arrays.items()):
            archive.add_array(name, array)
    return out


@pytest.mark.parametrize(
    "change",
    [
        lambda header, arrays: header.update(version=99),  # noqa: ARG005
        lambda header, arrays: header.update(format="runoff-model"),  # noqa: ARG005
        lambda header, arrays: header.pop("weights"),  # noqa: ARG005
        lambda header, arrays: header.update(weights=[1, 2]),  # noqa: ARG005
        lambda header, arrays: header["weights"].update(lm="1"),  # noqa: ARG005
        lambda header, arrays: header["weights"].update(lm=None),  # noqa: ARG005
        lambda header, arrays: header["weights"].update(lmm=1.0),  # noqa: ARG005
        lambda header, arrays: header.update(provenance=None),  # noqa: ARG005
        lambda header, arrays: header["settings"].update(stack=0),  # noqa: ARG005
        lambda header, arrays: header["settings"].update(stack=10**12),  # noqa: ARG005
        lambda header, arrays: header["settings"].update(other=1),  # noqa: ARG005
        lambda header, arrays: header.update(settings=[]),  # noqa: ARG005
        lambda header, arrays: header["source"].update(spelling=[1]),  # noqa: ARG005
        lambda header, arrays: header["target"].update(is_capitalised=3),  # noqa: ARG005
        lambda header, arrays: header.update(target="de"),  # noqa: ARG005
        lambda header, arrays: arrays.pop("phrases/reordering.npy"),  # noqa: ARG005
        lambda header, arrays: arrays.pop("phrases/scores.npy"),  # noqa: ARG005
        lambda header, arrays: arrays.pop("language-model/keys.npy"),  # noqa: ARG005
        lambda header, arrays: arrays["phrases/target_ids.npy"].fill(10**6),  # noqa: ARG005
        lambda header, arrays: arrays["phrases/phrase_offsets.npy"].fill(-1),  # noqa: ARG005
        lambda header, arrays: arrays["phrases/scores.npy"].fill(np.nan),  # noqa: ARG005
        lambda header, arrays: arrays["language-model/values.npy"].fill(np.inf),  # noqa: ARG005
        lambda header, arrays: arrays["language-model/order.npy"].fill(0),  # noqa: ARG005
        lambda header, arrays: arrays.update({"phrases/more.npy": np.zeros(3)}),  # noqa: ARG005
    ],
)
def test_what_cannot_be_is_refused(small: Path, tmp_path: Path, change: Callable[..., object]) -> None:
    path = changed(small, tmp_path / "odd", change)
    with pytest.raises(ModelError, match=r"odd .*\.$"):
        load_translator(path)


def test_what_was_not_changed_is_read(small: Path, tmp_path: Path) -> None:
    path = changed(small, tmp_path / "same", lambda header, arrays: None)  # noqa: ARG005
    assert load_translator(path).translate(SOURCE) == load_translator(small).translate(SOURCE)
    assert isinstance(load_translator(path).language_model, LanguageModel)
    assert orjson.loads(zipfile.ZipFile(path).read("translator.json"))["format"] == "runoff-translator"
    assert isinstance(load_translator(path).nbest(SOURCE, 2), NBest)
