from __future__ import annotations

import gzip
import io
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file

from runoff.errors import DataError
from runoff.formats import read, recognise
from runoff.formats.letor import read as read_letor

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.nbest import NBest


@pytest.fixture
def parse(tmp_path: Path):
    def parse_text(text: str | bytes) -> NBest:
        path = tmp_path / "data.txt"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_letor(path)

    return parse_text


def dense(data: NBest) -> list[list[float]]:
    return data.features.to_scipy().toarray().tolist()


def test_a_file_like_letor_4(parse):
    data = parse(
        "2 qid:10 1:0.5 2:0.000000 3:-1e-2 #docid = GX1 inc = 1 prob = 0.08\n"
        "0 qid:10 1:0.000000 3:7 #docid = GX2 inc = 0 prob = 0.9\n"
        "1 qid:11 2:0.25 #docid = GX1 inc = 1 prob = 0.1\n"
    )
    assert data.group_ids.to_pylist() == ["10", "11"]
    assert data.offsets.tolist() == [0, 2, 3]
    assert data.quality.tolist() == [2.0, 0.0, 1.0]
    assert data.candidate_ids.to_pylist() == ["GX1", "GX2", "GX1"]
    assert data.features.names.to_pylist() == ["1", "2", "3"]
    np.testing.assert_array_equal(dense(data), np.float32([[0.5, 0, -0.01], [0, 0, 7], [0, 0.25, 0]]))
    assert data.features.n_stored == 4  # zeros are not stored
    assert data.metric == "map,ndcg-letor@1-10"
    assert data.notes == ()


def test_missing_values(parse):
    # As in the files for rank aggregation of LETOR 4.0, and as C and scikit-learn write them.
    data = parse("1 qid:7 1:NULL 2:0 3:5 #docid = A\n0 qid:7 1:2 2:nan 3:-NaN#docid = B\n0 qid:7 3:null 1:0 2:1\n")
    expected = [[np.nan, 0, 5], [2, np.nan, np.nan], [0, 1, np.nan]]
    np.testing.assert_array_equal(dense(data), expected)
    assert data.features.has_missing


def test_a_document_twice_in_a_query(parse):
    lines = ["1 qid:{} 1:2 # docid = {}".format(*row) for row in ("aX", "bX", "aY", "aX", "bX")]
    with pytest.raises(DataError, match=r"data\.txt, line 6: group 'a' already has .* the id 'X', in line 2;"):
        parse("\n".join(["# header", lines[0], "", *lines[1:]]))
    parse("\n".join([*lines, "0 qid:b 1:1"]))  # ids count only if every line has one


def test_windows_lines_blank_lines_comments_tabs_and_no_last_newline(parse):
    data = parse("\ufeff# made by hand\r\n\r\n+1.0\tqid:a  0:1\t5:2 # no id here\r\n   \r\n-3 qid:a 5:.5\r\n.5e1 qid:b")
    assert data.group_ids.to_pylist() == ["a", "b"]
    assert data.quality.tolist() == [1.0, -3.0, 5.0]
    assert data.features.names.to_pylist() == ["0", "5"]
    assert dense(data) == [[1, 2], [0, 0.5], [0, 0]]
    assert data.candidate_ids is None


def test_a_comment_may_follow_a_value_at_once_and_hold_anything(parse):
    data = parse("1 qid:1 1:2#docid=x:1 2:3\n0 qid:1 1:3# see docid  =  é # y\n")
    assert data.candidate_ids.to_pylist() == ["x:1", "é"]
    assert dense(data) == [[2], [3]]


def test_ids_only_if_every_line_has_one(parse):
    assert parse("1 qid:1 1:2 #docid = x\n0 qid:1 1:3\n").candidate_ids is None


def test_queries_that_come_back_join_their_group(parse):
    data = parse("0 qid:x 1:1\n1 qid:y 1:2\n2 qid:x 1:3\n3 qid:y 1:4\n")
    assert data.group_ids.to_pylist() == ["x", "y"]
    assert data.quality.tolist() == [0, 2, 1, 3]
    assert dense(data) == [[1], [3], [2], [4]]
    assert data.rows.tolist() == [0, 2, 1, 3]
    assert data.notes == ("A query appeared again after another one 2 time(s); its candidates were brought together.",)


def test_features_that_are_all_one_need_no_values(parse):
    data = parse("0 qid:x 1:1 3:1.0\n1 qid:x 2:1 3:0\n")
    assert data.features.values is None
    assert dense(data) == [[1, 0, 1], [0, 1, 0]]


def test_query_ids_are_text(parse):
    assert parse("0 qid:007 1:1\n0 qid:7 1:1\n0 qid:Ä-1 1:1\n").group_ids.to_pylist() == ["007", "7", "Ä-1"]


def test_unsorted_features_are_sorted(parse):
    data = parse("0 qid:1 9:9 2:2 5:0\n0 qid:1 5:5 9:1\n")
    assert data.features.names.to_pylist() == ["2", "5", "9"]
    assert dense(data) == [[2, 0, 9], [0, 5, 1]]
    assert data.features.indices.tolist() == [0, 2, 1, 2]


def test_feature_numbers_far_apart_take_no_room_between(parse):
    data = parse("0 qid:1 3:1 2147483647:2\n1 qid:1 100000000:0.5\n")
    assert data.features.names.to_pylist() == ["3", "100000000", "2147483647"]
    assert dense(data) == [[1, 0, 2], [0, 0.5, 0]]


# Hard cases of decimal to binary conversion; the expectation is Python's own float.
HARD = [
    "1e-45",
    "7.006492321624085e-46",  # half of the smallest single
    "7.0064923216240862e-46",
    "1.1754943508222875e-38",
    "3.4028234663852886e38",
    "16777217",  # between two singles
    "16777217.000000000000000000000001",
    "16777219",
    "9007199254740993",
    "0.1000000014901161193847656250000000000001",
    "123456789012345678901234567890e-20",
    "000000000000000000000000000000000000001.5",
    "0.00000000000000000000000000000000000000000000000000000000000000000000000000001e76",
    "1e-400",
    "0e999999999999999999999",
    "-0.0",
]


@pytest.mark.parametrize("text", HARD)
def test_numbers_round_as_python_rounds_them(parse, text):
    data = parse(f"{text} qid:1 1:{text} 2:1\n")
    assert data.quality[0] == float(text)
    assert np.float32(dense(data)[0][0]) == np.float32(float(text))
    assert data.features.n_stored == (1 if np.float32(float(text)) == 0 else 2)


def test_many_doubtful_numbers(parse):
    # Every one lies exactly between two singles, more of them than the first list of doubts holds.
    text = " ".join(f"{at}:16777217.000000000000000" for at in range(1, 3000))
    data = parse(f"0 qid:1 {text}\n")
    assert set(data.features.values.tolist()) == {16777216.0}


numbers = st.one_of(
    st.floats(width=32, allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-1e30, 1e30).map(repr),
    st.integers(-(10**12), 10**12).map(str),
    st.decimals(-1000, 1000, places=6).map(str),
    st.sampled_from(["0", "0.000000", "1", "1.000000", "+2", "3.", ".25", "1E3", "2e-07"]),
)
rows = st.lists(
    st.tuples(
        numbers,
        st.integers(0, 4),
        st.dictionaries(st.integers(1, 300), numbers, max_size=8),
        st.sampled_from(["", "# a comment", "#docid = q:{} inc = 1"]),
    ),
    min_size=1,
    max_size=12,
)


@settings(deadline=None)
@given(rows=rows, newline=st.sampled_from(["\n", "\r\n"]), gap=st.sampled_from([" ", "  ", "\t"]))
def test_same_arrays_as_scikit_learn(tmp_path_factory, rows, newline, gap):
    lines = []
    for at, (label, query, features, comment) in enumerate(rows):
        cells = [f"{number}:{features[number]}" for number in sorted(features)]
        lines.append(gap.join([label, f"qid:{query}", *cells, *([comment.format(at)] if comment else [])]))
    text = newline.join(lines) + newline
    expected, labels, queries = load_svmlight_file(
        io.BytesIO(text.encode()), dtype=np.float64, query_id=True, zero_based=True, n_features=301
    )
    path = tmp_path_factory.getbasetemp() / "random.txt"
    path.write_bytes(text.encode())
    data = read_letor(path)
    order = np.arange(len(rows)) if data.rows is None else data.rows
    assert data.quality.tolist() == labels[order].tolist()
    assert np.repeat(data.group_ids.to_pylist(), data.sizes).tolist() == queries[order].astype(str).tolist()
    found = np.zeros((len(rows), 301), np.float32)
    found[:, np.array(data.features.column_names().to_pylist(), int)] = data.features.to_scipy().toarray()
    np.testing.assert_array_equal(found, expected.toarray()[order].astype(np.float32))


NO_QID = "expected qid: and the query's id after the relevance, found {}; every line needs one."
NOT_FINITE = "feature values must be finite, found {}; give it a number, or NULL if it is missing."
BIG = "99999999999999999999999:1"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("good qid:1 1:2", "column 1: expected a number for the relevance, found 'good'."),
        ("nan qid:1 1:2", "column 1: expected a number for the relevance, found 'nan'."),
        ("1,2 qid:1 1:2", "column 1: expected a number for the relevance, found '1,2'."),
        ("1 1:2 2:3", "column 3: " + NO_QID.format("'1:2'")),
        ("1 qid: 1:2", "column 3: " + NO_QID.format("'qid:'")),
        ("1", "column 2: " + NO_QID.format("nothing")),
        ("1 qid:1 1:2 3", "column 13: expected a feature as number:value, found '3'."),
        ("1 qid:1 1:2 bm25:3", "column 13: expected a feature as number:value, found 'bm25:3'."),
        ("1 qid:1 1:2 -3:3", "column 13: expected a feature as number:value, found '-3:3'."),
        ("1 qid:1 1:x", "column 11: expected a number as the feature's value, found 'x'."),
        ("1 qid:1 1:", "column 11: expected a number as the feature's value, found nothing."),
        ("1 qid:1 1:1e", "column 11: expected a number as the feature's value, found '1e'."),
        ("1 qid:1 1:1_000", "column 11: expected a number as the feature's value, found '1_000'."),
        ("1 qid:1 1:-", "column 11: expected a number as the feature's value, found '-'."),
        ("1 qid:1 1:nulls", "column 11: expected a number as the feature's value, found 'nulls'."),
        ("1 qid:1 1:-NULL", "column 11: expected a number as the feature's value, found '-NULL'."),
        ("NULL qid:1 1:1", "column 1: expected a number for the relevance, found 'NULL'."),
        ("1 qid:1 1:-INF", "column 11: " + NOT_FINITE.format("'-INF'")),
        ("1 qid:1 1:1e39", "column 11: the number '1e39' is too large to be stored."),
        ("1 qid:1 1:1e400", "column 11: the number '1e400' is too large to be stored."),
        ("1e400 qid:1 1:1", "column 1: the number '1e400' is too large to be stored."),
        ("1 qid:1 2147483648:1", "column 9: feature numbers go up to 2147483647, found '2147483648:1'."),
        (f"1 qid:1 {BIG}", f"column 9: feature numbers go up to 2147483647, found '{BIG}'."),
        ("1 qid:1 2:1 2:1", "column 13: feature '2:1' is given twice."),
        ("1 qid:1 2:0 1:1 2:1", "feature 2 is given twice."),
        ("1 qid:1 2:1 1:1 2:0", "feature 2 is given twice."),
    ],
)
def test_mistakes_name_line_and_column(parse, tmp_path, line, message):
    with pytest.raises(DataError) as caught:
        parse(f"# header\n0 qid:1 1:1\n{line}\n0 qid:1 1:1\n")
    assert str(caught.value) == f"{tmp_path / 'data.txt'}, line 3: {message}"


def test_ids_that_are_not_utf8(parse):
    with pytest.raises(DataError, match=r"line 2: the text is not UTF-8 \(byte 8 of the line is 0xe9\)"):
        parse(b"1 qid:1 1:2\n1 qid:a\xe9 1:2\n")
    assert len(parse(b"1 qid:1 1:2 # caf\xe9\n")) == 1  # a comment that nothing is taken from may be anything


def test_only_comments(parse):
    with pytest.raises(DataError, match="no candidates"):
        parse("# nothing\n\n")


def test_every_cut_of_a_file_reads_or_says_why(parse):
    text = "2 qid:10 1:0.5 12:-1e-2 #docid = GX1 inc\n1 qid:11 2:16777217.0000000000000 #docid = G\n"
    found = set()
    for cut in range(1, len(text)):
        try:
            found.add(parse(text[:cut]).n_candidates)
        except DataError as error:
            found.add(f"line {error.line}")
    assert found == {1, 2, "line 1", "line 2"}


def test_recognised_by_content_compressed_or_not(tmp_path):
    text = b"# comment\n\n0 qid:q1 1:0.1 2:0.2\n"
    for name, content in (("a", text), ("b.gz", gzip.compress(text)), ("c.csv", text)):
        (tmp_path / name).write_bytes(content)
        assert recognise(tmp_path / name).name == "letor"
        assert read(tmp_path / name).n_candidates == 1


def test_real_files_as_scikit_learn_reads_them(shared_data):
    paths = sorted(shared_data.glob("letor/*/Fold1/*.txt.gz"))
    if not paths:
        pytest.skip(f"there is no LETOR data under {shared_data}")
    for path in paths:
        expected, labels, queries = load_svmlight_file(str(path), query_id=True, dtype=np.float32)
        data = read_letor(path)
        order = np.arange(labels.size) if data.rows is None else data.rows
        assert data.quality.tolist() == labels[order].tolist()
        assert np.repeat(data.group_ids.to_pylist(), data.sizes).tolist() == queries[order].astype(str).tolist()
        assert (data.features.to_scipy() != expected[order]).nnz == 0
        assert data.features.names.to_pylist() == [str(number) for number in range(1, expected.shape[1] + 1)]
        assert all(data.candidate_ids.to_pylist())
