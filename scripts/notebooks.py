"""Makes docs/notebooks of tutorials, and runs them: `python scripts/notebooks.py` (or `make notebooks`).

A notebook has the tutorial's words and blocks, so that nothing is written twice: Python is a cell, every line of shell
begins with `!`, and where a command draws a picture, the picture is shown. Cells run here one after the other in an
empty folder, without Jupyter: Python in one namespace, shell with the `runoff` of this Python.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import types
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1] / "docs"
TUTORIALS = ("speech", "samples", "search", "systems")
_BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```\n", re.DOTALL | re.MULTILINE)
_PICTURE = re.compile(r"--picture (\S+\.png)")
_LINK = re.compile(r"\]\((\w+\.md)")
_MOST = 60  # lines of a cell's output that are kept
START = "Made from [the tutorial](../tutorials/{name}.md). Run it in a folder of its own, where `runoff` is installed."

Cell = dict[str, Any]


def cells_of(name: str) -> list[Cell]:
    """The cells of a tutorial, without outputs."""
    text = (DOCS / "tutorials" / f"{name}.md").read_text(encoding="utf-8")
    text = _LINK.sub(r"](../tutorials/\1", text)  # tutorials beside it
    title, _, rest = text.partition("\n")
    found = [_cell("markdown", f"{title}\n\n{START.format(name=name)}")]
    parts = _BLOCK.split(rest)
    for at in range(0, len(parts), 3):
        if parts[at].strip():
            found.append(_cell("markdown", parts[at]))
        if at + 2 < len(parts):
            language, block = parts[at + 1 : at + 3]
            found += _code(language, block)
    return [{**each, "id": f"cell-{at:02}"} for at, each in enumerate(found, 1)]


def _code(language: str, block: str) -> list[Cell]:
    if language == "python":
        return [_cell("code", block)]
    lines = [line for line in block.replace("\\\n", "").splitlines() if line.strip()]
    found = [_cell("code", "\n".join(f"!{re.sub(' +', ' ', line.partition('  #')[0])}" for line in lines))]
    for picture in _PICTURE.findall(block):
        found.append(_cell("code", f'from IPython.display import Image\n\nImage("{picture}")'))  # noqa: PERF401
    return found


def _cell(kind: str, source: str) -> Cell:
    cell: Cell = {"cell_type": kind, "metadata": {}, "source": source.strip("\n").splitlines(keepends=True)}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})


class Image:
    """What stands for IPython's: the content of a picture."""

    def __init__(self, path: str) -> None:
        self.content = Path(path).read_bytes()


def run(cells: list[Cell], folder: Path) -> list[Cell]:
    """The cells with their outputs, run in a folder; an error ends it."""
    space: dict[str, Any] = {"__name__": "__main__"}
    display = types.ModuleType("IPython.display")
    display.Image = Image  # type: ignore[attr-defined]
    stand_ins = {"IPython": types.ModuleType("IPython"), "IPython.display": display}
    done, count = [], 0
    with contextlib.chdir(folder), _modules(stand_ins):
        for cell in cells:
            if cell["cell_type"] == "code":
                count += 1
                source = "".join(cell["source"])
                outputs = _shell(source) if source.startswith("!") else _python(source, space, count)
                cell = {**cell, "execution_count": count, "outputs": outputs}
            done.append(cell)
    return done


@contextlib.contextmanager
def _modules(added: dict[str, types.ModuleType]) -> Any:
    before = {name: sys.modules.get(name) for name in added}
    sys.modules.update(added)
    try:
        yield
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


def _shell(source: str) -> list[Cell]:
    said = ""
    for line in source.splitlines():
        command = re.sub(r"^runoff ", f"{sys.executable} -m runoff ", line.removeprefix("!"))
        done = subprocess.run(  # noqa: S602 - the documentation's own commands
            command, shell=True, capture_output=True, text=True, check=False,
            env={**os.environ, "COLUMNS": "150"},
        )  # fmt: skip
        if done.returncode:
            raise RuntimeError(f"{line}\n{done.stdout}{done.stderr}")
        said += done.stdout
    return _stream(said)


def _python(source: str, space: dict[str, Any], count: int) -> list[Cell]:
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    said, value = io.StringIO(), None
    with contextlib.redirect_stdout(said):
        exec(compile(tree, "cell", "exec"), space)  # noqa: S102
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), space)  # noqa: S307
    found = _stream(said.getvalue())
    if value is None:
        return found
    if isinstance(value, Image):
        data: dict[str, Any] = {"image/png": base64.b64encode(value.content).decode() + "\n"}
    else:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
    return [*found, {"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": data}]


def _stream(said: str) -> list[Cell]:
    lines = said.splitlines(keepends=True)
    if len(lines) > _MOST:
        lines = [*lines[:_MOST], f"… and {len(lines) - _MOST} more lines\n"]
    return [{"output_type": "stream", "name": "stdout", "text": lines}] if lines else []


def notebook(cells: list[Cell]) -> str:
    """The file, in version 4.5 of Jupyter's format."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    file = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(file, indent=1, ensure_ascii=False) + "\n"


def as_markdown(name: str) -> str:
    """A notebook of docs/ with its outputs, as a page of the site."""
    parts = []
    for cell in json.loads((DOCS / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        if source.startswith("!"):
            lines = "\n".join(line.removeprefix("!") for line in source.splitlines())
            parts.append(f"```sh\n{lines}\n```")
        elif "IPython.display" not in source:
            parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            if output["output_type"] == "stream":
                parts.append(f"```text\n{''.join(output['text'])}```")
            elif "image/png" in output["data"]:
                picture = output["data"]["image/png"].strip()
                parts.append(f'<img alt="What was won, as a picture" src="data:image/png;base64,{picture}">')
    download = f'<a href="{name}.ipynb" download>Download the notebook</a>'
    return "\n\n".join([parts[0], download, *parts[1:]]) + "\n"


def main() -> None:
    """Run all tutorials that have a notebook, and write the notebooks."""
    (DOCS / "notebooks").mkdir(exist_ok=True)
    for name in sys.argv[1:] or TUTORIALS:
        with tempfile.TemporaryDirectory() as folder:
            done = run(cells_of(name), Path(folder))
        path = DOCS / "notebooks" / f"{name}.ipynb"
        path.write_text(notebook(done), encoding="utf-8")
        print(f"{path} ({path.stat().st_size:,} bytes)")  # noqa: T201


if __name__ == "__main__":
    main()
