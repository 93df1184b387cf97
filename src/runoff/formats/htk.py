r"""N-best lists of HTK: label files with `///` between alternatives, as `HVite -n` writes them.

They come alone (`.rec`) or many in one master label file. A line is `begin end word score`, times in units of 100 ns;
times and score may be missing. The sum of the scores is the base score. Marks of sentences and pauses are taken out of
the texts; words may be in quotes, with `\303\251` for bytes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from runoff.errors import DataError, brief
from runoff.formats.assembly import Record, assembled
from runoff.formats.base import Folder, Format, Sample
from runoff.formats.srilm import SILENT
from runoff.formats.streams import bare_name, decode, lines
from runoff.formats.transcripts import stem, with_transcripts
from runoff.formats.written_numbers import finite, is_number

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from runoff.nbest import NBest

_MASTER, _NEXT, _END = "#!MLF!#", "///", "."
_OCTAL = re.compile(r"((?:\\[0-3][0-7]{2})+)")
_LABEL = re.compile(rb"\d+\s+\d+\s+\S+(\s+[-+\d.]\S*.*)?$")


class _Hypothesis:
    """Words and scores of one alternative while its lines are read."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.scores: list[float | None] = []

    def record(self) -> Record:
        """The candidate; without a score on every line it has none."""
        candidate: Record = {"text": " ".join(word for word in self.words if word not in SILENT)}
        if None not in self.scores:
            candidate["base"] = sum(score for score in self.scores if score is not None)
        return candidate


def read(path: Path, references: str | Path | None = None) -> NBest:
    """Read a label file, a master label file, or a folder of label files; `references` are transcripts. O(lines)."""
    files = sorted(path.glob("*.rec")) if path.is_dir() else [path]
    seen: dict[str, Path] = {}
    records: list[tuple[int, Record]] = []
    for file in files:
        for number, record in _records(file):
            if record["id"] in seen:
                raise DataError(f"utterance {brief(record['id'])} was there before.", path=file, line=number)
            seen[record["id"]] = file
            records.append((number, record))
    return with_transcripts(assembled(records, path, metric="wer"), references, path)


def _records(path: Path) -> Iterator[tuple[int, Record]]:
    name, begin, alternatives = stem(path.name), 1, [_Hypothesis()]
    is_master, is_open = False, True
    for number, raw in lines(path):
        line = decode(raw, path, number)
        if line == _MASTER and number == 1:
            is_master, is_open = True, False
        elif is_master and not is_open:
            if not re.fullmatch(r'"[^"]+"', line):
                raise DataError(
                    f"expected the name of a label file in quotes, found {brief(line)}.", path=path, line=number
                )
            name, begin, alternatives, is_open = stem(line.strip('"')), number, [_Hypothesis()], True
        elif is_master and line == _END:
            yield begin, _record(name, alternatives)
            is_open = False
        elif line == _NEXT:
            alternatives.append(_Hypothesis())
        else:
            _add(alternatives[-1], line, path, number)
    if is_master and is_open:
        raise DataError(
            f"the list of {brief(name)}, which begins on line {begin}, has no end (a line with a dot).", path=path
        )
    if not is_master:
        yield begin, _record(name, alternatives)


def _record(name: str, alternatives: list[_Hypothesis]) -> Record:
    return {"id": name, "candidates": [each.record() for each in alternatives]}


def _add(hypothesis: _Hypothesis, line: str, path: Path, number: int) -> None:
    fields = line.split()
    times = 0
    while times < 2 and times < len(fields) - 1 and fields[times].isdigit():
        times += 1
    word, rest = fields[times], fields[times + 1 :]
    hypothesis.words.append(_unquoted(word))
    has_score = bool(rest) and (is_number(rest[0]) or times == 2)
    hypothesis.scores.append(finite(rest[0], f"the score of {brief(word)}", path, number) if has_score else None)


def _unquoted(word: str) -> str:
    if len(word) > 1 and word[0] in "\"'" and word[0] == word[-1]:
        word = word[1:-1]
    return _OCTAL.sub(_from_bytes, word)


def _from_bytes(match: re.Match[str]) -> str:
    return bytes(int(code, 8) for code in match[1].split("\\")[1:]).decode(errors="replace")


def recognise(sample: Sample) -> bool:
    """Recognise a master label file, or lines with times and alternatives after a line with `///`."""
    first = sample.first_line.rstrip()
    if first == _MASTER.encode():
        return True
    if sample.name.endswith(".rec") and b"\n///" in sample.head:
        return True
    return _LABEL.match(first) is not None and (b"\n///" in sample.head or sample.name.endswith(".rec"))


def recognise_folder(folder: Folder) -> bool:
    """Recognise label files by their ending."""
    return any("/" not in name and bare_name(name).endswith(".rec") for name in folder.files)


FORMAT = Format(
    name="htk",
    description="HTK n-best lists: label files with /// between alternatives, or a master label file",
    recognise=recognise,
    read=read,
    options=("references",),
    recognise_folder=recognise_folder,
)
