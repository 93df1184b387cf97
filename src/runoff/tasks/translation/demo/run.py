"""The pipeline on a synthetic phrasebook, to see whether the second round finds what a word means."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from runoff import tasks
from runoff.errors import UsageError
from runoff.files import reason, replacing
from runoff.pipeline import run_pipeline
from runoff.tasks.translation.decoder_settings import DecoderSettings
from runoff.tasks.translation.demo.phrasebook import BEGINNINGS, phrasebook
from runoff.tasks.translation.features.lexicon_scores import NAMES as LEXICON
from runoff.tasks.translation.translator_round import RoundSettings, TranslatorRound
from runoff.tasks.translation.translator_settings import TranslatorSettings

if TYPE_CHECKING:
    from collections.abc import Callable

PAIRS = 2_000
TEST, K, FOLDS, ORDER, STACK, LIMIT = 0.2, 20, 4, 3, 30, 12
FAMILIES = "scores,lexicon,coverage,fluency"  # few enough to see what decides
FILES = ("phrasebook.en", "phrasebook.de")


def run(
    folder: str | Path, seed: int, say: Callable[[str], object] = print, *, count: int = PAIRS, verbose: bool = False
) -> dict[str, Any]:
    """Write a phrasebook of `count` pairs to `folder`, and run the pipeline on it; the same call resumes."""
    folder = Path(folder)
    source, target = _write(folder, count, seed)
    say(
        f"A synthetic phrasebook of {count:,} sentence pairs is in {source} and {target}.\n"
        "German verbs come last, after time and place. And what a bank is depends on who goes there, a fisherman or a\n"
        "banker, which is too far away for a language model of three words.\n\n"
        "1. The pipeline: translator, lists of translations, features, learners\n"
    )
    first_round = TranslatorRound(
        RoundSettings(
            TranslatorSettings(order=ORDER),
            DecoderSettings(stack=STACK, distortion_limit=LIMIT),
            tuning_rounds=3,
            phrase_pairs=False,
        )
    )
    found = run_pipeline(
        tasks.get("translation"),
        (source, target),
        folder,
        first_round=first_round,
        metrics=("bleu", "chrf"),
        k=K,
        folds=FOLDS,
        test=TEST,
        features={"families": FAMILIES},
        about=LEXICON,
        seed=seed,
        verbose=verbose,
        say=say,
    )
    say(f"\n2. Results on held-out sentences\n\n{found}\n")
    decision = folder / "decision.txt"
    if decision.exists():
        say(f"3. Why? One decision explained\n\n{decision.read_text('utf-8')}")
    say(
        f"4. Everything is in {folder}: the phrasebook, translator.runoff, the lists (train, dev, test),\n"
        "   model.runoff, table.md, and the pictures result.png and decision.png. The same by hand:\n"
        f"     runoff translate pipeline {source} {target} -o translator --test {TEST} -k {K} --order {ORDER} \\\n"
        f"       --stack {STACK} --distortion-limit {LIMIT} --families {FAMILIES}\n"
        f"     runoff translate nbest {folder}/translator.runoff SOURCE -o lists.jsonl\n"
        f"     runoff pick {found.model} lists.jsonl -o better.txt"
    )
    return {"folder": str(folder), "seed": seed, **found.numbers}


def _write(folder: Path, count: int, seed: int) -> tuple[Path, Path]:
    """Write the phrasebook; never overwrites a foreign file."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"the folder {folder} cannot be created: {reason(error)}.") from error
    paths = folder / FILES[0], folder / FILES[1]
    for path, lines in zip(paths, phrasebook(count, seed), strict=True):
        content = "\n".join(lines) + "\n"
        if path.exists() and not path.read_bytes().startswith(BEGINNINGS):
            raise UsageError(f"{path} is from elsewhere and would be overwritten; name another folder.")
        with replacing(path) as temporary:
            temporary.write_text(content, "utf-8")
    return paths
