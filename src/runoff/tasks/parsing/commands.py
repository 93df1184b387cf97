"""Commands for parses: a parser trained on a treebank, the whole pipeline, and evaluation against gold trees."""

from __future__ import annotations

import click

from runoff.tasks.parsing import evaluation_commands, first_round_commands, pipeline_commands


@click.group()
def parse() -> None:
    """Parses: train a parser on a treebank, run the whole pipeline, compute EVALB's numbers.

    All commands read lists of parses: JSON lines with `id` and `nbest` = [[log-probability, tree], …] (and optionally
    `gold`, a tree), n-best text of the BLLIP parser, trees in brackets, or any data whose texts are trees; plain, gzip
    or zstd. If gold trees are in a separate file, pass it as --references.

    No parser yet? `train` learns one from a treebank; `nbest` and `jackknife` write its n-best lists. `pipeline` does
    all steps with one command, and `demo` shows them on synthetic data.

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
