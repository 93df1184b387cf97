"""What a service did, a JSON object a line."""

from __future__ import annotations

import sys
import time
from typing import Any

import orjson


class RequestLog:
    """Writes events to standard error; with `quiet`, all but requests that went well.

    Examples
    --------
    >>> RequestLog(quiet=True).request(status=200, path="/choose")
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet

    def event(self, event: str, level: str = "info", **facts: Any) -> None:
        """Write what happened."""
        record = {"time": time.strftime("%Y-%m-%dT%H:%M:%S%z"), "level": level, "event": event, **facts}
        sys.stderr.write(orjson.dumps(record, default=str).decode() + "\n")

    def request(self, **facts: Any) -> None:
        """Write how a request was answered."""
        status = facts["status"]
        if status < 400 and self._quiet:
            return
        self.event("request", "error" if status >= 500 else "warning" if status >= 400 else "info", **facts)
