"""Choices as commands write them: JSON lines with everything, or the chosen texts alone."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from runoff.cli.options import output, print_json, say
from runoff.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from runoff.model import Choice, Choices


def check_choices_file(out: Path | None) -> None:
    """Refuse a name that does not say how choices are to be written, before any work is done."""
    from runoff.formats.streams import bare_name

    if out is not None and not bare_name(out).endswith((".txt", ".jsonl", ".ndjson")):
        raise UsageError(f"{out}: choices are written as .jsonl or .ndjson (everything) or .txt (texts alone).")


def are_texts(out: Path | None) -> bool:
    """Whether a file gets the chosen texts alone."""
    from runoff.formats.streams import bare_name

    return out is not None and bare_name(out).endswith(".txt")


def write_choices(choices: Choices, ranked: Iterable[Choice], out: Path | None, *, as_json: bool, **facts: Any) -> None:
    """Write `ranked`, and say in how many groups the choice is not the first round's."""
    import orjson

    def line(choice: Choice) -> str:
        return " ".join((choice.text or "").splitlines()) if are_texts(out) else orjson.dumps(asdict(choice)).decode()

    summary = {"groups": len(choices), "changed": choices.changed, **facts}
    if as_json and out is None:
        print_json({**summary, "choices": [asdict(choice) for choice in ranked]})
        return
    with output(out) as write:
        for choice in ranked:
            write(line(choice))
    if as_json:
        print_json({**summary, "output": str(out)})
    else:
        say(f"{len(choices):,} groups; the choice differs from the first round in {choices.changed:,}.")
