"""Arrow and Parquet tables: read within bounds, then validated in full (offsets, UTF-8, indices of dictionaries).

Arrow's readers check where buffers are, not what is in them: without validation, a text whose end lies outside of the
buffer is a crash of the process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from runoff.opening.arrow_sizes import unpacked_size
from runoff.opening.limits import DamagedFileError, in_words, most_unpacked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_ROWS = 1 << 16  # of Parquet that are unpacked at a time


def read_arrow(source: pa.NativeFile) -> pa.Table:
    """A table of an Arrow IPC file, mapped if the source is. O(bytes of texts and offsets)."""
    try:
        _check_size(unpacked_size(memoryview(source.read_buffer())), source.size())
        source.seek(0)
        reader = pa.ipc.open_file(source)
        batches = (reader.get_batch(at) for at in range(reader.num_record_batches))
        return _validated(pa.Table.from_batches(_bounded(batches, source.size()), reader.schema))
    except _DAMAGE as error:
        raise DamagedFileError(str(error)) from error


def read_parquet(source: pa.NativeFile) -> pa.Table:
    """A table of a Parquet file. O(bytes)."""
    try:
        with pq.ParquetFile(source) as file:
            batches = file.iter_batches(_ROWS)
            return _validated(pa.Table.from_batches(_bounded(batches, source.size()), file.schema_arrow))
    except _DAMAGE as error:
        raise DamagedFileError(str(error)) from error


def read_schema(source: pa.NativeFile, *, parquet: bool) -> pa.Schema:
    """The schema of a file, whose data is not looked at."""
    try:
        return pq.ParquetFile(source).schema_arrow if parquet else pa.ipc.open_file(source).schema
    except _DAMAGE as error:
        raise DamagedFileError(str(error)) from error


# What Arrow raises on bytes that are not what they should be; metadata that is not UTF-8 is decoded when it is used.
_DAMAGE = (pa.ArrowException, OSError, ValueError, OverflowError, MemoryError)


def _bounded(batches: Iterable[pa.RecordBatch], packed: int) -> Iterator[pa.RecordBatch]:
    """The batches, as long as they stay within what a file of this size may unpack to."""
    size = 0
    for batch in batches:
        size += batch.get_total_buffer_size()  # unlike nbytes, looks at no offsets
        _check_size(size, packed)
        yield batch


def _check_size(size: int, packed: int) -> None:
    limit = most_unpacked(packed)
    if size > limit:
        raise DamagedFileError(
            f"it unpacks to more than {in_words(limit)}, which is too much for a file of {in_words(packed)}"
        )


def _validated(table: pa.Table) -> pa.Table:
    for name in table.column_names:
        name.encode()
    table.validate(full=True)
    return table
