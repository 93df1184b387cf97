"""Annotators: what they find, what they keep, and files that are not theirs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from helpers.annotated_sentences import CHUNKS, ENTITIES, POS
from runoff.errors import DataError, ModelError, UsageError
from runoff.opening.archive import open_archive, write_archive
from runoff.tasks.answers.annotated import AnnotatedSentence, leading_letter, spans_of_tags
from runoff.tasks.answers.annotator import Annotator
from runoff.tasks.answers.annotator_file import load_annotator
from runoff.tasks.tagging.corpus import Column, Corpus
from runoff.tasks.tagging.spans import Span

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "The man said he left."


class Numbers:
    """A tagger of somebody else's, which finds numbers."""

    def label(self, corpus: Corpus) -> Column:
        return Column.of("B-CARDINAL" if word.isdigit() else "O" for word in corpus["word"].texts())


def test_what_training_had_is_found(annotator: Annotator) -> None:
    (found,) = annotator.annotate([TEXT])
    assert found.words == ("The", "man", "said", "he", "left", ".")
    assert found.pos == POS
    assert found.chunks == spans_of_tags(CHUNKS)
    assert found.entities == spans_of_tags(ENTITIES) == (Span(0, 1, 2, "ROLE"),)


def test_words_that_are_given_stay(annotator: Annotator) -> None:
    (found,) = annotator.annotate_words([["The", "man-", "said"]])
    assert found.words == ("The", "man-", "said")


def test_empty_sentences_keep_their_places(annotator: Annotator) -> None:
    assert annotator.annotate([]) == []
    assert annotator.annotate(["", " "]) == [AnnotatedSentence((), ())] * 2
    found = annotator.annotate(["", TEXT, ""])
    assert [len(each) for each in found] == [0, 6, 0]
    assert found[1] == annotator.annotate([TEXT])[0]


def test_blocks_change_nothing(annotator: Annotator, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [TEXT, "A cat knew she walked.", "The boss hoped it slept."] * 3
    together = annotator.annotate(texts)
    monkeypatch.setattr("runoff.tasks.answers.annotator._BLOCK", 2)
    assert annotator.annotate(texts) == together


def test_later_taggers_learn_with_the_tags_of_the_first(columns: dict[str, Corpus]) -> None:
    class Words:
        """Every word has the tag XX."""

        def label(self, corpus: Corpus) -> Column:
            return Column.of(["XX"] * corpus.n_tokens)

    gold = columns["chunks"].with_column("pos", ["YY"] * columns["chunks"].n_tokens)
    annotator = Annotator.train(Words(), gold, columns["entities"])
    features = annotator.chunks.features  # type: ignore[attr-defined]
    values = {text for texts in features.values for text in texts}
    assert "XX" in values
    assert "YY" not in values


def test_a_file_gives_the_same_annotator(annotator: Annotator, tmp_path: Path) -> None:
    annotator.save(tmp_path / "a.runoff")
    texts = [TEXT, "A boss knew it slept."]
    assert load_annotator(tmp_path / "a.runoff").annotate(texts) == annotator.annotate(texts)


def test_a_tagger_of_the_user_is_used_and_must_be_given_again(annotator: Annotator, tmp_path: Path) -> None:
    mixed = Annotator(annotator.pos, annotator.chunks, Numbers())
    (found,) = mixed.annotate(["The man said 5"])
    assert found.entities == (Span(0, 3, 4, "CARDINAL"),)
    mixed.save(tmp_path / "a.runoff")
    without = load_annotator(tmp_path / "a.runoff")
    with pytest.raises(UsageError, match="the entities came from 'Numbers', which no file can hold; give it as entit"):
        without.annotate(["The man said 5"])
    without.save(tmp_path / "b.runoff")
    with pytest.raises(UsageError, match="the entities came from 'Numbers'"):
        load_annotator(tmp_path / "b.runoff").annotate(["The man said 5"])
    assert load_annotator(tmp_path / "a.runoff", entities=Numbers()).annotate(["The man said 5"]) == [found]


def test_a_tagger_may_take_the_place_of_that_in_the_file(annotator: Annotator, tmp_path: Path) -> None:
    annotator.save(tmp_path / "a.runoff")
    (found,) = load_annotator(tmp_path / "a.runoff", entities=Numbers()).annotate(["7 cats"])
    assert found.entities == (Span(0, 0, 1, "CARDINAL"),)


def test_taggers_in_each_others_places(annotator: Annotator, tmp_path: Path) -> None:
    for wrong in (
        Annotator(annotator.chunks, annotator.chunks, annotator.entities),
        Annotator(annotator.pos, annotator.pos, annotator.entities),
    ):
        wrong.save(tmp_path / "a.runoff")
        with pytest.raises(ModelError, match="does not fit an annotator"):
            load_annotator(tmp_path / "a.runoff")


@pytest.mark.parametrize("others", [[], {"pos": 3}, None])
def test_headers_that_are_not_as_they_should_be(annotator: Annotator, tmp_path: Path, others: object) -> None:
    annotator.save(tmp_path / "a.runoff")
    with open_archive(tmp_path / "a.runoff") as archive, write_archive(tmp_path / "b.runoff") as writer:
        writer.add_json("annotator.json", {**archive.json("annotator.json"), "others": others})
    with pytest.raises(ModelError, match=re.escape(f"{tmp_path / 'b.runoff'} is not a Runoff annotator")):
        load_annotator(tmp_path / "b.runoff")


def test_tags_without_types_are_no_chunks(annotator: Annotator) -> None:
    with pytest.raises(DataError, match="expected O or a tag such as B-NP"):
        Annotator(annotator.pos, annotator.pos, annotator.entities).annotate([TEXT])


def test_columns_that_are_missing(columns: dict[str, Corpus]) -> None:
    with pytest.raises(UsageError, match="there is no column 'chunk'"):
        Annotator.train(columns["pos"], columns["pos"], columns["entities"])


def test_parts_of_speech_for_other_words() -> None:
    with pytest.raises(DataError, match="has 2 words and 1 parts of speech"):
        AnnotatedSentence(("a", "b"), ("DT",))


@pytest.mark.parametrize(
    ("tag", "expected"),
    [("PER_DESC-B", "B-PER_DESC"), ("I-NP", "I-NP"), ("B-I", "B-I"), ("-", "O"), ("O", "O"), ("NN", "NN")],
)
def test_letters_before_or_after_types(tag: str, expected: str) -> None:
    assert leading_letter(tag) == expected
