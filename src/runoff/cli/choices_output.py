"""Output of choices: JSON lines with everything, only the chosen texts, or these with their ids as other tools do."""

from __future__ import annotations

import contextlib
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from runoff.cli.options import output, print_json, say
from runoff.errors import UsageError
from runoff.tables import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from runoff.model import Choice, Choices
    from runoff.nbest import NBest
    from runoff.tasks import Task

_EVERYTHING = (".jsonl", ".ndjson")


class ChoicesFile:
    """The output file of choices; an unknown file extension is an error before any work is done."""

    def __init__(self, path: Path | None, task: Task, to: str | None = None, top: int = 1) -> None:
        from runoff.formats.streams import bare_name
        from runoff.formats.text_lines import FORMS, form_for

        self.path, self.task = path, task
        name = "" if path is None else bare_name(path)
        self.form = form_for(to, name)
        if to is not None and path is None:
            raise UsageError(f"--to {to} is the form of a file; name it by -o.")
        if self.form is not None and top != 1:
            raise UsageError(f"a file of {self.form.name} has one text for each id; leave --top out.")
        self.is_text = self.form is not None or name.endswith(task.text_endings)
        if path is not None and not self.is_text and not name.endswith(_EVERYTHING):
            endings = " or ".join(task.text_endings)
            with_ids = ", ".join(form.ending for form in FORMS.values() if form.ending)
            raise UsageError(
                f"{path}: choices are written as .jsonl or .ndjson (everything) or {endings} (only the texts), as "
                f"{with_ids} (ids and texts), or under any name with --to {'|'.join(FORMS)}."
            )

    def check(self, lists: NBest, data: Path) -> None:
        """Raise an error if there are no texts to write."""
        if self.is_text and lists.texts is None:
            raise UsageError(f"{data} has no texts to write to {self.path}; write to a .jsonl file instead.")

    def write(self, choices: Choices, ranked: Iterable[Choice], *, as_json: bool, **facts: Any) -> None:
        """Write `ranked`, and report in how many groups the choice differs from the first round."""
        self.write_blocks([(choices, ranked)], as_json=as_json, facts=lambda: facts)

    def write_blocks(
        self,
        blocks: Iterable[tuple[Choices, Iterable[Choice]]],
        *,
        as_json: bool,
        facts: Callable[[], dict[str, Any]],
        abstains: bool = False,
    ) -> None:
        """Write the choices of block after block; `facts` are asked for when all have come."""
        import orjson

        groups = changed = abstained = broken = 0
        kept: list[dict[str, Any]] = []
        with contextlib.nullcontext(None) if as_json and self.path is None else output(self.path) as write:
            for choices, ranked in blocks:
                groups, changed = groups + len(choices), changed + choices.changed
                abstained += choices.abstained
                for choice in ranked:
                    if write is None:
                        kept.append(asdict(choice))
                    elif self.form is not None:
                        write(self.form.line(choice.group, choice.text or ""))
                    else:
                        write(self.task.line(choice) if self.is_text else orjson.dumps(asdict(choice)).decode())
                        broken += self.is_text and len((choice.text or "").splitlines()) > 1
        told = facts()
        summary = {"groups": groups, "changed": changed, **({"abstained": abstained} if abstains else {}), **told}
        if write is None:
            print_json({**summary, "choices": kept})
            return
        if broken:
            say(f"note: line breaks in {counted(broken, 'texts')} became spaces; a .jsonl file keeps them.")
        if as_json:
            print_json({**summary, "output": str(self.path)})
        else:
            shown = f"; abstained in {abstained:,}" if abstains else ""
            say(f"{groups:,} groups; the choice differs from the first round in {changed:,}{shown}.")
