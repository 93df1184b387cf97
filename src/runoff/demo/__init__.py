"""The whole workflow on synthetic sentences, in half a minute."""

from runoff.demo.run import run

__all__ = ["run"]
