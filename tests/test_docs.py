"""What the pages of docs/ tell people to type works, and what they say of settings, files and names is so."""

import inspect
import re
import shutil
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

import runoff.tasks.parsing
import runoff.tasks.roles
import runoff.tasks.tagging
from helpers.pages import DOCS, Page, as_set, names, said_by
from runoff import metrics
from runoff.cli.main import COMMANDS
from runoff.demo import run
from runoff.formats import formats
from runoff.pipeline.stages import STATE
from runoff.tasks.parsing import ParseFeaturizer, Settings
from runoff.tasks.parsing.demo.treebank import documents
from runoff.tasks.parsing.grammar import SPLITS
from runoff.tasks.tagging import write_corpus
from runoff.tasks.tagging.demo.newspaper import newspaper
from runoff.tasks.tagging.demo.run import TEMPLATES
from runoff.tasks.tagging.features.families import FAMILIES
from runoff.tasks.tagging.recipes import RECIPES
from runoff.tasks.tagging.tagger_settings import LEARNERS

FIRST_ROUND, PARSING, LISTS = Page("first-round.md"), Page("parsing.md"), Page("commands.md")
PYTHON, FORMATS, METRICS, TAGGING = Page("python.md"), Page("formats.md"), Page("metrics.md"), Page("tagging.md")
PAGES = [Page(path.relative_to(DOCS).as_posix()) for path in sorted(DOCS.rglob("*.md"))]
COUNT = 16  # documents of the treebank, 20 sentences each
ROOT = DOCS.parent
FROM_ROOT = {
    "benchmarks/RESULTS.md": "measured.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
}  # as in scripts/site_hooks.py
NOTEBOOKS = [f"notebooks/{path.stem}.md" for path in sorted((DOCS / "notebooks").glob("*.ipynb"))]  # shown as pages


# -------------------------------------------------------------------- first-round.md and parsing.md


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a treebank, in which the commands of first-round.md have been run, with short lists."""
    folder = tmp_path_factory.mktemp("docs")
    stories = documents(COUNT, seed=0)
    for at, story in enumerate(stories):
        part = folder / "treebank" / ("dev" if at < 2 else "test" if at < 4 else "train")
        part.mkdir(parents=True, exist_ok=True)
        (part / f"{at:02}.mrg").write_text("\n".join(story.trees))
    (folder / "runoff-parse-demo").mkdir()
    trees = [tree for story in stories for tree in story.trees]
    (folder / "runoff-parse-demo" / "treebank.mrg").write_text("\n".join(trees))
    (folder / "gold.mrg").write_text("\n".join(tree for story in stories[2:4] for tree in story.trees))
    (folder / "sentences.txt").write_text("The old singer sings .\nThe singer mends the coat with a needle .\n")
    pipeline, *steps = FIRST_ROUND.commands()
    assert len(steps) == 8
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for command in (*steps, pipeline):
            quick = ["-k", "5"] if set(command) & {"jackknife", "nbest", "pipeline"} else []
            said_by(*command, *quick)
    return folder


@pytest.mark.slow
def test_the_first_round_writes_what_is_said(treebank: Path) -> None:
    assert len((treebank / "better.mrg").read_text().splitlines()) == 2
    told = {name for row in FIRST_ROUND.table("## The pipeline") for name in names(row[0])}
    assert {path.name for path in (treebank / "parser").iterdir()} == told
    assert STATE in told


@pytest.mark.slow
def test_the_commands_for_parses_run(treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for part in ("train", "dev", "test"):
        shutil.copy(treebank / f"{part}.jsonl.gz", tmp_path)
    shutil.copy(treebank / "gold.mrg", tmp_path)
    monkeypatch.chdir(tmp_path)
    said_by("parse", "nbest", str(treebank / "grammar.runoff"), "gold.mrg", "-k", "5", "-o", "new.jsonl")
    group = runoff.read("test.jsonl.gz").group_ids[0].as_py()
    said = [said_by(*(group if word == "ID" else word for word in command)) for command in PARSING.commands()]
    assert len(said) == 14
    assert all("parsing" in each for each in (said[0], said[1]))
    assert "0 CB" in said[2]
    assert Path("two.svg").exists()
    assert len(Path("better.mrg").read_text().splitlines()) == 40
    assert "perfect filter" in said[9]
    assert "orum" in said[12]
    assert "combined" in said[12]
    assert len(Path("assembled.mrg").read_text().splitlines()) == len(Path("better.mrg").read_text().splitlines())


@pytest.mark.slow
@pytest.mark.parametrize("page", [FIRST_ROUND, PARSING], ids=lambda page: page.name)
def test_the_python_examples_for_parses_run(
    page: Page, treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(treebank / "runoff-parse-demo", tmp_path / "runoff-parse-demo")
    for part in ("dev", "test"):
        shutil.copy(treebank / f"{part}.jsonl.gz", tmp_path / "runoff-parse-demo")
    monkeypatch.chdir(tmp_path)
    page.run_python()
    said = capsys.readouterr().out
    assert "(TOP (S " in said
    assert "of the possible gain was achieved" in said


def test_settings_are_what_they_are_said_to_be() -> None:
    said = {names(row[0])[0]: names(row[1])[0] for row in FIRST_ROUND.table("## Settings")}
    assert said == {name: as_set(value) for name, value in Settings().to_dict().items()}
    splits = FIRST_ROUND.text.partition("| split | |")[2]
    assert all(f"`{name}`" in splits for name in SPLITS)


def test_settings_of_parses_are_what_they_are_said_to_be() -> None:
    said = {names(row[0])[0]: names(row[1])[0] for row in PARSING.table("Settings of `runoff features`")}
    taken = inspect.signature(ParseFeaturizer).parameters
    assert said == {name: as_set(taken[name].default) for name in ParseFeaturizer.settings}


def test_names_are_there() -> None:
    told = {name for row in FIRST_ROUND.table("## In Python") for name in names(row[0])}
    assert told <= set(runoff.tasks.parsing.__all__)
    assert {"Grammar", "jackknife", "read_treebank"} <= told
    for name in told:
        assert getattr(runoff.tasks.parsing, name).__doc__, name


# -------------------------------------------------------------------- tagging.md


def test_families_and_recipes_of_taggings_are_those_of_the_program() -> None:
    assert {names(row[0])[0]: row[1] for row in TAGGING.table("| family |")} == FAMILIES
    assert [names(row[0])[0] for row in TAGGING.table("| recipe |")] == list(RECIPES)
    assert [names(row[0])[0] for row in TAGGING.table("| learner |")] == list(LEARNERS)


@pytest.mark.slow
def test_the_page_of_taggings_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_corpus(newspaper(60, 0), tmp_path / "train.conll")
    write_corpus(replace(newspaper(20, 1), ids=None), tmp_path / "test.conll")  # lists are then numbered
    Path("templates.txt").write_text(TEMPLATES)
    said = [said_by(*command) for command in TAGGING.commands()]
    assert len(said) == 11
    assert "FB1" in said[2]
    assert len(Path("better.txt").read_text().splitlines()) == 160
    TAGGING.run_python()
    assert "FB1" in capsys.readouterr().out


# -------------------------------------------------------------------- commands.md and python.md


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the demo's data, and with the lists of texts.md."""
    folder = tmp_path_factory.mktemp("demo")
    run(folder / "runoff-demo", 0, say=lambda _: None)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        exec(compile(Page("text.md").blocks("python")[-1], "text.md", "exec"), {})
    return folder


@pytest.mark.slow
def test_the_commands_run(demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(demo)
    said = [said_by(*command) for command in LISTS.commands()]
    assert len(said) == 18
    assert "minimum Bayes risk" in said[-1]  # raw texts were taken


def test_all_commands_are_listed() -> None:
    told = [names(row[0])[0].removeprefix("runoff ") for row in LISTS.table("# Commands")]
    groups = {task.commands.name for task in map(runoff.tasks.get, runoff.tasks.names()) if task.commands}
    assert set(told) == {*COMMANDS, *groups}
    for name, what in LISTS.table("# Commands"):
        group = names(name)[0].removeprefix("runoff ")
        if group in groups:
            listed = re.findall(r"^  (\w+)  ", said_by(group, "--help").partition("Commands:")[2], re.MULTILINE)
            assert set(names(what)) == set(listed)


def test_the_python_page_runs(demo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("sklearn")
    monkeypatch.chdir(demo)
    PYTHON.run_python()
    assert "bootstrap:2000" in capsys.readouterr().out


def test_all_names_of_the_package_are_told() -> None:
    told = set(names(re.sub(r"```.*?```", "", PYTHON.text, flags=re.DOTALL)))
    public = {name for name in runoff.__all__ if not name.startswith("__")}
    assert {name for name in public if not {name, f"runoff.{name}"} & told} == set()


# -------------------------------------------------------------------- formats.md and metrics.md


def test_formats_are_those_of_the_program() -> None:
    shown = {
        names(name)[0]: (bool(writes), set(names(options)))
        for name, _, _, writes, options in FORMATS.table("# Formats")
    }
    known = formats()
    assert shown == {name: (each.write is not None, set(each.options)) for name, each in known.items()}


def test_example_lines_are_of_the_format_below_whose_heading_they_are(tmp_path: Path) -> None:
    anchors = {
        anchor: name
        for name, anchor in re.findall(r"^\| \[`([\w-]+)`\]\(#([\w-]+)\)", FORMATS.text, re.MULTILINE)[::-1]
    }
    found = []
    for section in FORMATS.text.split("\n## ")[1:]:
        heading = section.partition("\n")[0]
        anchor = heading.lower().replace(" ", "-")
        for example in re.findall(r"```(?:json)?\n(.*?)```", section, re.DOTALL):
            path = tmp_path / anchor
            path.write_text(example)
            assert len(runoff.read(path)) == 1
            assert runoff.formats.recognise(path).name == anchors[anchor]
            found.append(anchors[anchor])
    assert len(found) == 7


def test_metrics_are_those_of_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    METRICS.run_python()
    assert capsys.readouterr().out == "[-1. -0.]\n"
    rankings = METRICS.table("## Rankings")
    texts = METRICS.table("## Texts")
    told = {name.partition("@")[0] for row in (*rankings, *texts) for name in names(row[0])}
    assert {*told, "parseval", "evalb", "conlleval", "tag-accuracy", "srl-eval"} == set(metrics.names())
    for name, kind, _ in rankings:
        assert type(metrics.get(names(name)[0].replace("@k", "@5"))).__name__ == names(kind)[0]
    for signature in (line for block in METRICS.blocks("text") for line in block.splitlines()):
        version = signature.replace("sacrebleu:2.6.0", metrics.get("ter").signature.rpartition("|")[2])
        assert metrics.get(signature.partition("|")[0]).signature == version


# -------------------------------------------------------------------- all pages


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Page) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", page.text):
        target, _, anchor = link.partition("#")
        path = (DOCS / page.name).parent / target if target else DOCS / page.name
        assert path.exists(), link
        if anchor:
            assert anchor in anchors_of(path), link


def test_the_site_has_all_pages_and_no_others() -> None:
    named = set(re.findall(r"^ +- (?:.*: )?(\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE))
    assert named == {page.name for page in PAGES} | {"api.md", *FROM_ROOT.values(), *NOTEBOOKS}


def test_the_start_page_shows_what_the_readme_shows() -> None:
    readme = (ROOT / "README.md").read_text()
    assert all(line in readme for line in Page("index.md").blocks("sh")[1].splitlines())
    assert Page("index.md").blocks("json")[0] in readme


def anchors_of(path: Path) -> set[str]:
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.*)", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_results_are_those_that_were_measured() -> None:
    """Every number of results.md with a decimal point is one of RESULTS.md, perhaps rounded."""
    number = re.compile(r"(?<![\w.])\d+\.\d+")
    measured = number.findall((ROOT / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8"))
    for each in set(number.findall(Page("results.md").text)):
        digits = len(each.partition(".")[2])
        assert any(abs(float(other) - float(each)) <= 0.5001 * 10**-digits for other in measured), each


ROOMS = (runoff.tasks.text, runoff.tasks.parsing, runoff.tasks.roles, runoff.tasks.tagging)
MODULES = (runoff, metrics, runoff.learners, runoff.tasks, *ROOMS)
PUBLIC = [(module, name) for module in MODULES for name in module.__all__]


@pytest.mark.parametrize(("module", "name"), PUBLIC, ids=lambda each: getattr(each, "__name__", each))
def test_public_names_have_a_docstring_with_an_example(module: ModuleType, name: str) -> None:
    """The examples are run with the doctests of their modules."""
    found = getattr(module, name)
    if callable(found):
        assert found.__doc__
        assert ">>>" in found.__doc__
