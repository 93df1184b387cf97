"""One way to read sentences with roles from any file, and to write them."""

from __future__ import annotations

from collections import Counter
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

from runoff.errors import UsageError
from runoff.formats.streams import SAMPLE_SIZE, bare_name, sample, spooled
from runoff.tasks.roles.conll2005 import read_conll2005, write_conll2005, write_props
from runoff.tasks.roles.conll2012 import LEAST_COLUMNS, is_document_mark, read_conll2012, write_conll2012
from runoff.tasks.roles.json_roles import read_json_roles, write_json_roles
from runoff.tasks.roles.propbank_columns import ROLESET, TOKEN, read_propbank, write_propbank
from runoff.tasks.roles.sentence_columns import NONE
from runoff.tasks.tagging.column_separator import BLANKS, SPLIT, TAB, is_blank

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from runoff.tasks.roles.propositions import RoleSentence

_READERS: dict[str, Callable[..., list[RoleSentence]]] = {
    "propbank": read_propbank,
    "conll2005": read_conll2005,
    "props": partial(read_conll2005, columns="lemma,props"),
    "conll2012": read_conll2012,
    "jsonl": read_json_roles,
}
_OPTIONS = {"conll2005": ("columns", "words"), "props": ("words",)}
_WRITERS: dict[str, Callable[..., None]] = {
    "propbank": write_propbank,
    "conll2005": write_conll2005,
    "props": write_props,
    "conll2012": write_conll2012,
    "jsonl": write_json_roles,
}
FORMATS = tuple(_READERS)


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
        Columns as in PropBank's releases (`read_propbank`), of CoNLL-2005 (`read_conll2005`) or of CoNLL-2012
        (`read_conll2012`), or JSON lines (`read_json_roles`).
    format
        propbank, conll2005, props (columns of CoNLL-2005 without words), conll2012 or jsonl; None: recognised by
        content.
    notes
        Receives sentences about what was left out or is odd.
    options
        Those of the reader: `columns` and `words` of CoNLL-2005.

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
    options = {name: value for name, value in options.items() if value is not None}
    with spooled(path) as file:
        kind = format or recognise(file)
        for name in options:
            if name not in _OPTIONS.get(kind, ()):
                raise UsageError(f"{path}: files of roles in the format {kind} have no option {name!r}.")
        return _READERS[kind](file, notes=notes, **options)


def write_roles(
    sentences: Iterable[RoleSentence],
    path: str | Path,
    format: str | None = None,  # noqa: A002 - the natural word
    **options: Any,
) -> None:
    """Write sentences with roles, by default as the name says: .jsonl, .props, else columns as in PropBank's releases.

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
    name = bare_name(path)
    by_name = "jsonl" if name.endswith((".jsonl", ".json")) else "props" if name.endswith("props") else "propbank"
    _WRITERS[format or by_name](sentences, path, **options)


def recognise(path: str | Path) -> str:
    """The format of a file, by its first 64 KiB.

    Objects are JSON lines, and documents that are marked are CoNLL-2012. Where the third column numbers the tokens, the
    number of columns beside those of roles tells PropBank's from CoNLL-2012; anything else is CoNLL-2005.
    """
    seen = sample(path)
    if seen.first_line.lstrip().startswith(b"{"):
        return "jsonl"
    lines = seen.head.decode(errors="replace").replace("\r", "\n").split("\n")
    lines = lines[:-1] if len(seen.head) >= SAMPLE_SIZE else lines
    if any(map(is_document_mark, lines)):
        return "conll2012"
    votes: Counter[str] = Counter()
    for blank, sentence in groupby(lines, is_blank):
        if not blank:
            votes[_by_width([SPLIT[TAB if TAB in line else BLANKS](line) for line in sentence])] += 1
    return votes.most_common(1)[0][0] if votes else "propbank"


def _by_width(rows: list[list[str]]) -> str:
    """The format of one sentence."""
    if min(map(len, rows)) <= ROLESET or any(not row[TOKEN].isdecimal() for row in rows):
        return "conll2005"
    predicates = sum(row[ROLESET] != NONE for row in rows)
    return "conll2012" if len(rows[0]) - predicates >= LEAST_COLUMNS else "propbank"
