"""The pipeline on a synthetic treebank, to see whether the second round finds what no single rule shows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from runoff import tasks
from runoff.errors import UsageError
from runoff.files import reason, replacing
from runoff.model import load
from runoff.pipeline import run_pipeline
from runoff.tables import text_table
from runoff.tasks.parsing.demo.treebank import PLANTED, SENTENCES, SLIP, documents
from runoff.tasks.parsing.grammar import Settings
from runoff.tasks.parsing.treebank_round import PIPELINE_METRICS, TreebankRound

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.model import LinearModel

DOCUMENTS = 110
DEV, TEST = 0.1, 0.2
K, FOLDS = 50, 5
TREEBANK = "treebank.mrg"


def run(
    folder: str | Path,
    seed: int,
    say: Callable[[str], object] = print,
    *,
    count: int = DOCUMENTS,
    verbose: bool = False,
) -> dict[str, Any]:
    """Write a treebank of `count` documents to `folder`, run the pipeline on it, and look for the planted features.

    Returns the results as plain values. After an interruption, the same call resumes.
    """
    folder = Path(folder)
    path = _write_treebank(folder, count, seed)
    say(
        f"A synthetic treebank of {count * SENTENCES:,} sentences in {count:,} documents is in {path}.\n"
        "Its sentences are ambiguous: one mends a coat with a needle, but wants a coat with a ribbon. The words that\n"
        f"decide are far apart, and {SLIP:.0%} of the cases are exceptions. A grammar without words sees little of\n"
        "this.\n\n"
        "1. The pipeline: first round, features, learners\n"
    )
    found = run_pipeline(
        tasks.get("parsing"),
        path,
        folder,
        first_round=TreebankRound(Settings(lexical=False)),
        metrics=PIPELINE_METRICS,
        k=K,
        folds=FOLDS,
        dev=DEV,
        test=TEST,
        about=[planted.feature for planted in PLANTED],
        seed=seed,
        verbose=verbose,
        say=say,
    )
    say(f"\n2. Results on held-out sentences\n\n{found}\n")
    planted = find_planted(load(found.model))
    right = [each["is_right"] for each in planted if each["weight"] is not None]
    say(f"3. Was it found? Planted features and their learned weights\n\n{_table(planted)}\n")
    say(f"{sum(right)} of {len(right)} weights have the right sign.\n")
    decision = folder / "decision.txt"
    if decision.exists():
        say(f"4. Why? One decision explained\n\n{decision.read_text('utf-8')}")
    say(
        f"5. Everything is in {folder}: the treebank, grammar.runoff, the lists (train, dev, test), model.runoff,\n"
        f"   table.md, the pictures result.png and decision.png (also as .svg). The same by hand:\n"
        f"     runoff parse pipeline {path} -o parser --no-words --test {TEST} --folds {FOLDS}{_unless_usual(seed)}\n"
        f"     runoff parse nbest {folder}/grammar.runoff SENTENCES -o lists.jsonl\n"
        f"     runoff pick {found.model} lists.jsonl -o better.mrg"
    )
    return {"folder": str(folder), "seed": seed, **found.numbers, "planted": planted}


def _unless_usual(seed: int) -> str:
    return f" --seed {seed}" if seed else ""


def find_planted(model: LinearModel) -> list[dict[str, Any]]:
    """Planted features with the weights that a model learned; None if it does not have the feature.

    Examples
    --------
    >>> from runoff.model import LinearModel
    >>> found = find_planted(LinearModel.of({"heads:words NP PP key > to": 0.5}))
    >>> [each for each in found if each["weight"] is not None]
    [{'feature': 'heads:words NP PP key > to', 'sign': 1, 'reason': 'a key is a key to something', 'weight': 0.5,
    'is_right': True}]
    """
    learned = dict(zip(model.names.to_pylist(), model.weights.tolist(), strict=True))
    return [
        {
            **planted._asdict(),
            "weight": learned.get(planted.feature),
            "is_right": learned.get(planted.feature, 0.0) * planted.sign > 0,
        }
        for planted in PLANTED
    ]


def _table(planted: list[dict[str, Any]]) -> str:
    rows = []
    for each in planted:
        weight, sign = each["weight"], "+" if each["sign"] > 0 else "-"
        verdict = "too rare" if weight is None else "yes" if each["is_right"] else "no"
        rows.append([each["feature"], each["reason"], sign, "" if weight is None else f"{weight:+.4f}", verdict])
    return text_table(["feature", "what was planted", "sign", "weight", "found"], rows, left=2)


def _write_treebank(folder: Path, count: int, seed: int) -> Path:
    """Write the trees with their names, one per line; never overwrites a foreign file."""
    path = folder / TREEBANK
    trees = [(each.id, each.tree) for document in documents(count, seed) for each in document.sentences]
    content = "".join(f"<{name}> {tree}\n" for name, tree in trees).encode()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"the folder {folder} cannot be created: {reason(error)}.") from error
    if path.exists():
        there = path.read_bytes()
        if there == content:
            return path
        if not there.startswith(b"<%s> " % trees[0][0].encode()):  # as the treebanks of all seeds do
            raise UsageError(f"{path} is from elsewhere and would be overwritten; name another folder.")
    with replacing(path) as temporary:
        temporary.write_bytes(content)
    return path
