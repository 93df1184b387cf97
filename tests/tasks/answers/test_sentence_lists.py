"""Lists of answering sentences in both kinds of files; what is expected was read in the files."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from runoff.errors import DataError
from runoff.formats import Sample
from runoff.tasks.answers.sentence_lists import read_pairs, read_table, recognise_pairs, recognise_table

if TYPE_CHECKING:
    from pathlib import Path

PAIRS = """<QApairs id='32.1'>
<question>
What\tis\tWicca\t?
WP\tVBZ\tNNP\t.
</question>
<positive>
Wicca\tis\ta\tform\tof\tworship\t.
NNP\tVBZ\tDT\tNN\tIN\tNN\t.
SUB\tROOT\tNMOD\tPRD\tNMOD\tPMOD\tP
2\t0\t4\t2\t4\t5\t2
ORGANIZATION-B\t-\t-\t-\t-\t-\t-
form\t
4\t
</positive>
<negative>
R&B\t<is>\tmusic\t.
</negative>
</QApairs>

<QApairs id='33'>
<question>
Who\t?
</question>
</QApairs>
"""
TABLE = "2\t0\thow big ?\tit sells software .\n2\t1\thow big ?\tover 6,000 work there .\n9\t0\twho ?\tnobody .\n"
NAMED = (
    "QuestionID\tQuestion\tDocumentTitle\tSentence\tLabel\r\n"
    "Q1\tWho ?\tAda\tAda did .\t1\r\nQ1\tWho ?\tAda\tBob .\t0\r\n"
)


def test_pairs(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(PAIRS)
    data = read_pairs(tmp_path / "a.xml")
    assert data.group_ids.to_pylist() == ["32.1", "33"]
    assert data.inputs.to_pylist() == ["What is Wicca ?", "Who ?"]
    assert data.offsets.tolist() == [0, 2, 2]
    found = dict(zip(data.texts.to_pylist(), data.quality.tolist(), strict=True))
    assert found == {"Wicca is a form of worship .": 1.0, "R&B <is> music .": 0.0}
    tags = dict(zip(data.texts.to_pylist(), data.attributes["entities"][0].as_py().split("\n"), strict=True))
    assert tags == {"Wicca is a form of worship .": "ORGANIZATION-B - - - - - -", "R&B <is> music .": "- - - -"}
    assert data.metric == "map,mrr"


def test_the_order_of_pairs_does_not_tell_which_are_right(tmp_path: Path) -> None:
    rows = [f"<{kind}>\nsentence\t{at}\n</{kind}>" for kind in ("positive", "negative") for at in range(30)]
    rows = [row.replace("sentence", "right") if "positive" in row else row for row in rows]
    for name, order in (("a.xml", rows), ("b.xml", rows[::-1])):
        text = "\n".join(["<QApairs id='1'>", "<question>", "Who", "</question>", *order, "</QApairs>"])
        (tmp_path / name).write_text(text)
    data, other = read_pairs(tmp_path / "a.xml"), read_pairs(tmp_path / "b.xml")
    assert data.texts.to_pylist() == other.texts.to_pylist()
    assert 5 < data.quality[:30].sum() < 25
    assert any("another order" in note for note in data.notes)


def test_a_word_with_a_blank_inside_is_two(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(PAIRS.replace("Wicca\tis\ta\tform", "Wicca or so\t is\t\tform"))
    data = read_pairs(tmp_path / "a.xml")
    at = data.quality.tolist().index(1.0)
    assert data.texts[at].as_py() == "Wicca or so is form of worship ."
    tags = data.attributes["entities"][0].as_py().split("\n")[at]
    assert tags == "ORGANIZATION-B ORGANIZATION-B ORGANIZATION-B - - - - -"


def test_tables(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text(TABLE)
    data = read_table(tmp_path / "a.tsv")
    assert data.group_ids.to_pylist() == ["2", "9"]
    assert data.inputs.to_pylist() == ["how big ?", "who ?"]
    assert data.texts.to_pylist() == ["it sells software .", "over 6,000 work there .", "nobody ."]
    assert data.quality.tolist() == [0.0, 1.0, 0.0]
    assert data.features.to_scipy().toarray().ravel().tolist() == [1.0, 0.5, 1.0]


def test_tables_with_names(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text(NAMED)
    data = read_table(tmp_path / "a.tsv")
    assert data.group_ids.to_pylist() == ["Q1"]
    assert data.texts.to_pylist() == ["Ada did .", "Bob ."]
    assert data.quality.tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (PAIRS.replace("<QApairs id='32.1'>\n", ""), r"a\.xml, line 1: expected <QApairs id='…'>, found '<question>'"),
        (PAIRS.replace("</negative>", "</positive>"), r"a\.xml, line 1: the block '32.1' has no end"),
        (
            PAIRS.replace("<negative>", "<neutral>"),
            "line 15: expected <question>, <positive>, <negative> or </QApai",
        ),
        (PAIRS.replace("R&B\t<is>\tmusic\t.", "\t"), "line 15: the negative has no words"),
        (PAIRS.replace("ORGANIZATION-B\t-", "ORGANIZATION-B"), "line 11: there are 7 words and 6 tags of entities"),
        (PAIRS.replace("id='33'", "id='32.1'"), r"the id '32\.1' is that of line 1"),
        (PAIRS.replace("<positive>", "<question>").replace("</positive>", "</question>"), "has a second question"),
        ("<QApairs id='1'>\n</QApairs>\n", "line 1: the block '1' has no question"),
        ("\n \n", "the file is empty"),
    ],
)
def test_pairs_that_are_not_as_they_should_be(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "a.xml").write_text(text)
    with pytest.raises(DataError, match=said):
        read_pairs(tmp_path / "a.xml")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TABLE.replace("9\t0", "9\t2"), r"a\.tsv, line 3: expected the label 0 or 1, found '2'"),
        (TABLE.replace("9\t0\twho ?", "9\t0"), "line 3: expected 4 columns between tabs, found 3"),
        (TABLE + "2\t0\thow big ?\tagain .\n", "line 4: the question '2' comes again after another"),
        (TABLE.replace("2\t1\thow big", "2\t1\thow small"), "line 2: the question '2' has another text on line 1"),
        (TABLE.replace("nobody .", " "), "line 3: the sentence is empty"),
        ("Question\tSentence\tLabel\n", "the file has no questions"),
    ],
)
def test_tables_that_are_not_as_they_should_be(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "a.tsv").write_text(text)
    with pytest.raises(DataError, match=said):
        read_table(tmp_path / "a.tsv")


@pytest.mark.parametrize(
    ("text", "is_pairs", "is_table"),
    [
        (PAIRS, True, False),
        (TABLE, False, True),
        (NAMED, False, False),  # its names fit other tables too
        ("1\t2\t3\t4\n", False, False),
        ("a\tB-NP\n", False, False),
        ("<html>\n", False, False),
        ('{"id": 1}', False, False),
    ],
)
def test_recognition(text: str, is_pairs: bool, is_table: bool) -> None:
    sample = Sample("a.txt", text.encode())
    assert recognise_pairs(sample) is is_pairs
    assert recognise_table(sample) is is_table


@pytest.mark.parametrize(("part", "lists", "clean"), [("train", 94, None), ("dev", 82, 65), ("test", 100, 68)])
def test_trec_qa(shared_data: Path, part: str, lists: int, clean: int | None) -> None:
    # Numbers of questions by Rao, He & Lin (2016), table 2: raw, and with a right and a wrong sentence.
    data = read_pairs(shared_data / f"answers/trecqa.{part}.xml.gz")
    assert len(data) == lists
    if clean is not None:
        pieces = [data.quality[first:last] for first, last in pairwise(data.offsets.tolist())]
        assert sum(0 < piece.sum() < piece.size for piece in pieces) == clean


@pytest.mark.parametrize(("part", "lists"), [("train", 873), ("dev", 126), ("test", 243)])
def test_wiki_qa(shared_data: Path, part: str, lists: int) -> None:
    # Questions with an answer, by Yang, Yih & Meek (2015).
    data = read_table(shared_data / f"answers/wikiqa.{part}.tsv.gz")
    assert len(data) == lists
    assert all(data.quality[first:last].any() for first, last in pairwise(data.offsets.tolist()))
