"""Which words of a sentence are predicates, and of which lemma: learned from sentences with roles."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from runoff.errors import DataError, UsageError
from runoff.learners import ChainPerceptron
from runoff.tasks.roles.annotation import known_tags
from runoff.tasks.roles.lemmas import Lemmas
from runoff.tasks.roles.propositions import PREDICATE, Argument, Proposition
from runoff.tasks.roles.tag_columns import corpus_of
from runoff.tasks.tagging.templates import Templates
from runoff.tasks.tagging.training import train_tagger

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from runoff.learners.chain_run import ChainLearner
    from runoff.tasks.roles.propositions import RoleSentence
    from runoff.tasks.tagging.tagger import Tagger

COLUMN, IS_PREDICATE, IS_NONE = "predicate", "P", "O"
_AUXILIARIES = frozenset(["be", "have", "do"])
_LIGHT = ".LV"  # rolesets of light verbs: take a walk
_WORDS = """
word[0]
lower[-2]
lower[-1]
lower[0]
lower[1]
lower[2]
lower[-1] lower[0]
lower[0] lower[1]
lower-suffix[0,2]
lower-suffix[0,3]
lower-suffix[0,4]
lower-prefix[0,4]
short-shape[0]
tag[-1]
"""
_TAGS = """
pos[-2]
pos[-1]
pos[0]
pos[1]
pos[2]
pos[-1] pos[0]
pos[0] pos[1]
pos[0] pos[1] pos[2]
pos[-2] pos[-1] pos[0]
pos[-1] pos[0] pos[1]
lower[0] pos[0]
lower[0] pos[-1]
lower[0] pos[1]
lower[0] pos[1] pos[2]
lower[0] pos[1] pos[2] pos[3]
lower-suffix[0,3] pos[0]
"""


def is_proper(proposition: Proposition) -> bool:
    """Whether a predicate has a frame of its own: not a light verb, nor be, have or do without arguments.

    Examples
    --------
    >>> is_proper(Proposition.of(0, "take", [(0, 1, "V")], "take.LV")), is_proper(Proposition.of(0, "go", []))
    (False, True)
    """
    if proposition.roleset is not None and proposition.roleset.endswith(_LIGHT):
        return False
    return bool(proposition.roles) or proposition.lemma not in _AUXILIARIES


@dataclass(frozen=True, eq=False)
class PredicateFinder:
    """Finds the predicates of sentences.

    Examples
    --------
    >>> from runoff.tasks.roles.propositions import RoleSentence
    >>> left = Proposition.of(1, "leave", [(0, 1, "A0"), (1, 2, "V")], "leave.01")
    >>> finder = train_finder([RoleSentence(("He", "left"), (left,), pos=("PRP", "VBD"))] * 3)
    >>> finder.find([RoleSentence(("She", "left"), pos=("PRP", "VBD"))])[0].propositions
    (Proposition(predicate=1, lemma='leave', arguments=(Argument(start=1, stop=2, label='V'),), roleset='leave.01'),)
    """

    tagger: Tagger
    lemmas: Lemmas
    provenance: dict[str, Any] = field(default_factory=dict)

    @property
    def needs_tags(self) -> bool:
        """Whether sentences must have parts of speech."""
        return "pos" in self.tagger.features.templates.columns

    def find(self, sentences: Sequence[RoleSentence], *, rolesets: bool = True) -> list[RoleSentence]:
        """The sentences with the predicates that were found, in place of their own. O(words).

        Parameters
        ----------
        sentences
            With parts of speech, or trees that have them, if the finder was trained with some.
        rolesets
            Name the most frequent roleset of every lemma, where it is known.
        """
        ready = _tagged(sentences) if self.needs_tags else list(sentences)
        tags = iter(self.tagger.label(corpus_of(ready)).texts())
        found = []
        for given, sentence in zip(sentences, ready, strict=True):
            own = [at for at, tag in zip(range(len(sentence.words)), tags, strict=False) if tag == IS_PREDICATE]
            found.append(given.with_propositions(self._proposition(sentence, at, rolesets=rolesets) for at in own))
        return found

    def _proposition(self, sentence: RoleSentence, at: int, *, rolesets: bool) -> Proposition:
        lemma = self.lemmas.of(sentence.words[at], "" if sentence.pos is None else sentence.pos[at])
        roleset = self.lemmas.rolesets.get(lemma) if rolesets else None
        return Proposition(at, lemma, (Argument(at, at + 1, PREDICATE),), roleset)

    def save(self, path: str | Path) -> None:
        """Write one file that `load_finder` opens; nothing in it can run code."""
        from runoff.tasks.roles.predicate_file import save_finder

        save_finder(self, path)

    def __repr__(self) -> str:
        counts = f"{self.tagger.features.n_features:,} features, {len(self.lemmas.of_words):,} words with lemmas"
        return f"PredicateFinder({counts})"


def train_finder(sentences: Sequence[RoleSentence], *, learner: ChainLearner | None = None) -> PredicateFinder:
    """Learn to find predicates from sentences with roles.

    Parameters
    ----------
    sentences
        With parts of speech (or trees that have them), unless only words are to be looked at. Light verbs, and be, have
        and do without arguments, are learned as words that are no predicates; see `is_proper`.
    learner
        In place of an averaged perceptron of 6 epochs, which takes a few seconds for 200,000 words.

    Examples
    --------
    >>> from runoff.tasks.roles.propositions import RoleSentence
    >>> train_finder([RoleSentence(("Yes",))])
    Traceback (most recent call last):
    runoff.errors.DataError: there are no predicates to learn from.
    """
    proper = [[each for each in sentence.propositions if is_proper(each)] for sentence in sentences]
    if not any(proper):
        raise DataError("there are no predicates to learn from.")
    if not all(sentence.has_words for sentence in sentences if sentence.words):
        raise DataError("the sentences have no words, which a finder of predicates learns from.")
    has_tags = all(known_tags(sentence) is not None for sentence in sentences)
    ready = _tagged(sentences) if has_tags else [replace(sentence, pos=None) for sentence in sentences]
    corpus = corpus_of(ready)
    marks = (mark for sentence, own in zip(ready, proper, strict=True) for mark in _marks(len(sentence.words), own))
    tagger = train_tagger(
        corpus.with_column(COLUMN, marks),
        COLUMN,
        templates=Templates.parse(_WORDS + _TAGS * has_tags, path="templates of predicates"),
        learner=ChainPerceptron(epochs=6, margin=1.0, dropout=0.1) if learner is None else learner,
    )
    lemmas = Lemmas.learn(
        (
            sentence.words[each.predicate],
            (sentence.pos or {each.predicate: ""})[each.predicate],
            each.lemma,
            each.roleset,
        )
        for sentence, own in zip(ready, proper, strict=True)
        for each in own
    )
    provenance = {"sentences": len(sentences), "predicates": sum(map(len, proper)), "tags": has_tags}
    return PredicateFinder(tagger, lemmas, provenance)


def _marks(n_words: int, propositions: Iterable[Proposition]) -> list[str]:
    found = [IS_NONE] * n_words
    for each in propositions:
        found[each.predicate] = IS_PREDICATE
    return found


def _tagged(sentences: Sequence[RoleSentence]) -> list[RoleSentence]:
    """The sentences with parts of speech, their own or those of their trees."""
    found = [
        sentence if sentence.pos is not None else replace(sentence, pos=known_tags(sentence)) for sentence in sentences
    ]
    without = sum(sentence.pos is None for sentence in found)
    if without:
        raise UsageError(
            f"predicates are found by parts of speech, and sentences without any: {without:,} of {len(found):,}; give "
            "them tags or trees first (--pos TAGGER or --trees GRAMMAR)."
        )
    return found
