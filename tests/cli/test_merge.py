"""`runoff merge` as a person runs it: from several formats, with names, options and mistakes."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from runoff import merge, read
from runoff.cli import main


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["merge", *map(str, arguments)], catch_exceptions=False)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    one, two = tmp_path / "one.jsonl", tmp_path / "two.run"
    candidates = [{"id": "d1", "base": 3}, {"id": "d2", "base": 1}]
    one.write_text(json.dumps({"id": "q", "candidates": candidates}) + "\n")
    two.write_text("q Q0 d2 1 0.9 bm25\nq Q0 d3 2 0.4 bm25\n")
    return one, two


def test_merge_reads_any_format_and_agrees_with_the_library(files: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "both.jsonl.gz"
    done = run(*files, "-o", out, "--base", "rrf", "--absent", -1, "--json")
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert found["systems"] == {"one": {"candidates": 2, "alone": 1}, "two": {"candidates": 2, "alone": 1}}
    assert (found["groups"], found["candidates"], found["output"]) == (1, 3, str(out))
    data, expected = read(out), merge({"one": read(files[0]), "two": read(files[1])}, base="rrf", absent=-1)
    assert data.candidate_ids.equals(expected.candidate_ids)
    assert data.base.tolist() == expected.base.tolist()
    names = expected.features.column_names().to_pylist()
    order = [data.features.column_names().to_pylist().index(name) for name in names]
    assert (data.features.to_scipy()[:, order] != expected.features.to_scipy()).nnz == 0


def test_systems_are_called_like_their_files_or_as_one_says(files: tuple[Path, Path], tmp_path: Path) -> None:
    copy = tmp_path / "one.jsonl.gz"
    assert CliRunner().invoke(main, ["convert", str(files[0]), str(copy)]).exit_code == 0
    same = run(files[0], copy, "-o", tmp_path / "both.jsonl")
    assert same.exit_code == 2
    assert "two systems are called 'one'; names must differ: give each file a --name." in same.stderr
    named = run(files[0], copy, "--name", "a", "--name", "b", "-o", tmp_path / "both.arrow")
    assert named.exit_code == 0
    assert "a: 2 candidates, 0 that no other has." in named.stderr
    assert "b:rank" in read(tmp_path / "both.arrow").features.column_names().to_pylist()
    few = run(files[0], copy, "--name", "a", "-o", tmp_path / "both.jsonl")
    assert "there are 2 files and 1 names; give each file a --name, or none." in few.stderr


def test_mistakes_are_answered_by_a_sentence(files: tuple[Path, Path], tmp_path: Path) -> None:
    for arguments, code, message in (
        ((files[0], "-o", tmp_path / "b.jsonl"), 2, "merging needs the lists of at least two systems; found 1."),
        ((*files, "-o", files[0]), 2, "is named twice"),
        ((*files, "-o", tmp_path / "b.txt"), 2, "b.txt"),
        ((*files, "-o", tmp_path / "b.jsonl", "--base", "best"), 2, "base must be first, a fusion (rrf, combsum"),
        ((*files, "-o", tmp_path / "b.jsonl", "--same", "text"), 1, "the candidates of one have no texts"),
        ((*files, "-o", tmp_path / "b.jsonl", "--by", "input"), 1, "list 'q' of one has no input"),
    ):
        done = run(*arguments)
        assert done.exit_code == code, done.output
        assert message in done.stderr
    assert not (tmp_path / "b.jsonl").exists()
