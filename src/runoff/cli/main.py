"""The group of commands, and what happens when something goes wrong."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import click

from runoff import tasks
from runoff.errors import RunoffError, UsageError
from runoff.files import reason
from runoff.plugins import load_plugin
from runoff.registry import TASKS

WRONG_USAGE, BAD_DATA, INTERRUPTED = 2, 1, 130

# Command, where it is, and what it does, so that `runoff --help` imports none of them.
COMMANDS: dict[str, tuple[str, str]] = {
    "describe": ("runoff.cli.describe:describe", "Say what is in DATA and what a better choice could win."),
    "train": ("runoff.cli.train:train", "Learn from DATA which candidates should win, and write the model."),
    "eval": ("runoff.cli.evaluate:evaluate", "Compare MODEL's choice in DATA with the first round's and the best."),
    "compare": ("runoff.cli.compare:compare", "Compare the choices of two models."),
    "explain": ("runoff.cli.explain:explain", "Say why MODEL's winner in one group of DATA leads a rival."),
    "margins": ("runoff.cli.margins:margins", "Say by how much MODEL's best candidates lead."),
    "pick": ("runoff.cli.pick:pick", "Choose the winner of every group of DATA."),
    "features": ("runoff.cli.features:features", "Make the features of a task and write data that any learner takes."),
    "convert": ("runoff.cli.convert:convert", "Read a file in any known format and write it in another."),
    "split": ("runoff.cli.split:split", "Cut a file at random, between groups, into parts."),
    "learners": ("runoff.cli.learners:learners", "List the learners, or say everything about one."),
    "tasks": ("runoff.cli.tasks:tasks", "List the tasks: their formats, metrics and commands."),
    "demo": ("runoff.cli.demo:demo", "See it work on synthetic data, in half a minute."),
}


class LazyGroup(click.Group):
    """Commands that are imported when they are run, and mistakes that are answered with a sentence, not a traceback.

    Commands of tasks are asked for in the registry.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Own commands in their order, then the groups of tasks."""
        return [*COMMANDS, *_task_groups()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import the command."""
        place = COMMANDS[cmd_name][0] if cmd_name in COMMANDS else _task_groups().get(cmd_name, ("",))[0]
        if not place:
            return None
        module, _, attribute = place.partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands without importing them."""
        for title, group in (("Commands", COMMANDS), ("Tasks", _task_groups())):
            with formatter.section(title):
                formatter.write_dl([(name, text) for name, (_, text) in group.items()])

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
            _say(error if error.args else "interrupted; files that were not finished were not written.")
            ctx.exit(INTERRUPTED)
        except BrokenPipeError:
            # The reader of our output went away (`| head`): not a mistake, and nothing more to say.
            sys.stderr.close()
            ctx.exit(0)
        except OSError as error:
            _say(f"{error.filename or 'the output'} cannot be written: {reason(error)}.")
            ctx.exit(BAD_DATA)


def _task_groups() -> dict[str, tuple[str, str]]:
    groups = [task.commands for task in TASKS.values() if task.commands is not None]
    return {group.name: (group.home, group.help) for group in groups}


def _say(message: object) -> None:
    click.echo(f"runoff: {message}", err=True)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--plugin", "plugins", multiple=True, metavar="FILE", help="Python file or module with tasks of your own."
)
@click.version_option(package_name="runoff", message="%(package)s %(version)s")
def main(plugins: tuple[str, ...]) -> None:
    """The second round for any model that proposes candidates.

    Learn from lists of candidates which one should win, see why, and prove on held-out data that the choice
    is better than the first round's.

    \b
    Start with:  runoff demo
    Then:        runoff describe lists.jsonl --metric wer
                 runoff train train.jsonl --dev dev.jsonl --metric wer -o model.runoff
                 runoff eval model.runoff test.jsonl
                 runoff explain model.runoff test.jsonl --group ID
                 runoff pick model.runoff new.jsonl -o chosen.jsonl
    """
    tasks.names()  # Runoff's own tasks come first
    for name in plugins:
        load_plugin(name)
