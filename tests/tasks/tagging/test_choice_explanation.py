"""Why one tagging beats another: the sentence as both have it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from runoff.cli.main import main
from runoff.errors import DataError
from runoff.io import write
from runoff.model import LinearModel
from runoff.nbest import NBest
from runoff.tasks import get

if TYPE_CHECKING:
    from pathlib import Path

MODEL = LinearModel.of({"right": 1.0})


def lists(words: str, first: str, better: str, gold: str | None, metric: str = "conlleval") -> NBest:
    candidates = [{"text": first, "base": -0.1}, {"text": better, "base": -0.2, "features": {"right": 1.0}}]
    record: dict[str, Any] = {"id": "s1", "input": words, "metric": metric, "candidates": candidates}
    return NBest.from_records([record if gold is None else {**record, "references": [gold]}])


def shown(data: NBest) -> list[str]:
    return get("tagging").explain(MODEL, data, "s1").to_text().split("\n\n")[-3:]


def test_phrases_that_only_one_has_are_marked_by_the_gold_tags() -> None:
    data = lists(
        "He saw New␣York City today", "B-NP B-VP B-NP B-NP O", "B-NP B-VP B-NP I-NP B-NP", "B-NP B-VP B-NP I-NP O"
    )
    # Gold phrases: He, saw, New York City. The rival has 2 of them among 4, the winner 3 among 4.
    assert shown(data) == [
        "candidate 0, rival and first round's choice, conlleval 57.14\n"
        "  [NP He] [VP saw] -[NP New York] -[NP City] today",
        "candidate 1, winner, conlleval 85.71\n  [NP He] [VP saw] +[NP New York City] -[NP today]",
        "Marked: + only in this tagging, and right; - only in this tagging, and wrong.",
    ]
    found = get("tagging").explain(MODEL, data, "s1").to_dict()
    assert found["words"] == ["He", "saw", "New York", "City", "today"]
    assert found["only_winner"] == [
        {"start": 2, "end": 4, "tag": "NP", "mark": "RIGHT"},
        {"start": 4, "end": 5, "tag": "NP", "mark": "WRONG"},
    ]


def test_without_gold_tags_differences_are_only_marked() -> None:
    data = lists("Ann Lake", "B-PER B-LOC", "B-PER I-PER", None)
    assert shown(data)[1:] == ["candidate 1, winner\n  *[PER Ann Lake]", "Marked: * only in this tagging."]


@pytest.mark.parametrize("metric", ["tag-accuracy", "conlleval[raw]"])
def test_tags_that_mark_no_phrases_stand_behind_their_words(metric: str) -> None:
    data = lists("dogs run", "NNS NN", "NNS VBP", "NNS VBP", metric)
    assert [text.partition("\n")[2] for text in shown(data)[:2]] == ["  dogs/NNS -run/NN", "  dogs/NNS +run/VBP"]


def test_long_sentences_and_other_letters_for_the_same_phrases() -> None:
    words, tags = " ".join(["word"] * 60), " ".join(["B-NP"] * 60)
    rival, winner, legend = shown(lists(words, "I" + tags[1:], tags, tags))
    assert legend == "The two taggings have the same phrases."
    assert max(map(len, winner.splitlines())) <= 100
    assert rival.count("[NP") == winner.count("[NP") == 60


def test_lists_without_words_have_their_features_explained() -> None:
    data = lists("a b", "O O", "O B-X", "O O").replace(inputs=None)
    assert "O B-X" in get("tagging").explain(MODEL, data, "s1").to_text()


def test_a_tagging_of_another_length_is_an_error() -> None:
    with pytest.raises(DataError, match=r"list 's1' has 3 words; the rival has 2 tags\."):
        get("tagging").explain(MODEL, lists("a b c", "O O", "O B-X", None), "s1")


def test_the_command_shows_the_sentence(tmp_path: Path) -> None:
    write(lists("Ann Lake", "B-PER B-LOC", "B-PER I-PER", "B-PER I-PER"), tmp_path / "lists.jsonl")
    MODEL.save(tmp_path / "model.runoff")
    command = ["explain", str(tmp_path / "model.runoff"), str(tmp_path / "lists.jsonl"), "--group", "s1"]
    assert "+[PER Ann Lake]" in CliRunner().invoke(main, command).output
