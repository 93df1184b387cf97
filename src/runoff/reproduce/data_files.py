"""Finding a paper's data in a folder, and what identifies it."""

from __future__ import annotations

import hashlib
import shlex
from typing import TYPE_CHECKING

import orjson

from runoff.errors import DataError
from runoff.files import reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

PARTS = {"train": ("train",), "dev": ("dev", "val", "vali", "valid", "validation"), "test": ("test",)}


def files_in(folder: Path) -> list[Path]:
    """All files of a folder and of those inside it, in alphabetical order, without hidden ones."""
    try:
        found = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    except OSError as error:
        raise DataError(f"the folder cannot be read: {reason(error)}.", path=folder) from error
    return [path for path in found if not any(part.startswith(".") for part in path.relative_to(folder).parts)]


def part_of(files: Iterable[Path], names: Sequence[str]) -> Path | None:
    """The first file in whose name one of these words stands between dots, hyphens or underscores.

    Examples
    --------
    >>> from pathlib import Path
    >>> part_of([Path("a.test.txt"), Path("a.dev.txt")], ["dev", "vali"])
    PosixPath('a.dev.txt')
    """
    for path in files:
        if set(_words(path)) & set(names):
            return path
    return None


def _words(path: Path) -> list[str]:
    return path.name.replace("-", ".").replace("_", ".").split(".")


def splits_in(folder: Path, parts: Mapping[str, Sequence[str]]) -> dict[str, dict[str, Path]]:
    """Files that belong together by name, with one for every part; by what their names have in common.

    `parts` maps a part to the words that stand for it, such as `dev` to dev, vali and validation.
    """
    found: dict[str, dict[str, Path]] = {}
    for path in files_in(folder):
        words = _words(path)
        for part, names in parts.items():
            for word in set(words) & set(names):
                rest = ".".join([each for each in words if each != word][:1]) or path.parent.name
                found.setdefault(rest, {}).setdefault(part, path)
    whole = {name: files for name, files in found.items() if files.keys() == parts.keys()}
    return {name: {part: files[part] for part in parts} for name, files in whole.items()}


def one_split(folder: Path, what: str, parts: Sequence[str] = ("train", "dev", "test")) -> tuple[str, dict[str, Path]]:
    """The only set of these parts in a folder, with their common name; an error says what was looked for."""
    found = splits_in(folder, {part: PARTS[part] for part in parts})
    wanted = " and ".join(", ".join(part if part != "dev" else "dev (or val)" for part in parts).rsplit(", ", 1))
    if not found:
        raise DataError(
            f"expected {what} in {len(parts)} files whose names have the words {wanted} between dots, hyphens or "
            "underscores, such as wsj.train.jsonl.gz; found no such files.",
            path=folder,
        )
    if len(found) > 1:
        raise DataError(
            f"expected one set of {wanted}, found {len(found)}: {', '.join(sorted(found))}. Name a folder "
            "that has one of them.",
            path=folder,
        )
    return next(iter(found.items()))


def fingerprint(files: Iterable[Path]) -> str:
    """A digest of the content of files, in the given order. O(bytes)."""
    digest = hashlib.blake2b(digest_size=16)
    for path in files:
        try:
            with path.open("rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
        except OSError as error:
            raise DataError(f"the file cannot be read: {reason(error)}.", path=path) from error
    return digest.hexdigest()


def train_command(data: str, dev: str, learner: str, settings: dict[str, object], out: str, metric: str = "") -> str:
    """`runoff train` with these settings, for a page.

    Examples
    --------
    >>> train_command("train.txt", "dev.txt", "crf", {"objective": "kl", "l2": 0.0}, "kl.runoff")
    'runoff train train.txt --dev dev.txt --learner crf --set objective=kl --set l2=0.0 -o kl.runoff'
    """
    told = " ".join(
        "--set " + shlex.quote(f"{name}={value if isinstance(value, str) else orjson.dumps(value).decode()}")
        for name, value in settings.items()
    )
    wanted = f" --metric {metric}" if metric else ""
    files = f"{shlex.quote(data)} --dev {shlex.quote(dev)}"
    return f"runoff train {files} --learner {learner}{wanted}{' ' * bool(told)}{told} -o {shlex.quote(out)}"


def line_commands(
    files: Mapping[str, str], line: str, learner: str, settings: dict[str, object], metric: str, judge: str = ""
) -> str:
    """What trains and judges one line of a table by hand; `judge` is the metric on test, if it is another.

    Examples
    --------
    >>> names = {part: f"{part}.jsonl" for part in ("train", "dev", "test")}
    >>> print(line_commands(names, "best-rest", "perceptron", {}, "parseval"))
    runoff train train.jsonl --dev dev.jsonl --learner perceptron --metric parseval -o best-rest.runoff
    runoff eval best-rest.runoff test.jsonl --metric parseval
    """
    model = f"{line.replace(' ', '-')}.runoff"
    trained = train_command(files["train"], files["dev"], learner, settings, model, metric)
    return f"{trained}\nrunoff eval {model} {shlex.quote(files['test'])} --metric {judge or metric}"
