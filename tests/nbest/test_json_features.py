"""Features extracted by the compiled loop are those that a full parser finds, or the loop gives up."""

from __future__ import annotations

import json

import numpy as np
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff.nbest.json_features import FeatureExtractor
from runoff.nbest.name_index import NameIndex

names = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
numbers = st.floats(allow_nan=False, allow_infinity=False, width=32) | st.integers(-(2**63), 2**63)
tables = st.dictionaries(names, numbers, max_size=8) | st.lists(names, max_size=8)
lines = st.lists(st.fixed_dictionaries({"text": names, "features": tables}), min_size=1, max_size=5)


def written(record: object, style: str) -> bytes:
    """JSON as several programs write it: with and without blanks, with and without escapes."""
    if style == "tight":
        return orjson.dumps(record)
    return json.dumps(record, ensure_ascii=style == "escaped", separators=(" ,\t", " :\r ")).encode()


@settings(deadline=None)
@given(st.lists(lines, min_size=1, max_size=3), st.sampled_from(["tight", "loose", "escaped"]))
def test_what_is_cut_is_what_was_there(records, style):
    content = b"".join(written({"candidates": record}, style) + b"\n" for record in records)
    extracted = FeatureExtractor().extract(content)
    if extracted is None:  # too many escapes among the names: the full parser is as good then
        assert content.count(b"\\") > 0
        return
    candidates = [candidate for record in records for candidate in record]
    rest = [candidate for line in extracted.rest.split(b"\n")[:-1] for candidate in orjson.loads(line)["candidates"]]
    assert [each["text"] for each in rest] == [each["text"] for each in candidates]
    assert [each["features"] for each in rest] == [""] * len(candidates)
    assert extracted.belong_to([{"candidates": rest}])
    assert extracted.lengths.tolist() == [len(each["features"]) for each in candidates]
    assert extracted.is_list.tolist() == [isinstance(each["features"], list) for each in candidates]
    vocabulary = NameIndex()
    found = vocabulary.number_spans(extracted.text, extracted.spans)
    flat = [name for each in candidates for name in each["features"]]
    assert vocabulary.names().take(found).to_pylist() == flat
    assert vocabulary.names().to_pylist() == list(dict.fromkeys(flat))
    expected = [
        value
        for each in candidates
        for value in (each["features"].values() if isinstance(each["features"], dict) else [1] * len(each["features"]))
    ]
    assert extracted.values.tolist() == np.array(list(map(float, expected))).astype(np.float32).tolist()
    assert extracted.originals() == [each["features"] for each in candidates]


@settings(deadline=None)
@given(st.from_regex(r"-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,25})?([eE][-+]?[0-9]{1,3})?", fullmatch=True))
def test_numbers_are_rounded_as_python_rounds_them(number):
    extracted = FeatureExtractor().extract(b'{"features": {"a": %s}}\n' % number.encode())
    with np.errstate(over="ignore"):
        expected = np.float32(float(number))
    if np.isfinite(expected):
        assert extracted is not None
        assert extracted.values[0] == expected
    else:
        assert extracted is None


@pytest.mark.parametrize(
    "features",
    [
        *(
            b"3",
            b"true",
            b'"a"',
            b"[",
            b'{"a"}',
            b'{"a": }',
            b'{"a": 1,}',
            b'["a",]',
            b'{"a": 1 "b": 2}',
            b'["a" "b"]',
        ),
        *(
            b'{"a": true}',
            b'{"a": nul}',
            b'{"a": nulls}',
            b'{"a": NaN}',
            b'{"a": "1"}',
            b'{"a": [1]}',
            b'{"a": {"b": 1}}',
            b"{a: 1}",
            b"[1]",
        ),
        *(
            b'{"a": 01}',
            b'{"a": .5}',
            b'{"a": 5.}',
            b'{"a": +1}',
            b'{"a": 1e}',
            b'{"a": 1e+}',
            b'{"a": -}',
            b'{"a": 1x}',
        ),
        *(
            b'{"a": 1e39}',
            b'{"a": 1e999}',
            b'{"a\n": 1}',
            b'{"\\ud800": 1}',
            b'{"\\x": 1}',
            b'{"\xff": 1}',
            b'{"a": 1\n}',
        ),
    ],
)
def test_anything_else_is_left_to_the_full_parser(features):
    assert FeatureExtractor().extract(b'{"features": %s}\n' % features) is None


def test_a_key_with_escapes_is_left_to_the_full_parser():
    assert FeatureExtractor().extract(b'{"featur\\u0065s" : 0}\n') is None
    assert FeatureExtractor().extract(b'{"text": "\\u0065", "also": ["\\n"], "features": {"a": 1}}\n') is not None


def test_the_rest_is_never_longer_than_the_text():
    content = b'{"features":[]}' * 1000 + b"\n"
    assert len(FeatureExtractor().extract(content).rest) == len(content)


@pytest.mark.parametrize(
    "line",
    [
        b'{"features": {"a": 1}, "candidates": [{}]}',
        b'{"candidates": [{"features": {"a": 1}, "features": {"b": 2}}]}',
        b'{"candidates": [{"features": {"a": 1}}], "candidates": [{}]}',
        b'{"candidates": [{"features": {"a": 1}, "features": null}]}',
        b'{"candidates": [{"stats": {"features": []}}]}',
        b'{"candidates": [[{"features": []}]]}',
        b'{"candidates": {"features": []}}',
        b'{"groups": [{"features": []}]}',
        b'[{"features": []}]',
    ],
)
def test_tables_elsewhere_belong_to_no_candidates(line):
    extracted = FeatureExtractor().extract(line + b"\n")
    assert not extracted.belong_to([orjson.loads(extracted.rest)])


def test_the_word_as_a_value_or_as_null_is_no_key():
    content = b'{"text": "features", "also": ["features"], "features": null, "x": "\\"features\\": {"}\n'
    extracted = FeatureExtractor().extract(content)
    assert extracted.rest == content
    assert extracted.lengths.size == 0


def test_one_cutter_takes_blocks_of_any_size():
    extractor = FeatureExtractor()
    for size in (1, 5000, 3):
        features = {f"name {at}": at for at in range(size)}
        extracted = extractor.extract(orjson.dumps({"features": features}) + b"\n")
        assert extracted.lengths.tolist() == [size]
        assert extracted.values.tolist() == list(range(size))


def test_vocabulary_learns_from_both_sides():
    vocabulary, known = NameIndex(), {}
    rng = np.random.default_rng(0)
    for turn in range(20):
        block = [f"name é {number}" * (1 + number % 3) for number in rng.integers(0, 200 * (turn + 1), 500)]
        expected = [known.setdefault(name, len(known)) for name in block]
        if turn % 3:
            encoded = [name.encode() for name in block]
            ends = np.cumsum([0, *map(len, encoded)])
            spans = np.column_stack([ends[:-1], ends[1:]]).astype(np.int32)
            found = vocabulary.number_spans(np.frombuffer(b"".join(encoded), np.uint8), spans)
        else:
            found = vocabulary.number(block)
        assert found.tolist() == expected
    assert vocabulary.names().to_pylist() == list(known)
    assert len(vocabulary) == len(known)
