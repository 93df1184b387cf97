"""A service on a port of its own, in a thread, as a program would call it."""

from __future__ import annotations

import contextlib
import http.client
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

from runoff.server.served_model import open_models

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.server.service_settings import ServiceSettings


@dataclass
class Running:
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> tuple[int, object, dict[str, str]]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        data = body if isinstance(body, bytes) or body is None else orjson.dumps(body)
        connection.request(method, path, data, headers)
        response = connection.getresponse()
        raw = response.read()
        kind = response.headers.get_content_type()
        found = orjson.loads(raw) if kind == "application/json" else raw.decode()
        connection.close()
        return response.status, found, dict(response.headers.items())


@contextlib.contextmanager
def service(paths: list[Path], settings: ServiceSettings):
    from runoff.server.app import create_app
    from runoff.server.web_server import listening, server_of

    where = listening("127.0.0.1", 0)
    models = open_models([(None, path) for path in paths], say=lambda _: None)
    server = server_of(create_app(models, settings), settings.receiving)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [where]})
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.01)
    try:
        yield Running(where.getsockname()[1])
    finally:
        server.should_exit = True
        thread.join(30)
        where.close()
