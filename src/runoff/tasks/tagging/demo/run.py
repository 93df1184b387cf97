"""The pipeline on a synthetic newspaper, to see whether the second round finds what no tagger of single words can."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from runoff import tasks
from runoff.errors import UsageError
from runoff.files import reason
from runoff.pipeline import run_pipeline
from runoff.tasks.tagging.corpus_files import read_corpus, write_corpus
from runoff.tasks.tagging.demo.newspaper import SENTENCES, newspaper
from runoff.tasks.tagging.tagger_round import PIPELINE_METRICS, TaggerRound
from runoff.tasks.tagging.tagger_settings import TaggerSettings

if TYPE_CHECKING:
    from collections.abc import Callable

ARTICLES = 250
TEST, K, FOLDS = 0.2, 10, 5
FILE = "newspaper.conll"
TEMPLATES = """# What the tagger of the demonstration looks at: the word and its neighbours.
word[-1]
word[0]
word[1]
short-shape[0]
tag[-1]
"""


def run(
    folder: str | Path, seed: int, say: Callable[[str], object] = print, *, count: int = ARTICLES, verbose: bool = False
) -> dict[str, Any]:
    """Write a newspaper of `count` articles to `folder`, and run the pipeline on it; the same call resumes."""
    folder = Path(folder)
    path, templates = _write(folder, count, seed)
    say(
        f"A synthetic newspaper of {count * SENTENCES:,} sentences in {count:,} articles is in {path}.\n"
        "Its names are a person in one article and a place or a firm in another. Some sentences say which, most do\n"
        "not; but within an article a name never changes. The tagger sees a word and its neighbours only.\n\n"
        "1. The pipeline: tagger, lists of taggings, features, learners\n"
    )
    found = run_pipeline(
        tasks.get("tagging"),
        path,
        folder,
        first_round=TaggerRound(TaggerSettings(templates=str(templates), learner="crf")),
        metrics=PIPELINE_METRICS["conlleval"],
        k=K,
        folds=FOLDS,
        test=TEST,
        about=("document:same", "document:other"),
        seed=seed,
        verbose=verbose,
        say=say,
    )
    say(f"\n2. Results on held-out articles\n\n{found}\n")
    decision = folder / "decision.txt"
    if decision.exists():
        say(f"3. Why? One decision explained\n\n{decision.read_text('utf-8')}")
    say(
        f"4. Everything is in {folder}: {FILE}, tagger.runoff, the lists (train, dev, test), model.runoff, table.md,\n"
        "   the picture result.png. The same by hand:\n"
        f"     runoff tag pipeline {path} -o tagger --templates {templates} --learner crf --test {TEST} -k {K}\n"
        f"     runoff tag nbest {folder}/tagger.runoff SENTENCES -o lists.jsonl\n"
        f"     runoff pick {found.model} lists.jsonl -o better.txt"
    )
    return {"folder": str(folder), "seed": seed, **found.numbers}


def _write(folder: Path, count: int, seed: int) -> tuple[Path, Path]:
    """Write the newspaper and the templates; never overwrites a foreign file."""
    path, templates = folder / FILE, folder / "templates.txt"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"the folder {folder} cannot be created: {reason(error)}.") from error
    if path.exists() and not (read_corpus(path).documents or ("",))[0].startswith("article "):
        raise UsageError(f"{path} is from elsewhere and would be overwritten; name another folder.")
    write_corpus(newspaper(count, seed), path)
    templates.write_text(TEMPLATES, encoding="utf-8")
    return path, templates
