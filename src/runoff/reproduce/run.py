"""Run a paper's experiments one by one, keep what is finished, and write the page."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson

from runoff.errors import UsageError
from runoff.files import reason, replacing
from runoff.pipeline.stages import Stage, digest, run_stages
from runoff.registry import PAPERS
from runoff.reproduce.html_page import html_page
from runoff.reproduce.markdown_page import markdown_page
from runoff.reproduce.page import page_of
from runoff.reproduce.results import Results

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from runoff.reproduce.paper import Experiment, Paper, PaperData
    from runoff.reproduce.results import Facts

PAGE = "page.json"
MARKDOWN, HTML = "page.md", "page.html"
WORK = "work"  # may be removed when a run has ended
_PLAIN = orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS


def reproduce(
    paper: Paper,
    folder: Path,
    *,
    data: Path | None = None,
    seed: int = 0,
    rounds: int | None = None,
    say: Callable[[str], object] = print,
) -> dict[str, Any]:
    """Run all experiments of a paper on the data of a folder, or on synthetic data where none is given.

    Every finished experiment is a JSON file in `folder`; the same call goes on from there. The result, which is also in
    page.json, has tables, figures, and a verdict for every claim as plain values. `rounds`: the most of boosting.

    Examples
    --------
    >>> from pathlib import Path
    >>> from runoff import reproduce as papers
    >>> papers.reproduce(papers.get("volkovs-2011"), Path("out"))  # doctest: +SKIP
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"the folder {folder} cannot be created: {reason(error)}.") from error
    if rounds is not None and not paper.has_rounds:
        raise UsageError(f"{paper.name} does not boost: --rounds is for {', '.join(_boosting())}.")
    material = paper.synthetic(seed) if data is None else paper.read(data)
    material = replace(material, most_rounds=rounds)
    say(f"{paper.citation}\n{material.name}: {material.about}")
    for note in material.left_out:
        say(f"left out: {note}")
    command = f"runoff reproduce {paper.name} {'--quick' if data is None else f'--data {data.name}'} -o {folder.name}"
    command += f" --seed {seed}" if seed else ""
    command += f" --rounds {rounds}" if rounds is not None else ""
    experiments = list(paper.experiments(material, seed, folder / WORK))
    stages = [_stage(each, folder, material, seed) for each in experiments]
    stages.append(_last(paper, folder, material, seed, command, experiments))
    run_stages(folder, stages, say)
    found: dict[str, Any] = orjson.loads((folder / PAGE).read_bytes())
    return found


def _boosting() -> list[str]:
    return sorted(name for name in PAPERS if PAPERS[name].has_rounds)


def _file(name: str) -> str:
    return f"{name.replace('/', '-').replace(' ', '-')}.json"


def _stage(experiment: Experiment, folder: Path, material: PaperData, seed: int) -> Stage:
    """An experiment whose facts are a file."""

    def make(_: Mapping[str, Facts]) -> Facts:
        facts = experiment.make(_results(folder, experiment.after, seed))
        with replacing(folder / _file(experiment.name)) as temporary:
            temporary.write_bytes(orjson.dumps(facts, option=_PLAIN))
        return {}

    options = {"data": material.fingerprint, "seed": seed, **experiment.settings}
    return Stage(experiment.name, experiment.title, (_file(experiment.name),), make, options, experiment.after)


def _results(folder: Path, names: Sequence[str], seed: int) -> Results:
    return Results({name: orjson.loads((folder / _file(name)).read_bytes()) for name in names}, seed)


def _last(
    paper: Paper, folder: Path, material: PaperData, seed: int, command: str, experiments: Sequence[Experiment]
) -> Stage:
    """The stage that puts everything on a page."""
    names = tuple(each.name for each in experiments)

    def make(_: Mapping[str, Facts]) -> Facts:
        results = _results(folder, names, seed)
        figures = paper.figures(material, results)
        for figure in figures:
            figure.draw(folder / f"{figure.name}.png")
        page = page_of(paper, material, results, figures, experiments, command)
        for name, content in (
            (PAGE, orjson.dumps(page, option=_PLAIN)),
            (MARKDOWN, markdown_page(page).encode()),
            (HTML, html_page(page, folder).encode()),
        ):
            with replacing(folder / name) as temporary:
                temporary.write_bytes(content)
        return {}

    pictures = [f"{name}.png" for name in paper.pictures]
    tables = digest([repr(each) for each in paper.tables(material)])
    options = {"command": command, "tables": tables, "claims": [each.text for each in paper.claims]}
    return Stage("page", "tables, figures and claims", (PAGE, MARKDOWN, HTML, *pictures), make, options, names)
