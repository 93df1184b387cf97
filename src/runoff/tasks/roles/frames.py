"""PropBank's frames: which numbered roles the predicates of a lemma can have."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING

from runoff.errors import DataError
from runoff.formats.streams import read_all

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def read_frames(path: str | Path) -> dict[str, str]:
    """Read frames from JSON: roleset to its roles, `{"get.01": {"roles": {"0": "getter", "1": "thing got"}}}`.

    Gives the numbers of all roles of a lemma's rolesets, in order: `{"get": "01234"}`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "frames.json"
    >>> _ = path.write_text('{"get.01": {"roles": {"0": "a", "1": "b"}}, "get.02": {"roles": {"4": "c"}}}')
    >>> read_frames(path)
    {'get': '014'}
    """
    try:
        content = json.loads(read_all(path))
    except ValueError as error:
        raise DataError(f"expected frames as JSON: {error}.", path=path) from error
    if not isinstance(content, dict) or not content:
        raise DataError('expected frames as {"get.01": {"roles": {"0": "getter"}}}.', path=path)
    found: defaultdict[str, set[str]] = defaultdict(set)
    for roleset, frame in content.items():
        roles = frame.get("roles") if isinstance(frame, dict) else None
        if not isinstance(roles, dict):
            raise DataError(f"the roleset {roleset!r} has no roles.", path=path)
        found[lemma_of(roleset)].update(number for number in roles if len(number) == 1 and number in "012345")
    return {lemma: "".join(sorted(numbers)) for lemma, numbers in found.items()}


def lemma_of(roleset: str) -> str:
    """The lemma of a roleset.

    Examples
    --------
    >>> lemma_of("get.01"), lemma_of("take_over.02")
    ('get', 'take_over')
    """
    return roleset.rpartition(".")[0] or roleset


def allowed_core(frames: Mapping[str, str], lemma: str) -> frozenset[str] | None:
    """Core labels that a predicate may have; None where its lemma is not known: all."""
    numbers = frames.get(lemma)
    return None if numbers is None else frozenset(f"A{number}" for number in numbers)
