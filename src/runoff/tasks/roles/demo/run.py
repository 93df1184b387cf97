"""`runoff roles demo`: three labellers on synthetic sentences, compared, with a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from runoff.tables import text_table
from runoff.tasks.roles.candidates import KINDS
from runoff.tasks.roles.demo.village import FRAMES, Village
from runoff.tasks.roles.labeller_training import train_labeller
from runoff.tasks.roles.role_drawing import draw_roles
from runoff.tasks.roles.role_files import write_roles
from runoff.tasks.roles.role_scores import evaluate_roles

if TYPE_CHECKING:
    from collections.abc import Callable

_ERRORS = 0.3  # share of loose phrases that trees have at a wrong place
_TRAIN, _TEST = 800, 400


def run(
    folder: str | Path,
    seed: int = 0,
    *,
    say: Callable[[str], object] = print,
    verbose: bool = False,  # noqa: ARG001 - the interface of demonstrations
) -> dict[str, Any]:
    """Train the three labellers on 800 sentences and label 400 others; files go to the folder.

    Examples
    --------
    >>> run("runoff-roles-demo")  # doctest: +SKIP
    """
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    train = Village(seed).sentences(_TRAIN, errors=_ERRORS)
    test = Village(seed + 1).sentences(_TEST, errors=_ERRORS)
    write_roles(train, out / "train.jsonl")
    write_roles(test, out / "test.jsonl")
    say(f"{_TRAIN} sentences to learn from, {_TEST} to test on; some trees have a phrase at a wrong place.\n")
    rows, found, labelled = [], {}, {}
    for name, kind in KINDS.items():
        labeller = train_labeller(train, name, frames=FRAMES)
        labeller.save(out / f"{name}.runoff")
        labelled[name] = labeller.label(test)
        write_roles(labelled[name], out / f"{name}.props")
        scores = evaluate_roles(test, labelled[name])
        found[name] = {part: scores.score(part) for part in ("precision", "recall", "f", "perfect")}
        rows.append([kind.title, *(f"{value:.2f}" for value in found[name].values())])
    say(text_table(["", "precision", "recall", "F1", "perfect"], rows))
    at = next((at for at, each in enumerate(test) if each.propositions != labelled["full"][at].propositions), 0)
    picture = out / "sentence.svg"
    draw_roles([test[at], labelled["full"][at]], picture, ["gold", "labelled"])
    say(f"\n{picture} shows a sentence, gold above, labelled below.")
    say(f"Try: runoff roles eval --gold {out / 'test.jsonl'} {out / 'full.props'} --compare {out / 'partial.props'}")
    return {"scores": found, "picture": str(picture)}
