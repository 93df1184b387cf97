"""Two long texts side by side: only the words around their differences."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from runoff.tables import shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

_CONTEXT = 4  # words to show before and after a difference
_LONG = 30  # characters of a word from which on characters are compared, as in scripts without spaces
_MOST = 300  # words that are compared: more than are shown, and where words repeat it takes the cube of their number


def differences(a: str, b: str, limit: int = 100) -> tuple[str, str]:
    """Both texts cut to their differences, which stand in brackets, if one of them is longer than `limit` characters.

    A side ends, with an ellipsis, after the difference that takes it beyond twice the limit. Up to O(words³) for the
    words between the common beginning and the common end, of which at most 300 are compared.

    Examples
    --------
    >>> same = "and so on " * 12
    >>> for text in differences(f"{same}the cat sat {same}", f"{same}the cats at {same}"):
    ...     print(text)
    … and so on the [cat sat] and so on and …
    … and so on the [cats at] and so on and …
    """
    left, right = a.split(), b.split()
    if max(len(" ".join(left)), len(" ".join(right))) <= limit or left == right:
        return shorten(a, limit), shorten(b, limit)
    between = " "
    if max(map(len, left + right)) > _LONG:
        left, right, between = list(" ".join(left)), list(" ".join(right)), ""
    start, end, other_end = _middle(left, right)
    matcher = difflib.SequenceMatcher(
        None, left[start : min(end, start + _MOST)], right[start : min(other_end, start + _MOST)], autojunk=False
    )
    changes = [step[1:] for step in matcher.get_opcodes() if step[0] != "equal"]
    return (
        _side(left, [(start + low, start + high) for low, high, _, _ in changes], between, limit),
        _side(right, [(start + low, start + high) for _, _, low, high in changes], between, limit),
    )


def changed_words(a: str, b: str) -> tuple[list[int], list[int]]:
    """Places of the words of each text that the other has not, or has elsewhere. Up to O(words³).

    Examples
    --------
    >>> changed_words("the cat sat", "the cats sat down")
    ([1], [1, 3])
    """
    left, right = a.split(), b.split()
    steps = difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    changes = [step[1:] for step in steps if step[0] != "equal"]
    ours = [at for low, high, _, _ in changes for at in range(low, high)]
    return ours, [at for _, _, low, high in changes for at in range(low, high)]


def _middle(a: Sequence[str], b: Sequence[str]) -> tuple[int, int, int]:
    """Where the common beginning stops, and where the common end starts in each."""
    start, most = 0, min(len(a), len(b))
    while start < most and a[start] == b[start]:
        start += 1
    end = 0
    while end < most - start and a[-1 - end] == b[-1 - end]:
        end += 1
    return start, len(a) - end, len(b) - end


def _side(words: Sequence[str], changes: Sequence[tuple[int, int]], between: str, limit: int) -> str:
    shown: list[str] = []
    at = 0  # the first word that is not shown yet
    for start, stop in changes:
        before = max(at, start - _CONTEXT)
        if shown:
            after = min(at + _CONTEXT, before)
            shown.append(between.join(words[at:after]))
            shown += ["…"] * (before > after)
        elif before > 0:
            shown.append("…")
        shown.append(between.join(words[before:start]))
        shown.append(f"[{shorten(between.join(words[start:stop]), limit)}]")
        at = stop
        if sum(map(len, shown)) > 2 * limit:
            break
    shown.append(between.join(words[at : at + _CONTEXT]))
    shown += ["…"] * (at + _CONTEXT < len(words))
    return " ".join(filter(None, shown))
