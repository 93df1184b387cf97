"""Folds and parts of treebanks: whole documents, of the sizes that were asked for, the same every time."""

from __future__ import annotations

import itertools
import json
from collections import Counter

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from runoff.cli import main
from runoff.errors import UsageError
from runoff.tasks.parsing.brackets import parse_tree
from runoff.tasks.parsing.folds import folds_of, split
from runoff.tasks.parsing.treebank import Sentence, Treebank


def bank_of(sizes: dict[str, int], fold: dict[str, int] | None = None) -> Treebank:
    """Documents of so many words, in sentences of at most three that take turns."""
    pieces = [(start, name, min(3, size - start)) for name, size in sizes.items() for start in range(0, size, 3)]
    return Treebank(
        Sentence(f"{name}.{start}", name, parse_tree(f"(TOP (NP {'(NN x)' * words}))"), fold and fold.get(name))
        for start, name, words in sorted(pieces)
    )


def words_of_folds(bank: Treebank, folds: list[int]) -> Counter[int]:
    words: Counter[int] = Counter()
    for sentence, fold in zip(bank, folds, strict=True):
        words[fold] += sentence.tree.end
    return words


SIZES = st.lists(st.integers(1, 30), min_size=3, max_size=7).map(
    lambda sizes: dict(zip("abcdefg", sizes, strict=False))
)


@given(SIZES, st.integers(2, 3))
def test_folds_are_of_whole_documents_and_nearly_as_even_as_can_be(sizes, k):
    bank = bank_of(sizes)
    folds = folds_of(bank, k)
    assert len({(sentence.document, fold) for sentence, fold in zip(bank, folds, strict=True)}) == len(sizes)
    words = words_of_folds(bank, folds)
    assert sorted(words) == list(range(k))
    # Graham (1969): longest first is never more than 4/3 - 1/(3k) times the best, which is found here by trying all.
    best = min(
        max(sum(size for size, at in zip(sizes.values(), way, strict=True) if at == fold) for fold in range(k))
        for way in itertools.product(range(k), repeat=len(sizes))
    )
    assert max(words.values()) <= (4 / 3 - 1 / (3 * k)) * best + 1e-9


@given(SIZES, st.randoms())
def test_the_order_of_documents_does_not_matter(sizes, random):
    bank = bank_of(sizes)
    shuffled = list(bank)
    random.shuffle(shuffled)
    of = {sentence.id: fold for sentence, fold in zip(bank, folds_of(bank, 2), strict=True)}
    assert folds_of(Treebank(shuffled), 2) == [of[sentence.id] for sentence in shuffled]


def test_folds_that_came_with_the_sentences():
    bank = bank_of({"a": 3, "b": 4, "c": 1}, {"a": 5, "b": 0, "c": 5})
    assert [(sentence.document, fold) for sentence, fold in zip(bank, folds_of(bank), strict=True)] == [
        ("a", 5),
        ("b", 0),
        ("c", 5),
        ("b", 0),
    ]
    assert max(folds_of(bank, 3)) == 2


@pytest.mark.parametrize(
    ("sizes", "given_folds", "k", "wrong"),
    [
        ({"a": 2, "b": 2, "c": 2}, None, 4, "expected 2 to 3 folds, because .* there are 3 documents; found 4"),
        ({"a": 2, "b": 2, "c": 2}, None, 1, "expected 2 to 3 folds, .*; found 1"),
        ({"a": 6}, None, 2, r"there are fewer than two: Treebank\(2 sentences, 1 document, 6 words\)"),
        ({"a": 2, "b": 2}, {"a": 1}, None, "1 of 2 sentences have no fold; give the number of folds"),
        ({"a": 2, "b": 2}, {"a": 1, "b": -1}, None, "1 of 2 sentences have no fold"),
        ({"a": 2, "b": 2}, {"a": 1, "b": 1}, None, "all sentences have the same fold"),
    ],
)
def test_folds_that_cannot_be_made(sizes, given_folds, k, wrong):
    with pytest.raises(UsageError, match=wrong):
        folds_of(bank_of(sizes, given_folds), k)


@pytest.mark.parametrize("seed", [0, 7])
def test_documents_of_one_size_are_split_as_groups_are(tmp_path, seed):
    names = [f"d{at:02}" for at in range(40)]
    lists, parts = tmp_path / "lists.jsonl", {name: tmp_path / f"{name}.jsonl" for name in ("train", "dev", "test")}
    lists.write_text("".join(json.dumps({"id": name, "candidates": [{"text": "x"}]}) + "\n" for name in names))
    shares = [f"{parts['train']}=0.7", f"{parts['dev']}=0.1", f"{parts['test']}=0.2"]
    done = CliRunner().invoke(main, ["split", str(lists), *shares, "--seed", str(seed)], catch_exceptions=False)
    assert done.exit_code == 0
    found = split(bank_of(dict.fromkeys(names, 2)), dev=0.1, test=0.2, seed=seed)
    for name, path in parts.items():
        assert found[name].documents() == [json.loads(line)["id"] for line in path.read_text().splitlines()]


@given(SIZES, st.floats(0, 0.45), st.floats(0, 0.45), st.integers(0, 99))
def test_parts_are_of_whole_documents(sizes, dev, test, seed):
    bank = bank_of(sizes)
    parts = split(bank, dev, test, seed)
    assert list(parts) == ["train", "dev", "test"]
    assert sorted(name for part in parts.values() for name in part.documents()) == sorted(sizes)
    assert sum(map(len, parts.values())) == len(bank)
    assert (len(parts["dev"]) > 0, len(parts["test"]) > 0) == (dev > 0, test > 0)
    places = {sentence.id: at for at, sentence in enumerate(bank)}
    for part in parts.values():
        assert [places[each.id] for each in part] == sorted(places[each.id] for each in part)


def test_parts_have_their_shares_of_words():
    # Documents of 1 to 60 words, 1,830 in all: a cut is at most half the longest document from where it should be.
    parts = split(bank_of({f"{at:02}": at for at in range(1, 61)}), dev=0.25, test=0.25, seed=3)
    assert abs(parts["train"].words - 915) <= 30
    assert abs(parts["test"].words - 457.5) <= 30


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        ({"dev": 0.5, "test": 0.5}, "leave something to train on; found 0.5 and 0.5"),
        ({"dev": -0.1}, "found -0.1 and 0.1"),
        ({"test": float("nan")}, "found 0.1 and nan"),
        ({"seed": -1}, "the seed must not be negative; found -1"),
        ({}, r"3 parts of whole documents need at least 3 documents: Treebank\(2 sentences, 2 documents, 4 words\)"),
    ],
)
def test_splits_that_cannot_be_made(options, wrong):
    with pytest.raises(UsageError, match=wrong):
        split(bank_of({"a": 2, "b": 2}), **options)


@pytest.mark.parametrize("seed", range(4))
def test_documents_that_share_a_long_sentence_stay_together(seed: int) -> None:
    trees = {words: parse_tree(f"(TOP (NP {'(NN x)' * words}))") for words in (5, 10, 12)}
    shared = {"a": [10, 5], "b": [12], "c": [10, 12], "d": [5], "e": [5], "f": [5, 5, 5, 5], "g": [5] * 6, "h": [5] * 9}
    bank = Treebank(
        Sentence(f"{name}.{at}", name, trees[words]) for name, sizes in shared.items() for at, words in enumerate(sizes)
    )
    fold_of = {sentence.document: fold for sentence, fold in zip(bank, folds_of(bank, 3), strict=True)}
    assert fold_of["a"] == fold_of["b"] == fold_of["c"]
    assert len({fold_of[name] for name in "defgh"}) > 1  # short ones occur everywhere
    parts = split(bank, dev=0.3, test=0.3, seed=seed).values()
    assert sorted(len(set("abc") & set(part.documents())) for part in parts) == [0, 0, 3]
    with pytest.raises(UsageError, match=r"there are 6 documents \(those that share a sentence of at least 10 words"):
        folds_of(bank, 7)


def test_documents_are_split_where_most_of_them_would_be_one() -> None:
    tree = parse_tree(f"(TOP (NP {'(NN x)' * 10}))")
    bank = Treebank(Sentence(name, name, tree) for name in "abc")
    assert sorted(folds_of(bank, 3)) == [0, 1, 2]
