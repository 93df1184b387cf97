"""Registries: imported when asked for, unknown names with a hint, and no two things of one name."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from helpers.processes import start_python
from helpers.registries import own_registries
from runoff import UsageError, registry
from runoff.registry import LEARNERS, Registry

if TYPE_CHECKING:
    from pathlib import Path


def test_a_thing_is_imported_when_it_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lazy_colour_module.py").write_text("RED = 3.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    colours = Registry[float]("colour")
    colours.register("red", "lazy_colour_module:RED")
    assert list(colours) == colours.keys() == ["red"]
    assert "red" in colours
    assert len(colours) == 1
    assert "lazy_colour_module" not in sys.modules
    assert colours["red"] == 3.0
    assert colours.items() == [("red", 3.0)]
    assert colours.values() == [3.0]


def test_an_unknown_name_gets_a_hint_and_all_names() -> None:
    numbers = Registry[float]("number")
    numbers.register("pi", 3.14)
    numbers.register("phi", 1.62)
    with pytest.raises(UsageError, match=r"^there is no number 'phy'; did you mean phi\? There are: phi, pi\.$"):
        numbers["phy"]
    with pytest.raises(UsageError, match=r"^there is no number 'zeta'; there are: phi, pi\.$"):
        numbers["zeta"]


def test_two_things_of_one_name_are_an_error() -> None:
    numbers = Registry[float]("number")
    numbers.register("pi", 3.14)
    numbers.register("pi", 3.14)  # the same one again
    with pytest.raises(UsageError, match="there is already a number called 'pi'; give the new one another name"):
        numbers.register("pi", 3.2)
    numbers.register("pi", 3.2, replace=True)
    assert numbers["pi"] == 3.2


def test_a_place_is_a_module_and_an_attribute() -> None:
    with pytest.raises(ValueError, match=r"expected 'module:attribute' or an object; found 'math\.pi'"):
        Registry[float]("number").register("pi", "math.pi")


@pytest.mark.parametrize(
    ("kind", "name"),
    [("METRICS", "wer"), ("FORMATS", "letor"), ("TASKS", "parsing"), ("FEATURIZERS", "text"), ("LEARNERS", "boost")],
)
def test_everything_is_in_its_registry_with_a_hint_for_typing_errors(kind: str, name: str) -> None:
    import runoff.formats
    import runoff.learners
    import runoff.metrics  # noqa: F401 - as every command does, which registers what is there

    found = getattr(registry, kind)
    assert name in found
    with pytest.raises(UsageError, match=f"there is no {found.kind} '{name}x'; did you mean {name}"):
        found[f"{name}x"]


def test_a_learner_of_ones_own_has_a_name_on_the_command_line() -> None:
    from runoff.learners import LogLinear, learner

    class Careful(LogLinear):
        name = "careful-loglinear"

    with own_registries():
        LEARNERS.register(Careful.name, Careful)
        assert learner("careful-loglinear") is Careful
    with pytest.raises(UsageError, match="there is no learner 'careful-loglinear'"):
        learner("careful-loglinear")


def test_naming_metrics_and_formats_imports_none_of_them() -> None:
    process = start_python(
        "import sys, runoff.metrics.registry as metrics\n"
        "from runoff.registry import FORMATS\n"
        "assert 'wer' in metrics.names()\n"
        "heavy = {'runoff.metrics.wer', 'runoff.tasks.parsing.metric', 'runoff.tasks.text.featurizer'}\n"
        "sys.exit(f'loaded: {heavy & set(sys.modules)}' if heavy & set(sys.modules) else 0)"
    )
    _, error = process.communicate(timeout=60)
    assert process.returncode == 0, error
