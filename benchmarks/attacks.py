"""Files of an attacker: mutants of every format, model, grammar and checkpoint, and how each of them ended.

Mutants are opened and used in processes of their own, with numba's bounds checks on: `accepted` (still a valid file),
`refused` with a sentence, or a failure: a crash, a traceback, an endless loop, more than 3 GiB of memory, or lists that
were accepted and cannot be written and read again. The first mutants are the valid files themselves.
Usage: python benchmarks/attacks.py [--seed N] [kind of file …]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from runoff.tables import text_table
from shared import finish

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from fuzzing.run import attack
from fuzzing.targets import FORMATS, TARGETS, TOOL_FILES

PER_FORMAT, PER_MODEL, PER_TOOL = 1000, 250, 200


def main() -> None:
    """Attack, and count."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("names", nargs="*", help="kinds of files; all of them by default")
    given = parser.parse_args()
    rows, found = [], {}
    with tempfile.TemporaryDirectory() as compiled:
        for name in given.names or TARGETS:
            mutants = PER_FORMAT if name in FORMATS else PER_TOOL if name in TOOL_FILES else PER_MODEL
            counts = attack([name], mutants, given.seed, checked=Path(compiled))[name]
            numbers = {"mutants": mutants, "accepted": counts.accepted, "refused": counts.refused}
            found[name] = numbers | {"failures": len(counts.failures)}
            rows.append([name, *(f"{number:,}" for number in found[name].values())])
            sys.stderr.write(f"{name}: {found[name]} {counts.failures[:3]}\n")
    print(text_table(["kind of file", "mutants", "accepted", "refused", "failures"], rows))
    finish(found)


main()
