"""Checkpoints of a long first round: parts of the lists, saved as soon as they are parsed, so that a run can resume.

A part is two files: its lists, and their statistics with a checksum, written afterwards. A part without the second
file, or with another checksum, was never finished. File names start with a key made from everything that the lists
depend on, so parts of other data or settings are never used.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from runoff.errors import DataError, RunoffError, brief
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

SIZE = 50  # sentences per part: a few seconds of work
VERSION = 2  # of the content of parts; a new version invalidates saved parts
_KEY = 16  # characters
_OURS = re.compile(r"\.?([0-9a-f]{16})-[0-9]+-[0-9]+\.json(l\.zst)?(\..*\.part)?")


def key_of(sentences: Iterable[Sentence], folds: Iterable[int], **settings: Any) -> str:
    """A hash of everything that the lists depend on. O(nodes)."""
    digest = hashlib.sha256(orjson.dumps({"parts": [VERSION, SIZE], **settings}, option=orjson.OPT_SORT_KEYS))
    for sentence, fold in zip(sentences, folds, strict=True):
        digest.update(orjson.dumps([sentence.id, sentence.document, fold, str(sentence.tree)]))
    return digest.hexdigest()[:_KEY]


@dataclass(frozen=True)
class FoldPart:
    """Sentences of one fold that are saved together."""

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
        """Write the lists of this part, then their statistics."""
        tally = ProposalCounts(self.depths)

        def passing() -> Iterator[ParseList]:
            for each in proposed:
                tally.add(each)
                yield each.parses

        try:
            self.folder.mkdir(exist_ok=True)
        except OSError as error:
            raise RunoffError(f"{self.folder} cannot be created to save what is parsed: {reason(error)}.") from error
        write_lists(passing(), self.path)
        counts = tally.to_dict()
        about = {"checksum": self._checksum(counts), "tally": counts}
        with replacing(self._about) as temporary:
            temporary.write_bytes(orjson.dumps(about))
        return tally

    def kept(self) -> ProposalCounts | None:
        """Statistics of the saved lists; None if they are missing or incomplete. O(bytes)."""
        try:
            about = orjson.loads(self._about.read_bytes())
            if about["checksum"] != self._checksum(about["tally"]):
                return None
            return ProposalCounts.from_dict(about["tally"], len(self.sentences), self.depths)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def lists(self) -> Iterator[ParseList]:
        """Read the saved lists one by one."""
        found = read(self.path, [])
        for sentence in self.sentences:
            parses = next(found, None)
            if parses is None or parses.id != sentence.id:
                raise DataError(
                    f"expected the saved parses of sentence {brief(sentence.id)}; remove {self.folder} to start over.",
                    path=self.path,
                )
            yield parses

    def _checksum(self, counts: dict[str, Any]) -> str:
        """Of the lists and their statistics."""
        return hashlib.sha256(self.path.read_bytes() + orjson.dumps(counts, option=orjson.OPT_SORT_KEYS)).hexdigest()


def parts_of(
    sentences: Sequence[Sentence], folds: Sequence[int], folder: Path, key: str, depths: tuple[int, ...]
) -> dict[int, list[FoldPart]]:
    """Parts of every fold, sentences in order."""
    found: dict[int, list[FoldPart]] = {}
    for fold in sorted(set(folds)):
        mine = [sentence for sentence, its in zip(sentences, folds, strict=True) if its == fold]
        found[fold] = [
            FoldPart(folder, f"{key}-{fold}-{start // SIZE}", fold, mine[start : start + SIZE], depths)
            for start in range(0, len(mine), SIZE)
        ]
    return found


def count_stale(folder: Path, key: str) -> int:
    """Number of saved parts in the folder that belong to other data or settings."""
    return sum(match[1] != key and not match[2] and not match[3] for _, match in _files(folder))


def remove(folder: Path) -> None:
    """Delete all parts, and the folder if nothing else is in it."""
    for path, _ in _files(folder):
        path.unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # it does not exist, or has other files in it
        folder.rmdir()


def _files(folder: Path) -> list[tuple[Path, re.Match[str]]]:
    if not folder.is_dir():
        return []
    return [(path, match) for path in folder.iterdir() if (match := _OURS.fullmatch(path.name))]
