"""Candidate sets of the ReFr toolkit (Bikel & Hall 2013): Protocol Buffers, one message for each list.

They are in base64, one to a line, or binary after their length in digits. The messages are those of ReFr's
`data.proto` and `model.proto`: a `CandidateSetMessage` has the key, the reference and the candidates, a candidate its
text, scores (loss, system score) and features. As in ReFr's JSON, the loss is the negated quality, and the option
`system` says whether the system's numbers are scores or costs.
"""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any

from runoff.errors import DataError, brief
from runoff.formats import protobuf
from runoff.formats.assembly import Record, assembled
from runoff.formats.base import Format, Sample
from runoff.formats.loss_jsonl import as_scores, check_system
from runoff.formats.streams import lines, open_bytes
from runoff.formats.transcripts import with_transcripts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from runoff.nbest import NBest

_LOSS, _SYSTEM = 0, 1  # types of a score
_LONGEST = 1 << 28  # bytes of a message
_DIGITS = 10
_FIRST_TAGS = (b"\n", b"\x1a", b'"')  # of a key, a reference or a candidate


def read(path: Path, references: str | Path | None = None, system: str | None = None) -> NBest:
    """Read candidate sets; `system` is "score" or "cost", by default as the order of the lists tells. O(bytes)."""
    check_system(system)
    with open_bytes(path) as stream:
        is_raw = _is_raw(stream.read(64))
    messages = _with_lengths(path) if is_raw else _in_base64(path)
    data = assembled(_records(messages, path), path, unit="message" if is_raw else "line")
    return with_transcripts(as_scores(data, system), references, path)


def _in_base64(path: Path) -> Iterator[tuple[int, bytes]]:
    for number, line in lines(path):
        try:
            yield number, base64.b64decode(line, validate=True)
        except binascii.Error:
            raise DataError(f"expected a message in base64, found {brief(line)}.", path=path, line=number) from None


def _with_lengths(path: Path) -> Iterator[tuple[int, bytes]]:
    """Messages after their length in decimal digits, as ReFr writes them without base64."""
    number = 0
    with open_bytes(path) as stream:
        rest = stream.read(_DIGITS + 1)
        while rest:
            number += 1
            digits = rest[: len(rest) - len(rest.lstrip(b"0123456789"))]
            if not digits or len(digits) > _DIGITS or int(digits) > _LONGEST:
                raise DataError(f"message {number}: expected its length in digits, found {brief(rest)}.", path=path)
            size, begun = int(digits), rest[len(digits) :]
            message = begun[:size] + stream.read(max(0, size - len(begun)))
            if len(message) < size:
                raise DataError(
                    f"message {number} has {size} bytes, but only {len(message)} follow; the file is truncated.",
                    path=path,
                )
            yield number, message
            rest = begun[size:]
            rest += stream.read(_DIGITS + 1 - len(rest))


def _records(messages: Iterator[tuple[int, bytes]], path: Path) -> Iterator[tuple[int, Record]]:
    for number, message in messages:
        try:
            yield number, _candidate_set(message)
        except protobuf.MessageError as error:
            raise DataError(f"the message is damaged: {error}.", path=path, line=number) from None


def _candidate_set(message: bytes) -> Record:
    record: Record = {"candidates": []}
    for field, value in protobuf.fields(message):
        if field == 1 and value:
            record["id"] = protobuf.text(value)
        elif field == 3 and value:
            record["reference"] = protobuf.text(value)
        elif field == 4:
            record["candidates"].append(_candidate(protobuf.part(value)))
    return record


def _candidate(message: bytes) -> Record:
    candidate: Record = {}
    for field, value in protobuf.fields(message):
        if field == 2:
            candidate["text"] = protobuf.text(value)
        elif field == 3:
            candidate["features"] = _features(protobuf.part(value))
        elif field == 4:
            kind, score = _score(protobuf.part(value))
            if kind == _LOSS:
                candidate["quality"] = 0.0 - score
            elif kind == _SYSTEM:
                candidate["base"] = score
    return candidate


def _score(message: bytes) -> tuple[int, float]:
    kind, score = _SYSTEM, 0.0
    for field, value in protobuf.fields(message):
        if field == 1:
            kind = protobuf.integer(value)
        elif field == 2:
            score = protobuf.number(value)
    return kind, score


def _features(message: bytes) -> dict[str, float]:
    found: dict[str, float] = {}
    for field, value in protobuf.fields(message):
        if field != 1:
            continue
        name, weight = "", 1.0
        for inner, content in protobuf.fields(protobuf.part(value)):
            if inner == 1:
                name = protobuf.text(content)
            elif inner == 2 and not name:
                name = str(protobuf.integer(content))
            elif inner == 4:
                weight = protobuf.number(content)
        if name in found:
            raise protobuf.MessageError(f"the feature {brief(name)} is there twice")
        found[name] = weight
    return found


def _is_raw(head: bytes) -> bool:
    body = head.lstrip(b"0123456789")
    return 0 < len(head) - len(body) <= _DIGITS and body[:1] in _FIRST_TAGS and b"\x1a" in head[:1] + body


def recognise(sample: Sample) -> bool:
    """Recognise a first message that has candidates."""
    message: Any = b""
    if _is_raw(sample.head[:64]):
        digits = len(sample.head) - len(sample.head.lstrip(b"0123456789"))
        message = sample.head[digits : digits + int(sample.head[:digits])]
    else:
        line = sample.first_line.strip()
        whole = line[: len(line) // 4 * 4]
        if line[:1] not in (b"C", b"G", b"I") or not line.rstrip(b"=").replace(b"+", b"").replace(b"/", b"").isalnum():
            return False
        try:
            message = base64.b64decode(whole, validate=True)
        except binascii.Error:
            return False
    return _has_candidates(message)


def _has_candidates(message: bytes) -> bool:
    """Whether the fields, as far as the sample holds them, are those of a candidate set."""
    seen = []
    try:
        for field, _ in protobuf.fields(message):
            seen.append(field)
    except protobuf.MessageError:  # cut off, perhaps
        return bool(seen) and set(seen) <= {1, 3, 4, 5, 6}
    return 4 in seen and set(seen) <= {1, 3, 4, 5, 6}


FORMAT = Format(
    name="refr",
    description="ReFr candidate sets: Protocol Buffers in base64, one message per line",
    recognise=recognise,
    read=read,
    options=("references", "system"),
)
