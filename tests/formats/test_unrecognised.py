"""What is said of a file that is not recognised, and that the option it names reads the file."""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from runoff import formats
from runoff.cli import main
from runoff.errors import DataError
from runoff.model import LinearModel

if TYPE_CHECKING:
    from pathlib import Path


def lines(*records: object) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


FLAT = [{"pid": at // 2, "attempt": f"this is attempt {at}", "ok": at % 2 == 0} for at in range(6)]
# Content, what is found, the nearest format, and the option.
FILES = {
    "flat": (lines(*FLAT), "keys pid, attempt, ok", "records", "group=pid,text=attempt,quality=ok"),
    "array": (json.dumps(FLAT, indent=1), "keys pid, attempt, ok", "records", "group=pid,text=attempt,quality=ok"),
    "lists": (
        lines({"q": "why", "tries": ["a", "b"], "won": [True, False]}, {"q": "how", "tries": ["c"], "won": [True]}),
        "keys q, tries, won",
        "records",
        "group=q,text=tries,quality=won",
    ),
    "deeper": (
        lines({"n": 1, "r": {"tries": [{"words": "a", "won": True}, {"words": "b", "won": False}]}}),
        "keys n, r.tries.words, r.tries.won",
        "records",
        "group=n,text=r.tries.words,quality=r.tries.won",
    ),
    "space": (
        lines({"my id": "x", "my try": "some words"}, {"my id": "x", "my try": "other words"}),
        "keys my id, my try",
        "records",
        "group=my id,text=my try",
    ),
    "near another": (
        lines({"doc_id": 3, "doc": {}, "target": "t", "filter": "none", "said": ["a", "b"]}),
        "keys doc_id, target, filter, said",
        "lm-eval",
        "group=doc_id,text=said",
    ),
    "header": ("segment\tsystem output\tmqm\n1\ta b\t0.5\n1\tc\t1\n", r"'segment\tsystem output\tmqm'", "table", None),
}


@pytest.mark.parametrize(("content", "found", "nearest", "columns"), FILES.values(), ids=FILES)
def test_the_option_that_is_named_reads_the_file(
    tmp_path: Path, content: str, found: str, nearest: str, columns: str | None
) -> None:
    path = tmp_path / "lists"
    path.write_text(content)
    with pytest.raises(DataError) as caught:
        formats.read(path)
    message = str(caught.value).replace("\\\\t", "\\t")
    assert found in message
    assert f"the nearest format is {nearest}." in message
    option = shlex.split(re.search(r"--columns (.*?)(?: it can be read)?\. ", message)[1])[0]
    assert option == (columns or "group=segment,text=system output")
    data = formats.read(path, columns=option)
    assert data.texts is not None
    assert data.n_candidates > 0
    said = CliRunner().invoke(main, ["convert", str(path), str(tmp_path / "out.jsonl"), "--columns", option])
    assert said.exit_code == 0, said.output


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("Once upon a time\n", "its first line is 'Once upon a time', and the nearest format is table. If it is one,"),
        ("0|||a b|\n", "its first line is '0|||a b|', and the nearest format is moses."),
        ("301 Q0 d1 one 2\n", "the nearest format is trec."),
        (lines({"a": 1, "b": [1, 2]}), "has the keys a, b"),
        (lines({"word": "a"}, {"word": "b"}), "no key tells which candidates belong together; add one."),
    ],
)
def test_what_cannot_be_read_is_shown(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "lists"
    path.write_text(content)
    with pytest.raises(DataError) as caught:
        formats.read(path)
    assert message.replace("has the keys", "have the keys") in str(caught.value)
    assert "name one of these by --format: arrow" in str(caught.value)


def test_a_table_without_groups_names_a_column(tmp_path: Path) -> None:
    path = tmp_path / "lists.csv"
    path.write_text("segment,hyp\n1,a\n1,b\n")
    with pytest.raises(DataError, match=r"Name it, for instance by --columns group=segment, or all: columns="):
        formats.read(path)
    assert formats.read(path, columns="group=segment").sizes.tolist() == [2]


def test_a_model_in_the_place_of_lists_is_told(tmp_path: Path) -> None:
    LinearModel.of({"lm": 1.0}).save(tmp_path / "m.runoff")
    with pytest.raises(DataError, match="zip archive, as Runoff's own models are"):
        formats.read(tmp_path / "m.runoff")
