"""Translators of questions into sentences that answer them, at both levels, and their best translations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from runoff.errors import DataError
from runoff.metrics.tokens import tokenised
from runoff.tasks.answers.context_scores import Patterns
from runoff.tasks.translation.aligner import align_bitext
from runoff.tasks.translation.bitext import Bitext
from runoff.tasks.translation.training import train_translator
from runoff.tasks.translation.translator_settings import TranslatorSettings
from runoff.tasks.translation.tuning import tune

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from runoff.tasks.answers.training_pairs import AnswerPair, QuestionLevels
    from runoff.tasks.translation.lexical_table import LexicalTable
    from runoff.tasks.translation.translator import Translator

BEST = 100  # translations of a question that sentences are compared with
# Moses' usual eight terms (section 5.2); the case of words is gone already.
SETTINGS = TranslatorSettings(truecase=False, reordering=False)
_FEWEST = 2  # pairs


class PatternWeights(NamedTuple):
    """Weights of the two translators, by the names of their terms."""

    words: Mapping[str, float]
    abstract: Mapping[str, float]


class QuestionPatterns(NamedTuple):
    """Translations of one question at Level1 and at Level2."""

    words: Patterns
    abstract: Patterns


@dataclass(frozen=True, eq=False)
class PatternTranslators:
    """Two translators, and p(question word | sentence word) of IBM model 1.

    Examples
    --------
    >>> from runoff.tasks.answers.training_pairs import AnswerPair, QuestionLevels
    >>> pairs = [AnswerPair(0, f"who sang {song} ?", f"ANSWER sang {song} .", "who sang X ?", "ANSWER sang X .")
    ...          for song in ("yesterday", "imagine", "hello")]
    >>> translators = PatternTranslators.train(pairs)
    >>> patterns, = translators.patterns([QuestionLevels("who sang hello ?", "who sang X ?", ())])
    >>> patterns.words.texts[0]
    ['ANSWER', 'sang', 'hello', '.']
    """

    words: Translator
    abstract: Translator
    lexicon: LexicalTable

    @classmethod
    def train(
        cls,
        pairs: Sequence[AnswerPair],
        weights: PatternWeights | None = None,
        settings: TranslatorSettings = SETTINGS,
        *,
        verbose: bool = False,
    ) -> PatternTranslators:
        """Train both translators on pairs; without weights from `tuned_weights`, with rough ones.

        Ten CPU seconds for 5,000 pairs.
        """
        if len(pairs) < _FEWEST:
            raise DataError(
                f"translators need sentences in which an answer pattern matches; found {len(pairs)} of them. "
                "Give more questions with 'answering' sentences."
            )
        words = train_translator([each.question1 for each in pairs], [each.sentence1 for each in pairs], settings)
        abstract = train_translator([each.question2 for each in pairs], [each.sentence2 for each in pairs], settings)
        if weights is not None:
            words, abstract = words.with_weights(weights.words), abstract.with_weights(weights.abstract)
        sides = ([each.question1 for each in pairs], [each.sentence1 for each in pairs])
        bitext = Bitext(*(tokenised(side, lambda word: [word]) for side in sides))
        return cls(words, abstract, align_bitext(bitext, "model1", verbose=verbose).inverse.pruned(1e-4))

    def patterns(
        self, questions: Sequence[QuestionLevels], k: int = BEST, *, verbose: bool = False
    ) -> list[QuestionPatterns]:
        """The k best translations of questions at both levels; fewer where there are no more."""
        sides = [
            _nbest(self.words, [each.words for each in questions], k, verbose=verbose),
            _nbest(self.abstract, [each.abstract for each in questions], k, verbose=verbose),
        ]
        return [QuestionPatterns(Patterns(ours), Patterns(theirs)) for ours, theirs in zip(*sides, strict=True)]


def tuned_weights(
    pairs: Sequence[AnswerPair],
    tuning: Sequence[AnswerPair],
    settings: TranslatorSettings = SETTINGS,
    *,
    rounds: int = 5,
    k: int = BEST,
    seed: int = 0,
    verbose: bool = False,
    say: Callable[[str], object] = print,
) -> PatternWeights:
    """Weights by minimum error rate training for BLEU (Och 2003) on pairs that the translators are not trained on."""
    found: list[Mapping[str, float]] = []
    columns = (("question1", "sentence1"), ("question2", "sentence2"))
    for level, (source, target) in enumerate(columns, 1):
        translator = train_translator(_column(pairs, source), _column(pairs, target), settings)
        say(f"weights of the translator of Level{level}: from {len(tuning):,} pairs")
        tuned, _ = tune(
            translator,
            _column(tuning, source),
            [[text] for text in _column(tuning, target)],
            metric="bleu[tokenize=none]",
            k=k,
            rounds=rounds,
            seed=seed,
            verbose=verbose,
            say=say,
        )
        found.append(tuned.weights)
    return PatternWeights(*found)


def _column(pairs: Sequence[AnswerPair], name: str) -> list[str]:
    return [getattr(each, name) for each in pairs]


def _nbest(translator: Translator, texts: Sequence[str], k: int, **options: Any) -> list[list[list[str]]]:
    different = list(dict.fromkeys(texts))  # abstract questions are often the same
    lists = translator.nbest(different, k, **options)
    found, bounds = lists.texts.to_pylist(), lists.offsets.tolist()  # type: ignore[union-attr]
    of = {
        text: [each.split() for each in found[start:stop]]
        for text, start, stop in zip(different, bounds[:-1], bounds[1:], strict=True)
    }
    return [of[text] for text in texts]
