"""What was left out of an index, counted by reason, with an example of each."""

from __future__ import annotations

from runoff.tables import counted


class LeftOut:
    """Counts by reason, in the order in which reasons came up.

    Examples
    --------
    >>> left_out = LeftOut()
    >>> left_out.add("binary files", "a.png")
    >>> left_out.add("binary files", "b.png")
    >>> left_out.notes()
    ('left out: 2 binary files, such as a.png',)
    """

    def __init__(self) -> None:
        self._found: dict[str, tuple[int, str]] = {}

    def add(self, reason: str, example: str) -> None:
        """Count one more; the first of a reason is its example."""
        count, first = self._found.get(reason, (0, example))
        self._found[reason] = (count + 1, first)

    def __bool__(self) -> bool:
        return bool(self._found)

    def notes(self) -> tuple[str, ...]:
        """One line for every reason."""
        return tuple(
            f"left out: {_counted(count, reason)}, {'such as ' if count > 1 else ''}{example}"
            for reason, (count, example) in self._found.items()
        )


def _counted(count: int, reason: str) -> str:
    """The number with its things, the first word of which is in the plural.

    Examples
    --------
    >>> _counted(1, "files that are not UTF-8"), _counted(2, "binary files")
    ('1 file that is not UTF-8', '2 binary files')
    """
    if count > 1:
        return counted(count, reason)
    return f"1 {reason.replace('files', 'file', 1).replace('lines', 'line', 1).replace(' are ', ' is ', 1)}"
