"""Files with accidents: what a disk, a broken program or an attacker makes of valid ones."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_ACCIDENTS = (1, 1, 1, 2, 4)  # one alone often leaves a file valid, and then it matters what is read
_PIECES = (1, 1, 2, 5, 40)  # most bytes that an accident moves, repeats or removes


def mutants(seed_files: Sequence[bytes], n: int, seed: int, tokens: Sequence[bytes] = ()) -> Iterator[bytes]:
    """`n` files, each a valid one after a few accidents; the same arguments give the same files.

    With `tokens`, half of the accidents insert words of the format or swap them for one another.

    Examples
    --------
    >>> list(mutants([b"first line", b"second"], 3, seed=1)) == list(mutants([b"first line", b"second"], 3, seed=1))
    True
    """
    rng = random.Random(seed)
    accidents = _Accidents(rng, seed_files, tokens)
    to_bytes = [
        *(accidents.flip, accidents.change, accidents.delete, accidents.insert, accidents.repeat),
        *(accidents.repeat_line, accidents.move, accidents.truncate, accidents.splice),
    ]
    to_tokens = [accidents.insert_token, accidents.swap_token]
    for _ in range(n):
        content = bytearray(rng.choice(seed_files))
        for _ in range(rng.choice(_ACCIDENTS)):
            rng.choice(to_tokens if tokens and rng.random() < 0.5 else to_bytes)(content)
        yield bytes(content)


class _Accidents:
    """Each changes the content in place."""

    def __init__(self, rng: random.Random, files: Sequence[bytes], tokens: Sequence[bytes]) -> None:
        self.rng, self.files, self.tokens = rng, files, tokens

    def _place(self, content: Sequence[int]) -> int:
        return self.rng.randint(0, len(content))

    def _piece(self, content: bytearray) -> slice:
        start = self._place(content)
        return slice(start, start + self.rng.randint(1, self.rng.choice(_PIECES)))

    def flip(self, content: bytearray) -> None:
        if content:
            content[self.rng.randrange(len(content))] ^= 1 << self.rng.randrange(8)

    def change(self, content: bytearray) -> None:
        if content:
            content[self.rng.randrange(len(content))] = self.rng.randrange(256)

    def delete(self, content: bytearray) -> None:
        del content[self._piece(content)]

    def insert(self, content: bytearray) -> None:
        place = self._place(content)
        content[place:place] = self.rng.randbytes(self.rng.randint(1, 3))

    def repeat(self, content: bytearray) -> None:
        piece = self._piece(content)
        content[piece.start : piece.start] = content[piece] * self.rng.randint(1, 4)

    def repeat_line(self, content: bytearray) -> None:
        place = self._place(content)
        start = content.rfind(b"\n", 0, place) + 1
        end = content.find(b"\n", place) + 1 or len(content)
        content[start:start] = content[start:end]

    def move(self, content: bytearray) -> None:
        piece = self._piece(content)
        moved = content[piece]
        del content[piece]
        place = self._place(content)
        content[place:place] = moved

    def truncate(self, content: bytearray) -> None:
        del content[self._place(content) :]

    def splice(self, content: bytearray) -> None:
        other = self.rng.choice(self.files)
        content[self._place(content) :] = other[self._place(other) :]

    def insert_token(self, content: bytearray) -> None:
        place = self._place(content)
        content[place:place] = self.rng.choice(self.tokens)

    def swap_token(self, content: bytearray) -> None:
        found = [token for token in self.tokens if token and token in content]
        if not found:
            return
        token = self.rng.choice(found)
        start = -1
        for _ in range(self.rng.randint(1, content.count(token))):
            start = content.find(token, start + 1)
        content[start : start + len(token)] = self.rng.choice(self.tokens)
