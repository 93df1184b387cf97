"""The unit of extraction: features and statistics of some lists, stored in one file."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from runoff.expected_arrays import Expected, check_arrays
from runoff.nbest.records import collector_paused
from runoff.opening.archive import open_archive, write_archive
from runoff.opening.limits import DamagedFileError
from runoff.tasks.parsing.brackets import Forest
from runoff.tasks.parsing.features.consensus import FAMILY, consensus
from runoff.tasks.parsing.features.consensus import NAMES as CONSENSUS
from runoff.tasks.parsing.features.constituent_table import constituents
from runoff.tasks.parsing.features.extractor import Extractor
from runoff.tasks.parsing.metric import COLUMNS
from runoff.tasks.parsing.parse_data import to_lists
from runoff.tasks.parsing.parseval import judge
from runoff.tasks.parsing.trees import TRACE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from runoff.arrays import Columns, Floats, Ints
    from runoff.nbest import NBest
    from runoff.opening.archive import Archive
    from runoff.tasks.parsing.parse_list import Origin, ParseList
    from runoff.tasks.parsing.trees import Tree

VERSION = 5  # of what families and statistics compute; a new version invalidates cached chunks


@dataclass(frozen=True)
class _Part:
    """Some arrays of a chunk."""

    @classmethod
    def load(cls, path: Path) -> Self:
        """Open a file of `Chunk.save`; only the fields of this class are read."""
        with open_archive(path) as archive:
            return cls.within(archive)

    @classmethod
    def within(cls, archive: Archive) -> Self:
        """The fields of this class in an open file."""
        return cls(**{field.name: archive.array(f"{field.name}.npy") for field in fields(cls)})


@dataclass(frozen=True)
class Statistics(_Part):
    """PARSEVAL of the candidates of some lists."""

    parseval: Floats
    evalb: Floats
    lengths: Ints  # words of the gold tree, one per list; 0 without a gold tree
    misfits: Ints  # candidates with a different number of words, one per list


@dataclass(frozen=True)
class FeatureNames(_Part):
    """Names of the features of some lists."""

    name_ends: Ints  # the name of feature k is name_letters[name_ends[k]:name_ends[k + 1]]
    name_letters: NDArray[np.uint8]
    seen: Columns  # number of lists with the feature


@dataclass(frozen=True)
class Chunk(FeatureNames, Statistics):
    """Arrays over the candidates of some lists; features are numbered within the chunk."""

    indptr: Ints
    indices: Columns
    values: NDArray[np.uint8]  # counts; above 255 they are 255
    dense: Floats  # consensus, one row per candidate

    def save(self, path: Path) -> None:
        """Write to one file; never leaves a partial file."""
        with write_archive(path, compressed=False) as archive:
            for name, array in self._arrays().items():
                archive.add_array(f"{name}.npy", array)
            archive.add_array("digest.npy", self.digest())

    @classmethod
    def is_kept(cls, path: Path, lists: Sequence[ParseList]) -> bool:
        """Whether the file has the chunk of these lists; a damaged or changed one counts as missing. O(bytes)."""
        try:
            with open_archive(path) as archive:
                chunk, digest = cls.within(archive), archive.array("digest.npy")
            chunk.check(len(lists), sum(len(each.trees) for each in lists))
        except (DamagedFileError, OSError, ValueError):
            return False
        return np.array_equal(digest, chunk.digest())

    def _arrays(self) -> dict[str, NDArray[Any]]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def digest(self) -> NDArray[np.uint8]:
        """A hash of all arrays."""
        digest = hashlib.blake2b(digest_size=16)
        for array in self._arrays().values():
            digest.update(array.tobytes())
        return np.frombuffer(digest.digest(), np.uint8)

    def check(self, lists: int, candidates: int) -> None:
        """Raise ValueError unless compiled loops may trust the arrays."""
        stored, names, letters = self.indices.size, self.seen.size, self.name_letters.size
        has_consensus = len(self.dense) > 0
        rows = Expected(np.float64, (candidates, len(COLUMNS)), 0)
        expected = {
            "parseval": rows,
            "evalb": rows,
            "lengths": Expected(np.int64, (lists,), 0),
            "misfits": Expected(np.int64, (lists,), 0),
            "indptr": Expected(np.int64, (candidates + 1,), 0, stored),
            "indices": Expected(np.int32, (stored,), 0, names - 1),
            "values": Expected(np.uint8, (stored,)),
            "name_ends": Expected(np.int64, (names + 1,), 0, letters),
            "name_letters": Expected(np.uint8, (letters,)),
            "seen": Expected(np.int32, (names,), 0, lists),
            "dense": Expected(np.float64, (candidates if has_consensus else 0, len(CONSENSUS))),
        }
        check_arrays(self._arrays(), expected)
        for ends, last in ((self.indptr, stored), (self.name_ends, letters)):
            if ends[0] != 0 or ends[-1] != last or np.any(ends[1:] < ends[:-1]):
                raise ValueError("rows and names do not follow one another.")


class Cut(NamedTuple):
    """Lists of a chunk, and where they come from."""

    start: int
    stop: int
    origins: tuple[Origin | None, ...]


def chunk_of(cut: Cut, data: NBest, families: Sequence[str]) -> tuple[Cut, Chunk]:
    """The chunk of some lists of the data, on any worker."""
    lists = zip(to_lists(data[cut.start : cut.stop]), cut.origins, strict=True)
    return cut, make_chunk([replace(each, origin=origin) for each, origin in lists], families)


@collector_paused()  # trees have no cycles, and looking for some takes a tenth of the time
def make_chunk(lists: Sequence[ParseList], families: Sequence[str]) -> Chunk:
    """Compute features and statistics of some lists; statistics are zero for a list without a gold tree."""
    extractor = Extractor(families)
    dense, parseval, evalb = (
        [np.zeros((0, len(CONSENSUS)))],
        [np.zeros((0, len(COLUMNS)))],
        [np.zeros((0, len(COLUMNS)))],
    )
    lengths, misfits = np.zeros(len(lists), np.int64), np.zeros(len(lists), np.int64)
    for at, each in enumerate(lists):
        forest = Forest()
        trees = [_spoken(each, candidate, forest) for candidate in range(len(each.trees))]
        nodes, has = constituents(trees)
        extractor.add(trees, nodes, has, int(np.argmax(each.scores)) if trees else 0)
        if FAMILY in families and trees:
            dense.append(consensus(nodes, has, each.scores))
        gold = each.gold_tree(Forest())
        if gold is None:
            empty = np.zeros((len(trees), len(COLUMNS)))
            parseval.append(empty)
            evalb.append(empty)
        else:
            judged = judge(gold, trees)
            parseval.append(judged.parseval)
            evalb.append(judged.evalb)
            lengths[at], misfits[at] = judged.length, judged.misfits
    counted = extractor.counts()
    _, ends, letters = counted.names.buffers()
    return Chunk(
        parseval=np.concatenate(parseval),
        evalb=np.concatenate(evalb),
        lengths=lengths,
        misfits=misfits,
        indptr=counted.indptr,
        indices=counted.indices,
        values=np.minimum(counted.values, 255).astype(np.uint8),
        name_ends=np.frombuffer(ends, np.int64)[: len(counted.names) + 1],
        name_letters=np.frombuffer(letters, np.uint8) if letters is not None else np.zeros(0, np.uint8),
        seen=counted.seen,
        dense=np.concatenate(dense),
    )


def _spoken(parses: ParseList, candidate: int, forest: Forest) -> Tree:
    """A candidate without traces, so that all have the same words; unchanged if it has only traces."""
    tree = parses.tree(candidate, forest)
    if TRACE not in parses.trees[candidate]:
        return tree
    return forest.without_traces(tree) or tree


def fingerprint(lists: Sequence[ParseList], families: Sequence[str]) -> str:
    """A hash of everything a chunk depends on: trees, scores, gold trees, families and the version of the code.

    Examples
    --------
    >>> from runoff.tasks.parsing.parse_list import ParseList
    >>> fingerprint([ParseList("a")], ["rule"]) == fingerprint([ParseList("b")], ["rule"])  # ids do not matter
    True
    """
    digest = hashlib.blake2b(digest_size=16)

    def add(text: str) -> None:
        raw = text.encode()
        digest.update(len(raw).to_bytes(8, "little"))
        digest.update(raw)

    add(f"{VERSION} {' '.join(families)}")
    for each in lists:
        add("-" if each.gold is None else f"gold {each.gold}")
        digest.update(len(each.trees).to_bytes(8, "little"))
        digest.update(np.asarray(each.scores, np.float64).tobytes())
        for tree in each.trees:
            add(tree)
    return digest.hexdigest()
