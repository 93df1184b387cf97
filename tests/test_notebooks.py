"""Notebooks are their tutorials, run: same words, same blocks, same results."""

import base64
import importlib.util
import json
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("notebooks", ROOT / "scripts" / "notebooks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


NOTEBOOKS = script()


def kept(name: str) -> list[dict]:
    return json.loads((ROOT / "docs" / "notebooks" / f"{name}.ipynb").read_text())["cells"]


def bare(cells: list[dict]) -> list[dict]:
    return [{**each, "execution_count": None, "outputs": []} if "outputs" in each else each for each in cells]


@pytest.mark.parametrize("name", NOTEBOOKS.TUTORIALS)
def test_a_notebook_has_the_words_and_blocks_of_its_tutorial(name: str) -> None:
    assert bare(kept(name)) == NOTEBOOKS.cells_of(name), "run: make notebooks"


@pytest.mark.parametrize("name", NOTEBOOKS.TUTORIALS)
def test_a_notebook_is_small_has_a_picture_and_no_path_of_its_maker(name: str) -> None:
    text = (ROOT / "docs" / "notebooks" / f"{name}.ipynb").read_text()
    assert len(text) < 200_000
    assert "/tmp/" not in text
    assert sys.prefix not in text
    outputs = [output for cell in kept(name) for output in cell.get("outputs", ())]
    pictures = [output["data"]["image/png"] for output in outputs if "data" in output]
    assert pictures
    assert all(base64.b64decode(each).startswith(b"\x89PNG") for each in pictures)


def untimed(outputs: list[dict]) -> str:
    """What was printed, without how long it took."""
    return re.sub(r"\d[\d.,]* s\b", "some seconds", json.dumps(outputs, indent=1))


@pytest.mark.slow
@pytest.mark.parametrize("name", NOTEBOOKS.TUTORIALS)
def test_a_notebook_runs_to_the_results_that_it_shows(name: str, tmp_path: Path) -> None:
    again = NOTEBOOKS.run(NOTEBOOKS.cells_of(name), tmp_path)
    for before, after in zip(kept(name), again, strict=True):
        source = "".join(before["source"])
        if re.search(r"runoff (combine )?(eval|describe|explain)", source):
            assert untimed(after["outputs"]) == untimed(before["outputs"]), source
        elif source.startswith("from IPython"):  # fonts may differ
            assert [list(each["data"]) for each in after["outputs"]] == [["image/png"]]


def test_cells_share_a_namespace_and_the_last_value_is_shown(tmp_path: Path) -> None:
    code = [NOTEBOOKS._cell("code", each) for each in ("a = 20\nprint('said')", "a + 1", "!echo 'a b'")]
    done = NOTEBOOKS.run([NOTEBOOKS._cell("markdown", "# A"), *code], tmp_path)
    shown = [each["outputs"] for each in done[1:]]
    assert shown[0] == [{"output_type": "stream", "name": "stdout", "text": ["said\n"]}]
    assert shown[1][0]["data"] == {"text/plain": ["21"]}
    assert shown[2][0]["text"] == ["a b\n"]
    assert [each["execution_count"] for each in done[1:]] == [1, 2, 3]


@pytest.mark.parametrize("wrong", ["!false", "1 / 0"])
def test_a_cell_that_fails_ends_the_run(wrong: str, tmp_path: Path) -> None:
    with pytest.raises((RuntimeError, ZeroDivisionError)):
        NOTEBOOKS.run([NOTEBOOKS._cell("code", wrong)], tmp_path)
