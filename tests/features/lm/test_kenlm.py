"""KenLM where it is installed, and stand-ins for it where it is not."""

from __future__ import annotations

import os
import shutil
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from runoff.errors import DataError, UsageError
from runoff.features.lm import KenlmModel, LanguageModel, estimate, open_model, read_arpa, write_arpa
from runoff.metrics.tokens import Tokens, tokenised

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ["the cat sat on the mat", "the dog sat on the log", "a cat and a dog ran", "", "the cat saw the dog ü 東"]


def words(texts: list[str]) -> Tokens:
    return tokenised(texts, lambda piece: [piece])


def same(one: LanguageModel, other: LanguageModel) -> bool:
    mine, yours = one.to_arrays(), other.to_arrays()
    return all(np.array_equal(mine[name], yours[name]) for name in mine)


def test_engines_that_are_not_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="lmplz on the PATH"):
        LanguageModel.train(words(["a"]), engine="kenlm")
    with pytest.raises(UsageError, match="one of auto, own, kenlm"):
        LanguageModel.train(words(["a"]), engine="srilm")
    assert same(LanguageModel.train(words(TEXTS)), LanguageModel.train(words(TEXTS), engine="own"))


def program(folder: Path, script: str) -> None:
    path = folder / "lmplz"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for programs in front of the PATH, and one for temporary files beside it."""
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    return tmp_path


@pytest.mark.parametrize(
    ("script", "reason"),
    [("echo no memory >&2; exit 3", "no memory"), ("exit 3", "exit 3"), ("exit 0", "no such file")],
)
def test_a_program_that_fails_is_noted(programs: Path, script: str, reason: str) -> None:
    program(programs, script)
    model = LanguageModel.train(words(TEXTS), engine="kenlm")
    assert same(model, LanguageModel.train(words(TEXTS), engine="own"))
    assert reason in model.notes[0]
    assert not list((programs / "temporary").iterdir())


def test_what_the_program_writes_is_read_by_the_numbers_of_words(programs: Path) -> None:
    grams = estimate(words(["0 1 2", "0 2"]))  # what it is given: words by number
    write_arpa(grams, programs / "ready.arpa")
    (programs / "expected").write_text("0 1 2\n0 2\n")
    keep = 'while [ $# -gt 0 ]; do case "$1" in --text) text="$2";; --arpa) arpa="$2";; esac; shift; done'
    program(programs, f'{keep}\ncmp "$text" "{programs}/expected" >&2 && cp "{programs}/ready.arpa" "$arpa"')
    model = LanguageModel.train(words(["<s> ü </s>", "<s> </s>"]), engine="kenlm")
    assert model.notes == ()
    assert same(model, LanguageModel.train(words(["<s> ü </s>", "<s> </s>"]), engine="own"))


@pytest.mark.skipif(shutil.which("lmplz") is None, reason="KenLM's program lmplz is not on the PATH")
@pytest.mark.parametrize(("order", "min_count"), [(1, 1), (2, 2), (3, 1), (5, 1)])
def test_the_program_itself_agrees(order: int, min_count: int) -> None:
    dice = np.random.default_rng(3)
    texts = [" ".join(f"w{word}" for word in dice.zipf(1.5, dice.integers(0, 15)) % 1000) for _ in range(400)]
    theirs = LanguageModel.train(words(texts), order, min_count=min_count, engine="kenlm")
    ours = LanguageModel.train(words(texts), order, min_count=min_count, engine="own")
    assert theirs.notes == ()
    assert theirs.keys.tolist() == ours.keys.tolist()
    assert theirs.values == pytest.approx(ours.values, abs=2e-6)


def test_binary_files_need_the_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(b"mmap lm http://kheafield.com/code format version 5\n\0")
    monkeypatch.setitem(sys.modules, "kenlm", None)
    with pytest.raises(UsageError, match="pip install kenlm"):
        open_model(path)


def test_a_broken_binary_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str) -> None:
        raise OSError(f"Cannot read model '{path}'")

    monkeypatch.setitem(sys.modules, "kenlm", SimpleNamespace(Model=refuse))
    with pytest.raises(DataError, match="KenLM cannot open it: Cannot read model"):
        KenlmModel.open(tmp_path / "model.bin")


class PlayedModel:
    """In place of `kenlm.Model`: what its full_scores gave for these texts; see KENLM in helpers/kenlm_output.py."""

    order = 3

    def full_scores(self, text: str, *, bos: bool, eos: bool) -> list[tuple[float, int, bool]]:
        assert bos
        assert eos
        return {
            "": [(-0.82318, 2, False)],
            "zebra <unk>": [(-1.64829, 1, True), (-1.44992, 1, True), (-0.77711, 1, False)],
        }[text]


def test_scores_of_a_binary_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(b"mmap lm http://kheafield.com/code format version 5\n\0")
    monkeypatch.setitem(sys.modules, "kenlm", SimpleNamespace(Model=lambda _: PlayedModel()))
    model = open_model(path)
    scores = model.score(words(["", "zebra <s>"]))  # the mark is an unknown word
    assert model.order == 3
    assert scores.total == pytest.approx([-0.82318, -3.87532])
    assert scores.unknown.tolist() == [0, 2]
    assert scores.lowest == pytest.approx([-0.82318, -1.64829])


def test_scores_of_a_real_binary_file(tmp_path: Path) -> None:
    pytest.importorskip("kenlm", reason="the Python module kenlm is not installed")
    write_arpa(estimate(words(TEXTS)), tmp_path / "a.arpa")
    texts = words([*TEXTS, "the new cat", "<s> cat </s>"])
    theirs, ours = (
        model.score(texts) for model in (KenlmModel.open(tmp_path / "a.arpa"), read_arpa(tmp_path / "a.arpa"))
    )
    assert theirs.total == pytest.approx(ours.total, abs=1e-5)
    assert theirs.lowest == pytest.approx(ours.lowest, abs=1e-5)
    assert theirs.unknown.tolist() == ours.unknown.tolist()
