"""Moses n-best lists in the styles of several decoders; the lines' own numbers are the expected ones."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import numpy as np
import pytest

from runoff import formats
from runoff.errors import DataError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.nbest import NBest

OLD = """\
0||| this is  ||| d: 0 -1.5 lm: -41.5 w: -9 ||| -14.5
0||| this was  ||| d: 0.5 -2 lm: -40 w: -9 ||| -14.75
1||| yes ||| d: 0 0 lm: -3 w: -1 ||| -2
"""


def read(tmp_path: Path, content: str, **options: object) -> NBest:
    path = tmp_path / "lists.nbest"
    path.write_text(content)
    return formats.read(path, **options)


def table(data: NBest) -> dict[str, list[float]]:
    names, dense = data.features.names.to_pylist(), data.features.to_scipy().toarray()
    return {name: dense[:, at].tolist() for at, name in enumerate(names)}


def test_old_style(tmp_path):
    data = read(tmp_path, OLD)
    assert data.texts.to_pylist() == ["this is", "this was", "yes"]
    assert data.group_ids.to_pylist() == ["0", "1"]
    assert data.base.tolist() == [-14.5, -14.75, -2.0]
    assert table(data) == {"d:1": [0, 0.5, 0], "d:2": [-1.5, -2, 0], "lm": [-41.5, -40, -3], "w": [-9, -9, -1]}
    assert (data.metric, data.references, data.quality, data.notes) == ("bleu", None, None, ())
    assert data.features.n_stored == 9  # three of the twelve numbers are zero


def test_new_style_with_alignment_and_sparse_features(tmp_path):
    data = read(
        tmp_path,
        "0 ||| a b ||| Distortion0= 0 LM0= -23.5 TM0= -1 -2 pp_a= 1 ||| -7.25 ||| 0-0 1-1\n"
        "0 ||| a ||| Distortion0= -1 LM0= -20 TM0= -3 -4 ||| -8 ||| 0-0\n"
        "0 ||| b ||| Distortion0= -1 LM0= -20 TM0= -3 -4 pp_b= 2 ||| -9 ||| 0-0\n",
    )
    assert table(data) == {
        "Distortion0": [0, -1, -1],
        "LM0": [-23.5, -20, -20],
        "TM0:1": [-1, -3, -3],
        "TM0:2": [-2, -4, -4],
        "pp_a": [1, 0, 0],
        "pp_b": [0, 0, 2],
    }
    assert data.notes == ("Fields besides id, text, features and total were ignored on 3 line(s).",)


def test_names_joined_with_values_and_numbers_without_names(tmp_path):
    joined = read(tmp_path, "0|||a|||lm_0=-1.5 tm:pt=2|||3\n0|||b|||tm:pt=1|||2\n")
    assert table(joined) == {"lm_0": [-1.5, 0], "tm:pt": [2, 1]}
    plain = read(tmp_path, "7 ||| a ||| 1 -2.5 3e1 ||| 3\n7 ||| b ||| 4 5 6 ||| 3\n")
    assert table(plain) == {"f1": [1, 4], "f2": [-2.5, 5], "f3": [30, 6]}
    none = read(tmp_path, "7 ||| a ||| ||| 3\n")
    assert none.features.shape == (1, 0)


def test_the_same_shape_with_other_names_is_seen(tmp_path):
    data = read(
        tmp_path,
        "0 ||| a ||| x: 1 2 ||| 0\n0 ||| b ||| y: 3 z: 4 ||| 0\n0 ||| c ||| x: 1 2 ||| 0\n".replace(
            "y: 3 z: 4", "y: 3 4"
        ),
    )
    assert table(data) == {"x:1": [1, 0, 1], "x:2": [2, 0, 2], "y:1": [0, 3, 0], "y:2": [0, 4, 0]}


def test_lines_of_an_id_that_comes_back_are_brought_together(tmp_path):
    data = read(tmp_path, "5 ||| a ||| x: 1 ||| 1\n3 ||| b ||| x: 2 ||| 2\n5 ||| c ||| x: 3 ||| 3\n")
    assert data.group_ids.to_pylist() == ["5", "3"]
    assert data.texts.to_pylist() == ["a", "c", "b"]
    assert data.in_input_order(data.base).tolist() == [1.0, 2.0, 3.0]
    assert data.notes == ("The lines of 1 id(s) were not contiguous; they were brought together.",)


def references(tmp_path: Path, name: str, *lines: str) -> Path:
    path = tmp_path / name
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def test_references_are_found_by_line(tmp_path):
    first = references(tmp_path, "ref.0", "zero ", "", "two")
    second = references(tmp_path, "ref.1", "null", "eins", "zwei")
    content = "2 ||| a ||| x: 1 ||| 1\n0 ||| b ||| x: 2 ||| 2\n"
    assert read(tmp_path, content, references=first).references.to_pylist() == [["two"], ["zero"]]
    both = [["two", "zwei"], ["zero", "null"]]
    assert read(tmp_path, content, references=[first, str(second)]).references.to_pylist() == both
    data = read(tmp_path, content, references=f"{first},{second}")
    assert data.references.to_pylist() == both
    assert data.notes == tuple(
        f"{name} has 1 reference(s) of sentences that have no candidates." for name in ("ref.0", "ref.1")
    )
    empty = read(tmp_path, "1 ||| a ||| x: 1 ||| 1\n", references=first)
    assert empty.references.to_pylist() == [[""]]


def test_references_that_cannot_fit_are_named(tmp_path):
    short = references(tmp_path, "ref", "zero", "one")
    with pytest.raises(
        DataError, match=r"ref: the sentence ids of .*lists.nbest go up to 2 and count from 0, so 3 lines .* found 2"
    ):
        read(tmp_path, "2 ||| a ||| x: 1 ||| 1\n", references=short)
    with pytest.raises(DataError, match="sentence ids must be numbers from 0; found 'utt-1'"):
        read(tmp_path, "utt-1 ||| a ||| x: 1 ||| 1\n", references=short)
    with pytest.raises(DataError, match=r"nowhere: the file cannot be read: no such file"):
        read(tmp_path, "0 ||| a ||| x: 1 ||| 1\n", references=tmp_path / "nowhere")
    with pytest.raises(UsageError, match="references needs at least one file"):
        read(tmp_path, "0 ||| a ||| x: 1 ||| 1\n", references=[])


WRONG = {
    "fields": ("0 ||| a ||| b", "expected id ||| text ||| features ||| total, found 3 field(s): "),
    "id": (" ||| a ||| x: 1 ||| 2", "expected id ||| text ||| features ||| total, found no id: "),
    "total": ("0 ||| a ||| x: 1 ||| ?", "expected a number as the total, found '?'."),
    "no total": ("0 ||| a ||| x: 1 ||| ", "expected a number as the total, found ''."),
    "total nan": ("0 ||| a ||| x: 1 ||| nan", "expected a finite number as the total, found nan."),
    "total with a line": ("0 ||| a ||| x: 1 ||| 1_0", "expected a number as the total, found '1_0'."),
    "word": ("0 ||| a ||| x: one ||| 2", "expected a feature as `name= numbers` or `name: numbers`, found 'one'."),
    "number with a line": ("0 ||| a ||| x: 1_0 ||| 2", "found '1_0'."),
    "infinite": ("0 ||| a ||| x: inf ||| 2", "expected a finite number for the feature 'x', found inf."),
    "too large": ("0 ||| a ||| x: 1e39 ||| 2", "expected a finite number for the feature 'x', found 1e+39."),
    "no value": ("0 ||| a ||| y: x: 1 ||| 2", "the feature 'y' has no value."),
    "more values": ("0 ||| a ||| x: 1 2 ||| 2", "the feature 'x' has 2 value(s) here and 1 on line 1."),
    "same name": ("0 ||| a ||| y: 1 2 y:1= 3 ||| 2", "two features have the same name"),
}


@pytest.mark.parametrize(("line", "message"), WRONG.values(), ids=WRONG)
def test_mistakes_are_named_with_file_and_line(tmp_path, line, message):
    with pytest.raises(DataError) as caught:
        read(tmp_path, f"0 ||| fine ||| x: 1 ||| 2\n{line}\n")
    assert str(caught.value).startswith(f"{tmp_path / 'lists.nbest'}, line 2: ")
    assert message in str(caught.value)


def test_text_that_is_not_utf8_is_named(tmp_path):
    path = tmp_path / "lists.nbest"
    path.write_bytes(b"0 ||| fine ||| x: 1 ||| 2\n0 ||| \xff ||| x: 1 ||| 2\n")
    with pytest.raises(DataError, match=r"line 2: the text is not UTF-8 \(byte 7 of the line is 0xff\)"):
        formats.read(path)


def test_real_lists_are_what_a_plain_reader_finds(shared_data):
    paths = sorted(shared_data.glob("translation/*.nbest.gz"))
    if not paths:
        pytest.skip(f"there are no Moses lists under {shared_data}")
    for path in paths:
        data = formats.read(path)
        with gzip.open(path, "rt") as stream:
            rows = [[field.strip() for field in line.split("|||")] for line in stream]
        assert data.rows is None
        assert np.repeat(data.group_ids.to_pylist(), data.sizes).tolist() == [row[0] for row in rows]
        assert data.texts.to_pylist() == [row[1] for row in rows]
        assert data.base.tolist() == [float(row[3]) for row in rows]
        numbers = [[word for word in row[2].split() if word[-1] not in ":="] for row in rows]
        assert np.array_equal(data.features.to_scipy().toarray(), np.array(numbers, np.float64).astype(np.float32))


@pytest.mark.parametrize(
    "fields", ["0-0 1-1 ||| ", "WordScores= -0.1 -0.2 ||| ", "0-0 ||| WordScores= -0.1 ||| ", " ||| "]
)
def test_what_marian_writes_before_the_features_is_left_out(tmp_path, fields):
    # src/translator/output_printer.h of Marian: alignment, then scores of words, then F0= …
    data = read(tmp_path, f"0 ||| a b ||| {fields}F0= -1.5 ||| -0.75\n0 ||| b ||| {fields}F0= -2.5 ||| -1.25\n")
    assert table(data) == {"F0": [-1.5, -2.5]}
    assert data.base.tolist() == [-0.75, -1.25]
    assert data.notes == ("Fields besides id, text, features and total were ignored on 2 line(s).",)
