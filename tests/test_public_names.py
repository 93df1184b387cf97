"""Every public name says what it is and has an example."""

import ast
import importlib
from pathlib import Path

import pytest

HOOKS = Path(__file__).parents[1] / "scripts" / "site_hooks.py"  # needs mkdocs, so that it is read and not imported


def rooms() -> list[str]:
    for node in ast.parse(HOOKS.read_text()).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "ROOMS":
            return list(ast.literal_eval(node.value))
    raise AssertionError("there are no ROOMS")


@pytest.mark.parametrize("room", rooms())
def test_every_public_name_has_an_example(room: str) -> None:
    module = importlib.import_module(room)
    found = {name: getattr(module, name) for name in module.__all__}
    called = {name: each for name, each in found.items() if callable(each) and hasattr(each, "__module__")}
    assert called
    assert [name for name, each in called.items() if ">>> " not in (each.__doc__ or "")] == []
