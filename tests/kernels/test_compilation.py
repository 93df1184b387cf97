"""What is compiled is kept on disk, and compiled again when a file changes from which code was compiled into it."""

import ast
import gc
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import runoff.kernels
from runoff.kernels import compilation

FILES = {
    "__init__.py": "",
    "factor.py": "FACTOR = 2\n",
    "middle.py": """\
from runoff.kernels.compilation import compiled

from shop.factor import FACTOR


@compiled
def scaled(x):
    return x * FACTOR
""",
    "outer.py": """\
from runoff.kernels.compilation import compiled

from shop.middle import (
    scaled,
)


@compiled
def answer(x):
    return scaled(x) + 1
""",
    "unrelated.py": "SIZE = 1\n",
}
ASK = """\
from shop.outer import answer
from shop.middle import scaled
print(answer(20), sum(answer.stats.cache_hits.values()), sum(answer.stats.cache_misses.values()))
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A package of kernels that call each other across files."""
    folder = tmp_path / "shop"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return folder


def asked(folder: Path, before: str = "", **environment: str) -> tuple[int, int, int]:
    """The answer of a fresh process, and how often it found the compiled code and how often it did not."""
    path = os.pathsep.join([str(folder), str(Path(runoff.__path__[0]).parent)])
    run = subprocess.run(
        [sys.executable, "-c", before + ASK],
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    value, hits, misses = run.stdout.split()
    return int(value), int(hits), int(misses)


def test_a_caller_is_compiled_again_when_what_it_calls_changes(shop: Path) -> None:
    assert asked(shop.parent) == (41, 0, 1)
    middle = shop / "middle.py"
    middle.write_text(middle.read_text().replace("x * FACTOR", "x - FACTOR"))  # as long as before
    assert asked(shop.parent) == (19, 0, 1)


@pytest.mark.slow
def test_callers_are_compiled_again_when_another_file_changes(shop: Path) -> None:
    assert asked(shop.parent) == (41, 0, 1)
    assert asked(shop.parent) == (41, 1, 0)
    middle = shop / "middle.py"
    middle.write_text(middle.read_text().replace("x * FACTOR", "x - FACTOR"))  # as long as before
    assert asked(shop.parent) == (19, 0, 1)
    assert asked(shop.parent) == (19, 1, 0)
    (shop / "factor.py").write_text("FACTOR = 3\n")  # two files away, and without any kernel
    assert asked(shop.parent) == (18, 0, 1)
    (shop / "unrelated.py").write_text("SIZE = 2\n")
    assert asked(shop.parent) == (18, 1, 0)


@pytest.mark.slow
def test_the_users_own_folder_for_compiled_code(shop: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    for hits in (0, 1):
        assert asked(shop.parent, NUMBA_CACHE_DIR=str(kept)) == (41, hits, 1 - hits)
    assert list(kept.rglob("*.nbi"))
    (shop / "factor.py").write_text("FACTOR = 3\n")
    assert asked(shop.parent, NUMBA_CACHE_DIR=str(kept)) == (61, 0, 1)


@pytest.mark.slow
def test_a_package_in_an_archive(shop: Path, tmp_path: Path) -> None:
    archive = tmp_path / "shop.zip"
    for factor, hits in ((2, 0), (2, 1), (3, 0)):
        (shop / "factor.py").write_text(f"FACTOR = {factor}\n")
        with zipfile.ZipFile(archive, "w") as out:
            for name in FILES:
                out.write(shop / name, f"shop/{name}")
        assert asked(archive, HOME=str(tmp_path), XDG_CACHE_HOME=str(tmp_path)) == (20 * factor + 1, hits, 1 - hits)


OTHER_NUMBA = """\
import numba.core.caching as caching, numba.core.dispatcher as dispatcher
class Other:
    def __init__(self, function):
        self.inner = caching.FunctionCache(function)
    def __getattr__(self, name):
        if name == "_cache_file":
            raise AttributeError(name)
        return getattr(self.inner, name)
dispatcher.FunctionCache = Other
"""
NO_SOURCE = """\
import runoff.kernels.compilation as compilation
compilation.source_stamp = lambda module: None
"""


@pytest.mark.slow
@pytest.mark.parametrize("before", [OTHER_NUMBA, NO_SOURCE])
def test_nothing_stale_where_the_stamp_cannot_be_extended(shop: Path, before: str) -> None:
    for factor in (2, 2, 3):
        (shop / "factor.py").write_text(f"FACTOR = {factor}\n")
        assert asked(shop.parent, before) == (20 * factor + 1, 0, 1)


@pytest.mark.slow
def test_a_file_that_imports_no_kernel_is_kept_by_any_numba(shop: Path) -> None:
    alone = FILES["middle.py"].replace("scaled", "answer").replace("from shop.factor import FACTOR", "FACTOR = 4")
    (shop / "outer.py").write_text(alone)
    for hits in (0, 1):
        assert asked(shop.parent, OTHER_NUMBA) == (80, hits, 1 - hits)


def test_every_way_to_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "ways"
    folder.mkdir()
    for name in ("__init__", "a", "b", "c", "d", "e", "never"):
        (folder / f"{name}.py").write_text("")
    (folder / "all.py").write_text(
        '''"""Prose:
from a to never, or
import nothing at all.
"""
import ways.a as first, os
from ways import b, missing
from . import (
    c,
)
from .d import (x,
    y)
if True:
    from ways.e import z
'''
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert compilation.imports("ways.all") == {f"ways.{name}" for name in "abcde"}
    assert compilation.imports("ways.a") == frozenset()


def test_kernels_import_nothing_but_numpy_numba_array_types_and_each_other() -> None:
    allowed = ("__future__", "typing", "math", "numpy", "numba", "llvmlite", "runoff.arrays", "runoff.kernels")
    for path in Path(runoff.kernels.__path__[0]).glob("*.py"):
        if path.stem == "compilation":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                assert any(f"{name}.".startswith(f"{one}.") for one in allowed), f"{path.name} imports {name}"


@pytest.mark.slow
def test_what_was_kept_for_a_class_of_another_name_is_compiled_again(tmp_path: Path) -> None:
    folder = tmp_path / "boxes"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    source = """\
from typing import NamedTuple
from runoff.kernels.compilation import compiled


class Box(NamedTuple):
    size: int


@compiled
def size_of(box):
    return box.size
"""
    for name in ("Box", "Crate"):
        (folder / "box.py").write_text(source.replace("Box", name))
        path = os.pathsep.join([str(tmp_path), str(Path(runoff.__path__[0]).parent)])
        program = f"from boxes.box import {name}, size_of; print(size_of({name}(3)))"
        run = subprocess.run(
            [sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True
        )
        assert run.stdout == "3\n", run.stderr


def test_the_collector_is_paused_while_a_function_is_compiled_and_those_it_needs() -> None:
    pause, seen = compilation.CollectorPause(), []
    for was_enabled in (True, False):
        (gc.enable if was_enabled else gc.disable)()
        try:
            for turn in (pause.on_start, pause.on_start, pause.on_end, pause.on_end):
                turn(None)
                seen.append(gc.isenabled())
        finally:
            gc.enable()
    assert seen == [False, False, False, True, False, False, False, False]
