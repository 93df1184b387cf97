"""All that is known of a candidate answer, as columns: the scores of the paper, and what later work added."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.metrics.tokens import tokenised
from runoff.tasks.answers import question_evidence
from runoff.tasks.answers.context_scores import Patterns
from runoff.tasks.answers.expected_answer import answer_types
from runoff.tasks.answers.levels import ANSWER, level1, level2
from runoff.tasks.answers.question_evidence import AskedTerms, evidence

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from runoff.arrays import Floats
    from runoff.tasks.answers.annotated import AnnotatedSentence
    from runoff.tasks.answers.candidates import AnswerCandidate
    from runoff.tasks.answers.expected_answer import ExpectedAnswer
    from runoff.tasks.answers.levels import Level
    from runoff.tasks.answers.pattern_translators import QuestionPatterns
    from runoff.tasks.answers.supersenses import Supersenses
    from runoff.tasks.answers.term_counts import TermCounts
    from runoff.tasks.answers.training_pairs import QuestionLevels
    from runoff.tasks.translation.lexical_table import LexicalTable

SCORES = ("context:B", "context:R", "language:Lb", "language:Lr", "language:Lf", "type:E")
WINDOWS = ("window:B", "window:R", "window:Lb", "window:Lr")
COLUMNS = (*SCORES, "type:affinity", "translation:model 1", *WINDOWS, *question_evidence.COLUMNS)
_AROUND = 4  # units on both sides of ANSWER in a window


class AskedQuestion(NamedTuple):
    """A question as features need it."""

    annotated: AnnotatedSentence
    levels: QuestionLevels
    types: Mapping[str, float]  # probabilities of its classes
    patterns: QuestionPatterns


@dataclass(frozen=True, eq=False)
class CandidateFeatures:
    """Makes the columns of candidates.

    Of the paper (España-Bonet & Comas 2012, section 4.3): B and R of the sentence at Level2 with ANSWER in place of the
    candidate; Lb, Lr, Lf of the sentence at Level1, which are the same for all candidates in it; E of the candidate's
    types. Beyond it: the same of a window around ANSWER, as the paper's last section proposes, IBM model 1, and
    `question_evidence.COLUMNS`.
    """

    expected: ExpectedAnswer
    lexicon: LexicalTable
    counts: TermCounts
    senses: Supersenses

    def table(
        self, question: AskedQuestion, sentences: Sequence[AnnotatedSentence], candidates: Sequence[AnswerCandidate]
    ) -> Floats:
        """A row of `COLUMNS` for every candidate. A hundredth of a second for 300 candidates."""
        words = [level1(sentence) for sentence in sentences]
        abstract = [level2(sentence, self.senses, question.levels.quoted) for sentence in sentences]
        of = np.array([each.sentence for each in candidates], np.int64)
        patterns, types = question.patterns, self.types(sentences, candidates)
        plain = [each.units() for each in words]
        language = np.stack([*patterns.words.scores(plain), patterns.words.frequency(plain)], axis=1)
        context = patterns.abstract.scores([abstract[each.sentence].units(each[1:3]) for each in candidates])
        return np.column_stack(
            [
                *context,
                language[of].reshape(-1, 3),
                self.expected.scores(question.types, types),
                self.expected.affinity(question.types, types),
                self._model1(question, plain)[of],
                *windows(patterns.abstract, abstract, candidates),
                *windows(patterns.words, words, candidates),
                evidence(
                    AskedTerms.of(question.annotated, self.counts), sentences, candidates, self.counts, self.senses
                ),
            ]
        )

    def types(
        self, sentences: Sequence[AnnotatedSentence], candidates: Sequence[AnswerCandidate]
    ) -> list[tuple[str, ...]]:
        """The types of candidates; see `answer_types`."""
        return [answer_types(each, sentences[each.sentence], self.senses) for each in candidates]

    def _model1(self, question: AskedQuestion, sentences: Sequence[Sequence[str]]) -> Floats:
        """Logarithm of the probability of the question's words, given those of the sentence, per word."""
        asked = question.levels.words
        ours, theirs = (tokenised(texts, lambda word: [word]) for texts in ([" ".join(e) for e in sentences], [asked]))
        repeated = theirs.take(np.zeros(len(sentences), np.int64))
        return self.lexicon.log_probability(ours, repeated, floor=1e-6) / max(len(asked.split()), 1)


def windows(
    patterns: Patterns, levels: Sequence[Level], candidates: Sequence[AnswerCandidate]
) -> tuple[Floats, Floats]:
    """B and R of what stands around the candidate, with what stands around ANSWER in the translations."""
    around = Patterns([_around(text, at) for text in patterns.texts for at, word in enumerate(text) if word == ANSWER])
    texts = []
    for each in candidates:
        units = levels[each.sentence].units((each.start, each.stop))
        texts.append(_around(units, _place(levels[each.sentence], each.start)))
    return around.scores(texts)


def _place(level: Level, start: int) -> int:
    return sum(level.begins[:start])


def _around(units: Sequence[str], at: int) -> Sequence[str]:
    return units[max(at - _AROUND, 0) : at + _AROUND + 1]
