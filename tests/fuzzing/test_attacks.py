"""No file of an attacker ends in a crash, a traceback or an endless loop; a few here, thousands in the slow tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fuzzing.run import attack
from fuzzing.targets import FORMATS, MODELS, TARGETS

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow
def test_a_few_mutants_of_every_kind_of_file() -> None:
    counts = attack(list(TARGETS), 7)
    assert {name: each.failures for name, each in counts.items() if each.failures} == {}


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for code that is compiled with bounds checks."""
    return tmp_path_factory.mktemp("compiled")


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_a_thousand_mutants_of_every_format(name: str, checked: Path) -> None:
    (found,) = attack([name], 1000, seed=1, checked=checked).values()
    assert found.failures == []
    assert found.accepted > 20  # else the mutants are too rough to be a test
    assert found.refused > 20


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_hundreds_of_mutants_of_every_kind_of_model(name: str, checked: Path) -> None:
    (found,) = attack([name], 250, seed=1, checked=checked).values()
    assert found.failures == []
    assert found.accepted > 5
    assert found.refused > 5
