"""Writing TREC runs: `query Q0 document rank score tag`, as trec_eval and retrieval tools read them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from runoff.errors import DataError, brief
from runoff.formats.streams import create_bytes

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from runoff.nbest import NBest

TAG = "runoff"
_BLANK = re.compile(r"\s")


def write(data: NBest, path: Path) -> None:
    """Write every list by its first-round scores, best first, equal ones in the order of the data.

    Queries are the lists' ids, documents the candidates' ids; texts, features, judgements and the tags of runs that
    were read have no place in a run. trec_eval orders by scores in single precision, equal ones by their names: what
    only the order of the file keeps apart may stand otherwise there. O(n log n) for n candidates.
    """
    if data.base is None or (data.candidate_ids is None and data.n_candidates):
        lacking = "first-round scores" if data.base is None else "ids of the candidates"
        raise DataError(f"a TREC run needs scores and ids of documents, and these lists have no {lacking}.", path=path)
    queries = _names(data.group_ids, "query", path)
    documents = [] if data.candidate_ids is None else _names(data.candidate_ids, "document", path)
    order, scores = np.lexsort((-data.base, data.group_of)).tolist(), data.base.tolist()
    with create_bytes(path) as stream:
        for query, start, stop in zip(queries, data.offsets[:-1].tolist(), data.offsets[1:].tolist(), strict=True):
            for rank, row in enumerate(order[start:stop], 1):
                stream.write(f"{query} Q0 {documents[row]} {rank} {scores[row]!r} {TAG}\n".encode())


def _names(names: pa.Array, what: str, path: Path) -> list[str]:
    found: list[str] = names.to_pylist()
    odd = next((name for name in found if not name or _BLANK.search(name)), None)
    if odd is not None:
        raise DataError(
            f"the {what} id {brief(odd)} has white space or is empty, which a run cannot hold; write JSON lines.",
            path=path,
        )
    return found
