"""Whatever bytes a file holds, a reader gives data or a sentence: never another error, never a hang."""

from __future__ import annotations

import gzip
import re
import tempfile
from functools import partial
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers.mutations import mutants
from runoff import formats
from runoff.errors import RunoffError
from runoff.formats import json_reader
from runoff.nbest import NBest

RECORD = (
    '{"id": "%s", "input": "in", "references": ["r é", "s"], "candidates": [{"id": "a", "text": "x \\" y", '
    '"base": -1.5, "quality": 1, "features": {"lm": 0.5, "len": 3}, "stats": {"wer": [1, 5]}}, '
    '{"id": "b", "text": "z", "base": 2, '
    '"quality": 0, "features": ["n", "n"], "stats": {"wer": [0, 5]}}]}\n'
)
VALID = {
    "jsonl": [RECORD % "1" + RECORD % "2" + '{"candidates": []}\n'],
    "loss-jsonl": [
        '{"candidates": [{"features": {"a": 1.0, "b": 2}, "text": "t", "loss": 0.5, "system": 12.5}]}\n' * 2
    ],
    "hypotheses": [
        '[{"input": ["a b", "a"], "output": "a", "scores": [1, 2.5]}, {"id": 7, "input": []}]',
        '{"input": ["a b", "a"], "output": "a"}\n{"input": ["c"], "output": "d"}\n',
    ],
    "moses": [
        "0 ||| a b ||| LM0= -2.5 TM0= -1 -2 s_x= 1 ||| -7.25 ||| 0-0\n0 ||| a ||| LM0= -2 TM0= -1 0 ||| -8\n",
        "0|||a|||1 2|||3\n1|||b|||4 5|||6\n",
    ],
    "letor": ["2 qid:10 1:0.5 2:1 46:0.25 #docid = GX1 inc = 1 prob = 0.5\n0 qid:10 1:0.1 3:-2e-3\n1 qid:11 2:7 # c\n"],
    "trec": ["q1 Q0 d1 1 3.5 tag\nq1 Q0 d2 2 2.5 tag\nq2 Q0 d1 1 0.5 tag\n"],
    "parse-jsonl": ['{"id": "a", "gold": "(S (NN go))", "nbest": [[-1.5, "(S (NN go))"], [-2, "(X (VB go))"]]}\n'],
    "bllip": ["2\ta\n-1.5\n(S (NN go))\n\n-2\n(X (VB go))\n\n0\tb\n"],
    "brackets": ["(S (NP (PRP I)) (VP (VBP go)))\n<b> (X (VB go))\n"],
    "qa-pairs": [
        "<QApairs id='1'>\n<question>\nWho\t?\nWP\t.\n</question>\n<positive>\nAda\tdid\nNNP\tVBD\nSUB\tROOT\n2\t0\n"
        "PERSON-B\t-\n</positive>\n<negative>\nno\n</negative>\n</QApairs>\n"
    ],
    "qa-table": ["2\t0\twho ?\tno .\n2\t1\twho ?\tada .\n3\t0\twhen ?\tno .\n"],
    "table": [
        'group,quality,base,text,f1\nq1,1,0.5,"a, b",2\nq1,0,0.25,c,3\nq2,1,0.5,d,4\n',
        "group\tquality\tlength\tscore\n1\t0.5\t3\t-1\n1\t0.25\t4\t-2\n",
    ],
    "records": [
        '{"task_id": "t/1", "completion": "a", "passed": true, "score": -1.5, "ref": "a"}\n' * 2,
        '[{"prompt": "p", "samples": ["a", "b"], "scores": [1, 2.5], "correct": [true, false], "answer": ["a"]}]',
        '{"q1": {"prompt": "p", "samples": [{"text": "a", "score": 1}]}, "q2": {"prompt": "q", "samples": []}}',
    ],
    "openai": [
        '{"custom_id": "r1", "response": {"status_code": 200, "body": {"id": "c", "choices": [{"index": 0, "message": '
        '{"role": "assistant", "content": "yes"}, "logprobs": {"content": [{"token": "yes", "logprob": -0.5}]}, '
        '"finish_reason": "length"}]}}, "error": null}\n{"custom_id": "r2", "response": null, "error": {"code": 1}}\n',
        '[{"id": "c", "choices": [{"text": "a b", "logprobs": {"tokens": ["a"], "token_logprobs": [null, -2]}}]}]',
    ],
    "vllm": [
        '[{"request_id": "0", "prompt": "p", "outputs": [{"text": "a", "token_ids": [5, 6], '
        '"cumulative_logprob": -1.5, "logprobs": [{"5": {"logprob": -1}}, {"6": {"logprob": -0.5}}], '
        '"finish_reason": "length"}]}]',
    ],
    "lm-eval": [
        '{"doc_id": 0, "doc": {"q": "x"}, "target": "1", "arguments": [["x", " a"], ["x", " b"]], "resps": [[[-1.5, '
        'false]], [["-2", "True"]]], "filtered_resps": [[-1.5, false], [-2, true]], "acc": 0.0}\n',
        '{"doc_id": 0, "target": ["7"], "arguments": {"gen_args_0": {"arg_0": "[{\\"role\\": \\"user\\"}]"}}, "resps": '
        '[["7", "8"]], "filter": "none", "metrics": ["em"], "em": 1}\n',
    ],
}

# Of tools, as they write them.
WRITTEN = {
    "espnet-json": "espnet1/data.json",
    "fairseq": "fairseq/generate-test.txt",
    "htk": "htk/nbest.mlf",
    "kaldi": "kaldi/archives.1/words_text",
    "mqm": "mqm/mqm.tsv",
    "nemo": "nemo/transcribed.json",
    "refr": "refr/lists.b64",
    "sockeye": "sockeye/output.json",
    "srilm": "srilm/nbest2/anna-001",
    "whisper": "whisper/t0.0/anna-001.json",
}
FOLDERS = {"beir", "espnet", "shards"}  # of several files each: test_tools_damaged.py, test_shards.py


def valid_files(name: str) -> list[bytes]:
    """Small files that the format reads without complaint."""
    if name in WRITTEN:
        return [(Path(__file__).parents[1] / "fixtures" / WRITTEN[name]).read_bytes()]
    if name in VALID:
        return [text.encode() for text in VALID[name]]
    data = NBest.from_records(
        [{"id": str(at), "candidates": [{"text": "x", "quality": at, "features": {"a": 2}}]} for at in range(3)]
    )
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"data{suffix}" for suffix in formats.formats()[name].suffixes]
        for path in paths:
            formats.write(data, path, format=name)
        return [path.read_bytes() for path in paths]


def read(content: bytes, name: str | None) -> NBest:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data"
        path.write_bytes(content)
        return formats.read(path, format=name)


@pytest.fixture(autouse=True)
def _short_files_are_cut_too(monkeypatch):
    monkeypatch.setattr(json_reader, "_WORTH_EXTRACTING", 0)


def check(content: bytes, name: str | None) -> None:
    try:
        data = read(content, name)
        data.features.check()  # mapped files are not looked through when they are opened
    except RunoffError as error:
        assert str(error).endswith((".", "?"))  # noqa: PT017 - a sentence; that nothing else is raised is the test
        return
    assert isinstance(data, NBest)


JUNK = [
    *(
        b"",
        b"\0",
        b"\xff",
        b'"',
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b":",
        b"|||",
        b"\n",
        b"\r",
        b"\t",
        b" ",
        b"#",
        b"=",
        b"-",
    ),
    *(b"null", b"true", b"NaN", b"1e999", b"1e-999", b"9" * 400, b"qid:", b"\\u", b"\\ud800", b"\xe2\x82"),
    *(b"\x1f\x8b", b"ARROW1"),
]


NAMES = sorted(formats.formats().keys() - FOLDERS)
MUTANTS = pytest.mark.parametrize(("count", "seed"), [(20, 1), pytest.param(2000, 2, marks=pytest.mark.slow)])
QUIET = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


@pytest.mark.parametrize("name", NAMES)
def test_the_undamaged_files_are_read(name):
    for content in valid_files(name):
        assert len(read(content, name)) > 0
        assert len(read(content, None)) > 0  # and recognised


@MUTANTS
@pytest.mark.parametrize("name", NAMES)
def test_damaged_files_are_read_or_refused_in_a_sentence(name, count, seed):
    for content in mutants(valid_files(name), count, seed, JUNK):
        check(content, name)


@MUTANTS
@pytest.mark.parametrize("compress", [gzip.compress, partial(pa.compress, codec="zstd", asbytes=True)])
@pytest.mark.parametrize("name", NAMES)
def test_damaged_compressed_files_are_read_or_refused_in_a_sentence(name, compress, count, seed):
    for content in mutants([compress(content) for content in valid_files(name)], count, seed):
        check(content, name)


@pytest.mark.parametrize("name", [*NAMES, None])
def test_any_bytes_are_read_or_refused_in_a_sentence(name):
    @QUIET
    @given(st.binary(max_size=200) | st.lists(st.sampled_from(JUNK), max_size=20).map(b"".join))
    def run(content: bytes) -> None:
        check(content, name)

    run()


@pytest.mark.parametrize("name", sorted(VALID))
@pytest.mark.parametrize("digits", [25, 400, 5000])  # more than 64 bits, than a float, than Python reads as an integer
def test_a_number_of_any_length_is_read_or_refused_in_a_sentence(name, digits):
    for content in valid_files(name):
        for number in re.finditer(rb"[0-9]+", content):
            check(content[: number.start()] + b"7" * digits + content[number.end() :], name)
