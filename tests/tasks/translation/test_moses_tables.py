"""Moses' text format of phrase and reordering tables, and lines that are not in it."""

from __future__ import annotations

import gzip
import math
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.mutations import mutants
from helpers.slow_phrases import Aligned, arrays, corpora
from runoff.errors import DataError, RunoffError, UsageError
from runoff.tasks.translation import moses_columns, moses_tables
from runoff.tasks.translation.moses_table_reader import read_moses_tables
from runoff.tasks.translation.moses_tables import write_phrase_table, write_reordering_table
from runoff.tasks.translation.phrase_table_arrays import from_arrays, to_arrays
from runoff.tasks.translation.phrase_table_building import build_phrase_table

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.tasks.translation.phrase_table import PhraseTable

# The shape of lines is that of Moses' consolidate (phrase-extract/consolidate-main.cpp): scores, links by target word,
# counts of target, source and pair, sparse scores, properties. The numbers of the first line are those of the manual
# (Training Step 6: Score Phrases); the last line is of a pair without links, as tables from elsewhere have it.
MOSES = """\
in europa ||| in europe ||| 0.829007 0.207955 0.801493 0.492402 ||| 0-0 1-1 ||| 7000 7240 5803 ||| |||
in europa ||| europe ||| 8.67487e-05 3.4606e-06 0.197475 0.44254 ||| 1-0 ||| 64811 7240 10 ||| |||
in ||| in the ||| 0.0251019 0.066211 0.0342506 0.0079563 ||| 0-0 0-1 ||| 47.351 14.124 2.481 ||| |||
europa ||| europe ||| 1 1 1 0 |||  ||| 3 3 3 ||| |||
"""
# As lexical-reordering/reordering_classes.cpp writes it: six times %f and a blank.
REORDERING = """\
in europa ||| in europe ||| 0.600000 0.200000 0.200000 0.777778 0.111111 0.111111 \n\
in europa ||| europe ||| 0.200000 0.200000 0.600000 0.333333 0.333333 0.333333 \n\
in ||| in the ||| 0.992063 0.003968 0.003968 0.991000 0.006000 0.003000 \n\
europa ||| europe ||| 0.428571 0.142857 0.428571 0.714286 0.142857 0.142857 \n\
"""


def written(folder: Path, text: str | bytes, name: str = "table") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def same(one: PhraseTable, other: PhraseTable) -> bool:
    ours, theirs = to_arrays(one), to_arrays(other)
    return ours.keys() == theirs.keys() and all(np.array_equal(ours[name], theirs[name]) for name in ours)


def test_a_table_of_moses(tmp_path: Path) -> None:
    table = read_moses_tables(written(tmp_path, MOSES), written(tmp_path, REORDERING, "reordering"))
    assert table.notes == ()
    assert (len(table), table.n_options) == (3, 4)
    best, second = table.options(["in", "europa"])
    assert (best.target, best.links, best.counts) == (("in", "europe"), ((0, 0), (1, 1)), (5803, 7000, 7240))
    assert list(best.scores.values()) == pytest.approx([0.829007, 0.207955, 0.801493, 0.492402])
    assert list(best.reordering.values()) == pytest.approx([0.6, 0.2, 0.2, 0.777778, 0.111111, 0.111111])
    assert list(second.scores.values()) == pytest.approx([8.67487e-05, 3.4606e-06, 0.197475, 0.44254])
    assert table.options(["in"])[0].links == ((0, 0), (0, 1))
    assert table.options(["in"])[0].counts == pytest.approx((2.481, 47.351, 14.124))
    without = table.options(["europa"])[0]
    assert without.links == ()
    assert np.log(without.scores["direct-lexical"]) == pytest.approx(-100)  # LOWEST_SCORE of Moses
    assert same(from_arrays(to_arrays(table)), table)


def test_what_moses_wrote_is_written_again(tmp_path: Path) -> None:
    tables = written(tmp_path, MOSES), written(tmp_path, REORDERING, "reordering")
    table = read_moses_tables(*tables)
    write_phrase_table(table, tmp_path / "again")
    write_reordering_table(table, tmp_path / "again.reordering")

    zero = f"{math.exp(-100):.6g}"  # what Moses takes 0 for, with as many digits as give the same score again

    def tokens(path: Path) -> list[list[str | float]]:
        return sorted(
            [word if set(word) - set("0123456789.e-") or "-" in word[1:2] else float(word) for word in line.split()]
            for line in path.read_text().replace(" 0 |||", f" {zero} |||").splitlines()
        )

    assert tokens(tmp_path / "again") == tokens(tables[0])
    assert tokens(tmp_path / "again.reordering") == tokens(tables[1])


@settings(deadline=None)
@given(corpora, st.sampled_from(["table", "table.gz", "table.zst"]))
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, corpus: list[Aligned], name: str) -> None:
    table = build_phrase_table(*arrays(corpus))
    if not table.n_options:
        return
    folder = tmp_path_factory.mktemp("tables")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(moses_tables, "_BLOCK", 3)
        patch.setattr(moses_columns, "_BLOCK", 50)
        write_phrase_table(table, folder / name)
        write_reordering_table(table, folder / f"reordering-{name}")
        again = read_moses_tables(folder / name, folder / f"reordering-{name}")
    if name == "table.gz":
        assert gzip.decompress((folder / name).read_bytes()).count(b"\n") == table.n_options
    from_arrays(to_arrays(again))
    phrases = [
        table.source_words.take(pa.array(table.phrase_words[start:end])).to_pylist()
        for start, end in zip(table.phrase_offsets, table.phrase_offsets[1:], strict=False)
    ]
    assert len(again) == len(phrases)
    for phrase in phrases:  # words have other numbers, and so the order of equally probable options is another
        assert sorted(again.options(phrase)) == sorted(table.options(phrase))


def test_every_score_is_printed_with_the_digits_that_it_takes(tmp_path: Path) -> None:
    logs = -np.abs(np.random.default_rng(0).normal(size=(500, 4)).astype(np.float32)) * np.float32([1e-6, 1, 12, 60])
    logs[0] = 0
    table = read_moses_tables(written(tmp_path, "".join(f"a ||| x{at} ||| 1 1 1 1\n" for at in range(500))))
    order = np.lexsort((np.arange(500), -logs[:, 2]))
    changed = from_arrays(to_arrays(table) | {"scores": np.ascontiguousarray(logs[order])})
    write_phrase_table(changed, tmp_path / "again")
    assert np.array_equal(read_moses_tables(tmp_path / "again").scores, changed.scores)


BAD = {
    "la ||| the": "expected source ||| target ||| scores ||| links ||| counts, found 'la ||| the'",
    "": "found ''",
    "||| the ||| 1 1 1 1": "the source phrase has no words",
    "la |||  ||| 1 1 1 1": "the target phrase has no words",
    "la ||| the ||| 1 1 1": "expected 4 or 5 scores, found 3: '1 1 1'",
    "la ||| the ||| 1 1 1 1 0.5": "a phrase penalty of 2.718 as the fifth; found 0.5",
    "la ||| the ||| 1 1 1 one": "expected numbers as scores, found '1 1 1 one'",
    "la ||| the ||| 1 1 1 nan": "expected numbers from 0 up as scores, found '1 1 1 nan'",
    "la ||| the ||| 1 1 1 1e999": "expected numbers from 0 up as scores",
    "la ||| the ||| -2.5 -1 -1 -1": "expected numbers from 0 up as scores",
    "la ||| the ||| 1 1 1 1.5": "expected probabilities from 0 to 1 as scores, found 1.5",
    "la ||| the ||| 1 1 1 1 ||| 0:0": "expected links such as 0-1, found '0:0'",
    "la ||| the ||| 1 1 1 1 ||| 0-1": "the link 0-1 is outside of phrases of 1 and 1 words",
    "la ||| the ||| 1 1 1 1 ||| 999-0": "the link 999-0 is outside",
    "la ||| the ||| 1 1 1 1 ||| 0-0 0-0": "a link is there twice",
    "la ||| the ||| 1 1 1 1 ||| 0-0 ||| 1": "expected 0 or 2 or 3 counts, found 1",
    "la ||| the ||| 1 1 1 1 ||| 0-0 ||| 1 2 -3": "expected numbers from 0 up as counts",
    "la ||| the ||| 1 1 1 1 ||| 0-0 ||| 1 2 1e99": "a count of 1e.99 is too large",
    f"{'la ' * 300}||| the ||| 1 1 1 1": "the source phrase has 300 words, and a phrase may have 255",
}


@pytest.mark.parametrize("line", BAD, ids=[str(at) for at in range(len(BAD))])
@pytest.mark.parametrize("before", [0, 1, 700])
def test_a_malformed_line_is_named(tmp_path: Path, line: str, before: int) -> None:
    good = [f"a ||| x{at} ||| 0.5 0.5 0.5 0.5 ||| 0-0 ||| 1 1 1" for at in range(before)]
    path = written(tmp_path, "\n".join([*good, line, "b ||| y ||| 1 1 1 1", line, ""]))
    says = BAD[line].replace("|", r"\|").replace("(", r"\(")
    with pytest.raises(DataError, match=rf"table, line {before + 1}: .*{says}"):
        read_moses_tables(path)


@pytest.mark.parametrize("line", ["a ||| b ||| 1 0 0 1 0", "a ||| b ||| 1 0 0 1 0 0 0", "a ||| b ||| 2 0 0 1 0 0"])
def test_a_malformed_line_of_a_reordering_table_is_named(tmp_path: Path, line: str) -> None:
    paths = written(tmp_path, MOSES), written(tmp_path, REORDERING + line, "reordering")
    with pytest.raises(DataError, match="reordering, line 5: expected"):
        read_moses_tables(*paths)


def test_other_mistakes_are_sentences(tmp_path: Path) -> None:
    twice = written(tmp_path, MOSES + "in ||| in the ||| 1 1 1 1\n")
    with pytest.raises(DataError, match=r"table, line 5: 'in \|\|\| in the' is there a second time"):
        read_moses_tables(twice)
    with pytest.raises(DataError, match="table, line 2: the text is not UTF-8"):
        read_moses_tables(written(tmp_path, b"a ||| b ||| 1 1 1 1\n\xff ||| b ||| 1 1 1 1\n"))
    with pytest.raises(DataError, match="the file is empty"):
        read_moses_tables(written(tmp_path, ""))
    with pytest.raises(DataError, match="cannot be read: no such file"):
        read_moses_tables(tmp_path / "nowhere")
    table = written(tmp_path, MOSES)
    with pytest.raises(DataError, match=r"reordering: 1 pair of the phrase table .* 'in \|\|\| in the'"):
        read_moses_tables(table, written(tmp_path, REORDERING.replace("in |||", "inn |||"), "reordering"))
    with pytest.raises(DataError, match="reordering: the file is empty"):
        read_moses_tables(table, written(tmp_path, "", "reordering"))


def test_what_is_not_used_is_noted(tmp_path: Path) -> None:
    table = written(tmp_path, MOSES.replace("5803 ||| |||", "5803 ||| cb_1 1 ||| {{Tree x}}"))
    more = "x ||| y ||| 1 0 0 1 0 0\nw ||| y ||| 1 0 0 1 0 0\n"
    found = read_moses_tables(table, written(tmp_path, REORDERING + more, "reordering"))
    assert [note.partition(": ")[2] for note in found.notes] == [
        "1 line with sparse scores or properties, which are not used.",
        "2 pairs that the phrase table does not have.",
    ]


def test_tables_of_other_times_and_systems(tmp_path: Path) -> None:
    """A phrase penalty, no links or counts, line ends of Windows, a byte-order mark, no line end, other blanks."""
    text = "\ufeffla ||| the ||| 0.5 1 1 1 2.718\r\nle\t|||  the  ||| 0.25 1 1 1 ||| 0-0 ||| 3 4"
    table = read_moses_tables(written(tmp_path, text))
    assert table.source_words.to_pylist() == ["la", "le"]
    assert [table.options([word])[0].counts for word in ("la", "le")] == [(0, 0, 0), (0, 3, 4)]
    # Logarithms are kept in single precision.
    assert table.options(["la"])[0].scores["inverse"] == pytest.approx(0.5, rel=1e-7)


def test_words_that_a_file_cannot_represent(tmp_path: Path) -> None:
    table = to_arrays(read_moses_tables(written(tmp_path, "ab ||| xyz ||| 1 1 1 1")))
    for name, word in (("source_words", b"a "), ("target_words", b"|||")):
        odd = from_arrays(table | {name: np.frombuffer(word, np.uint8)})
        with pytest.raises(UsageError, match="which a file of Moses cannot represent"):
            write_phrase_table(odd, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    with pytest.raises(UsageError, match="has no orientations"):
        write_reordering_table(from_arrays(table), tmp_path / "out")


def test_mutated_files_give_a_table_or_a_sentence(tmp_path: Path) -> None:
    tokens = [
        b"|||",
        b" ||| ",
        b"0-0",
        b"1e-5",
        b"-1",
        b"nan",
        b"\n",
        b"\r",
        b"\0",
        b"\xc3",
        "\u2028".encode(),
        b"2.718",
    ]
    used = 0
    for content in mutants([MOSES.encode(), MOSES.encode().splitlines()[0]], 400, 1, tokens):
        try:
            table = read_moses_tables(written(tmp_path, content))
        except RunoffError as error:
            assert str(error).startswith(f"{tmp_path}/table")  # noqa: PT017
            continue
        used += 1
        assert same(from_arrays(to_arrays(table)), table)
        write_phrase_table(table, tmp_path / "again")
        again = read_moses_tables(tmp_path / "again")
        assert np.array_equal(np.sort(again.scores, axis=0), np.sort(table.scores, axis=0))
    assert used > 20
    for content in mutants([REORDERING.encode()], 100, 2, tokens):
        paths = written(tmp_path, MOSES), written(tmp_path, content, "reordering")
        try:
            table = read_moses_tables(*paths)
        except RunoffError:
            continue
        from_arrays(to_arrays(table))


@settings(deadline=None)
@given(st.lists(st.text(alphabet="ab |0-.9\n", max_size=30), max_size=6))
def test_any_text_gives_a_table_or_a_sentence(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    text = "\n".join([*lines, "a ||| b ||| 1 1 1 1"])
    try:
        table = read_moses_tables(written(tmp_path_factory.mktemp("texts"), text))
    except DataError as error:
        assert error.line is not None  # noqa: PT017
        return
    from_arrays(to_arrays(table))
