"""Lists of parses of a paper's run: found in a folder or drawn, their features extracted once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from runoff.reproduce.data_files import fingerprint, one_split
from runoff.reproduce.paper import Paper, PaperData
from runoff.tasks.parsing.features.consensus import FAMILY as CONSENSUS
from runoff.tasks.parsing.features.extract import extract
from runoff.tasks.parsing.features.families import ALL
from runoff.tasks.parsing.lists import read_lists
from runoff.tasks.parsing.papers.synthetic_lists import SENTENCES, synthetic_lists

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.nbest import NBest
    from runoff.tasks.parsing.parse_list import ParseList

NEEDS = (
    "n-best lists of parses with gold trees in three files, NAME.train.*, NAME.dev.* and NAME.test.* (JSON lines with "
    "id, gold and nbest; the BLLIP parser's lists; or Runoff's own formats), those of train jackknifed."
)
SEEN = 5  # lists in which a feature must occur


@dataclass
class ParseData:
    """Train, dev and test; features as counts, or as presence where boosting wants binary ones."""

    files: dict[str, Path] | None
    seed: int = 0
    work: Path | None = None
    _made: dict[str, dict[str, NBest]] = field(default_factory=dict)

    def parts(self, *, presence: bool = False) -> dict[str, NBest]:
        """All three with features of train; extracted when they are first needed, about 4,500 candidates a second."""
        kind = "presence" if presence else "counts"
        if kind not in self._made:
            lists = self._lists()
            cache = None if self.work is None or self.files is None else self.work / "trees"
            if cache is not None:
                cache.mkdir(parents=True, exist_ok=True)
            families = [name for name in ALL if name != CONSENSUS or not presence]  # those are no counts
            train = extract(lists["train"], families=families, min_lists=SEEN, presence=presence, cache=cache)
            names = train.features.column_names()
            made = {"train": train}
            for part in ("dev", "test"):
                made[part] = extract(lists[part], families=families, vocabulary=names, cache=cache)
            self._made[kind] = made
        return self._made[kind]

    def file_names(self) -> dict[str, str]:
        """Names of the files, for commands."""
        return {part: path.name for part, path in (self.files or {}).items()}

    def _lists(self) -> dict[str, list[ParseList]]:
        if self.files is None:
            return synthetic_lists(self.seed)
        return {part: list(read_lists(path)) for part, path in self.files.items()}


class ParsePaper(Paper):
    """A paper whose data are lists of parses alone."""

    needs = NEEDS

    def read(self, folder: Path) -> PaperData:
        """Lists of parses."""
        return found_parses(folder)

    def synthetic(self, seed: int) -> PaperData:
        """The synthetic treebank."""
        return drawn_parses(seed)


def found_parses(folder: Path) -> PaperData:
    """The lists of a folder."""
    name, files = one_split(folder, "n-best lists of parses with gold trees")
    about = ", ".join(f"{part} from {path.name}" for part, path in files.items())
    return PaperData(name, about, fingerprint(files.values()), ParseData(files))


def drawn_parses(seed: int) -> PaperData:
    """Readings of the sentences of the synthetic treebank."""
    about = ", ".join(f"{size} sentences of {part}" for part, size in SENTENCES.items())
    return PaperData(
        "synthetic treebank",
        f"{about}; up to 12 readings of each, scored by a first round that knows little",
        f"drawn parses {seed}",
        ParseData(None, seed),
        is_quick=True,
    )
