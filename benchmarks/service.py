"""A service under load: requests per second and how long they take, beside a bare FastAPI echo of the same bodies.

64 connections on this machine, each of which sends its next request when it has the answer to the last one; the loader
shares the cores. Lists of 16 texts with a model of texts, and of 100 rows of 10 features with a linear one. The echo
parses the body and returns it; the plain echo returns its bytes. Then good requests beside hostile ones: malformed,
too large, with a wrong token or none, and connections that never come to the point; and a kill while there is a load.
Usage: python benchmarks/service.py [requests of every load; the echo gets a fifth]
"""

from __future__ import annotations

import asyncio
import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import orjson

import runoff
from runoff.tables import text_table
from runoff.tasks.text import TextReranker
from shared import finish

CONNECTIONS = 64
TOKEN = "benchmark"
EACH = 200  # hostile requests of every kind
SLOW = 20  # connections that never come to the point
ECHO = """
import sys, uvicorn
from fastapi import FastAPI, Request, Response
from runoff.server.web_server import listening
app = FastAPI()

@app.post("/echo")
async def echo(body: dict) -> dict:
    return body

@app.post("/plain")
async def plain(request: Request) -> Response:
    return Response(await request.body(), media_type="application/json")

where = listening("127.0.0.1", 0)
print(f"serving echo at http://127.0.0.1:{where.getsockname()[1]};", file=sys.stderr, flush=True)
uvicorn.Server(uvicorn.Config(app, access_log=False, log_level="error")).run(sockets=[where])
"""


class Caller(asyncio.Protocol):
    """One connection that asks again as soon as it has been answered."""

    def __init__(self, load: Load) -> None:
        self._load, self._received, self._began = load, b"", 0.0

    def connection_made(self, transport: Any) -> None:
        """Ask for the first time."""
        self._transport = transport
        self._ask()

    def data_received(self, data: bytes) -> None:
        """Take an answer, and ask again."""
        self._received += data
        head, gap, body = self._received.partition(b"\r\n\r\n")
        if not gap:
            return
        length = int(re.search(rb"content-length: (\d+)", head, re.IGNORECASE)[1])  # type: ignore[index]
        if len(body) < length:
            return
        self._received = b""
        self._load.answered(time.perf_counter() - self._began, head.startswith(b"HTTP/1.1 200"))
        self._ask()

    def connection_lost(self, _: Exception | None) -> None:
        """Note a connection that the service closed."""
        self._load.lost()

    def _ask(self) -> None:
        if self._load.left <= 0:
            self._transport.close()
            return
        self._load.left -= 1
        self._began = time.perf_counter()
        self._transport.write(self._load.request)


class Load:
    """A number of equal requests over several connections."""

    def __init__(self, path: str, body: bytes, count: int) -> None:
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        head += f"Authorization: Bearer {TOKEN}\r\n"
        self.request = f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body
        self.left, self.count = count, count
        self.seconds: list[float] = []
        self.failed = 0
        self._open = 0

    def answered(self, seconds: float, went_well: bool) -> None:
        """Count an answer."""
        self.seconds.append(seconds)
        self.failed += not went_well

    def lost(self) -> None:
        """Count a connection that ended; the load ends with the last one."""
        self._open -= 1
        if self._open == 0 and not self._done.done():
            self._done.set_result(None)

    async def run(self, port: int) -> dict[str, float]:
        """Requests per second, milliseconds and failures."""
        loop = asyncio.get_running_loop()
        self._done: asyncio.Future[None] = loop.create_future()
        self._open = CONNECTIONS
        began = time.perf_counter()
        for _ in range(CONNECTIONS):
            await loop.create_connection(lambda: Caller(self), "127.0.0.1", port)
        await self._done
        took = time.perf_counter() - began
        p50, p99 = np.percentile(self.seconds, [50, 99]) * 1000
        return {
            "requests": len(self.seconds),
            "failed": self.failed + self.count - len(self.seconds),
            "per second": len(self.seconds) / took,
            "p50 ms": float(p50),
            "p99 ms": float(p99),
        }


def serving(*command: str) -> tuple[subprocess.Popen[str], int]:
    """A service in a process of its own, and its port."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen([sys.executable, *command], stderr=subprocess.PIPE, text=True, env=environment)
    assert process.stderr is not None
    for line in process.stderr:
        found = re.search(r"http://127.0.0.1:(\d+)", line)
        if found:
            # Somebody must go on reading: the service logs what it refuses.
            threading.Thread(target=process.stderr.read, daemon=True).start()
            return process, int(found[1])
    raise SystemExit("the service did not start")


def main() -> None:
    """All loads."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    rng = np.random.default_rng(0)
    words = ["the", "a", "cat", "cats", "sat", "at", "on", "mat", "dog", "ran", "dock", "home"]
    texts = [" ".join(rng.choice(words, 8)) for _ in range(16)]
    names = [f"feature {at}" for at in range(10)]
    rows = [{"features": dict(zip(names, rng.normal(size=10).tolist(), strict=True))} for _ in range(100)]
    bodies = {"16 texts": orjson.dumps({"candidates": texts}), "100 rows": orjson.dumps({"candidates": rows})}
    with tempfile.TemporaryDirectory() as folder:
        models = Path(folder, "texts.runoff"), Path(folder, "rows.runoff")
        lists = [
            {"id": str(at), "references": [right], "candidates": [wrong, right, f"{wrong} x"]}
            for at, (right, wrong) in enumerate([("the cat sat", "the cats at"), ("a dog ran", "a dock ran")] * 15)
        ]
        data = runoff.grade(runoff.NBest.from_records(lists), "wer")
        TextReranker(metric="wer", recipes="loglinear").fit(data).model.save(models[0])
        runoff.LinearModel.of(dict.fromkeys(names, 0.5)).save(models[1])
        loads = [
            (what, model, "/choose", bodies[what], ["-m", "runoff", "serve", str(model), "--port", "0", "--quiet"])
            for what, model in zip(bodies, models, strict=True)
        ]
        found: dict[str, Any] = {}
        for what, _, path, body, command in loads:
            process, port = serving(*command)
            found[what] = asyncio.run(measured(process.pid, port, path, body, count))
            print(what, found[what], flush=True)
            process.send_signal(signal.SIGTERM)
            process.wait()
            process, port = serving("-c", ECHO)
            for name, where in ((f"echo of {what}", "/echo"), (f"plain echo of {what}", "/plain")):
                found[name] = asyncio.run(measured(process.pid, port, where, body, count // 5))
            process.kill()
            process.wait()
        token = Path(folder, "token.txt")
        token.write_text(TOKEN)
        command = [*loads[1][4], "--token-file", str(token)]
        found["beside hostile requests"], hostile = beside_hostile(command, bodies["100 rows"])
        found["killed and started again"] = killed(command, bodies["100 rows"])
    columns = ["what", "requests", "failed", "per second", "per CPU second", "p50 ms", "p99 ms"]
    table = [
        [name, f"{each['requests']:,}", str(each["failed"]), *(f"{each[key]:,.1f}" for key in columns[3:])]
        for name, each in found.items()
    ]
    print(text_table(columns, table))
    print(hostile)
    finish({**found, "hostile": hostile})


def beside_hostile(command: list[str], body: bytes) -> tuple[dict[str, float], dict[str, str]]:
    """A load of good requests beside hostile ones, and how the service answered these."""
    process, port = serving(*command)
    with ThreadPoolExecutor(1) as pool:
        work = pool.submit(attack, port)
        found = asyncio.run(measured(process.pid, port, "/choose", body, 10_000))
        hostile = work.result()
    process.send_signal(signal.SIGTERM)
    process.wait()
    return found, hostile


def attack(port: int) -> dict[str, str]:
    """Statuses by kind of hostile request, and the seconds after which slow connections were closed."""
    good = {"Authorization": f"Bearer {TOKEN}"}
    kinds: dict[str, tuple[bytes, dict[str, str]]] = {
        "malformed": (b'{"candidates": [', good),
        "not a list": (b'{"candidates": 3}', good),
        "too large, announced": (b"", {**good, "Content-Length": str(1 << 30)}),
        "wrong token": (b"{}", {"Authorization": "Bearer other"}),
        "no token": (b"{}", {}),
    }
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(closed_after, port)
        out = {name: statuses(port, body, headers) for name, (body, headers) in kinds.items()}
        out["slow"] = f"{SLOW} connections closed after {slow.result():.1f} s at most"
    return out


def statuses(port: int, body: bytes, headers: dict[str, str]) -> str:
    """How many requests of a kind were answered how."""
    found: Counter[int] = Counter()
    for _ in range(EACH):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("POST", "/choose", body, headers)
        found[connection.getresponse().status] += 1
        connection.close()
    return ", ".join(f"{status} x {count}" for status, count in found.items())


def closed_after(port: int) -> float:
    """Seconds until the last of the connections that never come to the point is closed."""
    slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(SLOW)]
    began = time.perf_counter()
    for each in slow:
        each.sendall(b"POST /choose HTTP/1.1\r\nHost: x\r\n")
        each.settimeout(60)
    for each in slow:
        while each.recv(1 << 10):
            pass
    return time.perf_counter() - began


def killed(command: list[str], body: bytes) -> dict[str, float]:
    """A service that is killed in the middle of a load, and what the next one answers."""
    process, port = serving(*command)
    before = answer(port, body)
    with ThreadPoolExecutor(1) as pool:
        load = Load("/choose", body, 20_000)
        work = pool.submit(asyncio.run, load.run(port))
        time.sleep(3)
        process.kill()
        process.wait()
        work.result()
    began = time.perf_counter()
    process, port = serving(*command)
    same = answer(port, body) == before
    took = time.perf_counter() - began
    print(f"killed after {len(load.seconds):,} answers; the next service answered after {took:.1f} s, the same: {same}")
    found = asyncio.run(measured(process.pid, port, "/choose", body, 2_000))
    process.kill()
    process.wait()
    return found


def answer(port: int, body: bytes) -> bytes:
    """What the service answers."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", "/choose", body, {"Authorization": f"Bearer {TOKEN}"})
    return connection.getresponse().read()


async def measured(process: int, port: int, path: str, body: bytes, count: int) -> dict[str, float]:
    """A load, after a short one that warms up; also by the processor time that the service took for it."""
    await Load(path, body, 500).run(port)
    began = processor_seconds(process)
    found = await Load(path, body, count).run(port)
    return {**found, "per CPU second": found["requests"] / max(processor_seconds(process) - began, 0.01)}


def processor_seconds(process: int) -> float:
    """What a process has used so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
