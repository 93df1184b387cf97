"""The same work in local processes or on Ray: `with runoff.cluster.on("processes:4"): …`; see docs/cluster.md."""

from runoff.cluster.choice import engine, on

__all__ = ["engine", "on"]
