"""The files of WordNet, as its manual page wndb(5WN) describes them: words, their meanings, irregular forms."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from runoff.errors import DataError, UsageError, brief
from runoff.files import reason

if TYPE_CHECKING:
    from collections.abc import Iterator

# The lexicographers' files, by their numbers: lexnames(5WN). Those of nouns and verbs are the supersenses.
_NOUNS = (
    "Tops act animal artifact attribute body cognition communication event feeling food group location motive object "
    "person phenomenon plant possession process quantity relation shape state substance time"
)
_VERBS = (
    "body change cognition communication competition consumption contact creation emotion motion perception possession "
    "social stative weather"
)
LEXICOGRAPHERS = (
    "adj.all",
    "adj.pert",
    "adv.all",
    *(f"noun.{name}" for name in _NOUNS.split()),
    *(f"verb.{name}" for name in _VERBS.split()),
    "adj.ppl",
)
_HYPERNYMS = ("@", "@i")  # a kind of, and an instance of


class Synset(NamedTuple):
    """One meaning: its lexicographer's file, its first word, and the place of the meaning above it.

    Examples
    --------
    >>> Synset(5, "dog", 2083346).word
    'dog'
    """

    lexicographer: int
    word: str
    hypernym: int | None


class WordNetFiles:
    """What the files of nouns or verbs say.

    Examples
    --------
    >>> WordNetFiles("/usr/share/wordnet", "noun").words["dog"]  # doctest: +SKIP
    [2084071, 10114209, 10023039, 9886220, 7676602, 3901548, 2710044]
    """

    def __init__(self, folder: str | Path, part: str) -> None:
        self._folder = Path(folder)
        if not self._folder.is_dir():
            raise UsageError(f"{folder} is no folder; name the one that has WordNet's files (index.noun and others).")
        self.words = self._words(f"index.{part}")
        self.synsets = self._synsets(f"data.{part}")
        self.exceptions = self._exceptions(f"{part}.exc")
        self._check(f"index.{part}")

    def _words(self, name: str) -> dict[str, list[int]]:
        """The places of the meanings of every word, the most frequent first."""
        found: dict[str, list[int]] = {}
        for number, fields in self._lines(name):
            with self._problems(name, number):
                n_senses, n_pointers = int(fields[2]), int(fields[3])
                places = fields[6 + n_pointers :]
                if not n_senses or len(places) != n_senses:
                    raise ValueError
                found[fields[0].lower()] = [int(place) for place in places]
        return found

    def _synsets(self, name: str) -> dict[int, Synset]:
        found: dict[int, Synset] = {}
        for number, fields in self._lines(name):
            with self._problems(name, number):
                n_words = int(fields[3], 16)
                at = 4 + 2 * n_words
                n_pointers, own = int(fields[at]), fields[2]
                pointers = [fields[first : first + 4] for first in range(at + 1, at + 1 + 4 * n_pointers, 4)]
                above = (int(place) for symbol, place, kind, _ in pointers if symbol in _HYPERNYMS and kind == own)
                lexicographer = int(fields[1])
                if not 0 <= lexicographer < len(LEXICOGRAPHERS):
                    raise ValueError
                found[int(fields[0])] = Synset(lexicographer, fields[4].lower(), next(above, None))
        return found

    def _exceptions(self, name: str) -> dict[str, str]:
        """The base form of every irregular one; the first where there are several."""
        found: dict[str, str] = {}
        for number, fields in self._lines(name):
            with self._problems(name, number):
                found.setdefault(fields[0], fields[1])
        return found

    def _check(self, name: str) -> None:
        places = {place for places in self.words.values() for place in places}
        above = {each.hypernym for each in self.synsets.values() if each.hypernym is not None}
        missing = sorted((places | above) - self.synsets.keys())
        if missing:
            raise DataError(f"the synset {missing[0]:08d} is not in the data.* beside it.", path=self._folder / name)

    def _lines(self, name: str) -> Iterator[tuple[int, list[str]]]:
        """Numbered lines as fields, without the licence at the top and the glosses."""
        path = self._folder / name
        try:
            with path.open(encoding="utf-8") as file:
                for number, line in enumerate(file, 1):
                    if line.strip() and not line.startswith("  "):
                        yield number, line.partition(" | ")[0].split()
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {reason(error)}; it is one of WordNet's files.") from error
        except UnicodeDecodeError as error:
            raise DataError("the file is not text in UTF-8.", path=path) from error

    def _problems(self, name: str, line: int) -> _Problems:
        return _Problems(self._folder / name, line)


class _Problems:
    """Says where a line is not as it should be."""

    def __init__(self, path: Path, line: int) -> None:
        self._path, self._line = path, line

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, ValueError | IndexError):
            raise DataError(
                f"expected a line as wndb(5WN) describes it, found another ({brief(str(error))}).",
                path=self._path,
                line=self._line,
            ) from error
