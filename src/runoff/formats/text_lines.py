"""Files with one text for every id, as speech and translation tools read them: NIST trn, Kaldi text, id TAB text.

A line is one text, so a text with a line break is refused: nothing is changed silently.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from runoff.errors import DataError, UsageError, brief

if TYPE_CHECKING:
    from collections.abc import Callable

_BLANK = re.compile(r"\s")


@dataclass(frozen=True)
class TextLines:
    """A way to write an id and its text on one line.

    Examples
    --------
    >>> FORMS["trn"].line("spk1-utt7", "the cat sat"), FORMS["kaldi"].line("spk1-utt7", "the cat sat")
    ('the cat sat (spk1-utt7)', 'spk1-utt7 the cat sat')
    >>> FORMS["id-tab-text"].line("task 1", "")
    'task 1\\t'
    """

    name: str
    description: str
    ending: str | None  # of files that are written so unless another form is named
    refused: re.Pattern[str]  # what an id cannot have
    refused_in_words: str
    join: Callable[[str, str], str]

    def line(self, name: str, text: str) -> str:
        """One line without its end; an id or a text that it cannot hold is an error."""
        if not name or self.refused.search(name):
            raise DataError(
                f"the id {brief(name)} is empty or has {self.refused_in_words}, which {self.name} files cannot hold; "
                "write a .jsonl file."
            )
        if len(text.splitlines()) > 1 or text.endswith(("\n", "\r")):
            raise DataError(
                f"the text of {brief(name)} has a line break, which {self.name} files cannot hold; write a .jsonl file."
            )
        return self.join(name, text)


FORMS = {
    form.name: form
    for form in (
        TextLines(
            "trn",
            "NIST transcripts, as sclite reads them: `the words (id)`",
            ".trn",
            re.compile(r"[\s()]"),
            "white space or a bracket",
            lambda name, text: f"{text} ({name})" if text else f"({name})",
        ),
        TextLines(
            "kaldi",
            "Kaldi's `text`: `id the words`",
            None,
            _BLANK,
            "white space",
            lambda name, text: f"{name} {text}" if text else name,
        ),
        TextLines(
            "id-tab-text",
            "an id, a tab and the text",
            ".tsv",
            re.compile(r"[\t\r\n\v\f\x1c-\x1e\x85\u2028\u2029]"),
            "a tab or a line break",
            lambda name, text: f"{name}\t{text}",
        ),
    )
}


def form_for(name: str | None, file_name: str) -> TextLines | None:
    """The form of a file: the one that is named, else by the file's name; None where neither says it.

    Examples
    --------
    >>> form_for(None, "chosen.trn").name
    'trn'
    """
    if name is not None:
        if name not in FORMS:
            raise UsageError(f"there is no form {name!r} of texts; there are: {', '.join(FORMS)}.")
        return FORMS[name]
    return next((form for form in FORMS.values() if form.ending and file_name.endswith(form.ending)), None)
