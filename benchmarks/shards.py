"""Data larger than memory: a sharded set of any size, and everything that is done to it, each in a process of its own.

    python benchmarks/shards.py --size 10GB --memory 3GB --work FOLDER
    python benchmarks/shards.py --size 200MB --whole          the same without bounds, beside it: the same numbers

The set is synthetic: lists of 20 candidates that differ from a reference in some of 98 slots. A slot with its word is
a feature, the words of the first 40 slots are the text; two dense columns and the first round's score go with quality.
For every step: seconds, the most that was resident (VmHWM), the most of it that belonged to no file (RssAnon, looked at
every 20 ms), and a digest of what was made.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from runoff.formats.shard_writer import ShardPlan, writing_shards
from runoff.memory import in_bytes, in_words
from runoff.nbest import Features, NBest

CANDIDATES, SLOTS, WORDS, SPOKEN = 20, 98, 2_600, 40
LISTS_AT_ONCE = 2_000
BYTES_OF_A_LIST = 22_000
STEPS: dict[str, tuple[str, ...]] = {
    "features of texts": (
        "features",
        "{set}",
        "-o",
        "{work}/made/",
        "--families",
        "length,repetition,shape,words",
        "--fit-on",
        "2000",
        "--task",
        "text",
    ),
    "perceptron": ("--learner", "perceptron", "--set", "epochs=1", "--set", "order=best-vs-rest", "--set", "tau=1.0"),
    "log-linear": ("--learner", "loglinear", "--set", "sigma=1.0", "--set", "max_iter=5"),
    "boosting": ("--learner", "boost", "--set", "rounds=100", "--set", "smoothing=0.0025"),
    "trees": ("--learner", "trees", "--set", "rounds=3", "--set", "depth=3"),
    "evaluation": ("eval", "{work}/perceptron.runoff", "{set}", "--resamples", "200", "--trials", "200", "--json"),
    "choices": ("pick", "{work}/perceptron.runoff", "{set}", "-o", "{work}/choices.jsonl"),
}


def lists(count: int, first: int) -> NBest:
    """Some lists; those with the same number are the same in every set."""
    rng = np.random.default_rng([7, first])
    n = count * CANDIDATES
    reference = rng.integers(0, WORDS // 2, (count, SLOTS), np.int32)
    wrong = rng.random(n, np.float32) * 0.3
    is_wrong = rng.random((n, SLOTS), np.float32) < wrong[:, None]
    said = np.repeat(reference, CANDIDATES, axis=0)
    # Half of what is said wrongly are words that are always wrong.
    said[is_wrong] = rng.integers(WORDS // 4, WORDS, int(is_wrong.sum()), np.int32)
    errors = is_wrong.mean(axis=1)
    dense = (errors[:, None] + rng.normal(0, 0.1, (n, 2))).astype(np.float32)
    indices = np.empty((n, SLOTS + 2), np.int32)
    np.add(said, np.arange(SLOTS, dtype=np.int32) * WORDS, out=indices[:, :SLOTS])
    indices[:, SLOTS:] = SLOTS * WORDS + np.arange(2)
    values = np.ones((n, SLOTS + 2), np.float32)
    values[:, SLOTS:] = np.where(dense == 0, 0.5, dense)
    features = Features.from_csr(
        np.arange(n + 1) * (SLOTS + 2), indices.ravel(), values.ravel(), SLOTS * WORDS + 2, column_names()
    )
    spoken = texts(said[:, :SPOKEN])
    right = texts(reference[:, :SPOKEN])
    return NBest(
        offsets=np.arange(count + 1) * CANDIDATES,
        features=features,
        group_ids=pa.array([f"list {first + at}" for at in range(count)], pa.large_string()),
        base=-errors + rng.normal(0, 0.1, n),
        quality=-errors.astype(np.float64),
        texts=spoken,
        references=pa.LargeListArray.from_arrays(pa.array(np.arange(count + 1)), right),
    )


def texts(words: Any) -> pa.Array:
    """Words of six letters, as texts."""
    letters = np.frombuffer(b"".join(f"w{number:04} ".encode() for number in range(WORDS)), np.uint8).reshape(WORDS, 6)
    count, each = words.shape
    data = letters[words.ravel()].reshape(-1)
    return pa.LargeStringArray.from_buffers(
        count, pa.py_buffer(np.arange(count + 1) * 6 * each), pa.py_buffer(np.ascontiguousarray(data))
    )


_names: list[pa.Array] = []


def column_names() -> pa.Array:
    """Slot and word, and the two dense columns."""
    if not _names:
        named = [f"{slot}:w{word:04}" for slot in range(SLOTS) for word in range(WORDS)]
        _names.append(pa.array([*named, "dense:one", "dense:two"], pa.large_string()))
    return _names[0]


def make(folder: Path, size: int) -> None:
    """Write the set."""
    count = max(40, size // BYTES_OF_A_LIST)
    with writing_shards(folder, ShardPlan(most_bytes=max(size // 40, 10**6))) as writer:
        for first in range(0, count, LISTS_AT_ONCE):
            writer.add(lists(min(LISTS_AT_ONCE, count - first), first))


def run(name: str, data: Path, work: Path, memory: str | None) -> dict[str, Any]:
    """One step in a process of its own."""
    told = STEPS[name]
    if told[0].startswith("--"):
        told = ("train", "{set}", "-o", f"{{work}}/{name}.runoff", *told, "--set", "calibration=none", "--task", "rows")
    command = [each.format(set=data, work=work) for each in told]
    if memory is not None:
        command += ["--memory", memory, "--work", str(work)]
    began = time.monotonic()
    done = subprocess.Popen(
        [sys.executable, "-m", "runoff", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    peaks = {"resident": 0, "anonymous": 0}
    watcher = threading.Thread(target=_watch, args=(done.pid, peaks), daemon=True)
    watcher.start()
    out, said = done.communicate()
    seconds = time.monotonic() - began
    digest = _digest(name, work, out) if not done.returncode else f"failed: {said.strip().splitlines()[-1]}"
    return {"step": name, "seconds": round(seconds, 1), **peaks, "digest": digest}


def _watch(pid: int, peaks: dict[str, int]) -> None:
    """Follow the memory of a process until it ends."""
    while True:
        try:
            said = Path(f"/proc/{pid}/status").read_text()
        except OSError:
            return
        found = dict(line.split(":", 1) for line in said.splitlines())
        for name, key in (("resident", "VmHWM"), ("anonymous", "RssAnon")):
            if key in found:
                peaks[name] = max(peaks[name], int(found[key].split()[0]) << 10)
        time.sleep(0.02)


def _digest(name: str, work: Path, out: str) -> str:
    """What tells two results apart: weights, numbers, choices, features."""
    if name == "evaluation":
        found = {
            key: value for key, value in json.loads(out).items() if key in ("changed", "better", "worse", "results")
        }
        return _hash(json.dumps(found, sort_keys=True).encode())
    if name == "choices":
        return _hash((work / "choices.jsonl").read_bytes())
    if name == "features of texts":
        from runoff.formats import read_blocks

        digest = hashlib.blake2b(digest_size=6)
        for block in read_blocks(work / "made"):
            features = block.features
            first, last = int(features.indptr[0]), int(features.indptr[-1])
            digest.update(np.ascontiguousarray(features.indices[first:last]).tobytes())
        return digest.hexdigest()
    import runoff

    model = runoff.load(work / f"{name}.runoff")
    return _hash(np.ascontiguousarray(model.weights).tobytes() + str(getattr(model, "base_weight", "")).encode())


def _hash(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=6).hexdigest()


def main() -> None:
    """Make the set, run all steps, print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", default="200MB")
    parser.add_argument("--memory", default="3GB")
    parser.add_argument("--work", type=Path, help="an empty folder on a disk; default: a temporary one")
    parser.add_argument("--set", type=Path, help="a set that was made before; default: one is made, and removed")
    parser.add_argument("--steps", default=",".join(STEPS), help="comma separated")
    parser.add_argument("--whole", action="store_true", help="also all of it in memory, from one file")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.work) as folder:
        work = Path(folder)
        began, data = time.monotonic(), asked.set or work / "set"
        if asked.set is None:
            make(data, in_bytes(asked.size, "--size"))
        size = sum(each.stat().st_size for each in data.iterdir())
        manifest = json.loads((data / "shards.json").read_text())
        shards = manifest["shards"]
        print(
            f"set: {in_words(size)} in {len(shards)} shards, {manifest['groups']:,} lists, "
            f"{sum(each['candidates'] for each in shards):,} candidates, "
            f"{sum(each['stored'] for each in shards):,} stored values; {time.monotonic() - began:.0f} s",
            flush=True,
        )
        one = work / "one.arrow"
        if asked.whole:
            subprocess.run([sys.executable, "-m", "runoff", "convert", str(data), str(one)], check=True)
        for name in asked.steps.split(","):
            found = run(name, data, work, asked.memory)
            print(_line(found), flush=True)
            shutil.rmtree(work / "made", ignore_errors=True)
            if asked.whole:
                there = run(name, one, work, None)
                shutil.rmtree(work / "made", ignore_errors=True)
                same = "the same" if there["digest"] == found["digest"] else "DIFFERENT"
                print(f"{_line(there)}  (one file, unbounded: {same})", flush=True)


def _line(found: dict[str, Any]) -> str:
    return (
        f"| {found['step']} | {found['seconds']:,.0f} s | {in_words(found['resident'])} | "
        f"{in_words(found['anonymous'])} | {found['digest']} |"
    )


if __name__ == "__main__":
    os.environ.setdefault("RUNOFF_THREADS", "2")
    main()
