"""What was left out of an index, counted by reason, with an example of each."""

from __future__ import annotations

from enum import Enum


class Reason(Enum):
    """Why something is left out, for one of them and for more.

    Examples
    --------
    >>> Reason.BINARY.value
    ('binary file', 'binary files')
    """

    BINARY = "binary file", "binary files"
    NOT_UTF8 = "file that is not UTF-8", "files that are not UTF-8"
    NO_WORD = "file without a word", "files without a word"
    NO_WORD_IN_PASSAGE = "passage without a word", "passages without a word"
    UNREADABLE = "file that cannot be read", "files that cannot be read"
    UNREADABLE_FOLDER = "folder that cannot be read", "folders that cannot be read"
    HIDDEN = "hidden file or folder", "hidden files or folders"
    LINK = "link to a folder", "links to folders"
    NOT_REGULAR = "file that is not regular", "files that are not regular"
    BAD_NAME = "file with a name that is not UTF-8", "files with a name that is not UTF-8"
    JSON_LINES = (
        "file of JSON lines (name it itself to index its passages)",
        "files of JSON lines (name one itself to index its passages)",
    )


class LeftOut:
    """Counts by reason, in the order in which reasons came up.

    Examples
    --------
    >>> left_out = LeftOut()
    >>> left_out.add(Reason.BINARY, "a.png")
    >>> left_out.add(Reason.BINARY, "b.png")
    >>> left_out.notes()
    ('left out: 2 binary files, such as a.png',)
    """

    def __init__(self) -> None:
        self._found: dict[Reason, tuple[int, str]] = {}

    def add(self, reason: Reason, example: str) -> None:
        """Count one more; the first of a reason is its example."""
        count, first = self._found.get(reason, (0, example))
        self._found[reason] = (count + 1, first)

    def __bool__(self) -> bool:
        return bool(self._found)

    def notes(self) -> tuple[str, ...]:
        """One line for every reason."""
        return tuple(
            f"left out: {count:,} {reason.value[1]}, such as {example}"
            if count > 1
            else f"left out: 1 {reason.value[0]}, {example}"
            for reason, (count, example) in self._found.items()
        )
