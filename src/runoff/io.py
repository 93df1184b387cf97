"""Reading and writing any known format, with quality computed from references where there are some."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runoff import formats, metrics

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from runoff.metrics import Metric
    from runoff.nbest import NBest


def read(path: str | Path, format: str | None = None, *, metric: str | Metric | None = None, **options: Any) -> NBest:  # noqa: A002
    """Read candidate lists from a file in any known format, plain, gzip or zstd.

    The format is recognised by content unless it is named. Where the data has references and no quality, quality is
    computed by `metric`, or by the format's default metric (unless that takes long: PARSEVAL is computed when it is
    needed); groups without a reference are then left out, with a note. Options are those of the format: `references`
    (moses, parses, samples of language models), `qrels` and `runs` (trec), `columns` (tables, records).

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "lists.jsonl"
    >>> _ = path.write_text('{"candidates": [{"text": "yes", "quality": 1}, {"text": "no", "quality": 0}]}')
    >>> read(path)
    NBest(1 group, 2 candidates, 0 features, quality)
    """
    if metric is not None:
        metrics.resolve(metric)  # a mistake in its name is told before anything is read
    return _graded(formats.read(path, format, **options), metric)


def _graded(data: NBest, metric: str | Metric | None, *, others_have: bool = False) -> NBest:
    """The data with quality, where it has none and a quick metric computes it from references."""
    wanted = metric or data.metric
    if wanted is None or data.texts is None:
        return data
    asked = metrics.resolve(wanted)
    if metric is None and not asked[0].quick:
        return data  # computed where it is needed, sometimes together with features
    return metrics.grade_for(metrics.with_references(data, asked[0], others_have=others_have), asked)


def read_blocks(
    path: str | Path,
    format: str | None = None,  # noqa: A002
    *,
    metric: str | Metric | None = None,
    **options: Any,
) -> Iterator[NBest]:
    """Read whole lists block by block, as `read` does, in memory that does not grow with the data.

    Folders of shards and JSON lines come in blocks, any other format as one.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "lists.jsonl"
    >>> _ = path.write_text('{"candidates": [{"text": "yes"}, {"text": "no"}], "reference": "yes"}')
    >>> [block.quality.tolist() for block in read_blocks(path, metric="exact")]
    [[1.0, 0.0]]
    """
    if metric is not None:
        metrics.resolve(metric)
    others_have = False
    for data in formats.read_blocks(path, format, **options):
        graded = _graded(data, metric, others_have=others_have)
        others_have = others_have or graded.references is not None
        yield graded


def write(data: NBest, path: str | Path, format: str | None = None) -> None:  # noqa: A002
    """Write candidate lists; the file extension chooses the format: .jsonl (.gz, .zst), .arrow or .parquet.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from runoff.nbest import NBest
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "lists.jsonl.gz"
    >>> write(NBest.from_arrays([[1.0], [2.0]], sizes=[2]), path)
    >>> read(path).n_candidates
    2
    """
    formats.write(data, path, format)
