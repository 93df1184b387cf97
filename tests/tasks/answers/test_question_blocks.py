"""Which questions belong together, beside a slow search for everything that is connected."""

from __future__ import annotations

import itertools

import numpy as np

from runoff.tasks.answers.question_blocks import LONG, question_blocks
from runoff.tasks.answers.question_file import question_record

LONG_TEXT = " ".join(f"word{at}" for at in range(LONG))


def records(*questions):
    return [
        question_record({"question": asked, "answering": answering, "other": other}, str(at))
        for at, (asked, answering, other) in enumerate(questions)
    ]


def slow(found):
    """Blocks by joining two as long as any two of their questions have something in common."""

    def things(record):
        words = sorted({word.lower() for word in record.question.words} - {"when", "was", "who", "the", "?"})
        return {" ".join(words)} | {each.text for each in record.sentences if len(each.words) >= LONG}

    joined = [{at} for at in range(len(found))]
    for one, other in itertools.combinations(range(len(found)), 2):
        if things(found[one]) & things(found[other]):
            both = [block for block in joined if block & {one, other}]
            joined = [block for block in joined if block not in both] + [set().union(*both)]
    return sorted(map(sorted, joined))


def test_questions_that_share_words_or_a_long_sentence_are_together():
    found = records(
        ("When was Ada born?", [LONG_TEXT], []),
        ("Who sang?", ["Ada sang."], []),
        ("When was the Ada born", [], []),
        ("Who ran?", ["Ada sang."], ["Ivo"]),  # a short sentence joins nothing
        ("Who left?", [], [LONG_TEXT]),
        ("Who fell?", [], []),
        ("Who came?", [], []),
    )
    blocks = question_blocks(found)
    wanted = slow(found)
    assert wanted == [[0, 2, 4], [1], [3], [5], [6]]
    assert sorted(np.flatnonzero(blocks.numbers == at).tolist() for at in range(blocks.count)) == wanted
    fold_of = blocks.folds(3, seed=0)
    assert len({fold_of[at] for at in (0, 2, 4)}) == 1
    assert blocks.note() == (
        "Folds keep lists together that share the words of the question or a sentence: 7 lists in 5 blocks."
    )


def test_where_all_have_the_same_sentences_only_the_questions_are_compared():
    asked = ["Who sang?", "Who ran?", "Who sang", "Who fell?", "Who came?"]
    blocks = question_blocks(records(*((each, [LONG_TEXT], []) for each in asked)))
    assert blocks.numbers.tolist() == [0, 1, 0, 2, 3]


def test_one_question_again_and_again_stands_alone():
    blocks = question_blocks(records(*(("Who sang?", [], []) for _ in range(4))))
    assert blocks.numbers.tolist() == [0, 1, 2, 3]
    assert question_blocks(records(*(("?", [], []) for _ in range(3)))).count == 3  # no words join nothing
