"""N-best lists of SRILM, one file for each utterance, in the three forms of its page nbest-format.

`NBestList1.0` has `(score) words`; `NBestList2.0` has `(score)` and after each word `( st: 0.1 et: 0.4 g: -20 a: -300
)`; scores of both are "bytelogs", and are changed to logarithms with base 10 as SRILM does. SRILM's own form has no
header: `acoustic language count words`. The list's id is the file's name without `.gz` and `.score`. Marks of
sentences and pauses are taken out of the texts.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from runoff.errors import DataError, UsageError, brief
from runoff.formats.assembly import Record, assembled
from runoff.formats.base import Folder, Format, Sample
from runoff.formats.streams import decode, is_recognised, lines
from runoff.formats.transcripts import with_transcripts
from runoff.formats.written_numbers import finite, is_number

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.nbest import NBest

BYTELOG = 1024 / 10000.5 / math.log(10)  # of Decipher's scores, in logarithms with base 10
SILENT = frozenset(
    {"<s>", "</s>", "-pau-", "!NULL", "!SENT_START", "!SENT_END", "!ENTER", "!EXIT", "SENT-START", "SENT-END"}
)
LANGUAGE_WEIGHT, WORD_WEIGHT = 8.0, 0.0  # of nbest-optimize and nbest-rescore
_MAGIC = re.compile(rb"NBestList([12])\.0\s*$")
_PER_WORD = 11  # word ( st: 0.1 et: 0.4 g: -20 a: -300 )
_LOOKED_AT = 5  # files of a folder


def read(
    path: Path,
    references: str | Path | None = None,
    lm_weight: float = LANGUAGE_WEIGHT,
    word_weight: float = WORD_WEIGHT,
) -> NBest:
    """Read a list or a folder of lists; `references` are transcripts. O(words).

    Parameters
    ----------
    path
        A file, whose name is the id of its list, or a folder of files.
    references
        A file of transcripts: Kaldi's `text`, `trn`, STM or CTM.
    lm_weight, word_weight
        Weights of the language model's score and of the number of words in the base score, where scores are apart.
    """
    for name, weight in (("lm_weight", lm_weight), ("word_weight", word_weight)):
        if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not abs(weight) < 1e9:
            raise UsageError(f"{name} must be a number; found {weight!r}.")
    files = [path]
    notes: list[str] = []
    if path.is_dir():
        there = sorted(each for each in path.iterdir() if each.is_file())
        files = [each for each in there if is_recognised(each, recognise)]
        if len(files) < len(there):
            notes.append(f"{len(there) - len(files):,} file(s) of {path} are no n-best lists and were left out.")
    seen: dict[str, Path] = {}
    records = []
    for number, file in enumerate(files, 1):
        name = re.sub(r"(\.(score|nbest|nb))?(\.(gz|zst|Z))?$", "", file.name)
        if name in seen:
            raise DataError(f"the list of {brief(name)} is also in {seen[name].name}.", path=file)
        seen[name] = file
        records.append((number, {"id": name, "candidates": _candidates(file, lm_weight, word_weight)}))
    data = assembled(records, path, metric="wer", notes=notes, unit="file")
    return with_transcripts(data, references, path)


def _candidates(path: Path, lm_weight: float, word_weight: float) -> list[Record]:
    found: list[Record] = []
    form = 0
    for at, (number, raw) in enumerate(lines(path)):
        magic = _MAGIC.match(raw)
        if magic:
            if at:
                raise DataError("the header is not on the first line.", path=path, line=number)
            form = int(magic[1])
            continue
        fields = decode(raw, path, number).split()
        if form:
            found.append(_decipher(fields, form, path, number))
        else:
            found.append(_own(fields, lm_weight, word_weight, path, number))
    return found


def _own(fields: list[str], lm_weight: float, word_weight: float, path: Path, line: int) -> Record:
    if len(fields) < 3:
        raise DataError(
            f"expected `acoustic-score language-score number-of-words words`, found {brief(' '.join(fields))}.",
            path=path,
            line=line,
        )
    names = ("acoustic", "language", "words")
    acoustic, language, count = (
        finite(text, f"the {name}", path, line) for text, name in zip(fields, names, strict=False)
    )
    return {
        "text": _text(fields[3:]),
        "base": acoustic + lm_weight * language + word_weight * count,
        "features": dict(zip(names, (acoustic, language, count), strict=True)),
    }


def _decipher(fields: list[str], form: int, path: Path, line: int) -> Record:
    score = re.fullmatch(r"\((.+)\)", fields[0])
    if score is None:
        raise DataError(f"expected a score in brackets first, found {brief(fields[0])}.", path=path, line=line)
    total = finite(score[1], "the score", path, line) * BYTELOG
    if form == 1:
        return {"text": _text(fields[1:]), "base": total}
    words, acoustic, language, end = [], 0.0, 0.0, -1.0
    rest = fields[1:]
    if len(rest) % _PER_WORD:
        raise DataError(
            f"expected {_PER_WORD} fields per word, `word ( st: s et: s g: score a: score )`; it has {len(rest)}.",
            path=path,
            line=line,
        )
    for at in range(0, len(rest), _PER_WORD):
        word, numbers = rest[at], rest[at + 3 : at + 10 : 2]
        begin, stop, grammar, sound = (
            finite(text, f"{name} of {brief(word)}", path, line)
            for text, name in zip(numbers, ("st", "et", "g", "a"), strict=True)
        )
        if begin <= end:  # a phone or state of the word before
            continue
        words.append(word)
        acoustic, language, end = acoustic + sound * BYTELOG, language + grammar * BYTELOG, stop
    features = {"acoustic": acoustic, "language": language, "words": len(words)}
    return {"text": _text(words), "base": total, "features": features}


def _text(words: list[str]) -> str:
    return " ".join(word for word in words if word not in SILENT)


def recognise(sample: Sample) -> bool:
    """Recognise the header, or a first line of two scores, the number of words and that many words."""
    first = sample.first_line.rstrip()
    if _MAGIC.match(first):
        return True
    fields = first.decode(errors="replace").split()
    if len(fields) < 4 or not all(map(is_number, fields[:2])) or not fields[2].isdigit() or is_number(fields[3]):
        return False
    return int(fields[2][:9]) in range(len([word for word in fields[3:] if word not in SILENT]), len(fields) - 2)


def recognise_folder(folder: Folder) -> bool:
    """Recognise n-best lists among the first files of the folder."""
    here = sorted(name for name in folder.files if "/" not in name)[:_LOOKED_AT]
    return any(is_recognised(folder.path / name, recognise) for name in here)


FORMAT = Format(
    name="srilm",
    description="SRILM n-best lists: NBestList1.0, NBestList2.0 or scores and words; a file or a folder of them",
    recognise=recognise,
    read=read,
    options=("references", "lm_weight", "word_weight"),
    recognise_folder=recognise_folder,
)
