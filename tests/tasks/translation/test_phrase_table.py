"""Look-up in phrase tables, their arrays, and arrays that are not theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from helpers.slow_phrases import Aligned, arrays, corpora
from runoff.errors import ModelError
from runoff.metrics.tokens import tokenised
from runoff.opening.archive import open_archive, write_archive
from runoff.opening.guard import guarded_archive
from runoff.tasks.translation.phrase_table_arrays import (
    add_phrase_table,
    from_arrays,
    read_phrase_table,
    to_arrays,
)
from runoff.tasks.translation.phrase_table_building import build_phrase_table

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.tasks.translation.phrase_table import PhraseTable


def small() -> PhraseTable:
    links = frozenset({(0, 0), (1, 2), (2, 1), (3, 3)})
    pair = Aligned(("la", "maison", "bleue", "dort"), ("the", "blue", "house", "sleeps"), links)
    other = Aligned(("la", "maison", "ä"), ("the", "home", "ß"), frozenset({(0, 0), (1, 1)}))
    return build_phrase_table(*arrays([pair, other]))


@settings(deadline=None)
@given(corpora, st.lists(st.sampled_from("abcx"), max_size=12))
def test_look_up_is_that_of_a_dictionary(corpus: list[Aligned], sentence: list[str]) -> None:
    table = build_phrase_table(*arrays(corpus))
    words = table.source_words.to_pylist()
    numbers = {
        tuple(words[at] for at in table.phrase_words[table.phrase_offsets[p] : table.phrase_offsets[p + 1]]): p
        for p in range(len(table))
    }
    spans = [(start, end) for start in range(len(sentence)) for end in range(start + 1, len(sentence) + 1)]
    expected = [
        (start, end, numbers[tuple(sentence[start:end])])
        for start, end in spans
        if tuple(sentence[start:end]) in numbers
    ]
    known = table.source_numbers(tokenised([" ".join(sentence)], str.split))
    assert [words[at] if at >= 0 else "x" for at in known.tolist()] == [
        word if word in words else "x" for word in sentence
    ]
    assert [tuple(row) for row in table.phrases_in(known).tolist()] == expected


def test_options_for_people() -> None:
    options = small().options(["maison", "bleue"])
    assert [option.target for option in options] == [("blue", "house")]
    assert options[0].links == ((1, 0), (0, 1))
    assert options[0].counts == (1, 1, 1)
    # One occurrence, after a monotone word and before one: (1 + 0.5) / (1 + 1.5).
    assert options[0].reordering["previous-monotone"] == pytest.approx(0.6)
    assert options[0].scores["direct-lexical"] == pytest.approx(0.5)  # maison is house or home, bleue is blue
    assert small().options(["maison", "dort"]) == small().options(["unknown"]) == small().options([]) == []


@settings(deadline=None)
@given(corpora)
def test_arrays_give_the_same_table(corpus: list[Aligned]) -> None:
    table = build_phrase_table(*arrays(corpus), reordering="none")
    again = from_arrays(to_arrays(table))
    assert again.reordering is None
    assert again.source_words.equals(table.source_words)
    assert all(np.array_equal(array, to_arrays(table)[name]) for name, array in to_arrays(again).items())


@pytest.mark.parametrize("compressed", [False, True])
def test_a_table_in_an_archive(tmp_path: Path, compressed: bool) -> None:
    table = small()
    with write_archive(tmp_path / "a", compressed=compressed) as out:
        add_phrase_table(table, out.folder("phrases"))
    with open_archive(tmp_path / "a") as found:
        again = read_phrase_table(found.folder("phrases"))
    assert again.options(["la"]) == table.options(["la"])
    numbers = [array for array in vars(again).values() if isinstance(array, np.ndarray)]
    assert len(numbers) == 10
    assert not any(array.flags.writeable for array in numbers)


CHANGES = {
    "option_offsets": lambda a: a.__setitem__(1, 99),
    "phrase_offsets": lambda a: a.__setitem__(1, 0),
    "phrase_words": lambda a: a.__setitem__(0, 7),
    "target_offsets": lambda a: a.__setitem__(-1, 10**12),
    "target_ids": lambda a: a.__setitem__(2, -1),
    "scores": lambda a: a.__setitem__((1, 3), np.nan),
    "reordering": lambda a: a.__setitem__((0, 0), 0.5),
    "link_offsets": lambda a: a.__setitem__(2, -5),
    "links": lambda a: a.__setitem__((0, 0), 200),
    "counts": lambda a: a.__setitem__((0, 0), -1),
    "source_words": lambda a: a.__setitem__(0, 255),
    "source_words_offsets": lambda a: a.__setitem__(1, 10**15),
    "target_words_offsets": lambda a: a.__setitem__(0, -1),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_number_that_cannot_be_is_found(name: str) -> None:
    changed = {each: array.copy() for each, array in to_arrays(small()).items()}
    CHANGES[name](changed[name])
    with pytest.raises(ModelError, match=rf"the array {name.removesuffix('_offsets')}"):
        from_arrays(changed)


@pytest.mark.parametrize("name", sorted(to_arrays(small())))
@pytest.mark.parametrize(
    "change",
    [
        lambda a: a[:-1],
        lambda a: a.astype(np.float64 if a.dtype != np.float32 else np.int64),
        lambda a: a[None],
        lambda a: a.reshape(-1)[0],
        lambda a: a[:0],
        lambda a: np.asfortranarray(np.repeat(a, 2).reshape(-1, 2)),
    ],
    ids=["shorter", "another type", "more dimensions", "a number", "empty", "by columns"],
)
def test_an_array_of_another_shape_or_type_is_found(name: str, change) -> None:
    changed = to_arrays(small())
    changed[name] = np.asarray(change(changed[name]))
    with pytest.raises(ModelError):
        from_arrays(changed)


def test_arrays_that_are_missing_or_unknown() -> None:
    arrays_ = to_arrays(small())
    for name in sorted(arrays_.keys() - {"reordering"}):
        with pytest.raises(ModelError, match=f"the array {name} of the phrase table is missing"):
            from_arrays({each: array for each, array in arrays_.items() if each != name})
    with pytest.raises(ModelError, match="has no array weights"):
        from_arrays(arrays_ | {"weights": np.zeros(1)})


def test_what_is_not_in_order_is_found() -> None:
    whole = to_arrays(small())
    words = whole["source_words_offsets"][:3]
    one, two = (bytes(whole["source_words"][words[at] : words[at + 1]]) for at in (0, 1))
    twice = np.frombuffer(one + one, np.uint8)
    same = np.array([0, len(one), 2 * len(one)])
    changed = whole | {"source_words": np.append(twice, whole["source_words"][words[2] :])}
    changed["source_words_offsets"] = np.append(same, whole["source_words_offsets"][3:] + len(one) - len(two))
    with pytest.raises(ModelError, match="source_words has a word twice"):
        from_arrays(changed)
    scores = whole["scores"].copy()
    la = slice(*whole["option_offsets"][:2])
    assert len(scores[la]) == 1  # "la" is always "the"
    maison = next(at for at in range(1, 9) if np.diff(whole["option_offsets"])[at] == 2)
    start = whole["option_offsets"][maison]
    scores[start, 2] -= 1
    with pytest.raises(ModelError, match="options of a phrase are not all different and in order"):
        from_arrays(whole | {"scores": scores})
    phrases = whole["phrase_words"].copy()
    phrases[0] = 1
    with pytest.raises(ModelError, match="phrases are not all different and in order"):
        from_arrays(whole | {"phrase_words": phrases})
    links = whole["links"].copy()
    at = whole["link_offsets"][np.argmax(np.diff(whole["link_offsets"]) == 2)]
    links[at : at + 2] = links[at : at + 2][::-1].copy()
    with pytest.raises(ModelError, match="the array links is not in order"):
        from_arrays(whole | {"links": links})


ARRAYS = to_arrays(small())


@settings(deadline=None, max_examples=200)
@given(st.sampled_from(sorted(ARRAYS)), st.integers(0, 10**6), st.integers(0, 255))
@example("links", 0, 1)
def test_any_changed_byte_gives_a_table_that_can_be_used_or_an_error(name: str, at: int, byte: int) -> None:
    changed = dict(ARRAYS)
    content = bytearray(changed[name].tobytes())
    content[at % len(content)] = byte
    changed[name] = np.frombuffer(bytes(content), changed[name].dtype).reshape(changed[name].shape)
    try:
        table = from_arrays(changed)
    except ModelError:
        return
    words = np.arange(len(table.source_words), dtype=np.int32)
    for _, _, phrase in table.phrases_in(words).tolist():
        first, end = table.phrase_offsets[phrase : phrase + 2]
        assert table.options(table.source_words.take(table.phrase_words[first:end]).to_pylist())


@settings(deadline=None, max_examples=100)
@given(at=st.integers(0, 10**6), byte=st.integers(0, 255))
def test_any_changed_byte_of_a_file(tmp_path_factory: pytest.TempPathFactory, at: int, byte: int) -> None:
    path = tmp_path_factory.mktemp("tables") / "a"
    with write_archive(path, compressed=False) as out:
        add_phrase_table(small(), out)
    content = bytearray(path.read_bytes())
    content[at % len(content)] = byte
    path.write_bytes(content)
    try:
        with guarded_archive(path, "phrase table") as archive:
            table = read_phrase_table(archive)
    except ModelError:
        return
    assert table.options(["la"]) == small().options(["la"])  # a byte that says nothing about the content
