"""Decode folders of ESPnet: `1best_recog`, `2best_recog`… with the files `text`, `score` and `token`.

ESPnet writes them below `logdir/output.N`, one folder for each job; any folder above will do. Scores are written as
PyTorch shows them, `tensor(-3.21)`. The score is the base score, and the number of tokens the column `tokens`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from runoff.errors import DataError, UsageError, brief
from runoff.formats.assembly import Record, assembled
from runoff.formats.base import Folder, Format, Sample
from runoff.formats.streams import decode, lines
from runoff.formats.transcripts import with_transcripts
from runoff.formats.written_numbers import finite

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from runoff.nbest import NBest

_PLACE = re.compile(r"([1-9]\d{0,5})best_recog")
_TENSOR = re.compile(r"tensor\(\s*([^,()\s]+)\s*(?:,[^()]*)?\)")

Rows = dict[str, tuple[int, str]]  # what follows a key, and its line


def read(path: Path, references: str | Path | None = None) -> NBest:
    """Read all hypotheses below a folder; `references` are transcripts. O(lines)."""
    if not path.is_dir():
        raise UsageError(f"{path} is a file; give the folder with 1best_recog, 2best_recog and so on.")
    places = sorted(
        (int(match[1]), place) for place in path.rglob("*best_recog") if (match := _PLACE.fullmatch(place.name))
    )
    groups: dict[str, list[tuple[int, Path, int, Record]]] = {}
    for rank, place in places:
        for name, line, candidate in _candidates(place):
            before = groups.setdefault(name, [])
            if before and before[-1][0] == rank:
                raise DataError(f"utterance {brief(name)} is also in {before[-1][1]}.", path=place / "text", line=line)
            before.append((rank, place / "text", line, candidate))
    records = ((rows[0][2], {"id": name, "candidates": [row[3] for row in rows]}) for name, rows in groups.items())
    return with_transcripts(assembled(records, path, metric="wer"), references, path)


def _candidates(place: Path) -> Iterator[tuple[str, int, Record]]:
    """Key, line and candidate of every line of `text`, with what the files beside it say."""
    texts = _rows(place / "text")
    beside = {name: _rows(place / name) for name in ("score", "token") if (place / name).is_file()}
    for key, (line, text) in texts.items():
        for name, rows in beside.items():
            if key not in rows:
                raise DataError(f"there is no {name} of {brief(key)}, which has a text.", path=place / name)
        candidate: Record = {"text": text}
        if "score" in beside:
            number, written = beside["score"][key]
            match = _TENSOR.fullmatch(written)
            candidate["base"] = finite(match[1] if match else written, "the score", place / "score", number)
        if "token" in beside:
            candidate["features"] = {"tokens": len(beside["token"][key][1].split())}
        yield key, line, candidate


def _rows(path: Path) -> Rows:
    found: Rows = {}
    for number, raw in lines(path):
        key, _, rest = decode(raw, path, number).replace("\t", " ").partition(" ")
        if key in found:
            raise DataError(
                f"utterance {brief(key)} was there before, on line {found[key][0]}.", path=path, line=number
            )
        found[key] = number, rest.strip()
    return found


def recognise(_: Sample) -> bool:
    """No single file is recognised."""
    return False


def recognise_folder(folder: Folder) -> bool:
    """Recognise a file `text` in a folder `1best_recog`."""
    return any(f"/{name}".endswith("/1best_recog/text") for name in folder.files)


FORMAT = Format(
    name="espnet",
    description="ESPnet decode folder: 1best_recog, 2best_recog… with text, score and token",
    recognise=recognise,
    read=read,
    options=("references",),
    recognise_folder=recognise_folder,
)
