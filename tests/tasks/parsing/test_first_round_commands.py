"""`runoff parse train`, `nbest` and `jackknife` as a person runs them."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from runoff.cli import main
from runoff.tasks.parsing import ParseList, read_lists, write_lists

NOUNS, VERBS, PLACES = ("cat", "dog", "man", "boat"), ("sees", "likes", "eats"), ("park", "house", "sea")


def run(*arguments: object, text: str | None = None) -> Result:
    return CliRunner().invoke(main, ["parse", *map(str, arguments)], input=text, catch_exceptions=False)


def trees(count: int, seed: int = 0) -> list[str]:
    """One sees the cat in the park: whether the cat is there is anybody's guess."""
    draw = random.Random(seed)
    found = []
    for _ in range(count):
        one, two = (f"(NP-SBJ (DT the) (NN {draw.choice(NOUNS)}))" for _ in range(2))
        two = two.replace("-SBJ", "")
        there = f"(PP (IN in) (NP (DT the) (NN {draw.choice(PLACES)})))"
        inside = [f"{two} {there}", f"(NP {two} {there})"][draw.random() < 0.5]
        found.append(f"( (S {one} (VP (VBZ {draw.choice(VERBS)}) {inside}) (. .)))")
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A treebank of documents, and a grammar made from it by the command."""
    where = tmp_path_factory.mktemp("grammar")
    (where / "bank").mkdir()
    written = trees(60)
    for document in range(6):
        (where / "bank" / f"d{document}.mrg").write_text("\n".join(written[10 * document : 10 * document + 10]))
    done = run("train", where / "bank", "-o", where / "g.runoff", "--no-words")
    assert done.exit_code == 0, done.output
    (where / "new.txt").write_text("the cat sees the dog in the sea .\n\nthe man eats the cat .\n")
    return where


def test_train_says_what_it_read_and_made(folder: Path, tmp_path: Path) -> None:
    done = run("train", folder / "bank", "-o", tmp_path / "g.runoff")
    assert done.exit_code == 0
    # words: 2 + 1 + 2 + 3 + 1 in each sentence; labels: S NP VP PP; tags: DT NN VBZ IN .
    assert "read 60 sentences in 6 documents: 540 words, 4 labels, 5 tags; up to 9 words per sentence.\n" in done.stderr
    assert f"wrote {tmp_path / 'g.runoff'}: trained on 60 sentences in " in done.stderr
    assert f"next: runoff parse nbest {tmp_path / 'g.runoff'} SENTENCES -o LISTS.jsonl.gz\n" in done.stderr
    assert done.stdout
    assert [each.name for each in tmp_path.iterdir()] == ["g.runoff"]


def test_train_as_json(folder: Path, tmp_path: Path) -> None:
    done = run("train", folder / "bank" / "d0.mrg", folder / "bank" / "d1.mrg", "-o", tmp_path / "g", "--json")
    found = json.loads(done.stdout)
    assert (found["output"], found["treebank"]["sentences"]) == (str(tmp_path / "g"), 20)
    assert found["treebank"]["documents"] == 2
    assert found["notes"] == []


def test_nbest_of_plain_text(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "lists.jsonl.zst"
    done = run("nbest", folder / "g.runoff", folder / "new.txt", "-o", out, "-k", 3)
    assert (done.exit_code, done.stdout) == (0, "")
    lists = list(read_lists(out))
    assert [(each.id, each.gold) for each in lists] == [("1", None), ("2", None), ("3", None)]
    # The two places where the phrase can belong are all that the treebank's rules can make of these words.
    assert {"(VP (VBZ sees) (NP (DT the) (NN dog)) (PP" in tree for tree in lists[0].trees} == {True, False}
    assert [len(each.trees) for each in lists][:2] == [2, 0]
    assert lists[0].tokens == ["the", "cat", "sees", "the", "dog", "in", "the", "sea", "."]
    assert lists[0].scores == sorted(lists[0].scores, reverse=True)
    assert "note: Lines without words: 1; their lists are empty, so that ids match line numbers.\n" in done.stderr
    assert "sentences    3 (1 without words or candidates)\n" in done.stderr
    assert f"wrote {out}\n" in done.stderr


def test_nbest_to_standard_output_and_from_standard_input(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "lists.jsonl"
    run("nbest", folder / "g.runoff", folder / "new.txt", "-o", out, "--threads", 1)
    assert run("nbest", folder / "g.runoff", folder / "new.txt", "--threads", 2).stdout == out.read_text()
    piped = subprocess.run(
        [sys.executable, "-m", "runoff", "parse", "nbest", str(folder / "g.runoff"), "-", "-k", "1"],
        input="the cat ( the dog ) sees the park .\n",
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(piped.stdout)
    assert found["tokens"] == ["the", "cat", "-LRB-", "the", "dog", "-RRB-", "sees", "the", "park", "."]
    assert len(found["nbest"]) == 1
    assert "e.g. -LRB- for (: 2 words changed." in piped.stderr


def test_nbest_of_a_treebank_is_judged(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "lists.jsonl"
    done = run("nbest", folder / "g.runoff", folder / "bank", "-o", out, "--json", "-k", 5)
    found = json.loads(done.stdout)
    lists = list(read_lists(out))
    assert (found["sentences"], found["judged"], len(lists)) == (60, 60, 60)
    assert found["candidates"] == sum(len(each.trees) for each in lists)
    assert list(found["oracle_at"]) == ["1", "2", "5"]
    assert found["f"] == found["oracle_at"]["1"] <= found["oracle_at"]["2"] <= found["oracle_at"]["5"] <= 100
    assert lists[10].document == "d1.mrg"
    assert lists[0].gold is not None
    assert "-SBJ" not in lists[0].gold
    again = run("nbest", folder / "g.runoff", out, "-o", tmp_path / "again.jsonl", "-k", 5)  # words from lists
    assert (tmp_path / "again.jsonl").read_text() == out.read_text()
    assert "parseval  first choice  oracle@2  oracle@5\n" in again.stderr


def test_jackknife_and_what_comes_after_it(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "train.jsonl.gz"
    done = run("jackknife", folder / "bank", "-o", out, "--folds", 3, "-k", 5, "--no-words")
    assert done.exit_code == 0, done.output
    facts = dict(line.split(maxsplit=1) for line in done.stdout.splitlines()[:4])
    lists = list(read_lists(out))
    assert facts["sentences"] == "60"
    assert facts["flat"] == "0"
    assert facts["candidates"].startswith(f"{sum(len(each.trees) for each in lists):,} (")
    assert " sentences per second (" in facts["speed"]
    assert done.stdout.splitlines()[5].split() == ["parseval", "first", "choice", "oracle@2", "oracle@5"]
    assert f"next: runoff train {out} --dev DEV_LISTS -o MODEL.runoff\n" in done.stderr
    assert {(each.document, each.fold) for each in lists} == {(f"d{at}.mrg", lists[10 * at].fold) for at in range(6)}
    arguments = ["features", out, "-o", tmp_path / "train.arrow", "--set", "min_lists=1"]
    features = CliRunner().invoke(main, list(map(str, arguments)), catch_exceptions=False)
    assert f"wrote {tmp_path / 'train.arrow'}: 60 groups, " in features.stderr


def test_jackknife_with_the_folds_of_lists_is_the_same_again(folder: Path, tmp_path: Path) -> None:
    out, again = tmp_path / "train.jsonl", tmp_path / "again.jsonl"
    how = ("-k", 4, "--no-words", "--json")
    found = json.loads(run("jackknife", folder / "bank", "-o", out, "--folds", 3, *how).stdout)
    other = json.loads(run("jackknife", out, "-o", again, "--folds", "given", "--threads", 1, *how).stdout)
    assert again.read_bytes() == out.read_bytes()
    for one in (found, other):
        for name in ("output", "seconds", "sentences_per_second"):
            one.pop(name)
    assert found == other


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["jackknife", "{bank}", "-o", "{new}/x.arrow"], 2, "use a name that ends in .jsonl, .jsonl.gz or .jsonl.zst."),
        (["jackknife", "{bank}", "-o", "{new}/x.jsonl", "--folds", "some"], 2, "found 'some'."),
        (["jackknife", "{bank}", "-o", "{new}/x.jsonl", "--folds", "7"], 2, "expected 2 to 6 folds"),
        (["jackknife", "{bank}", "-o", "{new}/x.jsonl", "--folds", "given"], 2, "have no fold"),
        (["jackknife", "{bank}", "-o", "{new}/none/x.jsonl"], 2, "there is no folder"),
        (["train", "{bank}/d0.mrg", "-o", "{bank}/d0.mrg"], 2, "is named twice"),
        (["train", "{bank}", "-o", "{new}/g", "--set", "depth=3"], 2, "a grammar has no setting 'depth'; it has: lex"),
        (["train", "{bank}", "-o", "{new}/g", "--set", "beam=wide"], 2, "the setting beam is a number; found 'wide'."),
        (["train", "{bank}", "-o", "{new}/g", "--set", "splits=base,odd"], 2, "there is no split 'odd'"),
        (["train", "{bank}", "-o", "{new}/g", "--no-words", "--set", "lexical=true"], 2, "leave out one of them"),
        (["train", "{new}/nothing", "-o", "{new}/g"], 1, "cannot be read"),
        (["nbest", "{grammar}", "{text}", "-o", "{new}/x.mrg"], 2, "lists of parses are JSON lines"),
        (["nbest", "{grammar}", "{text}", "--json"], 2, "write the lists to a file with -o."),
        (["nbest", "{grammar}", "{new}/none.txt"], 1, "cannot be read"),
        (["nbest", "{text}", "{text}"], 1, "new.txt is not a Runoff grammar"),
    ],
)
def test_mistakes_are_sentences(folder: Path, tmp_path: Path, arguments: list[str], code: int, said: str) -> None:
    places = {"bank": folder / "bank", "grammar": folder / "g.runoff", "text": folder / "new.txt", "new": tmp_path}
    done = run(*(each.format(**places) for each in arguments))
    assert (done.exit_code, done.stdout) == (code, "")
    assert said in done.stderr
    assert list(tmp_path.iterdir()) == []


# The command itself, with parts of a few sentences and a parser that takes its time.
SLOW = """
import sys, time
from runoff.tasks.parsing import grammar, jackknife_parts
jackknife_parts.SIZE = 4
quick = grammar.Grammar.nbest
def slow(self, words, k=50):
    time.sleep(0.1)
    return quick(self, words, k)
grammar.Grammar.nbest = slow
from runoff.cli import main
main(sys.argv[1:])
"""


@pytest.mark.slow
def test_ctrl_c_says_how_to_resume(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "train.jsonl"
    command = ["parse", "jackknife", str(folder / "bank"), "-o", str(out), "--folds", "2", "--no-words", "-k", "5"]
    process = subprocess.Popen([sys.executable, "-c", SLOW, *command], stderr=subprocess.PIPE, text=True)
    kept = Path(f"{out}.parts")
    for _ in range(6000):
        if any(kept.glob("*.json")) or process.poll() is not None:
            break
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.endswith(f"interrupted: {out} was not written. The same command resumes from what is in {kept}.\n")
    assert "Traceback" not in err
    assert [each.name for each in tmp_path.iterdir()] == [kept.name]
    assert all(each.suffix in {".json", ".zst"} for each in kept.iterdir())  # nothing half-written


def test_lists_without_trees_are_no_treebank(folder: Path, tmp_path: Path) -> None:
    write_lists([ParseList("a", None, [-1.0], ["(X (UH oh))"])], tmp_path / "lists.jsonl")
    done = run("jackknife", tmp_path / "lists.jsonl", "-o", tmp_path / "out.jsonl")
    assert done.exit_code == 1
    assert "there is no gold tree (1 list)" in done.stderr
