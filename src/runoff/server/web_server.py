"""What a service runs on: uvicorn, with a limit on how slowly a request may begin."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from runoff.errors import UsageError
from runoff.files import reason

if TYPE_CHECKING:
    import asyncio

    from fastapi import FastAPI

_BACKLOG = 2048  # callers that wait to be accepted
_GRACE = 20  # seconds for requests that have begun, once the service is told to stop


def impatient(seconds: float) -> type[HttpToolsProtocol]:
    """A protocol that closes connections whose request has no complete headers after so many seconds.

    Otherwise a caller that sends a byte now and then (a slow loris) would hold its connection for ever.
    """

    class Impatient(HttpToolsProtocol):
        """Closes connections that do not come to the point."""

        _deadline: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            """Begin to wait for the headers of the first request."""
            super().connection_made(transport)
            self._await_headers()

        def on_message_begin(self) -> None:
            """Begin to wait for the headers of any further request."""
            super().on_message_begin()
            self._await_headers()

        def on_headers_complete(self) -> None:
            """The rest of a request is waited for by the service."""
            self._forget()
            super().on_headers_complete()

        def connection_lost(self, exc: Exception | None) -> None:
            """Wait no more."""
            self._forget()
            super().connection_lost(exc)

        def _await_headers(self) -> None:
            self._forget()
            self._deadline = self.loop.call_later(seconds, self.transport.close)

        def _forget(self) -> None:
            if self._deadline is not None:
                self._deadline.cancel()
                self._deadline = None

    return Impatient


def listening(host: str, port: int) -> socket.socket:
    """A socket on which to serve; port 0 is any that is free."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        found = socket.socket(family, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((host, port))
        found.listen(_BACKLOG)  # who calls before the service is up waits, rather than being refused
    except OSError as error:
        raise UsageError(f"nothing can be served at {host}:{port}: {reason(error)}; choose another --port.") from error
    return found


def server_of(app: FastAPI, receiving: float) -> uvicorn.Server:
    """A server that has not begun; requests that have begun are answered before it ends."""
    config = uvicorn.Config(
        app,
        http=impatient(receiving),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=_GRACE,
        backlog=_BACKLOG,
    )
    return uvicorn.Server(config)
