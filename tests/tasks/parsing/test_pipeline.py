"""From a treebank to a reranked parser; the parser itself is a stand-in that cannot tell what there is to learn."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from helpers.little_grammar import FOODS, LittleGrammar, no_pictures, stand_in, write_treebank
from runoff import load, read, tasks
from runoff.errors import UsageError
from runoff.learners import Perceptron
from runoff.pipeline import Outcome, run_pipeline
from runoff.tasks.parsing import read_lists
from runoff.tasks.parsing.grammar import Settings
from runoff.tasks.parsing.treebank_parts import read_parts
from runoff.tasks.parsing.treebank_round import PIPELINE_METRICS, TreebankRound

FILES = {
    "split.json",
    *(f"{part}.{kind}" for part in ("train", "dev", "test") for kind in ("jsonl.gz", "arrow")),
    "grammar.runoff",
    "featurizer.runoff",
    "orum.runoff",
    "loglinear.runoff",
    "model.runoff",
    "table.md",
    "result.json",
    *(f"{what}.{kind}" for what in ("result", "decision") for kind in ("png", "svg")),
    "decision.txt",
    "pipeline.json",
}


def pipeline(bank: Any, folder: Path, **options: Any) -> Outcome:
    """The pipeline of parses as its command runs it."""
    return run_pipeline(tasks.get("parsing"), bank, folder, metrics=PIPELINE_METRICS, **options)


@pytest.fixture
def drawing_parser(monkeypatch: pytest.MonkeyPatch) -> type[LittleGrammar]:
    return stand_in(monkeypatch)


@pytest.fixture
def parser(drawing_parser: type[LittleGrammar], monkeypatch: pytest.MonkeyPatch) -> type[LittleGrammar]:
    no_pictures(monkeypatch)
    return drawing_parser


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Outcome, list[str]]:
    where = tmp_path_factory.mktemp("pipeline")
    said: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        stand_in(patch)
        bank = write_treebank(where / "bank.mrg", 10)
        found = pipeline(bank, where / "out", say=said.append)
    return bank, where / "out", found, said


@pytest.fixture
def done(finished: tuple[Path, Path, Outcome, list[str]], tmp_path: Path) -> tuple[Path, Path]:
    """The treebank, and a copy of what was made from it."""
    bank, folder, _, _ = finished
    return bank, Path(shutil.copytree(folder, tmp_path / "out"))


def again(bank: Path, folder: Path, **options: Any) -> list[str]:
    """Titles of the stages that were made."""
    said: list[str] = []
    pipeline(bank, folder, say=said.append, **options)
    stages = [line for line in said if line.startswith("[") and not line.endswith(" up to date")]
    return [line.partition("] ")[2].partition(" (")[0] for line in stages]


SECOND_ROUND = ["training: orum", "training: loglinear", "the best of 2 recipes on dev", "evaluation on test"]
FEATURES = [f"features of {part}" for part in ("train", "dev", "test")]
LISTS = [
    "first round on train, each fold by a grammar trained on the others",
    "a grammar trained on all of train",
    "first round on dev",
    "first round on test",
]


def test_the_pipeline_ends_in_a_model_that_is_right(finished: tuple[Path, Path, Outcome, list[str]]) -> None:
    _, folder, found, said = finished
    assert {path.name for path in folder.iterdir()} == FILES
    # What tells is in the last noun alone, which every learner can see and the first round cannot.
    result = next(each for each in found.numbers["test"]["results"] if each["metric"] == "parseval")
    assert result["chosen"]["score"] == result["oracle"]["score"] == 100.0
    assert result["first"]["score"] < 98
    assert found.numbers["test"]["worse"] == 0
    assert found.numbers["learners"]["orum"] == 100.0
    assert found.learner == "orum"  # of equal ones the first
    assert load(found.model).provenance["learner"] == "perceptron"
    assert "orum: parseval on dev 100.00 (first round " in "\n".join(said)
    assert "Gain in parseval +" in str(found)


def test_what_is_written_is_what_is_told(finished: tuple[Path, Path, Outcome, list[str]]) -> None:
    _, folder, found, _ = finished
    assert json.loads((folder / "result.json").read_text()) == found.numbers
    table = (folder / "table.md").read_text().splitlines()
    assert [line.split("|")[1].strip() for line in table if line.startswith("|")] == [
        "",
        "---",
        "random",
        "first round",
        "chosen (orum)",
        "oracle of 2",
        "oracle",
    ]
    metrics = [cell.strip() for cell in table[0].split("|")[2::2] if cell.strip()]
    assert metrics == ["parseval", "parseval[part=exact]", "parseval[part=tags]", "evalb"]
    assert "candidate 1, winner, F 100.00" in (folder / "decision.txt").read_text()
    assert (folder / "decision.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (folder / "decision.svg").read_text()


def test_no_document_is_in_two_parts_and_data_have_the_features_of_train(
    finished: tuple[Path, Path, Outcome, list[str]],
) -> None:
    _, folder, _, _ = finished
    documents = json.loads((folder / "split.json").read_text())
    assert sorted(name for names in documents.values() for name in names) == sorted(
        f"d{number}" for number in range(10)
    )
    for part, names in documents.items():
        lists = list(read_lists(folder / f"{part}.jsonl.gz"))
        assert {each.document for each in lists} == set(names)
        assert len(read(folder / f"{part}.arrow")) == len(lists) == 10 * len(names)
    columns = [read(folder / f"{part}.arrow").features.column_names() for part in ("train", "dev", "test")]
    assert columns[0].equals(columns[1])
    assert columns[0].equals(columns[2])


def test_the_same_call_makes_nothing_again(done: tuple[Path, Path], parser: type[LittleGrammar]) -> None:
    before = {path.name: path.read_bytes() for path in done[1].iterdir()}
    assert again(*done) == []
    assert parser.asked == 0
    assert {path.name: path.read_bytes() for path in done[1].iterdir()} == before


@pytest.mark.parametrize(
    ("options", "made"),
    [
        (
            {"recipes": ["orum", "loglinear", "crf"]},
            ["training: crf", "the best of 3 recipes on dev", "evaluation on test"],
        ),
        ({"recipes": ["loglinear"]}, ["the best of 1 recipe on dev", "evaluation on test"]),
        ({"features": {"min_lists": 2}}, [*FEATURES, *SECOND_ROUND]),
        ({"features": {"families": "rule,preposition"}}, [*FEATURES, *SECOND_ROUND]),
        ({"folds": 4}, [LISTS[0], *FEATURES, *SECOND_ROUND]),
        ({"k": 2}, [LISTS[0], *LISTS[2:], *FEATURES, *SECOND_ROUND]),
        ({"first_round": TreebankRound(Settings(lexical=False))}, [*LISTS, *FEATURES, *SECOND_ROUND]),
        ({"seed": 1}, ["train, dev and test", *LISTS, *FEATURES, *SECOND_ROUND]),
        ({"threads": 1}, []),
    ],
    ids=lambda value: ",".join(value) if isinstance(value, dict) else "",
)
def test_other_options_make_what_depends_on_them(
    done: tuple[Path, Path], parser: type[LittleGrammar], options: dict[str, Any], made: list[str]
) -> None:
    assert again(*done, **options) == made


def test_other_sentences_make_everything(done: tuple[Path, Path], tmp_path: Path, parser: type[LittleGrammar]) -> None:
    other = write_treebank(tmp_path / "other.mrg", 10, seed=1)
    assert again(other, done[1]) == ["train, dev and test", *LISTS, *FEATURES, *SECOND_ROUND]


def test_interrupted_before_every_stage_it_resumes_to_the_same_files(
    finished: tuple[Path, Path, Outcome, list[str]], tmp_path: Path, drawing_parser: type[LittleGrammar]
) -> None:
    bank, whole, _, _ = finished
    begun: list[str] = []

    def interrupt(line: str) -> None:
        if line.startswith("[") and not line.endswith(" up to date") and line not in begun:
            begun.append(line)
            raise KeyboardInterrupt

    for _ in range(12):
        with pytest.raises(KeyboardInterrupt):
            pipeline(bank, tmp_path / "out", say=interrupt)
    pipeline(bank, tmp_path / "out", say=interrupt)
    assert drawing_parser.asked == 100  # no sentence was parsed twice
    for name in FILES - {"pipeline.json"}:
        assert (tmp_path / "out" / name).read_bytes() == (whole / name).read_bytes(), name


def test_interrupted_while_parsing_it_keeps_what_was_parsed(
    finished: tuple[Path, Path, Outcome, list[str]], tmp_path: Path, parser: type[LittleGrammar]
) -> None:
    bank, whole, _, _ = finished
    parser.stops_after = 50
    with pytest.raises(KeyboardInterrupt):
        pipeline(bank, tmp_path / "out", threads=1, say=lambda _: None)
    assert not (tmp_path / "out" / "train.jsonl.gz").exists()
    parser.stops_after, parser.asked = None, 0
    again(bank, tmp_path / "out", threads=1)
    assert parser.asked < 80 - 25 + 20  # train is 80 sentences, dev and test 20
    assert (tmp_path / "out" / "train.jsonl.gz").read_bytes() == (whole / "train.jsonl.gz").read_bytes()


def test_a_model_that_was_interrupted_is_not_taken_for_a_whole_one(
    done: tuple[Path, Path], parser: type[LittleGrammar], monkeypatch: pytest.MonkeyPatch
) -> None:
    fit = Perceptron.fit

    def interrupted(self: Perceptron, *data: Any) -> Perceptron:
        fit(self, *data).model.provenance["finished"] = False  # as after Ctrl-C, which leaves the model so far
        return self

    monkeypatch.setattr(Perceptron, "fit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        again(*done, features={"min_lists": 3})
    assert not (done[1] / "orum.runoff").exists()
    monkeypatch.setattr(Perceptron, "fit", fit)
    assert again(*done, features={"min_lists": 3}) == SECOND_ROUND


def test_dev_and_test_may_be_files(tmp_path: Path, parser: type[LittleGrammar]) -> None:
    bank, dev, test = (write_treebank(tmp_path / f"{at}.mrg", 2 + at, seed=at) for at in range(3))
    found = pipeline(bank, tmp_path / "out", dev=dev, test=[test], recipes=["orum"], say=lambda _: None)
    assert [found.numbers["material"][part]["documents"] for part in ("train", "dev", "test")] == [2, 3, 4]
    assert found.numbers["test"]["groups"] == 40
    with pytest.raises(UsageError, match="is given twice; train, dev and test must not share files"):
        pipeline(bank, tmp_path / "out", dev=bank, say=lambda _: None)


def test_a_test_file_in_the_folder_that_is_learned_from_is_refused(tmp_path: Path, parser: type[LittleGrammar]) -> None:
    folder = tmp_path / "bank"
    folder.mkdir()
    files = [write_treebank(folder / f"{at}.mrg", 2, seed=at) for at in range(3)]
    for judged in (files[2], [folder]):
        with pytest.raises(UsageError, match=r"\.mrg is given twice; train, dev and test"):
            pipeline(folder, tmp_path / "out", test=judged, say=lambda _: None)
    assert not (tmp_path / "out").exists()


def test_sentences_of_test_that_are_in_train_too_are_said(tmp_path: Path) -> None:
    long, short = ("(S (NP (PRP I)) (VP (VBP run)" + " (ADVP (RB far))" * words + "))\n" for words in (8, 7))
    assert long.count("RB") + 2 == 10
    for name, text in (("bank", "(S (UH oh))\n" * 40 + short + long), ("dev", short), ("copy", long + short)):
        (tmp_path / f"{name}.mrg").write_text(text)
    parts = read_parts(tmp_path / "bank.mrg", dev=tmp_path / "dev.mrg", test=tmp_path / "copy.mrg")
    assert [note.partition(". ")[0] for note in parts.notes if "word for word" in note] == [
        "Sentences of test with at least 10 words that also occur, word for word, in train: 1 of 2"
    ]


def test_four_documents_are_enough_and_small_dev_data_is_said(tmp_path: Path, parser: type[LittleGrammar]) -> None:
    bank = write_treebank(tmp_path / "bank.mrg", 4)
    said: list[str] = []
    found = pipeline(bank, tmp_path / "out", features={"min_lists": 1}, recipes=["orum"], say=said.append)
    assert [found.numbers["material"][part]["documents"] for part in ("train", "dev", "test")] == [2, 1, 1]
    assert "warning: 10 sentences of dev are too few: the recipe is chosen largely by chance." in said


def test_a_choice_that_is_nowhere_better_has_no_decision_to_show(tmp_path: Path, parser: type[LittleGrammar]) -> None:
    bank = write_treebank(tmp_path / "bank.mrg", 6, nouns=FOODS)  # of which the first round is always right
    said: list[str] = []
    found = pipeline(bank, tmp_path / "out", recipes=["loglinear"], say=said.append)
    assert found.numbers["test"]["better"] == 0
    assert found.numbers["decision"] is None
    assert not (tmp_path / "out" / "decision.png").exists()
    assert "warning: no recipe is better than the first round on dev." in said
    assert "note: no choice on test is better than the first round's, so there is no decision to show." in said
    assert again(bank, tmp_path / "out", recipes=["loglinear"]) == []


@pytest.mark.parametrize(
    ("documents", "options", "sentence"),
    [
        (3, {}, r"at least 4 documents are needed, two for train and one for each of .*; found 3: Treebank\("),
        (1, {}, "at least 4 documents are needed"),
        (4, {"test": 0.7}, "only one document is left for train, and jackknifing needs at least two"),
        (6, {"folds": 9}, "expected 2 to 4 folds"),
        (
            6,
            {"recipes": ["svm"]},
            "there is no recipe 'svm' for the task parsing; there are: orum, loglinear, crf, boost",
        ),
        (6, {"recipes": []}, "expected at least one recipe"),
        (6, {"k": 1}, "a second round needs at least two candidates; found k = 1"),
        (6, {"dev": 0.0}, "dev is a share between 0 and 1, or a file of trees; found 0"),
        (6, {"dev": 0.6, "test": 0.5}, "dev and test are shares"),
    ],
)
def test_what_cannot_work_is_a_sentence_before_the_work(
    tmp_path: Path, parser: type[LittleGrammar], documents: int, options: dict[str, Any], sentence: str
) -> None:
    bank = write_treebank(tmp_path / "bank.mrg", documents)
    with pytest.raises(UsageError, match=sentence):
        pipeline(bank, tmp_path / "out", say=lambda _: None, **options)
    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_a_file_is_a_sentence(tmp_path: Path, parser: type[LittleGrammar]) -> None:
    bank = write_treebank(tmp_path / "bank.mrg", 6)
    with pytest.raises(UsageError, match=r"the folder .*bank\.mrg cannot be created: file exists"):
        pipeline(bank, bank, say=lambda _: None)
