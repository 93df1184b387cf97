"""Writing Moses n-best lists: `id ||| text ||| name= value … ||| total`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from runoff.errors import DataError, brief
from runoff.formats.streams import create_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from runoff.nbest import NBest

_ID = re.compile(r"[^\s|]+")


def write(data: NBest, path: Path) -> None:
    """Write lists with texts, whose total is the first round's score; features that are 0 are written too.

    Ids with blanks or bars, which the format cannot hold, are replaced by numbers from 0. References, inputs and
    quality have no place in it. O(candidates x features).
    """
    if data.texts is None or data.base is None:
        lacking = "texts" if data.texts is None else "first-round scores"
        raise DataError(f"Moses lists need texts and first-round scores, and these have no {lacking}.", path=path)
    names = [f"{name}=" for name in _checked_names(data.features.column_names().to_pylist(), path)]
    ids = data.group_ids.to_pylist()
    if not all(_ID.fullmatch(name) for name in ids):
        ids = [str(number) for number in range(len(data))]
    with create_bytes(path) as stream:
        for group, start, stop in zip(ids, data.offsets[:-1].tolist(), data.offsets[1:].tolist(), strict=True):
            values = data.features.rows(start, stop).to_scipy().toarray()
            if np.isnan(values).any():
                raise DataError(f"group {group!r} has missing values, which Moses lists cannot hold.", path=path)
            texts, totals = data.texts[start:stop].to_pylist(), data.base[start:stop].tolist()
            for text, row, total in zip(texts, values, totals, strict=True):
                if "|||" in text or "\n" in text or "\r" in text:
                    raise DataError(
                        f"the text {brief(text)} of group {group!r} has a line break or '|||', which Moses lists "
                        "cannot hold; write JSON lines.",
                        path=path,
                    )
                # The shortest text that is read as the same single-precision number.
                fields = " ".join(f"{name} {value}" for name, value in zip(names, map(str, row), strict=True))
                stream.write(f"{group} ||| {text} ||| {fields} ||| {total!r}\n".encode())


def _checked_names(names: Sequence[str], path: Path) -> list[str]:
    """Names without white space and bars; the reader adds a number to names with several values."""
    found = [re.sub(r"[\s|]+", "_", name).rstrip(":=") or "_" for name in names]
    if len(set(found)) < len(found):
        raise DataError("two features have the same name once blanks and bars are replaced; rename one.", path=path)
    return found
