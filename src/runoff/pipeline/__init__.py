"""The whole way by one call: from a treebank to a parser that reranks its own parses."""

from runoff.pipeline.parsing import Outcome, parse_chain

__all__ = ["Outcome", "parse_chain"]
