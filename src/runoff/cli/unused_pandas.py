"""Commands do without pandas, which takes longer to import than all else that a command on a small file needs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType


class _NoPandas:
    """A finder that finds no pandas."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> None:  # noqa: ARG002 - Python's signature
        """Raise for pandas; leave all else to the other finders."""
        if name == "pandas":
            raise ModuleNotFoundError("a command on files needs no pandas", name=name)


def spare_pandas() -> None:
    """Let pyarrow look for pandas, where that is installed, without finding it.

    Pyarrow imports pandas when it makes its first arrays, only to know a data frame if it sees one. Files hold none.
    Plugins can import pandas before or after, and hand over data frames.
    """
    if "pandas" in sys.modules or "pyarrow" in sys.modules:
        return
    finder = _NoPandas()
    sys.meta_path.insert(0, finder)
    try:
        import pyarrow as pa

        pa.array([], pa.int64())  # looks once when it sees a list,
        pa.array([0])  # and once when it converts numbers
    finally:
        sys.meta_path.remove(finder)
