"""A translator of phrases from training to tuned weights, and its lists of a thousand.

Parallel text of translation/*/train.*, val.* and test_*; all settings are chosen on val. What is made is kept in the
folder RUNOFF_WORK. Sections: `train` (aligners; seconds and memory), `speed` (sentences a second of one core), `tuners`
(one row for each method), `lists` (oracle at k). The second round is measured by translation_second_round.py.
Usage: python benchmarks/translation.py [train | speed | tuners | lists …]
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import runoff
from runoff.tables import text_table
from runoff.tasks.translation.bitext import read_sentences
from runoff.tasks.translation.training import train_translator
from runoff.tasks.translation.translation_scores import scores_of
from runoff.tasks.translation.translator_file import load_translator
from runoff.tasks.translation.translator_settings import Aligner, TranslatorSettings
from runoff.tasks.translation.tuning import TUNERS, tune
from shared import data_folder, finish, skip

if TYPE_CHECKING:
    from runoff.tasks.translation.translator import Translator

SOURCE, TARGET, FOLDER = "en", "de", "multi30k"
ALIGNERS: tuple[Aligner, ...] = ("model1", "diagonal", "hmm", "eflomal")
K = 1_000


def main() -> None:
    """All sections, or those that are named."""
    folder = data_folder()
    if folder is None or not (folder / "translation" / FOLDER).is_dir():
        skip(f"no parallel text translation/{FOLDER} in the data folder; set RUNOFF_DATA")
        return
    sections = {"train": training, "speed": speed, "tuners": tuners, "lists": lists}
    asked = sys.argv[1:] or list(sections)
    finish({name: sections[name]() for name in asked})


# ---------------------------------------------------------------- material


@cache
def texts(part: str, language: str) -> list[str]:
    """The sentences of a part: train, val or test."""
    folder = data_folder()
    assert folder is not None  # main has looked
    return read_sentences(next((folder / "translation" / FOLDER).glob(f"{part}*.{language}.gz")))


@cache
def work() -> Path:
    """Where what was made is kept."""
    path = Path(os.environ.get("RUNOFF_WORK") or tempfile.mkdtemp())
    path.mkdir(parents=True, exist_ok=True)
    return path


def bleu(translator: Translator, part: str) -> float:
    """BLEU of the first translations of a part: cased, sacrebleu's 13a."""
    return scores_of(translator.translate(texts(part, SOURCE)), [[text] for text in texts(part, TARGET)])["bleu"]


def trained(aligner: Aligner) -> tuple[Translator, dict[str, float]]:
    """A translator with rough weights, and what it took."""
    path = work() / f"{aligner}.runoff"
    began, used = time.perf_counter(), time.process_time()
    translator = train_translator(texts("train", SOURCE), texts("train", TARGET), TranslatorSettings(aligner=aligner))
    took = {"seconds": time.perf_counter() - began, "cpu": time.process_time() - used}
    translator.save(path)
    return load_translator(path), {**took, "file MB": path.stat().st_size / 1e6}


def tuned(method: str = "mert") -> tuple[Translator, Any]:
    """The translator of the best aligner, with weights that were tuned on val; and its rounds."""
    path, rounds = work() / f"tuned-{method}.runoff", work() / f"tuned-{method}.json"
    if not rounds.exists():
        start = work() / "hmm.runoff"
        translator = load_translator(start) if start.exists() else trained("hmm")[0]
        references = [[text] for text in texts("val", TARGET)]
        made, found = tune(translator, texts("val", SOURCE), references, method=method, say=note)
        made.save(path)
        rounds.write_text(json.dumps(found.to_dict()))
    return load_translator(path), json.loads(rounds.read_text())


def note(message: object) -> None:
    """Progress, beside the results."""
    print(message, file=sys.stderr, flush=True)


# ---------------------------------------------------------------- sections


def training() -> dict[str, Any]:
    """Seconds, memory and BLEU before tuning of all aligners; kernels are compiled before."""
    train_translator(texts("val", SOURCE), texts("val", TARGET)).translate(texts("val", SOURCE)[:5])
    rows: list[list[str]] = []
    numbers: dict[str, Any] = {}
    for aligner in ALIGNERS:
        if aligner == "eflomal" and find_spec("eflomal") is None:
            note("eflomal is left out, which is not installed: pip install 'runoff[align]'")
            continue
        translator, took = trained(aligner)
        score = bleu(translator, "val")
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        numbers[aligner] = {**took, "val": score, "peak GB so far": peak, **translator.describe()}
        rows.append([aligner, f"{took['seconds']:.1f}", f"{took['cpu']:.1f}", f"{peak:.2f}", f"{score:.2f}"])
        note(rows[-1])
    columns = ["aligner", "seconds", "CPU seconds", "peak GB so far", "BLEU of val, rough weights"]
    print(f"\nTraining, {len(texts('train', SOURCE)):,} pairs\n{text_table(columns, rows)}")
    return numbers


def speed() -> dict[str, Any]:
    """Sentences a second of one core, by the size of the stack."""
    translator, _ = tuned()
    source = texts("test", SOURCE)
    os.environ["RUNOFF_THREADS"] = "1"
    translator.translate(source[:10])
    rows, numbers = [], {}
    for stack in (10, 30, 100, 300):
        searcher = replace(translator, settings=replace(translator.settings, stack=stack))
        used = time.process_time()
        searcher.translate(source)
        rate = len(source) / (time.process_time() - used)
        score = bleu(searcher, "test")
        numbers[str(stack)] = {"sentences a second": rate, "test": score}
        rows.append([str(stack), f"{rate:.0f}", f"{score:.2f}"])
        note(rows[-1])
    for k in (100, K):
        used = time.process_time()
        translator.nbest(source, k)
        rate = len(source) / (time.process_time() - used)
        numbers[f"100, {k}-best"] = {"sentences a second": rate}
        rows.append([f"100, {k:,} best", f"{rate:.0f}", ""])
    del os.environ["RUNOFF_THREADS"]
    print(f"\nDecoding by one core\n{text_table(['stack', 'sentences a second', 'BLEU of test'], rows)}")
    return numbers


def tuners() -> dict[str, Any]:
    """BLEU on val, which the weights were learned on, and on test; rounds and seconds."""
    rows, numbers = [], {}
    start = work() / "hmm.runoff"
    rough = load_translator(start) if start.exists() else trained("hmm")[0]
    rows.append(["rough weights", f"{bleu(rough, 'val'):.2f}", f"{bleu(rough, 'test'):.2f}", "", "", ""])
    for method in TUNERS:
        translator, found = tuned(method)
        scores = bleu(translator, "val"), bleu(translator, "test")
        seconds = sum(each["seconds"] for each in found["rounds"])
        candidates = found["rounds"][-1]["candidates"]
        count = len(found["rounds"])
        numbers[method] = {
            "val": scores[0],
            "test": scores[1],
            "rounds": count,
            "seconds": seconds,
            "candidates": candidates,
            "finished": found["finished"],
        }
        ending = "" if found["finished"] else "+"
        rows.append([method, *(f"{score:.2f}" for score in scores), f"{count}{ending}", f"{candidates:,}"])
        rows[-1].append(f"{seconds:.0f}")
        note(rows[-1])
    columns = ["method", "BLEU of val", "BLEU of test", "rounds", "candidates", "seconds"]
    print(f"\nTuning on val\n{text_table(columns, rows)}\n+ new candidates to the end")
    return numbers


def lists() -> dict[str, Any]:
    """Oracle of the first k different translations."""
    translator, _ = tuned()
    began = time.perf_counter()
    data = thousand(translator, "test")
    seconds = time.perf_counter() - began
    found = runoff.describe(data, metric="bleu")
    print(f"\nLists of up to {K:,}, made in {seconds:.1f} s\n{found}")
    return {"seconds": seconds, "candidates": data.n_candidates, **found.to_dict()}


def thousand(translator: Translator, part: str) -> runoff.NBest:
    """The thousand best translations of a part."""
    references = [[text] for text in texts(part, TARGET)]
    return translator.nbest(texts(part, SOURCE), K, references=references)


if __name__ == "__main__":
    main()
