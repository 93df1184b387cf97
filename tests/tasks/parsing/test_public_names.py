"""What `runoff.tasks.parsing` promises is there, whatever was imported before, and is imported when asked for."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import runoff.tasks.parsing


def test_every_name_is_there_and_none_is_hidden_by_a_module() -> None:
    for _ in range(2):  # an import leaves the module in the package, under the module's own name
        found = {name: getattr(runoff.tasks.parsing, name) for name in runoff.tasks.parsing.__all__}
        assert not [name for name, value in found.items() if isinstance(value, ModuleType)]
    assert sorted(found) == sorted(dir(runoff.tasks.parsing))
    assert found["Grammar"].__module__.startswith("runoff.tasks.parsing.grammar")


def test_names_are_documented() -> None:
    for name in runoff.tasks.parsing.__all__:
        assert getattr(runoff.tasks.parsing, name).__doc__, name


def test_the_package_alone_imports_no_compiler() -> None:
    code = (
        "import sys, runoff.tasks.parsing; print('numba' in sys.modules, 'runoff.tasks.parsing.grammar' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"
