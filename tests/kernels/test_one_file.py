"""Compiled code never calls compiled code of another file: numba's cache would not notice when that changes.

Found the hard way: after an update of one file, the cached loops of another still had its old block size inside
and wrote past the ends of arrays.
"""

import ast
from pathlib import Path

import runoff.kernels

# A hint to the processor: whatever version of it is compiled in, no result depends on it.
HARMLESS = {"runoff.kernels.prefetch"}


def test_no_kernel_imports_another() -> None:
    for path in Path(runoff.kernels.__path__[0]).glob("*.py"):
        tree = ast.parse(path.read_text())
        only_types = {
            id(inner)
            for node in ast.walk(tree)
            if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
            for inner in ast.walk(node)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and id(node) not in only_types:
                module = node.module or ""
                assert not module.startswith("runoff.kernels") or module in HARMLESS, f"{path.name} imports {module}"
