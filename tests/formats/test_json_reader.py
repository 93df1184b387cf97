"""Cutting features out of JSON lines changes nothing: the plain parser gives the same data or the same error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers.mutations import mutants
from runoff.errors import RunoffError
from runoff.formats import json_reader

if TYPE_CHECKING:
    from collections.abc import Callable

FILES = [
    b'{"id": "1", "input": "in", "references": ["r \xc3\xa9", "s"], "metric": "wer", "candidates": [{"id": "a", '
    b'"text": "x \\" y", "base": -1.5, "quality": 1, "features": {"lm": 0.5, "len": 3}, "stats": {"wer": [1, 5]}}, '
    b'{"id": "b", "text": "z", "base": 2, "quality": 0, "features": {"len" : 7e-1}, "stats": {"wer": [0, 5]}}]}\n'
    b'{"id": "2", "candidates": []}\n',
    b'{"candidates":[{"features":{"a":1,"b":-0.25,"c":1e3}},{"features":{"b":2}}]}\r\n'
    b'{"candidates":[{"features":{"d":3,"a":4}},{"features":null},{}]}\n',
    b'{"candidates": [{"features": ["n", "n", "m"], "text": "features"}, {"features": ["\\u00e9", "\xc3\xa9"]}]}\n'
    b'{"fold": 1, "candidates": [{"features": {}, "text": "t"}, {"features": [], "text": "\\n"}]}\n',
    b'{"candidates": ["a", "b"]}\n{"candidates": [{"text": "c", "meta": {"features": {"not": 1}}}]}\n',
]
TOKENS = [
    *rb"""{ } [ ] , : " "" \ {} [] ["a"] "features" "featur\u0065s" "features": "features":"" "features":"0"
    "features":[] "candidates" "id" "text" "stats" "input" "metric" "missed" "base" "a" null true NaN Infinity
    \ud800 \ud83d\ude00 \u12 \x \n 0 1 2 3 0.5 -0 00 01 1. .5 - +1 1e 7e-1 1e400 -1e400 1e-400 3.5e38 1e39
    {"features":{"a":1}}""".split(),
    *(b"\n", b"\r", b"\t", b" ", b"\x00", b"\x0b", b"\xef\xbb\xbf", b"\xff", b"\xed\xa0\x80", b'{"a": 1, "a": 2}'),
    *(b"9" * 25, b"9" * 400, b"9" * 4400, b"0." + b"3" * 400, b"[" * 1100, b"]" * 1100, b'{"a":' * 1022),
]


@pytest.fixture
def outcome(tmp_path, monkeypatch) -> Callable[[bytes, bool], object]:
    """What reading some bytes gives, as plain Python: everything that is in the data, or the sentence."""
    path = tmp_path / "x.jsonl"

    def read(content: bytes, extracting: bool) -> object:
        path.write_bytes(content)
        monkeypatch.setattr(json_reader, "_WORTH_EXTRACTING", 0 if extracting else len(content) + 1)
        try:
            return parts(json_reader.build(path).finish())
        except RunoffError as error:
            return str(error)

    return read


def parts(data: Any) -> dict[str, object]:
    features = data.features
    found = {name: plain(getattr(features, name)) for name in ("indptr", "indices", "values", "names", "n_columns")}
    names = ("offsets", "group_ids", "base", "quality", "texts", "candidate_ids", "inputs", "references", "missed")
    found |= {name: plain(getattr(data, name)) for name in names}
    return found | {"stats": {key: plain(rows) for key, rows in data.stats.items()}, "more": (data.metric, data.notes)}


def plain(value: Any) -> object:
    if isinstance(value, np.ndarray):
        return ["missing" if each != each else each for each in value.tolist()] if value.ndim == 1 else value.tolist()
    return value.to_pylist() if hasattr(value, "to_pylist") else value


def many(after: bytes) -> bytes:
    """Ten candidates with one feature each, of which the last but one has something behind its table."""
    tables = [b'{"f%d": %d}' % (at, at) for at in range(10)]
    tables[8] += after
    return b'{"candidates": [%s]}\n' % b", ".join(b'{"features": %s}' % table for table in tables)


CASES = [
    *(many(after) for after in (b"0", b"1", b"5", b".5", b"e5", b"e400", b'"a"', b"null", b"{}", b" 0", b"\t1", b"")),
    b'{"candidates": [{"features": {"a": 1}}, {"featur\\u0065s": 0}, {"featur\\u0065s": "0"}]}\n',
    b'{"candidates": [{"featur\\u0065s": ""}, {"text": "x", "other": {"features": {"a": 1}}}]}\n',
    b'{"candidates": [{"features": {"a": 1}, "featur\\u0065s": ""}]}\n',
    b'{"candidates": [{"features": {"a": 1}, "featur\\u0065s": {"b": 2}}]}\n',
    b'{"candidates": [{"features": {"a": 1}, "features": {"b": 2}}, {"features": {"c": 2}}]}\n',
    b'{"candidates": [{"features": {"a": 1, "b": 2, "a": 3, "b": 0}}]}\n',
    b'{"candidates": [{"features": {"a": 1}}], "candidates": [{"features": {"b": 1}}]}\n',
    b'{"input": {"features": {"a": 1}}, "candidates": []}\n',
    b'{"id": {"features": ["a"]}, "candidates": []}\n',
    b'{"metric": {"features": ["a"]}, "candidates": [{"features": {"a": 1}}]}\n',
    b'{"candidates": [{"stats": {"features": []}}]}\n',
    b'{"candidates": [{"text": {"features": {"a": 1}}}]}\n',
    b'{"candidates": [["features", {"features": {"a": 1}}]]}\n',
    b'{"candidates": {"features": {"a": 1}}}\n',
    b'[{"features": {"a": 1}}]\n',
    b'{"features": {"a": 1}}\n',
    b'{"candidates": [{"features": {"a": 1}}], "x": ' + b"[" * 1022 + b'{"features": {}}' + b"]" * 1022 + b"}\n",
    b'\xef\xbb\xbf{"candidates": [{"features": {"a": 1}}]}\n\n \x0c\n{"candidates": [{"features": {"a": 2}}]}\r\n',
    b'{"candidates": [{"features": {"a": -0, "b": 1e-400, "c": 9223372036854775807, "d": 123456789012345678901}}]}\n',
    b'{"candidates": [{"features": {"\\ud800": 1}}]}\n',
    b'{"candidates": [{"features": {"a\x01": 1}}]}\n',
    b'{"candidates": [{"features": "\\u0022"}]}\n',
]


@pytest.mark.parametrize("content", CASES)
def test_features_in_odd_places(outcome, content):
    assert outcome(content, extracting=True) == outcome(content, extracting=False)


@pytest.mark.parametrize("number", [*b"-0 1e400 -1e400 1e-400 01 1. .5 NaN null nul".split(), b"9" * 4400])
def test_odd_numbers(outcome, number):
    content = b'{"candidates": [{"features": {"a": 1, "b": %s}}]}\n' % number
    assert outcome(content, extracting=True) == outcome(content, extracting=False)


def test_a_digit_behind_a_table_is_an_error(outcome):
    assert "is not JSON" in outcome(many(b"0"), extracting=True)


@pytest.mark.parametrize(("count", "seed"), [(300, 1), pytest.param(20_000, 2, marks=pytest.mark.slow)])
def test_damaged_files(outcome, monkeypatch, count, seed):
    monkeypatch.setattr(json_reader, "_BLOCK_BYTES", 200)  # so that a block begins in the middle of a file
    for content in mutants(FILES, count, seed, TOKENS):
        assert outcome(content, extracting=True) == outcome(content, extracting=False), content


KEYS = rb'"candidates" "features" "feat\u0075res" "stats" "text" "id" "input" "x\n" "y"'.split()
TABLES = rb'{} [] {"a":1} {"b":0.5,"c":null} ["a","a"] {"a":1,"a":2} "" "0" 0 null'.split()


def objects(values: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    pairs = st.tuples(st.sampled_from(KEYS), values).map(b": ".join)
    return st.lists(pairs, max_size=4).map(lambda each: b"{%s}" % b", ".join(each))


def arrays(values: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    return st.lists(values, max_size=3).map(lambda each: b"[%s]" % b", ".join(each))


anything = st.recursive(st.sampled_from(TABLES), lambda values: objects(values) | arrays(values), max_leaves=8)
candidates = arrays(objects(st.sampled_from(TABLES) | anything))
records = st.tuples(candidates, objects(anything)).map(lambda each: b'{"candidates": %s, %s\n' % (each[0], each[1][1:]))


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(records, min_size=1, max_size=3).map(b"".join))
def test_records_of_any_shape(outcome, content):
    assert outcome(content, extracting=True) == outcome(content, extracting=False)
