"""The paper's scores of real candidates, computed one by one; and translations of the right question."""

from __future__ import annotations

import numpy as np
import pytest

from runoff.errors import DataError
from runoff.tasks.answers.candidate_features import COLUMNS
from runoff.tasks.answers.context_scores import Patterns
from runoff.tasks.answers.levels import level1, level2
from runoff.tasks.answers.pattern_translators import PatternTranslators
from runoff.tasks.answers.question_file import read_questions
from runoff.tasks.answers.training_pairs import AnswerPair, QuestionLevels


@pytest.fixture(scope="module")
def lists(answerer, almanac):
    records = read_questions(almanac.test)[:3]
    questions = answerer.analyser.analyse_words([record.question.words for record in records])
    sentences = [answerer.analyser.annotator.annotate_words([s.words for s in r.sentences]) for r in records]
    return questions, sentences, answerer.lists(questions, sentences, [record.patterns for record in records])


def test_columns_are_the_scores_of_the_paper(answerer, lists):
    questions, sentences, made = lists
    table = made.data.features.to_scipy().toarray()
    row = 0
    for question, own, candidates in zip(questions, sentences, made.candidates, strict=True):
        levels = QuestionLevels.of(question.annotated, answerer.senses)
        (patterns,) = answerer.translators.patterns([levels], answerer.settings.best)
        for candidate in candidates:
            sentence = own[candidate.sentence]
            abstract = level2(sentence, answerer.senses, levels.quoted).units((candidate.start, candidate.stop))
            assert abstract.count("ANSWER") == 1
            (b,), (r,) = patterns.abstract.scores([abstract])
            words = level1(sentence).units()
            (lb,), (lr,) = patterns.words.scores([words])
            (lf,) = patterns.words.frequency([words])
            np.testing.assert_allclose(table[row, :5], [b, r, lb, lr, lf], atol=1e-6)
            row += 1
    assert row == made.data.n_candidates


def test_language_scores_are_those_of_the_sentence(lists):
    # Section 6: "Lbrf gives the same score to all candidates in the same sentence".
    _, _, made = lists
    table = made.data.features.to_scipy().toarray()
    flat = [(at, each.sentence) for at, own in enumerate(made.candidates) for each in own]
    for name in ("language:Lb", "language:Lr", "language:Lf", "translation:model 1"):
        values = {}
        for key, value in zip(flat, table[:, COLUMNS.index(name)].tolist(), strict=True):
            values.setdefault(key, set()).add(value)
        assert all(len(each) == 1 for each in values.values())


def test_quality_is_whether_a_pattern_matches(lists):
    _, _, made = lists
    assert set(made.data.quality.tolist()) == {0.0, 1.0}
    assert made.data.metric == "mrr"


def test_translations_follow_what_was_seen():
    names = {"ada": "PERSON", "rome": "GPE", "ibm": "ORGANIZATION", "may": "DATE"}
    pairs = [
        AnswerPair(0, f"when did {name} die ?", f"{name} died in ANSWER .", f"how is {tag} ?", f"{tag} has ANSWER .")
        for name, tag in names.items()
    ]
    translators = PatternTranslators.train(pairs)
    (found,) = translators.patterns([QuestionLevels("when did rome die ?", "how is DATE ?", ())], 10)
    assert found.words.texts[0] == ["rome", "died", "in", "ANSWER", "."]
    assert found.abstract.texts[0] == ["DATE", "has", "ANSWER", "."]
    assert isinstance(found.words, Patterns)
    with pytest.raises(DataError, match="found 1 of them"):
        PatternTranslators.train(pairs[:1])
