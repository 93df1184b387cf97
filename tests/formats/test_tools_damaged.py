"""Files and folders of tools with one of their files damaged: data or a sentence, never another error, never a hang."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from helpers.mutations import mutants
from helpers.tool_files import FIXTURES, TOOLS, options
from runoff import formats
from runoff.errors import RunoffError
from runoff.nbest import NBest

JUNK = [
    *(
        b"",
        b"\0",
        b"\xff",
        b"\n",
        b"\t",
        b" ",
        b"-",
        b"///",
        b".",
        b"(",
        b")",
        b"[",
        b"]",
        b"{",
        b"}",
        b'"',
        b",",
        b":",
    ),
    *(
        b"null",
        b"true",
        b"NaN",
        b"inf",
        b"1e999",
        b"-1e-999",
        b"9" * 400,
        b"tensor(",
        b"H-0\t",
        b"|||",
        b"A==",
        b"\xe2\x82",
    ),
]


def parts(source: list[str]) -> list[Path]:
    """All files that a command reads."""
    named = [source[0], *files_of(source).values()]
    found = [FIXTURES / name for name in named]
    return [file for each in found for file in (sorted(each.rglob("*")) if each.is_dir() else [each]) if file.is_file()]


def files_of(source: list[str]) -> dict[str, str]:
    """Those options that are files."""
    return {key: text for key, text in options(source).items() if (FIXTURES / text).exists()}


class Copy:
    """A copy of what a command reads, of which one file at a time is damaged."""

    def __init__(self, tool: str, folder: Path) -> None:
        self.format, self.source = TOOLS[tool]
        self.folder, self.files = folder, parts(self.source)
        for name in {Path(name).parts[0] for name in [self.source[0], *files_of(self.source).values()]}:
            shutil.copytree(FIXTURES / name, folder / name)

    def check(self, damaged: Path, content: bytes) -> None:
        place = self.folder / damaged.relative_to(FIXTURES)
        place.write_bytes(content)
        given = options(self.source) | {key: str(self.folder / file) for key, file in files_of(self.source).items()}
        try:
            data = formats.read(self.folder / self.source[0], self.format, **given)
        except RunoffError as error:
            assert str(error).endswith((".", "?")), error  # noqa: PT017 - that nothing else is raised is the test
        else:
            assert isinstance(data, NBest)
            data.features.check(missing=True)
        place.write_bytes(damaged.read_bytes())


@pytest.mark.parametrize(("count", "seed"), [(10, 1), pytest.param(1000, 2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("tool", TOOLS)
def test_damaged_files_are_read_or_refused_in_a_sentence(tool: str, count: int, seed: int, tmp_path: Path) -> None:
    copy = Copy(tool, tmp_path)
    for at in range(count):
        file = copy.files[at * 7 % len(copy.files)]
        for content in mutants([file.read_bytes()], 1, seed + at, JUNK):
            copy.check(file, content)


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("written", [b"7" * 5000, b"nan", b"-inf", b"1e39"])
def test_a_number_of_any_kind_is_read_or_refused_in_a_sentence(tool: str, written: bytes, tmp_path: Path) -> None:
    copy = Copy(tool, tmp_path)
    for file in copy.files[:: max(1, len(copy.files) // 3)]:
        content = file.read_bytes()
        numbers = list(re.finditer(rb"-?[0-9]+(?:\.[0-9]+)?", content))
        for number in numbers[:: max(1, len(numbers) // 4)]:
            copy.check(file, content[: number.start()] + written + content[number.end() :])


@pytest.mark.parametrize("tool", TOOLS)
def test_files_that_end_too_early_are_read_or_refused_in_a_sentence(tool: str, tmp_path: Path) -> None:
    copy = Copy(tool, tmp_path)
    for file in copy.files[:: max(1, len(copy.files) // 3)]:
        content = file.read_bytes()
        for end in (0, 1, len(content) // 3, len(content) - 2):
            copy.check(file, content[:end])
