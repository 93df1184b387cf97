"""What stands between quotation marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# A mark that opens a quotation, and those that close it; corpora with straight quotes have the same for both.
_MARKS = {
    "``": ("''", "``", '"'),
    '"': ('"', "''"),
    "“": ("”", "“"),
    "‘": ("’",),
    "`": ("'",),
    "«": ("»",),
    "„": ("“", "”"),
}
_MOST = 12  # words of a quotation; longer ones come from a mark that another should have closed


def quotations(words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """First word and the one after the last of every quotation, without its marks. O(words).

    A mark that is not closed opens nothing.

    Examples
    --------
    >>> list(quotations(["Who", "sang", "``", "Blue", "Moon", "''", "?"]))
    [(3, 5)]
    """
    at = 0
    while at < len(words):
        closing = _MARKS.get(words[at], ())
        stop = next((to for to in range(at + 1, min(len(words), at + _MOST + 2)) if words[to] in closing), None)
        if stop is not None and stop > at + 1:
            yield at + 1, stop
        at = at + 1 if stop is None else stop + 1
