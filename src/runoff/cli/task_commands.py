"""What the commands `pipeline` and `demo` of several tasks share."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from runoff.cli.options import FILE, as_json, interruptible, print_json, say
from runoff.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from runoff.cli.options import Command
    from runoff.pipeline import Outcome


def folds_option(usual: int = 10) -> Callable[[Command], Command]:
    """The option for the number of folds, which is usually this one."""
    return click.option(
        "--folds",
        type=click.IntRange(min=2),
        help=f"Folds of train. Default: {usual}, or the number of documents if there are fewer.",
    )


def pipeline_options(files: str, folds: int = 10) -> Callable[[Command], Command]:
    """Add the options of every pipeline: the folder, dev, test and folds; `files` is what others may be named as."""

    def add(command: Command) -> Command:
        for option in (
            folds_option(folds),
            click.option(
                "--test",
                default="0.1",
                show_default=True,
                metavar=f"SHARE|{files}",
                help="Data for the final evaluation.",
            ),
            click.option(
                "--dev",
                default="0.1",
                show_default=True,
                metavar=f"SHARE|{files}",
                help="Data for choosing the learner.",
            ),
            click.option("-o", "--output", "folder", type=FILE, required=True, help="Output folder."),
        ):
            command = option(command)
        return command

    return add


def share_or_path(text: str) -> float | Path:
    """A share of the data, or a file or folder of other data.

    Examples
    --------
    >>> share_or_path("0.1")
    0.1
    >>> share_or_path("no-such-file")
    Traceback (most recent call last):
    runoff.errors.UsageError: 'no-such-file' is neither a share such as 0.1 nor an existing file or folder.
    """
    try:
        return float(text)
    except ValueError:
        pass
    if text != "-" and not Path(text).exists():
        raise UsageError(f"{text!r} is neither a share such as 0.1 nor an existing file or folder.")
    return Path(text)


def resumable(folder: Path) -> AbstractContextManager[None]:
    """After Ctrl-C, report that the same command resumes from the folder."""
    return interruptible(f"the same command resumes from what is in {folder}")


def show_outcome(found: Outcome, *lines: str, as_json: bool) -> None:
    """Print the result of a pipeline and, on standard error, lines about its folder and what to do next."""
    if as_json:
        print_json({"output": str(found.folder), "model": str(found.model), **found.numbers})
        return
    click.echo(found)
    for line in lines:
        say(line)


def demo_command(home: str, folder: str, *, short_help: str, data: str, help: str) -> click.Command:  # noqa: A002
    """A command that calls `run(folder, seed, say=…, verbose=True)` at `home`, "module:attribute".

    `folder` is where it writes by default, and `data` what the seed is of.
    """

    @click.command(name="demo", short_help=short_help, help=help)
    @click.option("-o", "--output", "folder", type=FILE, default=folder, show_default=True, help="Folder to write to.")
    @click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help=f"Seed of the {data}.")
    @as_json
    def demo(folder: Path, seed: int, as_json: bool) -> None:
        module, _, name = home.partition(":")
        run: Callable[..., dict[str, Any]] = getattr(importlib.import_module(module), name)
        with resumable(folder):
            found = run(folder, seed, say=say if as_json else click.echo, verbose=True)
        if as_json:
            print_json(found)

    return demo
