"""Translators, their models, Moses' tables and alignments, as files that are attacked: what a person does with them."""

from __future__ import annotations

import contextlib
import functools
import tempfile
from pathlib import Path

import numpy as np

import runoff
from runoff import learners
from runoff.learners.featurized import with_featurizer
from runoff.tasks.translation import (
    Translator,
    TranslatorSettings,
    alignment_error,
    load_translator,
    read_alignments,
    read_gold_alignments,
    read_moses_tables,
    train_translator,
    write_phrase_table,
    write_reordering_table,
)
from runoff.tasks.translation.featurizer import TranslationFeaturizer

SOURCE = ["a cat", "the dog", "the cat sleeps", "a dog (old) sees 3,5 cats ."] * 2
TARGET = ["eine Katze", "der Hund", "die Katze schläft", "ein Hund (alt) sieht 3,5 Katzen ."] * 2
LINKS = b"0-0 1-1\n\n0-0 1-1 2-2\n0-0\n"


@functools.cache
def _translators() -> tuple[Translator, Translator]:
    return (
        train_translator(SOURCE, TARGET, TranslatorSettings(order=3)),
        train_translator(SOURCE, TARGET, TranslatorSettings(order=1, reordering=False, truecase=False)),
    )


def _files(*saved: object) -> list[bytes]:
    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        for save in saved:
            save(path)  # type: ignore[operator]
            found.append(path.read_bytes())
    return found


@functools.cache
def translators() -> list[bytes]:
    """One with reordering and one without."""
    return _files(*(each.save for each in _translators()))


def translating(path: Path) -> None:
    """Open a translator, translate, list translations, and write its phrases."""
    translator = load_translator(path)
    translator.translate([*SOURCE[:4], "", "cat cat 東京 dog ￭ sleeps the old"])
    lists = translator.nbest(["the old cat sees a dog"], 30, phrase_pairs=True)
    weights = np.array([translator.weights.get(name, 0.0) for name in lists.features.column_names().to_pylist()])
    if not np.allclose(lists.features.to_scipy() @ weights, lists.base, rtol=1e-3, atol=1e-3):
        raise AssertionError("terms do not add up")
    with contextlib.suppress(runoff.RunoffError):  # a word that a table cannot hold
        write_phrase_table(translator.table, path.with_name("table"))


@functools.cache
def models() -> list[bytes]:
    """Of all families that compare translations with their sources."""
    featurizer = TranslationFeaturizer(families="own,length", min_lists=1)
    made = featurizer.fit_transform(lists(), "bleu")
    return _files(with_featurizer(learners.LogLinear().fit(made).model, featurizer).save)


@functools.cache
def lists() -> runoff.NBest:
    """Lists of translations with their sources."""
    found = _translators()[0].nbest(SOURCE, 4, references=[[text] for text in TARGET])
    return runoff.grade(found, "bleu")


def tables() -> list[bytes]:
    """Phrase tables of both translators."""
    return _files(*(functools.partial(write_phrase_table, each.table) for each in _translators()))


def _reordering() -> bytes:
    return _files(functools.partial(write_reordering_table, _translators()[0].table))[0]


def tabulating(path: Path) -> None:
    """Read a phrase table, and write and read it again; then the same file as a reordering table."""
    table = read_moses_tables(path)
    copy = path.with_name("copy")
    write_phrase_table(table, copy)
    written = sorted(copy.read_bytes().split(b"\n"))
    write_phrase_table(read_moses_tables(copy), copy)  # phrases are numbered anew
    if sorted(copy.read_bytes().split(b"\n")) != written:
        raise AssertionError("another table came back")
    copy.write_bytes(_reordering())
    with contextlib.suppress(runoff.RunoffError):
        read_moses_tables(path, copy)


def linking(path: Path) -> None:
    """Read links, write and read them again, and compare them with themselves."""
    sure, possible = read_gold_alignments(path)
    alignment_error(possible, sure, possible)
    if b"?" in path.read_bytes() or b"p" in path.read_bytes():
        return
    links = read_alignments(path)
    copy = path.with_name("copy")
    links.write(copy)
    if read_alignments(copy).to_pharaoh() != links.to_pharaoh():
        raise AssertionError("other links came back")
