"""Columns of scores by neural models, for `runoff score LISTS --with KIND=FOLDER`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from runoff.cli.options import check_outputs, interruptible, print_json, say, say_notes
from runoff.errors import UsageError
from runoff.tables import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from runoff.cli.options import Source
    from runoff.features.neural import NeuralScorer
    from runoff.nbest import NBest

_NO_CACHE = "none"


def split_models(more: Sequence[str]) -> tuple[list[tuple[str, str]], tuple[str, ...]]:
    """Neural models (kind and folder) and the other settings of `--with`.

    Examples
    --------
    >>> split_models(["reward=models/r", "beams=3"])
    ([('reward', 'models/r')], ('beams=3',))
    """
    from runoff.features.neural.kinds import KINDS

    models = [
        (kind, folder) for kind, equals, folder in (each.partition("=") for each in more) if equals and kind in KINDS
    ]
    return models, tuple(each for each in more if each.partition("=")[0] not in KINDS)


def add_columns(
    path: Path,
    out: Path | None,
    to: str | None,
    pairs: Sequence[tuple[str, str]],
    source: Source,
    *,
    as_json: bool,
    prompt: str | None,
    device: str | None,
    dtype: str | None,
    cache: str | None,
) -> None:
    """Write the lists with a few columns for every model."""
    from runoff.features.neural import NeuralScorer, models_of, usual_folder
    from runoff.formats import writer_for
    from runoff.io import write

    if out is None:
        raise UsageError("name the file for the lists with their new columns by -o, for instance -o scored.jsonl.")
    check_outputs([out], [path])
    writer_for(out, to)
    kept = None if cache == _NO_CACHE else cache or usual_folder()
    scorers = [
        NeuralScorer(model, device or "auto", kept)
        for model in models_of(pairs, prompt, **({} if dtype is None else {"dtype": dtype}))
    ]
    data = source.read_as_is(path)
    say_notes(data)
    began = time.monotonic()
    went_on = "the same command goes on from there" if kept is not None else "nothing is kept without --cache"
    with interruptible(f"{out} was not written; {went_on}"):
        scored = _with_columns(data, scorers, verbose=not as_json)
    seconds = time.monotonic() - began
    write(scored, out, to)
    facts = {
        "output": str(out),
        "groups": len(data),
        "candidates": data.n_candidates,
        "columns": scored.features.column_names().to_pylist()[data.features.n_columns :],
        "scored": {each.model.name: each.scored for each in scorers},
        "seconds": seconds,
    }
    notes = [note for each in scorers for note in each.notes()]
    if as_json:
        print_json({**facts, "notes": [*data.notes, *notes]})
        return
    for note in notes:
        say(f"note: {note}")
    fresh = sum(each.scored for each in scorers)
    rate = f", {fresh / max(seconds, 1e-9):,.0f} per second" if fresh else ""
    say(
        f"wrote {out}: {counted(data.n_candidates, 'candidates')} with {', '.join(facts['columns'])}; "
        f"{fresh:,} different texts scored now{rate}, the others were known."
    )


def _with_columns(data: NBest, scorers: Sequence[NeuralScorer], *, verbose: bool) -> NBest:
    import numpy as np

    from runoff.features.added_columns import are_taken
    from runoff.features.columns import concat_columns
    from runoff.features.neural import CandidateTexts
    from runoff.nbest import Features

    texts = CandidateTexts.of(data)
    blocks: list[Any] = [data.features]
    for scorer in scorers:
        names, table = scorer.columns(texts, verbose=verbose)
        if are_taken(data.features.column_names(), names):
            raise UsageError(f"the candidates already have a column {names[0]!r}; they were scored before.")
        blocks.append(Features.of(table.astype(np.float32), list(names)))
    return data.replace(features=concat_columns(*blocks))
