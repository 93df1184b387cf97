"""Commands for answers: index a folder of text, search it."""

from __future__ import annotations

import click

from runoff.tasks.answers import retrieval_commands


@click.group()
def answer() -> None:
    r"""Answers: index a folder of text, or passages as JSON lines, and search it.

    \b
    Example:  runoff answer index texts -o texts.index
              runoff answer search texts.index "bridge of San Francisco"
    """


for command in (
    retrieval_commands.index_command,
    retrieval_commands.search_command,
):
    answer.add_command(command)
