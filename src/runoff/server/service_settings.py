"""What a service allows."""

from __future__ import annotations

from dataclasses import dataclass

from runoff.errors import UsageError


@dataclass(frozen=True)
class ServiceSettings:
    """Limits of a service, each of which is answered by a sentence when it is passed.

    Examples
    --------
    >>> ServiceSettings(candidates=0)
    Traceback (most recent call last):
    runoff.errors.UsageError: candidates is at least 1; found 0.
    """

    body: int = 16 << 20  # bytes of a request
    candidates: int = 10_000  # of a request, over all of its lists
    seconds: float = 30.0  # for an answer
    receiving: float = 10.0  # seconds for a request to arrive, headers and body each
    waiting: int = 1_000  # requests that may wait for the model
    batch: int = 64  # requests that are scored together
    token: str | None = None  # that callers must present

    def __post_init__(self) -> None:
        for name in ("body", "candidates", "waiting", "batch"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} is at least 1; found {getattr(self, name)}.")
        for name in ("seconds", "receiving"):
            if not getattr(self, name) > 0:
                raise UsageError(f"{name} must be more than 0 seconds; found {getattr(self, name)}.")
        if self.token is not None and (not self.token or not self.token.isascii() or not self.token.isprintable()):
            raise UsageError("a token is one or more printable ASCII characters.")
