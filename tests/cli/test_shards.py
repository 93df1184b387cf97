"""Commands on folders of shards: the same output as on one file, block by block."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest
from click.testing import CliRunner, Result

from runoff import LinearModel, read, write
from runoff.cli import main
from runoff.formats import shard_set
from runoff.nbest import NBest
from runoff.nbest.storage import to_table

if TYPE_CHECKING:
    from pathlib import Path

GROUPS = 40


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Lists in one file and in a folder of shards, and a model."""
    folder = tmp_path_factory.mktemp("shards")
    rng = np.random.default_rng(0)
    sizes = rng.integers(2, 6, GROUPS)
    n = int(sizes.sum())
    table = (rng.random((n, 6)) < 0.5) * rng.integers(1, 4, (n, 6))
    words = np.array(["a", "b", "cat", "dog", "sat", "ran"])
    data = NBest.from_arrays(
        table,
        quality=table[:, 0] + rng.random(n),
        base=rng.random(n),
        sizes=sizes,
        texts=[" ".join(words[rng.integers(0, 6, 4)]) for _ in range(n)],
        references=[[" ".join(words[rng.integers(0, 6, 4)])] for _ in range(GROUPS)],
        feature_names=[f"f{at}" for at in range(6)],
        group_ids=[f"g{at}" for at in range(GROUPS)],
    )
    data.save(folder / "one.arrow")
    write(data, folder / "one.jsonl")
    said(folder, "convert", "one.arrow", "set/", "--shards", "7")
    said(folder, "train", "one.arrow", "-o", "m.runoff", "--learner", "loglinear", "--set", "sigma=1", "--task", "rows")
    return folder


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = shard_set.ShardSet.blocks
    monkeypatch.setattr(shard_set.ShardSet, "blocks", lambda shards: blocks(shards, 10, 40))


def run(folder: Path, *command: str) -> Result:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return CliRunner().invoke(main, command)


def said(folder: Path, *command: str) -> str:
    done = run(folder, *command)
    assert done.exit_code == 0, done.output
    return done.stdout


def content(folder: Path, name: str, *command: str) -> bytes:
    said(folder, *command, "-o", name)
    return (folder / name).read_bytes()


def test_convert_cuts_and_joins(folder: Path) -> None:
    manifest = json.loads((folder / "set" / "shards.json").read_text())
    assert [each["groups"] for each in manifest["shards"]] == [6, 5, 6, 6, 6, 5, 6]
    said(folder, "convert", "set", "joined.arrow")
    assert to_table(read(folder / "joined.arrow")).equals(to_table(read(folder / "one.arrow")))
    said(folder, "convert", "set", "joined.jsonl")
    assert (folder / "joined.jsonl").read_bytes() == (folder / "one.jsonl").read_bytes()
    said(folder, "convert", "one.jsonl", "small", "--shard-size", "2kB", "--to", "parquet")
    assert len(list((folder / "small").glob("*.parquet"))) > 1
    assert to_table(read(folder / "small")).equals(to_table(read(folder / "one.jsonl")))
    for wrong, message in (
        (("--shards", "2", "--shard-size", "1MB"), "leave one out"),
        (("--shards", "2", "--to", "moses"), "are written as arrow or parquet"),
    ):
        done = run(folder, "convert", "one.arrow", "other", *wrong)
        assert done.exit_code == 2
        assert message in done.stderr


@pytest.mark.parametrize("name", ["c.jsonl", "c.txt"])
def test_pick_writes_the_same_bytes(folder: Path, name: str) -> None:
    one = content(folder, name, "pick", "m.runoff", "one.arrow")
    assert content(folder, name, "pick", "m.runoff", "set") == one
    assert content(folder, name, "pick", "m.runoff", "set", "--top", "2") == content(
        folder, name, "pick", "m.runoff", "one.arrow", "--top", "2"
    )
    json_said = [json.loads(said(folder, "pick", "m.runoff", data, "--json")) for data in ("one.arrow", "set")]
    assert json_said[0] == json_said[1]


@pytest.mark.parametrize("name", ["s.jsonl", "s.csv", "s.tsv", "s.nbest"])
def test_score_writes_the_same_bytes(folder: Path, name: str) -> None:
    one = content(folder, name, "score", "m.runoff", "one.arrow")
    assert content(folder, name, "score", "m.runoff", "set") == one


def test_score_writes_the_same_parquet(folder: Path) -> None:
    import pyarrow.parquet as pq

    for data in ("one.arrow", "set"):
        said(folder, "score", "m.runoff", data, "-o", f"{data}.parquet")
    assert pq.read_table(folder / "set.parquet").equals(pq.read_table(folder / "one.arrow.parquet"))


def test_describe_and_eval_tell_the_same_numbers(folder: Path) -> None:
    how = ("--learner", "perceptron", "--set", "epochs=2", "--set", "calibration=folds", "--task", "text")
    said(folder, "train", "one.arrow", "-o", "t.runoff", "--families", "length,agreement", "--metric", "wer", *how)
    for command, shown in (
        (("describe",), "prospects"),
        (("describe", "--task", "text", "--metric", "wer,bleu"), "baselines"),  # voting, length, minimum Bayes risk
        (("eval", "m.runoff"), "results"),
        (("eval", "m.runoff", "--metric", "wer"), "results"),
        (("eval", "t.runoff", "--metric", "wer,chrf"), "confidence"),
    ):
        found = [json.loads(said(folder, *command, data, "--json")) for data in ("one.arrow", "set")]
        assert found[0] == found[1]
        assert found[0][shown]
        assert "is needed at once" not in run(folder, *command, "set").stderr
    assert "all of set is needed at once: about" in run(folder, "compare", "m.runoff", "t.runoff", "set").stderr


def test_lists_without_a_reference_are_left_out_of_every_block(folder: Path) -> None:
    data = read(folder / "one.arrow")
    some = [said if at % 20 < 10 else [] for at, said in enumerate(data.references.to_pylist())]
    without = data.replace(references=some, quality=None)
    without.save(folder / "some.arrow")
    said(folder, "convert", "some.arrow", "some/", "--shards", "3")
    found = [
        json.loads(said(folder, "eval", "m.runoff", each, "--metric", "wer", "--json"))
        for each in ("some.arrow", "some")
    ]
    assert found[0]["groups"] == GROUPS // 2
    assert found[0]["results"] == found[1]["results"]


def test_what_looks_at_the_texts_of_all_lists_has_them(folder: Path) -> None:
    trees = ["(S (NP (N a)) (VP (V b)))", "(S (NP (N a) (V b)))"]
    data = NBest.from_arrays(
        texts=trees * 8, quality=[1, 0] * 8, base=[0, 1] * 8, sizes=[2] * 8, references=trees[:1] * 8, metric="parseval"
    )
    data.save(folder / "trees.arrow")
    said(folder, "convert", "trees.arrow", "trees/", "--shards", "3")
    LinearModel.of({}, base_weight=-1.0).save(folder / "base.runoff")
    done = run(folder, "eval", "base.runoff", "trees", "--json")
    assert done.exit_code == 0, done.output
    assert "all of trees is needed at once" in done.stderr  # for the table of its task
    assert json.loads(done.stdout) == json.loads(said(folder, "eval", "base.runoff", "trees.arrow", "--json"))


def test_split_gives_the_same_parts(folder: Path) -> None:
    said(folder, "split", "one.arrow", "a.arrow=0.5", "b.arrow=0.3", "--seed", "3")
    said(folder, "split", "set", "a/=0.5", "b/=0.3", "--seed", "3")
    for part in "ab":
        assert to_table(read(folder / part)).equals(to_table(read(folder / f"{part}.arrow")))


def test_features_of_texts_go_through_block_by_block(folder: Path) -> None:
    how = ("--task", "text", "--families", "length,words", "--set", "min_lists=2")
    said(folder, "features", "one.arrow", "-o", "made.arrow", "--keep", "f.runoff", *how)
    expected = read(folder / "made.arrow")
    for source in ("set", "one.jsonl"):
        said(folder, "features", source, "-o", "made/", "--like", "f.runoff", "--task", "text")
        found = read(folder / "made")
        assert len(found.features.indices) > GROUPS
        np.testing.assert_array_equal(found.features.to_scipy().toarray(), expected.features.to_scipy().toarray())
    said(folder, "features", "set", "-o", "all/", *how)  # fitted on everything
    assert to_table(read(folder / "all")).equals(to_table(expected))
    said(folder, "features", "set", "-o", "some/", "--fit-on", "25", "--keep", "some.runoff", *how)
    said(folder, "split", "one.arrow", "x.arrow=1")
    first = read(folder / "one.arrow")[:25]
    first.save(folder / "first.arrow")
    said(folder, "features", "first.arrow", "-o", "first-made.arrow", "--keep", "first.runoff", *how)
    said(folder, "features", "one.arrow", "-o", "like.arrow", "--like", "first.runoff", "--task", "text")
    some, like = read(folder / "some"), read(folder / "like.arrow")
    np.testing.assert_array_equal(some.features.to_scipy().toarray(), like.features.to_scipy().toarray())
    done = run(folder, "features", "set", "-o", "x.arrow", "--fit-on", "25", *how)
    assert done.exit_code == 2
    assert "--fit-on is for features that are written as a folder" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="bounds of memory need Linux")
def test_train_keeps_within_bounds_and_says_what_it_takes(folder: Path) -> None:
    how = ("--learner", "loglinear", "--set", "sigma=1", "--task", "rows", "--memory", "2GB", "--work", ".")
    from runoff.memory import Bounds, bounded

    with bounded(Bounds(2 * 10**9, folder)):  # ends what the command begins
        done = run(folder, "train", "set", "-o", "bounded.runoff", *how)
    assert done.exit_code == 0, done.output
    assert "of disk under ., and as much again" in done.stderr
    assert "at most 2 GB are resident" in done.stderr
    one, two = (
        json.loads(said(folder, "eval", name, "one.arrow", "--json")) for name in ("m.runoff", "bounded.runoff")
    )
    assert one["results"] == two["results"]
    for wrong, message in ((("--memory", "9MB"), "at least 200 MB"), (("--work", "."), "give that too")):
        done = run(folder, "describe", "set", *wrong)
        assert done.exit_code == 2
        assert message in done.stderr


def test_a_missing_shard_ends_in_a_sentence_and_writes_nothing(folder: Path, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(folder / "set", tmp_path / "set")
    (tmp_path / "set" / "00004.arrow").unlink()
    done = run(tmp_path, "pick", str(folder / "m.runoff"), "set", "-o", "c.jsonl")
    assert done.exit_code == 1
    assert "00004.arrow: the set is not complete" in done.stderr
    assert not (tmp_path / "c.jsonl").exists()
    (tmp_path / "set" / "shards.json").unlink()
    (tmp_path / "set" / "00003.arrow").write_bytes(b"ARROW1 and no more")
    for command in (("pick", str(folder / "m.runoff"), "set", "-o", "c.jsonl"), ("convert", "set", "new/")):
        done = run(tmp_path, *command)
        assert done.exit_code == 1
        assert "00003.arrow: the file is damaged or truncated" in done.stderr
    assert sorted(each.name for each in tmp_path.iterdir()) == ["set"]
