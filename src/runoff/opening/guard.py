"""One sentence for everything that can be wrong with a file that Runoff wrote."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from runoff.errors import DataError, ModelError, UsageError
from runoff.files import reason
from runoff.opening.archive import open_archive
from runoff.opening.limits import DamagedFileError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from runoff.opening.archive import Archive


class _ForeignError(Exception):
    """A file of another kind or version, which is not damaged."""


@contextmanager
def guarded_archive(path: str | Path, what: str) -> Iterator[Archive]:
    """Open an archive; whatever is wrong with it, or found wrong by the reader, becomes a `ModelError`.

    `what` is what the file should be, as in "tagger".
    """
    try:
        with open_archive(path) as archive:
            yield archive
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {reason(error)}.") from error
    except DamagedFileError as error:
        raise ModelError(f"{path} is not a Runoff {what}, or it is damaged: {error}.") from error
    except _ForeignError as error:
        raise ModelError(str(error)) from error
    except (ModelError, UsageError, DataError) as error:
        raise ModelError(f"{path} is not a Runoff {what}, or it is damaged: {error}") from error
    except (KeyError, IndexError, TypeError, ValueError, OverflowError) as error:
        raise ModelError(f"{path} is not a Runoff {what}, or it is damaged.") from error


def check_format(header: Any, path: str | Path, what: str, name: str, version: int) -> None:
    """Raise an error unless a header says that the file is of this format and version; inside of `guarded_archive`."""
    if not isinstance(header, dict) or header.get("format") != name:
        raise _ForeignError(f"{path} is not a Runoff {what}.")
    if header["version"] != version:
        raise _ForeignError(
            f"{path} has version {header['version']} of the {what} format (written by Runoff {header.get('runoff')}); "
            f"this Runoff reads version {version}. Train it again."
        )
