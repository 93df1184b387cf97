"""Candidate sets of the ReFr toolkit (Bikel & Hall 2013): Protocol Buffers, one message for each list.

They are in base64, one to a line, or binary after their length in digits. The messages are those of ReFr's
`data.proto` and `model.proto`: a `CandidateSetMessage` has the key, the reference and the candidates, a candidate its
text, scores (loss, system score) and features. As in ReFr's JSON, the loss is the negated quality, and the option
`system` says whether the system's numbers are scores or costs.
"""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING

from runoff.errors import DataError, brief
from runoff.formats import protobuf
from runoff.formats.assembly import Record, assembled
from runoff.formats.base import Format, Sample
from runoff.formats.loss_jsonl import as_scores, check_system
from runoff.formats.streams import SAMPLE_SIZE, lines, open_bytes
from runoff.formats.transcripts import with_transcripts
from runoff.nbest.record_blocks import RecordSource

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from runoff.nbest import NBest

_LOSS, _SYSTEM = 0, 1  # types of a score
_FIELDS = {1, 3, 4, 5, 6}
_LONGEST = 1 << 28  # bytes of a message
_DIGITS = 10
_FIRST_TAGS = (b"\n", b"\x1a", b'"')  # of a key, a reference or a candidate


def read(path: Path, references: str | Path | None = None, system: str | None = None) -> NBest:
    """Read candidate sets; `system` is "score" or "cost", by default as the order of the lists tells. O(bytes)."""
    check_system(system)
    with open_bytes(path) as stream:
        is_raw = _length(stream.read(_DIGITS + 1))[0] > 0
    messages = _with_lengths(path) if is_raw else _in_base64(path)
    source = RecordSource(path, "message" if is_raw else "line")
    data = assembled(_records(messages, source), path, unit=source.unit)
    return with_transcripts(as_scores(data, system), references, path)


def _in_base64(path: Path) -> Iterator[tuple[int, bytes]]:
    for number, line in lines(path):
        try:
            yield number, base64.b64decode(line, validate=True)
        except binascii.Error:
            raise DataError(f"expected a message in base64, found {brief(line)}.", path=path, line=number) from None


def _with_lengths(path: Path) -> Iterator[tuple[int, bytes]]:
    """Messages after their length: in decimal digits, as ReFr writes them without base64, or as a varint."""
    number = 0
    with open_bytes(path) as stream:
        rest = stream.read(_DIGITS + 1)
        while rest:
            number += 1
            size, used = _length(rest)
            if not 0 < size <= _LONGEST:
                raise DataError(f"message {number}: expected its length, found {brief(rest)}.", path=path)
            begun = rest[used:]
            message = begun[:size] + stream.read(max(0, size - len(begun)))
            if len(message) < size:
                raise DataError(
                    f"message {number} has {size} bytes, but only {len(message)} follow; the file is truncated.",
                    path=path,
                )
            yield number, message
            rest = begun[size:]
            rest += stream.read(_DIGITS + 1 - len(rest))


def _length(head: bytes) -> tuple[int, int]:
    """Length of a message and how many bytes say so; 0 if it cannot be told. What follows begins with a tag."""
    digits = head[:_DIGITS]
    digits = digits[: len(digits) - len(digits.lstrip(b"0123456789"))]
    if digits and head[len(digits) : len(digits) + 1] in _FIRST_TAGS:
        return int(digits), len(digits)
    try:
        size, used = protobuf.varint(head, 0)
    except protobuf.MessageError:
        return 0, 0
    return (size, used) if head[used : used + 1] in _FIRST_TAGS else (0, 0)


def _records(messages: Iterator[tuple[int, bytes]], source: RecordSource) -> Iterator[tuple[int, Record]]:
    for number, message in messages:
        try:
            yield number, _candidate_set(message)
        except protobuf.MessageError as error:
            raise source.error(f"the message is damaged: {error}.", number) from None


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


def recognise(sample: Sample) -> bool:
    """Recognise a first message that has candidates."""
    is_cut = len(sample.head) >= SAMPLE_SIZE
    size, used = _length(sample.head[: _DIGITS + 1])
    if size:
        return _has_candidates(sample.head[used : used + size], is_cut=is_cut and used + size > len(sample.head))
    line = sample.first_line.strip()
    if line[:1] not in (b"C", b"G", b"I"):  # the first tags in base64
        return False
    try:
        message = base64.b64decode(line[: len(line) // 4 * 4], validate=True)
    except binascii.Error:
        return False
    return _has_candidates(message, is_cut=is_cut and len(line) + 1 >= len(sample.head))


def _has_candidates(message: bytes, *, is_cut: bool) -> bool:
    """Whether the fields, as far as the sample holds them, are those of a candidate set."""
    seen = set()
    try:
        for field, _ in protobuf.fields(message):
            seen.add(field)
    except protobuf.MessageError:
        if not is_cut:
            return False
    return 4 in seen and seen <= _FIELDS


FORMAT = Format(
    name="refr",
    description="ReFr candidate sets: Protocol Buffers in base64, one message per line",
    recognise=recognise,
    read=read,
    options=("references", "system"),
)
