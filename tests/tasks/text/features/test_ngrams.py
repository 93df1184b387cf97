"""N-grams against counting them the plain way, with `Counter`."""

from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff import NBest
from runoff.errors import ModelError, UsageError
from runoff.tasks.text.distinct_texts import DistinctTexts
from runoff.tasks.text.features import ngram_units
from runoff.tasks.text.features.ngrams import NgramVocabulary, fit_vocabulary, ngram_features

WORDS = st.sampled_from(["a", "b", "cat", "_", "a_b", "\\", "x\x00", "😀", "日本", "é", "e\u0301", " ", "\u3000", "\n"])
TEXT = st.lists(WORDS, max_size=7).map(" ".join) | st.text(max_size=8)
LISTS = st.lists(st.lists(TEXT, max_size=5), min_size=1, max_size=5)


def lists_of(groups: Sequence[Sequence[str]]) -> DistinctTexts:
    texts = [text for group in groups for text in group]
    return DistinctTexts.of(NBest.from_arrays(texts=texts, sizes=[len(group) for group in groups]))


def plain_names(lists: DistinctTexts, row: int, kind: str, orders: Sequence[int]) -> Counter[str]:
    """N-grams of one text by the names of their columns."""
    if kind == "words":
        words = lists.words.of(row)
        return Counter(f"word:{' '.join(words[at : at + n])}" for n in orders for at in range(len(words) - n + 1))
    text = " ".join(lists.texts[row].as_py().split())
    text = f" {text} " if text else " "
    shown = [{" ": "_", "_": "\\_", "\\": "\\\\"}.get(character, character) for character in text]
    return Counter(f"char:{''.join(shown[at : at + n])}" for n in orders for at in range(len(shown) - n + 1))


def plain_features(lists: DistinctTexts, kind: str, orders: Sequence[int]) -> list[dict[str, int]]:
    """Counts of every text, without n-grams that all texts of its list have equally often."""
    rows: list[dict[str, int]] = []
    for at in range(len(lists)):
        counts = [plain_names(lists, row, kind, orders) for row in range(lists.offsets[at], lists.offsets[at + 1])]
        telling = {name for each in counts for name in each if len({other[name] for other in counts}) > 1}
        rows += [{name: count for name, count in each.items() if name in telling} for each in counts]
    return rows


def by_name(lists: DistinctTexts, vocabulary: NgramVocabulary) -> list[dict[str, float]]:
    features = ngram_features(lists, vocabulary).check()
    names = vocabulary.names.to_pylist()
    assert features.values is not None
    out = []
    for start, stop in zip(features.indptr[:-1], features.indptr[1:], strict=True):
        columns = features.indices[start:stop]
        assert np.all(columns[1:] > columns[:-1])
        out.append({names[c]: float(v) for c, v in zip(columns, features.values[start:stop], strict=True)})
    return out


@settings(deadline=None)
@given(LISTS, st.sampled_from(["words", "characters"]), st.sets(st.integers(1, 5), min_size=1, max_size=3))
def test_columns_and_counts_are_those_of_counting_plainly(groups, kind, orders) -> None:
    lists = lists_of(groups)
    plain = plain_features(lists, kind, sorted(orders))
    vocabulary = fit_vocabulary(lists, kind, tuple(orders), min_lists=1)
    assert set(vocabulary.names.to_pylist()) == {name for row in plain for name in row}
    assert by_name(lists, vocabulary) == plain


@settings(deadline=None)
@given(LISTS, st.sampled_from(["words", "characters"]), st.integers(1, 3), st.integers(1, 12))
def test_the_cut_keeps_those_of_the_most_lists_then_the_first_by_spelling(
    groups, kind, min_lists, max_features
) -> None:
    lists = lists_of(groups)
    orders = (1, 2) if kind == "words" else (3, 4)
    plain = plain_features(lists, kind, orders)
    found = Counter(
        name
        for at in range(len(lists))
        for name in {name for row in plain[lists.offsets[at] : lists.offsets[at + 1]] for name in row}
    )
    spelled = {}
    for name in found:
        ngram = name.partition(":")[2]
        # The spelling before `_` was put for a blank: two signs after a backslash are one.
        units = ngram.split(" ") if kind == "words" else list(_unescaped(ngram))
        spelled[name] = [unit.encode() for unit in units]
    enough = [name for name in found if found[name] >= min_lists]
    expected = sorted(enough, key=lambda name: (-found[name], spelled[name]))[:max_features]
    vocabulary = fit_vocabulary(lists, kind, min_lists=min_lists, max_features=max_features)
    assert sorted(vocabulary.names.to_pylist()) == sorted(expected)
    assert np.all(vocabulary.keys[1:] > vocabulary.keys[:-1])


def _unescaped(ngram: str) -> str:
    out, at = "", 0
    while at < len(ngram):
        escaped = ngram[at] == "\\"
        out += ngram[at + 1] if escaped else ngram[at].replace("_", " ")
        at += 1 + escaped
    return out


@pytest.mark.parametrize("kind", ["words", "characters"])
def test_other_data_finds_the_columns_that_were_learned(kind) -> None:
    learned = lists_of([["a cat sat", "the cat sat"], ["a dog", "the dog ran"]])
    # Other words before and between, so that words have other numbers.
    other = lists_of([["zebras and the emu", "xylophones and a cat 😀"]])
    vocabulary = fit_vocabulary(learned, kind, min_lists=1)
    known = set(vocabulary.names.to_pylist())
    expected = [
        {name: count for name, count in row.items() if name in known}
        for row in plain_features(other, kind, vocabulary.orders)
    ]
    assert any(expected)
    assert by_name(other, vocabulary) == expected


@settings(deadline=None)
@given(LISTS, st.sampled_from(["words", "characters"]))
def test_hashed_columns_have_the_sums_of_what_they_share(groups, kind) -> None:
    lists = lists_of(groups)
    plain = plain_features(lists, kind, (1, 2))
    named = fit_vocabulary(lists, kind, (1, 2), min_lists=1)
    column = {name: f"{name[:4]}#{int(key) % 8}" for name, key in zip(named.names.to_pylist(), named.keys, strict=True)}
    expected: list[Counter[str]] = [Counter() for _ in plain]
    for sums, row in zip(expected, plain, strict=True):
        for name, count in row.items():
            sums[column[name]] += count
    assert by_name(lists, fit_vocabulary(lists, kind, (1, 2), hashed=8)) == expected


@pytest.mark.parametrize("kind", ["words", "characters"])
def test_nothing_distinguishes_one_text_or_copies_of_it(kind) -> None:
    lists = lists_of([["a cat"], ["a dog", "a dog"], [], [""]])
    assert len(fit_vocabulary(lists, kind, min_lists=1)) == 0
    assert ngram_features(lists, NgramVocabulary.by_hash(kind)).n_stored == 0
    assert ngram_features(lists_of([[]]), NgramVocabulary.by_hash(kind)).shape == (0, 1 << 18)


def test_characters_know_where_words_and_texts_end() -> None:
    lists = lists_of([["\u2003 ab\r\n\tc ", "ab_c"]])
    assert set(fit_vocabulary(lists, "characters", (3,), min_lists=1).names.to_pylist()) == {
        *("char:ab_", "char:b_c", "char:_c_"),
        *("char:ab\\_", "char:b\\_c", "char:\\_c_"),
    }


def test_a_very_long_text_and_slices_of_the_data() -> None:
    long = " ".join(f"w{number % 7000}" for number in range(20_000))
    data = NBest.from_arrays(texts=["x", "y", long, "w1 w2 w1", "w3"], sizes=[2, 2, 1])
    lists = DistinctTexts.of(data[1:])
    for kind in ("words", "characters"):
        plain = plain_features(lists, kind, (1, 2))
        assert by_name(lists, fit_vocabulary(lists, kind, (1, 2), min_lists=1)) == plain


def test_results_do_not_depend_on_the_threads(monkeypatch) -> None:
    rng = np.random.default_rng(3)
    monkeypatch.setattr(ngram_units, "_UNITS_PER_PIECE", 1 << 12)
    groups = [[" ".join(rng.choice(list("abcdefgh"), 30)) for _ in range(10)] for _ in range(100)]
    lists, found = lists_of(groups), []
    for threads in ("1", "3"):
        monkeypatch.setenv("RUNOFF_THREADS", threads)
        vocabulary = fit_vocabulary(lists, max_features=50)
        found.append((vocabulary.names.to_pylist(), ngram_features(lists, vocabulary).to_scipy().toarray()))
    assert found[0][0] == found[1][0]
    assert len(found[0][0]) == 50
    assert np.array_equal(found[0][1], found[1][1])


@pytest.mark.parametrize("kind", ["words", "characters"])
def test_a_vocabulary_survives_as_arrays(kind) -> None:
    lists = lists_of([["a 😀 cat", "the _ dog"], ["x\x00", "y"]])
    for vocabulary in (fit_vocabulary(lists, kind, min_lists=1), NgramVocabulary.by_hash(kind, (2, 3), 16)):
        again = NgramVocabulary.from_arrays(vocabulary.to_arrays())
        assert (again.kind, again.orders, again.hashed) == (vocabulary.kind, vocabulary.orders, vocabulary.hashed)
        assert again.names.equals(vocabulary.names)
        assert by_name(lists, again) == by_name(lists, vocabulary)


DAMAGES = {
    "no names": lambda arrays: arrays.pop("letters"),
    "other type": lambda arrays: arrays.update(keys=arrays["keys"].astype(np.int64)),
    "two dimensions": lambda arrays: arrays.update(ends=arrays["ends"][None]),
    "no shape": lambda arrays: arrays.update(shape=arrays["shape"][:1]),
    "unknown kind": lambda arrays: arrays["shape"].__setitem__(0, 2),
    "negative kind": lambda arrays: arrays["shape"].__setitem__(0, -1),
    "order 0": lambda arrays: arrays["shape"].__setitem__(2, 0),
    "order 99": lambda arrays: arrays["shape"].__setitem__(2, 99),
    "hashed, with names": lambda arrays: arrays["shape"].__setitem__(1, 4),
    "keys fall": lambda arrays: arrays.update(keys=arrays["keys"][::-1]),
    "a key twice": lambda arrays: arrays["keys"].__setitem__(1, arrays["keys"][0]),
    "a key too many": lambda arrays: arrays.update(keys=np.append(arrays["keys"], np.uint64(2**64 - 1))),
    "ends fall": lambda arrays: arrays["ends"].__setitem__(1, 10**6),
    "ends below zero": lambda arrays: arrays["ends"].__setitem__(0, -4),
    "not UTF-8": lambda arrays: arrays["letters"].__setitem__(6, 0xFF),
    "no prefix": lambda arrays: arrays["letters"].__setitem__(0, ord("x")),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_vocabulary_is_refused(damage) -> None:
    arrays = fit_vocabulary(lists_of([["a cat", "the dog"]]), min_lists=1).to_arrays()
    NgramVocabulary.from_arrays(arrays)
    damage(arrays)
    with pytest.raises(ModelError, match="n-grams is damaged"):
        NgramVocabulary.from_arrays(arrays)


def test_names_that_are_the_same_are_refused() -> None:
    arrays = fit_vocabulary(lists_of([["a", "b"]]), min_lists=1).to_arrays()
    arrays["letters"][:] = np.frombuffer(b"word:aword:a", np.uint8)
    with pytest.raises(ModelError, match="must be unique"):
        NgramVocabulary.from_arrays(arrays)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "letters"}, "'words' or 'characters'; found 'letters'"),
        ({"orders": ()}, "from 1 to 8"),
        ({"orders": (0, 1)}, "from 1 to 8"),
        ({"orders": (9,)}, "from 1 to 8"),
        ({"min_lists": 0}, "min_lists must be"),
        ({"max_features": 0}, "max_features must be"),
        ({"hashed": 100}, "power of two"),
        ({"hashed": -4}, "power of two"),
    ],
)
def test_options_that_make_no_sense_are_said(options, message) -> None:
    with pytest.raises(UsageError, match=message):
        fit_vocabulary(lists_of([["a"]]), **options)


def plain_key(units: Sequence[int]) -> int:
    """The hash in whole numbers: the last steps of SplitMix64 over the units, one after the other."""
    key = 0
    for unit in units:
        key = (key * 0x9E3779B97F4A7C15 + unit) % 2**64
        key = (key ^ key >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        key = (key ^ key >> 27) * 0x94D049BB133111EB % 2**64
        key ^= key >> 31
    return key


def test_the_keys_stay_what_they_are() -> None:
    """Models keep keys, so with another hash they would find nothing any more."""
    lists = lists_of([["a cät", "b"]])
    words = fit_vocabulary(lists, "words", (1, 2), min_lists=1)
    for name, key in zip(words.names.to_pylist(), words.keys.tolist(), strict=True):
        digests = [blake2b(word.encode(), digest_size=8).digest() for word in name[5:].split(" ")]
        assert key == plain_key([int.from_bytes(digest, "little") for digest in digests])
    characters = fit_vocabulary(lists, "characters", (1, 2), min_lists=1)
    for name, key in zip(characters.names.to_pylist(), characters.keys.tolist(), strict=True):
        points = [ord(character) for character in name[5:].replace("_", " ")]
        assert key == plain_key([(point + 1) * 0x9E3779B97F4A7C15 for point in points])
    assert len(words) == 4
    # The first number was made by the first version.
    assert dict(zip(words.names.to_pylist(), words.keys.tolist(), strict=True))["word:a"] == 10600591454142951214


def test_names_are_texts_of_arrow() -> None:
    assert fit_vocabulary(lists_of([["a", "b"]]), min_lists=1).names.type == pa.large_string()
