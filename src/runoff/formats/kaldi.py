"""N-best lists of Kaldi: the text archives of `nbest-to-linear`, words and their costs beside them.

A hypothesis of utterance `utt` has the key `utt-N`. The words are in one file (`words_text`, or `text`…), the costs in
others of the same folder, `key number` on every line, whatever they are called; each becomes a column. The base score
is the negated sum of the language model's cost and the scaled acoustic cost.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from runoff.errors import DataError, UsageError, brief
from runoff.formats import moses, trec
from runoff.formats.assembly import Record, assembled
from runoff.formats.base import Folder, Format, Sample
from runoff.formats.streams import SAMPLE_SIZE, bare_name, decode, is_recognised, lines, sample
from runoff.formats.transcripts import with_transcripts
from runoff.formats.written_numbers import finite, is_number

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from runoff.nbest import NBest

_KEY = re.compile(r"(\S+)-([1-9]\d{0,8})")
_TEXTS = ("words_text", "text", "words.txt", "text.txt", "nbest", "nbest.txt", "hyp", "hyp.txt", "words")
_ACOUSTIC, _LANGUAGE = ("ac", "am"), ("lm", "graph", "language")
ACOUSTIC_SCALE = 0.1
_LOOKED_AT = 20  # files of a folder


@dataclass(frozen=True)
class _Archive:
    """A text archive: what follows every key, and the line where it stands."""

    path: Path
    rows: dict[str, tuple[int, str]]


def read(path: Path, references: str | Path | None = None, acoustic_scale: float = ACOUSTIC_SCALE) -> NBest:
    """Read hypotheses and all costs beside them; `references` are transcripts. O(lines).

    Parameters
    ----------
    path
        The archive of words, or the folder (or folder of folders, one for each job) in which it is.
    references
        A file of transcripts: Kaldi's `text`, `trn`, STM or CTM.
    acoustic_scale
        Weight of the acoustic cost in the base score.
    """
    if (
        isinstance(acoustic_scale, bool)
        or not isinstance(acoustic_scale, (int, float))
        or not 0 <= acoustic_scale < 1e9
    ):
        raise UsageError(f"acoustic_scale must be a number of at least 0; found {acoustic_scale!r}.")
    files = [path] if path.is_file() else _archives_of_words(path)
    groups: dict[str, tuple[Path, list[tuple[int, int, Record]]]] = {}
    notes: list[str] = []
    for file in files:
        words = _archive(file)
        costs = _costs(words)
        base = _base_columns(list(costs))
        if not base and costs:
            notes.append(
                f"No cost of a language or acoustic model was found beside {file.name}: there is no base score."
            )
        if all(text.replace(" ", "").isdigit() for _, text in words.rows.values() if text):
            notes.append(f"The words of {file.name} are numbers; give them back their spelling by int2sym.pl.")
        for key, (line, text) in words.rows.items():
            match = _KEY.fullmatch(key)
            if match is None:
                raise DataError(f"expected a key that ends in -1, -2…, found {brief(key)}.", path=file, line=line)
            numbers = {name: _cost(costs[name], key, words, line) for name in costs}
            candidate: Record = {"text": text, "features": numbers}
            if base:
                candidate["base"] = -sum(
                    (acoustic_scale if what == "ac" else 1.0) * numbers[base[what]] for what in base
                )
            home, rows = groups.setdefault(match[1], (file, []))
            if home != file:
                raise DataError(f"utterance {match[1]!r} is also in {home}.", path=file, line=line)
            rows.append((int(match[2]), line, candidate))
    data = assembled(_records(groups), path, metric="wer", notes=dict.fromkeys(notes))
    return with_transcripts(data, references, path)


def _records(groups: dict[str, tuple[Path, list[tuple[int, int, Record]]]]) -> Iterator[tuple[int, Record]]:
    for name, (_, rows) in groups.items():
        yield rows[0][1], {"id": name, "candidates": [row[2] for row in sorted(rows, key=lambda row: row[0])]}


def _archives_of_words(path: Path) -> list[Path]:
    """One file for each job: the first whose lines look like lists, those with a usual name before others."""
    found, named = [], []
    for place in (path, *sorted(each for each in path.iterdir() if each.is_dir())):
        inside = {bare_name(each): each for each in sorted(place.iterdir()) if each.is_file()}
        usual = [inside[name] for name in _TEXTS if name in inside]
        named += usual[:1]
        others = [each for each in inside.values() if each not in usual]
        found += [each for each in (*usual, *others) if is_recognised(each, recognise)][:1]
    if not named:
        raise DataError(f"there is no file of words in it; expected one of: {', '.join(_TEXTS)}.", path=path)
    return found or named


def _archive(path: Path) -> _Archive:
    rows: dict[str, tuple[int, str]] = {}
    for number, raw in lines(path):
        key, _, rest = decode(raw, path, number).replace("\t", " ").partition(" ")
        if key in rows:
            raise DataError(f"the key {brief(key)} was used before, on line {rows[key][0]}.", path=path, line=number)
        rows[key] = number, rest.strip()
    if not rows:
        raise DataError("the file is empty.", path=path)
    return _Archive(path, rows)


def _costs(words: _Archive) -> dict[str, _Archive]:
    """Files in the same folder whose first line is a key of the words and a number, by name."""
    found = {}
    for each in sorted(words.path.parent.iterdir()):
        if each.is_file() and each != words.path and _is_cost(each, words):
            found[bare_name(each)] = _archive(each)
    return found


def _is_cost(path: Path, words: _Archive) -> bool:
    try:
        fields = sample(path).first_line.decode().split()
    except (DataError, UnicodeDecodeError):  # some other file, which nobody has asked for
        return False
    return len(fields) == 2 and fields[0] in words.rows and is_number(fields[1])


def _cost(archive: _Archive, key: str, words: _Archive, line: int) -> float:
    if key not in archive.rows:
        raise DataError(
            f"it has no cost of {brief(key)}, which is on line {line} of {words.path.name}.", path=archive.path
        )
    number, written = archive.rows[key]
    return finite(written, f"the cost of {brief(key)}", archive.path, number)


def _base_columns(names: list[str]) -> dict[str, str]:
    """The columns of the first round's score: one acoustic, one of the language model (with the old one's part)."""
    acoustic = [name for name in names if _has_part(name, _ACOUSTIC)]
    language = [name for name in names if _has_part(name, _LANGUAGE) and name not in acoustic]
    language.sort(key=lambda name: ("withlm" not in name, "nolm" in name))
    return {what: several[0] for what, several in (("ac", acoustic), ("lm", language)) if several}


def _has_part(name: str, beginnings: tuple[str, ...]) -> bool:
    return any(part.startswith(beginnings) for part in re.split(r"[^a-z]+", name))


def recognise(sample: Sample) -> bool:
    """Recognise lines whose keys count the hypotheses of utterances, with more than a number after them."""
    if moses.recognise(sample) or trec.recognise(sample):
        return False  # ids of lists may count too
    rows = sample.head.split(b"\n")
    last, seconds, numbers, counted = "", 0, 0, 0
    for row in rows[:-1] if len(sample.head) >= SAMPLE_SIZE else rows:  # the last may be cut off
        fields = row.decode(errors="replace").split()
        if not fields:
            continue
        match = _KEY.fullmatch(fields[0])
        if match is None:
            return False
        seconds += match[1] == last
        last = match[1]
        numbers += len(fields) == 2 and is_number(fields[1])
        counted += 1
    return seconds > 0 and numbers < counted


def recognise_folder(folder: Folder) -> bool:
    """Recognise a file of words, here or one folder deeper, that has the keys of n-best lists."""
    near = [name for name in sorted(folder.files) if name.count("/") <= 1]
    near.sort(key=lambda name: bare_name(name) not in _TEXTS)
    return any(is_recognised(folder.path / name, recognise) for name in near[:_LOOKED_AT])


FORMAT = Format(
    name="kaldi",
    description="Kaldi n-best lists: text archives of words (utt-1 words…) with their costs beside them",
    recognise=recognise,
    read=read,
    options=("references", "acoustic_scale"),
    recognise_folder=recognise_folder,
)
