"""One alignment from the alignments of both directions, as Moses makes it (Koehn, Och and Marcu 2003; Och & Ney 2003).

Forward is the alignment that looks for the source position of every target word, backward the other one.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from runoff.arrays import frozen
from runoff.errors import UsageError
from runoff.kernels.symmetrisation import grown
from runoff.parallel import even_cuts, in_threads
from runoff.tasks.translation.alignments import Alignments

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.arrays import Ints
    from runoff.parallel import Apply

Symmetrisation = Literal[
    "forward", "backward", "intersection", "union", "grow-diag", "grow-diag-final", "grow-diag-final-and"
]
_PIECES = 16


def symmetrised(
    forward: Alignments,
    backward: Alignments,
    source_lengths: Ints,
    target_lengths: Ints,
    how: Symmetrisation = "grow-diag-final-and",
    apply: Apply = in_threads,
) -> Alignments:
    """Links of both directions made one set.

    "forward" and "backward" are one direction as it is; "grow-diag" starts from the intersection and adds neighbours
    from the union that connect a word without link, "grow-diag-final" then adds links that connect at least one word
    without link, and "grow-diag-final-and" such as connect two. The results are those of Moses' `symal`, which depend
    on the order in which it looks at links. O(source words times target words) for every pair.

    Examples
    --------
    >>> forward, backward = Alignments.of([[(0, 0), (0, 1)]]), Alignments.of([[(0, 0), (1, 1)]])
    >>> lengths = np.array([2])
    >>> for how in ("intersection", "union", "grow-diag"):
    ...     print(symmetrised(forward, backward, lengths, lengths, how).to_pharaoh())
    ['0-0']
    ['0-0 0-1 1-1']
    ['0-0 0-1 1-1']
    """
    if how not in get_args(Symmetrisation):
        raise UsageError(
            f"there is no way to symmetrise alignments named {how!r}; there are: {', '.join(get_args(Symmetrisation))}."
        )
    if not len(forward) == len(backward) == source_lengths.size == target_lengths.size:
        raise UsageError(
            f"there are {len(forward):,} forward and {len(backward):,} backward alignments of {source_lengths.size:,} "
            f"source and {target_lengths.size:,} target sentences."
        )
    for alignments, name in ((forward, "forward"), (backward, "backward")):
        _check(alignments, name, source_lengths, target_lengths)
    simple = _SIMPLE.get(how)
    if simple is not None:
        return simple(forward, backward)
    room = np.diff(forward.offsets) + np.diff(backward.offsets)
    offsets = np.concatenate([[0], np.cumsum(room)])
    source, target = np.empty(offsets[-1], np.int32), np.empty(offsets[-1], np.int32)
    sizes = np.zeros(room.size, np.int64)
    lengths = source_lengths.astype(np.int64), target_lengths.astype(np.int64)
    final, final_and = how != "grow-diag", how == "grow-diag-final-and"

    def grow(piece: tuple[int, int]) -> None:
        grown(
            *piece,
            *lengths,
            forward.offsets,
            forward.source,
            forward.target,
            backward.offsets,
            backward.source,
            backward.target,
            final,
            final_and,
            sizes,
            offsets,
            source,
            target,
        )

    cuts = even_cuts(np.concatenate([[0], np.cumsum(lengths[0] * lengths[1])]), _PIECES).tolist()
    apply(grow, list(pairwise(cuts)))
    ends = np.concatenate([[0], np.cumsum(sizes)])
    places = np.arange(ends[-1]) + np.repeat(offsets[:-1] - ends[:-1], sizes)
    return Alignments(frozen(ends), frozen(source[places]), frozen(target[places]))


def _check(alignments: Alignments, name: str, source_lengths: Ints, target_lengths: Ints) -> None:
    pair_of = alignments.pair_of
    for positions, lengths in ((alignments.source, source_lengths), (alignments.target, target_lengths)):
        beyond = (positions < 0) | (positions >= lengths[pair_of])
        if beyond.any():
            pair = int(pair_of[np.argmax(beyond)])
            raise UsageError(f"a {name} link of sentence pair {pair} is beyond its words.")


def _combined(forward: Alignments, backward: Alignments, *, least: int) -> Alignments:
    """Links that are in at least so many of the two. O(links log)."""
    pair_of, source, target = (
        np.concatenate(parts)
        for parts in zip(*((x.pair_of, x.source, x.target) for x in (forward, backward)), strict=True)
    )
    order = np.lexsort((target, source, pair_of))
    pair_of, source, target = pair_of[order], source[order], target[order]
    is_same = np.zeros(order.size, np.bool_)
    is_same[1:] = (np.diff(pair_of) == 0) & (np.diff(source) == 0) & (np.diff(target) == 0)
    chosen = is_same if least == 2 else ~is_same
    return Alignments.of_arrays(pair_of[chosen], source[chosen], target[chosen], len(forward))


_SIMPLE: dict[str, Callable[[Alignments, Alignments], Alignments]] = {
    "forward": lambda forward, backward: forward,  # noqa: ARG005
    "backward": lambda forward, backward: backward,  # noqa: ARG005
    "intersection": lambda forward, backward: _combined(forward, backward, least=2),
    "union": lambda forward, backward: _combined(forward, backward, least=1),
}
