"""Words of texts as parts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff import tasks
from runoff.combine import load_combiner, train_combiner
from runoff.combine.parts import Part
from runoff.errors import ModelError, UsageError
from runoff.nbest import NBest
from runoff.tasks.text.text_parts import TextParts

TEXT = st.text("aB, -", max_size=12)


@settings(deadline=None)
@given(
    st.lists(TEXT, min_size=1, max_size=4),
    st.sampled_from(["words", "characters"]),
    st.sampled_from([None, "wer[case=lower]", "wer[case=lower,punctuation=dropped]"]),
)
def test_a_text_put_together_again_is_the_same_to_the_metric(texts, tokens, metric) -> None:
    reader = TextParts(tokens, metric)
    for text, parts in zip(texts, reader.split(texts), strict=True):
        assert [part.start for part in parts] == list(range(len(parts)))
        joined = reader.join(parts, texts)
        if metric is None:
            assert joined == " ".join(text.split())
        assert reader.split([joined]) == reader.split([text])


def test_words_are_written_as_most_candidates_write_them() -> None:
    reader = TextParts(metric="wer[case=lower]")
    texts = ["the Cat", "The cat", "The cat", "A cat"]
    assert reader.join([Part(0, 1, "the"), Part(1, 2, "cat")], texts) == "The cat"


def test_the_nearest_reference_counts() -> None:
    reader, texts = TextParts(), ["a cat sat", "a cad sat"]
    parts = [Part(1, 2, "cat"), Part(1, 2, "cad")]
    assert reader.right(parts, texts, ["one dog ran", "the cad sat"]) == [False, True]
    assert reader.right(parts, texts, ["the cat sat", "the cad sat"]) == [True, False]  # equally near: the first
    assert reader.right(parts, texts, []) == [False, False]
    assert reader.size(texts, ["one dog ran off", "the cad sat"]) == 3
    assert reader.size(texts, []) == 0


def test_words_that_no_candidate_has_are_lost() -> None:
    texts = ["a cat", "a cad"]
    parts = [Part(0, 1, "a"), Part(1, 2, "cat"), Part(1, 2, "cad")]
    assert TextParts().right(parts, texts, ["a big dog here"]) == [True, False, False]
    assert TextParts().right(parts, texts, [""]) == [False, False, False]


def test_characters_keep_their_blanks() -> None:
    reader = TextParts("characters")
    texts = ["東京  に", "東京都 に"]
    assert [[part.label for part in parts] for parts in reader.split(texts)] == [
        ["東", "京", "", " ", "に"],
        ["東", "京", "都", " ", "に"],
    ]
    assert reader.join(reader.split(texts)[1], texts) == "東京都 に"


def test_clues_of_contested_words() -> None:
    reader, texts = TextParts(), ["a cat sat", "a Cad sat"]
    parts = sorted({part for own in reader.split(texts) for part in own})
    found = dict(zip(parts, reader.clues(parts, texts, None, {}), strict=True))
    assert found[Part(0, 1, "a")] == ["from end:2"]
    assert {
        "capital",
        "not best",
        "for:cat",
        "cat>Cad",
        "left:a Cad",
        "right:Cad sat",
        "letters:3",
        "alike:0.3",
    } <= set(found[Part(1, 2, "Cad")])
    assert {"best", "Cad>cat", "in:1"} <= set(found[Part(1, 2, "cat")])


def test_clues_of_joined_words_and_of_none() -> None:
    reader, texts = TextParts(), ["a shop boy 7", "a shopboy 7"]
    parts = sorted({part for own in reader.split(texts) for part in own})
    found = dict(zip(parts, reader.clues(parts, texts, None, {}), strict=True))
    assert any("joined" in clues for part, clues in found.items() if part.label == "shopboy")
    assert any("nothing" in clues for part, clues in found.items() if part.label == "")
    assert "number" in found[parts[-1]]


def test_words_of_references_are_counted_and_a_lists_own_are_left_out() -> None:
    reader = TextParts().learned([["a cat sat"], ["the cat sat", "a cat ran"], []])
    texts = ["a cat sat", "a cad sat"]
    part = Part(1, 2, "cat")
    assert {"count:2", "after:2", "before:2"} <= set(reader.clues([part], texts, None, {})[0])  # 3, 2 and 2 in binary
    less = reader.without(["a cat sat"])
    assert {"count:2", "after:1", "before:1"} <= set(less.clues([part], texts, None, {})[0])
    # 2^-x of "a cad sat" is smaller whatever the smoothing, so that the lead of "cat" is above 0.
    fluent = {clue for clue in reader.clues([part], texts, None, {})[0] if clue.startswith("fluent:")}
    assert len(fluent) == 1
    assert int(fluent.pop().removeprefix("fluent:")) > 0
    again = TextParts().restored(reader.state())
    assert again.clues([part], texts, None, {}) == reader.clues([part], texts, None, {})
    assert TextParts().state() == {}
    assert TextParts().restored({}).counts is None
    assert TextParts().without(["a"]) == TextParts()


@pytest.mark.parametrize(
    "state", [{"words": {"a": 1}}, {"words": {"a": "1"}, "pairs": {}}, {"words": {"a": 0}, "pairs": {}}]
)
def test_counts_that_are_none_are_refused(state) -> None:
    with pytest.raises(ModelError, match="must be whole numbers above 0"):
        TextParts().restored(state)


def test_a_combiner_of_texts_keeps_what_it_learned(tmp_path) -> None:
    texts = [
        text for at in range(40) for text in (f"a cad sat on mat{at}", f"a cat sat on mat{at}", f"a cat sad on mat{at}")
    ]
    said = [f"a cat sat on mat{at}" for at in range(40)]
    data = NBest.from_arrays(texts=texts, sizes=[3] * 40, references=said, metric="wer")
    combiner = train_combiner(data, task="text", folds=2)
    assert combiner.texts(data) == said
    combiner.save(tmp_path / "words.runoff")
    again = load_combiner(tmp_path / "words.runoff")
    assert again.learned == combiner.learned
    assert again.learned["pairs"]["a cat"] == 40
    assert again.texts(data) == said


def test_the_reader_of_the_task() -> None:
    reader = tasks.get("text").parts()
    assert reader == TextParts()
    assert tasks.get("text").parts("wer[case=lower]") == TextParts(metric="wer[case=lower]")
    assert tasks.get("text").parts("no such metric") == TextParts()
    assert reader.outline([Part(0, 1, "a")], "a") is None
    assert reader.split([]) == []
    assert reader.clues([], [], None, {}) == []


def test_settings_that_are_wrong() -> None:
    with pytest.raises(UsageError, match="words or characters; found 'letters'"):
        TextParts("letters")
    with pytest.raises(UsageError, match="bleu does not say how words are normalised"):
        TextParts(metric="bleu")
