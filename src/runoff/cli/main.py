"""The group of commands, and what happens when something goes wrong."""

from __future__ import annotations

import sys
from typing import Any

import click

from runoff.cli import evaluating, margins, moving, training
from runoff.errors import RunoffError, UsageError
from runoff.files import reason
from runoff.tasks.parsing import commands as parsing
from runoff.tasks.text import commands as texts

WRONG_USAGE, BAD_DATA, INTERRUPTED = 2, 1, 130


class Sentences(click.Group):
    """A group of commands that answers mistakes with a sentence and an exit code, never with a traceback."""

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


def _say(message: object) -> None:
    click.echo(f"runoff: {message}", err=True)


@click.group(cls=Sentences, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="runoff", message="%(package)s %(version)s")
def main() -> None:
    """The second round for any model that proposes candidates.

    Learn from lists of candidates which one should win, see why, and prove on held-out data that the choice
    is better than the first round's.

    \b
    Start with:  runoff demo
    Then:        runoff describe lists.jsonl
                 runoff train train.jsonl --dev dev.jsonl -o model.runoff
                 runoff eval model.runoff test.jsonl
                 runoff explain model.runoff test.jsonl --group ID
                 runoff pick model.runoff new.jsonl -o chosen.jsonl
    Plain texts: runoff train lists.jsonl --task text --metric wer -o model.runoff
    """


for command in (
    evaluating.describe,
    training.train,
    evaluating.evaluate,
    evaluating.compare,
    evaluating.explain,
    margins.margins,
    moving.pick,
    moving.convert,
    moving.split,
    texts.text,
    parsing.parse,
    training.learners,
    training.demo,
):
    main.add_command(command)
