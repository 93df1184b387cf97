"""Translators that several tests use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from runoff.tasks.translation.decoder_settings import DecoderSettings
from runoff.tasks.translation.demo.phrasebook import phrasebook
from runoff.tasks.translation.training import train_translator
from runoff.tasks.translation.translator_settings import TranslatorSettings

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.tasks.translation.translator import Translator

TRAINED = 250


@pytest.fixture(scope="session")
def phrases() -> tuple[list[str], list[str]]:
    """A synthetic phrasebook: what translators are trained on, then 60 more sentences."""
    return phrasebook(TRAINED + 60, seed=1)


@pytest.fixture(scope="session")
def translator(phrases: tuple[list[str], list[str]]) -> Translator:
    """A translator of the phrasebook, with a quick search."""
    from dataclasses import replace

    source, target = (side[:TRAINED] for side in phrases)
    return replace(
        train_translator(source, target, TranslatorSettings(order=3)),
        settings=DecoderSettings(stack=20, distortion_limit=6),
    )


@pytest.fixture(scope="session")
def model_file(translator: Translator, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same in a file."""
    path = tmp_path_factory.mktemp("translator") / "en-de.runoff"
    translator.save(path)
    return path
