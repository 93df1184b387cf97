"""What speaks for a word in its slot of a confusion network, beyond how many texts have it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from runoff.tasks.text.confusion_network import NOTHING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from runoff.combine.parts import Part

START, END = "<s>", "</s>"
_FEW = 6  # texts of which every one has a name of its own, and words of a slot that are counted
_MOST_RIVALS = 3
_LONG = 12  # letters
_EDGE = 3  # slots from the end


def word_clues(
    parts: Sequence[Part], rows: Sequence[Sequence[str]], likeness: Callable[[str, str], float]
) -> list[list[str]]:
    """Names of what is true of every part; `rows` are the words of the texts by slot, the best text first.

    Of any word: nothing, number or capital letter, and how near the end. Where texts differ also: how many different
    words there are, and which texts have this one (in lists of up to six); the best text's word and the rivals, and how
    alike they are spelled; the best text's words to the left and the right, with and without this one, and whether it
    repeats them; its length, and whether it is two adjacent words of some text in one.
    O(slots x texts + parts x different words).

    Examples
    --------
    >>> from runoff.combine.parts import Part
    >>> rows = [["a", "cat"], ["a", "cad"]]
    >>> word_clues([Part(1, 2, "cad")], rows, lambda one, other: 0.67)[0][:6]
    ['from end:0', 'different:2', 'in:2', 'not best', 'for:cat', 'cat>cad']
    """
    if not rows:
        return [[] for _ in parts]
    said = ([word for word in row if word != NOTHING] for row in rows)
    joined = {one + other for row in said for one, other in pairwise(row)}
    columns = list(zip(*rows, strict=True))
    return [
        [
            *_form(part, len(columns)),
            *(_contested(part, rows[0], columns, joined, likeness) if len(set(columns[part.start])) > 1 else ()),
        ]
        for part in parts
    ]


def _form(part: Part, slots: int) -> list[str]:
    """What can be said of any word."""
    word = part.label
    found = [f"from end:{min(slots - 1 - part.start, _EDGE)}"]
    if word == NOTHING:
        found.append("nothing")
    elif any(map(str.isdigit, word)):
        found.append("number")
    elif word[0].isupper():
        found.append("capital")
    return found


def _contested(
    part: Part,
    best: Sequence[str],
    columns: Sequence[Sequence[str]],
    joined: Collection[str],
    likeness: Callable[[str, str], float],
) -> list[str]:
    """What can be said of a word in a slot where texts differ."""
    slot, word = part.start, part.label
    rivals = [rival for rival in dict.fromkeys(columns[slot]) if rival != word]
    against = rivals[0] if word == best[slot] else best[slot]
    left, right = beside(best, slot)
    found = [f"different:{min(len(rivals) + 1, _FEW)}"]
    if len(columns[slot]) <= _FEW:
        found.append("in:" + "+".join(str(at + 1) for at, there in enumerate(columns[slot]) if there == word))
    found += ["best"] if word == best[slot] else ["not best", f"for:{best[slot]}"]
    found += [f"{rival}>{word}" for rival in rivals[:_MOST_RIVALS]]
    found += [f"left:{left}", f"right:{right}", f"left:{left} {word}", f"right:{word} {right}"]
    if word != NOTHING:
        found.append(f"letters:{min(len(word), _LONG)}")
        found += ["repeated"] * (word in (left, right)) + ["joined"] * (word in joined)
        if against != NOTHING:
            found.append(f"alike:{likeness(word, against):.1f}")
    return found


def beside(row: Sequence[str], slot: int) -> tuple[str, str]:
    """The next words to the left and to the right of a slot.

    Examples
    --------
    >>> beside(["a", "", "cat", "sat"], 2), beside(["a"], 0)
    (('a', 'sat'), ('<s>', '</s>'))
    """
    left = next((row[at] for at in range(slot - 1, -1, -1) if row[at] != NOTHING), START)
    right = next((row[at] for at in range(slot + 1, len(row)) if row[at] != NOTHING), END)
    return left, right
