"""What the site has beyond docs/: files of the project's root, and a page of all public names.

Used by mkdocs (`make docs`). Notebooks are shown as pages. Links of pages to files outside docs/ lead to these pages,
or are left out.
"""

from __future__ import annotations

import importlib
import importlib.util
import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs.structure.files import File

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
FROM_ROOT = {
    "benchmarks/RESULTS.md": "measured.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
}
ROOMS = {
    "runoff": "The names that most programs need.",
    "runoff.learners": "Learners, with the manners of scikit-learn.",
    "runoff.metrics": "Metrics as sums of statistics; intervals and tests.",
    "runoff.report": "Descriptions, evaluations, comparisons.",
    "runoff.formats": "Files that are read and written.",
    "runoff.combine": "Winners assembled from parts; lists merged.",
    "runoff.reproduce": "Published experiments, run again.",
    "runoff.tasks": "Tasks, and how to add one.",
    "runoff.tasks.text": "Plain texts.",
    "runoff.tasks.parsing": "Parses.",
    "runoff.tasks.tagging": "Taggings.",
    "runoff.tasks.roles": "Roles.",
    "runoff.tasks.translation": "Translations.",
    "runoff.tasks.answers": "Answers.",
}
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#]*)(#[^)\s]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are not in docs/."""
    for source, page in FROM_ROOT.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / source)))
    files.append(File.generated(config, "api.md", content=public_names()))
    notebooks = _beside("notebooks")
    for name in notebooks.TUTORIALS:
        files.append(File.generated(config, f"notebooks/{name}.md", content=notebooks.as_markdown(name)))
    return files


def _beside(name: str) -> Any:
    """A script of this folder."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    if spec is None or spec.loader is None:
        raise FileNotFoundError(name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Let links lead to where their files are on the site."""
    homes = {name: source for source, name in FROM_ROOT.items()}
    here = posixpath.dirname(homes.get(page.file.src_uri, f"docs/{page.file.src_uri}"))

    def on_the_site(link: re.Match[str]) -> str:
        picture, text, target, anchor = link.groups()
        if not target or "://" in target:
            return link[0]
        path = posixpath.normpath(posixpath.join(here, target))
        name = FROM_ROOT.get(path) or (path.removeprefix("docs/") if path.startswith("docs/") else None)
        if name is None:
            return str(text)  # source code is not on the site
        relative = posixpath.relpath(name, posixpath.dirname(page.file.src_uri) or ".")
        return f"{picture}[{text}]({relative}{anchor or ''})"

    fenced = re.split(r"(^```.*?^```[^\n]*$)", markdown, flags=re.DOTALL | re.MULTILINE)
    return "".join(part if part.startswith("```") else _LINK.sub(on_the_site, part) for part in fenced)


def public_names() -> str:
    """A page with the documentation of every name in the rooms' `__all__`, each where it is first offered."""
    lines = ["# Every public name", "", "What is not here may change at any time.", ""]
    seen = set()
    for room, what in ROOMS.items():
        module = importlib.import_module(room)
        lines += [f"## `{room}`", "", what, ""]
        for name in sorted(module.__all__, key=str.lower):
            found = getattr(module, name)
            home = getattr(found, "__module__", None)
            if home is None or not callable(found) or found in seen:
                continue
            seen.add(found)
            lines += [f"::: {home}.{found.__qualname__}", ""]
    return "\n".join(lines)
