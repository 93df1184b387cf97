"""Output of fairseq-generate; shapes as in `fixtures`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from runoff.errors import DataError
from runoff.formats import read

if TYPE_CHECKING:
    from pathlib import Path

OUTPUT = """\
2026-05-11 10:02:17 | INFO | fairseq_cli.generate | loading
S-1\tein Hund
T-1\ta dog
H-1\t-0.25\ta d@@ og
D-1\t-0.25\ta dog
P-1\t-0.1 -0.5 -0.2 -0.2
H-1\t-0.5\tdog
D-1\t-0.5\tdog
P-1\t-0.5 -0.5
S-0\t
T-0\tyes
H-0\t-1\t
P-0\t-1
"""


def test_lines_of_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "out").write_text(OUTPUT)
    data = read(tmp_path / "out")
    assert data.group_ids.to_pylist() == ["1", "0"]
    assert data.texts.to_pylist() == ["a dog", "dog", ""]  # detokenised, where that is there
    assert data.base.tolist() == [-0.25, -0.5, -1]
    assert data.inputs.to_pylist() == ["ein Hund", ""]
    assert data.references.to_pylist() == [["a dog"], ["yes"]]
    assert data.features.column_names().to_pylist() == ["tokens", "logprob", "lowest"]
    table = data.features.to_scipy().toarray()
    assert np.allclose(table, [[4, -1, -0.5], [2, -1, -0.5], [1, -1, -1]])
    assert data.notes == ("1 line(s) of the program's log were left out.",)


def test_references_by_line(tmp_path: Path) -> None:
    (tmp_path / "out").write_text(OUTPUT)
    (tmp_path / "ref").write_text("no\nthe dog\n")
    assert read(tmp_path / "out", references=tmp_path / "ref").references.to_pylist() == [["the dog"], ["no"]]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("D-1\t-0.25", "D-1\t-0.75", "line 5: its score is -0.75, but that of the H- line before it is -0.25"),
        ("H-0\t-1\t\n", "", r"line 12: there is no H- line before this P- line"),
        ("H-1\t-0.5\t", "H-1\tnan\t", "line 7: expected a finite number for the score, found 'nan'"),
        ("H-1\t-0.5\tdog", "H-1\tdog", "line 7: expected a finite number for the score, found 'dog'"),
        ("-0.1 -0.5", "-0.1 -inf", "line 6: expected a finite number for a log-probability, found '-inf'"),
    ],
)
def test_errors_name_file_and_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in OUTPUT
    (tmp_path / "out").write_text(OUTPUT.replace(old, new))
    with pytest.raises(DataError, match=message):
        read(tmp_path / "out")
