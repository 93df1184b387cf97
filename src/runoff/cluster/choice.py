"""Engines by name, as commands and programs ask for them."""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING

from runoff.engines import HERE, Engine, using
from runoff.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAMED = re.compile(r"(here|processes|local)(?::([1-9][0-9]{0,5}))?")
KINDS = "here, processes, processes:N, local, local:N, auto, ray://HOST:PORT"


def engine(name: str) -> Engine:
    """The engine of this name.

    `here`: this process and its threads. `processes`, `processes:4`: so many local processes. With Ray: `local`,
    `local:4`: a cluster on this machine, which ends with the work; `auto`: the one that was started on this machine, or
    that the environment variable RAY_ADDRESS names; `ray://HOST:PORT`: another one.

    Examples
    --------
    >>> engine("here").name, engine("processes:2").workers
    ('here', 2)
    """
    if name == "auto" or name.startswith("ray://"):
        from runoff.cluster.ray_engine import RayEngine

        return RayEngine(name)
    match = _NAMED.fullmatch(name)
    if match is None or (match[1] == "here" and match[2]):
        raise UsageError(f"there is no cluster {name!r}; there are: {KINDS}.")
    workers = int(match[2]) if match[2] else None
    if match[1] == "here":
        return HERE
    if match[1] == "processes":
        from runoff.cluster.processes import Processes

        return Processes(workers)
    from runoff.cluster.ray_engine import RayEngine

    return RayEngine("local", workers)


@contextlib.contextmanager
def on(name: str) -> Iterator[Engine]:
    """Do the work of the block on the engine of this name, see `engine`; its workers end with the block.

    Results are the same bits as without it.

    Examples
    --------
    >>> import runoff
    >>> data = runoff.NBest.from_arrays([[1, 0], [0, 1]] * 50, quality=[1, 0] * 50, sizes=[2] * 50)
    >>> with on("processes:2"):
    ...     there = runoff.LogLinear().fit(data).model
    >>> (there.weights == runoff.LogLinear().fit(data).model.weights).all()
    np.True_
    """
    with engine(name) as chosen, using(chosen):
        yield chosen
