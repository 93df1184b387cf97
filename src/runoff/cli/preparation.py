"""What every command does before its own work: it imports no more than it needs, and says where it has to compile."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import click

from runoff.cli.first_compilation import report_compilation
from runoff.cli.unused_pandas import spare_pandas

if TYPE_CHECKING:
    from collections.abc import Callable

_MARK = "is_prepared"


def prepare(command: click.Command) -> None:
    """Let a command, or all commands of a group, prepare themselves when they are run; once is enough."""
    if isinstance(command, click.Group):
        for each in command.commands.values():
            prepare(each)
    elif command.callback is not None and not hasattr(command.callback, _MARK):
        command.callback = _prepared(command.callback)


def _prepared(callback: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(callback)
    def run(*arguments: Any, **named: Any) -> Any:
        spare_pandas()
        report_compilation()
        return callback(*arguments, **named)

    setattr(run, _MARK, True)
    return run
