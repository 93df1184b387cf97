"""A line may be as long as memory allows: whole documents are candidates too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from runoff.errors import DataError
from runoff.formats import formats, read

if TYPE_CHECKING:
    from pathlib import Path

# What stands before and after the long text of the first of two candidates.
FILES = {
    "jsonl": ['{"id":"a","candidates":[{"text":"', '","features":{"f":2}}]}\n{"candidates":[{"text":"y"}]}\n'],
    "loss-jsonl": ['{"candidates":[{"text":"', '","loss":1}]}\n{"candidates":[{"text":"y","loss":2}]}\n'],
    "hypotheses": ['{"input":["', '"],"output":"r"}\n{"input":["y"],"output":"r"}\n'],
    "letor": ["1 qid:1 1:0.5 # docid = ", "\n0 qid:1 1:2 # docid = y\n"],
    "moses": ["0 ||| ", " ||| f= 1 ||| 2\n1 ||| y ||| f= 2 ||| 3\n"],
    "trec": ["q1 Q0 ", " 1 3.5 tag\nq1 Q0 y 2 2.5 tag\n"],
    "table": ["group,text,x\na,", ",1\nb,y,2\n"],
    "parse-jsonl": ['{"id":"a","nbest":["', '"]}\n{"id":"b","nbest":["y"]}\n'],
    "bllip": ["1\ta\n-1\n(X ", ")\n1\tb\n-1\n(X y)\n"],
    "brackets": ["(X ", ")\n(X y)\n"],
    "records": ['{"qid":1,"output":"', '"}\n{"qid":2,"output":"y"}\n'],
    "openai": ['{"choices":[{"text":"', '"}]}\n{"choices":[{"text":"y"}]}\n'],
    "vllm": ['{"outputs":[{"token_ids":[],"text":"', '"}]}\n{"outputs":[{"text":"y"}]}\n'],
    "lm-eval": ['{"doc_id":1,"resps":[["', '"]]}\n{"doc_id":2,"resps":[["y"]]}\n'],
    "kaldi": ["a-1 ", "\na-2 y\n"],
    "srilm": ["-1 -2 1 ", "\n-1 -2 1 y\n"],
    "htk": ["0 1 ", " -1\n///\n0 1 y -2\n"],
    "espnet-json": ['{"utts":{"a":{"output":[{"rec_text":"', '"},{"rec_text":"y"}]}}}'],
    "nemo": ['{"audio_filepath":"a","beams":[["', '",-1],["y",-2]]}'],
    "fairseq": ["S-0\tz\nH-0\t-1\t", "\nH-0\t-2\ty\n"],
    "sockeye": ['{"sentence_id":1,"translation":"","translations":["', '","y"],"scores":[1,2]}\n'],
    "mqm": ["system\tseg_id\ttarget\tseverity\na\t1\t", "\tMajor\nb\t1\ty\tMinor\n"],
    "qa-pairs": [
        "<QApairs id='1'>\n<question>\nWho\n</question>\n<positive>\n",
        "\n</positive>\n<negative>\ny\n</negative>\n</QApairs>\n",
    ],
    "qa-table": ["2\t1\twho ?\t", "\n2\t0\twho ?\ty\n"],
    "table, quoted between tabs": ['group\ttext\tx\na\t"', '"\t1\nb\ty\t2\n'],
}
# Without lines, of one candidate each, or folders.
OTHERS = {"arrow", "beir", "espnet", "refr", "shards", "whisper"}


def write(path: Path, before: str, after: str, length: int) -> Path:
    with path.open("w") as file:
        file.write(before)
        for _ in range(length // 1000):
            file.write("x" * 1000)
        file.write(after)
    return path


def test_every_format_of_text_is_here() -> None:
    assert {name.split(",")[0] for name in FILES} == formats().keys() - OTHERS


@pytest.mark.parametrize("length", [5_000_000, pytest.param(50_000_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", FILES)
def test_a_line_longer_than_any_block(tmp_path: Path, name: str, length: int) -> None:
    data = read(write(tmp_path / "long", *FILES[name], length), format=name.split(",")[0])
    texts = data.candidate_ids if data.texts is None else data.texts
    found = [len(text.removeprefix("(X ").removesuffix(")")) for text in texts.to_pylist()]
    # Right sentences come first in files of pairs, so that the reader puts candidates in another order.
    assert (sorted(found, reverse=True) if name == "qa-pairs" else found) == [length, 1]


@pytest.mark.parametrize(
    ("after", "message"),
    [
        (",1\nb,y,2,3\n", "line 3: expected 3 columns as in the header, found 4"),
        (",1\nb,y,inf\n", "line 3: column 'x' must be finite"),
    ],
)
def test_a_mistake_after_a_long_line_is_found(tmp_path: Path, after: str, message: str) -> None:
    path = write(tmp_path / "long.csv", "group,text,x\na,", after, 5_000_000)
    with pytest.raises(DataError, match=message):
        read(path)
