"""Lists by grammars of other folds, and going on after interruptions of every kind."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from types import SimpleNamespace
from typing import TYPE_CHECKING, ClassVar

import orjson
import pytest

from runoff.errors import DataError, RunoffError, UsageError
from runoff.tasks.parsing import jackknife_parts, parse_tree, read_lists
from runoff.tasks.parsing import jackknifing as jackknife_module
from runoff.tasks.parsing.grammar import Settings
from runoff.tasks.parsing.jackknifing import jackknife, parts_folder
from runoff.tasks.parsing.treebank import Sentence, Treebank

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from runoff.tasks.parsing.trees import Tree


class Reader:
    """A stand-in for a grammar: one of its labels has the number of words that it was trained on."""

    # Of all of them together; emptied before every test.
    parsed: ClassVar[Counter[str]] = Counter()  # first words of sentences
    trained: ClassVar[list[set[str]]] = []
    trouble: ClassVar[Callable[[str], None] | None] = None

    def __init__(self, trees: Iterable[Tree], _settings: Settings) -> None:
        self.words = {word for tree in trees for word in tree.words()}
        Reader.trained.append(self.words)
        self.label = f"X{len(self.words)}"

    def nbest(self, words: Sequence[str], k: int = 50) -> SimpleNamespace:
        if Reader.trouble is not None:
            Reader.trouble(words[0])
        Reader.parsed[words[0]] += 1
        leaves = [f"(NN {word})" for word in words]
        if words[0] == "flat":
            return SimpleNamespace(
                scores=[-9.5], trees=[f"(TOP {' '.join(leaves)})"], is_flat=True, is_backed_off=False
            )
        trees = [f"(TOP ({label} {' '.join(leaves)}))" for label in ("S", self.label, "NP")][:k]
        return SimpleNamespace(scores=[-1 / 3, -0.7, -2.5][:k], trees=trees, is_flat=False, is_backed_off=False)


@pytest.fixture(autouse=True)
def _stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jackknife_module, "train_grammar", Reader)
    monkeypatch.setattr(jackknife_parts, "SIZE", 5)
    monkeypatch.setattr(Reader, "trouble", None)
    Reader.parsed.clear()
    Reader.trained.clear()


def bank(sentences: int = 60) -> Treebank:
    """Documents of four sentences, none of which are neighbours; a word of every sentence is that of its document."""
    documents = [f"d{at % (sentences // 4)}" for at in range(sentences)]
    trees = [parse_tree(f"(TOP (S (NN w{at}) (NN {document})))") for at, document in enumerate(documents)]
    return Treebank(Sentence(f"s{at}", documents[at], tree) for at, tree in enumerate(trees))


def made(folder: Path, treebank: Treebank, name: str = "out.jsonl", **how: object) -> bytes:
    jackknife(treebank, folder / name, Settings(), **{"folds": 3, "threads": 1, **how})
    return (folder / name).read_bytes()


def test_lists_are_in_the_order_of_the_treebank(tmp_path: Path) -> None:
    treebank = bank()
    found = jackknife(treebank, tmp_path / "out.jsonl.gz", folds=3, k=3)
    lists = list(read_lists(tmp_path / "out.jsonl.gz"))
    assert [each.id for each in lists] == [each.id for each in treebank]
    assert [each.document for each in lists] == [each.document for each in treebank]
    assert [each.gold for each in lists] == [str(each.tree) for each in treebank]
    assert [each.tokens for each in lists] == [each.words for each in treebank]
    assert {each.fold for each in lists} == {0, 1, 2}
    assert lists[0].scores == [-1 / 3, -0.7, -2.5]  # to the last digit
    assert (found.sentences, found.candidates, found.distinct_least, found.flat) == (60, 180, 3, 0)
    assert (found.f, found.kept) == (100.0, 0)  # the first choice is always the gold tree
    assert list(found.oracle_at) == [1, 2, 3]
    assert [each.name for each in tmp_path.iterdir()] == ["out.jsonl.gz"]


def test_no_grammar_has_seen_a_document_of_its_fold(tmp_path: Path) -> None:
    treebank = bank()
    made(tmp_path, treebank)
    lists = list(read_lists(tmp_path / "out.jsonl"))
    words = {fold: {word for each in lists if each.fold == fold for word in each.tokens or ()} for fold in range(3)}
    assert all(words.values())
    assert len(Reader.trained) == 3
    for fold, seen in enumerate(Reader.trained):
        assert not seen & words[fold]  # every document has a word of its own
        assert seen == set().union(*(words[other] for other in range(3) if other != fold))


def test_given_folds_are_taken(tmp_path: Path) -> None:
    given = Treebank(Sentence(each.id, each.document, each.tree, 4 + at % 2) for at, each in enumerate(bank(20)))
    made(tmp_path, given, folds=None)
    assert [each.fold for each in read_lists(tmp_path / "out.jsonl")] == [4, 5] * 10


def test_the_number_of_threads_does_not_matter(tmp_path: Path) -> None:
    assert made(tmp_path, bank(), "one.jsonl.zst") == made(tmp_path, bank(), "two.jsonl.zst", threads=2)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("trouble", [KeyboardInterrupt, MemoryError])
def test_an_interrupted_run_goes_on(tmp_path: Path, threads: int, trouble: type[BaseException]) -> None:
    treebank = bank()
    whole = made(tmp_path, treebank, "whole.jsonl")
    trained = len(Reader.trained)
    Reader.parsed.clear()

    def stop_at(word: str) -> None:
        if word == fatal:
            raise trouble

    fatal = next(each.tokens[0] for each in list(read_lists(tmp_path / "whole.jsonl"))[::-1] if each.fold == 1)
    Reader.trouble = stop_at
    with pytest.raises(trouble):
        made(tmp_path, treebank, threads=threads)
    assert not (tmp_path / "out.jsonl").exists()
    folder = parts_folder(tmp_path / "out.jsonl")
    kept = len(list(folder.glob("*.json")))
    assert kept == 4 + 3  # fold 0, and what came before the last part of fold 1
    Reader.trouble = None
    Reader.parsed.clear()
    Reader.trained.clear()
    found = jackknife(treebank, tmp_path / "out.jsonl", Settings(), folds=3, threads=threads)
    assert (tmp_path / "out.jsonl").read_bytes() == whole
    assert (found.sentences, found.kept, found.f) == (60, 35, 100.0)
    assert (sum(Reader.parsed.values()), max(Reader.parsed.values())) == (25, 1)
    assert (trained, len(Reader.trained)) == (3, 2)  # fold 0 needs no grammar any more
    assert not folder.exists()


@pytest.mark.parametrize("what", ["word", "fold", "k", "settings", "version", "document", "id"])
def test_parts_of_anything_else_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    treebank, how = bank(), {}
    _interrupt(tmp_path, treebank)
    parts = len(list(parts_folder(tmp_path / "out.jsonl").glob("*.json")))
    assert parts == 4
    settings = Settings()
    if what == "word":
        treebank = Treebank([*treebank[:59], Sentence("s59", "d14", parse_tree("(TOP (S (NN new) (NN d14)))"))])
    elif what == "document":
        treebank = Treebank([*treebank[:59], Sentence("s59", "d13", treebank[59].tree)])
    elif what == "id":
        treebank = Treebank([*treebank[:59], Sentence("last", "d14", treebank[59].tree)])
    elif what == "fold":
        how = {"folds": 4}
    elif what == "k":
        how = {"k": 2}
    elif what == "settings":
        settings = Settings(lexical=False)
    else:
        monkeypatch.setattr(jackknife_module, "VERSION", "another")
    Reader.parsed.clear()
    found = jackknife(treebank, tmp_path / "out.jsonl", settings, **{"folds": 3, **how})
    assert (found.kept, sum(Reader.parsed.values())) == (0, 60)
    folder = parts_folder(tmp_path / "out.jsonl")
    assert found.notes == (f"Saved parts of other data or settings in {folder} were removed: {parts}.",)
    assert not folder.exists()


def _interrupt(folder: Path, treebank: Treebank) -> None:
    """Leave behind what there is when fold 0 is parsed."""

    def stop(word: str) -> None:
        if sum(Reader.parsed.values()) == 20:
            raise KeyboardInterrupt

    Reader.trouble = stop
    with pytest.raises(KeyboardInterrupt):
        made(folder, treebank)
    Reader.trouble = None


@pytest.mark.parametrize("damage", ["cut lists", "other lists", "no lists", "cut facts", "other facts"])
def test_damaged_parts_are_made_again(tmp_path: Path, damage: str) -> None:
    whole = made(tmp_path, bank(), "whole.jsonl")
    Reader.parsed.clear()
    _interrupt(tmp_path, bank())
    folder = parts_folder(tmp_path / "out.jsonl")
    lists, facts = sorted(folder.glob("*.zst")), sorted(folder.glob("*.json"))
    if damage == "cut lists":
        lists[0].write_bytes(lists[0].read_bytes()[:-7])
    elif damage == "other lists":
        lists[0].write_bytes(lists[1].read_bytes())
    elif damage == "no lists":
        lists[0].unlink()
    elif damage == "cut facts":
        facts[0].write_bytes(facts[0].read_bytes()[:-7])
    else:
        facts[0].write_bytes(b'{"lists": 3}')
    Reader.parsed.clear()
    assert made(tmp_path, bank()) == whole
    assert sum(Reader.parsed.values()) == 45  # 40 were missing, and the damaged part has 5


@pytest.mark.parametrize(
    "change",
    [
        {"sentences": "5"},
        {"sentences": 4},
        {"candidates": -1},
        {"candidates": 2.5},
        {"candidates": 7},
        {"least": [1]},
        {"flat_ids": 3},
        {"sums": [[1.0]]},
        {"sums": "x"},
        {"sums": []},
        {"judged": 2**70},
        {"more": 1},
    ],
)
def test_changed_statistics_are_made_again(tmp_path: Path, change: dict[str, object]) -> None:
    whole = made(tmp_path, bank(), "whole.jsonl")
    Reader.parsed.clear()
    _interrupt(tmp_path, bank())
    facts = min(parts_folder(tmp_path / "out.jsonl").glob("*.json"))
    about = json.loads(facts.read_text())
    about["tally"] |= change
    if change not in ({"judged": 2**70}, {"candidates": 7}):  # too large for a checksum; and one without
        lists = facts.with_suffix(".jsonl.zst").read_bytes()
        content = orjson.dumps(about["tally"], option=orjson.OPT_SORT_KEYS)
        about["checksum"] = hashlib.sha256(lists + content).hexdigest()
    facts.write_text(json.dumps(about))
    Reader.parsed.clear()
    assert made(tmp_path, bank()) == whole
    assert sum(Reader.parsed.values()) == 45  # 40 were missing, and the damaged part has 5


def test_lists_of_other_sentences_are_a_sentence(tmp_path: Path) -> None:
    _interrupt(tmp_path, bank())
    facts = sorted(parts_folder(tmp_path / "out.jsonl").glob("*.json"))
    for name in (".json", ".jsonl.zst"):
        facts[0].with_suffix(name).write_bytes(facts[1].with_suffix(name).read_bytes())
    with pytest.raises(DataError, match="expected the saved parses of sentence 's"):
        made(tmp_path, bank())


def test_what_a_person_keeps_in_the_folder_stays(tmp_path: Path) -> None:
    folder = parts_folder(tmp_path / "out.jsonl")
    folder.mkdir()
    (folder / "letter.txt").write_text("mine")
    (folder / ".0123456789abcdef-0-3.jsonl.zst.abc.part").write_text("half of a part")
    made(tmp_path, bank())
    assert [each.name for each in folder.iterdir()] == ["letter.txt"]


def test_a_second_process_with_the_same_output_is_refused(tmp_path: Path) -> None:
    met: list[str] = []

    def meet(_: str) -> None:
        Reader.trouble = None
        with pytest.raises(UsageError) as error:
            made(tmp_path, bank())
        met.append(str(error.value))

    Reader.trouble = meet
    made(tmp_path, bank())
    assert met[0].endswith(
        f"out.jsonl is in use by process {os.getpid()}; wait until it has ended, or choose another name."
    )
    assert [each.name for each in tmp_path.iterdir()] == ["out.jsonl"]


def test_flat_trees_are_counted_also_those_of_an_earlier_run(tmp_path: Path) -> None:
    flat = parse_tree("(TOP (S (NN flat) (NN flat)))")
    treebank = Treebank(
        Sentence(each.id, each.document, flat if at % 10 == 0 else each.tree) for at, each in enumerate(bank())
    )
    _interrupt(tmp_path, treebank)
    found = jackknife(treebank, tmp_path / "out.jsonl", folds=3)
    assert (found.kept, found.flat, len(found.flat_ids), found.distinct_least) == (20, 6, 3, 1)
    assert set(found.flat_ids) < {f"s{at}" for at in range(0, 60, 10)}


def test_mistakes_are_said_before_the_work(tmp_path: Path) -> None:
    twice = Treebank([*bank(), bank()[3]])
    with pytest.raises(DataError, match="two sentences of the treebank have the id 's3'"):
        made(tmp_path, twice)
    with pytest.raises(UsageError, match="expected 2 to 15 folds"):
        made(tmp_path, bank(), folds=16)
    with pytest.raises(UsageError, match="have no fold"):
        made(tmp_path, bank(), folds=None)
    with pytest.raises(UsageError, match="k must be at least 1; found 0"):
        made(tmp_path, bank(), k=0)
    assert not Reader.trained
    parts_folder(tmp_path / "out.jsonl").write_text("a file")
    with pytest.raises(RunoffError, match=r"out\.jsonl\.parts cannot be created"):
        made(tmp_path, bank())


# A program that parses a sentence in ten milliseconds.
PROGRAM = """
import sys, time
from pathlib import Path
from types import SimpleNamespace
from runoff.tasks.parsing import jackknifing, jackknife_parts
from runoff.tasks.parsing.treebank import read_treebank
jackknife_parts.SIZE = 5
class Slow:
    def nbest(self, words, k):
        time.sleep(float(sys.argv[3]))
        trees = [f"(TOP ({label} {' '.join(f'(NN {word})' for word in words)}))" for label in ("S", "NP")]
        return SimpleNamespace(scores=[-1 / 3, -0.7], trees=trees, is_flat=False, is_backed_off=False)
jackknifing.train_grammar = lambda trees, settings: Slow()
found = jackknifing.jackknife(read_treebank(sys.argv[1]), sys.argv[2], folds=2, threads=2)
print(found.kept)
"""


@pytest.mark.slow
def test_kill_9_loses_a_part_at_most(tmp_path: Path) -> None:
    trees, out = tmp_path / "bank.mrg", tmp_path / "out.jsonl.gz"
    trees.write_text("".join(f"(S (NN a{at}) (NN b))\n" for at in range(200)))

    def start(to: Path, seconds: float) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", PROGRAM, str(trees), str(to), str(seconds)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    process = start(out, 0.05)  # five seconds, if nobody kills it
    folder = parts_folder(out)
    for _ in range(3000):
        if len(list(folder.glob("*.json"))) >= 4 or process.poll() is not None:
            break
        time.sleep(0.01)
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert not out.exists()
    kept = len(list(folder.glob("*.json"))) * 5
    again, other = start(out, 0.0), start(tmp_path / "whole.jsonl.gz", 0.0)
    assert [int(each.communicate(timeout=60)[0]) for each in (again, other)] == [kept, 0]
    assert 20 <= kept < 200
    assert out.read_bytes() == (tmp_path / "whole.jsonl.gz").read_bytes()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["bank.mrg", "out.jsonl.gz", "whole.jsonl.gz"]


def test_what_grammars_have_seen_of_a_fold_is_said(tmp_path: Path) -> None:
    long = [parse_tree(f"(TOP (S {' '.join(f'(NN w{word})' for word in range(words))}))") for words in (9, 10, 11)]
    copies = Treebank(Sentence(f"{name}{at}", name, tree) for name in "ab" for at, tree in enumerate(long))
    found = jackknife(copies, tmp_path / "out.jsonl", folds=2, threads=1)
    assert [note.partition(". ")[0] for note in found.notes] == [
        "Sentences of at least 10 words that also occur, word for word, in another fold: 4 of 6"
    ]
    cut = Treebank(Sentence(str(at), "a", tree, fold=at % 2) for at, tree in enumerate(long))
    found = jackknife(cut, tmp_path / "out.jsonl", folds=None, threads=1)
    assert [note.partition(". ")[0] for note in found.notes] == ["Documents that the given folds split: 1 of 1"]
