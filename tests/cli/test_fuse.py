"""`runoff fuse` as a person runs it: runs in, a run out."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from runoff import merge, read
from runoff.cli import main
from runoff.combine.fusion import Fusion


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [*map(str, arguments)], catch_exceptions=False)


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    one, two = tmp_path / "bm25.run", tmp_path / "dense.run"
    one.write_text("q Q0 d1 1 12.5 bm25\nq Q0 d2 2 3 bm25\nr Q0 d9 1 4 bm25\n")
    two.write_text("q Q0 d2 1 0.9 dense\nq Q0 d3 2 0.4 dense\n")
    return one, two


def test_runs_are_fused_to_a_run(runs: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "out.run"
    done = run("fuse", *runs, "-o", out)
    assert done.exit_code == 0
    assert "wrote" in done.stderr
    assert out.read_text().splitlines() == [
        f"q Q0 d2 1 {1 / 62 + 1 / 61!r} runoff",
        f"q Q0 d1 2 {1 / 61!r} runoff",
        f"q Q0 d3 3 {1 / 62!r} runoff",
        f"r Q0 d9 1 {1 / 61!r} runoff",
    ]


def test_options_are_those_of_the_library(runs: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    how = ("--method", "combsum", "--normalisation", "z", "--weights", "0.3,0.7")
    done = run("fuse", *runs, *how, "-o", out, "--json")
    facts = json.loads(done.stdout)
    assert (facts["groups"], facts["candidates"], facts["systems"]) == (2, 4, ["bm25", "dense"])
    fused = merge({each.stem: read(each) for each in runs}, base=Fusion("combsum", "z", (0.3, 0.7)))
    assert read(out).base.tolist() == fused.base.tolist()
    assert "bm25:rank" in read(out).features.column_names().to_pylist()
    far = run("fuse", *runs, "--constant", 0, "-o", tmp_path / "far.run")
    assert far.exit_code == 0
    assert "q Q0 d2 1 1.5 runoff" in (tmp_path / "far.run").read_text()


def test_fusions_stand_beside_what_is_learned(runs: tuple[Path, Path], tmp_path: Path) -> None:
    qrels = tmp_path / "qrels"
    qrels.write_text("q 0 d2 1\nr 0 d9 1\n")
    said = run("describe", runs[0], "--runs", runs[1], "--qrels", qrels, "--metric", "mrr").output
    for label in ("reciprocal rank fusion", "CombSUM (min-max)", "CombSUM (z)", "CombMNZ", "Borda", "ISR", "log-ISR"):
        assert label in said, label
    # d2 is second for bm25 and first for dense: fusion makes the mean of 1/2 and 1 a 1.
    found = json.loads(
        run("describe", runs[0], "--runs", runs[1], "--qrels", qrels, "--metric", "mrr", "--json").stdout
    )
    baselines = {each["name"]: each["score"] for each in found["baselines"][0]["baselines"]}
    assert baselines["rrf"] == baselines["borda"] == 1.0
    assert found["baselines"][0]["first"]["score"] == 0.75


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--method", "sum"), 2, "there is no method of fusion 'sum'"),
        (("--weights", "a,b"), 2, "--weights takes numbers with commas between them; found 'a,b'."),
        (("--weights", "1"), 2, "there are 2 systems and 1 weights; give one for each."),
        (("--normalisation", "l2"), 2, "there is no normalisation 'l2' of scores"),
        (("--to", "letor"), 2, "Runoff reads letor but does not write it"),
        (("--name", "a"), 2, "there are 2 files and 1 names"),
    ],
)
def test_mistakes_are_answered_by_a_sentence(runs, tmp_path: Path, options, code: int, message: str) -> None:
    done = run("fuse", *runs, *options, "-o", tmp_path / "out.run")
    assert done.exit_code == code, done.output
    assert message in done.stderr
    assert not (tmp_path / "out.run").exists()
