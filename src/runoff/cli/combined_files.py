"""Files of the systems of a combination, for commands: read under the names of its training, written as they came."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.cli.options import say
from runoff.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.combine import Combiner
    from runoff.combine.system_files import SystemFiles
    from runoff.nbest import NBest

LISTS = (".jsonl", ".arrow", ".parquet")
_COMPRESSED = (".gz", ".zst")


def opened(
    combiner_file: Path,
    files: tuple[Path, ...],
    names: tuple[str, ...],
    gold: Path | None,
    words: Path | None,
    task: str | None,
) -> tuple[Combiner, SystemFiles]:
    """The combiner, and the files as its systems."""
    from runoff.combine import load_combiner

    combiner = load_combiner(combiner_file)
    return combiner, read_files(
        files, names or _trained_names(files, combiner.systems), gold, words, task or combiner.task
    )


def read_files(
    files: tuple[Path, ...], names: tuple[str, ...], gold: Path | None, words: Path | None, task: str | None
) -> SystemFiles:
    """Files of systems, or one of merged lists; see `read_systems`."""
    from runoff.combine.system_files import read_systems

    return read_systems(files, names=names, gold=gold, words=words, task=task)


def names_of(files: tuple[Path, ...]) -> tuple[str, ...]:
    """Names of several systems, as their files are called."""
    from runoff.combine.system_files import system_names_of

    return tuple(system_names_of(files)) if len(files) > 1 else ()


def _trained_names(files: tuple[Path, ...], systems: tuple[str, ...]) -> tuple[str, ...]:
    """Names of files that are called otherwise than those of training: theirs, in the same order."""
    if len(files) == 1:
        return ()
    if len(files) != len(systems):
        raise UsageError(
            f"the combiner was trained with {len(systems)} systems ({', '.join(systems)}); found {len(files)} files."
        )
    own = names_of(files)
    if set(own) == set(systems):
        return own
    pairs = ", ".join(f"{file} as {system}" for file, system in zip(files, systems, strict=True))
    say(f"note: files are called otherwise than in training; taken in the same order: {pairs}.")
    return systems


def ending_of(path: Path) -> str:
    """The ending of a file's name, before that of its compression."""
    name = path.with_suffix("") if path.suffix in _COMPRESSED else path
    return name.suffix


def write_texts(single: NBest, out: Path, found: SystemFiles, like: Path, words: Path | None) -> list[str]:
    """Write winners as texts, or as solutions of the inputs in the file `like`; gives notes."""
    from runoff.registry import TASKS

    task = TASKS[found.task]
    if ending_of(out) not in task.text_endings:
        if not found.are_solutions:
            raise UsageError(
                f"{out} cannot be written from lists; name a file that ends in {', '.join(LISTS)} or .txt."
            )
        return task.write_solutions(single, out, like, words)
    from runoff.cli.options import output
    from runoff.model import LinearModel

    with output(out) as write_line:
        for choice in LinearModel.of({}).pick(single.replace(references=None)):
            write_line(task.line(choice))
    return []
