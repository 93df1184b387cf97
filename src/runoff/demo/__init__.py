"""A small world of sentences in which the whole job can be seen in half a minute."""

from runoff.demo.run import run

__all__ = ["run"]
