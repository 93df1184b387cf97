"""`runoff combine` on files of trees: what comes out, and files that do not fit each other."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from click.testing import CliRunner

from runoff.cli.main import main
from runoff.io import read
from runoff.tasks.parsing import parse_tree

if TYPE_CHECKING:
    from pathlib import Path

NAMES = "abc"
NOUNS, VERBS = ("rice", "fish", "tea"), ("eat", "see", "take")
HIGH = "(TOP (S (NP (PRP I)) (VP (VBP {verb}) (NP (NN {noun})) (PP (IN with) (NP (NNS friends)))) (. .)))"
LOW = "(TOP (S (NP (PRP I)) (VP (VBP {verb}) (NP (NP (NN {noun})) (PP (IN with) (NP (NNS friends))))) (. .)))"


def run(*arguments: object, code: int = 0) -> str:
    """Output and messages of a command."""
    done = CliRunner().invoke(main, [str(each) for each in arguments])
    assert done.exit_code == code, done.output
    return done.output


def trees(many: int, seed: int) -> dict[str, list[str]]:
    """Gold trees, and those of three parsers that make mistakes of their own."""
    rng = np.random.default_rng(seed)
    found: dict[str, list[str]] = {"gold": [], "a": [], "b": [], "c": []}
    for _ in range(many):
        words = {"verb": str(rng.choice(VERBS)), "noun": str(rng.choice(NOUNS))}
        right = rng.random() < 0.5
        found["gold"].append((HIGH if right else LOW).format(**words))
        for name in NAMES:
            found[name].append((HIGH if right == (rng.random() < 0.75) else LOW).format(**words))
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("trees")
    for part, seed in (("train", 1), ("test", 2)):
        for name, own in trees(200, seed).items():
            (made / f"{name}.{part}.mrg").write_text("\n".join(own) + "\n")
    files = [made / f"{name}.train.mrg" for name in NAMES]
    run("combine", "train", *files, "--gold", made / "gold.train.mrg", "-o", made / "filter.runoff")
    return made


def test_trees_in_trees_out(folder: Path) -> None:
    files = [folder / f"{name}.test.mrg" for name in NAMES]
    # The right endings are .mrg and .trees; any other name gets the same lines.
    for out in ("out.mrg", "out.parses"):
        run("combine", "apply", folder / "filter.runoff", *files, "-o", folder / out)
    made = (folder / "out.mrg").read_text()
    assert made == (folder / "out.parses").read_text()
    gold = (folder / "gold.test.mrg").read_text().splitlines()

    def exact(lines: list[str]) -> int:
        return sum(str(parse_tree(one)) == str(parse_tree(two)) for one, two in zip(gold, lines, strict=True))

    assert exact(made.splitlines()) > max(exact(file.read_text().splitlines()) for file in files)
    said = run("combine", "eval", folder / "filter.runoff", *files, "--gold", folder / "gold.test.mrg")
    assert "parseval" in said


def test_files_of_other_words_are_named_with_their_line(folder: Path, tmp_path: Path) -> None:
    lines = (folder / "b.test.mrg").read_text().splitlines()
    first = folder / "a.test.mrg"
    files = (first, tmp_path / "b.mrg", folder / "c.test.mrg")
    at = next(at for at in range(5, 60) if lines[at].split()[5:] != lines[at + 1].split()[5:])
    cases = {
        "shifted": (lines[:at] + lines[at + 1 :], f"line {at + 1}: sentence {at + 1} has other words than in {first}"),
        "short": (lines[:150], "line 151: sentence 151 is not in"),
        "longer": ([*lines, lines[0]], "line 201: sentence 201 is not in"),
        "words": ([*lines[:9], lines[9].replace(" friends)", " foes)"), *lines[10:]], "line 10: sentence 10 has other"),
        "tokens": ([*lines[:9], lines[9].replace("(. .)", "(. .) (. .)"), *lines[10:]], "line 10: sentence 10 has"),
        "open": ([*lines[:9], lines[9][:-1], *lines[10:]], "line 10: the tree is not closed"),
    }
    for name, (changed, message) in cases.items():
        (tmp_path / "b.mrg").write_text("\n".join(changed) + "\n")
        said = run("combine", "apply", folder / "filter.runoff", *files, "-o", tmp_path / "o", code=1)
        assert message in said.replace("\n", " "), name
    assert not (tmp_path / "o").exists()


def test_trees_on_several_lines_with_other_escapes_and_without_a_tree(tmp_path: Path) -> None:
    one, two = tmp_path / "a.mrg", tmp_path / "b.mrg"
    one.write_text("(S (NP (NN a)\n  (-LRB- -LRB-)\n (NN 1\\/2)))\n(())\n(S (NN b))\n")
    two.write_text("(S (X (NN a) (-LRB- -LRB-) (NN 1/2)))\n(S (NN c))\n(S (NN d))\n")
    said = run("combine", "limits", one, two, "--gold", two, code=1)
    assert f"{two}, line 3: sentence 3 has other words than in {one}" in said


def test_files_of_another_kind(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "b.conll").write_text("I PRP B-NP\neat VBP O\n\n")
    files = (tmp_path / "b.conll", folder / "a.test.mrg")
    said = run("combine", "limits", *files, "--gold", files[0], code=1)
    assert f"{files[1]}: it is no file of taggings as {files[0]} is" in said


def test_a_reranker_of_its_own(folder: Path, tmp_path: Path) -> None:
    for part, seed in (("train", 3), ("test", 4)):
        made = trees(80, seed)
        rows = zip(made["gold"], made["a"], made["b"], strict=True)
        lines = [
            {"id": f"{at}", "gold": gold, "nbest": [[-1.0, one], [-2.0, two]]}
            for at, (gold, one, two) in enumerate(rows)
        ]
        (tmp_path / f"{part}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    train, test, made = tmp_path / "train.jsonl", tmp_path / "test.jsonl", tmp_path / "c.runoff"
    how = (
        "--reranker",
        "orum epochs=2",
        "--reranker",
        "loglinear sigma=1.0",
        "--families",
        "rule,word",
        "--folds",
        "2",
    )
    run("combine", "train", train, *how, "--min-groups", "2", "-o", made)
    said = run("combine", "eval", made, test)
    rows = [line.split()[0] for line in said.splitlines() if line[:1].isalpha()]
    assert rows[rows.index("loglinear") :][:4] == ["loglinear", "orum", "first", "union"]
    run("combine", "apply", made, test, "-o", tmp_path / "out.jsonl")
    columns = read(tmp_path / "out.jsonl").features.column_names().to_pylist()
    assert set(columns) == {"combined", "combined:gain"}
    said = run("combine", "explain", made, test, "--group", "7")
    assert "orum" in said
    for wrong, message in (
        (("--reranker", "orum", "--reranker", "orum"), "two rerankers 'orum'"),
        (("--reranker", "lasso"), "no learner 'lasso'"),
        (("--reranker", "crf l3=1"), "no parameter 'l3'"),
        (("--families", "rule"), "there is no --reranker"),
    ):
        assert message in run("combine", "train", train, *wrong, "-o", tmp_path / "x.runoff", code=2)
