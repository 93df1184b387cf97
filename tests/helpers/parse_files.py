"""Files of parses, written for a test."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from runoff.tasks.parsing import ParseList

ONE, TWO, THREE = "(S1 (NP (NN time) (NNS flies)))", "(S1 (S (NP (NN time)) (VP (VBZ flies))))", "(S1 (INTJ (UH oh)))"
GOLD = "(S1 (S (NP (NN time)) (VP (VBZ flies))))"
# A list with everything that JSON lines may have, and two lists as the BLLIP parser prints them.
WHOLE = {
    "id": "d#0",
    "fold": 3,
    "doc": "d",
    "tokens": ["time", "flies"],
    "gold": GOLD,
    "nbest": [[-31.25, ONE], [-32, TWO]],
}
PRINTED = f"2\tsent_0\n-31.25\n{ONE}\n-32.5\n{TWO}\n\n1\tsent_1\n-7e+01\n{THREE}\n\n"
EXPECTED = [("sent_0", [-31.25, -32.5], [ONE, TWO]), ("sent_1", [-70.0], [THREE])]


def file(folder: Path, content: str | bytes, name: str = "lists") -> Path:
    """Write a file, with the folders that it needs."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def contents(lists: Iterable[ParseList]) -> list[tuple[str, list[float], list[str]]]:
    """Ids, scores and trees."""
    return [(each.id, each.scores, each.trees) for each in lists]
