"""What speaks for a word in its slot of a confusion network, beyond how many texts have it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from runoff.tasks.text.confusion_network import NOTHING
from runoff.tasks.text.word_counts import END, START, WordCounts

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from runoff.combine.parts import Part

_FEW = 6  # texts of which every one has a name of its own, and words of a slot that are counted
_MOST_RIVALS = 3
_LONG = 12  # letters
_EDGE = 3  # slots from the end
_FLUENT = 6  # powers of two


def word_clues(
    parts: Sequence[Part],
    rows: Sequence[Sequence[str]],
    likeness: Callable[[str, str], float],
    counts: WordCounts | None = None,
) -> list[list[str]]:
    """Names of what is true of every part; `rows` are the words of the texts by slot, the best text first.

    Of any word: nothing, number or capital letter, and how near the end. Where texts differ also: how many different
    words there are, and which texts have this one (in lists of up to six); the best text's word and the rivals, and how
    alike they are spelled; the best text's words to the left and the right, with and without this one, and whether it
    repeats them; its length, and whether it is two adjacent words of some text in one. With counts of words: how often
    it occurs, by itself and beside its neighbours, and how much more fluent it is there than its rivals.
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
            *(
                _contested(part, rows[0], columns, joined, likeness, counts)
                if len(set(columns[part.start])) > 1
                else ()
            ),
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
    counts: WordCounts | None,
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
    return found if counts is None else found + _fluency(word, rivals, left, right, counts)


def _fluency(word: str, rivals: Sequence[str], left: str, right: str, counts: WordCounts) -> list[str]:
    """What counts say of a word, in powers of two."""
    lead = counts.fluency(left, word, right) - max(counts.fluency(left, rival, right) for rival in rivals)
    kind = "fluent without" if word == NOTHING else "fluent with" if NOTHING in rivals else "fluent"
    found = [f"{kind}:{max(-_FLUENT, min(_FLUENT, round(lead)))}"]
    if word != NOTHING:
        before, after = counts.pair(left, word), counts.pair(word, right)
        found.append(f"count:{min(counts.word(word).bit_length(), _FEW)}")
        found += [f"after:{min(before.bit_length(), _EDGE)}", f"before:{min(after.bit_length(), _EDGE)}"]
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
