"""A long first round in parts, each kept in a folder as soon as it is parsed, so that an interrupted run goes on.

A part is two files: its lists, and what there is to know of them, written after the lists. A part without the second
file, or whose lists are not those that it speaks of, was never finished. Names begin with a key made from everything
that the lists depend on: parts of other data or other settings are never taken.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from runoff.errors import RunoffError
from runoff.files import reason, replacing
from runoff.tasks.parsing.first_round_summary import ProposalCounts
from runoff.tasks.parsing.jsonl_lists import read
from runoff.tasks.parsing.lists import write_lists

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from runoff.tasks.parsing.first_round import Proposed
    from runoff.tasks.parsing.parse_list import ParseList
    from runoff.tasks.parsing.treebank import Sentence

SIZE = 50  # sentences in a part: some seconds of work
VERSION = 1  # of what parts hold; a new one makes parts that were kept useless
_KEY = 16  # letters
_OURS = re.compile(r"\.?([0-9a-f]{16})-[0-9]+-[0-9]+\.json(l\.zst)?(\..*\.part)?")


def key_of(sentences: Iterable[Sentence], folds: Iterable[int], **settings: Any) -> str:
    """A name for everything that the lists depend on. O(nodes)."""
    digest = hashlib.sha256(orjson.dumps({"parts": [VERSION, SIZE], **settings}, option=orjson.OPT_SORT_KEYS))
    for sentence, fold in zip(sentences, folds, strict=True):
        digest.update(orjson.dumps([sentence.id, sentence.document, fold, str(sentence.tree)]))
    return digest.hexdigest()[:_KEY]


@dataclass(frozen=True)
class FoldPart:
    """Sentences of one fold that are parsed together, and where their lists are kept."""

    folder: Path
    name: str
    fold: int
    sentences: Sequence[Sentence]
    depths: tuple[int, ...]

    @property
    def path(self) -> Path:
        """File of the lists."""
        return self.folder / f"{self.name}.jsonl.zst"

    @property
    def _about(self) -> Path:
        return self.folder / f"{self.name}.json"

    def keep(self, proposed: Iterable[Proposed]) -> ProposalCounts:
        """Write the lists of this part, then what there is to know of them."""
        tally = ProposalCounts(self.depths)

        def passing() -> Iterator[ParseList]:
            for each in proposed:
                tally.add(each)
                yield each.parses

        try:
            self.folder.mkdir(exist_ok=True)
        except OSError as error:
            raise RunoffError(f"{self.folder} cannot be made, to keep what is parsed: {reason(error)}.") from error
        write_lists(passing(), self.path)
        about = {"lists": _checksum(self.path), "tally": tally.to_dict()}
        with replacing(self._about) as temporary:
            temporary.write_bytes(orjson.dumps(about))
        return tally

    def kept(self) -> ProposalCounts | None:
        """What there is to know of the lists, if they are there and whole. O(bytes)."""
        try:
            about = orjson.loads(self._about.read_bytes())
            if about["lists"] != _checksum(self.path):
                return None
            return ProposalCounts(**{**about["tally"], "depths": self.depths})
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def lists(self) -> Iterator[ParseList]:
        """The lists that were kept, one in memory at a time."""
        return read(self.path, [])


def parts_of(
    sentences: Sequence[Sentence], folds: Sequence[int], folder: Path, key: str, depths: tuple[int, ...]
) -> dict[int, list[FoldPart]]:
    """Parts of every fold, sentences in their order."""
    found: dict[int, list[FoldPart]] = {}
    for fold in sorted(set(folds)):
        mine = [sentence for sentence, its in zip(sentences, folds, strict=True) if its == fold]
        found[fold] = [
            FoldPart(folder, f"{key}-{fold}-{start // SIZE}", fold, mine[start : start + SIZE], depths)
            for start in range(0, len(mine), SIZE)
        ]
    return found


def count_stale(folder: Path, key: str) -> int:
    """How many parts of other data or other settings are in the folder."""
    return sum(match[1] != key and not match[2] and not match[3] for _, match in _files(folder))


def remove(folder: Path) -> None:
    """Take away all parts, and the folder if there is nothing else in it."""
    for path, _ in _files(folder):
        path.unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # not there, or the person keeps something else in it
        folder.rmdir()


def _files(folder: Path) -> list[tuple[Path, re.Match[str]]]:
    if not folder.is_dir():
        return []
    return [(path, match) for path in folder.iterdir() if (match := _OURS.fullmatch(path.name))]


def _checksum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
