"""What docs/fusion.md and the part of docs/formats.md about files for other tools tell people to type works."""

import json
import shlex
from pathlib import Path

import numpy as np
import pytest

import runoff
from helpers.pages import Page, names, said_by
from runoff.combine.fusion import METHODS
from runoff.demo import run
from runoff.formats import read, recognise
from runoff.formats.text_lines import FORMS

FUSION, FORMATS = Page("fusion.md"), Page("formats.md")
OTHER_TOOLS = FORMATS.text.partition("## Files for other tools")[2].partition("\n## ")[0]


def write_runs(folder: Path, part: str, seed: int, queries: int = 60) -> None:
    """Two runs with noise of their own, each of the better half of twelve documents, and what is relevant."""
    draw = np.random.default_rng(seed)
    judged = []
    for run_name in ("bm25", "dense"):
        (folder / f"{run_name}{part}.run").unlink(missing_ok=True)
    for query in range(queries):
        grades = draw.integers(0, 3, 12)
        judged += [f"{part}{query} 0 d{at} {grade}\n" for at, grade in enumerate(grades)]
        for run_name, noise in (("bm25", 1.0), ("dense", 1.5)):
            scores = grades + draw.normal(0, noise, 12)
            best = np.argsort(-scores)[:6]
            with (folder / f"{run_name}{part}.run").open("a") as out:
                out.writelines(
                    f"{part}{query} Q0 d{at} {rank} {float(scores[at])!r} {run_name}\n"
                    for rank, at in enumerate(best, 1)
                )
    (folder / f"judgements{part}.txt").write_text("".join(judged))


def test_the_page_of_fusion_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_runs(tmp_path, "", 0)
    write_runs(tmp_path, ".test", 1)
    said = [said_by(*command) for command in FUSION.commands()]
    assert len(said) == 6
    assert "by rrf" in said[0]
    for told in (said[2], said[4]):
        assert "reciprocal rank fusion" in told
        assert "log-ISR" in told
    weighted = read("weighted.run")
    assert recognise("learned.run").name == "trec"
    Path("weighted.run").unlink()
    FUSION.run_python()
    assert read("weighted.run").base.tolist() == weighted.base.tolist()


def test_the_example_is_a_run_and_the_methods_are_all(tmp_path: Path) -> None:
    (example,) = FUSION.blocks("text")
    (tmp_path / "bm25.run").write_text(example)
    assert read(tmp_path / "bm25.run").candidate_ids.to_pylist() == ["FR940202-2-00150", "FBIS3-10082", "FT922-3165"]
    assert [names(row[0])[0] for row in FUSION.table("## Methods")] == list(METHODS)


def test_files_for_other_tools_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run(tmp_path / "runoff-demo", 0, say=lambda _: None)
    commands = OTHER_TOOLS.partition("```sh\n")[2].partition("```")[0].splitlines()
    for command in commands:
        said_by(*shlex.split(command)[1:])
    test = runoff.read("runoff-demo/test.jsonl")
    ids = test.group_ids.to_pylist()
    choices = runoff.load("wer.runoff").pick(test)
    assert Path("chosen.trn").read_text().splitlines() == [f"{each.text} ({each.group})" for each in choices]
    assert [line.split(" ")[0] for line in Path("text").read_text().splitlines()] == ids
    assert [line.split("\t")[0] for line in Path("chosen.tsv").read_text().splitlines()] == ids
    assert [json.loads(line)["id"] for line in Path("scores.jsonl").read_text().splitlines()] == ids
    assert read("scores.csv").texts.equals(test.texts)
    assert read("rescored.nbest").base.tolist() == runoff.load("wer.runoff").scores(test).tolist()


def test_all_forms_are_told() -> None:
    for form in FORMS.values():
        assert f"`--to {form.name}`" in OTHER_TOOLS
        assert form.ending is None or f"`{form.ending}`" in OTHER_TOOLS
