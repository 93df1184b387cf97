"""What features of translations know from parallel text, with and without the sentences of the training lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.errors import ModelError
from runoff.features.lm import LanguageModel
from runoff.progress import progress
from runoff.tasks.translation.bilingual_lexicon import BilingualLexicon
from runoff.tasks.translation.bitext import Bitext
from runoff.tasks.translation.joined_tokens import clean
from runoff.tasks.translation.language import Language

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Bools, Ints
    from runoff.nbest import NBest


@dataclass(frozen=True, eq=False)
class ParallelKnowledge:
    """A lexicon of both directions, and a language model of the target side.

    Examples
    --------
    >>> found = TrainingPairs(["the cat", "the dog", "a dog"], ["die Katze", "der Hund", "ein Hund"]).learn(lm_order=2)
    >>> found.lexicon.direct.translations("dog", 1)[0][0], found.language_model.order
    ('Hund', 2)
    """

    lexicon: BilingualLexicon
    language_model: LanguageModel

    def to_step(self) -> dict[str, Any]:
        """Plain values and arrays, for a model file."""
        return {"lexicon": self.lexicon.to_step(), "language_model": self.language_model.to_arrays()}

    @classmethod
    def from_step(cls, kept: Any) -> ParallelKnowledge:
        """From `to_step`, with a full check; raises `ModelError` where something is damaged."""
        if not isinstance(kept, dict) or not isinstance(kept.get("language_model"), dict):
            raise ModelError("what the features know from parallel text is damaged in this file.")
        return cls(BilingualLexicon.from_step(kept.get("lexicon")), LanguageModel.from_arrays(kept["language_model"]))


class TrainingPairs:
    """Sentence pairs that knowledge is learned from, tokenized once.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> lists = NBest.from_arrays(texts=["ein Hund", "die Katze"], sizes=[1, 1], inputs=["a dog", "the cat"])
    >>> pairs = TrainingPairs(["a cat", "a dog "], ["eine Katze", "ein Hund"])
    >>> pairs.seen_by(lists).tolist()
    [False, True]
    """

    def __init__(self, source: Sequence[str], target: Sequence[str]) -> None:
        self.source, self.target = list(map(clean, source)), list(map(clean, target))
        self.languages = Language.learn(self.source), Language.learn(self.target)
        ours, theirs = self.languages
        self.bitext = Bitext(ours.tokens(self.source), theirs.tokens(self.target))

    @classmethod
    def of_lists(cls, data: NBest) -> TrainingPairs | None:
        """The inputs of lists with each of their references; None if there are none of either."""
        if data.inputs is None or data.references is None:
            return None
        inputs, references = data.inputs.to_pylist(), data.references.to_pylist()
        pairs = [
            (source, text)
            for source, texts in zip(inputs, references, strict=True)
            for text in dict.fromkeys(texts or ())
            if source and text
        ]
        return cls(*zip(*pairs, strict=True)) if pairs else None

    def seen_by(self, data: NBest) -> Bools:
        """Whether the source of a pair is the input of a list, or its target a reference."""
        inputs = {clean(text) for text in (() if data.inputs is None else data.inputs.to_pylist()) if text}
        lists = [] if data.references is None else data.references.to_pylist()
        references = {clean(text) for texts in lists for text in texts or () if text}
        pairs = zip(self.source, self.target, strict=True)
        return np.array([ours in inputs or theirs in references for ours, theirs in pairs], bool)

    def learn(self, lm_order: int, without: Bools | None = None) -> ParallelKnowledge:
        """Learn from all pairs, or from those without a mark."""
        bitext = self.bitext if without is None else self.bitext.take(np.flatnonzero(~without))
        lexicon = BilingualLexicon.of_tokens(*self.languages, bitext.source, bitext.target)
        return ParallelKnowledge(lexicon, LanguageModel.train(bitext.target, lm_order))

    def learn_without(
        self, data: NBest, fold_of: Ints, lm_order: int, *, verbose: bool = False
    ) -> tuple[ParallelKnowledge, list[ParallelKnowledge]]:
        """What all pairs teach, and for every fold of lists what those teach that none of its lists has seen."""
        folds = int(fold_of.max(initial=-1)) + 1
        with progress("words of parallel text", folds + 1, verbose=verbose) as step:
            whole = self.learn(lm_order)
            step(1)
            apart: list[ParallelKnowledge] = []
            for fold in range(folds):
                seen = self.seen_by(data[fold_of == fold])
                apart.append(self.learn(lm_order, seen) if seen.any() else whole)
                step(fold + 2)
        return whole, apart
