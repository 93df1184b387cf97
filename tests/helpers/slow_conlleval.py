"""The rules of conlleval (Perl, version of 2004-01-26) in plain Python."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_ENDS = {"BB", "BO", "IB", "IO", "EE", "EI", "EO"}  # letters before and after, where a phrase ends between them
_STARTS = {"BB", "IB", "OB", "OI", "EE", "EI", "OE"}
Counts = tuple[int, int, int, int, int]


def parts(tag: str) -> tuple[str, str]:
    letter, hyphen, kind = tag.partition("-")
    return (letter, "" if kind == "0" else kind) if hyphen else (tag, "")


def ends(last: tuple[str, str], now: tuple[str, str]) -> bool:
    return (
        last[0] + now[0] in _ENDS
        or (last[0] not in ("O", ".") and last[1] != now[1])
        or last[0] in ("[", "]")
    )  # fmt: skip


def starts(last: tuple[str, str], now: tuple[str, str]) -> bool:
    return (
        last[0] + now[0] in _STARTS
        or (now[0] not in ("O", ".") and last[1] != now[1])
        or now[0] in ("[", "]")
    )  # fmt: skip


def slow_conlleval(
    gold: Sequence[Sequence[str]], guessed: Sequence[Sequence[str]], *, raw: bool = False
) -> tuple[Counts, dict[str, tuple[int, int, int]]]:
    """Right, guessed and gold phrases, right tags and tokens; and the first three by type."""
    right, found, real = Counter[str](), Counter[str](), Counter[str]()
    tags = tokens = 0
    for one, other in zip(gold, guessed, strict=True):
        last_gold = last_guess = ("O", "")
        on_the_way = False
        pairs = list(zip(one, other, strict=True))
        if raw:
            pairs = [(x if x == "O" else f"B-{x}", y if y == "O" else f"B-{y}") for x, y in pairs]
        for at, (x, y) in enumerate([*pairs, ("O", "O")]):  # the last is the blank line
            now_gold, now_guess = parts(x), parts(y)
            gold_ends, guess_ends = ends(last_gold, now_gold), ends(last_guess, now_guess)
            if on_the_way and gold_ends and guess_ends and last_gold[1] == last_guess[1]:
                on_the_way = False
                right[last_gold[1]] += 1
            elif on_the_way and (gold_ends != guess_ends or now_gold[1] != now_guess[1]):
                on_the_way = False
            gold_starts, guess_starts = starts(last_gold, now_gold), starts(last_guess, now_guess)
            if gold_starts and guess_starts and now_gold[1] == now_guess[1]:
                on_the_way = True
            real[now_gold[1]] += gold_starts
            found[now_guess[1]] += guess_starts
            if at < len(pairs):
                tags += now_gold == now_guess
                tokens += 1
            last_gold, last_guess = now_gold, now_guess
    types = {kind for counts in (real, found) for kind, count in counts.items() if count}
    by_type = {kind: (right[kind], found[kind], real[kind]) for kind in sorted(types)}
    return (right.total(), found.total(), real.total(), tags, tokens), by_type
