"""Our own first round against lists that came with the data: how good, how fast, and what a reranker makes of both.

Gold trees are those of the lists in the data folder (NAME.train/dev/test.*.jsonl*, and files whose lists have a fold),
and folds are theirs, so that every sentence is parsed by a grammar of the same trees as in the lists beside it.
Parts: "lists" (F and oracle of both, candidates, flat trees), "speed" (sentences per second of one core, memory),
"gain" (the ORUM perceptron on both), "settings" (what a grammar loses without words, parents, siblings, splits).
With --work, lists and features that are there are taken as they are: use a new folder for a changed grammar.
Usage: python benchmarks/first_round.py [--work FOLDER] [part …] [only:word in a name of the data …]
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from parsing import fold_data, learned, split_data
from runoff.tables import text_table
from runoff.tasks.parsing.first_round import Proposed, asking, parse_sentences, propose
from runoff.tasks.parsing.first_round_summary import FirstRoundSummary, ProposalCounts, depths_to
from runoff.tasks.parsing.grammar import Grammar, Settings, load_grammar, train_grammar
from runoff.tasks.parsing.jackknifing import jackknife
from runoff.tasks.parsing.lists import read_lists, write_lists
from runoff.tasks.parsing.treebank import read_treebank
from shared import data_folder, finish, skip

Row = dict[str, Any]
PARTS = ("lists", "speed", "gain", "settings")
K = 50
SHORT = 40  # words, up to which sentences count for the speed
LEARNER = "Perceptron ORUM"
VARIANTS: dict[str, Row] = {
    "as it is": {},
    "no words": {"lexical": False},
    "no words, no parents": {"lexical": False, "vertical": 1},
    "no words, one sibling": {"lexical": False, "horizontal": 1},
    "no words, no siblings": {"lexical": False, "horizontal": 0},
    "no words, no splits": {"lexical": False, "splits": ()},
    "no parents": {"vertical": 1},
    "one sibling": {"horizontal": 1},
    "no splits": {"splits": ()},
}


def main() -> None:
    """Measure the parts that were asked for."""
    words = sys.argv[1:]
    if words[:1] == ["time"]:
        finish(timed(Path(words[1]), Path(words[2])))
        return
    folder = data_folder()
    lists = None if folder is None else sorted((folder / "parses").glob("*.jsonl*"))
    if not lists:
        skip("no lists of parses with gold trees; set RUNOFF_DATA")
        return
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(words[words.index("--work") + 1]) if "--work" in words else Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        only = [word.removeprefix("only:") for word in words if word.startswith("only:")]
        asked = [part for part in PARTS if part in words] or list(PARTS)
        found = {}
        for name, files in bundles(lists).items():
            if not only or any(word in name for word in only):
                found[name] = measure(name, files, work, asked)
        finish(found)


def bundles(lists: list[Path]) -> dict[str, dict[str, Path]]:
    """Files by the name of their data: train, dev and test, or a single one with folds."""
    found: dict[str, dict[str, Path]] = {}
    for path in lists:
        name, part = path.name.split(".")[:2]
        found.setdefault(name, {})[part if part in ("train", "dev", "test") else "all"] = path
    order = ("all", "train", "dev", "test")
    return {name: dict(sorted(files.items(), key=lambda each: order.index(each[0]))) for name, files in found.items()}


def measure(name: str, files: dict[str, Path], work: Path, parts: list[str]) -> Row:
    """All parts on one set of lists."""
    found: Row = {}
    ours = {part: work / f"{name}.{part}.runoff{K}.jsonl.gz" for part in files}
    if {"lists", "gain"} & set(parts):
        make(files, ours)
    if "lists" in parts:
        found["lists"] = {
            part: {"given": judged(files[part]), "ours": judged(ours[part])} for part in files if part != "train"
        }
        lists_table(name, found["lists"])
    if "speed" in parts:
        found["speed"] = speed(name, files, work)
        print(f"\n{name}, one core: {json.dumps(found['speed'])}")
    if "gain" in parts:
        found["gain"] = {
            whose: gain(f"{name}-{whose}", paths, work / whose) for whose, paths in (("given", files), ("ours", ours))
        }
        gain_table(name, found["gain"])
    if "settings" in parts:
        found["settings"] = settings(files)
        settings_table(name, found["settings"])
    return found


def make(files: dict[str, Path], ours: dict[str, Path]) -> None:
    """Parse everything that is not there yet; what is to be trained on is jackknifed by the folds of the lists."""
    whole = "all" if "all" in files else "train"
    bank = read_treebank(files[whole])
    ours = dict(sorted(ours.items()))  # dev and test before train, which takes the longest
    if any(part != whole and not path.exists() for part, path in ours.items()):
        grammar = train_grammar(bank.trees())
    for part, path in ours.items():
        if path.exists():
            continue
        if part == whole:
            jackknife(bank, path, k=K, folds=None)
        else:
            write_lists(parse_sentences(grammar, read_treebank(files[part]), K, verbose=True), path)


def judged(path: Path) -> Row:
    """How good lists are, and how many different trees they have."""
    tally = ProposalCounts(depths_to(K))
    for parses in read_lists(path):
        tally.add(Proposed(parses, is_flat=len(parses.trees) == 1))  # how many lists have one tree alone, flat or not
    return FirstRoundSummary.of(tally, 1.0).to_dict()


def speed(name: str, files: dict[str, Path], work: Path) -> Row:
    """Sentences per second of a grammar of nine tenths, or of train, in a process of its own with one thread."""
    whole = files.get("all") or files["train"]
    bank = list(read_treebank(whole))
    folds = sorted({sentence.fold for sentence in bank if sentence.fold is not None})
    if "test" in files:
        train, test = bank, list(read_treebank(files["test"]))
    else:
        train = [sentence for sentence in bank if sentence.fold != folds[0]]
        test = [sentence for sentence in bank if sentence.fold == folds[0]]
    started = time.perf_counter()
    grammar = train_grammar(sentence.tree for sentence in train)
    seconds = time.perf_counter() - started
    path, sentences = work / f"{name}.grammar", work / f"{name}.sentences.json"
    grammar.save(path)
    sentences.write_text(json.dumps([sentence.words for sentence in test]))
    done = subprocess.run([sys.executable, __file__, "time", path, sentences], stdout=subprocess.PIPE, check=True)
    row: Row = json.loads(done.stdout.splitlines()[-1])
    return row | {"training seconds": seconds, "grammar MB": path.stat().st_size / 1e6, **grammar.describe()}


def timed(grammar: Path, sentences: Path) -> Row:
    """Parse one sentence after the other in one thread."""
    parser: Grammar = load_grammar(grammar)
    words: list[list[str]] = json.loads(sentences.read_text())
    parser.nbest(words[0], K)  # compiles
    short = [each for each in words if len(each) <= SHORT]
    row: Row = {"sentences": len(short), "words a sentence": float(np.mean([len(each) for each in short]))}
    times = []
    for each in short:
        started = time.process_time()
        parser.nbest(each, K)
        times.append(time.process_time() - started)
    row |= {f"sentences per CPU second, up to {SHORT} words": len(short) / sum(times), "slowest": max(times)}
    row["MB, short sentences"] = peak_megabytes()
    longer = sorted((each for each in words if len(each) > SHORT), key=len)
    started = time.process_time()
    for each in longer:
        parser.nbest(each, K)
    row |= {"longer sentences": len(longer), "seconds for them": time.process_time() - started}
    row |= {"longest": len(longer[-1]) if longer else 0}
    return row | {"MB, all": peak_megabytes()}


def peak_megabytes() -> float:
    """The most memory that this process had; what `resource` says may be that of the process that began it."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1e3


def gain(name: str, files: dict[str, Path], work: Path) -> Row:
    """What the reranker makes of lists."""
    work.mkdir(parents=True, exist_ok=True)
    if "all" in files:
        return learned(LEARNER, [fold_data(name, files["all"], "counts", work)])
    return learned(LEARNER, split_data(name, files, "counts", work))


def settings(files: dict[str, Path]) -> list[Row]:
    """F and oracle on dev, or on the first fold, of grammars that lack something."""
    whole = read_treebank(files.get("all") or files["train"])
    if "dev" in files:
        train, test = whole.trees(), list(read_treebank(files["dev"]))
    else:
        first = min(sentence.fold for sentence in whole if sentence.fold is not None)
        train = [sentence.tree for sentence in whole if sentence.fold != first]
        test = [sentence for sentence in whole if sentence.fold == first]
    rows = []
    for name, changed in VARIANTS.items():
        grammar = train_grammar(train, Settings(**changed))
        tally = ProposalCounts(depths_to(K))
        started = time.perf_counter()
        for proposed in propose(grammar, (asking(sentence) for sentence in test), K):
            tally.add(proposed)
        found = FirstRoundSummary.of(tally, time.perf_counter() - started)
        rows.append({"grammar": name, "F": found.f, "oracle": found.oracle_at[K], "seconds": found.seconds})
        print(rows[-1], file=sys.stderr)
    return rows


def lists_table(name: str, parts: Row) -> None:
    """Print how good the lists are."""
    depths = list(next(iter(parts.values()))["ours"]["oracle_at"])
    lines = [
        [
            f"{part}, {whose}",
            *(f"{row['oracle_at'][depth]:.2f}" for depth in depths),
            f"{row['distinct_mean']:.1f}",
            str(row["distinct_least"]),
            str(row["flat"]),
        ]
        for part, both in parts.items()
        for whose, row in both.items()
    ]
    print(f"\n{name}\n" + text_table(["F of the best of", *depths, "different", "fewest", "alone"], lines))


def gain_table(name: str, rows: Row) -> None:
    """Print what reranking gives."""
    lines = []
    for whose, row in rows.items():
        delta, low, high = row["gain"]
        scores = [row[key]["parseval"]["F"] for key in ("first", "chosen", "oracle")]
        exact = [row[key]["parseval"]["exact"] for key in ("first", "chosen")]
        lines.append(
            [
                whose,
                *(f"{score:.2f}" for score in scores),
                f"{delta:+.2f} ({low:+.2f} to {high:+.2f})",
                f"{row['p']:.4f}",
                f"{row['error reduction']:.1f}",
                *(f"{score:.1f}" for score in exact),
            ]
        )
    header = ["lists", "first round", "reranked", "oracle", "gain", "p", "error -%", "exact", "exact, reranked"]
    print(f"\n{name}, {LEARNER}\n" + text_table(header, lines))


def settings_table(name: str, rows: list[Row]) -> None:
    """Print what grammars lose."""
    lines = [[row["grammar"], f"{row['F']:.2f}", f"{row['oracle']:.2f}", f"{row['seconds']:.0f}"] for row in rows]
    print(f"\n{name}\n" + text_table(["grammar", "F", f"oracle@{K}", "s"], lines))


if __name__ == "__main__":
    main()
