"""Records of any making: one per candidate or per group, in lines, arrays and objects, with roles found or named."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from runoff import formats
from runoff.errors import DataError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.nbest import NBest

ROWS = [
    {"task_id": "t/1", "completion": "a", "passed": True, "reward": 0.5, "length": 3, "meta": {"turns": 2}},
    {"task_id": "t/2", "completion": "b", "passed": False, "reward": 1, "length": 4, "meta": {"turns": 1}},
    {"task_id": "t/1", "completion": "c", "passed": False, "reward": -2.5, "length": 5, "meta": {"turns": 7}},
]
ALL = "group=task_id,text=completion,quality=passed,base=reward"


def read(tmp_path: Path, content: Any, name: str = "lists.jsonl", **options: Any) -> NBest:
    path = tmp_path / name
    if isinstance(content, list) and name.endswith("l"):
        content = "".join(json.dumps(record) + "\n" for record in content)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return formats.read(path, **options)


def as_files(tmp_path: Path) -> list[Path]:
    """The same rows as JSON lines, an array, an object with keys, CSV, TSV, Parquet and compressed."""
    flat = [{key: value for key, value in row.items() if key != "meta"} for row in ROWS]
    lines = "".join(json.dumps(row) + "\n" for row in flat)
    header = list(flat[0])
    contents = {
        "a.jsonl": lines,
        "a.json": json.dumps(flat, indent=2),
        "keyed.json": json.dumps({f"k{at}": row for at, row in enumerate(flat)}),
        "a.csv": "\n".join(",".join(map(str, row)) for row in [header, *map(dict.values, flat)]),
        "a.tsv": "\n".join("\t".join(map(str, row)) for row in [header, *map(dict.values, flat)]),
    }
    for name, content in contents.items():
        (tmp_path / name).write_text(content)
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    pq.write_table(pa.Table.from_pylist(flat), tmp_path / "a.parquet")
    return sorted(tmp_path.iterdir())


def test_the_same_option_reads_the_same_rows_from_every_kind_of_file(tmp_path: Path) -> None:
    paths = as_files(tmp_path)
    assert len(paths) == 7
    for path in paths:
        for columns in (
            f"{ALL},features=length",
            dict(part.split("=") for part in f"{ALL},features=length".split(",")),
        ):
            data = formats.read(path, columns=columns)
            assert data.group_ids.to_pylist() == ["t/1", "t/2"], path.name
            assert data.texts.to_pylist() == ["a", "c", "b"]
            assert data.quality.tolist() == [1, 0, 0]
            assert data.base.tolist() == [0.5, -2.5, 1]
            assert data.features.names.to_pylist() == ["length"]
            assert data.features.to_scipy().toarray().tolist() == [[3], [5], [4]]
            assert data.rows.tolist() == [0, 2, 1]


def test_usual_names_are_found_in_every_kind_of_file(tmp_path: Path) -> None:
    for path in as_files(tmp_path):
        data = formats.read(path)
        assert (data.texts.to_pylist(), data.quality.tolist()) == (["a", "c", "b"], [1, 0, 0]), path.name
        assert any("usual names" in note for note in data.notes)


def test_numbers_become_features_only_when_asked_for(tmp_path: Path) -> None:
    assert read(tmp_path, ROWS).features.shape[1] == 0
    assert read(tmp_path, ROWS, columns="features=length+meta.turns").features.names.to_pylist() == [
        "length",
        "meta.turns",
    ]
    everything = read(tmp_path, ROWS, columns="features=*")
    assert everything.features.names.to_pylist() == ["length", "meta.turns"]  # what has a role is none
    assert everything.features.to_scipy().toarray().tolist() == [[3, 2], [5, 7], [4, 1]]
    assert read(tmp_path, ROWS, columns="features=meta").features.names.to_pylist() == ["meta.turns"]


GROUPS = [
    {"problem": "p", "samples": ["a", "b"], "rewards": [1, 2.5], "correct": [True, False], "answer": "a", "level": "x"},
    {"problem": "q", "samples": [], "rewards": [], "correct": [], "answer": None, "level": "y"},
    {"problem": "r", "samples": ["c"], "rewards": [-1], "correct": ["True"], "answer": "d", "level": "x"},
]


@pytest.mark.parametrize("name", ["lists.jsonl", "lists.json"])
def test_a_list_of_texts_is_a_group(tmp_path: Path, name: str) -> None:
    data = read(tmp_path, GROUPS, name)
    assert data.group_ids.to_pylist() == ["1", "2", "3"]
    assert data.inputs.to_pylist() == ["p", "q", "r"]
    assert data.texts.to_pylist() == ["a", "b", "c"]
    assert data.sizes.tolist() == [2, 0, 1]
    assert data.base.tolist() == [1, 2.5, -1]
    assert data.references.to_pylist() == [["a"], None, ["d"]]
    assert data.attributes["level"].to_pylist() == ["x", "y", "x"]
    assert data.quality is None  # texts among truth values: named, they are read
    assert read(tmp_path, GROUPS, name, columns="quality=correct").quality.tolist() == [1, 0, 1]


def test_objects_in_lists_and_deeper_paths(tmp_path: Path) -> None:
    records = [
        {"out": {"n.b": {"items": [{"body": {"said": "a"}, "lp": -1, "len": 1}, {"body": {"said": "b"}, "lp": -2}]}}}
    ]
    data = read(tmp_path, records, columns="text=out.n.b.items.body.said,base=out.n.b.items.lp")
    assert (data.texts.to_pylist(), data.base.tolist()) == (["a", "b"], [-1, -2])
    data = read(tmp_path, [{"choices": [{"message": {"content": "x"}}, {"text": "y"}]}], columns="text=choices")
    assert data.texts.to_pylist() == ["x", "y"]
    data = read(tmp_path, [{"k": 1, "c": [{"t": "x"}, {"t": "y"}]}], columns="text=c.1.t,group=k")
    assert data.texts.to_pylist() == ["y"]


def test_lists_of_lists_are_one_list(tmp_path: Path) -> None:
    data = read(tmp_path, [{"resps": [["a", "b"]], "lp": [[-1, -2]]}], columns="text=resps,base=lp")
    assert (data.texts.to_pylist(), data.base.tolist()) == (["a", "b"], [-1, -2])


def test_bare_lists_and_objects_by_id(tmp_path: Path) -> None:
    assert read(tmp_path, [["a", "b"], ["c"]]).texts.to_pylist() == ["a", "b", "c"]
    assert read(tmp_path, [[{"generated_text": "a"}], [{"generated_text": "b"}]], "x.json").texts.to_pylist() == [
        "a",
        "b",
    ]
    data = read(tmp_path, {"q7": ["a", "b"], "q9": ["c"]}, "x.json")
    assert (data.group_ids.to_pylist(), data.sizes.tolist()) == (["q7", "q9"], [2, 1])
    data = read(tmp_path, {"q7": {"prompt": "p", "responses": ["a"]}}, "x.json")
    assert (data.group_ids.to_pylist(), data.inputs.to_pylist()) == (["q7"], ["p"])


def test_a_prompt_tells_the_group_where_nothing_else_does(tmp_path: Path) -> None:
    rows = [{"prompt": text, "response": f"{text}{at}", "score": at} for at in range(2) for text in "pq"]
    data = read(tmp_path, rows)
    assert data.group_ids.to_pylist() == data.inputs.to_pylist() == ["p", "q"]
    assert data.base.tolist() == [0, 1, 0, 1]


def test_ids_that_repeat_are_of_groups_and_others_of_candidates(tmp_path: Path) -> None:
    rows = [{"id": at // 2, "n": 1, "output": "x"} for at in range(4)]
    data = read(tmp_path, rows)
    assert (data.group_ids.to_pylist(), data.candidate_ids) == (["0", "1"], None)
    rows = [{"id": at, "qid": at // 2, "output": "x"} for at in range(4)]
    assert read(tmp_path, rows).candidate_ids.to_pylist() == ["0", "1", "2", "3"]


def test_parts_of_a_group_are_joined(tmp_path: Path) -> None:
    rows = [
        {"qid": name, "samples": texts, "ref": "r"} for name, texts in (("x", ["a", "b"]), ("y", ["c"]), ("x", ["d"]))
    ]
    data = read(tmp_path, rows)
    assert (data.texts.to_pylist(), data.sizes.tolist()) == (["a", "b", "d", "c"], [3, 1])
    assert "Groups that came in parts were joined by their ids: 3 parts make 2 groups." in data.notes


def test_messages_are_an_input(tmp_path: Path) -> None:
    messages = [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "u"},
        {"role": "assistant", "content": "x"},
    ]
    data = read(tmp_path, [{"messages": messages, "completions": ["a"]}])
    assert data.inputs.to_pylist() == ["u"]
    assert data.texts.to_pylist() == ["a"]


def test_lists_and_objects_in_parquet(tmp_path: Path) -> None:
    rows = [
        {
            "prompt": "p",
            "answers": ["r", "s"],
            "rollouts": [{"text": "a", "reward": 1.0}, {"text": "b", "reward": 0.5}],
        },
        {"prompt": "q", "answers": [], "rollouts": []},
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "rows.parquet")
    data = formats.read(tmp_path / "rows.parquet")
    assert data.texts.to_pylist() == ["a", "b"]
    assert data.base.tolist() == [1, 0.5]
    assert data.inputs.to_pylist() == ["p", "q"]
    with pytest.raises(
        DataError, match=r"row 1: expected 2 values for 'prompt', one for each of 'rollouts.text', found 'p'"
    ):
        formats.read(tmp_path / "rows.parquet", columns="text=rollouts.text,quality=prompt,base=")


def test_a_column_of_lists_cannot_hold_group_ids(tmp_path: Path) -> None:
    pq.write_table(pa.table({"g": [["a"], ["b"]], "text": ["x", "y"]}), tmp_path / "rows.parquet")
    with pytest.raises(DataError, match="expected text or a number for 'g', which tells the group, found"):
        formats.read(tmp_path / "rows.parquet", columns="group=g,text=text")


WRONG: dict[str, tuple[Any, str | None, str]] = {
    "no such key": (
        ROWS,
        "text=completon",
        "the records have no key 'completon'; did you mean completion? They have: task_id, completion, passed",
    ),
    "no such role": (ROWS, "txt=completion", "there is no role 'txt' for a column; roles are: group, quality,"),
    "quality": (
        [*ROWS, {"task_id": "t/9", "completion": "x", "passed": "maybe"}],
        "quality=passed,base=",
        "line 4: expected a finite number for 'passed' of candidate 1 of group 't/9', found 'maybe'.",
    ),
    "nan": (
        '{"task_id": "t", "completion": "a", "score": NaN}\n{"task_id": "t", "completion": "b", "score": 1}\n',
        "base=score",
        "line 1: expected a finite number for 'score' of candidate 1 of group 't', found nan.",
    ),
    "some without": (
        [*ROWS[:1], {"task_id": "t/9", "completion": "x"}],
        "quality=passed,base=",
        "line 2: candidate 1 of group 't/9' has no 'passed', but others have",
    ),
    "group": (
        [*ROWS, {"task_id": None, "completion": "x", "passed": 1}],
        ALL,
        "line 4: expected text or a number for 'task_id', which tells the group, found None.",
    ),
    "text": (
        [*ROWS, {"task_id": "t/1", "completion": 3.5, "passed": 1}],
        ALL,
        "line 4: expected text for 'completion', found 3.5.",
    ),
    "feature": (
        [{"task_id": "t", "completion": "x", "n": "many"}],
        "features=n",
        "line 1: expected a number for the feature 'n', found 'many'.",
    ),
    "length": (
        [{"samples": ["a", "b"], "scores": [1]}],
        None,
        "line 1: expected 2 values for 'scores', one for each of 'samples', found 1.",
    ),
    "one for all": (
        [{"samples": ["a", "b"], "s": 1}],
        "base=s",
        "line 1: expected 2 values for 's', one for each of 'samples', found 1.",
    ),
    "object without text": (
        [{"samples": [{"a": 1}]}],
        "text=samples",
        "line 1: expected text for 'samples', found {'a': 1}; name one of its texts, for instance text=samples.a.",
    ),
    "ids": (
        [{"qid": 1, "output": text, "k": "same"} for text in "ab"],
        "id=k",
        "line 2: group '1' already has a candidate with the id 'same', in line 1; ids must differ",
    ),
    "not an object": ([*ROWS, 7], ALL, "line 4: expected an object, found 7."),
    "cut": (json.dumps(ROWS[0]) + '\n{"task_id": "t/2", "compl', ALL, "line 2 is not JSON"),
    "too deep": (json.dumps(ROWS[0]) + "\n" + "[" * 100_000 + "\n", ALL, "line 2: the JSON is nested too deeply."),
    "reference": (
        [{"samples": ["a"], "gold": {"x": 1}}],
        "reference=gold",
        "line 1: expected text for 'gold', found {'x': 1}.",
    ),
}


@pytest.mark.parametrize(("content", "columns", "message"), WRONG.values(), ids=WRONG)
def test_mistakes_are_named_with_their_place(tmp_path: Path, content: Any, columns: str | None, message: str) -> None:
    with pytest.raises((DataError, UsageError)) as caught:
        read(tmp_path, content, "x.jsonl", columns=columns)
    assert message.replace("line 2 is", "line 2: the line is") in str(caught.value)


def test_huge_numbers_and_records_without_text(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="line 1: expected a finite number for 'score'"):
        read(tmp_path, '{"qid": 1, "output": "a", "score": 1' + "0" * 400 + "}\n", columns="base=score")
    data = read(tmp_path, [*ROWS, {"task_id": "t/3", "completion": None, "passed": None, "reward": None}])
    assert data.sizes.tolist() == [2, 1, 0]
    assert "Records without 'completion' have no candidate: 1 (the first is line 4)." in data.notes


@pytest.mark.parametrize("depth", [100, 500, 990, 1010, 5000])
@pytest.mark.parametrize(
    "content",
    [
        '{"task_id": 1, "completion": DEEP}\n',
        '{"task_id": DEEP, "completion": "a"}\n{"task_id": 1, "completion": "b"}\n',
        '{"custom_id": "a", "response": {"body": {"choices": [{"message": {"content": "x"}, "logprobs": DEEP}]}}}\n',
        '{"doc_id": 1, "resps": DEEP}\n',
        '{"request_id": 1, "outputs": [{"text": "a", "token_ids": DEEP, "cumulative_logprob": DEEP}]}\n',
        '{"x": 1, "y": DEEP}\n',
        '{"candidates": [{"text": DEEP}]}\n',
    ],
)
def test_values_that_are_nested_deeply_are_refused_in_a_sentence(tmp_path: Path, content: str, depth: int) -> None:
    for deep in ("[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth):
        for columns in (None, "text=completion,group=task_id"):
            try:
                data = read(tmp_path, content.replace("DEEP", deep), columns=columns)
            except (DataError, UsageError) as error:
                assert str(error).endswith(".")  # noqa: PT017 - that nothing else is raised is the test
                assert len(str(error)) < 1500  # noqa: PT017
            else:
                assert "logprobs" in content
                assert data.base is None


def test_more_specific_formats_come_first(tmp_path: Path) -> None:
    path = tmp_path / "lists"
    path.write_text('{"id": 1, "candidates": ["a"], "question": "q"}\n')
    assert formats.recognise(path).name == "jsonl"
    path.write_text('{"input": ["a", "b"], "output": "a"}\n')
    assert formats.recognise(path).name == "hypotheses"
    path.write_text('{"id": "s", "gold": "(S (NN a))", "note": "n", "nbest": [[-1, "(S (NN a))"]]}\n')
    assert formats.recognise(path).name == "parse-jsonl"


@pytest.mark.parametrize(
    "record",
    [
        {"question": "q", "samples": ["a", "b"], "gold": "7"},
        {"prompt": "p", "nbest": ["a", "b"]},
        {"input": [{"role": "user", "content": "u"}], "responses": ["a", "b"]},
    ],
)
def test_keys_that_other_formats_have_too(tmp_path: Path, record: dict[str, Any]) -> None:
    (tmp_path / "lists").write_text(json.dumps(record) + "\n")
    assert formats.recognise(tmp_path / "lists").name == "records"
    assert formats.read(tmp_path / "lists").texts.to_pylist() == ["a", "b"]
