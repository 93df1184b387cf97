"""Makes the table of supersenses that ships with Runoff: `python scripts/supersenses.py /usr/share/wordnet`.

The folder has WordNet's files, as Debian's package wordnet-base installs them. Their licence stands beside the table.
"""

from __future__ import annotations

import sys
from pathlib import Path

from runoff.tasks.answers.supersenses import Supersenses

TABLE = Path(__file__).parents[1] / "src" / "runoff" / "tasks" / "answers" / "wordnet" / "supersenses.runoff"

if __name__ == "__main__":
    Supersenses.from_wordnet(sys.argv[1]).save(TABLE)
