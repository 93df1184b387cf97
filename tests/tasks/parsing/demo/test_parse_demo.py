"""`runoff parse demo`: the second round finds what was planted in the treebank."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from runoff.cli import main
from runoff.errors import UsageError
from runoff.tasks.parsing.demo.run import TREEBANK, run
from runoff.tasks.parsing.demo.treebank import PLANTED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


DOCUMENTS, K = 40, 10  # as few as show a gain beyond chance


def parseval(found: dict[str, Any]) -> dict[str, Any]:
    return next(each for each in found["test"]["results"] if each["metric"] == "parseval")


@pytest.fixture(scope="module")
def short_lists() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("runoff.tasks.parsing.demo.run.K", K)
        yield


@pytest.fixture(scope="module")
def small(short_lists: None, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any], str]:
    folder = tmp_path_factory.mktemp("demo") / "demo"
    said: list[str] = []
    found = run(folder, 0, said.append, count=DOCUMENTS)
    return folder, found, "\n".join(said)


@pytest.mark.slow
def test_the_second_round_is_better_beyond_chance(small: tuple[Path, dict[str, Any], str]) -> None:
    _, found, _ = small
    result = parseval(found)
    assert result["better"]
    assert result["gain"]["delta"] > 1.5
    # Both readings of every ambiguity must be in the lists, or there is nothing to choose.
    assert result["oracle"]["score"] > 98


@pytest.mark.slow
def test_what_was_planted_is_found(small: tuple[Path, dict[str, Any], str]) -> None:
    _, found, said = small
    assert [each["feature"] for each in found["planted"]] == [each.feature for each in PLANTED]
    known = [each for each in found["planted"] if each["weight"] is not None]
    assert len(known) >= len(PLANTED) / 2  # some words are too rare in so few sentences
    assert all(each["is_right"] == (each["weight"] * each["sign"] > 0) for each in known)
    right = sum(each["is_right"] for each in known)
    assert right >= 0.9 * len(known)
    assert f"{right} of {len(known)} weights have the right sign." in said


@pytest.mark.slow
def test_it_says_what_it_does_and_leaves_everything_in_the_folder(small: tuple[Path, dict[str, Any], str]) -> None:
    folder, found, said = small
    titles = (
        "1. The pipeline",
        "2. Results on",
        "3. Was it found?",
        "4. Why? One decision explained",
        "5. Everything is in",
    )
    assert sorted(said.index(title) for title in titles) == [said.index(title) for title in titles]
    for name in (TREEBANK, "grammar.runoff", "model.runoff", "table.md", "result.png", "decision.png", "decision.svg"):
        assert (folder / name).is_file()
    assert (folder / TREEBANK).read_text().startswith("<story-001.1> (S1 ")
    assert found["decision"] is not None


@pytest.mark.slow
def test_the_same_call_resumes_and_another_seed_begins_anew(small: tuple[Path, dict[str, Any], str]) -> None:
    folder, found, _ = small
    said: list[str] = []
    assert run(folder, 0, said.append, count=DOCUMENTS) == found
    assert sum(line.endswith(" up to date") for line in said) == 12

    def stop(line: str) -> None:
        if line.startswith("[2 of"):
            assert not line.endswith(" up to date")
            raise KeyboardInterrupt

    treebank = (folder / TREEBANK).read_bytes()
    with pytest.raises(KeyboardInterrupt):
        run(folder, 1, stop, count=DOCUMENTS)
    assert (folder / TREEBANK).read_bytes() != treebank


def test_a_treebank_from_elsewhere_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / TREEBANK).write_text("(S (NP (PRP I)) (VP (VBP run)))\n")
    with pytest.raises(UsageError, match=r"treebank\.mrg is from elsewhere and would be overwritten"):
        run(tmp_path, 0, lambda _: None, count=4)
    (tmp_path / "pipeline.json").write_text('{"stages":{}}')  # nor is one that a pipeline in this folder was run on
    with pytest.raises(UsageError, match=r"treebank\.mrg is from elsewhere and would be overwritten"):
        run(tmp_path, 0, lambda _: None, count=4)


def test_a_seed_below_0_is_a_sentence(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["parse", "demo", "-o", str(tmp_path / "demo"), "--seed", "-1"])
    assert done.exit_code == 2
    assert "-1 is not in the range x>=0" in done.stderr


@pytest.mark.slow
def test_the_whole_demo_from_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runoff.tasks.parsing.demo.run.K", 50)
    done = CliRunner().invoke(main, ["parse", "demo", "-o", str(tmp_path / "demo"), "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert parseval(found)["recovered"] > 0.4
    known = [each["is_right"] for each in found["planted"] if each["weight"] is not None]
    assert sum(known) >= len(known) - 2
    assert len(known) >= len(PLANTED) - 4
