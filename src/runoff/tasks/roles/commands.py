"""Commands for roles: syntax, labellers, and files compared, converted and shown."""

from __future__ import annotations

import click

from runoff.tasks.roles import annotation_commands, file_commands, labeller_commands, second_round_commands


@click.group()
def roles() -> None:
    """Roles: who did what to whom, for every predicate of a sentence.

    Sentences with roles are columns as in PropBank's releases, of CoNLL-2005 or CoNLL-2012, or JSON lines; plain, gzip
    or zstd; recognised by content.

    \b
    Example:  runoff roles train train.conll --kind full -o full.runoff
              runoff roles label full.runoff test.conll -o test.props
              runoff roles eval --gold gold.conll predicted.conll
              runoff roles eval --gold gold.conll old.conll --compare new.conll
              runoff roles show gold.conll --sentence 3
              runoff roles convert gold.conll gold.props
              runoff roles annotate text.txt --grammar grammar.runoff --predicates predicates.runoff -o text.jsonl
    """


for command in (
    labeller_commands.train,
    labeller_commands.label,
    file_commands.evaluate,
    file_commands.show,
    file_commands.convert,
    annotation_commands.annotate,
    annotation_commands.predicates,
    second_round_commands.nbest,
    second_round_commands.jackknife,
    second_round_commands.mix,
    second_round_commands.rerank,
    second_round_commands.explain,
    second_round_commands.union,
    labeller_commands.demo,
):
    roles.add_command(command)
