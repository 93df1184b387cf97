"""Reading and writing any known format, with quality computed from references where there are some."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runoff import formats, metrics

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.metrics import Metric
    from runoff.nbest import NBest


def read(path: str | Path, format: str | None = None, *, metric: str | Metric | None = None, **options: Any) -> NBest:  # noqa: A002
    """Read candidate lists from a file in any known format, plain, gzip or zstd.

    The format is recognised by content unless it is named. Where the data has references and no quality, quality is
    computed by `metric`, or by the format's default metric (unless that takes long: PARSEVAL is computed when it is
    needed); groups without a reference are then left out, with a note. Options are those of the format: `references`
    (moses, parses), `qrels` and `runs` (trec), `columns` (tables).

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
    data = formats.read(path, format, **options)
    wanted = metric or data.metric
    if wanted is None or data.texts is None:
        return data
    asked = metrics.resolve(wanted)
    if metric is None and not asked[0].quick:
        return data  # computed where it is needed, sometimes together with features
    return metrics.grade_for(metrics.with_references(data, asked[0]), asked)


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
