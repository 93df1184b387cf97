"""Opens mutant after mutant and says what happened: `python -m fuzzing.child FOLDER SEED START STOP TARGET…`.

One line for each: target, number and `accepted`, `refused`, or the error that nobody should see. A line without an
outcome is a crash; the parent sees it. `START` is the first mutant of the first target.
"""

from __future__ import annotations

import contextlib
import io
import os
import resource
import sys
import traceback
import warnings
from pathlib import Path

from fuzzing.targets import TARGETS
from helpers.compile_once import compile_once
from runoff.errors import RunoffError

_MOST_MEMORY = 3 << 30


def main() -> None:
    folder, seed, start, stop = Path(sys.argv[1]), *map(int, sys.argv[2:5])
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (_MOST_MEMORY, _MOST_MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")
    compile_once()
    for name in sys.argv[5:]:
        _attack(name, folder / name, seed, start, stop)
        start = 0


def _attack(name: str, folder: Path, seed: int, start: int, stop: int) -> None:
    target = TARGETS[name]
    files = [path.read_bytes() for path in sorted((folder / "seeds").iterdir())]
    place = folder / f"mutant{target.suffix}"
    out = os.fdopen(os.dup(1), "w", buffering=1)
    for at in range(start, stop):
        out.write(f"{name}\t{at}\t")
        out.flush()
        # The first ones are the files themselves, which must be accepted.
        place.write_bytes(files[at] if at < len(files) else target.mutant(files, seed * 1_000_003 + at))
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                target.use(place)
            outcome = "accepted"
        except RunoffError as error:
            outcome = "refused" if at >= len(files) else f"a file without damage was refused: {error}"
        except BaseException:
            outcome = "traceback " + traceback.format_exc(limit=-3).replace("\n", " | ")
        out.write(outcome + "\n")


if __name__ == "__main__":
    main()
