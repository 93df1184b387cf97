"""Commands for taggings: train a tagger, label, n-best lists, evaluation, the whole pipeline."""

from __future__ import annotations

import click

from runoff.tasks.tagging import pipeline_commands, tagger_commands


@click.group()
def tag() -> None:
    """Taggings: train a tagger on columns of words and tags, label text, write n-best lists, rerank them.

    Sentences are columns (one token a line, a blank line between sentences), CoNLL-U, JSON lines or raw text; plain,
    gzip or zstd. Lists of taggings are data like any other: train, eval, explain and pick take them.

    \b
    Example:  runoff tag train train.conll --recipe chunks --columns word,pos,chunk -o chunks.runoff
              runoff tag label chunks.runoff new.conll -o labelled.conll
              runoff tag eval gold.conll labelled.conll
    Lists:    runoff tag jackknife train.conll --recipe chunks -o train.jsonl.gz
              runoff tag nbest chunks.runoff dev.conll -o dev.jsonl.gz
              runoff train train.jsonl.gz --dev dev.jsonl.gz -o model.runoff
    All:      runoff tag pipeline train.conll --recipe chunks -o folder
    """


for command in (
    tagger_commands.train,
    tagger_commands.label,
    tagger_commands.nbest,
    tagger_commands.evaluate,
    pipeline_commands.jackknife,
    pipeline_commands.pipeline,
    pipeline_commands.demo,
):
    tag.add_command(command)
