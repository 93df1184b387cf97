"""Transcripts that lists of hypotheses are judged by, found by the id of the utterance.

Recognised by content, or by the file's ending: Kaldi's `text` (`id words`), `trn` (`words (id)`), STM and CTM of
NIST's scoring tools, and manifests of NeMo (JSON lines with `audio_filepath` and `text`). The segments of an STM and
the words of a CTM are joined by recording, in the order of time; a segment of an STM is also found by the id that
Kaldi's recipes give it, `recording-begin-end` in hundredths of a second with seven digits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from runoff.errors import DataError, brief
from runoff.formats.json_reader import parse
from runoff.formats.streams import bare_name, decode, lines
from runoff.formats.written_numbers import finite, is_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from runoff.nbest import NBest

_TRN = re.compile(r"(.*?)\s*\(([^()\s]+)\)")
_ALTERNATIVES = re.compile(r"\{\s*([^/{}]*?)\s*/[^{}]*\}")
_OPTIONAL = re.compile(r"\(([^()\s]+)\)")
_IGNORED = "IGNORE_TIME_SEGMENT_IN_SCORING"
_LOOKED_AT = 20  # lines


@dataclass
class Transcripts:
    """Texts by id, the other ids that they are found by, and what was changed in them."""

    path: Path
    texts: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def find(self, name: str) -> str | None:
        """The text of an utterance, by its id or by the file name in it; None where there is none."""
        for key in (name, stem(name)):
            found = self.texts.get(key, self.aliases.get(key))
            if found is not None:
                return found
        return None


def with_transcripts(data: NBest, references: str | Path | None, path: Path) -> NBest:
    """Lists with the transcript of each as its reference; lists that have none are counted in a note. O(transcripts).

    Examples
    --------
    >>> import tempfile
    >>> from runoff.nbest import NBest
    >>> file = Path(tempfile.mkdtemp()) / "text"
    >>> _ = file.write_text("utt1 so it is\\n")
    >>> lists = NBest.from_records([{"id": "utt1", "candidates": ["so it was", "so it is"]}])
    >>> with_transcripts(lists, file, Path("lists")).references.to_pylist()
    [['so it is']]
    """
    if references is None:
        return data
    known = transcripts(Path(references))
    names = data.group_ids.to_pylist()
    found = [known.find(name) for name in names]
    absent = found.count(None)
    if absent == len(found):
        raise DataError(
            f"it has no transcript of any list of {path}: ids are like {brief(next(iter(known.texts), ''))} here and "
            f"like {brief(names[0] if names else '')} there. Is this the right file?",
            path=known.path,
        )
    notes = list(known.notes)
    if absent:
        first = names[found.index(None)]
        notes.append(f"{absent:,} list(s) have no transcript in {known.path.name} (the first is {brief(first)}).")
    texts = [None if text is None else [text] for text in found]
    return data.replace(references=texts, notes=(*data.notes, *notes))


def transcripts(path: Path) -> Transcripts:
    """All transcripts of a file, in whichever of the forms it is. O(characters)."""
    rows = [(number, decode(raw, path, number)) for number, raw in lines(path)]
    said = [(number, line) for number, line in rows if not line.startswith(";;")]
    if not said:
        raise DataError("the file has no transcripts.", path=path)
    found = Transcripts(path)
    _reader(path, [line for _, line in said[:_LOOKED_AT]])(found, said)
    return found


def stem(name: str) -> str:
    """The name of a recording without its folders and ending.

    Examples
    --------
    >>> stem("audio/dev/talk-1.flac"), stem("talk-1")
    ('talk-1', 'talk-1')
    """
    last = name.replace("\\", "/").rpartition("/")[2]
    return re.sub(r"\.[A-Za-z][A-Za-z0-9]{1,4}$", "", last)


def _reader(path: Path, first: list[str]) -> Callable[[Transcripts, list[tuple[int, str]]], None]:
    ending = bare_name(path).rpartition(".")[2]
    if first[0].startswith("{"):
        return _manifest
    if ending == "stm" or (ending != "ctm" and all(map(_looks_like_stm, first))):
        return _stm
    if ending == "ctm" or all(map(_looks_like_ctm, first)):
        return _ctm
    if ending == "trn" or all(_TRN.fullmatch(line) for line in first):
        return _trn
    return _kaldi


def _looks_like_stm(line: str) -> bool:
    fields = line.split()
    return len(fields) >= 5 and "." in fields[4] and is_number(fields[3]) and is_number(fields[4])


def _looks_like_ctm(line: str) -> bool:
    fields = line.split()
    return 5 <= len(fields) <= 8 and "." in fields[2] + fields[3] and is_number(fields[2]) and is_number(fields[3])


def _add(found: Transcripts, name: str, text: str, number: int) -> None:
    if name in found.texts:
        raise DataError(f"there is a second transcript of {brief(name)}.", path=found.path, line=number)
    found.texts[name] = text


def _kaldi(found: Transcripts, rows: list[tuple[int, str]]) -> None:
    for number, line in rows:
        name, _, text = line.replace("\t", " ").partition(" ")
        _add(found, name, text.strip(), number)


def _trn(found: Transcripts, rows: list[tuple[int, str]]) -> None:
    alternatives = 0
    for number, line in rows:
        match = _TRN.fullmatch(line)
        if match is None:
            raise DataError(f"expected words and an id in brackets, found {brief(line)}.", path=found.path, line=number)
        text, changed = _plain(match[1])
        alternatives += changed
        _add(found, match[2], text, number)
    found.notes += _changed(found, alternatives)


def _manifest(found: Transcripts, rows: list[tuple[int, str]]) -> None:
    for number, line in rows:
        entry = parse(line.encode(), found.path, number)
        if not isinstance(entry, dict) or not all(
            isinstance(entry.get(key), str) for key in ("audio_filepath", "text")
        ):
            raise DataError(
                f"expected an object with the texts 'audio_filepath' and 'text', found {brief(entry)}.",
                path=found.path,
                line=number,
            )
        name = entry["audio_filepath"]
        _add(found, name, entry["text"], number)
        found.aliases.setdefault(stem(name), entry["text"])


def _stm(found: Transcripts, rows: list[tuple[int, str]]) -> None:
    segments: list[tuple[str, float, str]] = []
    ignored = alternatives = 0
    for number, line in rows:
        fields = line.split(None, 5)
        if len(fields) < 5:
            raise DataError(
                f"expected `recording channel speaker begin end <labels> words`, found {brief(line)}.",
                path=found.path,
                line=number,
            )
        begin, end = (finite(fields[at], what, found.path, number) for at, what in ((3, "the begin"), (4, "the end")))
        if not 0 <= begin <= end < 1e8:
            raise DataError(f"a segment cannot last from {begin:g} to {end:g} s.", path=found.path, line=number)
        text = re.sub(r"^<[^>\s]*>\s*", "", fields[5] if len(fields) > 5 else "")
        if text.strip().upper() == _IGNORED:
            ignored += 1
            continue
        text, changed = _plain(text)
        alternatives += changed
        segments.append((fields[0], begin, text))
        found.aliases[f"{fields[0]}-{round(begin * 100):07d}-{round(end * 100):07d}"] = text
    _join(found, segments)
    if ignored:
        found.notes.append(f"{found.path.name}: {ignored:,} segment(s) that are not to be scored were left out.")
    found.notes += _changed(found, alternatives)


def _ctm(found: Transcripts, rows: list[tuple[int, str]]) -> None:
    words: list[tuple[str, float, str]] = []
    alternative, left_out = False, 0
    for number, line in rows:
        fields = line.split()
        if len(fields) < 5:
            raise DataError(
                f"expected `recording channel begin duration word`, found {brief(line)}.", path=found.path, line=number
            )
        word = fields[4]
        if word.upper() in ("<ALT_BEGIN>", "<ALT>", "<ALT_END>"):
            alternative = word.upper() == "<ALT>"  # the first of the alternatives counts
        elif alternative:
            left_out += 1
        else:
            words.append((fields[0], finite(fields[2], "the begin", found.path, number), word))
    _join(found, words)
    if left_out:
        found.notes.append(f"{found.path.name}: {left_out:,} word(s) of further alternatives were left out.")


def _join(found: Transcripts, pieces: list[tuple[str, float, str]]) -> None:
    """Bring the pieces of every recording into the order of time; equal times stay in the order of the file."""
    for name, _, text in sorted(pieces, key=lambda piece: piece[1]):
        found.texts[name] = f"{found.texts[name]} {text}".strip() if name in found.texts else text


def _plain(text: str) -> tuple[str, bool]:
    """Words without the marks of scoring tools: the first of `{ a / b }`, and `(uh)` as `uh`."""
    plain = " ".join(_OPTIONAL.sub(r"\1", _ALTERNATIVES.sub(r"\1", text)).replace("@", " ").split())
    return plain, plain != " ".join(text.split())


def _changed(found: Transcripts, count: int) -> Iterator[str]:
    if count:
        yield (
            f"{found.path.name}: in {count:,} transcript(s) the first alternative was taken; optional words count like "
            "others."
        )
