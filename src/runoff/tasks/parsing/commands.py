"""Commands for parses: a first round from a treebank, the whole pipeline, and trees against gold trees."""

from __future__ import annotations

import click

from runoff.tasks.parsing import evaluation_commands, first_round_commands, pipeline_commands


@click.group()
def parse() -> None:
    """Parses: a first round from a treebank, the whole pipeline, and EVALB's numbers.

    Lists of parses are read by all commands: JSON lines with `id` and `nbest` = [[log-probability, tree], …] (and
    perhaps `gold`, a tree), n-best text of the BLLIP parser, trees in brackets, or any data whose texts are trees;
    plain, gzip or zstd. Gold trees that are in a file of their own are given by --references.

    Whoever has a treebank and no parser gets one by `train`, and lists by `nbest` and `jackknife`; `pipeline` goes the
    whole way by one command, and `demo` shows it.

    \b
    Lists:    runoff parse jackknife treebank/train -o train.jsonl.gz
              runoff parse train treebank/train -o grammar.runoff
              runoff parse nbest grammar.runoff treebank/dev -o dev.jsonl.gz
    Example:  runoff train train.jsonl.gz --dev dev.jsonl.gz -o model.runoff
              runoff eval model.runoff test.jsonl.gz
              runoff explain model.runoff test.jsonl.gz --group ID --picture two.svg
              runoff pick model.runoff new.nbest -o better.mrg
    """


for command in (
    first_round_commands.train,
    first_round_commands.nbest,
    first_round_commands.jackknife,
    evaluation_commands.evaluate,
    pipeline_commands.pipeline,
    pipeline_commands.demo,
):
    parse.add_command(command)
