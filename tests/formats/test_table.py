from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from runoff.errors import DataError, UsageError
from runoff.formats import read, recognise

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.nbest import NBest


@pytest.fixture
def parse(tmp_path: Path):
    def parse_text(text: str | bytes, name: str = "table.csv", **options: object) -> NBest:
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return read(tmp_path / name, **options)

    return parse_text


USUAL = "QID,Label,Score,Hyp,DocID,ref,Source,len,is_long\n"
USUAL_ROWS = """\
01,2,-1.5,"a, b",d1,r1,s1,3,true
01,0,-2,c,d2,r1,s1,1,false
2,1,-1,,d1,r2,s2,0,false
"""


def test_usual_names(parse):
    data = parse(USUAL + USUAL_ROWS)
    assert data.group_ids.to_pylist() == ["01", "2"]
    assert data.quality.tolist() == [2, 0, 1]
    assert data.base.tolist() == [-1.5, -2, -1]
    assert data.texts.to_pylist() == ["a, b", "c", ""]
    assert data.candidate_ids.to_pylist() == ["d1", "d2", "d1"]
    assert data.references.to_pylist() == [["r1"], ["r2"]]
    assert data.inputs.to_pylist() == ["s1", "s2"]
    assert data.features.names.to_pylist() == ["len", "is_long"]
    assert data.features.to_scipy().toarray().tolist() == [[3, 1], [1, 0], [0, 0]]
    assert data.notes == (
        "Columns were chosen by their usual names: group=QID, quality=Label, base=Score, text=Hyp, id=DocID, "
        "reference=ref, input=Source.",
    )


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_delimiters_and_line_ends(parse, delimiter, newline):
    text = newline.join([delimiter.join(row) for row in (["query_id", "x", "y"], ["a", "1", "2.5"], ["b", "0", "1e3"])])
    data = parse("\ufeff" + text, "data.txt")
    assert data.group_ids.to_pylist() == ["a", "b"]
    assert data.features.to_scipy().toarray().tolist() == [[1, 2.5], [0, 1000]]


def test_compressed(parse):
    assert parse(gzip.compress((USUAL + USUAL_ROWS).encode()), "table.csv.gz").n_candidates == 3


def test_groups_that_come_interleaved(parse):
    data = parse("group,quality\nb,1\na,2\nb,3\n")
    assert data.group_ids.to_pylist() == ["b", "a"]
    assert data.quality.tolist() == [1, 3, 2]


@pytest.mark.parametrize(
    "columns",
    [
        "group=seg,quality=mqm,features=b+a",
        {"group": "seg", "quality": "mqm", "features": ["b", "a"]},
        {"group": "SEG", "quality": "Mqm", "features": "b+a"},
    ],
)
def test_columns_that_the_person_names(parse, columns):
    data = parse("seg,mqm,a,b,c\n1,0.5,1,2,3\n1,0.25,4,5,6\n", columns=columns)
    assert data.group_ids.to_pylist() == ["1"]
    assert data.quality.tolist() == [0.5, 0.25]
    assert data.features.names.to_pylist() == ["b", "a"]
    assert data.features.to_scipy().toarray().tolist() == [[2, 1], [5, 4]]


def test_a_role_can_be_left_empty_and_a_named_feature_is_no_role(parse):
    data = parse("qid,label,score\n1,1,2\n", columns="quality=,features=score")
    assert data.quality is None
    assert data.base is None
    assert data.features.names.to_pylist() == ["score"]


def test_a_column_with_a_plus_in_its_name(parse):
    assert parse("qid,a+b\n1,2\n", columns="features=a+b").features.names.to_pylist() == ["a+b"]


def test_inputs_that_differ_within_a_group_are_noted(parse):
    data = parse("qid,src,ref,x\n1,a,r,1\n1,b,r,1\n2,a,r,1\n2,a,s,1\n")
    assert data.inputs.to_pylist() == ["a", "a"]
    assert data.references.to_pylist() == [["r"], ["r"]]
    assert data.notes[1:] == (
        "Column src differs within 1 group(s); the first row of each group was used.",
        "Column ref differs within 1 group(s); the first row of each group was used.",
    )


def test_columns_of_texts_are_noted(parse):
    data = parse("qid,x,note,when,nothing\n1,2,good,2020-01-01,\n1,3,bad,2020-01-02,\n")
    assert data.features.names.to_pylist() == ["x"]
    assert data.notes[-1] == "Columns that are not numbers were not used: note, when, nothing."


def test_bare_quotation_marks_between_tabs(parse):
    data = parse('qid\ttext\n1\t"Yes", she said\n1\t"No\n2\tsay "no"\n', "t.tsv")
    assert data.texts.to_pylist() == ['"Yes", she said', '"No', 'say "no"']


def test_real_quotation_between_tabs(parse):
    data = parse('qid\ttext\tx\n1\t"a ""b""\nc"\t1\n1\td\t2\n', "t.tsv")
    assert data.texts.to_pylist() == ['a "b"\nc', "d"]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("qid,label,x\n1,2,3\n1,good,4\n", 3, "expected a number in column 'label', found 'good'."),
        (
            "qid,label,x\n1,2,3\n1,,4\n",
            3,
            "column 'label' is empty in 1 row(s); fill it in or leave the rows out.",
        ),
        ("qid,x\n1,3\n,4\n", 3, "column 'qid' is empty in 1 row(s); fill it in or leave the rows out."),
        (
            'qid,docid,text\n1,a,"two\nlines"\n2,a,y\n\n1,a,z\n',
            6,
            "group '1' already has a candidate with the id 'a', in line 2; ids must differ within a group, so leave "
            "one of the two out, or give no ids.",
        ),
        ("qid,x\n1,3\n1,inf\n", 3, "column 'x' must be finite numbers in single precision; found inf."),
        ("qid,x\n1,3\n1,1e39\n", 3, "column 'x' must be finite numbers in single precision; found 1e+39."),
        ("qid,x,y\n1,3,4\n1,4\n", 3, "expected 3 columns as in the header, found 2."),
        ('qid,hyp,x\n1,"a\nb",3\n1,c,oops,4\n', 4, "expected 3 columns as in the header, found 4."),
        (
            "qid,x\n1,3\n1,4\n1,five\n",
            4,
            "expected a number in column 'x' as in most rows, found 'five'; correct it, or name the columns to use, "
            "for instance columns='features=…+…'.",
        ),
        ("qid,x,X,x\n1,3,4,5\n", 1, "the header has more than one column 'x'."),
        ("qid,x\n", None, "the table has a header but no rows."),
    ],
)
def test_mistakes_name_line_and_column(parse, tmp_path, text, line, message):
    with pytest.raises(DataError) as caught:
        parse(text)
    place = str(tmp_path / "table.csv") + (f", line {line}" if line else "")
    assert str(caught.value) == f"{place}: {message}"


def test_not_utf8(parse):
    with pytest.raises(DataError, match=r"line 2: the text is not UTF-8 \(byte 6 of the line is 0xe9\)"):
        parse(b"qid,hyp\n1,caf\xe9\n")


def test_no_group_column_lists_the_columns(parse):
    with pytest.raises(DataError, match=r"no column is known .* the columns are: seg, x\. .*columns='group=…"):
        parse("seg,x\n1,2\n")


def test_no_header(parse):
    with pytest.raises(DataError, match="line 1: expected a header with the names of the columns, found '1,2'"):
        parse("1,2\n3,4\n", format="table")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("group=none", "the table has no column 'none'; its columns are: qid, x."),
        ("grp=qid", "there is no role 'grp' for a column; roles are: group, quality, "),
        ("qid", "columns must be given as columns='group=…,.*; found 'qid' without a column."),
        (["qid"], "columns must be a text or a mapping of roles to columns"),
    ],
)
def test_mistakes_in_the_option(parse, columns, message):
    with pytest.raises(UsageError, match=message):
        parse("qid,x\n1,2\n", columns=columns)


def test_only_a_header_of_names_is_recognised(tmp_path):
    for text in ("a,b\n1,2\n", "1,qid\n", "plain text, with a comma about the query\n", "word\n"):
        (tmp_path / "data").write_text(text)
        with pytest.raises(DataError, match="does not look like any format"):
            recognise(tmp_path / "data")
