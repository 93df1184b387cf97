"""Lists of parses in the commands of every task, and `runoff parse eval`, as a person runs them."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from helpers.rice import FEW, RIGHT, VP_RULE, run
from runoff import load, read
from runoff.cli import main
from runoff.tasks.parsing import ParseList, read_lists, write_lists

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(parse_folder: Path) -> Path:
    return parse_folder


# ---------------------------------------------------------------- features and training


def test_features_make_data_that_the_other_commands_take(folder: Path, tmp_path: Path) -> None:
    done = run("features", folder / "test.jsonl", "-o", tmp_path / "test.arrow", "--like", folder / "train.arrow")
    assert done.exit_code == 0
    assert done.stdout == ""
    assert f"wrote {tmp_path / 'test.arrow'}: 31 groups, 90 candidates, " in done.stderr
    assert " candidates per second." in done.stderr
    data, train = read(tmp_path / "test.arrow"), read(folder / "train.arrow")
    assert data.features.column_names().equals(train.features.column_names())
    assert data.metric == "parseval"
    for command in (("eval", folder / "m.runoff"), ("margins", folder / "m.runoff"), ("describe",)):
        found = run(*command, tmp_path / "test.arrow")
        assert found.exit_code == 0
        assert "parseval" in found.stdout
    assert "Group s3" in run("explain", folder / "m.runoff", tmp_path / "test.arrow", "--group", "s3").stdout


def test_every_command_takes_raw_lists(folder: Path, tmp_path: Path) -> None:
    model, lists = folder / "m.runoff", folder / "test.jsonl"
    run("features", lists, "-o", tmp_path / "test.arrow", "--like", model)
    for command in (("eval", model), ("margins", model), ("describe",), ("compare", model, model)):
        how = () if command[0] == "margins" else FEW
        raw, ready = (run(*command, data, *how, "--json") for data in (lists, tmp_path / "test.arrow"))
        assert (raw.exit_code, ready.exit_code) == (0, 0), command
        raw, ready = json.loads(raw.stdout), json.loads(ready.stdout)
        for each in (raw, ready):  # names and features differ, and so what is said of them
            for key in ("notes", "features", "warnings", "stored_per_candidate", "density"):
                each.pop(key, None)
            for of_file in each.get("sets", []):
                del of_file["name"]
        assert raw == ready, command


def test_training_on_raw_lists_gives_the_same_model(folder: Path, tmp_path: Path) -> None:
    lists, options = folder / "train.jsonl.gz", ("--set", "min_lists=2")
    assert run("train", lists, "-o", tmp_path / "raw.runoff", *options).exit_code == 0
    of_raw, of_data = load(tmp_path / "raw.runoff"), load(folder / "m.runoff")
    assert of_raw.weights.tolist() == of_data.weights.tolist()
    assert of_raw.names.equals(of_data.names)
    assert [step["step"] for step in of_raw.preparation] == [step["step"] for step in of_data.preparation]


def test_lists_that_runoff_writes_are_read_by_every_command(folder: Path, tmp_path: Path) -> None:
    model = folder / "m.runoff"
    chosen = run("pick", model, folder / "test.jsonl").stdout
    for name in ("own.jsonl", "own.arrow", "own.parquet"):
        assert run("convert", folder / "test.jsonl", tmp_path / name).exit_code == 0
        assert run("pick", model, tmp_path / name).stdout == chosen
        assert "parsing: trees in brackets" in run("describe", tmp_path / name, *FEW).stdout
        explained = run("explain", model, tmp_path / name, "--group", "s1").stdout
        assert explained == run("explain", model, folder / "test.jsonl", "--group", "s1").stdout


def test_features_as_json_and_choices_of_features(folder: Path, tmp_path: Path) -> None:
    lists = folder / "test.jsonl"
    done = run("features", lists, "-o", tmp_path / "a.arrow", "--families", "rule,bigram,-bigram", "--json")
    told = json.loads(done.stdout)
    assert (told["groups"], told["candidates"]) == (31, 90)
    assert told["candidates_per_second"] == pytest.approx(90 / told["seconds"])
    names = read(tmp_path / "a.arrow").features.column_names().to_pylist()
    assert told["features"] == len(names)
    assert {name.partition(":")[0] for name in names} == {"rule"}
    run("features", lists, "-o", tmp_path / "p.arrow", "--families", "rule", "--set", "presence=true")
    assert VP_RULE.replace(":", "?:", 1) in read(tmp_path / "p.arrow").features.column_names().to_pylist()


def test_a_cache_is_used_and_a_damaged_one_is_made_anew(folder: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"

    def features(name: str, **environment: str) -> bytes:
        done = CliRunner().invoke(
            main, ["features", str(folder / "test.jsonl"), "-o", str(tmp_path / name)], env=environment
        )
        assert done.exit_code == 0, done.output
        return (tmp_path / name).read_bytes()

    first = features("a.arrow")
    assert not kept.exists()
    assert features("b.arrow", RUNOFF_CACHE=str(kept)) == first
    (file,) = kept.iterdir()
    whole, when = file.read_bytes(), file.stat().st_mtime_ns
    assert features("c.arrow", RUNOFF_CACHE=str(kept)) == first
    assert file.stat().st_mtime_ns == when
    for damage in (whole[:1000], b"", whole[: len(whole) // 2] + b"\0" * 64 + whole[len(whole) // 2 + 64 :]):
        file.write_bytes(damage)
        assert features("d.arrow", RUNOFF_CACHE=str(kept)) == first
        assert file.read_bytes() == whole
    assert [each.name for each in kept.iterdir()] == [file.name]


# ---------------------------------------------------------------- choosing


def test_pick_writes_one_tree_per_line(folder: Path, tmp_path: Path) -> None:
    done = run("pick", folder / "m.runoff", folder / "test.jsonl", "-o", tmp_path / "trees.mrg")
    assert (done.exit_code, done.stdout) == (0, "")
    lines = (tmp_path / "trees.mrg").read_text().splitlines()
    lists = list(read_lists(folder / "test.jsonl"))
    assert len(lines) == 31
    assert lines[30] == "(())"
    assert all(line in each.trees for line, each in zip(lines[:30], lists, strict=False))
    assert sum(line == each.gold for line, each in zip(lines, lists, strict=True)) == 30  # as it was made to be
    assert "31 groups; the choice differs from the first round in " in done.stderr
    run("pick", folder / "m.runoff", folder / "test.jsonl", "-o", tmp_path / "trees.trees.gz")
    assert gzip.decompress((tmp_path / "trees.trees.gz").read_bytes()).decode().splitlines() == lines


def test_pick_as_json_lines_and_without_gold_trees(folder: Path, tmp_path: Path) -> None:
    blind = list(read_lists(folder / "blind.jsonl"))
    run("pick", folder / "m.runoff", folder / "blind.jsonl", "-o", tmp_path / "out.jsonl")
    text = (tmp_path / "out.jsonl").read_text()
    records = [json.loads(line) for line in text.splitlines()]
    for record, each in zip(records[:30], blind, strict=False):
        assert record["group"] == each.id
        assert record["text"] == each.trees[record["index"]]
        assert record["first"] == each.scores.index(max(each.scores))
        assert 1 / 3 < record["probability"] <= 1
    assert {key: records[30][key] for key in ("group", "text", "index", "first", "score", "probability")} == {
        "group": "empty",
        "text": None,
        "index": -1,
        "first": -1,
        "score": 0,
        "probability": 0,
    }
    summary = json.loads(run("pick", folder / "m.runoff", folder / "blind.jsonl", "--json").stdout)
    assert summary["choices"] == records
    assert summary["groups"] == 31
    assert run("pick", folder / "m.runoff", folder / "test.jsonl").stdout == text


def test_a_broken_gold_tree_does_not_matter_to_a_choice(folder: Path, tmp_path: Path) -> None:
    lists = [ParseList(each.id, "(S (broken", each.scores, each.trees) for each in read_lists(folder / "blind.jsonl")]
    write_lists(lists, tmp_path / "broken.jsonl")
    chosen = run("pick", folder / "m.runoff", tmp_path / "broken.jsonl")
    assert chosen.stdout == run("pick", folder / "m.runoff", folder / "blind.jsonl").stdout
    done = run("eval", folder / "m.runoff", tmp_path / "broken.jsonl")
    assert done.exit_code == 1
    assert "list 's0', gold tree: the tree is not closed" in done.stderr


def test_a_tree_over_several_lines_is_written_on_one_and_words_stay_whole(folder: Path, tmp_path: Path) -> None:
    """A no-break space is no space: it is part of a number here."""
    write_lists([ParseList("a", None, [-1.0], ["(S1\n  (NP (CD 10\u00a0000)\t(NNS miles)))"])], tmp_path / "one.jsonl")
    run("pick", folder / "m.runoff", tmp_path / "one.jsonl", "-o", tmp_path / "one.mrg")
    assert (tmp_path / "one.mrg").read_text() == "(S1 (NP (CD 10\u00a0000) (NNS miles)))\n"


# ---------------------------------------------------------------- judging


def test_eval_of_two_files_agrees_with_eval_of_a_model(folder: Path, tmp_path: Path) -> None:
    run("pick", folder / "m.runoff", folder / "test.jsonl", "-o", tmp_path / "out.mrg")
    trees = json.loads(run("parse", "eval", folder / "gold.mrg", tmp_path / "out.mrg", "--json").stdout)
    model = json.loads(run("eval", folder / "m.runoff", folder / "test.jsonl", "--json", *FEW).stdout)
    for metric, by_choice in model["details"].items():
        chosen = by_choice["chosen"]
        assert {name: trees[metric][name] for name in chosen if name != "sentences"} == {
            name: chosen[name] for name in chosen if name != "sentences"
        }
        assert trees[metric]["counted"] == chosen["sentences"] == 30
    assert trees["evalb"]["skipped"] == 1
    assert trees["evalb"]["f"] == 100.0
    assert model["results"][0]["error_reduction"] == 1.0
    text = run("parse", "eval", folder / "gold.mrg", tmp_path / "out.mrg", "--each").stdout
    assert text.splitlines()[2].split()[:3] == ["1", "6", "counted"]
    assert "\nparseval, up to 40 words" in text


def test_eval_of_data_extracts_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import runoff.tasks.parsing.features.extract as extraction

    monkeypatch.setattr(extraction, "chunk_of", None)
    done = run("eval", folder / "m.runoff", folder / "train.arrow", *FEW)
    assert done.exit_code == 0
    assert "80 groups; the choice differs from the first round in" in done.stdout
    assert "bootstrap:50|confidence:0.95|randomisation:50" in done.stdout


def test_gold_trees_from_a_file_of_their_own(folder: Path, tmp_path: Path) -> None:
    model, blind, gold = folder / "m.runoff", folder / "blind.jsonl", folder / "gold.mrg"
    with_own = run("eval", model, folder / "test.jsonl", "--json", *FEW).stdout
    assert run("eval", model, blind, "--references", gold, "--json", *FEW).stdout == with_own
    done = run("eval", model, blind)
    assert done.exit_code == 1
    assert "this data has neither references nor quality, so choices cannot be evaluated" in done.stderr
    told = run("features", blind, "-o", tmp_path / "blind.arrow")
    assert "a model can choose from this data but not learn from it." in told.stderr


# ---------------------------------------------------------------- explaining


def test_explain_shows_trees_and_draws_them(folder: Path, tmp_path: Path) -> None:
    model, lists = folder / "m.runoff", folder / "test.jsonl"
    choices = [json.loads(line) for line in run("pick", model, lists).stdout.splitlines()]
    changed = next(record["group"] for record in choices if record["index"] != record["first"])
    done = run("explain", model, lists, "--group", changed, "--picture", tmp_path / "t.svg")
    assert done.exit_code == 0
    assert f"Group {changed}\n" in done.stdout
    assert ", winner, F 100.00\n  S1\n    S\n      NP  " in done.stdout
    assert "Marked: " in done.stdout
    assert "winner, F 100.00" in (tmp_path / "t.svg").read_text()
    as_json = json.loads(run("explain", model, lists, "--group", changed, "--json").stdout)
    assert as_json["gold"] == next(each.gold for each in read_lists(lists) if each.id == changed)
    known = {*load(model).names.to_pylist(), "first-round score"}
    assert all(name["name"] in known for name in as_json["contributions"])
    few = run("explain", model, lists, "--group", changed, "--most", 1).stdout
    assert len(few) < len(done.stdout)


def test_trees_over_other_words_are_explained_but_not_drawn(folder: Path, tmp_path: Path) -> None:
    trees = [RIGHT.format(i="I", eat="eat", rice="rice", sticks="forks"), "(S1 (NP (PRP I)))"]
    write_lists([ParseList("a", None, [-1.0, -2.0], trees)], tmp_path / "two.jsonl")
    done = run("explain", folder / "m.runoff", tmp_path / "two.jsonl", "--group", "a", "--picture", tmp_path / "t.svg")
    assert done.exit_code == 1
    assert "words, so their differences cannot be marked." in done.stdout
    assert "two trees can only be compared over the same words" in done.stderr
    assert not (tmp_path / "t.svg").exists()
