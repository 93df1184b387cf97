"""`runoff score MODEL DATA`, and the forms in which `pick` writes texts: what is written is what the model says."""

import csv
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

import runoff
from runoff.cli import main


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [*map(str, arguments)], catch_exceptions=False)


def test_json_lines_have_every_score_in_the_order_of_the_lists(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "scores.jsonl"
    done = run("score", folder / "m.runoff", folder / "test.jsonl", "-o", out)
    assert done.exit_code == 0, done.output
    model, data = runoff.load(folder / "m.runoff"), runoff.read(folder / "test.jsonl")
    records = [json.loads(line) for line in out.read_text().splitlines()]
    assert [record["id"] for record in records] == data.group_ids.to_pylist()
    candidates = [each for record in records for each in record["candidates"]]
    assert [each["text"] for each in candidates] == data.texts.to_pylist()
    assert [each["score"] for each in candidates] == model.scores(data).tolist()
    assert [each["probability"] for each in candidates] == model.probabilities(data).tolist()
    assert [each["rank"] for each in candidates] == model.ranks(data).tolist()
    printed = run("score", folder / "m.runoff", folder / "test.jsonl")
    assert printed.stdout == out.read_text()
    facts = json.loads(run("score", folder / "m.runoff", folder / "test.jsonl", "--json").stdout)
    assert facts["lists"] == records
    assert runoff.read(out).n_candidates == data.n_candidates  # they are lists that Runoff reads


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".tsv", ".parquet"])
def test_tables_have_a_row_for_every_candidate_in_the_order_of_the_rows(tmp_path: Path, ending: str) -> None:
    lists = tmp_path / "lists.csv"
    # Interleaved rows, a line break and a quotation mark in a text.
    lists.write_text('group,id,text,a\nq1,x,"one\ntwo",1\nq2,y,"a ""b""",2\nq1,z,c,3\n')
    model = runoff.LinearModel.of({"a": 0.5})
    model.save(tmp_path / "m.runoff")
    out = tmp_path / f"scores{ending}"
    done = run("score", tmp_path / "m.runoff", lists, "-o", out)
    assert done.exit_code == 0, done.output
    if ending == ".parquet":
        rows = pq.read_table(out).to_pylist()
    else:
        back = runoff.read(out, columns="group=group,base=score,text=text,id=id")
        assert back.base.tolist() == [0.5, 1.5, 1.0]
        assert back.texts.to_pylist() == ["one\ntwo", "c", 'a "b"']
        if ending == ".csv.gz":
            return
        with out.open(newline="") as stream:
            rows = list(csv.DictReader(stream, delimiter="\t" if ending == ".tsv" else ","))
    assert [(row["group"], row["id"], int(row["index"])) for row in rows] == [
        ("q1", "x", 0),
        ("q2", "y", 0),
        ("q1", "z", 1),
    ]
    assert [float(row["score"]) for row in rows] == [0.5, 1.0, 1.5]
    assert [int(row["rank"]) for row in rows] == [2, 1, 1]
    assert rows[0]["text"] == "one\ntwo"


def test_a_run_is_reranked(tmp_path: Path) -> None:
    (tmp_path / "first.run").write_text("q Q0 a 1 2.0 t\nq Q0 b 2 1.0 t\n")
    runoff.LinearModel.of({"score:t": -1.0}).save(tmp_path / "m.runoff")
    done = run("score", tmp_path / "m.runoff", tmp_path / "first.run", "-o", tmp_path / "second.run")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "second.run").read_text() == "q Q0 b 1 -1.0 runoff\nq Q0 a 2 -2.0 runoff\n"


def test_moses_lists_get_the_new_score_and_keep_their_order(tmp_path: Path) -> None:
    (tmp_path / "mert.nbest").write_text("0 ||| a ||| lm= -1 tm= -2 -3 ||| -7.5\n0 ||| b ||| lm= -2 tm= -2 -4 ||| -8\n")
    runoff.LinearModel.of({"lm": 2.0}, base_weight=0.5).save(tmp_path / "m.runoff")
    done = run("score", tmp_path / "m.runoff", tmp_path / "mert.nbest", "--to", "moses", "-o", tmp_path / "new")
    assert done.exit_code == 0, done.output
    back, old = runoff.read(tmp_path / "new"), runoff.read(tmp_path / "mert.nbest")
    assert back.base.tolist() == [2 * -1 + 0.5 * -7.5, 2 * -2 + 0.5 * -8]
    assert back.texts.to_pylist() == ["a", "b"]
    assert (back.features.to_scipy() != old.features.to_scipy()).nnz == 0


def test_mistakes_are_answered_by_a_sentence(folder: Path, tmp_path: Path) -> None:
    model, data = folder / "m.runoff", folder / "test.jsonl"
    for options, code, message in (
        (
            ("-o", tmp_path / "a.txt"),
            2,
            "scores are written to files that end in .jsonl, .ndjson, .csv, .tsv, .parquet",
        ),
        (("-o", tmp_path / "a", "--to", "letor"), 2, "or under any name with --to trec|moses"),
        (("--to", "trec"), 2, "--to trec is the format of a file; name it by -o."),
        (("-o", tmp_path / "a.run"), 1, "these lists have no ids of the candidates"),
        (("-o", data), 2, "is named twice"),
    ):
        done = run("score", model, data, *options)
        assert done.exit_code == code, done.output
        assert message in done.stderr
    assert not list(tmp_path.iterdir())


# -------------------------------------------------------------------- texts with their ids


@pytest.mark.parametrize(
    ("name", "form", "line"),
    [
        ("chosen.trn", (), "{text} ({id})"),
        ("text", ("--to", "kaldi"), "{id} {text}"),
        ("chosen.tsv", (), "{id}\t{text}"),
        ("chosen.jsonl", ("--to", "trn"), "{text} ({id})"),
    ],
)
def test_pick_writes_the_forms_of_other_tools(folder: Path, tmp_path: Path, name: str, form, line: str) -> None:
    done = run("pick", folder / "m.runoff", folder / "test.jsonl", *form, "-o", tmp_path / name)
    assert done.exit_code == 0, done.output
    choices = runoff.load(folder / "m.runoff").pick(runoff.read(folder / "test.jsonl"))
    expected = [line.format(id=choice.group, text=choice.text) for choice in choices]
    assert (tmp_path / name).read_text().splitlines() == expected


def test_choices_without_a_model_too(folder: Path, tmp_path: Path) -> None:
    done = run("text", "pick", "--by", "vote", folder / "test.jsonl", "--metric", "wer", "-o", tmp_path / "vote.trn")
    assert done.exit_code == 0, done.output
    first = runoff.read(folder / "test.jsonl").group_ids[0].as_py()
    assert (tmp_path / "vote.trn").read_text().splitlines()[0].endswith(f"({first})")


def test_a_text_that_a_form_cannot_hold_leaves_no_file(tmp_path: Path) -> None:
    lists = tmp_path / "lists.jsonl"
    lists.write_text('{"id": "a", "candidates": [{"text": "def f():\\n    return 1", "features": {"lm": 1}}]}\n')
    runoff.LinearModel.of({"lm": 1.0}).save(tmp_path / "m.runoff")
    for options, code, message in (
        (("-o", tmp_path / "out.trn"), 1, "the text of 'a' has a line break, which trn files cannot hold"),
        (
            ("-o", tmp_path / "out.tsv", "--top", "2"),
            2,
            "a file of id-tab-text has one text for each id; leave --top out",
        ),
        (("-o", tmp_path / "out", "--to", "stm"), 2, "there is no form 'stm' of texts; there are: trn, kaldi"),
        (("--to", "trn"), 2, "--to trn is the form of a file; name it by -o."),
        (("-o", tmp_path / "out"), 2, "or under any name with --to trn|kaldi|id-tab-text"),
    ):
        done = run("pick", tmp_path / "m.runoff", lists, *options)
        assert done.exit_code == code, done.output
        assert message in done.stderr
    assert sorted(each.name for each in tmp_path.iterdir()) == ["lists.jsonl", "m.runoff"]
