"""Output of choices: JSON lines with everything, only the chosen texts, or these with their ids as other tools do."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from runoff.cli.options import output, print_json, say
from runoff.errors import UsageError
from runoff.tables import counted

if TYPE_CHECKING:
    from collections.abc import Iterable
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
        import orjson

        summary = {"groups": len(choices), "changed": choices.changed, **facts}
        if as_json and self.path is None:
            print_json({**summary, "choices": [asdict(choice) for choice in ranked]})
            return
        broken = 0
        with output(self.path) as write:
            for choice in ranked:
                if self.form is not None:
                    write(self.form.line(choice.group, choice.text or ""))
                    continue
                write(self.task.line(choice) if self.is_text else orjson.dumps(asdict(choice)).decode())
                broken += self.is_text and len((choice.text or "").splitlines()) > 1
        if broken:
            say(f"note: line breaks in {counted(broken, 'texts')} became spaces; a .jsonl file keeps them.")
        if as_json:
            print_json({**summary, "output": str(self.path)})
        else:
            abstained = f"; abstained in {choices.abstained:,}" if "abstained" in facts else ""
            say(f"{len(choices):,} groups; the choice differs from the first round in {choices.changed:,}{abstained}.")
