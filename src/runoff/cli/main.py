"""The `runoff` command: its subcommands, and how errors are reported."""

from __future__ import annotations

import errno
import importlib
import io
import os
import sys
from pathlib import Path
from typing import Any

import click

from runoff.errors import RunoffError, UsageError
from runoff.files import reason
from runoff.plugins import discover, load_plugin
from runoff.registry import TASKS

WRONG_USAGE, BAD_DATA, INTERRUPTED = 2, 1, 130

# Module and help line of every command, so that `runoff --help` imports none of them.
COMMANDS: dict[str, tuple[str, str]] = {
    "describe": ("runoff.cli.describe:describe", "Summarise DATA and what a better choice could gain."),
    "train": ("runoff.cli.train:train", "Train a model on DATA."),
    "eval": ("runoff.cli.evaluate:evaluate", "Compare MODEL's choice on DATA with the first round's."),
    "compare": ("runoff.cli.compare:compare", "Compare the choices of two models."),
    "explain": ("runoff.cli.explain:explain", "Explain why MODEL's winner in one group beats a rival."),
    "margins": ("runoff.cli.margins:margins", "Show how confidently MODEL chooses."),
    "pick": ("runoff.cli.pick:pick", "Choose the winner of every group of DATA."),
    "score": ("runoff.cli.score:score", "Score every candidate of DATA: by MODEL, or by neural models."),
    "features": ("runoff.cli.features:features", "Extract a task's features, as data for any learner."),
    "convert": ("runoff.cli.convert:convert", "Convert a file from any known format to another."),
    "merge": ("runoff.cli.merge:merge", "Merge the lists of several systems into one."),
    "fuse": ("runoff.cli.fuse:fuse", "Fuse the rankings of several systems without training."),
    "combine": ("runoff.cli.combine:combine", "Assemble winners from parts of several systems' candidates."),
    "split": ("runoff.cli.split:split", "Split a file at random, group by group."),
    "view": ("runoff.cli.view:view", "Look at lists, and at a model's choices, in the browser."),
    "report": ("runoff.cli.view:report", "Write what `view` shows as one HTML file."),
    "serve": ("runoff.cli.serve:serve", "Serve models over HTTP."),
    "plan-cluster": (
        "runoff.cli.plan_cluster:plan_cluster",
        "Say how long work would take on a cluster, and its price.",
    ),
    "learners": ("runoff.cli.learners:learners", "List the learners, or describe one."),
    "tasks": ("runoff.cli.tasks:tasks", "List the tasks with their formats, metrics and commands."),
    "reproduce": (
        "runoff.cli.reproduce:reproduce",
        "Run a paper's experiments again, on your data or on synthetic data.",
    ),
    "demo": ("runoff.cli.demo:demo", "See it work on synthetic data, in half a minute."),
}
_ALSO = {"scores": "score"}  # other spellings of commands
_QUICK = ("tasks", "learners", "plan-cluster")  # commands that compile nothing


class ClosedOutput(io.TextIOBase):
    """Standard output where there is none (`>&-`)."""

    def write(self, _: str) -> int:
        """Raise what the operating system would."""
        raise OSError(errno.EBADF, os.strerror(errno.EBADF), "standard output")


class LazyGroup(click.Group):
    """Imports a command when it is run, and reports errors as a sentence, not a traceback.

    Tasks add commands through the registry.
    """

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run `runoff`; what is written to a standard output that is closed is an error, and not lost."""
        if sys.stdout is None:
            sys.stdout = ClosedOutput()
        if sys.stderr is None:
            sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - as long as the process
        return super().main(*args, **extra)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """General commands in their order, then those of tasks."""
        return [*COMMANDS, *_task_groups()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import the command."""
        cmd_name = _ALSO.get(cmd_name, cmd_name)
        place = COMMANDS[cmd_name][0] if cmd_name in COMMANDS else _task_groups().get(cmd_name, ("",))[0]
        if not place:
            return None
        module, _, attribute = place.partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        if cmd_name not in _QUICK:
            from runoff.cli.preparation import prepare

            prepare(command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands without importing them."""
        for title, group in (("Commands", COMMANDS), ("Tasks", _task_groups())):
            with formatter.section(title):
                formatter.write_dl([(name, text) for name, (_, text) in group.items()])

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Parse the options before the command; `--help` and `--plugin` already look up tasks."""
        try:
            return super().make_context(*args, **extra)
        except RunoffError as error:
            _say(error)
            raise SystemExit(WRONG_USAGE) from None
        except OSError as error:
            _say(_unwritten(error))
            raise SystemExit(BAD_DATA) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; wrong usage exits with 2, bad data with 1."""
        try:
            return super().invoke(ctx)
        except UsageError as error:
            _say(error)
            ctx.exit(WRONG_USAGE)
        except RunoffError as error:
            _say(error)
            ctx.exit(BAD_DATA)
        except KeyboardInterrupt as error:
            _say(error if error.args else "interrupted; unfinished files were not written.")
            ctx.exit(INTERRUPTED)
        except MemoryError:
            from runoff.memory.bounded import shortage

            _say(shortage())
            ctx.exit(BAD_DATA)
        except BrokenPipeError:
            # The reader of our output is gone (`| head`): not an error.
            sys.stderr.close()
            ctx.exit(0)
        except OSError as error:
            _say(_unwritten(error))
            ctx.exit(BAD_DATA)


def _task_groups() -> dict[str, tuple[str, str]]:
    groups = [task.commands for task in TASKS.values() if task.commands is not None]
    return {group.name: (group.home, group.help) for group in groups}


def _unwritten(error: OSError) -> str:
    return f"{error.filename or 'the output'} cannot be written: {reason(error)}."


def _say(message: object) -> None:
    click.echo(f"runoff: {message}", err=True)


def _load_plugins(ctx: click.Context, option: click.Parameter, names: tuple[str, ...]) -> None:  # noqa: ARG001 - click's
    discover()  # Runoff's own tasks come first
    for name in names:
        load_plugin(name)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--plugin",
    multiple=True,
    metavar="FILE",
    callback=_load_plugins,
    is_eager=True,  # before --help, and before the command is looked up: it may be the plugin's own
    expose_value=False,
    help="Python file or module with tasks of your own.",
)
@click.version_option(package_name="runoff", message="%(package)s %(version)s")
def main() -> None:
    """The second round for any model that proposes candidates.

    Learn from lists of candidates which one should win, see why, and check on held-out data that the choice is
    better than the first round's.

    \b
    Start with:  runoff demo
    Then:        runoff describe lists.jsonl --metric wer
                 runoff train train.jsonl --dev dev.jsonl --metric wer -o model.runoff
                 runoff eval model.runoff test.jsonl
                 runoff explain model.runoff test.jsonl --group ID
                 runoff pick model.runoff new.jsonl -o chosen.jsonl
    """
