"""The viewer over a million lists: how long its pages take, and what memory its server has.

Lists of 5 candidates with texts, base scores, 5 features and a quality, in an Arrow file that the server maps; a model
of three families. Everything is asked as a browser does, warm: after each kind of question was asked once.
Usage: python benchmarks/viewer.py [lists]
"""

from __future__ import annotations

import http.client
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import orjson

import runoff
from runoff.tables import text_table
from shared import finish

CANDIDATES, WORDS = 5, 8
NAMES = ["lm:forward", "lm:backward", "length", "agree:first", "agree:rest"]
REPEATS = 5
WEIGHTS = quote('{"lm": 0.5}')
QUESTIONS = {
    "page": ["/", "/page/main.js"],
    "first page: overview": ["/api/overview"],
    "first page: lists": ["/api/groups?size=100", "/api/groups/0"],
    "filter: changed": ["/api/groups?show=changed&size=100"],
    "filter: fixed, largest gain first": ["/api/groups?show=better&order=gain&size=100"],
    "filter: low confidence, least sure first": ["/api/groups?show=unsure&order=confidence&size=100"],
    "filter: oracle missed, most missed first": ["/api/groups?show=missed&order=regret&size=100"],
    "a page in the middle of all lists": ["/api/groups?start={middle}&size=100"],
    "one list": ["/api/groups/{middle}"],
    "search: a rare word": ["/api/groups?q=w4321x&size=100"],
    "what if: another weight": [f"/api/what-if?weights={WEIGHTS}"],
}


def lists(count: int, path: Path) -> None:
    """Write the lists."""
    rng = np.random.default_rng(0)
    rows = count * CANDIDATES
    vocabulary = np.array([f"w{at}x" for at in range(5_000)])
    texts = []
    for start in range(0, rows, 1 << 18):
        words = vocabulary[rng.zipf(1.3, (min(rows - start, 1 << 18), WORDS)).clip(max=5_000) - 1]
        texts += list(map(" ".join, words.tolist()))
    table = rng.normal(size=(rows, len(NAMES)))
    quality = np.round(table @ [1.0, 0.5, 0.2, 0.0, 0.1] + rng.normal(size=rows), 1)
    base = table[:, 0] + rng.normal(size=rows)
    data = runoff.NBest.from_arrays(
        table, quality, sizes=np.full(count, CANDIDATES), base=base, texts=texts, feature_names=NAMES
    )
    data.save(path)


def asked(port: int, path: str) -> float:
    """Seconds for an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    began = time.perf_counter()
    connection.request("GET", path)
    response = connection.getresponse()
    body = response.read()
    took = time.perf_counter() - began
    if response.status != 200:
        raise SystemExit(f"{path}: {response.status} {body[:200]!r}")
    connection.close()
    return took


def memory(process: int) -> dict[str, float]:
    """MiB of a process: all, its own pages, those of mapped files, and the most so far."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    found = dict(line.split(":", 1) for line in lines)
    names = {"all": "VmRSS", "own": "RssAnon", "mapped": "RssFile", "peak": "VmHWM"}
    return {name: int(found[key].split()[0]) / 1024 for name, key in names.items()}


def ask_all(process: subprocess.Popen[str], count: int, began: float, out: dict[str, Any]) -> list[list[str]]:
    """Ask everything of a viewer that starts; gives the table's rows, and puts the numbers into `out`."""
    port = 0
    assert process.stderr is not None
    for line in process.stderr:
        if found := re.search(r"http://127.0.0.1:(\d+)", line):
            port = int(found[1])
            break
    if not port:
        raise SystemExit("the viewer did not start")
    asked(port, "/")
    out["seconds until the page answers"] = time.perf_counter() - began
    out["MiB at the start"] = memory(process.pid)
    rows = []
    for name, questions in QUESTIONS.items():
        paths = [path.replace("{middle}", str(count // 2)) for path in questions]
        cold = sum(asked(port, path) for path in paths)
        # Another search each time: the same one is remembered.
        warm = []
        for at in range(REPEATS):
            fresh = [path.replace("w4321x", f"w43{20 - at}x").replace("0.5", f"0.{at + 1}") for path in paths]
            warm.append(sum(asked(port, path) for path in fresh))
        rows.append([name, f"{cold:.3f}", f"{np.median(warm):.3f}", f"{max(warm):.3f}"])
        out[name] = {"first": cold, "median": float(np.median(warm)), "slowest": max(warm)}
    out["MiB at the end"] = memory(process.pid)
    return rows


def main() -> None:
    """All questions, in order, each of them once before it counts and never from what was just computed."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    out: dict[str, Any] = {"lists": count}
    with tempfile.TemporaryDirectory() as folder:
        data, model = Path(folder, "lists.arrow"), Path(folder, "model.runoff")
        writer = os.fork()
        if not writer:
            lists(count, data)
            os._exit(0)
        os.waitpid(writer, 0)
        other = Path(folder, "other.runoff")
        weights = [1.0, 0.5, 0.2, 0.1, 0.1]
        runoff.LinearModel.of(dict(zip(NAMES, weights, strict=True)), base_weight=0.3).save(model)
        runoff.LinearModel.of(dict(zip(NAMES, weights[::-1], strict=True)), base_weight=0.3).save(other)
        print(f"{count:,} lists, {count * CANDIDATES:,} candidates: {data.stat().st_size / 1e6:,.0f} MB on disk")
        for name, more in (("a model", []), ("with --compare", ["--compare", str(other)])):
            out[name] = viewed(count, [str(model), str(data), *more])
            show(name, out[name])
    finish(orjson.loads(orjson.dumps(out)))


def viewed(count: int, files: list[str]) -> dict[str, Any]:
    """Start the viewer, ask everything, and stop it."""
    out: dict[str, Any] = {}
    began = time.perf_counter()
    command = [sys.executable, "-m", "runoff", "view", *files, "--port", "0", "--no-open"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        out["rows"] = ask_all(process, count, began, out)
    finally:
        process.kill()
        process.wait()
    return out


def show(name: str, out: dict[str, Any]) -> None:
    """Print what was measured."""
    print(f"\n{name}")
    print(text_table(["question", "first", "warm, median", "slowest"], out.pop("rows")))
    for when in ("MiB at the start", "MiB at the end"):
        print(f"{when}: {', '.join(f'{value:,.0f} {what}' for what, value in out[when].items())}")
    print(f"{out['seconds until the page answers']:.1f} s from the command to the first answer")


if __name__ == "__main__":
    main()
