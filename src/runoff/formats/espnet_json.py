"""Results of ESPnet 1: `data.json` with the n-best lists of all utterances.

The shape is `{"utts": {id: {"output": [hypothesis, …]}}}`. A hypothesis has `rec_text`, `rec_token` and `score`, and
`text` is the transcript. The end mark and the word marks of subword units (`▁`) are taken out of the texts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runoff.errors import DataError, brief
from runoff.formats.assembly import Record, assembled
from runoff.formats.base import Format, Sample
from runoff.formats.json_reader import outline, parse
from runoff.formats.streams import BYTE_ORDER_MARK, read_all
from runoff.formats.transcripts import with_transcripts
from runoff.formats.written_numbers import finite_value

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from runoff.nbest import NBest

_END, _WORD = "<eos>", "\u2581"


def read(path: Path, references: str | Path | None = None) -> NBest:
    """Read a result file, which is held in memory meanwhile; `references` replace the transcripts in it. O(bytes)."""
    whole = parse(read_all(path).removeprefix(BYTE_ORDER_MARK), path)
    utterances = whole.get("utts") if isinstance(whole, dict) else None
    if not isinstance(utterances, dict):
        raise DataError(f"expected an object with the key 'utts', found {brief(whole)}.", path=path)
    data = assembled(_records(utterances, path), path, metric="wer", unit="utterance")
    return with_transcripts(data, references, path)


def _records(utterances: dict[str, Any], path: Path) -> Iterator[tuple[int, Record]]:
    for number, (name, entry) in enumerate(utterances.items(), 1):
        output = entry.get("output") if isinstance(entry, dict) else None
        if not isinstance(output, list):
            raise DataError(
                f"expected a list for 'output' of utterance {brief(name)}, found {brief(output)}.", path=path
            )
        record: Record = {"id": name, "candidates": [_candidate(each, name, path) for each in output]}
        transcripts = {each["text"] for each in output if isinstance(each.get("text"), str)}
        if transcripts:
            record["references"] = sorted(transcripts)
        yield number, record


def _candidate(hypothesis: Any, name: str, path: Path) -> Record:
    text = hypothesis.get("rec_text") if isinstance(hypothesis, dict) else None
    if not isinstance(text, str):
        several = " Lists of several speakers are not read." if isinstance(hypothesis, list) else ""
        raise DataError(
            f"expected a hypothesis with a text 'rec_text' in utterance {brief(name)}, found "
            f"{brief(hypothesis)}.{several}",
            path=path,
        )
    candidate: Record = {"text": " ".join(text.replace(_END, " ").replace(_WORD, " ").split())}
    if "score" in hypothesis:
        candidate["base"] = finite_value(hypothesis["score"], f"'score' of utterance {brief(name)}", path)
    tokens = hypothesis.get("rec_token")
    if isinstance(tokens, str):
        candidate["features"] = {"tokens": sum(token != _END for token in tokens.split())}
    return candidate


def recognise(sample: Sample) -> bool:
    """Recognise utterances with hypotheses."""
    return outline(sample.head).get(("utts",)) == b"{" and b'"rec_text"' in sample.head


FORMAT = Format(
    name="espnet-json",
    description="ESPnet 1 results: data.json with the hypotheses of every utterance",
    recognise=recognise,
    read=read,
    options=("references",),
)
