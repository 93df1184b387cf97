"""What a GPU is worth beside two cores: training over dense features, Bayes risk under embeddings, neural scores.

Every row is a process of its own, timed from reading lists or loading a network to the model or the scores; programs
are imported, loops compiled and the device started before. Rows of the CPU run side by side, on two cores each; those
of the GPU come afterwards, alone, with two cores too. `times` is how often a row's time goes into that of the compiled
loops, or of the network, on two cores. Prints one JSON object as the last line.

    PYTHONPATH=src:tests python benchmarks/gpu.py                              # with a GPU
    PYTHONPATH=src:tests python benchmarks/gpu.py --device cpu --size 0.01     # a trial without
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from shared import finish, skip

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.nbest import NBest

CANDIDATES, COLUMNS = 600_000, 256
TEXTS = {"cross-encoder": 400, "causal-lm": 400, "masked-lm": 20}  # on two cores and on the GPU
MORE = 50  # times as many, on the GPU alone
RISK_LISTS, SAMPLES = 60, 50
WORDS = 20
LIMIT = 200  # seconds of a row
LEARNERS: dict[str, dict[str, Any]] = {
    "loglinear": {"sigma": 1.0},
    "crf": {"objective": "kl", "temperature": 1.0, "l2": 1e-4},
}


# ---------------------------------------------------------------- lists and models


def lists_of_states(candidates: int, seed: int) -> NBest:
    """Lists of 20 to 180 candidates, the features of which are like the states of a network: full and correlated."""
    from runoff import NBest
    from runoff.nbest import Features

    rng = np.random.default_rng(seed)
    sizes = rng.integers(20, 181, max(2, candidates // 100))
    n = int(sizes.sum())
    turn = np.linalg.qr(np.random.default_rng(0).standard_normal((COLUMNS, COLUMNS)))[0]
    mix = np.arange(1, COLUMNS + 1)[:, None] ** -0.5 * turn
    X = rng.standard_normal((n, COLUMNS), dtype=np.float32) @ mix.astype(np.float32)
    told = X @ np.random.default_rng(1).standard_normal(COLUMNS).astype(np.float32)
    told *= 2 / told.std()
    columns = np.tile(np.arange(COLUMNS, dtype=np.int32), n)
    features = Features.from_csr(COLUMNS * np.arange(n + 1), columns, X.ravel(), COLUMNS)
    quality = (told + rng.gumbel(size=n)).round(1)
    return NBest.from_arrays(features, quality, sizes=sizes, base=quality + 3 * rng.standard_normal(n))


def texts(many: int, words: int = WORDS, seed: int = 0) -> list[str]:
    """Texts of half to one and a half times so many words."""
    from helpers import tiny_networks

    rng = random.Random(seed)
    return [
        " ".join(rng.choices(tiny_networks.WORDS, k=rng.randint(words // 2, words + words // 2))) for _ in range(many)
    ]


def save_network(kind: str, folder: Path) -> None:
    """A network of the usual size with random weights: BERT, GPT-2, or an encoder of six small layers."""
    from helpers.tiny_networks import save_tokenizer

    torch, transformers = import_module("torch"), import_module("transformers")
    torch.manual_seed(0)
    save_tokenizer(folder, longest=512, **({"eos_token": "[SEP]"} if kind == "causal-lm" else {}))
    if kind == "causal-lm":
        transformers.GPT2LMHeadModel(transformers.GPT2Config()).save_pretrained(folder)
    elif kind == "encoder":
        small = {"hidden_size": 384, "num_hidden_layers": 6, "num_attention_heads": 12, "intermediate_size": 1536}
        transformers.BertModel(transformers.BertConfig(**small)).save_pretrained(folder)
    else:
        config = transformers.BertConfig(num_labels=1)
        head = transformers.BertForMaskedLM if kind == "masked-lm" else transformers.BertForSequenceClassification
        head(config).save_pretrained(folder)


def prepare(work: Path, size: float) -> None:
    """Write what the rows read."""
    lists_of_states(int(CANDIDATES * size), 2).save(work / "lists.arrow")
    lists_of_states(3_000, 3).save(work / "few.arrow")
    for kind in (*TEXTS, "encoder"):
        save_network(kind, work / kind)


# ---------------------------------------------------------------- rows


def learner_row(name: str, device: str, work: Path, _size: float) -> dict[str, Any]:
    """Read lists, learn, write the model; on a GPU once more, for the bits."""
    import runoff
    from runoff.learners import dense_lists, learner

    def once(path: Path) -> tuple[dict[str, float], Any]:
        settings = {**LEARNERS[name], "calibration": "none", **({} if device == "loops" else {"device": device})}
        began = time.perf_counter()
        data = runoff.read(path)
        read = time.perf_counter()
        model = learner(name)(**settings).fit(data).model
        learned = time.perf_counter()
        model.save(work / f"{name}-{device.replace(':', '')}.runoff")
        done = time.perf_counter()
        return {"seconds": done - began, "read": read - began, "fit": learned - read, "write": done - learned}, model

    on_device = {"sent": 0.0, "summed": 0.0}
    kind = dense_lists.DenseLists
    _timed(kind, "__init__", "sent", on_device)
    _timed(kind, "sums", "summed", on_device)
    once(work / "few.arrow")
    on_device.update(sent=0.0, summed=0.0)
    row, model = once(work / "lists.arrow")
    if device != "loops":
        row |= on_device
    weights = np.append(model.weights, model.base_weight)
    np.save(work / f"{name}-{device}.npy", weights)
    found: dict[str, Any] = {**row, "steps": model.provenance["steps"], "loss": model.provenance["loss"]}
    if device.startswith("cuda"):
        again = once(work / "lists.arrow")[1]
        found["same_bits"] = bool((np.append(again.weights, again.base_weight) == weights).all())
    data = runoff.read(work / "lists.arrow")
    return {**found, "candidates": data.n_candidates, "values": int(data.features.indptr[-1])}


def neural_row(kind: str, device: str, work: Path, size: float) -> dict[str, Any]:
    """Load a network and score candidates with their inputs."""
    from runoff.features.neural import KINDS, CandidateTexts, NeuralModel, NeuralScorer
    from runoff.features.neural.networks import NETWORKS

    spent = {"tokens": 0.0}
    _timed(NETWORKS[KINDS[kind].network], "encode", "tokens", spent)

    def once(many: int) -> tuple[dict[str, Any], Any]:
        given = CandidateTexts(texts(many, seed=1), texts(many, seed=2))
        began = time.perf_counter()
        scorer = NeuralScorer(NeuralModel(kind, str(work / kind)), device)
        _ = scorer.network
        loaded = time.perf_counter()
        spent["tokens"] = 0.0
        found = scorer.columns(given)[1]
        return {**_rates(began, loaded, many), **spent}, found

    return _few_and_many(once, max(1, int(TEXTS[kind] * size)), work / f"{kind}-{device}.npy", device)


def risk_row(what: str, device: str, work: Path, size: float) -> dict[str, Any]:
    """From lists of texts to every candidate's expected similarity to the others of its list."""
    from runoff import NBest
    from runoff.tasks.text.distinct_texts import DistinctTexts
    from runoff.tasks.text.features.embedding import LoadedEncoder, embedding_features, load_encoder

    spent = {"encode": 0.0}
    _timed(LoadedEncoder, "encode", "encode", spent)

    def once(many: int) -> tuple[dict[str, Any], Any]:
        data = NBest.from_arrays(texts=texts(many * SAMPLES, seed=4), sizes=[SAMPLES] * many)
        began = time.perf_counter()
        encoder = load_encoder(work / "encoder", device)
        loaded = time.perf_counter()
        spent["encode"] = 0.0
        found = embedding_features(DistinctTexts.of(data), encoder)[1]
        return {**_rates(began, loaded, many * SAMPLES), **spent}, found

    return _few_and_many(once, max(1, int(RISK_LISTS * size)), work / f"{what}-{device}.npy", device)


def agreement_row(_what: str, device: str, _work: Path, _size: float) -> dict[str, Any]:
    """Small ragged lists with zeros and without candidates: every objective beside the compiled loops."""
    from runoff import NBest
    from runoff.learners import CRF, LogLinear
    from runoff.learners.crf_problem import OBJECTIVES
    from runoff.learners.dense_lists import DenseLists
    from runoff.learners.dense_objectives import CRFObjective

    rng = np.random.default_rng(0)
    sizes = rng.integers(0, 30, 400)
    n = int(sizes.sum())
    X = rng.standard_normal((n, 12)) * (rng.random((n, 12)) < 0.7)
    quality = np.round(X @ np.linspace(1, -1, 12) + rng.standard_normal(n))
    base = quality + 3 * rng.standard_normal(n)
    data = NBest.from_arrays(X, quality, sizes=sizes, base=base)
    given: dict[str, Any] = {"l2": 0.01, "temperature": 0.5, "loss_weight": 2.0, "calibration": "none"}
    learners: dict[str, Any] = {
        "best": LogLinear(sigma=1.0, right="best", calibration="none"),
        "tied": LogLinear(sigma=1.0, right="tied", calibration="none"),
        **{each: CRF().set_params(objective=each, **given) for each in OBJECTIVES},
    }
    began, same, row = time.perf_counter(), True, dict[str, float]()
    for name, each in learners.items():
        usual, one, two = (
            each.clone().set_params(device=at).fit(data).model.weights for at in ("none", device, device)
        )
        row[name] = float(np.abs(usual - one).max() / np.abs(usual).max())
        same = same and bool((one == two).all())
    losses = np.abs(rng.standard_normal(n))
    kept, sent = (DenseLists(data, device, base, losses, memory=memory, block=5000) for memory in (None, 0))
    sums = [
        each.sums(CRFObjective("el", 1.0), np.ones(12), 1.0, each.inside(np.arange(len(data)))) for each in (kept, sent)
    ]
    streamed = bool((sums[0][1] == sums[1][1]).all())
    seconds = time.perf_counter() - began
    return {
        "seconds": seconds,
        **row,
        "same_bits": same,
        "streamed_same_bits": streamed,
        "kept": [kept.kept, sent.kept],
    }


def _rates(began: float, loaded: float, many: int) -> dict[str, Any]:
    done = time.perf_counter()
    return {"seconds": done - began, "load": loaded - began, "texts": many, "per_second": many / (done - loaded)}


def _few_and_many(
    once: Callable[[int], tuple[dict[str, Any], Any]], many: int, out: Path, device: str
) -> dict[str, Any]:
    """What so many texts take, after a first try; on a GPU also many times as many."""
    once(2)
    row, found = once(many)
    np.save(out, found)
    if device.startswith("cuda"):
        row["many"] = once(MORE * many)[0]
    return row


ROWS: dict[str, Callable[[str, str, Path, float], dict[str, Any]]] = {
    **dict.fromkeys(LEARNERS, learner_row),
    **dict.fromkeys(TEXTS, neural_row),
    "risk": risk_row,
    "agreement": agreement_row,
}


def _timed(owner: Any, name: str, key: str, spent: dict[str, float]) -> None:
    """Add up the seconds that a method takes."""
    method = getattr(owner, name)

    def around(*arguments: Any, **named: Any) -> Any:
        began = time.perf_counter()
        try:
            return method(*arguments, **named)
        finally:
            spent[key] += time.perf_counter() - began

    setattr(owner, name, around)


# ---------------------------------------------------------------- processes


def in_this_process(what: str, device: str, work: Path, size: float) -> dict[str, Any]:
    """A row, with the memory that it took."""
    torch = None if device == "loops" else import_module("torch")
    if torch is not None:
        torch.set_num_threads(2)
    row = {"what": what, "device": device, **ROWS[what](what, device, work, size)}
    peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    row["peak_gb"] = int(peak.split()[1]) / 2**20
    if torch is not None and device.startswith("cuda"):
        row["peak_gpu_gb"] = torch.cuda.max_memory_allocated() / 2**30
    return row


def begin(what: str, device: str, work: Path, size: float, cores: set[int]) -> subprocess.Popen[str]:
    """Start a row's process on some cores."""
    command = [sys.executable, __file__, "--row", what, "--device", device, "--work", str(work), "--size", str(size)]
    environment = {**os.environ, "RUNOFF_THREADS": "2", "OMP_NUM_THREADS": "2", "TOKENIZERS_PARALLELISM": "true"}
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=environment, preexec_fn=lambda: os.sched_setaffinity(0, cores)
    )


def ended(process: subprocess.Popen[str]) -> dict[str, Any] | None:
    """What a row found; None where it failed, which it has said by then, or took too long."""
    try:
        out, _ = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        print(f"ended after {LIMIT} s: {process.args!r}", file=sys.stderr, flush=True)
        return None
    if process.returncode:
        return None
    row: dict[str, Any] = json.loads(out.splitlines()[-1])
    print(json.dumps(row), file=sys.stderr, flush=True)
    return row


def different_cores() -> list[int]:
    """Processors that this process may use, one of each core, if the machine says which belong together."""
    first: dict[str, int] = {}
    for each in sorted(os.sched_getaffinity(0)):
        told = Path(f"/sys/devices/system/cpu/cpu{each}/topology/thread_siblings_list")
        first.setdefault(told.read_text() if told.exists() else str(each), each)
    return list(first.values())


def on_the_cpu(work: Path, cores: list[int], size: float) -> list[dict[str, Any]]:
    """Rows of two cores, side by side where there are more."""
    queues = [
        [(name, "loops") for name in LEARNERS],
        [(name, "cpu") for name in LEARNERS],
        [("cross-encoder", "cpu"), ("masked-lm", "cpu")],
        [("causal-lm", "cpu"), ("risk", "cpu")],
    ]
    pairs = [set(cores[at : at + 2]) for at in range(0, len(cores) - 1, 2)][: len(queues)] or [set(cores)]
    rows: list[dict[str, Any] | None] = []
    for first in range(0, len(queues), len(pairs)):
        waiting = list(zip([list(each) for each in queues[first : first + len(pairs)]], pairs, strict=False))
        while any(queue for queue, _ in waiting):
            going = [begin(*queue.pop(0), work, size, pair) for queue, pair in waiting if queue]
            rows += [ended(each) for each in going]
    return [row for row in rows if row is not None]


def compare(rows: list[dict[str, Any]], work: Path) -> None:
    """Beside every row, its agreement with the program on two cores, and how many times as fast it is."""
    for row in rows:
        what = row["what"]
        usual = "loops" if what in LEARNERS else "cpu"
        base = next((each for each in rows if (each["what"], each["device"]) == (what, usual)), None)
        if base is None or row is base:
            continue
        row["times"] = base["seconds"] / row["seconds"]
        one, other = (np.load(work / f"{what}-{each}.npy") for each in (usual, row["device"]))
        row["largest_difference"] = float(np.abs(one - other).max())
        row["of"] = float(np.abs(one).max())
        if "many" in row:
            row["many"]["times"] = row["many"]["per_second"] / base["per_second"]


def main() -> None:
    """Run all rows, or in a process of its own one."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--size", type=float, default=1.0)
    parser.add_argument("--row", choices=list(ROWS))
    parser.add_argument("--work", type=Path)
    given = parser.parse_args()
    if given.row:
        finish(in_this_process(given.row, given.device, given.work, given.size))
        return
    try:
        torch = import_module("torch")
        import_module("transformers")
    except ImportError as error:
        skip(f"{error.name} is not installed: pip install 'runoff[gpu,neural,text]'")
        return
    if given.device.startswith("cuda") and not torch.cuda.is_available():
        skip("there is no GPU here; for a trial: --device cpu --size 0.01")
        return
    cores = different_cores()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(dir=given.work) as folder:
        work = Path(folder)
        prepare(work, given.size)
        prepared = time.perf_counter()
        rows = on_the_cpu(work, cores, given.size)
        if given.device != "cpu":
            found = [ended(begin(what, given.device, work, given.size, set(cores[:2]))) for what in ROWS]
            rows += [row for row in found if row is not None]
        compare(rows, work)
    finish(
        {
            "rows": rows,
            "prepared": prepared - began,
            "seconds": time.perf_counter() - began,
            "torch": torch.__version__,
            "gpu": torch.cuda.get_device_name(0) if torch.cuda.is_available() else None,
            "cores": len(cores),
        }
    )


if __name__ == "__main__":
    main()
