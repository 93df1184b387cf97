"""Odd sentences and odd parallel text: a translation or a sentence that says what is wrong, never a crash."""

from __future__ import annotations

import gzip
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff.errors import DataError
from runoff.tasks.translation.bitext import read_parallel, read_sentences
from runoff.tasks.translation.joined_tokens import clean
from runoff.tasks.translation.training import train_translator
from runoff.tasks.translation.translator_settings import TranslatorSettings

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.tasks.translation.translator import Translator

Sides = tuple[list[str], list[str]]
ODD = [
    "",
    " \t ",
    ".",
    "￭ ■ ￭x",
    "東京は大きい。",
    "مرحبا بالعالم",
    "กรุงเทพมหานคร",
    "Привет, мир 😀👩‍👩‍👧",
    "e\u0301 \u200b \u2028 \u00a0 \ufeff",
    '<np translation="eine Katze">a cat</np> <zone>the <wall/>bank</zone>',
    "a|factor|ed word ||| [X][Y] &amp; \\n %s {0}",
    "x" * 100_000,
    "a\x00b \x07",
    "-" * 5_000,
]


@pytest.fixture(scope="module")
def quick(translator: Translator) -> Translator:
    return replace(translator, settings=replace(translator.settings, stack=5))


def test_odd_sentences_are_translated(quick: Translator) -> None:
    found = quick.translate(ODD)
    assert len(found) == len(ODD)
    assert found[:3] == ["", "", "."]
    assert not any("\n" in text or "￭" in text for text in found)
    assert found[ODD.index("x" * 100_000)].lower() == "x" * 100_000  # copied
    lists = quick.nbest(ODD, 3)
    assert len(lists) == len(ODD)
    assert (lists.sizes >= 1).all()
    assert np.isfinite(lists.base).all()
    dropped = replace(quick, settings=replace(quick.settings, unknown="drop")).translate(ODD)
    assert dropped[4] == ""


@given(st.text(st.characters(codec="utf-8"), max_size=25))
@settings(deadline=None, max_examples=25)
def test_any_text_is_translated(quick: Translator, text: str) -> None:
    (found,) = quick.translate([text])
    assert bool(found) == bool(clean(text))


def test_a_sentence_of_300_words(quick: Translator, phrases: Sides) -> None:
    text = " ".join(" ".join(phrases[0]).split()[:300])
    lists = quick.nbest([text], 50)
    assert lists.sizes.tolist() == [50]
    assert len(set(lists.texts.to_pylist())) > 40
    assert all(100 < len(each.split()) < 600 for each in lists.texts.to_pylist())


def test_a_stack_of_one_and_more_than_there_is(quick: Translator) -> None:
    narrow = replace(quick, settings=replace(quick.settings, stack=1, pop_limit=1, table_limit=1, distortion_limit=0))
    assert narrow.translate(["The woman sees the tree."])[0]
    (size,) = narrow.nbest(["the tree"], 10**6).sizes.tolist()
    assert 1 <= size < 100


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (["x"], ["y"]),
        (["the same line"] * 50, ["the same line"] * 50),
        (["a b c", "b c d", "d e"], ["a b c", "b c d", "d e"]),
        (["."], ["!"]),
        (["x" * 50_000], ["y" * 50_000]),
        (["東京", "京都"], ["Tokyo", "Kyoto"]),
        (["a" * 3, "", "b"], ["c", "d", ""]),
    ],
)
def test_odd_parallel_text_gives_a_translator(source: list[str], target: list[str]) -> None:
    for aligner in ("hmm", "model1", "diagonal"):
        translator = train_translator(source, target, TranslatorSettings(aligner=aligner, order=3))
        assert translator.translate(source[:1])[0]
        assert (translator.nbest(source[:2], 1000).sizes >= 1).all()


def test_what_cannot_be_learned_from_is_told() -> None:
    for source, target in (([""], [""]), (["a"], [" "]), (["a " * 150], ["b " * 150]), ([], [])):
        with pytest.raises(DataError, match="no sentence pair can be aligned"):
            train_translator(source, target)


def test_odd_files_are_told(tmp_path: Path) -> None:
    good = "".join(f"Line {at}.\n" for at in range(2000)).encode()
    files = {
        "zero": (good + b"\0\n", "zero, line 2001: the file is not text: it has zero bytes."),
        "latin": (b"a\nb\xe9\n", "latin, line 2: the text is not UTF-8"),
        "wide": ("a\n".encode("utf-16"), "the text is UTF-16; convert the file to UTF-8."),
        "empty": (b"", "the file is empty."),
        "cut.gz": (gzip.compress(good)[:-50], "cut.gz: the compressed file ends too early"),
        "bad.gz": (gzip.compress(good)[:100] + b"\xff" * 100, "bad.gz: the compressed file is damaged"),
    }
    for name, (content, message) in files.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(DataError) as told:
            read_sentences(tmp_path / name)
        assert message in str(told.value)
    (tmp_path / "bom").write_bytes(b"\xef\xbb\xbfa\r\n\r\nb c\r\n")
    assert read_sentences(tmp_path / "bom") == ["a", "", "b c"]
    (tmp_path / "few").write_bytes(b"a\n")
    with pytest.raises(DataError, match=r"few: it has 1 line, but .*bom has 3 lines; line i of one"):
        read_parallel(tmp_path / "bom", tmp_path / "few")
