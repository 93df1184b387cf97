"""MQM ratings; the weights are those of Freitag et al. (2021), the scores of real data those that WMT published."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from runoff.errors import DataError
from runoff.formats import read, recognise
from runoff.formats.streams import read_all

if TYPE_CHECKING:
    from pathlib import Path

HEADER = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
ROWS = (
    "A\tnews\t1\t1\tr1\tja\t<v>yes</v> .\tAccuracy/Mistranslation\tMajor\n"
    "A\tnews\t1\t1\tr1\tja\tyes <v>.</v>\tFluency/Punctuation\tMinor\n"
    "A\tnews\t1\t1\tr2\tja\tyes .\tNo-error\tNo-error\n"
    "B\tnews\t1\t1\tr1\tja\t<v>no .</v>\tNon-translation!\tMajor\n"
    "B\tnews\t1\t1\tr1\t<v>ja</v>\tno .\tSource error\tMajor\n"
    "C\tnews\t1\t1\tr1\tja\tyeah .\tStyle/Awkward\tMinor\n"
    "C\tnews\t1\t1\tr1\tja\tyeah .\tFluency/Register\tNeutral\n"
)


def test_weights_and_raters(tmp_path: Path) -> None:
    (tmp_path / "mqm.tsv").write_text(HEADER + ROWS)
    data = read(tmp_path / "mqm.tsv")
    assert data.candidate_ids.to_pylist() == ["A", "B", "C"]
    assert data.texts.to_pylist() == ["yes .", "no .", "yeah ."]
    assert data.quality.tolist() == pytest.approx([-(5 + 0.1 + 0) / 2, -25, -1])
    assert data.inputs.to_pylist() == ["ja"]
    assert data.attributes["doc"].to_pylist() == ["news"]
    assert (data.metric, data.base, data.references) == ("quality", None, None)


def test_other_names_of_columns_and_segments_of_several_documents(tmp_path: Path) -> None:
    header = HEADER.replace("doc_id\tseg_id", "docSegId\tglobalSegId")
    (tmp_path / "mqm.tsv").write_text(header + ROWS)
    assert recognise(tmp_path / "mqm.tsv").name == "mqm"
    (tmp_path / "mqm.tsv").write_text(HEADER + ROWS + ROWS.replace("news", "talk"))
    assert read(tmp_path / "mqm.tsv").group_ids.to_pylist() == ["news:1", "talk:1"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (HEADER + ROWS + "A\tnews\n", "line 9: expected a column 'severity', but the row has only 2"),
        (HEADER + ROWS.replace("Neutral", "Huge"), "line 8: expected a severity such as Major, Minor.*, found 'Huge'"),
        (HEADER + ROWS + ROWS.replace("yeah", "yep"), "line 14: system 'C' has another translation .* on line 7"),
        (HEADER.replace("target", "text") + ROWS, r"line 1: the header lacks the column\(s\) target"),
        (HEADER, "there are no lists in it"),
    ],
)
def test_errors_name_file_and_line(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "mqm.tsv").write_text(content)
    with pytest.raises(DataError, match=message):
        read(tmp_path / "mqm.tsv", "mqm")


def test_real_ratings_give_the_published_scores(shared_data: Path) -> None:
    pairs = [
        (path, path.with_name(path.name.replace(".tsv", ".scores.tsv")))
        for path in shared_data.glob("translation/*mqm.tsv*")
    ]
    if not pairs:
        pytest.skip(f"there are no MQM ratings in {shared_data / 'translation'}")
    for table, scores in pairs:
        rows = [line.split() for line in read_all(scores).decode().splitlines()[1:]]
        published = {(segment, system): float(score) for system, score, segment in rows if score != "None"}
        data = read(table)
        names = [data.group_ids[group].as_py() for group in data.group_of.tolist()]
        compared = 0
        for name, system, quality in zip(names, data.candidate_ids.to_pylist(), data.quality.tolist(), strict=True):
            if (name, system) in published:
                assert quality == pytest.approx(published[name, system], abs=1e-6)
                compared += 1
        assert compared > len(published) / 2
