"""From questions with answering sentences to an answerer."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from runoff.errors import DataError
from runoff.features.concatenation import concatenate
from runoff.learners import Blend, LogLinear, TreeBoost
from runoff.tables import counted
from runoff.tasks.answers.answerer import METRIC, Answerer, CandidateLists, candidate_lists, sentences_found
from runoff.tasks.answers.answerer_settings import AnswererSettings
from runoff.tasks.answers.candidate_features import CandidateFeatures
from runoff.tasks.answers.candidates import candidates_in
from runoff.tasks.answers.expected_answer import ExpectedAnswer, answer_types
from runoff.tasks.answers.pattern_translators import PatternTranslators, PatternWeights, tuned_weights
from runoff.tasks.answers.question_blocks import question_blocks
from runoff.tasks.answers.term_counts import TermCounts
from runoff.tasks.answers.training_pairs import QuestionLevels, training_pairs
from runoff.tasks.tagging.tokenizer import tokenize

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from runoff.arrays import Ints
    from runoff.learners import Learner
    from runoff.nbest import NBest
    from runoff.tasks.answers.annotated import AnnotatedSentence
    from runoff.tasks.answers.question import Question, QuestionAnalyser
    from runoff.tasks.answers.question_file import QuestionRecord
    from runoff.tasks.answers.retrieval import PassageIndex
    from runoff.tasks.answers.supersenses import Supersenses
    from runoff.tasks.answers.training_pairs import AnswerPair

BLOCK = "block"  # the attribute of lists that belong together
_FEWEST = 4  # questions


class AnnotatedQuestions(NamedTuple):
    """Questions of a file, analysed, with their sentences annotated."""

    records: Sequence[QuestionRecord]
    questions: Sequence[Question]
    answering: Sequence[Sequence[AnnotatedSentence]]
    sentences: Sequence[Sequence[AnnotatedSentence]]  # the answering ones and the others

    def take(self, numbers: Ints | Sequence[int]) -> AnnotatedQuestions:
        """Some of them."""
        places = [int(at) for at in numbers]
        return AnnotatedQuestions(
            [self.records[at] for at in places],
            [self.questions[at] for at in places],
            [self.answering[at] for at in places],
            [self.sentences[at] for at in places],
        )

    def pairs(self, senses: Supersenses) -> list[AnswerPair]:
        """Training pairs of the translators."""
        levels = [QuestionLevels.of(each.annotated, senses) for each in self.questions]
        return training_pairs(levels, self.answering, [each.patterns for each in self.records], senses)


class LearnedFromSome(NamedTuple):
    """What is learned from answers, without the ranker."""

    translators: PatternTranslators
    features: CandidateFeatures


def annotated_questions(
    records: Sequence[QuestionRecord],
    analyser: QuestionAnalyser,
    index: PassageIndex | None = None,
    *,
    passages: int = 100,
    verbose: bool = False,
) -> AnnotatedQuestions:
    """Annotate questions and their sentences, those of the file or of an index; each different one once. O(words)."""
    asked = [record.question.words for record in records]
    answering = [[sentence.words for sentence in record.answering] for record in records]
    if index is None:
        sentences = [[sentence.words for sentence in record.sentences] for record in records]
    else:
        sentences = [
            [tuple(token.text for token in tokenize(each.text)) for each in sentences_found(index, text, passages)]
            for text in map(" ".join, asked)
        ]
    texts = list(dict.fromkeys(words for own in (*answering, *sentences) for words in own))
    found = dict(zip(texts, analyser.annotator.annotate_words(texts, verbose=verbose), strict=True))
    return AnnotatedQuestions(
        records,
        analyser.analyse_words(asked),
        [[found[words] for words in own] for own in answering],
        [[found[words] for words in own] for own in sentences],
    )


def train_answerer(
    records: Sequence[QuestionRecord],
    analyser: QuestionAnalyser,
    settings: AnswererSettings | None = None,
    index: PassageIndex | None = None,
    *,
    verbose: bool = False,
    say: Callable[[str], object] = print,
) -> Answerer:
    """Learn to answer questions: two translators with tuned weights, expected types, and a ranking of candidates.

    Questions are split into folds, and the candidates of each get their scores from translators and types of the other
    folds; the ranking is learned from these. With an index, candidates are those of the passages that are found there,
    as they will be when questions are asked; without one, those of the sentences in the file. Two CPU minutes for 800
    questions with 40,000 sentences.

    Examples
    --------
    >>> answerer = train_answerer(questions, analyser_for(questions))  # doctest: +SKIP
    >>> answerer.save("answers.runoff")  # doctest: +SKIP
    """
    settings, began = settings or AnswererSettings(), time.monotonic()
    usable = usable_questions(records, say=say)
    data = annotated_questions(usable, analyser, index, passages=settings.passages, verbose=verbose)
    senses = analyser.question_types.senses
    weights = tuned(data, senses, settings, say=say)
    lists = cross_fitted_lists(data, senses, weights, settings, say=say, verbose=verbose)
    ranker = learner_of(settings).fit(lists).model
    say("translators of all questions")
    last = learned_from(data, senses, weights)
    provenance = {
        "questions": len(usable),
        "pairs": len(data.pairs(senses)),
        "sentences": len({each.words for own in data.sentences for each in own}),
        "candidates": lists.n_candidates,
        "tuned": weights is not None,
        "seconds": round(time.monotonic() - began, 1),
    }
    learned = last.features
    return Answerer(analyser, last.translators, learned.expected, learned.counts, ranker, settings, provenance)


def usable_questions(records: Sequence[QuestionRecord], *, say: Callable[[str], object]) -> list[QuestionRecord]:
    """Those with answers and sentences; an error says that they are too few."""
    usable = [record for record in records if record.patterns.patterns and record.sentences]
    if len(usable) < _FEWEST:
        raise DataError(
            f"an answerer learns from at least {_FEWEST} questions with answers and sentences; found {len(usable)} of "
            f"{len(records)}."
        )
    if len(usable) < len(records):
        say(f"note: {counted(len(records) - len(usable), 'questions')} without answers or sentences were left out.")
    return usable


def tuned(
    data: AnnotatedQuestions, senses: Supersenses, settings: AnswererSettings, *, say: Callable[[str], object]
) -> PatternWeights | None:
    """Weights of the translators from questions with a single answering sentence, as in the paper; None if too few."""
    rng = np.random.default_rng(settings.seed)
    single = np.flatnonzero([len(own) == 1 for own in data.answering])
    # Not more than a quarter, so that enough is left to train on.
    most = min(settings.most_tuning, len(data.records) // 4)
    chosen = np.sort(rng.permutation(single)[:most])
    tuning = data.take(chosen).pairs(senses)
    rest = data.take(np.setdiff1d(np.arange(len(data.records)), chosen)).pairs(senses)
    if not settings.tuning or len(tuning) < 2 or len(rest) < 2:
        say("weights: rough ones of translators; there is nothing to tune them on.")
        return None
    return tuned_weights(rest, tuning, rounds=settings.tuning, k=settings.best, seed=settings.seed, say=say)


def cross_fitted_lists(
    data: AnnotatedQuestions,
    senses: Supersenses,
    weights: PatternWeights | None,
    settings: AnswererSettings,
    *,
    say: Callable[[str], object],
    verbose: bool = False,
) -> NBest:
    """Lists of all questions; those of each fold by what is learned from the other folds.

    Questions that belong together (`question_blocks`) are in one fold, and have a number of their block in common.
    """
    together = question_blocks(data.records)
    fold_of = together.folds_up_to(settings.folds, settings.seed)
    folds = int(fold_of.max()) + 1
    if note := together.note():
        say(f"note: {note}")
    parts, order = [], []
    for fold in range(folds):
        say(f"fold {fold + 1} of {folds}: candidates, by translators of the others")
        inside = np.flatnonzero(fold_of == fold)
        learned = learned_from(data.take(np.flatnonzero(fold_of != fold)), senses, weights)
        parts.append(lists_of(data.take(inside), learned, settings.best, verbose=verbose).data)
        order.append(inside)
    lists = concatenate(parts)[np.argsort(np.concatenate(order))]
    return lists.replace(attributes={BLOCK: list(map(str, together.numbers.tolist()))})


def learned_from(data: AnnotatedQuestions, senses: Supersenses, weights: PatternWeights | None) -> LearnedFromSome:
    """Translators, expected types of answers, and counts of terms, from some questions and nothing else."""
    counts = TermCounts.of(dict.fromkeys(each.words for own in data.sentences for each in own))
    translators = PatternTranslators.train(data.pairs(senses), weights)
    candidates = [candidates_in(own) for own in data.sentences]
    types = [
        [answer_types(each, own[each.sentence], senses) for each in found]
        for found, own in zip(candidates, data.sentences, strict=True)
    ]
    right = [
        [record.patterns.match(each.text) for each in found]
        for record, found in zip(data.records, candidates, strict=True)
    ]
    expected = ExpectedAnswer.learn([each.types for each in data.questions], types, right)
    return LearnedFromSome(translators, CandidateFeatures(expected, translators.lexicon, counts, senses))


def lists_of(data: AnnotatedQuestions, learned: LearnedFromSome, k: int, *, verbose: bool = False) -> CandidateLists:
    """Lists of questions from their own sentences, with quality."""
    return candidate_lists(
        learned.features,
        learned.translators,
        data.questions,
        data.sentences,
        [each.patterns for each in data.records],
        [each.id for each in data.records],
        k=k,
        verbose=verbose,
    )


def learner_of(settings: AnswererSettings) -> Learner:
    """The learner that ranks candidates; its confidence is calibrated by folds."""
    shared: dict[str, Any] = {"metric": METRIC, "seed": settings.seed, "calibration": "folds", "group_by": BLOCK}
    if settings.learner == "trees":
        return TreeBoost(**shared)
    if settings.learner == "blend":
        return Blend(**shared)
    return LogLinear(right="tied", **shared)
