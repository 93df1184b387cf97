"""Output of the scores of all candidates: JSON lines by list, a table by candidate, or rescored runs and lists."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.cli.options import output
from runoff.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    import pyarrow as pa

    from runoff.arrays import Floats, Ints
    from runoff.model import LinearModel
    from runoff.nbest import NBest

_LINES, _TABLES = (".jsonl", ".ndjson"), (".csv", ".tsv", ".parquet")
_RESCORED = ("trec", "moses")  # formats that hold one score of a candidate


class ScoredCandidates:
    """Every candidate of some lists with a model's score, its probability and its rank.

    The scores are in the order of the data; tables are in the order in which its rows came in.
    """

    def __init__(self, model: LinearModel, data: NBest) -> None:
        self.data = data

        def of(values: Any) -> Any:  # by row of the data
            return values if data.rows is None else values[data.rows]

        self.scores: Floats = of(model.scores(data))
        self.probabilities: Floats = of(model.probabilities(data))
        self.ranks: Ints = of(model.ranks(data))

    def records(self) -> Iterator[dict[str, Any]]:
        """One record for every list: Runoff's own, with `score`, `probability` and `rank` of every candidate."""
        data, columns = self.data, self._columns()
        names = list(columns)
        values = [each.to_pylist() if hasattr(each, "to_pylist") else each.tolist() for each in columns.values()]
        for group, start, stop in zip(
            data.group_ids.to_pylist(), data.offsets[:-1].tolist(), data.offsets[1:].tolist(), strict=True
        ):
            cut = (each[start:stop] for each in values)
            yield {
                "id": group,
                "candidates": [dict(zip(names, row, strict=True)) for row in zip(*cut, strict=True)],
            }

    def table(self) -> pa.Table:
        """One row for every candidate, in the order in which the rows came in."""
        import pyarrow as pa

        data = self.data
        index = np.arange(data.n_candidates) - data.offsets[data.group_of]
        group = data.group_ids.take(pa.array(data.group_of))
        columns = {"group": group, "index": index, **self._columns()}
        table = pa.table(columns)
        return table if data.rows is None else table.take(pa.array(np.argsort(data.rows)))

    def _columns(self) -> dict[str, Any]:
        data = self.data
        own = {"id": data.candidate_ids, "text": data.texts, "base": data.base, "quality": data.quality}
        scored = {"score": self.scores, "probability": self.probabilities, "rank": self.ranks}
        return {**{name: values for name, values in own.items() if values is not None}, **scored}


def scores_writer(path: Path | None, to: str | None) -> tuple[Callable[[Iterable[ScoredCandidates]], None], bool]:
    """How to write scores, by the name of the file or of a format, and whether block after block.

    Raises for an unknown name, before any work.
    """
    from runoff.formats import formats, writer_for
    from runoff.formats.streams import bare_name

    name = "" if path is None else bare_name(path)
    if to is None and (path is None or name.endswith(_LINES)):
        return lambda blocks: _write_lines(blocks, path), True
    if to is None and name.endswith(_TABLES):
        return lambda blocks: _write_table(blocks, path), True  # type: ignore[arg-type]
    known = {each: formats()[each] for each in _RESCORED}
    if path is None:
        raise UsageError(f"--to {to} is the format of a file; name it by -o.")
    if to not in known and (to is not None or not name.endswith(sum((each.suffixes for each in known.values()), ()))):
        endings = ", ".join([*_LINES, *_TABLES, *(suffix for each in known.values() for suffix in each.suffixes)])
        raise UsageError(
            f"{path}: scores are written to files that end in {endings}, or under any name with --to "
            f"{'|'.join(_RESCORED)}."
        )
    write = writer_for(path, to)

    def write_whole(blocks: Iterable[ScoredCandidates]) -> None:
        for found in blocks:
            write(found.data.replace(base=found.scores), path)

    return write_whole, False


def _write_lines(blocks: Iterable[ScoredCandidates], path: Path | None) -> None:
    import orjson

    with output(path) as write:
        for found in blocks:
            for record in found.records():
                write(orjson.dumps(record).decode())


def _write_table(blocks: Iterable[ScoredCandidates], path: Path) -> None:
    import pyarrow.csv as pacsv
    import pyarrow.parquet as pq

    from runoff.files import replacing
    from runoff.formats.streams import bare_name, create_bytes

    tables = (found.table() for found in blocks)
    first = next(tables)
    if path.name.lower().endswith(".parquet"):
        with replacing(path) as temporary, pq.ParquetWriter(temporary, first.schema) as parquet:
            for table in itertools.chain([first], tables):
                parquet.write_table(table)
        return
    if bare_name(path).endswith(".parquet"):
        raise UsageError(f"{path}: Parquet is compressed internally; write .parquet.")
    delimiter = "\t" if bare_name(path).endswith(".tsv") else ","
    with create_bytes(path) as stream:
        pacsv.write_csv(first, stream, pacsv.WriteOptions(delimiter=delimiter))
        for table in tables:
            pacsv.write_csv(table, stream, pacsv.WriteOptions(include_header=False, delimiter=delimiter))
