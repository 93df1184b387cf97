"""The pool of parts: all that the candidates of a group have, each once, and who has it."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

from runoff.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from runoff.arrays import Floats
    from runoff.combine.parts import Part, PartReader
    from runoff.combine.systems import Systems
    from runoff.nbest import NBest


class Pool(NamedTuple):
    """One group's parts, in the order of their spans, and how its candidates and systems see them."""

    texts: Sequence[str]  # of the candidates
    parts: Sequence[Part]
    members: Sequence[Sequence[int]]  # of every candidate, the places of its parts
    firsts: Sequence[int]  # of every system, its first choice; -1 where it has none
    masses: Sequence[Sequence[float]]  # of every system and part: how probable it is by what the system proposed
    given: str | None  # the input
    attributes: Mapping[str, str]

    @property
    def best_first(self) -> list[str]:
        """Texts of the systems' first choices, system by system, then the others."""
        leading = list(dict.fromkeys(at for at in self.firsts if at >= 0))
        others = [at for at in range(len(self.texts)) if at not in set(leading)]
        return [self.texts[at] for at in (*leading, *others)]


def pools(data: NBest, reader: PartReader, systems: Systems) -> Iterator[Pool]:
    """The pools of all groups, one after the other. O(parts of all candidates).

    A part's probability by a system is the share of the system's candidates that have it, weighted by the softmax of
    their scores; or what the system itself says, where the reader knows (`PartReader.probabilities`).

    Examples
    --------
    >>> from runoff.combine.parts import Part, PartReader
    >>> from runoff.combine.systems import Systems
    >>> from runoff.nbest import NBest
    >>> class Letters(PartReader):
    ...     def split(self, texts):
    ...         return [[Part(at, at + 1, letter) for at, letter in enumerate(text)] for text in texts]
    ...     def join(self, parts, texts):
    ...         return "".join(part.label for part in sorted(parts))
    >>> data = NBest.from_arrays(texts=["at", "an"], sizes=[2], base=[-1.0, -1.0])
    >>> pool = next(pools(data, Letters(), Systems.of(data)))
    >>> [part.label for part in pool.parts], pool.masses
    (['a', 'n', 't'], [[1.0, 0.5, 0.5]])
    """
    if data.texts is None:
        raise DataError(f"a combination takes {reader.unit} from texts of candidates, and this data has no texts.")
    texts = data.texts.to_pylist()
    inputs = [None] * len(data) if data.inputs is None else data.inputs.to_pylist()
    names = list(data.attributes)
    rows = zip(*(data.attributes[name].to_pylist() for name in names), strict=True) if names else None
    offsets = data.offsets.tolist()
    for group, (start, stop) in enumerate(itertools.pairwise(offsets)):
        wrong = reader.check(texts[start:stop])
        if wrong:
            raise DataError(f"candidates of list {data.group_ids[group].as_py()!r} cannot be combined: {wrong}.")
        attributes = {} if rows is None else dict(zip(names, next(rows), strict=True))
        yield _pool(
            texts[start:stop],
            reader,
            systems.names,
            systems.ranks[start:stop],
            systems.shares[start:stop],
            inputs[group],
            attributes,
        )


def _pool(
    texts: Sequence[str],
    reader: PartReader,
    names: Sequence[str],
    ranks: Floats,
    shares: Floats,
    given: str | None,
    attributes: Mapping[str, str],
) -> Pool:
    split = reader.split(texts) if texts else []
    told = reader.probabilities(attributes) if attributes else []
    parts = sorted({part for own in split for part in own} | {part for _, part, _ in told})
    place = {part: at for at, part in enumerate(parts)}
    members = [[place[part] for part in own] for own in split]
    masses = []
    for at, name in enumerate(names):
        own = [(part, probability) for system, part, probability in told if system == name]
        mass = [0.0] * len(parts)
        if own:
            for part, probability in own:
                mass[place[part]] = probability
        else:
            for candidate, share in zip(members, shares[:, at].tolist(), strict=True):
                if share:
                    for part_at in set(candidate):
                        mass[part_at] += share
        masses.append(mass)
    firsts = [int(column.argmax()) if column.size and column.max() > 0 else -1 for column in ranks.T]
    return Pool(texts, parts, members, firsts, masses, given, attributes)
