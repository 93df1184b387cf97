"""The command line, `runoff COMMAND …`: thin layers over the library."""

from runoff.cli.main import main

__all__ = ["main"]
