"""Output of fairseq's `generate` and `interactive`: tab-separated lines S-, T-, H-, D- and P-.

The number of the sentence follows the letter. `H-0 TAB score TAB tokens` is a hypothesis, `D-0` the same detokenised
(used where it is there), `P-0` its log-probabilities token by token, `S-0` the source and `T-0` the reference. The
score, fairseq's normalised log-probability, is the base score; `P-` makes the columns `tokens`, `logprob` (their sum)
and `lowest`. All other lines are the program's log.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from runoff.errors import DataError, brief
from runoff.formats.assembly import Record, assembled
from runoff.formats.base import Format, Sample
from runoff.formats.moses_references import aligned
from runoff.formats.streams import decode, lines
from runoff.formats.written_numbers import finite

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from runoff.nbest import NBest

_LINE = re.compile(r"([STHDP])-(\d{1,18})(?:\t(.*))?")
_BEGIN = re.compile(rb"(?m)^(?:S-\d+(?:\t|$)|H-\d+\t[-+]?[\dni])")


@dataclass
class _Sentence:
    """What the lines of one number say."""

    line: int
    source: str | None = None
    reference: str | None = None
    candidates: list[Record] = field(default_factory=list)


def read(path: Path, references: str | Path | Sequence[str | Path] | None = None) -> NBest:
    """Read hypotheses; line i of the files `references` belongs to sentence i, from 0, as for Moses lists. O(lines)."""
    sentences: dict[str, _Sentence] = {}
    others = 0
    for number, raw in lines(path):
        match = _LINE.fullmatch(decode(raw, path, number))
        if match is None:
            others += 1
            continue
        sentence = sentences.setdefault(match[2], _Sentence(number))
        _add(sentence, match[1], match[3] or "", path, number)
    notes = [f"{others:,} line(s) of the program's log were left out."] if others else []
    records = ((sentence.line, _record(name, sentence)) for name, sentence in sentences.items())
    data = assembled(records, path, metric="bleu", notes=notes)
    if references is None:
        return data
    found, more = aligned(data.group_ids.to_pylist(), references, path)
    return data.replace(references=found, notes=(*data.notes, *more))


def _record(name: str, sentence: _Sentence) -> Record:
    record: Record = {"id": name, "candidates": sentence.candidates}
    for key, text in (("input", sentence.source), ("reference", sentence.reference)):
        if text is not None:
            record[key] = text
    return record


def _add(sentence: _Sentence, kind: str, rest: str, path: Path, line: int) -> None:
    if kind == "S":
        sentence.source = rest
    elif kind == "T":
        sentence.reference = rest
    elif kind == "H":
        score, text = _scored(rest, path, line)
        sentence.candidates.append({"text": text, "base": score})
    elif not sentence.candidates:
        raise DataError(f"there is no H- line before this {kind}- line of the sentence.", path=path, line=line)
    elif kind == "D":
        score, text = _scored(rest, path, line)
        if abs(score - sentence.candidates[-1]["base"]) > 1e-4 * max(1.0, abs(score)):
            raise DataError(
                f"its score is {score:g}, but that of the H- line before it is {sentence.candidates[-1]['base']:g}; "
                "lines are missing or mixed.",
                path=path,
                line=line,
            )
        sentence.candidates[-1]["text"] = text
    else:
        parts = [finite(part, "a log-probability", path, line) for part in rest.split()]
        numbers = {"tokens": len(parts), "logprob": sum(parts), "lowest": min(parts, default=0.0)}
        sentence.candidates[-1]["features"] = numbers


def _scored(rest: str, path: Path, line: int) -> tuple[float, str]:
    score, _, text = rest.partition("\t")
    if not score:
        raise DataError(f"expected a score, a tab and the tokens, found {brief(rest)}.", path=path, line=line)
    return finite(score, "the score", path, line), text.strip()


def recognise(sample: Sample) -> bool:
    """Recognise lines of a source or of a hypothesis with a score."""
    return _BEGIN.search(sample.head) is not None


FORMAT = Format(
    name="fairseq",
    description="fairseq generate output: S-, T-, H-, D- and P- lines; references also by the option references",
    recognise=recognise,
    read=read,
    options=("references",),
)
