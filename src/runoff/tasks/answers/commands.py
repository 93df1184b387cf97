"""Commands for answers: learn to answer questions, index text, ask, evaluate."""

from __future__ import annotations

import click

from runoff.tasks.answers import answerer_commands, retrieval_commands


@click.group()
def answer() -> None:
    """Answers: learn to answer questions, index a folder of text, and ask it.

    \b
    Example:  runoff answer train questions.jsonl -o answers.runoff
              runoff answer index texts -o texts.index
              runoff answer ask answers.runoff texts.index "Who built the bridge?"
    Lists:    runoff answer lists answers.runoff questions.jsonl -o lists.jsonl.gz
              runoff train lists.jsonl.gz -o model.runoff
    Demo:     runoff answer demo
    Search:   runoff answer search texts.index "bridge of San Francisco"
    """


for command in (
    answerer_commands.train,
    answerer_commands.ask,
    answerer_commands.evaluate,
    answerer_commands.lists,
    answerer_commands.demo,
    retrieval_commands.index_command,
    retrieval_commands.search_command,
):
    answer.add_command(command)
