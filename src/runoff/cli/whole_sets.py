"""What it takes to have a folder of shards as a whole, told before it starts."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from runoff.cli.options import say
from runoff.errors import UsageError

_SHARE = 0.5  # of the available memory, above which data is kept on disk


def say_what_it_takes(path: Path, columns: str | None, *, bounded: bool) -> None:
    """Say how much memory or disk the whole set takes; keep it on disk where it would take half of the memory."""
    from runoff.formats.shard_set import ShardSet
    from runoff.memory import Bounds, bounds_now, in_words, keep_bounded

    size, free = ShardSet(path, columns).size, _available()
    if not bounded and free is not None and size > _SHARE * free:
        keep_bounded(Bounds(int(_SHARE * free), Path(os.environ.get("RUNOFF_WORK") or tempfile.gettempdir())))
    bounds = bounds_now()
    if bounds is None:
        say(f"all of {path} is needed at once: about {in_words(size)} of memory.")
        return
    if size > bounds.room:
        raise UsageError(
            f"all of {path} is needed at once: about {in_words(size)} of disk, and {bounds.folder} has "
            f"{in_words(bounds.room)}; name a folder with more room by --work."
        )
    say(
        f"all of {path} is needed at once: about {in_words(size)} of disk under {bounds.folder}, and as much again or "
        f"more for what is made of it; at most {in_words(bounds.memory)} are resident."
    )


def _available() -> int | None:
    """Bytes of memory that programs can still take; None where the system does not tell."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    found = dict(line.split(":", 1) for line in lines)
    return int(found["MemAvailable"].split()[0]) << 10 if "MemAvailable" in found else None
