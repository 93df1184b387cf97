"""The command line: `runoff COMMAND …`; every command is a thin layer over the library."""

from runoff.cli.main import main

__all__ = ["main"]
