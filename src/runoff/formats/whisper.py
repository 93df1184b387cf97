"""Transcriptions of Whisper and faster-whisper as JSON, of which several of the same audio make a list.

A file has `segments` with `text`, `avg_logprob`, `temperature`, `compression_ratio`, `no_speech_prob` and `tokens`
(openai-whisper, `verbose_json` of OpenAI's interface), or is the list of segments alone (faster-whisper's, dumped). Of
a folder, transcriptions with the same file name in different folders belong together, and so do names that differ only
by a mark of the run: `talk.t0.2.json`, `talk_temp0.4.json`, `talk-run3.json` (t, temp, temperature, run, sample, seed,
beam). `runs` adds further files, which are then taken for the same audio, or folders.

The base score is the mean log-probability of a token, as Whisper computes it for a segment.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runoff.errors import DataError, UsageError, brief
from runoff.formats.assembly import Record, assembled
from runoff.formats.base import Folder, Format, Sample
from runoff.formats.json_reader import outline, parse
from runoff.formats.streams import BYTE_ORDER_MARK, bare_name, read_all, sample
from runoff.formats.transcripts import with_transcripts
from runoff.formats.written_numbers import finite_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.nbest import NBest

_MARK = r"(?:temperature|temp|t|run|sample|seed|beam)[-_=]?\d+(?:\.\d+)?"
_RUN = re.compile(rf"[._-](?:{_MARK}|[01]\.\d{{1,2}})$", re.IGNORECASE)  # at the end of a name
_ONLY_RUN = re.compile(_MARK, re.IGNORECASE)
_LOOKED_AT = 5  # files of a folder
_WORST = {"compression_ratio": max, "no_speech_prob": max, "temperature": max}


def read(path: Path, references: str | Path | None = None, runs: str | Path | Sequence[str | Path] = ()) -> NBest:
    """Read transcriptions; `references` are transcripts, `runs` further files or folders. O(segments)."""
    if isinstance(runs, (str, Path)):
        runs = [part.strip() for part in str(runs).split(",") if part.strip()]
    places = [path, *map(Path, runs)]
    if len({place.is_dir() for place in places}) > 1:
        raise UsageError("runs must be files if the first is a file, and folders if it is a folder.")
    groups: dict[str, list[tuple[str, Path]]] = {}
    notes: list[str] = []
    if path.is_dir():
        for place in places:
            skipped = 0
            for file in sorted(place.rglob("*.json")):
                if _is_transcription(file):
                    name = file.name.removesuffix(".json")
                    run = file.relative_to(place if len(places) == 1 else place.parent).as_posix().removesuffix(".json")
                    groups.setdefault(file.parent.name if _ONLY_RUN.fullmatch(name) else _RUN.sub("", name), []).append(
                        (run, file)
                    )
                else:
                    skipped += 1
            if skipped:
                notes.append(f"{skipped:,} JSON file(s) of {place} are no transcriptions and were left out.")
    else:
        groups[_RUN.sub("", path.name.removesuffix(".json"))] = [(str(place), place) for place in places]
    silent = 0
    records = []
    for number, (name, files) in enumerate(groups.items(), 1):
        candidates = [_candidate(file, run) for run, file in files]
        silent += _fill(candidates)
        records.append((number, {"id": name, "candidates": candidates}))
    if silent:
        notes.append(f"{silent:,} transcription(s) have no segments; their base score is the lowest of their list.")
    return with_transcripts(assembled(records, path, metric="wer", notes=notes, unit="audio"), references, path)


def _candidate(path: Path, run: str) -> Record:
    whole = parse(read_all(path).removeprefix(BYTE_ORDER_MARK), path)
    segments = whole.get("segments") if isinstance(whole, dict) else whole
    if not isinstance(segments, list):
        raise DataError(f"expected a transcription with a list 'segments', found {brief(whole)}.", path=path)
    texts: list[str] = []
    total, count = 0.0, 0
    numbers: dict[str, float] = {}
    for at, segment in enumerate(segments, 1):
        if not isinstance(segment, dict) or not isinstance(segment.get("text"), str):
            raise DataError(f"segment {at}: expected an object with a 'text', found {brief(segment)}.", path=path)
        texts.append(segment["text"])
        tokens = segment.get("tokens")
        # Whisper divides by the tokens and the end mark.
        weight = 1 + len(tokens) if isinstance(tokens, list) else 1
        mean = _number(segment, "avg_logprob", at, path)
        total, count = total + mean * weight, count + weight
        numbers["lowest avg_logprob"] = min(mean, numbers.get("lowest avg_logprob", mean))
        for key, worse in _WORST.items():
            if segment.get(key) is not None:
                value = _number(segment, key, at, path)
                numbers[key] = worse(value, numbers.get(key, value))
    text = whole.get("text") if isinstance(whole, dict) else None
    found: Record = {"id": run, "text": " ".join((text if isinstance(text, str) else "".join(texts)).split())}
    found["base"] = total / count if count else None
    return found | {"features": numbers | {"tokens": count - len(texts)}}


def _number(segment: dict[str, Any], key: str, at: int, path: Path) -> float:
    return finite_value(segment.get(key), f"{key!r} of segment {at}", path)


def _fill(candidates: list[Record]) -> int:
    """Give transcriptions without segments a base score; how many there were."""
    known = [each["base"] for each in candidates if each["base"] is not None]
    for each in candidates:
        if each["base"] is None:
            each["base"] = min(known, default=0.0)
    return len(candidates) - len(known)


def _is_transcription(path: Path) -> bool:
    try:
        return recognise(sample(path))
    except DataError:
        return False


def recognise(sample: Sample) -> bool:
    """Recognise segments with their mean log-probability, or a transcription of silence."""
    seen = outline(sample.head)
    if seen.get(("segments",)) == b"[":
        return ("segments", "avg_logprob") in seen or {("text",), ("language",)} <= seen.keys()
    return sample.head.lstrip()[:1] == b"[" and {("avg_logprob",), ("text",)} <= seen.keys()


def recognise_folder(folder: Folder) -> bool:
    """Recognise a transcription among the first JSON files of the folder."""
    files = sorted(name for name in folder.files if bare_name(name).endswith(".json"))[:_LOOKED_AT]
    return any(_is_transcription(folder.path / name) for name in files)


FORMAT = Format(
    name="whisper",
    description="Whisper and faster-whisper JSON: transcriptions of an audio, in a folder or by the option runs",
    recognise=recognise,
    read=read,
    options=("references", "runs"),
    recognise_folder=recognise_folder,
)
