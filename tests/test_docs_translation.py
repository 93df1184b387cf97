"""docs/translation.md: what it tells people to type works, and what it says of terms, methods and names is so."""

import gzip
import shlex
from pathlib import Path

import numpy as np
import pytest

import runoff.tasks.translation
from helpers.pages import Page, names, said_by
from runoff.cli.options import settings
from runoff.learners import Perceptron
from runoff.learners.perceptron_orders import OrderRule, compile_order
from runoff.nbest import Features, NBest
from runoff.tasks.translation.demo.phrasebook import phrasebook
from runoff.tasks.translation.families import OWN
from runoff.tasks.translation.language import Language
from runoff.tasks.translation.recipes import RECIPES
from runoff.tasks.translation.task import TranslationTask
from runoff.tasks.translation.terms import term_names
from runoff.tasks.translation.tuning import TUNERS

TRANSLATION = Page("translation.md")
TRAIN, OTHERS = 200, 12
QUICK = {"tune": ("-k", "10", "--stack", "5", "--rounds", "1"), "pipeline": ("-k", "3", "--folds", "2", "--stack", "5")}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the page names."""
    monkeypatch.chdir(tmp_path)
    sides = phrasebook(TRAIN + 2 * OTHERS, seed=1)
    for language, lines in zip(("en", "de"), sides, strict=True):
        for part, first, last in (
            ("train", 0, TRAIN),
            ("dev", TRAIN, TRAIN + OTHERS),
            ("test", TRAIN + OTHERS, TRAIN + 2 * OTHERS),
        ):
            Path(f"{part}.{language}").write_text("".join(f"{line}\n" for line in lines[first:last]))
    Path("hand.txt").write_text("0-0 1?1\n0-0\n")
    return tmp_path


@pytest.mark.slow
def test_the_page_of_translations_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = []
    for command in TRANSLATION.commands():
        if command == ["translate", "demo"]:  # its own test is in tests/tasks/translation
            continue
        if command[0] == "merge":
            lists = runoff.read("test.jsonl.gz")[:8]
            scores = np.random.default_rng(0).normal(size=(lists.n_candidates, 2))
            runoff.write(lists.replace(features=Features.of(scores, ["forward", "lm"])), "neural.jsonl")
        told.append(said_by(*command, *QUICK.get(command[1], ())))
    everything = " ".join(told)
    assert len(told) == 20
    assert {"phrases:lm", "neural:lm"} <= set(runoff.read("both.jsonl.gz").features.column_names().to_pylist())
    source, target = (Path(f"test.{language}").read_text().splitlines() for language in ("en", "de"))
    assert "bleu " in told[2]
    assert Path("test.out").read_text() != "\n".join(target)
    assert len(Path("test.out").read_text().splitlines()) == len(source)
    assert "task         translation" in everything
    assert "The source has there: " in everything
    assert len(Path("better.txt").read_text().splitlines()) == OTHERS
    assert Path("why.svg").read_text().startswith("<?xml")
    assert "alignment error rate" in everything
    assert Path("en-de/decision.txt").exists() or "no choice on test is better" in everything
    assert Path("en-de/result.png").exists()
    # The same phrases, whether from links, from tables or from text.
    assert Path("linked.runoff").read_bytes() == Path("en-de.runoff").read_bytes()
    said_by("translate", "table", "again.runoff", "-o", "again.txt")
    written = gzip.decompress(Path("phrase-table.gz").read_bytes()).decode()
    assert sorted(Path("again.txt").read_text().splitlines()) == sorted(written.splitlines())
    assert len(Path("test.nbest").read_text().splitlines()) > OTHERS
    TRANSLATION.run_python()
    assert "candidates" in capsys.readouterr().out


def test_the_orders_of_the_paper_are_settings_of_the_perceptron() -> None:
    rows = {row[0].partition(":")[0]: names(row[1])[0] for row in TRANSLATION.table("| in the paper |")}
    assert list(rows) == ["best versus rest", "splitting, uneven margins", "ordinal regression, uneven margins"]
    lists = NBest.from_arrays(np.zeros((1000, 0)), np.arange(1000.0)[::-1], sizes=[1000])
    better, worse = np.triu_indices(1000, 1)
    better, worse = better + 1, worse + 1
    asked = {
        "best versus rest": better == 1,
        "splitting, uneven margins": (better <= 300) & (worse >= 700),
        "ordinal regression, uneven margins": (better * 2 < worse) & (better + 20 < worse),
    }  # section 7.2 of the paper
    for name, command in rows.items():
        given = settings(tuple(shlex.split(command)[1::2]))
        learner = Perceptron().set_params(**given)
        learner.check_params()
        rule = OrderRule(learner.order, learner.margin, learner.top, learner.bottom)
        assert compile_order(lists, rule).pairs == asked[name].sum()
        assert rule.margins == ("even" if name == "best versus rest" else "uneven")


def test_what_is_said_of_terms_methods_families_and_names_is_so() -> None:
    told = [name for row in TRANSLATION.table("| term |") for name in names(row[0])]
    assert sorted(told) == sorted(term_names(reordering=True))
    assert [name for row in TRANSLATION.table("| method |") for name in names(row[0])] == list(TUNERS)
    assert [names(row[0])[0] for row in TRANSLATION.table("| family |")] == list(OWN)
    assert ", ".join(f"`{name}`" for name in RECIPES) + "; by default the first three" in TRANSLATION.text
    assert tuple(RECIPES)[:3] == TranslationTask.default_recipes
    told = [name for row in TRANSLATION.table("## In Python") for name in names(row[0])]
    assert sorted(told) == sorted(runoff.tasks.translation.__all__)
    assert Language.learn(["A b."]).tokens(["a (b)"]).of(0)[-1].startswith("￭")  # the joiner that the page shows
