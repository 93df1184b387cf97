"""The whole workflow on synthetic sentences: data, training, evaluation, one explanation, a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from runoff.demo.sentences import lists
from runoff.io import write
from runoff.learners import LogLinear
from runoff.metrics import Resampling, grade
from runoff.nbest import NBest
from runoff.report import describe, evaluate
from runoff.report.pictures import draw_demo

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.model import Explanation, LinearModel

SIZES = {"train": 800, "dev": 200, "test": 500}
METRIC = "wer"


def run(folder: str | Path, seed: int, say: Callable[[str], object] = print) -> dict[str, Any]:
    """Generate data in `folder`, train, evaluate, explain and draw; returns the results as plain values."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    say(f"A synthetic speech recogniser gave 10 hypotheses for each of {sum(SIZES.values()):,} sentences.\n")
    parts = {}
    for at, (name, size) in enumerate(SIZES.items()):
        made = NBest.from_records(lists(size, seed * len(SIZES) + at)).replace(metric=METRIC)
        parts[name] = grade(made, METRIC)
        write(parts[name], folder / f"{name}.jsonl")
    description = describe(parts["test"], METRIC)
    say(f"1. What a better choice could gain on the test sentences\n\n{description}\n")
    model = LogLinear(metric=METRIC, seed=seed).fit(parts["train"], dev=parts["dev"]).model
    model.save(folder / "model.runoff")
    prior = model.provenance["sigma"]
    say(f"2. A model trained on {SIZES['train']} sentences\n\n{model!r}, width of the prior {prior:g}\n")
    evaluation = evaluate(model, parts["test"], METRIC, resampling=Resampling(seed=seed))
    say(f"3. Evaluation on {SIZES['test']} held-out sentences\n\n{evaluation}\n")
    explanation = _typical_decision(model, parts["test"])
    say(f"4. One decision explained\n\n{explanation.to_text(8)}\n")
    picture = folder / "result.png"
    draw_demo(evaluation, explanation, picture, "Synthetic sentences", "chosen transcripts")
    say(
        f"5. Everything is in {folder}: the data (train, dev, test), model.runoff and the picture result.png.\n"
        f"   The same step by step:\n"
        f"     runoff train {folder}/train.jsonl --dev {folder}/dev.jsonl --metric wer --learner loglinear "
        f"-o my.runoff\n"
        f"     runoff eval my.runoff {folder}/test.jsonl --metric wer\n"
        f"     runoff explain my.runoff {folder}/test.jsonl --group {explanation.winner.group}\n"
        f"   Look at every list, and at what the model makes of it, in the browser:\n"
        f"     runoff view {folder}/model.runoff {folder}/test.jsonl\n"
        f"   or as one file, to send to a colleague:\n"
        f"     runoff report {folder}/model.runoff {folder}/test.jsonl -o {folder}/report.html"
    )
    return {
        "folder": str(folder),
        "seed": seed,
        "description": description.to_dict(),
        "evaluation": evaluation.to_dict(),
        "explanation": explanation.to_dict(),
        "picture": str(picture),
    }


def _typical_decision(model: LinearModel, data: NBest) -> Explanation:
    """A correct choice against a wrong first round in which whole-sentence features counted most."""
    best: tuple[float, Explanation] | None = None
    quality = data.quality
    for group, choice in enumerate(model.pick(data)):
        start = int(data.offsets[group])
        if quality is None or quality[start + choice.index] < 0 or quality[start + choice.first] == 0:
            continue
        found = model.explain(data, group)
        strength = found.families.get("agreement", 0.0) + found.families.get("pair", 0.0)
        if best is None or strength > best[0]:
            best = strength, found
    return best[1] if best is not None else model.explain(data, 0)
