"""`runoff parse …` as a person runs it."""

from __future__ import annotations

import gzip
import json
import random
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from runoff import LinearModel, load, read
from runoff.cli import main
from runoff.tasks.parsing import ParseList, read_lists, write_lists

if TYPE_CHECKING:
    from pathlib import Path

RIGHT = "(S1 (S (NP (PRP {i})) (VP (VBP {eat}) (NP (NN {rice})) (PP (IN with) (NP (NNS {sticks})))) (. .)))"
WRONG = "(S1 (S (NP (PRP {i})) (VP (VBP {eat}) (NP (NP (NN {rice})) (PP (IN with) (NP (NNS {sticks}))))) (. .)))"
FLAT = "(S1 (S (NP (PRP {i})) (VP (VBP {eat}) (NP (NN {rice}) (IN with) (NNS {sticks}))) (. .)))"
TOOLS, FOODS = ("sticks", "hands", "forks"), ("beans", "sauce", "friends")
VP_RULE = "rule:VP>VBP! NP PP"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["parse", *map(str, arguments)], catch_exceptions=False)


def sentences(count: int, seed: int) -> list[ParseList]:
    """One eats rice with sticks, and rice with beans: where the phrase belongs, only its last word tells."""
    draw = random.Random(seed)
    lists = []
    for place in range(count):
        words = {"i": draw.choice(["I", "they"]), "eat": draw.choice(["eat", "like"]), "rice": "rice"}
        words["sticks"] = draw.choice([*TOOLS, *FOODS])
        trees = [form.format(**words) for form in (WRONG, RIGHT, FLAT)]
        gold = trees[words["sticks"] in TOOLS]
        draw.shuffle(trees)
        lists.append(ParseList(f"s{place}", gold, [-10.0 - draw.random() for _ in trees], trees))
    return lists


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Lists, data and a model, made by the commands themselves."""
    where = tmp_path_factory.mktemp("parses")
    write_lists(sentences(80, 0), where / "train.jsonl.gz")
    write_lists(
        [*sentences(30, 1), ParseList("empty", RIGHT.format(i="I", eat="eat", rice="rice", sticks="forks"))],
        where / "test.jsonl",
    )
    done = run("features", where / "train.jsonl.gz", "-o", where / "train.arrow", "--min-lists", 2)
    assert done.exit_code == 0, done.output
    trained = CliRunner().invoke(main, ["train", str(where / "train.arrow"), "-o", str(where / "m.runoff")])
    assert trained.exit_code == 0, trained.output
    trees = [each.gold for each in read_lists(where / "test.jsonl")]
    (where / "gold.mrg").write_text("".join(f"{tree}\n" for tree in trees))
    return where


def test_features_make_data_that_the_other_commands_take(folder: Path, tmp_path: Path) -> None:
    done = run("features", folder / "test.jsonl", "-o", tmp_path / "test.arrow", "--like", folder / "train.arrow")
    assert done.exit_code == 0
    assert done.stdout == ""
    assert f"wrote {tmp_path / 'test.arrow'}: 31 lists, 90 candidates, " in done.stderr
    assert " candidates a second." in done.stderr
    data, train = read(tmp_path / "test.arrow"), read(folder / "train.arrow")
    assert data.features.column_names().equals(train.features.column_names())
    assert data.metric == "parseval"
    for command in (("eval", folder / "m.runoff"), ("margins", folder / "m.runoff"), ("describe",)):
        found = CliRunner().invoke(main, [*map(str, command), str(tmp_path / "test.arrow")], catch_exceptions=False)
        assert found.exit_code == 0
        assert "parseval" in found.stdout
    named = ["explain", folder / "m.runoff", tmp_path / "test.arrow", "--group", "s3"]
    assert "Group s3" in CliRunner().invoke(main, list(map(str, named)), catch_exceptions=False).stdout


def test_features_as_json_and_choices_of_features(folder: Path, tmp_path: Path) -> None:
    lists = folder / "test.jsonl"
    done = run("features", lists, "-o", tmp_path / "a.arrow", "--families", "rule,bigram,-bigram", "--json")
    told = json.loads(done.stdout)
    assert (told["lists"], told["candidates"]) == (31, 90)
    assert told["candidates_per_second"] == pytest.approx(90 / told["seconds"])
    names = read(tmp_path / "a.arrow").features.column_names().to_pylist()
    assert told["features"] == len(names)
    assert {name.partition(":")[0] for name in names} == {"rule"}
    run("features", lists, "-o", tmp_path / "p.arrow", "--families", "rule", "--presence")
    assert VP_RULE.replace(":", "?:", 1) in read(tmp_path / "p.arrow").features.column_names().to_pylist()


def test_a_cache_is_used_and_a_damaged_one_is_made_anew(folder: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"

    def features(name: str, **environment: str) -> bytes:
        done = CliRunner().invoke(
            main, ["parse", "features", str(folder / "test.jsonl"), "-o", str(tmp_path / name)], env=environment
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


def test_rerank_gives_one_tree_a_line(folder: Path, tmp_path: Path) -> None:
    done = run("rerank", folder / "m.runoff", folder / "test.jsonl")
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    lists = list(read_lists(folder / "test.jsonl"))
    assert len(lines) == 31
    assert lines[30] == "(())"
    assert all(line in each.trees for line, each in zip(lines[:30], lists, strict=False))
    assert sum(line == each.gold for line, each in zip(lines, lists, strict=True)) == 30  # as it was made to be
    assert "note: of 31 lists 1 without candidates; (()) stands in their place." in done.stderr
    assert "31 lists; the choice differs from the first round in " in done.stderr
    written = run("rerank", folder / "m.runoff", folder / "test.jsonl", "-o", tmp_path / "trees.mrg.gz")
    assert written.stdout == ""
    assert gzip.decompress((tmp_path / "trees.mrg.gz").read_bytes()).decode() == done.stdout


def test_rerank_as_json_lines_and_without_gold_trees(folder: Path, tmp_path: Path) -> None:
    blind = [ParseList(each.id, None, each.scores, each.trees) for each in read_lists(folder / "test.jsonl")]
    write_lists(blind, tmp_path / "blind.jsonl")
    run("rerank", folder / "m.runoff", tmp_path / "blind.jsonl", "-o", tmp_path / "out.jsonl")
    records = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    for record, each in zip(records[:30], blind, strict=False):
        assert record["tree"] == each.trees[record["place"]]
        assert record["first"] == each.scores.index(max(each.scores))
        assert 1 / 3 < record["probability"] <= 1
    assert records[30] == {"id": "empty", "tree": None, "place": -1, "first": -1, "score": 0, "probability": 0}
    summary = json.loads(run("rerank", folder / "m.runoff", tmp_path / "blind.jsonl", "--json").stdout)
    assert summary["choices"] == records
    assert (summary["lists"], summary["without_candidates"]) == (31, 1)


def test_eval_of_two_files_agrees_with_eval_of_a_model(folder: Path, tmp_path: Path) -> None:
    run("rerank", folder / "m.runoff", folder / "test.jsonl", "-o", tmp_path / "out.mrg")
    trees = json.loads(run("eval", folder / "gold.mrg", tmp_path / "out.mrg", "--json").stdout)
    model = json.loads(run("eval", "--model", folder / "m.runoff", folder / "test.jsonl", "--json").stdout)
    for result in model["results"]:
        chosen = result["parts"]["chosen"]
        assert {name: trees[result["metric"]][name] for name in chosen if name != "sentences"} == {
            name: chosen[name] for name in chosen if name != "sentences"
        }
        assert trees[result["metric"]]["counted"] == chosen["sentences"] == 30
    assert trees["evalb"]["skipped"] == 1
    assert trees["evalb"]["f"] == 100.0
    assert model["results"][0]["error_reduction"] == 1.0
    text = run("eval", folder / "gold.mrg", tmp_path / "out.mrg", "--each").stdout
    assert text.splitlines()[2].split()[:3] == ["1", "6", "counted"]
    assert "\nparseval, up to 40 words" in text


def test_eval_of_data_extracts_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import runoff.tasks.parsing.features.extract as extraction

    monkeypatch.setattr(extraction, "make_chunk", None)
    done = run("eval", "--model", folder / "m.runoff", folder / "train.arrow", "--resamples", 50, "--trials", 50)
    assert done.exit_code == 0
    assert "80 lists; the choice differs from the first round in" in done.stdout
    assert "bootstrap:50|confidence:0.95|randomisation:50" in done.stdout


def test_gold_trees_from_a_file_of_their_own(folder: Path, tmp_path: Path) -> None:
    blind = [ParseList(each.id, None, each.scores, each.trees) for each in read_lists(folder / "test.jsonl")]
    write_lists(blind, tmp_path / "blind.jsonl")
    model = folder / "m.runoff"
    with_own = run("eval", "--model", model, folder / "test.jsonl", "--json").stdout
    assert run("eval", "--model", model, tmp_path / "blind.jsonl", "--gold", folder / "gold.mrg", "--json").stdout == (
        with_own
    )
    done = run("eval", "--model", model, tmp_path / "blind.jsonl")
    assert done.exit_code == 1
    assert "the lists have no gold trees to compare with; add them, or give a file of them by --gold" in done.stderr
    told = run("features", tmp_path / "blind.jsonl", "-o", tmp_path / "blind.arrow")
    assert "note: there are no gold trees: a model can choose in this data, but neither learn" in told.stderr


def test_explain_shows_trees_and_draws_them(folder: Path, tmp_path: Path) -> None:
    lists = list(read_lists(folder / "test.jsonl"))
    model = load(folder / "m.runoff")
    changed = next(
        record["id"] for record in map(json.loads, _reranked(folder, tmp_path)) if record["place"] != record["first"]
    )
    done = run(
        "explain", folder / "m.runoff", folder / "test.jsonl", "--group", changed, "--picture", tmp_path / "t.svg"
    )
    assert done.exit_code == 0
    assert f"Group {changed}\n" in done.stdout
    assert ", winner, F 100.00\n  S1\n    S\n      NP  " in done.stdout
    assert "Marked: " in done.stdout
    assert "winner, F 100.00" in (tmp_path / "t.svg").read_text()
    as_json = json.loads(
        run("explain", folder / "m.runoff", folder / "test.jsonl", "--group", changed, "--json").stdout
    )
    assert as_json["gold"] == next(each.gold for each in lists if each.id == changed)
    assert all(name["name"] in {*model.names.to_pylist(), "first-round score"} for name in as_json["contributions"])
    few = run("explain", folder / "m.runoff", folder / "test.jsonl", "--group", changed, "--most", 1).stdout
    assert len(few) < len(done.stdout)


def test_a_tree_over_several_lines_is_written_on_one_and_words_stay_whole(folder: Path, tmp_path: Path) -> None:
    """A no-break space is no space: it is part of a number here."""
    write_lists([ParseList("a", None, [-1.0], ["(S1\n  (NP (CD 10\u00a0000)\t(NNS miles)))"])], tmp_path / "one.jsonl")
    done = run("rerank", folder / "m.runoff", tmp_path / "one.jsonl")
    assert done.stdout == "(S1 (NP (CD 10\u00a0000) (NNS miles)))\n"


def test_trees_over_other_words_are_explained_but_not_drawn(folder: Path, tmp_path: Path) -> None:
    trees = [RIGHT.format(i="I", eat="eat", rice="rice", sticks="forks"), "(S1 (NP (PRP I)))"]
    write_lists([ParseList("a", None, [-1.0, -2.0], trees)], tmp_path / "two.jsonl")
    done = run("explain", folder / "m.runoff", tmp_path / "two.jsonl", "--group", "a", "--picture", tmp_path / "t.svg")
    assert done.exit_code == 1
    assert "words, so that nothing in them can be marked." in done.stdout
    assert "two trees can be compared only over the same words" in done.stderr
    assert not (tmp_path / "t.svg").exists()


def _reranked(folder: Path, tmp_path: Path) -> list[str]:
    run("rerank", folder / "m.runoff", folder / "test.jsonl", "-o", tmp_path / "out.jsonl")
    return (tmp_path / "out.jsonl").read_text().splitlines()


def test_mistakes_get_a_sentence(folder: Path, tmp_path: Path) -> None:
    model, lists, gold = folder / "m.runoff", folder / "test.jsonl", folder / "gold.mrg"
    out, nothing = tmp_path / "x.arrow", tmp_path / "nothing"
    LinearModel.of({"lm": 1.0}).save(tmp_path / "other.runoff")
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "broken.jsonl").write_text('{"id": "a", "nbest": [[-1, "(S (NN a)"], [-2, "(NN a)"]]}')
    cases = [
        (("features", lists, "-o", out, "--families", "nope"), 2, "there is no feature family 'nope'"),
        (("features", lists, "-o", out, "--min-lists", 0), 2, "'--min-lists': 0 is not in the range"),
        (("features", lists, "-o", out, "--processes", 0), 2, "'--processes': 0 is not in the range"),
        (("features", lists, "-o", out, "--like", model, "--presence"), 2, "--like says which features to take"),
        (("features", lists, "-o", out, "--like", lists), 2, "has no features of parses"),
        (
            ("features", lists, "-o", out, "--like", tmp_path / "other.runoff"),
            1,
            "weighs no feature of parses, such as",
        ),
        (("features", lists, "-o", out, "--format", "nope"), 2, "there is no format 'nope' of parses"),
        (("features", lists, "-o", out, "--cache", gold), 2, "gold.mrg cannot be used as a cache: file exists."),
        (("features", lists, "-o", tmp_path / "x.nope"), 2, "does not tell which format to write"),
        (("features", lists, "-o", lists), 2, "named twice, as an output and as an input"),
        (("features", nothing, "-o", out), 1, "nothing: the file cannot be read: no such file or directory."),
        (("features", tmp_path / "empty.jsonl", "-o", out), 1, "empty.jsonl: the file is empty."),
        (
            ("features", tmp_path / "broken.jsonl", "-o", out),
            1,
            "broken.jsonl, line 1, list 'a', candidate 1: the tree is not closed; 1 closing bracket is missing.",
        ),
        (("rerank", model, lists, "-o", out), 2, "trees are written one a line, or as .jsonl"),
        (("rerank", tmp_path / "other.runoff", lists), 1, "weighs no feature of parses, such as 'rule:NP>DT NN!', but"),
        (("rerank", tmp_path / "other.runoff", folder / "train.arrow"), 1, "weighs no feature of parses"),
        (("rerank", lists, model), 1, "test.jsonl is not a Runoff model"),
        (("rerank", model, model), 1, "expected lists of parses; the file is not text"),
        (("eval",), 2, "found 0 files and no model"),
        (("eval", gold), 2, "expected two files of trees, GOLD and TEST, or --model MODEL and one file of LISTS"),
        (("eval", gold, gold, "--gold", gold), 2, "--gold is for LISTS"),
        (("eval", gold, lists), 1, "test.jsonl, line 1: expected a tree, beginning with an opening bracket"),
        (("eval", "--model", model), 2, "expected one file of LISTS beside --model; found 0"),
        (("eval", "--model", model, lists, "--each"), 2, "--each is for two files of trees"),
        (("eval", "--model", model, lists, "--gold", gold), 2, "has a gold tree of its own; leave out the file"),
        (("eval", "--model", model, lists, "--confidence", 2), 2, "confidence between 0 and 1"),
        (("explain", model, lists, "--group", "nobody"), 2, "there is no list 'nobody' in"),
        (("explain", model, folder / "train.arrow", "--group", "nobody"), 2, "there is no group 'nobody'"),
        (("explain", model, lists, "--group", "empty"), 2, "group 'empty' has 0 candidate(s): nothing to compare."),
        (("explain", model, lists, "--group", "s1", "--against", 9), 2, "no candidate '9'; it has 3, counted from 0"),
        (("explain", model, lists, "--group", "s1", "--picture", tmp_path / "t.jpg"), 2, ".png, .svg or .pdf"),
    ]
    for arguments, code, sentence in cases:
        done = run(*arguments)
        assert (done.exit_code, done.stdout) == (code, ""), arguments
        assert sentence in done.stderr, arguments
    assert not out.exists()


def test_help_has_an_example_for_every_command() -> None:
    for command in ("features", "rerank", "eval", "explain"):
        assert f"runoff parse {command}" in run(command, "--help").stdout.split("Example:")[1]
    assert "runoff parse features" in run("--help").stdout.split("Example:")[1]
