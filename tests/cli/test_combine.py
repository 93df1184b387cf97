"""`runoff combine`, as a person uses it: files of roles, of tags, of trees, and lists."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from click.testing import CliRunner

from helpers.noisy_roles import QUALITIES, labelled, noisy_lists, proposition
from runoff.cli.main import main
from runoff.io import read, write
from runoff.tasks.roles import evaluate_roles, read_roles, write_roles
from runoff.tasks.roles.propositions import RoleSentence

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("a", "b", "c")


def run(*arguments: object, code: int = 0) -> str:
    """Output and messages of a command."""
    done = CliRunner().invoke(main, [str(each) for each in arguments])
    assert done.exit_code == code, done.output
    return done.output


def write_systems(folder: Path, part: str, many: int, seed: int, ending: str = "props") -> None:
    """Gold roles and those of three systems, two predicates a sentence now and then."""
    rng = np.random.default_rng(seed)
    gold: list[RoleSentence] = []
    systems: dict[str, list[RoleSentence]] = {name: [] for name in NAMES}
    for _ in range(many):
        size = int(rng.integers(4, 12))
        words = tuple(f"w{rng.integers(40)}" for _ in range(size))
        found = {each.predicate: each for each in (proposition(rng, size) for _ in range(rng.integers(0, 3)))}
        right = [found[at] for at in sorted(found)]
        gold.append(RoleSentence(words, tuple(right)))
        for name, quality in zip(NAMES, QUALITIES, strict=True):
            systems[name].append(RoleSentence(words, tuple(labelled(rng, each, quality) for each in right)))
    for name, sentences in {"gold": gold, **systems}.items():
        write_roles(sentences, folder / f"{name}.{part}.{ending}")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("combine")
    write_systems(made, "train", 400, 1)
    write_systems(made, "test", 150, 2)
    files = [made / f"{name}.train.props" for name in NAMES]
    said = run("combine", "train", *files, "--gold", made / "gold.train.props", "-o", made / "filter.runoff")
    assert "arguments, of which" in said
    return made


def files_of(folder: Path, part: str = "test") -> list[Path]:
    return [folder / f"{name}.{part}.props" for name in NAMES]


def test_props_in_props_out_and_better(folder: Path) -> None:
    run("combine", "apply", folder / "filter.runoff", *files_of(folder), "-o", folder / "combined.props")
    gold = read_roles(folder / "gold.test.props")
    scores = {
        name: evaluate_roles(gold, read_roles(folder / f"{name}.props")).score("f")
        for name in ("a.test", "b.test", "c.test", "combined")
    }
    assert scores["combined"] > max(score for name, score in scores.items() if name != "combined") + 5


def test_eval_says_what_roles_eval_says(folder: Path) -> None:
    gold = folder / "gold.test.props"
    printed = run("combine", "eval", folder / "filter.runoff", *files_of(folder), "--gold", gold, "--json")
    said = json.loads(printed[printed.index("{") :])
    combined = folder / "again.props"
    run("combine", "apply", folder / "filter.runoff", *files_of(folder), "-o", combined)
    right = read_roles(gold)
    for name, path in (("a", folder / "a.test.props"), ("combined", combined)):
        assert said["rows"][name]["srl-eval"]["score"] == pytest.approx(
            evaluate_roles(right, read_roles(path)).score("f")
        )
    assert said["best"] in NAMES


def test_limits_need_no_filter(folder: Path) -> None:
    said = run("combine", "limits", *files_of(folder), "--gold", folder / "gold.test.props")
    assert "union" in said
    assert "perfect filter" in said
    assert "by 3 systems" in said
    assert "combined" not in said.splitlines()[5]


def test_lists_come_back_with_one_candidate_more(folder: Path) -> None:
    run("combine", "apply", folder / "filter.runoff", *files_of(folder), "-o", folder / "combined.jsonl.gz")
    made = read(folder / "combined.jsonl.gz")
    assert {"combined", "combined:gain", "a:found"} <= set(made.features.column_names().to_pylist())
    run("train", folder / "combined.jsonl.gz", "-o", folder / "x.runoff", code=1)  # without references


def test_merged_lists_train_and_apply(tmp_path: Path) -> None:
    write(noisy_lists(200, 4), tmp_path / "train.jsonl")
    write(noisy_lists(80, 5), tmp_path / "test.jsonl")
    run("combine", "train", tmp_path / "train.jsonl", "--learner", "perceptron", "-o", tmp_path / "filter.runoff")
    said = run("combine", "eval", tmp_path / "filter.runoff", tmp_path / "test.jsonl")
    assert "combined" in said
    run("combine", "apply", tmp_path / "filter.runoff", tmp_path / "test.jsonl", "-o", tmp_path / "out.jsonl")
    run("combine", "apply", tmp_path / "filter.runoff", tmp_path / "test.jsonl", "-o", tmp_path / "out.txt")
    assert len((tmp_path / "out.txt").read_text().splitlines()) == 80
    message = run(
        "combine", "apply", tmp_path / "filter.runoff", tmp_path / "test.jsonl", "-o", tmp_path / "out.props", code=2
    )
    assert "cannot be written from lists" in message


def test_columns_of_tags(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    lines: dict[str, list[str]] = {name: [] for name in ("gold", *NAMES)}
    for _ in range(250):
        size = int(rng.integers(3, 9))
        tags = ["B-NP" if rng.random() < 0.5 else "O" for _ in range(size)]
        for at in range(size):
            word = f"w{rng.integers(30)}"
            lines["gold"].append(f"{word} X {tags[at]}")
            for name in NAMES:
                other = "O" if tags[at] != "O" else "B-NP"
                lines[name].append(f"{word} X {tags[at] if rng.random() < 0.8 else other}")
        for own in lines.values():
            own.append("")
    for name, own in lines.items():
        (tmp_path / f"{name}.conll").write_text("\n".join(own) + "\n")
    files = [tmp_path / f"{name}.conll" for name in NAMES]
    run("combine", "train", *files, "--gold", tmp_path / "gold.conll", "-o", tmp_path / "filter.runoff")
    said = run("combine", "eval", tmp_path / "filter.runoff", *files, "--gold", tmp_path / "gold.conll")
    assert "conlleval" in said
    run("combine", "apply", tmp_path / "filter.runoff", *files, "-o", tmp_path / "out.conll")
    out = (tmp_path / "out.conll").read_text().split("\n\n")
    assert len(out) == len((tmp_path / "a.conll").read_text().split("\n\n"))
    assert out[0].splitlines()[0].split()[:2] == lines["a"][0].split()[:2]


def test_missing_sentences_and_predicates_are_named_with_their_lines(folder: Path, tmp_path: Path) -> None:
    whole = (folder / "b.test.props").read_text()
    blocks = whole.split("\n\n")
    (tmp_path / "b.props").write_text("\n\n".join(blocks[:100]))
    files = [folder / "a.test.props", tmp_path / "b.props", folder / "c.test.props"]
    said = run("combine", "apply", folder / "filter.runoff", *files, "-o", tmp_path / "x.props", code=1)
    assert "is not in" in said
    assert ".props, line " in said
    assert "must have the same sentences and predicates" in said
    # The same number of sentences, but one of them is shorter.
    at = next(number for number, block in enumerate(blocks) if len(block.split("\n")) > 5 and "(V*" in block)
    lines = blocks[at].split("\n")
    drop = next(number for number, line in enumerate(lines) if line.startswith("-") and set(line) <= set("-* \t"))
    blocks[at] = "\n".join(lines[:drop] + lines[drop + 1 :])
    (tmp_path / "b.props").write_text("\n\n".join(blocks))
    said = run("combine", "apply", folder / "filter.runoff", *files, "-o", tmp_path / "x.props", code=1)
    assert f"{at + 1}:" in said or "is not in" in said


def test_crossing_brackets_are_named_with_their_line(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "b.props").write_text("go (V*) \n- (A0(A1* \n- *) \n\n")
    files = [folder / "a.test.props", tmp_path / "b.props", folder / "c.test.props"]
    said = run("combine", "apply", folder / "filter.runoff", *files, "-o", tmp_path / "x.props", code=1)
    assert "b.props, line" in said


def test_words_that_differ(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_systems(tmp_path, name, 30, 1, "conll")
    text = (tmp_path / "b.one.conll").read_text()
    first = next(line for line in text.splitlines() if "(V*" in line)
    (tmp_path / "b.one.conll").write_text(text.replace(first, first.replace("w", "other", 1), 1))
    files = [tmp_path / f"{name}.one.conll" for name in NAMES]
    said = run("combine", "limits", *files, "--gold", tmp_path / "gold.one.conll", "--task", "roles", code=1)
    assert "has other words than in" in said


def test_files_of_other_names_are_taken_in_order(folder: Path, tmp_path: Path) -> None:
    for name, own in zip("xyz", files_of(folder), strict=True):
        (tmp_path / f"{name}.props.gz").write_bytes(gzip.compress(own.read_bytes()))
    files = [tmp_path / f"{name}.props.gz" for name in "xyz"]
    said = run("combine", "apply", folder / "filter.runoff", *files, "-o", tmp_path / "out.props")
    assert "taken in the same order" in said
    run("combine", "apply", folder / "filter.runoff", *files_of(folder), "-o", tmp_path / "same.props")
    assert (tmp_path / "out.props").read_bytes() == (tmp_path / "same.props").read_bytes()
    said = run("combine", "apply", folder / "filter.runoff", *files[:2], "-o", tmp_path / "out.props", code=2)
    assert "was trained with 3 systems" in said


def test_a_combiner_is_no_model_of_candidates(folder: Path, tmp_path: Path) -> None:
    write(noisy_lists(5, 4), tmp_path / "test.jsonl")
    assert run("pick", folder / "filter.runoff", tmp_path / "test.jsonl", code=1)
    said = run("combine", "eval", tmp_path / "test.jsonl", tmp_path / "test.jsonl", code=1)
    assert "not a Runoff model" in said
