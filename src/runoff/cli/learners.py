"""`runoff learners`: the learners and their parameters."""

from __future__ import annotations

import click

from runoff.cli.options import as_json, print_json


@click.command()
@click.argument("name", required=False)
@as_json
def learners(name: str | None, as_json: bool) -> None:
    """List the learners, or describe the one called NAME: what it does, its parameters and defaults.

    \b
    Example:  runoff learners
              runoff learners boost
    """
    import inspect

    from runoff.learners import LEARNERS, learner

    chosen = dict(LEARNERS.items()) if name is None else {name: learner(name)}
    if as_json:
        print_json({each: dict(kind.parameters()) for each, kind in chosen.items()})
        return
    for each, kind in chosen.items():
        text = inspect.getdoc(kind) or ""
        click.echo(f"{each:<12} {text.splitlines()[0]}" if name is None else f"{text}\n")
        if name is not None:
            click.echo("Defaults: " + ", ".join(f"{key}={value!r}" for key, value in kind.parameters().items()))
