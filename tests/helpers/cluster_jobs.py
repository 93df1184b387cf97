"""Functions that workers of any engine find by name: work that ends well, in an error, or with its worker."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

from runoff.errors import DataError

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa


def scaled(piece: int, values: np.ndarray) -> np.ndarray:
    return piece * values


def about(_: int, frozen: np.ndarray, own: np.ndarray, texts: pa.Array) -> tuple[bool, bool, float, list[str]]:
    own += 1.0
    return frozen.flags.writeable, own.flags.writeable, float(own[0]), texts.to_pylist()


def wrong(piece: int) -> None:
    if piece == 2:
        raise DataError("expected a tree.", path="lists.jsonl", line=7)


def broken(piece: int) -> float:
    return 1 / piece


def die(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_once(piece: int, mark: str) -> int:
    """The worker of piece 3 is killed, the first time."""
    if piece == 3 and _is_first(mark):
        os.kill(os.getpid(), signal.SIGKILL)
    return piece * piece


def begun(piece: int) -> list[int]:
    return [piece]


def added(state: list[int], message: int) -> list[int]:
    state.append(message)
    return list(state)


def added_or_dead(state: list[int], message: tuple[int, str]) -> list[int]:
    if state[0] == 20 and _is_first(message[1]):
        os.kill(os.getpid(), signal.SIGKILL)
    return added(state, message[0])


def process(_: int) -> int:
    return os.getpid()


def _is_first(mark: str) -> bool:
    try:
        Path(mark).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True
