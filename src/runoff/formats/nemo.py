"""Beams of NeMo: manifests of `transcribe_speech.py`, or tables of the beam search with a language model.

A manifest is JSON lines with `audio_filepath` and `beams`, a list of `[text, score]`; `text` is the transcript. A
table has the lines `text TAB score` and nothing else: the beams of one utterance follow those of the one before,
equally many for each, so that their number comes from the option `beams`, from the number of transcripts, or from the
file's name (`preds_out_width4_…`), or from the scores, if they rise after every N lines and nowhere else.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runoff.errors import DataError, UsageError, brief
from runoff.formats.assembly import Record, assembled
from runoff.formats.base import Format, Sample
from runoff.formats.json_reader import outline, parse
from runoff.formats.streams import SAMPLE_SIZE, bare_name, decode, lines, sample
from runoff.formats.transcripts import Transcripts, transcripts, with_transcripts
from runoff.formats.written_numbers import finite, finite_value, is_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runoff.nbest import NBest

_IN_NAME = re.compile(r"(?:width|size)(\d{1,6})(?!\d)")


def read(path: Path, references: str | Path | None = None, beams: int | None = None) -> NBest:
    """Read beams; `references` is a manifest, `beams` the number for each utterance of a table. O(lines)."""
    if beams is not None and (isinstance(beams, bool) or not isinstance(beams, int) or beams < 1):
        raise UsageError(f"beams must be a whole number of at least 1; found {beams!r}.")
    if sample(path).first_line[:1] == b"{":
        return with_transcripts(assembled(_manifest(path), path, metric="wer"), references, path)
    known = None if references is None else transcripts(Path(references))
    rows = [_row(decode(raw, path, number), path, number) for number, raw in lines(path, indented=True)]
    count = _beams(path, [score for _, _, score in rows], known, beams)
    names = [str(at + 1) for at in range(len(rows) // count)] if known is None else list(known.texts)
    data = assembled(_table(rows, count, names, known), path, metric="wer")
    return data if known is None else data.replace(notes=(*data.notes, *known.notes))


def _manifest(path: Path) -> Iterator[tuple[int, Record]]:
    for number, raw in lines(path):
        entry = parse(raw, path, number)
        beams = entry.get("beams") if isinstance(entry, dict) else None
        if not isinstance(beams, list) or not isinstance(entry.get("audio_filepath"), str):
            raise DataError(
                f"expected an object with 'audio_filepath' and a list 'beams', found {brief(entry)}.",
                path=path,
                line=number,
            )
        offset = entry.get("offset")  # of a part of a longer recording
        name = f"{entry['audio_filepath']}@{offset}" if offset else entry["audio_filepath"]
        record: Record = {"id": name, "candidates": [_beam(each, path, number) for each in beams]}
        if isinstance(entry.get("text"), str):
            record["reference"] = entry["text"]
        yield number, record


def _beam(beam: Any, path: Path, line: int) -> Record:
    if not isinstance(beam, list) or len(beam) != 2 or not isinstance(beam[0], str):
        raise DataError(f"expected a beam as [text, score], found {brief(beam)}.", path=path, line=line)
    return {"text": beam[0], "base": finite_value(beam[1], "the score of a beam", path, line)}


def _row(line: str, path: Path, number: int) -> tuple[int, str, float]:
    text, tab, score = line.rpartition("\t")
    if not tab:
        raise DataError(f"expected text, a tab and a score, found {brief(line)}.", path=path, line=number)
    return number, text.strip(), finite(score.strip(), "the score", path, number)


def _beams(path: Path, scores: list[float], known: Transcripts | None, given: int | None) -> int:
    """How many lines belong to an utterance, which the table does not say."""
    rows, named = len(scores), _IN_NAME.search(bare_name(path))
    if given is not None:
        count, source = given, "by the option beams"
    elif known is not None:
        count, source = (
            max(1, rows // len(known.texts)),
            f"for the {len(known.texts)} utterance(s) of {known.path.name}",
        )
    elif named is not None and int(named[1]):
        count, source = int(named[1]), "by the file's name"
    elif _regular(scores):
        count, source = _regular(scores), "by the scores"
    else:
        raise DataError(
            "a table of beams does not say where those of an utterance end; give --references MANIFEST or "
            "--with beams=N.",
            path=path,
        )
    if rows % count or (known is not None and rows // count != len(known.texts)):
        raise DataError(
            f"its {rows} lines cannot be divided into lists of {count}, as they should be {source}.", path=path
        )
    return count


def _regular(scores: list[float]) -> int:
    """N if the scores rise after every N lines and nowhere else, as those of beams from best to worst do; else 0."""
    rises = [at for at in range(1, len(scores)) if scores[at] > scores[at - 1]]
    count = rises[0] if rises else 0
    return count if count and [*rises, len(scores)] == list(range(count, len(scores) + 1, count)) else 0


def _table(
    rows: list[tuple[int, str, float]], count: int, names: list[str], known: Transcripts | None
) -> Iterator[tuple[int, Record]]:
    for at, name in enumerate(names):
        block = rows[at * count : (at + 1) * count]
        record: Record = {"id": name, "candidates": [{"text": text, "base": score} for _, text, score in block]}
        if known is not None:
            record["reference"] = known.texts[name]
        yield block[0][0], record


def recognise(sample: Sample) -> bool:
    """Recognise a manifest with beams, or lines that are all a text, a tab and a score."""
    seen = outline(sample.head) if sample.first_line[:1] == b"{" else {}
    if ("audio_filepath",) in seen:
        return seen.get(("beams",)) == b"["
    rows = sample.head.decode(errors="replace").split("\n")
    whole = [row for row in (rows[:-1] if len(sample.head) >= SAMPLE_SIZE else rows) if row.strip()]
    return len(whole) > 1 and all(_is_row(row) for row in whole)


def _is_row(row: str) -> bool:
    text, tab, score = row.rpartition("\t")
    return bool(tab) and "\t" not in text and not is_number(text) and is_number(score.strip())


FORMAT = Format(
    name="nemo",
    description="NeMo beams: manifests with `beams`, or tables of text and score",
    recognise=recognise,
    read=read,
    options=("references", "beams"),
)
