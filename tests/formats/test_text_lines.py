"""Texts with their ids, in the forms of speech tools; what they cannot hold is refused, not changed."""

import pytest

from runoff.errors import DataError, UsageError
from runoff.formats.text_lines import FORMS, form_for


@pytest.mark.parametrize(
    ("form", "name", "text", "line"),
    [
        # sclite's trn: the words, then the utterance in brackets; https://my.fit.edu/~vkepuska/ece5527/sctk-2.3-rc1/doc
        ("trn", "sw-4910-a-1", "oh yeah", "oh yeah (sw-4910-a-1)"),
        ("trn", "sw-4910-a-1", "", "(sw-4910-a-1)"),
        # Kaldi's data/*/text: the utterance, a blank, the words
        ("kaldi", "sw-4910-a-1", "oh yeah", "sw-4910-a-1 oh yeah"),
        ("kaldi", "sw-4910-a-1", "", "sw-4910-a-1"),
        ("id-tab-text", "HumanEval/3 a", "return\tx ", "HumanEval/3 a\treturn\tx "),
    ],
)
def test_a_line(form: str, name: str, text: str, line: str) -> None:
    assert FORMS[form].line(name, text) == line


@pytest.mark.parametrize("form", list(FORMS))
@pytest.mark.parametrize("text", ["two\nlines", "two\r\nlines", "ends\n", "two\u2028lines", "\n"])
def test_a_text_with_line_breaks_is_refused(form: str, text: str) -> None:
    with pytest.raises(DataError, match=rf"the text of 'a' has a line break, which {form} files cannot hold; write a"):
        FORMS[form].line("a", text)


@pytest.mark.parametrize(
    ("form", "name"),
    [("trn", "a b"), ("trn", "a(b"), ("trn", ""), ("kaldi", "a b"), ("kaldi", ""), ("id-tab-text", "a\tb")],
)
def test_an_id_that_would_be_read_otherwise_is_refused(form: str, name: str) -> None:
    with pytest.raises(DataError, match=f"the id '.*' is empty or has .*, which {form} files cannot hold"):
        FORMS[form].line(name, "text")


def test_the_form_is_named_or_follows_the_name() -> None:
    assert form_for(None, "a.jsonl") is None
    assert form_for("kaldi", "text") is FORMS["kaldi"]
    assert form_for(None, "hyp.tsv") is FORMS["id-tab-text"]
    with pytest.raises(UsageError, match="there is no form 'stm' of texts; there are: trn, kaldi, id-tab-text"):
        form_for("stm", "a.stm")
