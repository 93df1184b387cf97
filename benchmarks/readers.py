"""How fast files are read, beside other readers of the same file in the same run.

Every part times one format and gives a dictionary; the last line printed is one JSON object with all of them.
To add a part, write a function like `letor` and name it in `PARTS`.
"""

from __future__ import annotations

import gzip
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson

from runoff import formats
from shared import data_folder, finish

if TYPE_CHECKING:
    from collections.abc import Callable

REPEATS = 7
SAMPLES, LISTS = 200_000, 20_000  # of a language model, and the lists that they are in


def median_seconds(*functions: Callable[[], Any]) -> list[float]:
    """Median time of each function; they take turns, so that a busy moment of the machine meets them all."""
    times: list[list[float]] = [[] for _ in functions]
    for function in functions:
        function()  # caches warm, modules imported
    for _ in range(REPEATS):
        for function, taken in zip(functions, times, strict=True):
            started = time.perf_counter()
            function()
            taken.append(time.perf_counter() - started)
    return [statistics.median(taken) for taken in times]


def new_process_seconds(code: str, *arguments: str) -> float:
    """Median time of a whole new Python process that runs some code."""
    command = [sys.executable, "-c", code, *arguments]
    (taken,) = median_seconds(lambda: subprocess.run(command, check=True, capture_output=True))
    return taken


def letor() -> dict[str, Any]:
    """LETOR beside scikit-learn's `load_svmlight_file(query_id=True)`, plain and packed."""
    from sklearn.datasets import load_svmlight_file

    from runoff.formats import read

    folder = data_folder()
    found = sorted(folder.glob("letor/*/Fold1/train.txt.gz")) if folder else []
    content = gzip.decompress(found[0].read_bytes()) if found else made_up_letor(5_000, 46)
    report: dict[str, Any] = {
        "data": f"{found[0].parts[-3]} {found[0].parts[-2]} train" if found else "made up",
        "megabytes": round(len(content) / 1e6, 2),
        "candidates": content.count(b"\n"),
    }
    with tempfile.TemporaryDirectory() as temporary:
        for name, packed in (("plain", content), ("gzip", gzip.compress(content))):
            path = str(Path(temporary) / ("data.txt" if name == "plain" else "data.txt.gz"))
            Path(path).write_bytes(packed)
            ours, theirs = median_seconds(
                lambda path=path: read(path, "letor"),  # type: ignore[misc]
                lambda path=path: load_svmlight_file(path, query_id=True, dtype=np.float32),  # type: ignore[misc]
            )
            our_process = new_process_seconds(
                "import sys; from runoff.formats import letor as f; f.read(sys.argv[1])", path
            )
            their_process = new_process_seconds(
                "import sys; from sklearn.datasets import load_svmlight_file as f; f(sys.argv[1], query_id=True)", path
            )
            report[name] = {
                "runoff_seconds": round(ours, 4),
                "sklearn_seconds": round(theirs, 4),
                "times_faster": round(theirs / ours, 1),
                "runoff_new_process_seconds": round(our_process, 3),
                "sklearn_new_process_seconds": round(their_process, 3),
            }
    return report


def made_up_letor(rows: int, columns: int) -> bytes:
    """Dense rows in LETOR's layout, the same every time."""
    values = np.random.default_rng(0).random((rows, columns))
    lines = (
        f"{at % 3} qid:{at // 20} " + " ".join(f"{number}:{value:.6f}" for number, value in enumerate(row, 1))
        for at, row in enumerate(values)
    )
    return ("\n".join(lines) + "\n").encode()


def json_lines() -> dict[str, Any]:
    """Runoff JSON lines beside a bare loop of `orjson.loads` over the lines of the same file."""
    from runoff.formats import read

    report: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as temporary:
        for name, groups in made_up_lists().items():
            path = Path(temporary) / f"{name}.jsonl"
            path.write_bytes(b"".join(orjson.dumps(group) + b"\n" for group in groups))
            ours, bare = median_seconds(
                lambda path=path: read(path, "jsonl"),  # type: ignore[misc]
                lambda path=path: parse_lines(path),  # type: ignore[misc]
            )
            report[name] = {
                "megabytes": round(path.stat().st_size / 1e6, 1),
                "runoff_seconds": round(ours, 4),
                "bare_loop_seconds": round(bare, 4),
                "times_the_bare_loop": round(ours / bare, 2),
            }
    return report


def parse_lines(path: Path) -> None:
    """Do nothing but parse."""
    with path.open("rb") as stream:
        for line in stream:
            orjson.loads(line)


def made_up_lists() -> dict[str, list[dict[str, Any]]]:
    """Sparse n-gram features of 100-best lists, plain texts with scores, and twenty dense features."""
    rng = random.Random(0)
    words = [f"word{at}" for at in range(2000)]

    def ngrams(text: list[str]) -> dict[str, float]:
        padded = ["<s>", *text, "</s>"]
        return {f"ng{{{','.join(padded[at : at + n])}}}": 1.0 for n in (1, 2, 3) for at in range(len(padded) - n + 1)}

    def variant(text: list[str]) -> list[str]:
        return [rng.choice(words) if rng.random() < 0.1 else word for word in text]

    def scored(text: list[str], **more: Any) -> dict[str, Any]:
        return {"text": " ".join(text), "base": rng.gauss(-30, 5), "quality": rng.random(), **more}

    def lists(groups: int, size: int, features: Callable[[list[str]], dict[str, Any]]) -> list[dict[str, Any]]:
        firsts = [rng.choices(words, k=15) for _ in range(groups)]
        return [
            {
                "id": f"group-{at}",
                "references": [" ".join(first)],
                "candidates": [scored(text, **features(text)) for text in (variant(first) for _ in range(size))],
            }
            for at, first in enumerate(firsts)
        ]

    dense = [f"score:{at}" for at in range(20)]
    return {
        "sparse": lists(150, 100, lambda text: {"features": ngrams(text)}),
        "texts": lists(5000, 10, lambda _: {}),
        "dense": lists(1000, 30, lambda _: {"features": {name: rng.gauss(0, 1) for name in dense}}),
        "names": lists(300, 50, lambda text: {"features": list(ngrams(text))}),
    }


def records() -> dict[str, Any]:
    """Samples of a language model as rows and as lists, beside parsing their lines."""
    draw = random.Random(0)
    found: dict[str, float] = {}
    words = [f"w{number}" for number in range(2000)]
    texts = [" ".join(draw.choices(words, k=30)) for _ in range(SAMPLES)]
    each = SAMPLES // LISTS
    contents = {
        "one per line": (
            {"task_id": f"t{at % LISTS}", "completion": text, "passed": at % 3 == 0, "reward": draw.random()}
            for at, text in enumerate(texts)
        ),
        "lists": (
            {"prompt": f"p{at}", "samples": texts[at * each : (at + 1) * each], "rewards": [draw.random()] * each}
            for at in range(LISTS)
        ),
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, records in contents.items():
            path = Path(folder) / "samples.jsonl"
            path.write_text("".join(json.dumps(record) + "\n" for record in records))
            start = time.process_time()
            with path.open("rb") as lines:
                for line in lines:
                    orjson.loads(line)
            parsed = time.process_time()
            data = formats.read(path)
            done = time.process_time()
            if data.n_candidates != SAMPLES or len(data) != LISTS:
                raise AssertionError(repr(data))
            found |= {f"{name}, parsing alone": parsed - start, f"{name}, read": done - parsed}
    return {"samples": SAMPLES, "seconds": {name: round(seconds, 2) for name, seconds in found.items()}}


PARTS: dict[str, Callable[[], dict[str, Any]]] = {"letor": letor, "json_lines": json_lines, "records": records}


def main() -> None:
    """Run all parts, or those that are named."""
    chosen = sys.argv[1:] or list(PARTS)
    report = {}
    for name in chosen:
        report[name] = PARTS[name]()
        print(f"{name}: {json.dumps(report[name], indent=1)}")
    finish(report)


if __name__ == "__main__":
    main()
