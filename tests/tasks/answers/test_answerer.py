"""Answerers learn, answer, abstain, and are the same for the same seed."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from runoff.errors import DataError, UsageError
from runoff.tasks.answers.answer_sources import analyser_for
from runoff.tasks.answers.answer_table import rates
from runoff.tasks.answers.answerer_settings import AnswererSettings
from runoff.tasks.answers.answerer_training import (
    annotated_questions,
    cross_fitted_lists,
    learned_from,
    lists_of,
    train_answerer,
    tuned,
)
from runoff.tasks.answers.question_blocks import question_blocks
from runoff.tasks.answers.question_file import question_record, read_questions
from runoff.tasks.tagging.corpus import Column


def quiet(_):
    """Say nothing."""


def test_new_questions_are_answered_from_an_index(answerer, almanac, index):
    test = read_questions(almanac.test)
    found = answerer.ask(index, [" ".join(record.question.words) for record in test])
    right = [record.patterns.match(each.best.text) for record, each in zip(test, found, strict=True)]
    assert np.mean(right) >= 0.6  # a random candidate is right in one of thirty
    for each in found:
        shares = [answer.share for answer in each.answers]
        assert shares == sorted(shares, reverse=True)
        assert sum(shares) == pytest.approx(1, abs=1e-6)
        # The answer stands in the sentence, and the sentence in the file.
        best = each.best
        assert best.text.split()[0] in best.source.text
        assert best.source.text in (almanac.texts / best.source.file).read_text().replace("\n", " ")


def test_no_passage_no_answer(answerer, index):
    (nothing,) = answerer.ask(index, ["Xyzzy?"])
    assert (nothing.best, nothing.answers, nothing.confidence) == (None, (), None)
    some, none = answerer.ask(index, ["Who invented the pocket lamp?", "Xyzzy?"])
    assert some.best is not None
    assert none.at_least(0.0).abstained
    assert some.at_least(1.0).best is None or some.confidence == 1.0
    assert some.to_dict()["answer"] == some.best.text
    assert nothing.to_dict() == {"question": "Xyzzy?", "answer": None, "confidence": None, "answers": [], "reasons": {}}


def test_the_learned_ranking_beats_the_product_that_it_starts_from(answerer, almanac, index):
    data = answerer.lists_of(read_questions(almanac.test), index).data
    assert rates(data, answerer.ranker.scores(data))["MRR"] > rates(data, np.asarray(data.base))["MRR"]


def test_a_question_is_scored_by_translators_that_have_not_seen_it(answerer, almanac):
    records = read_questions(almanac.training)[:12]
    settings = AnswererSettings(best=5, folds=3)
    data = annotated_questions(records, answerer.analyser)
    lists = cross_fitted_lists(data, answerer.senses, None, settings, say=quiet)
    assert lists.group_ids.to_pylist() == [record.id for record in records]
    blocks = question_blocks(records)
    assert lists.attributes["block"].to_pylist() == list(map(str, blocks.numbers))
    fold_of = blocks.folds(3, 0)
    # One fold again, by itself: from all that is not in it, and nothing else.
    learned = learned_from(data.take(np.flatnonzero(fold_of != 1)), answerer.senses, None)
    alone = lists_of(data.take(np.flatnonzero(fold_of == 1)), learned, 5).data
    there = lists[fold_of == 1]
    assert alone.texts.equals(there.texts)
    np.testing.assert_array_equal(alone.features.to_scipy().toarray(), there.features.to_scipy().toarray())


def test_the_same_seed_gives_the_same_lists(answerer, almanac):
    records = read_questions(almanac.training)[:8]
    settings = AnswererSettings(best=5, folds=2, tuning=0)
    one, other = (train_answerer(records, answerer.analyser, settings, say=quiet) for _ in range(2))
    assert one.ranker.weights.tolist() == other.ranker.weights.tolist()
    assert one.expected == other.expected


def test_copies_of_a_question_are_in_one_fold(answerer, almanac):
    first = read_questions(almanac.training)[:9]
    records = [dataclasses.replace(each, id=f"{copy}{each.id}") for copy in "ab" for each in first]
    said = []
    data = annotated_questions(records, answerer.analyser)
    lists = cross_fitted_lists(data, answerer.senses, None, AnswererSettings(best=3), say=said.append)
    assert lists.attributes["block"][:9].equals(lists.attributes["block"][9:])
    assert any("18 lists in 9 blocks" in text for text in said)


def test_candidates_to_learn_from_may_come_from_an_index(answerer, almanac, index):
    records = read_questions(almanac.training)[:12]
    data = annotated_questions(records, answerer.analyser, index, passages=3)
    for record, question, own in zip(records, data.questions, data.sentences, strict=True):
        hits = index.search(question.text, 3)
        texts = {"".join(index.passage(hit.passage).text.split()) for hit in hits}
        assert {"".join(each.words) for each in own} == texts
        assert len(data.answering[records.index(record)]) == len(record.answering)
    settings = AnswererSettings(best=5, folds=2, tuning=0, passages=3)
    made = train_answerer(records, answerer.analyser, settings, index, say=quiet)
    assert made.provenance["sentences"] == len({each.words for own in data.sentences for each in own})


def test_questions_that_are_too_long_are_told(answerer, index):
    with pytest.raises(UsageError, match=r"a question may have 200 words; .lamp lamp .* has 201"):
        answerer.ask(index, ["lamp " * 201])
    assert answerer.ask(index, ["lamp " * 200])[0].best is not None


def test_taggers_of_the_user(almanac, index):
    class Capitals:
        """Every word with a capital is a name by itself."""

        def label(self, corpus):
            return Column.of("B-NAME" if word[:1].isupper() else "O" for word in corpus["word"].texts())

    records = read_questions(almanac.training)[:12]
    analyser = analyser_for(records, {"entities": Capitals()}, say=quiet)
    settings = AnswererSettings(best=5, folds=2, tuning=0, passages=5)
    (found,) = train_answerer(records, analyser, settings, say=quiet).ask(index, ["Who invented the pocket lamp?"])
    assert "Nils" in {each.text for each in found.answers}  # by this tagger a name of its own
    with pytest.raises(UsageError, match="no part 'ner' of an annotator; there are: pos, chunks, entities"):
        analyser_for(records, {"ner": Capitals()}, say=quiet)


def test_weights_are_tuned_on_questions_with_one_answering_sentence(answerer, almanac):
    records = read_questions(almanac.training)
    data = annotated_questions(records, answerer.analyser)
    said = []
    single = sum(len(record.answering) == 1 for record in records)
    found = tuned(data, answerer.senses, AnswererSettings(best=5, tuning=1, most_tuning=8), say=said.append)
    assert single >= 8
    assert "from 8 pairs" in said[0]
    assert found.words != found.abstract
    assert tuned(data, answerer.senses, AnswererSettings(tuning=0), say=said.append) is None


def test_too_few_questions_are_told(answerer):
    record = question_record({"question": "Who?", "answers": ["Ada"], "answering": ["Ada did."]}, "1")
    bare = question_record({"question": "Who?"}, "2")
    with pytest.raises(DataError, match="at least 4 questions with answers and sentences; found 1 of 2"):
        train_answerer([record, bare], answerer.analyser, say=quiet)


def test_answers_that_no_sentence_has_are_told(answerer):
    records = [
        question_record({"question": "Who?", "answers": ["Zed"], "answering": ["Ada did it."]}, str(at))
        for at in range(5)
    ]
    with pytest.raises(DataError, match="sentences in which an answer pattern matches"):
        train_answerer(records, answerer.analyser, say=quiet)
