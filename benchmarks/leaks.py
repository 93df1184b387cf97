"""What folds claim where references repeat, with and without keeping their lists together, and what is true.

Several speakers often read the same sentence. Here, a recogniser's lists for some sentences are each repeated with
other mistakes: words of the candidates are dropped or replaced at random. Five folds of these lists say what a reranker
gains, with lists of one reference kept together and not; lists of references that training never saw say what it
really gains. Usage: python benchmarks/leaks.py
"""

from __future__ import annotations

from typing import Any

import numpy as np

import runoff
from runoff.metrics import Resampling
from runoff.tables import text_table
from runoff.tasks.text import TextReranker
from shared import data_folder, finish, skip

LISTS = "speech/commonvoice-5best.json.gz"
SPEAKERS, SENTENCES, UNSEEN = (1, 4), 200, 1_000
NOISE = 0.15  # share of words that are dropped, and again that are replaced
RESAMPLING = Resampling()


def main() -> None:
    """Compare what folds claim with the gain on unseen references, for one and for several speakers of a sentence."""
    folder = data_folder()
    if folder is None or not (folder / LISTS).exists():
        skip(f"no {LISTS}; set RUNOFF_DATA")
        return
    lists = runoff.read(folder / LISTS, metric="wer")
    rng = np.random.default_rng(0)
    order = rng.permutation(len(lists))
    unseen = repeated(lists[order[-UNSEEN:]], 1, rng)
    finish({f"{speakers} speakers": measured(lists, order, speakers, unseen, rng) for speakers in SPEAKERS})


def measured(
    lists: runoff.NBest, order: Any, speakers: int, unseen: runoff.NBest, rng: np.random.Generator
) -> dict[str, Any]:
    """Claimed and true gain in WER, as many training lists whatever the number of speakers."""
    train = repeated(lists[order[: SENTENCES * max(SPEAKERS) // speakers]], speakers, rng)
    found = {}
    for name, group_by in (("kept together", None), ("cut through", "none")):
        learner = TextReranker(metric="wer", group_by=group_by)
        claimed = runoff.cross_validate(learner, train, "wer", resampling=RESAMPLING)["wer"].gain
        model = learner.fit(train).model
        true = runoff.evaluate(model, unseen, "wer", resampling=RESAMPLING)["wer"].gain
        found[name] = {
            "claimed": claimed.delta,
            "claimed_interval": [claimed.low, claimed.high],
            "true": true.delta,
            "true_interval": [true.low, true.high],
            "recipe": model.provenance["recipe"],
        }
    print(f"\n{len(train):,} lists, each sentence read by {speakers}; {len(unseen):,} lists of other sentences")
    rows = [[name, *_gain(each, "claimed"), *_gain(each, "true"), each["recipe"]] for name, each in found.items()]
    print(text_table(["folds", "claimed gain", "95%", "true gain", "95%", "recipe"], rows), flush=True)
    return found


def repeated(lists: runoff.NBest, times: int, rng: np.random.Generator) -> runoff.NBest:
    """Every list so many times, each time with other mistakes in its candidates."""
    words = " ".join(_texts(lists)).split()

    def with_mistakes(text: str) -> str:
        draw = rng.random(len(text.split()))
        kept = [
            rng.choice(words) if u < 2 * NOISE else word
            for word, u in zip(text.split(), draw, strict=True)
            if u > NOISE
        ]
        return " ".join(kept)

    whole = lists[np.repeat(np.arange(len(lists)), times)]
    return runoff.NBest.from_arrays(
        texts=[with_mistakes(text) for text in _texts(whole)],
        sizes=whole.sizes,
        references=whole.references,
        metric="wer",
    )


def _texts(lists: runoff.NBest) -> list[str]:
    return [] if lists.texts is None else lists.texts.to_pylist()


def _gain(found: dict[str, Any], which: str) -> tuple[str, str]:
    low, high = found[f"{which}_interval"]
    return f"{found[which]:+.2f}", f"{low:+.2f} to {high:+.2f}"


if __name__ == "__main__":
    main()
