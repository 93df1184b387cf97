"""The paper's scores of real candidates, computed one by one; and translations of the right question."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from sacrebleu.metrics import BLEU

from runoff.errors import DataError
from runoff.tasks.answers.candidate_features import COLUMNS
from runoff.tasks.answers.context_scores import Patterns
from runoff.tasks.answers.expected_answer import answer_types
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


def slow_units(sentence, senses, quoted, candidate=None):
    """Level2 as section 3 of the paper writes it, word by word, with ANSWER for the words of a candidate."""
    words, kinds = [word.lower() for word in sentence.words], {}
    for number, expression in enumerate(quoted):
        for at in range(len(words)):
            place = range(at, at + len(expression))
            if words[at : at + len(expression)] == list(expression) and not kinds.keys() & set(place):
                kinds |= dict.fromkeys(place, ("QUOTED", "quote", number, at))
    for span in sentence.entities:
        place = range(span.start, span.stop)
        if not kinds.keys() & set(place):
            name = "".join(letter for letter in span.label if letter.isalpha()).upper()
            kinds |= dict.fromkeys(place, (name, "entity", span.start))
    out, last = [], None
    for at, word in enumerate(words):
        if candidate is not None and candidate.start <= at < candidate.stop:
            unit = ("ANSWER",)
        elif at in kinds:
            unit = kinds[at]
        else:
            sense = senses.of(sentence.words[at], sentence.pos[at])
            kind, _, name = (sense or "").partition(".")
            unit = (kind + name.capitalize() if sense else word, "word", at)
        if unit != last:
            out.append(unit[0])
        last = unit
    return out


def slow_rouge(words, references):
    """The highest F of pairs of words with at most four between them; each pair as often as both have it."""

    def pairs(text):
        return Counter((text[i], text[j]) for i in range(len(text)) for j in range(i + 1, min(len(text), i + 6)))

    own, best = pairs(words), 0.0
    for reference in references:
        theirs = pairs(reference)
        total = own.total() + theirs.total()
        best = max(best, 2 * (own & theirs).total() / total if total else 0.0)
    return best


def test_the_six_scores_beside_slow_ones(answerer, lists):
    # sacrebleu's add-k smoothing with 1 and no effective order is that of Lin & Och (2004).
    bleu = BLEU(smooth_method="add-k", smooth_value=1, tokenize="none", effective_order=False)
    questions, sentences, made = lists
    table, row = made.data.features.to_scipy().toarray(), 0
    for question, own, candidates in zip(questions, sentences, made.candidates, strict=True):
        quoted = QuestionLevels.of(question.annotated, answerer.senses).quoted
        asked = [
            " ".join(question.annotated.words).lower(),
            " ".join(slow_units(question.annotated, answerer.senses, quoted)),
        ]
        translators = (answerer.translators.words, answerer.translators.abstract)
        words, abstract = (
            [text.split() for text in translator.nbest([text], answerer.settings.best).texts.to_pylist()]
            for translator, text in zip(translators, asked, strict=True)
        )
        often = Counter(word for text in words for word in text)
        for candidate in candidates:
            sentence = own[candidate.sentence]
            plain = [word.lower() for word in sentence.words]
            pattern = slow_units(sentence, answerer.senses, quoted, candidate)
            b, lb = (
                bleu.sentence_score(" ".join(each), [" ".join(text) for text in texts]).score / 100
                for each, texts in ((pattern, abstract), (plain, words))
            )
            lf = np.mean([often[word] / max(often.values()) for word in plain])
            types = answer_types(candidate, sentence, answerer.senses)
            e = sum(p for name, p in question.types.items() if set(answerer.expected.types(name)) & set(types))
            wanted = [b, slow_rouge(pattern, abstract), lb, slow_rouge(plain, words), lf, e]
            # Classes of a probability below 0.001 are left out of E.
            np.testing.assert_allclose(table[row, :6], wanted, atol=2e-3)
            np.testing.assert_allclose(table[row, :5], wanted[:5], atol=1e-6)
            row += 1
    assert row == made.data.n_candidates > 20


def test_the_order_of_sentences_says_nothing(answerer, lists):
    questions, sentences, made = lists
    turned = answerer.lists(questions, [own[::-1] for own in sentences])
    table, again = (each.data.features.to_scipy().toarray() for each in (made, turned))
    last = 0
    for own, candidates, others in zip(sentences, made.candidates, turned.candidates, strict=True):
        place = {(len(own) - 1 - each.sentence, *each[1:]): last + at for at, each in enumerate(others)}
        for at, candidate in enumerate(candidates):
            np.testing.assert_allclose(table[last + at], again[place[tuple(candidate)]], rtol=1e-9, atol=1e-9)
        last += len(candidates)


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
