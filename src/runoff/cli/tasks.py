"""`runoff tasks`: the tasks and what belongs to each."""

from __future__ import annotations

import click

from runoff.cli.options import as_json, print_json
from runoff.registry import TASKS


@click.command()
@as_json
def tasks(as_json: bool) -> None:
    """List the tasks: what their candidates are, their formats, metrics and commands.

    \b
    Example:  runoff tasks
    """
    found = {
        task.name: {
            "candidates": task.title,
            "formats": list(task.formats),
            "metrics": list(task.metrics),
            "baselines": list(task.baseline_names),
            "commands": None if task.commands is None else f"runoff {task.commands.name}",
        }
        for task in TASKS.values()
    }
    if as_json:
        print_json(found)
        return
    for name, about in found.items():
        click.echo(f"{name:<10} {about['candidates']}")
        for key, value in about.items():
            if value and key != "candidates":
                click.echo(f"{'':<12} {key}: {value if isinstance(value, str) else ', '.join(value)}")
