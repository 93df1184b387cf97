"""Outside formats, one file each; `read` recognises them by content and `write` chooses by the file's name.

To add a format, write a module with a `FORMAT` (see `base.Format`) and register it: here, or by the task it belongs to.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from runoff.errors import DataError, UsageError
from runoff.formats.base import Folder, Format, Sample
from runoff.formats.streams import bare_name, folder, sample, spooled
from runoff.registry import FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from runoff.nbest import NBest

__all__ = [
    "Folder",
    "Format",
    "Sample",
    "formats",
    "has_blocks",
    "read",
    "read_blocks",
    "recognise",
    "write",
    "writer_for",
]

for _module in (  # of tools for speech, translation and retrieval
    *("beir", "espnet", "espnet_json", "fairseq", "htk", "kaldi"),
    *("mqm", "nemo", "refr", "sockeye", "srilm", "whisper"),
):
    FORMATS.register(_module.replace("_", "-"), f"{__name__}.{_module}:FORMAT")
for _module in ("arrow", "hypotheses", "jsonl", "letor", "loss_jsonl", "moses", "shards", "table", "trec"):
    FORMATS.register(_module.replace("_", "-"), f"{__name__}.{_module}:FORMAT")
for _module in ("lm_eval", "openai", "records", "vllm"):  # what language models and their tools write
    FORMATS.register(_module.replace("_", "-"), f"{__name__}.{_module}:FORMAT")


def formats() -> Mapping[str, Format]:
    """Every format by name, those of tasks too.

    Examples
    --------
    >>> "letor" in formats()
    True
    """
    return dict(sorted(FORMATS.items()))


def recognise(path: str | Path) -> Format:
    """Find the format of a file by looking at it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "some-file"
    >>> _ = path.write_text("2 qid:1 1:0.5")
    >>> recognise(path).name
    'letor'
    """
    if Path(path).is_dir():
        what, inside = "folder", folder(path)
        if not inside.files:
            raise DataError("the folder is empty.", path=path)
        known = [format_ for format_ in formats().values() if format_.recognise_folder is not None]
        fitting = [format_ for format_ in known if format_.recognise_folder and format_.recognise_folder(inside)]
    else:
        what, seen = "file", sample(path)
        if not seen.head.strip():
            raise DataError("the file is empty.", path=path)
        known = list(formats().values())
        fitting = [format_ for format_ in known if format_.recognise(seen)]
    fitting = [format_ for format_ in fitting if not format_.is_general] or fitting
    if len(fitting) == 1:
        return fitting[0]
    if what == "file" and not fitting:
        from runoff.formats.unrecognised import not_recognised

        raise not_recognised(seen, known, path)
    names = ", ".join(format_.name for format_ in (fitting or known))
    trouble = "fits more than one format" if fitting else "does not look like any format that Runoff knows"
    raise DataError(f"the {what} {trouble}; name one of these by --format: {names}.", path=path)


def read(path: str | Path, format: str | None = None, **options: Any) -> NBest:  # noqa: A002 - the natural word
    """Read a file of candidate lists, plain or compressed, in any known format.

    `options` with the value None count as not given.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "table.csv"
    >>> _ = path.write_text("segment,score,length\\n1,-2.5,7\\n1,-3.5,5\\n")
    >>> read(path, columns="group=segment")
    NBest(1 group, 2 candidates, 1 feature, base)
    """
    with spooled(path) as file:
        return _read(file, format, options)


def read_blocks(path: str | Path, format: str | None = None, **options: Any) -> Iterator[NBest]:  # noqa: A002
    """Read whole lists block by block, in memory that does not grow with the data: folders of shards and JSON lines.

    Any other format is one block. Blocks of a folder of shards have the columns of all its files; those of JSON lines
    have their own.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "lists.jsonl"
    >>> _ = path.write_text('{"candidates": ["yes", "no"]}')
    >>> [len(block) for block in read_blocks(path)]
    [1]
    """
    with spooled(path) as file:
        chosen, given = _chosen(file, format, options)
        if chosen.read_blocks is None:
            yield chosen.read(file, **given)
        else:
            yield from chosen.read_blocks(file, **given)


def has_blocks(path: str | Path, format: str | None = None) -> bool:  # noqa: A002
    """Whether data is read block by block: a folder of shards, or JSON lines.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "lists.jsonl"
    >>> _ = path.write_text('{"candidates": [{"text": "yes", "quality": 1}]}')
    >>> has_blocks(path)
    True
    """
    with spooled(path) as file:
        return _chosen(file, format, {})[0].read_blocks is not None


def _read(path: Path, format: str | None, options: Mapping[str, Any]) -> NBest:  # noqa: A002
    chosen, given = _chosen(path, format, options)
    return chosen.read(path, **given)


def _chosen(path: Path, format: str | None, options: Mapping[str, Any]) -> tuple[Format, dict[str, Any]]:  # noqa: A002
    """The format of a file or folder, and the options that are given for it."""
    given = {name: value for name, value in options.items() if value is not None}
    if format is not None:
        chosen = FORMATS[format]
    else:
        chosen = _with_columns(path) if "columns" in given and path.is_file() else recognise(path)
    unknown = [name for name in given if name not in chosen.options]
    if unknown:
        takes = f"it takes: {', '.join(chosen.options)}" if chosen.options else "it takes none"
        raise UsageError(f"format {chosen.name} has no option {', '.join(unknown)}; {takes}.")
    return chosen, given


def _with_columns(path: Path) -> Format:
    """The format of a file whose columns or keys are named: that makes a table or records of what is no other."""
    seen = sample(path)
    if seen.head.lstrip()[:1] in (b"{", b"["):
        return FORMATS["records"]
    fitting = [format_ for format_ in formats().values() if format_.recognise(seen)]
    return FORMATS["table"] if not fitting and seen.head.strip() else recognise(path)


def write(data: NBest, path: str | Path, format: str | None = None) -> None:  # noqa: A002 - the natural word
    """Write to a file; the format follows the name's ending unless it is given.

    A name (as text) that ends in a slash is a folder of shards.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from runoff.nbest import NBest
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "lists.parquet"
    >>> write(NBest.from_arrays([[1.0], [2.0]], sizes=[2]), path)
    >>> read(path)
    NBest(1 group, 2 candidates, 1 feature)
    """
    if str(path).endswith("/") and format is None:
        from runoff.formats.shard_writer import writing_shards

        with writing_shards(path) as shards:
            shards.add(data)
        return
    writer_for(path, format)(data, Path(path))


def writer_for(path: str | Path, format: str | None = None) -> Callable[[NBest, Path], None]:  # noqa: A002
    """The writer that a name (or a named format) asks for; raises where there is none, before any work is done.

    Examples
    --------
    >>> writer_for("lists.jsonl") is writer_for("lists.gz", "jsonl")
    True
    """
    if format is not None:
        chosen = FORMATS[format]
    else:
        name = bare_name(path)
        fitting = [each for each in formats().values() if each.write and name.endswith(each.suffixes or ("\0",))]
        if not fitting:
            endings = ", ".join(suffix for each in formats().values() if each.write for suffix in each.suffixes)
            raise UsageError(f"{Path(path).name}: the name does not tell which format to write; use one of: {endings}.")
        chosen = fitting[0]
    if chosen.write is None:
        writable = ", ".join(each.name for each in formats().values() if each.write)
        raise UsageError(f"Runoff reads {chosen.name} but does not write it; it writes: {writable}.")
    return chosen.write
