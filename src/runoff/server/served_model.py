"""A model that is served under a name, and replaced when its file is."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from runoff.errors import RunoffError, UsageError
from runoff.files import reason
from runoff.model import load
from runoff.nbest import NBest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from runoff.model import LinearModel

_WARM_TEXTS = "a b", "a c"


class ServedModel:
    """The model in a file, now and after the file was replaced.

    A new file is opened and validated in full before it takes over; one that cannot be opened leaves the old model in
    service. Requests that have begun end with the model that they began with.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from runoff.model import LinearModel
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.runoff"
    >>> LinearModel.of({"lm": 1.0}).save(path)
    >>> served = ServedModel(path)
    >>> served.name, served.version, served.refresh()
    ('a', 1, False)
    >>> LinearModel.of({"lm": 2.0}).save(path)
    >>> served.refresh(), served.version, served.model.heaviest()
    (True, 2, [('lm', 2.0)])
    """

    def __init__(self, path: Path, name: str | None = None, *, allow_external: bool = False) -> None:
        self.path, self.name = path, name or path.name.removesuffix(".runoff")
        self._allow_external = allow_external
        self._identity = _identity(path)
        self.model: LinearModel = load(path, allow_external=allow_external)
        self.version = 1

    def refresh(self) -> bool:
        """Open the file again if it was replaced; whether it was. Raises what is wrong with the new file, once."""
        identity = _identity(self.path)
        if identity is None or identity == self._identity:
            return False  # a file that is gone for a moment is being replaced
        self._identity = identity
        fresh = load(self.path, allow_external=self._allow_external)
        warm(fresh)
        self.model, self.version = fresh, self.version + 1
        return True

    def __repr__(self) -> str:
        return f"ServedModel({self.name}, version {self.version}, {self.model!r})"


def warm(model: LinearModel) -> None:
    """Compile what choosing needs, so that no request waits for it."""
    names = [name for name, _ in model.heaviest(1)]
    features = [[0.0], [1.0]] if names else None
    for texts in (None, list(_WARM_TEXTS)):
        lists = NBest.from_arrays(
            features, base=[0.0, 0.0], texts=texts, inputs=None if texts is None else ["a"], sizes=[2],
            feature_names=names or None,
        )  # fmt: skip
        # Some models want more than this of their lists; they are warm after their first request.
        with contextlib.suppress(RunoffError):
            model.pick(lists)


def open_models(
    named: Sequence[tuple[str | None, Path]], *, allow_external: bool = False, say: Callable[[str], object] = print
) -> dict[str, ServedModel]:
    """Models by name, warm; the first is the one for requests that name none."""
    models: dict[str, ServedModel] = {}
    for name, path in named:
        served = ServedModel(path, name, allow_external=allow_external)
        if served.name in models:
            raise UsageError(
                f"two models are called {served.name!r}: {models[served.name].path} and {path}; "
                f"give one another name: NAME={path}."
            )
        warm(served.model)
        models[served.name] = served
        say(f"{served.name}: {served.model!r}")
    return models


def _identity(path: Path) -> tuple[int, int, int, int] | None:
    """Which file is there now; None for none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {reason(error)}.") from error
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size
