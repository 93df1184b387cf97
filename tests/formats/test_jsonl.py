"""Runoff JSON lines: what is written is read back the same, and every way of being wrong is said in a sentence."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import numpy as np
import orjson
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff import formats
from runoff.errors import DataError
from runoff.formats import json_reader
from runoff.nbest import NBest

if TYPE_CHECKING:
    from pathlib import Path

LINE = (
    b'{"id": "a", "candidates": [{"text": "x", "base": -1.5, "quality": 1}, {"text": "y", "base": 2, "quality": 0}]}\n'
)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
doubles = st.floats(allow_nan=False, allow_infinity=False)
singles = st.floats(allow_nan=False, allow_infinity=False, width=32)


@st.composite
def any_data(draw: st.DrawFn) -> NBest:
    """Any data that has at least one candidate (a field of no candidates leaves no trace in a file)."""
    sizes = draw(st.lists(st.integers(0, 3), min_size=1, max_size=4).filter(any))
    total = sum(sizes)

    def maybe(entries: st.SearchStrategy[object], size: int = total) -> object:
        return draw(st.none() | st.lists(entries, min_size=size, max_size=size))

    columns = draw(st.lists(texts, unique=True, max_size=4))
    values = st.just(1.0) | singles | st.just(0.0)
    X = np.array(draw(st.lists(values, min_size=total * len(columns), max_size=total * len(columns))), np.float32)
    candidate_ids = [str(at) + draw(texts) for at in range(total)] if draw(st.booleans()) else None
    references = maybe(st.none() | st.lists(texts, max_size=2), len(sizes))
    inputs = maybe(st.none() | texts, len(sizes))
    return NBest.from_arrays(
        X.reshape(total, len(columns)) if columns else None,
        maybe(doubles),
        sizes=sizes,
        base=maybe(doubles),
        texts=maybe(texts),
        candidate_ids=candidate_ids,
        group_ids=[str(at) + draw(texts) for at in range(len(sizes))],
        inputs=inputs if inputs is not None and any(each is not None for each in inputs) else None,
        references=references if references is not None and any(each is not None for each in references) else None,
        missed=[[float(at), *draw(st.lists(doubles, max_size=2))] for at in range(len(sizes))]
        if draw(st.booleans())
        else None,
        feature_names=columns or None,
        stats={
            name: np.array(draw(st.lists(doubles, min_size=2 * total, max_size=2 * total))).reshape(total, 2)
            for name in draw(st.lists(texts, unique=True, max_size=2))
        },
        metric=draw(st.none() | st.sampled_from(["wer", "bleu"])),
    )


def same(one: object, other: object) -> bool:
    if one is None or other is None:
        return one is other
    if isinstance(one, pa.Array):
        return one.equals(other)
    return bool(np.array_equal(one, other))


def rows(data: NBest) -> list[dict[str, float]]:
    names, features = data.features.column_names().to_pylist(), data.features
    values = np.ones(features.indices.size, np.float32) if features.values is None else features.values
    return [
        {names[features.indices[at]]: values[at] for at in range(features.indptr[row], features.indptr[row + 1])}
        for row in range(features.shape[0])
    ]


@settings(deadline=None)
@given(data=any_data(), compressed=st.sampled_from(["", ".gz", ".zst"]))
def test_what_is_written_is_read_back_the_same(tmp_path_factory, data, compressed):
    path = tmp_path_factory.mktemp("lists") / f"data.jsonl{compressed}"
    formats.write(data, path)
    back = formats.read(path)
    for name in ("offsets", "group_ids", "base", "quality", "texts", "candidate_ids", "inputs", "references", "missed"):
        assert same(getattr(data, name), getattr(back, name)), name
    assert back.metric == data.metric
    assert {key: value.tolist() for key, value in back.stats.items()} == {
        key: value.tolist() for key, value in data.stats.items()
    }
    assert rows(back) == rows(data)


@settings(deadline=None)
@given(st.lists(singles, min_size=1, max_size=50))
def test_single_precision_numbers_are_written_short_and_read_back_the_same(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("lists") / "data.jsonl"
    data = NBest.from_arrays(np.array(values, np.float32)[:, None], sizes=[len(values)])
    formats.write(data, path)
    assert rows(formats.read(path)) == rows(data)
    assert len(path.read_bytes()) < 60 + 40 * len(values)  # a double takes up to 24 characters, a single up to 15


def test_slices_and_implicit_ones_are_written(tmp_path):
    data = NBest.from_records([{"id": str(at), "candidates": [{"features": ["a", f"b{at}"]}]} for at in range(5)])
    formats.write(data[3:], tmp_path / "part.jsonl")
    assert (tmp_path / "part.jsonl").read_bytes().splitlines()[
        0
    ] == b'{"id":"3","candidates":[{"features":["a","b3"]}]}'
    assert rows(formats.read(tmp_path / "part.jsonl")) == [{"a": 1, "b3": 1}, {"a": 1, "b4": 1}]


def read(tmp_path: Path, content: bytes, name: str = "x.jsonl") -> NBest:
    path = tmp_path / name
    path.write_bytes(content)
    return formats.read(path)


def test_blank_lines_marks_and_missing_line_ends_are_accepted(tmp_path):
    data = read(tmp_path, b"\xef\xbb\xbf" + LINE + b"\n  \r\n" + LINE.replace(b'"a"', b'"b"').strip())
    assert data.group_ids.to_pylist() == ["a", "b"]


def test_groups_without_ids_are_numbered_by_their_lines(tmp_path):
    data = read(tmp_path, b'{"candidates": ["x"]}\n\n{"candidates": ["y"]}\n')
    assert data.group_ids.to_pylist() == ["1", "3"]


def test_long_files_are_read_in_blocks(tmp_path):
    records = [
        {"id": at, "input": "x" * 1000, "candidates": [{"text": f"t{at}", "features": {f"f{at % 50}": at + 0.5}}]}
        for at in range(3000)
    ]
    data = read(tmp_path, b"".join(orjson.dumps(record) + b"\n" for record in records))
    assert data.texts.to_pylist() == [f"t{at}" for at in range(3000)]
    assert rows(data)[2999] == {"f49": 2999.5}
    assert len(data.features.names) == 50


def test_long_files_are_read_alike_with_and_without_cutting(tmp_path, monkeypatch):
    """Lines of every shape, in a file of many blocks, with features cut out before the parsing and without."""
    shapes = [
        {"features": {"a": 0.5, "b": 0}},
        {"features": ["x", "x", "y"]},
        {"features": {}},
        {"features": None},
        {},
        {"features": {'quoted "name"': 1e-3, "é": 7}},
        {"meta": {"features": {"not": 1}}, "features": {"c": 3}},
    ]
    lines = [
        orjson.dumps(
            {"id": at, "input": "x" * 3000, "candidates": [shapes[(at + place) % 7] for place in range(at % 6)]}
        )
        for at in range(1500)
    ]
    lines[900] = b'{"id": 900, "candidates": [{"features": {"a": 1, "b": 2, "a": 3}}]}'  # the last one counts
    lines[1200] = b'{"id": 1200, "candidates": [{"feat\\u0075res": {"a": 1}}]}'
    content = b"\n".join(lines)
    monkeypatch.setattr(json_reader, "_WORTH_EXTRACTING", 0)
    cut = read(tmp_path, content)
    monkeypatch.setattr(json_reader, "_WORTH_EXTRACTING", len(content))
    plain = read(tmp_path, content)
    assert cut.features.names.to_pylist() == plain.features.names.to_pylist()
    assert "not" not in plain.features.names.to_pylist()
    for part in ("indptr", "indices", "values"):
        assert same(getattr(cut.features, part), getattr(plain.features, part)), part
    assert rows(plain)[int(plain.offsets[900])] == {"a": 3, "b": 2}
    assert (cut.notes, cut.group_ids.to_pylist()) == (plain.notes, plain.group_ids.to_pylist())


@pytest.mark.parametrize(
    "bad", [b'{"a": true}', b'{"a": 1e39}', b'{"a": "x"}', b"3", b'{"\\ud800": 1}', b'{"\xff": 1}']
)
def test_mistakes_far_inside_a_long_file_are_named(tmp_path, monkeypatch, bad):
    monkeypatch.setattr(json_reader, "_WORTH_EXTRACTING", 1 << 20)
    good = orjson.dumps({"input": "x" * 3000, "candidates": [{"features": {"a": 0.5}}]})
    with pytest.raises(DataError, match=r"x\.jsonl, line 1301: "):
        read(tmp_path, b"\n".join([good] * 1300 + [b'{"candidates": [{"features": %s}]}' % bad] + [good] * 10))


def test_what_could_not_be_read_back_is_not_written(tmp_path):
    data = NBest.from_arrays(sizes=[2], quality=[1, 0]).replace(candidate_ids=["a", "a"])
    with pytest.raises(DataError, match="row 2: group '0' already has a candidate with the id 'a', in row 1"):
        formats.write(data, tmp_path / "x.jsonl")
    assert not (tmp_path / "x.jsonl").exists()


@pytest.mark.parametrize("digits", [21, 400, 5000])
def test_long_numbers_are_no_ids(tmp_path, digits):
    one, two = b"7" * digits + b"1", b"7" * digits + b"2"
    for lines in (b'{"id": %s, "candidates": []}', b'{"candidates": [{"id": %s}]}'):
        with pytest.raises(DataError, match=r"x\.jsonl, line 1: .*a longer one needs quotes"):
            read(tmp_path, b"\n".join(lines % number for number in (one, two)))
    quoted = read(tmp_path, b'{"id": "%s", "candidates": [{"id": "%s"}]}' % (one, two))
    assert quoted.group_ids.to_pylist() == [one.decode()]
    assert quoted.candidate_ids.to_pylist() == [two.decode()]
    longest = read(tmp_path, b'{"id": 18446744073709551615, "candidates": []}\n{"id": 1.5, "candidates": []}')
    assert longest.group_ids.to_pylist() == ["18446744073709551615", "1.5"]


@pytest.mark.parametrize("key", ["input", "reference"])
def test_a_first_line_longer_than_the_sample_is_recognised(tmp_path, key):
    long = orjson.dumps({"id": 1, key: 'a "quoted" word, {[ ' * 10_000, "candidates": ["x"]})
    assert read(tmp_path, long, "lists.txt").n_candidates == 1
    many = orjson.dumps({"candidates": [{"text": "word " * 20} for _ in range(2000)]})
    assert read(tmp_path, many, "lists.txt").n_candidates == 2000


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (b'{"candidates": []}', "jsonl"),
        (b'{"candidates": []}\n{"candidates": [{"loss": 1}]}', "loss-jsonl"),
        (b'{"candidates": [{"loss": 1, "quality": 2}]}', "jsonl"),
        (b'{"candidates": [{"base": NaN}]}', "jsonl"),
        (b'{"candidates": [{"text": "a \\" loss", "base": 1}]}', "jsonl"),
        (b'{"input": ["a"], "output": "b"}', "hypotheses"),
        (b'[{"id": 3, "input": [], "output": "b"}]', "hypotheses"),
        (b"0 ||| a ||| lm: 1 ||| 2", "moses"),
    ],
)
def test_formats_are_distinguished(tmp_path, line, name):
    path = tmp_path / "data"
    path.write_bytes(line + b"\n")
    assert formats.recognise(path).name == name


def test_other_json_is_not_taken(tmp_path):
    path = tmp_path / "data.jsonl"
    path.write_bytes(b'{"id": 1, "lists": [[1.0, "x"]]}\n')
    with pytest.raises(DataError, match="does not look like any format"):
        formats.read(path)


WRONG = {
    "not a number": (
        b'{"id": "b", "candidates": [{"text": "x", "base": NaN, "quality": 1}]}',
        "expected a finite number for 'base' of candidate 1 of group 'b', found nan.",
    ),
    "infinity": (
        b'{"id": "b", "candidates": [{"text": "x", "base": -Infinity, "quality": 1}]}',
        "for 'base' of candidate 1 of group 'b', found -inf.",
    ),
    "beyond doubles": (
        b'{"id": "b", "candidates": [{"text": "x", "base": 1, "quality": 1e999}]}',
        "for 'quality' of candidate 1 of group 'b', found inf.",
    ),
    "text for a number": (
        b'{"id": "b", "candidates": [{"text": "x", "base": "good", "quality": 1}]}',
        "for 'base' of candidate 1 of group 'b', found 'good'.",
    ),
    "truth": (
        b'{"id": "b", "candidates": [{"text": "x", "base": true, "quality": 1}]}',
        "for 'base' of candidate 1 of group 'b', found True.",
    ),
    "missing quality": (
        b'{"id": "b", "candidates": [{"text": "x", "base": 1}]}',
        "candidate 1 of group 'b' has no 'quality'",
    ),
    "the same id": (LINE.strip(), "the group id 'a' was used before, in line 1; ids must differ."),
    "not JSON": (b"hello", "the line is not JSON ("),
    "cut off": (LINE[:60], "it ends too early, at character 60); it starts with "),
    "two values": (b'{"candidates": []} {"candidates": []}', "the line is not JSON ("),
    "a list": (b'["candidates"]', "expected an object with the key 'candidates', found ['candidates']."),
    "a number": (b"17", "expected an object with the key 'candidates', found 17."),
    "no candidates": (b'{"id": "b"}', "group 'b' has no 'candidates'"),
    "invalid UTF-8": (
        b'{"id": "b\xff", "candidates": []}',
        "the text is not UTF-8 (byte 10 of the line is 0xff); convert the file to UTF-8.",
    ),
    "half a surrogate in a key that nobody reads": (
        b'{"id": "b", "\\ud800": 1, "candidates": []}',
        "no half surrogates",
    ),
    "half a surrogate": (b'{"id": "b", "input": "\\ud800", "candidates": []}', "no half surrogates"),
    "deep": (b'{"id": ' + b"[" * 100_000 + b"]" * 100_000 + b', "candidates": []}', "nested too deeply"),
    "long number": (b'{"id": ' + b"1" * 5000 + b'e99999999999, "candidates": []}', "expected"),
}


@pytest.mark.parametrize(("line", "message"), WRONG.values(), ids=WRONG)
def test_mistakes_are_named_with_file_and_line(tmp_path, line, message):
    with pytest.raises(DataError) as caught:
        read(tmp_path, LINE + line + b"\n")
    assert str(caught.value).startswith(f"{tmp_path / 'x.jsonl'}, line 2: ")
    assert message in str(caught.value)


def test_nan_in_an_unused_key_is_accepted(tmp_path):
    data = read(tmp_path, b'{"candidates": [{"text": "x", "perplexity": NaN}]}\n')
    assert data.notes == ("Keys that Runoff does not use were left out: perplexity (1 candidate).",)


def test_empty_files_are_named(tmp_path):
    for content in (b"", b"\n \n"):
        with pytest.raises(DataError, match="the file is empty"):
            read(tmp_path, content)
        with pytest.raises(DataError, match="the file is empty"):
            formats.read(tmp_path / "x.jsonl", format="jsonl")


def test_a_cut_gzip_file_is_named(tmp_path):
    whole = gzip.compress(b"".join(LINE.replace(b'"a"', b'"%d"' % at) for at in range(5000)))
    with pytest.raises(DataError, match=r"x\.jsonl\.gz: the compressed file ends too early"):
        read(tmp_path, whole[: len(whole) // 2], "x.jsonl.gz")


def test_one_line_of_fifty_megabytes(tmp_path):
    record = {"candidates": [{"text": "word " * 100, "base": 0.5} for _ in range(96_000)]}
    content = orjson.dumps(record)
    assert len(content) > 50_000_000
    data = read(tmp_path, content)
    assert (data.n_candidates, data.base.sum()) == (96_000, 48_000)


def test_groups_of_one_id_are_not_written_because_they_could_not_be_read(tmp_path):
    data = NBest.from_arrays([[1.0], [2.0]], sizes=[1, 1])[np.array([0, 0])]
    with pytest.raises(DataError, match="several groups have the same id; JSON lines need ids that differ"):
        formats.write(data, tmp_path / "lists.jsonl")
    assert not list(tmp_path.iterdir())
