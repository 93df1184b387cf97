"""Commands for translations: train and tune a translator, decode, n-best lists, the whole pipeline."""

from __future__ import annotations

import click

from runoff.tasks.translation import pipeline_commands, translator_commands
from runoff.tasks.translation.align_command import align


@click.group()
def translate() -> None:
    """Translations: train a translator on parallel text, tune it, translate, write n-best lists, rerank them.

    Parallel text is two files, plain, gzip or zstd: line i of one is the translation of line i of the other. Lists of
    translations are data like any other: train, eval, explain and pick take them.

    \b
    Example:  runoff translate train train.en train.de -o en-de.runoff
              runoff translate tune en-de.runoff dev.en dev.de -o tuned.runoff
              runoff translate decode tuned.runoff new.en -o new.de
    Lists:    runoff translate jackknife train.en train.de --weights tuned.runoff -o train.jsonl.gz
              runoff translate nbest tuned.runoff dev.en --references dev.de -o dev.jsonl.gz
              runoff train train.jsonl.gz --dev dev.jsonl.gz -o model.runoff
    All:      runoff translate pipeline train.en train.de -o folder
    """


for command in (
    translator_commands.train,
    translator_commands.tune,
    translator_commands.decode,
    translator_commands.nbest,
    translator_commands.table,
    align,
    pipeline_commands.jackknife,
    pipeline_commands.pipeline,
    pipeline_commands.demo,
):
    translate.add_command(command)
