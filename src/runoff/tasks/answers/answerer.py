"""Answerers: from a question and an index of passages to ranked answers with their sentences."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from runoff.errors import UsageError, brief
from runoff.nbest import Features, NBest
from runoff.progress import progress
from runoff.tasks.answers.answer_ranking import Answers, SourcedSentence, ranked_answers
from runoff.tasks.answers.answerer_settings import AnswererSettings
from runoff.tasks.answers.candidate_features import COLUMNS, AskedQuestion, CandidateFeatures
from runoff.tasks.answers.candidates import candidates_in
from runoff.tasks.answers.score_products import product
from runoff.tasks.answers.training_pairs import QuestionLevels
from runoff.tasks.tagging.sentence_splitter import split_sentences

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from runoff.model import LinearModel
    from runoff.tasks.answers.annotated import AnnotatedSentence
    from runoff.tasks.answers.answer_patterns import AnswerPatterns
    from runoff.tasks.answers.candidates import AnswerCandidate
    from runoff.tasks.answers.expected_answer import ExpectedAnswer
    from runoff.tasks.answers.pattern_translators import PatternTranslators
    from runoff.tasks.answers.question import Question, QuestionAnalyser
    from runoff.tasks.answers.question_file import QuestionRecord
    from runoff.tasks.answers.retrieval import PassageIndex
    from runoff.tasks.answers.supersenses import Supersenses
    from runoff.tasks.answers.term_counts import TermCounts

METRIC = "mrr"
MOST_WORDS = 200  # of a question that is asked, as translating takes time
FIRST_ROUND = "(B+R)EL"  # the product whose logarithm is the first round's score


class CandidateLists(NamedTuple):
    """Candidates of some questions as lists with features, and where each came from."""

    data: NBest
    candidates: list[list[AnswerCandidate]]


@dataclass(frozen=True, eq=False)
class Answerer:
    """Answers questions from passages: annotates both, makes candidates, and ranks them by a learned model.

    After España-Bonet & Comas (2012), with learned weights in place of products. `train_answerer` makes one, and
    `load_answerer` opens it.

    Examples
    --------
    >>> answerer = load_answerer("answers.runoff")  # doctest: +SKIP
    >>> answerer.ask(PassageIndex.open("texts.index"), ["Who built the bridge?"])[0].best  # doctest: +SKIP
    """

    analyser: QuestionAnalyser
    translators: PatternTranslators
    expected: ExpectedAnswer
    counts: TermCounts
    ranker: LinearModel
    settings: AnswererSettings = field(default_factory=AnswererSettings)
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @property
    def senses(self) -> Supersenses:
        """Supersenses of words."""
        return self.analyser.question_types.senses

    @cached_property
    def features(self) -> CandidateFeatures:
        """What makes the columns of candidates."""
        return CandidateFeatures(self.expected, self.translators.lexicon, self.counts, self.senses)

    def ask(
        self, index: PassageIndex, questions: Sequence[str], *, passages: int | None = None, verbose: bool = False
    ) -> list[Answers]:
        """Ranked answers to questions from the passages that fit each best; no answers where no passage does.

        A few tenths of a second for a question and 100 passages.
        """
        asked = self.analyser.analyse(questions)
        for each in asked:
            if len(each.annotated) > MOST_WORDS:
                raise UsageError(
                    f"a question may have {MOST_WORDS} words; {brief(each.text)} has {len(each.annotated):,}. Ask for "
                    "one thing, in a sentence."
                )
        most = self.settings.passages if passages is None else passages
        found = [sentences_found(index, question.text, most) for question in asked]
        annotated = self.annotate([[each.text for each in own] for own in found], verbose=verbose)
        lists = self.lists(asked, annotated, verbose=verbose)
        return ranked_answers(self.ranker, lists.data, lists.candidates, [each.text for each in asked], found)

    def annotate(self, texts: Sequence[Sequence[str]], *, verbose: bool = False) -> list[list[AnnotatedSentence]]:
        """Annotate the sentences of every question, all together."""
        flat = self.analyser.annotator.annotate([text for own in texts for text in own], verbose=verbose)
        return _regrouped(flat, texts)

    def lists(
        self,
        questions: Sequence[Question],
        sentences: Sequence[Sequence[AnnotatedSentence]],
        patterns: Sequence[AnswerPatterns] | None = None,
        ids: Sequence[str] | None = None,
        *,
        verbose: bool = False,
    ) -> CandidateLists:
        """The candidates in the sentences of every question, with their columns; quality 1 if a pattern matches."""
        return candidate_lists(
            self.features, self.translators, questions, sentences, patterns, ids, k=self.settings.best, verbose=verbose
        )

    def lists_of(
        self, records: Sequence[QuestionRecord], index: PassageIndex | None = None, *, verbose: bool = False
    ) -> CandidateLists:
        """Lists of the questions of a file, from their own sentences or from the passages of an index."""
        questions = self.analyser.analyse_words([record.question.words for record in records])
        if index is None:
            texts = [[sentence.words for sentence in record.sentences] for record in records]
            sentences = _regrouped(
                self.analyser.annotator.annotate_words([each for own in texts for each in own], verbose=verbose), texts
            )
        else:
            found = [sentences_found(index, question.text, self.settings.passages) for question in questions]
            sentences = self.annotate([[each.text for each in own] for own in found], verbose=verbose)
        patterns, ids = [record.patterns for record in records], [record.id for record in records]
        return self.lists(questions, sentences, patterns, ids, verbose=verbose)

    def save(self, path: str | Path) -> None:
        """Write one file that `load_answerer` opens; nothing in it can run code."""
        from runoff.tasks.answers.answerer_file import save_answerer

        save_answerer(self, path)

    def __repr__(self) -> str:
        return f"Answerer({self.provenance.get('questions', 0):,} questions, {self.provenance.get('pairs', 0):,} pairs)"


def candidate_lists(
    features: CandidateFeatures,
    translators: PatternTranslators,
    questions: Sequence[Question],
    sentences: Sequence[Sequence[AnnotatedSentence]],
    patterns: Sequence[AnswerPatterns] | None = None,
    ids: Sequence[str] | None = None,
    *,
    k: int,
    verbose: bool = False,
) -> CandidateLists:
    """Lists of candidates with their columns; the first round's score is the logarithm of the paper's best product."""
    levels = [QuestionLevels.of(each.annotated, features.senses) for each in questions]
    translated = translators.patterns(levels, k, verbose=verbose)
    candidates = [candidates_in(own) for own in sentences]
    tables = []
    with progress("features of candidates", len(questions), verbose=verbose) as step:
        for at, (question, own) in enumerate(zip(questions, sentences, strict=True)):
            asked = AskedQuestion(question.annotated, levels[at], question.types, translated[at])
            tables.append(features.table(asked, own, candidates[at]))
            step(at + 1)
    table = np.concatenate(tables) if tables else np.zeros((0, len(COLUMNS)))
    quality = None
    if patterns is not None:
        pairs = zip(patterns, candidates, strict=True)
        quality = np.array([float(each.match(one.text)) for each, own in pairs for one in own])
    data = NBest.from_arrays(
        Features.of(table, list(COLUMNS)),
        quality,
        base=np.log(product(FIRST_ROUND, table)),
        sizes=[len(own) for own in candidates],
        texts=[each.text for own in candidates for each in own],
        group_ids=[str(at) for at in range(len(questions))] if ids is None else list(ids),
        inputs=[each.text for each in questions],
        metric=METRIC,
    )
    return CandidateLists(data, candidates)


def _regrouped(flat: Sequence[AnnotatedSentence], like: Sequence[Sequence[Any]]) -> list[list[AnnotatedSentence]]:
    """As many of them for each as there were."""
    out, at = [], 0
    for own in like:
        out.append(list(flat[at : at + len(own)]))
        at += len(own)
    return out


def sentences_found(index: PassageIndex, question: str, passages: int) -> list[SourcedSentence]:
    """The sentences of the passages that fit a question best, with the name, file and line of each."""
    found = [index.passage(hit.passage) for hit in index.search(question, passages)]
    return [
        SourcedSentence(each.text[start:stop], each.id, each.file, each.line)
        for each in found
        for start, stop in split_sentences(each.text)
    ]
