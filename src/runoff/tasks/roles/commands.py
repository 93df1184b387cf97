"""Commands for roles: compare files with gold ones, convert them, show sentences."""

from __future__ import annotations

import click

from runoff.tasks.roles import file_commands, second_round_commands


@click.group()
def roles() -> None:
    """Roles: who did what to whom, for every predicate of a sentence.

    Sentences with roles are columns as in PropBank's releases, of CoNLL-2005 or CoNLL-2012, or JSON lines; plain, gzip
    or zstd; recognised by content.

    \b
    Example:  runoff roles eval --gold gold.conll predicted.conll
              runoff roles eval --gold gold.conll old.conll --compare new.conll
              runoff roles show gold.conll --sentence 3
              runoff roles convert gold.conll gold.props
    """


for command in (
    file_commands.evaluate,
    file_commands.show,
    file_commands.convert,
    second_round_commands.nbest,
    second_round_commands.jackknife,
    second_round_commands.rerank,
    second_round_commands.union,
):
    roles.add_command(command)
