"""One way to read sentences with roles from any file, and to write them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runoff.errors import UsageError
from runoff.formats.streams import bare_name, sample, spooled
from runoff.tasks.roles.json_roles import read_json_roles, write_json_roles
from runoff.tasks.roles.propbank_columns import read_propbank, write_propbank

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from runoff.tasks.roles.propositions import RoleSentence

_READERS: dict[str, Callable[..., list[RoleSentence]]] = {"propbank": read_propbank, "jsonl": read_json_roles}
_WRITERS: dict[str, Callable[..., None]] = {"propbank": write_propbank, "jsonl": write_json_roles}


def read_roles(
    path: str | Path,
    format: str | None = None,  # noqa: A002 - the natural word
    *,
    notes: list[str] | None = None,
    **options: Any,
) -> list[RoleSentence]:
    """Read sentences with roles from a file, plain, gzip or zstd; `-` is standard input.

    Parameters
    ----------
    path
        Columns as in PropBank's releases (`read_propbank`) or JSON lines (`read_json_roles`).
    format
        propbank or jsonl; None: recognised by content.
    notes
        Receives sentences about what was left out or is odd.
    options
        Those of the reader.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "one.jsonl"
    >>> _ = path.write_text('{"words": ["Yes"]}')
    >>> read_roles(path)[0].words
    ('Yes',)
    """
    if format is not None and format not in _READERS:
        raise UsageError(f"there is no format {format!r} of roles; there are: {', '.join(_READERS)}.")
    with spooled(path) as file:
        return _READERS[format or recognise(file)](file, notes=notes, **options)


def write_roles(
    sentences: Iterable[RoleSentence],
    path: str | Path,
    format: str | None = None,  # noqa: A002 - the natural word
    **options: Any,
) -> None:
    """Write sentences with roles as JSON lines if the name ends in .jsonl or .json, else as columns.

    Compressed if the name ends in .gz or .zst; never leaves a partial file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from runoff.tasks.roles.propositions import RoleSentence
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "one.jsonl.gz"
    >>> write_roles([RoleSentence(("Yes",))], path)
    >>> read_roles(path)[0].words
    ('Yes',)
    """
    if format is not None and format not in _WRITERS:
        raise UsageError(f"roles cannot be written as {format!r}; there are: {', '.join(_WRITERS)}.")
    by_name = "jsonl" if bare_name(path).endswith((".jsonl", ".json")) else "propbank"
    _WRITERS[format or by_name](sentences, path, **options)


def recognise(path: str | Path) -> str:
    """The format of a file, by its beginning."""
    return "jsonl" if sample(path).first_line.lstrip().startswith(b"{") else "propbank"
