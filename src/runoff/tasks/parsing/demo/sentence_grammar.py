"""A grammar that generates sentences with their trees; see `treebank` for what is planted in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from runoff.tasks.parsing.demo import lexicon as words
from runoff.tasks.parsing.demo.phrases import Phrase, fork, leaf, phrase
from runoff.tasks.parsing.demo.random_choices import RandomChoices

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from runoff.tasks.parsing.demo.lexicon import Verb

SLIP = 0.07  # probability that an attachment is an exception
ADJECTIVE, PLURAL = 0.35, 0.4  # probabilities for a noun phrase, the same everywhere, so that they reveal no position
PRESENT = 0.5  # probability of the present tense, in which verbs agree
NEAR = ("near", "behind")  # prepositions that always belong to the noun before them
SHORTEST, LONGEST = 6, 25  # words and punctuation of a sentence


class NounPhraseForm(NamedTuple):
    """What a simple noun phrase looks like."""

    has_adjective: bool
    plural: bool


class Subject(NamedTuple):
    """A noun phrase and the number that its verb must have."""

    phrase: Phrase
    plural: bool


class Writer(RandomChoices):
    """Generates the sentences of one document, which share a few names."""

    def __init__(self, rng: np.random.Generator) -> None:
        super().__init__(rng)
        self._cast = [self.one(words.NAMES) for _ in range(3)]

    def sentence(self) -> Phrase:
        """One sentence of a usual length."""
        while True:
            found = self.draw(
                [
                    (0.30, self._plain),
                    (0.18, self._with_object),
                    (0.14, self._about_subject),
                    (0.16, self._one_or_two_clauses),
                    (0.16, self._whose_verb),
                    (0.06, self._reported),
                ]
            )().capitalised()
            if SHORTEST <= sum(not token.startswith("(") for token in found.text.split()) <= LONGEST:
                return found

    # Sentences

    def _plain(self) -> Phrase:
        subject = self._subject()
        return self._top(self._opening(), subject.phrase, self._predicate(subject.plural))

    def _with_object(self) -> Phrase:
        subject = self._subject()
        verb = self._verb(words.TAKES_THING, self._tag(subject.plural))
        rest = phrase("VP", verb, self._complex().phrase, *self._ending())
        return self._top(self._opening(), subject.phrase, rest)

    def _about_subject(self) -> Phrase:
        subject = self._complex()
        tag = self._tag(subject.plural)
        if self.chance(0.5):
            be = leaf(tag, {"VBZ": "is", "VBP": "are"}.get(tag, "were" if subject.plural else "was"))
            rest = phrase("VP", be, phrase("ADJP", leaf("JJ", self.common(words.ADJECTIVES))))
        else:
            rest = self._simple_verb_phrase(tag)
        return self._top(self._opening(), subject.phrase, rest)

    def _one_or_two_clauses(self) -> Phrase:
        """`X knows the bakers and the dog barks`, or `... bark`: agreement says who is known and who barks."""
        are_two = self.chance(0.5)
        subject = self._simple_subject()
        first, second = (NounPhraseForm(self.chance(ADJECTIVE), plural) for plural in (True, self.chance(0.2)))
        known, other = self._noun_phrase(words.PEOPLE, first), self._noun_phrase(words.PEOPLE, second)
        verb = self._verb(words.TAKES_BOTH, self._tag(subject.plural))
        rest = self._simple_verb_phrase(self._tag(plural=second.plural or not are_two, present=0.9))
        opening, conjunction = self._opening(), leaf("CC", "and")
        two = self._top(
            opening,
            phrase("S", subject.phrase, phrase("VP", verb, known)),
            conjunction,
            phrase("S", other, rest),
        )
        clause = phrase("SBAR", phrase("S", phrase("NP", known, conjunction, other), rest))
        one = self._top(opening, subject.phrase, phrase("VP", verb, clause))
        return self._settled("clause", two, one, are_two)

    def _whose_verb(self) -> Phrase:
        """`The baker says that the dogs bark and sings`, or `... sing`: agreement says who sings."""
        is_outer = self.chance(0.5)
        outer = self._simple_subject()
        inner = self._simple_subject(plural=outer.plural == self.chance(0.2))
        outer_tag, inner_tag = self._tag(outer.plural, present=0.7), self._tag(inner.plural, present=0.7)
        verb, inner_verb = self._verb(words.TAKES_CLAUSE, outer_tag), self._simple_verb_phrase(inner_tag)
        conjunction, last = leaf("CC", "and"), self._simple_verb_phrase(outer_tag if is_outer else inner_tag)
        that = [leaf("IN", "that")] if self.chance(0.7) else []
        both = phrase("VP", inner_verb, conjunction, last)
        low = phrase("VP", verb, phrase("SBAR", *that, phrase("S", inner.phrase, both)))
        reported = phrase("VP", verb, phrase("SBAR", *that, phrase("S", inner.phrase, inner_verb)))
        high = phrase("VP", reported, conjunction, last)
        return self._top(self._opening(), outer.phrase, self._settled("verb", high, low, is_outer))

    def _reported(self) -> Phrase:
        outer, inner = self._simple_subject(), self._subject()
        verb = self._verb(words.TAKES_CLAUSE, self._tag(outer.plural))
        clause = phrase("S", inner.phrase, self._predicate(inner.plural))
        return self._top([], outer.phrase, phrase("VP", verb, phrase("SBAR", leaf("IN", "that"), clause)))

    def _top(self, opening: Sequence[Phrase], *parts: Phrase) -> Phrase:
        return phrase("S1", phrase("S", *opening, *parts, leaf(".", ".")))

    def _opening(self) -> list[Phrase]:
        if self.chance(0.8):
            return []
        return [self._time() if self.chance(0.6) else self._adverb(), leaf(",", ",")]

    def _ending(self) -> list[Phrase]:
        return [self._time() if self.chance(0.8) else self._adverb()] if self.chance(0.4) else []

    def _time(self) -> Phrase:
        return _preposition("in", phrase("NP", leaf("DT", "the"), leaf("NN", self.one(words.TIMES))))

    # Verb phrases

    def _predicate(self, plural: bool) -> Phrase:
        if self.chance(0.12):
            return phrase("VP", leaf("MD", self.one(["will", "must", "may"])), self._attachment("VB"))
        return self._attachment(self._tag(plural))

    def _attachment(self, tag: str) -> Phrase:
        """A verb, its object and a prepositional phrase that belongs to one of them."""
        to_verb = self.chance(0.5)
        if self.chance(0.5):
            preposition, verbs, nouns = "with", words.TAKES_THING, words.THINGS
            others = words.TOOLS if to_verb else words.PARTS
        else:
            preposition = self.one(list(words.VERB_TAKES))
            verbs = words.VERB_TAKES[preposition] if to_verb else words.TAKES_THING
            nouns = words.THINGS if to_verb else words.NOUN_TAKES[preposition]
            others = words.PLACES if preposition == "in" or self.chance(0.4) else words.PEOPLE
        verb, thing = self._verb(verbs, tag), self._noun_phrase(nouns)
        modifier = _preposition(preposition, self._placed(others))
        ending = self._ending()
        high = phrase("VP", verb, thing, modifier, *ending)
        low = phrase("VP", verb, phrase("NP", thing, modifier), *ending)
        return self._settled("attachment", high, low, to_verb)

    def _simple_verb_phrase(self, tag: str) -> Phrase:
        """A verb with modifiers that can only belong to it."""
        if self.chance(0.3):
            return phrase("VP", self._verb(words.TAKES_THING, tag), self._placed(words.THINGS))
        place = _preposition("in", self._placed(words.PLACES))
        rest = self.draw([(0.5, []), (0.25, [self._adverb()]), (0.25, [place])])
        return phrase("VP", self._verb(words.TAKES_NOTHING, tag), *rest)

    def _adverb(self) -> Phrase:
        return phrase("ADVP", leaf("RB", self.one(words.ADVERBS)))

    def _tag(self, plural: bool, present: float = PRESENT) -> str:
        return ("VBP" if plural else "VBZ") if self.chance(present) else "VBD"

    def _verb(self, verbs: Sequence[Verb], tag: str) -> Phrase:
        forms = self.one(verbs)
        return leaf(tag, {"VBZ": forms.VBZ, "VBD": forms.VBD}.get(tag, forms.VBP))

    # Noun phrases

    def _subject(self) -> Subject:
        return self._complex() if self.chance(0.45) else self._simple_subject()

    def _simple_subject(self, plural: bool | None = None) -> Subject:
        if plural is None:
            plural = self.chance(PLURAL)
        if self.chance(0.15):
            pronoun = self.one(["they", "we"] if plural else ["he", "she"])
            return Subject(phrase("NP", leaf("PRP", pronoun)), plural)
        if not plural and self.chance(0.3):
            return Subject(phrase("NP", leaf("NNP", self.one(self._cast))), plural)
        return Subject(self._placed(words.PEOPLE, NounPhraseForm(self.chance(ADJECTIVE), plural)), plural)

    def _complex(self) -> Subject:
        return self._relative() if self.chance(0.5) else self._coordination()

    def _relative(self) -> Subject:
        """`the letter from the sailor who ...`, or `which ...`: one pronoun is for people, the other for things."""
        nouns, preposition, others = self._related()
        to_first, shapes = self.chance(0.5), (self._shape(), self._shape())
        site, shape = (nouns, shapes[0]) if to_first else (others, shapes[1])
        first, second = self._noun_phrase(nouns, shapes[0]), self._noun_phrase(others, shapes[1])
        clause = self._relative_clause(of_person=site is words.PEOPLE, plural=shape.plural)
        high = phrase("NP", first, _preposition(preposition, second), clause)
        low = phrase("NP", first, _preposition(preposition, phrase("NP", second, clause)))
        return Subject(self._settled("relative", high, low, to_first), shapes[0].plural)

    def _relative_clause(self, of_person: bool, plural: bool) -> Phrase:
        pronoun = leaf("WP", "who") if of_person else leaf("WDT", "which")
        if self.chance(0.15):
            pronoun = leaf("WDT", "that")
        if self.chance(0.5):
            subject = self._simple_subject()
            rest = [subject.phrase, phrase("VP", self._verb(words.TAKES_THING, self._tag(subject.plural)))]
        else:
            rest = [self._simple_verb_phrase(self._tag(plural))]
        return phrase("SBAR", phrase("WHNP", pronoun), phrase("S", *rest))

    def _coordination(self) -> Subject:
        """`the key to the old door and the young sailor`: coordinated noun phrases look alike."""
        nouns, preposition, others = self._related()
        is_inner, shapes = self.chance(0.5), (self._shape(), self._shape())
        first, second = self._noun_phrase(nouns, shapes[0]), self._noun_phrase(others, shapes[1])
        if is_inner:
            third = self._noun_phrase(others, shapes[1])
        elif self.chance(0.4):
            more, again, last = self._related()
            third = phrase("NP", self._noun_phrase(more), _preposition(again, self._noun_phrase(last)))
        else:
            third = self._noun_phrase(others, self._shape(unlike=shapes[1]))
        conjunction = leaf("CC", self.one(["and", "and", "or"]))
        high = phrase("NP", phrase("NP", first, _preposition(preposition, second)), conjunction, third)
        low = phrase("NP", first, _preposition(preposition, phrase("NP", second, conjunction, third)))
        found = self._settled("coordination", high, low, not is_inner)
        return Subject(found, plural=shapes[0].plural or not is_inner)

    def _related(self) -> tuple[list[str], str, list[str]]:
        """Nouns, a preposition that goes with them, and nouns behind it: a person and a thing, or the reverse."""
        if self.chance(0.5):
            both = [words.PEOPLE, words.THINGS]
            first = int(self.chance(0.5))
            return both[first], self.one(NEAR), both[1 - first]
        if self.chance(0.5):
            return words.PEOPLE, "with", words.THINGS
        preposition = self.one(["to", "from"])
        return words.NOUN_TAKES[preposition], preposition, words.PEOPLE

    def _shape(self, unlike: NounPhraseForm | None = None) -> NounPhraseForm:
        while (found := NounPhraseForm(self.chance(ADJECTIVE), self.chance(PLURAL))) == unlike:
            pass
        return found

    def _placed(self, nouns: Sequence[str], shape: NounPhraseForm | None = None) -> Phrase:
        """A noun phrase, optionally with a place."""
        found = self._noun_phrase(nouns, shape)
        if self.chance(0.7):
            return found
        near = _preposition(self.one(NEAR), self._noun_phrase(self.one([words.PEOPLE, words.THINGS, words.PLACES])))
        return phrase("NP", found, near)

    def _noun_phrase(self, nouns: Sequence[str], shape: NounPhraseForm | None = None) -> Phrase:
        shape = shape or self._shape()
        noun = self.common(nouns)
        rest = [leaf("NNS", _plural(noun)) if shape.plural else leaf("NN", noun)]
        follows = noun
        if shape.has_adjective:
            follows = self.common(words.ADJECTIVES)
            rest.insert(0, leaf("JJ", follows))
        some = "some" if shape.plural else "an" if follows[0] in "aeiou" else "a"
        determiner = self.draw([(0.7, "the"), (0.2, some), (0.1, "these" if shape.plural else "this")])
        return phrase("NP", leaf("DT", determiner), *rest)

    def _settled(self, kind: str, high: Phrase, low: Phrase, is_high: bool) -> Phrase:
        """The reading that the words were chosen for, except for slips."""
        return fork(kind, high, low) if is_high != self.chance(SLIP) else fork(kind, low, high)


def _preposition(word: str, below: Phrase) -> Phrase:
    return phrase("PP", leaf("IN" if word != "to" else "TO", word), below)


def _plural(noun: str) -> str:
    if noun.endswith("man"):
        return f"{noun[:-3]}men"
    return f"{noun[:-1]}ies" if noun.endswith(("ry", "by")) else f"{noun}{'es' if noun.endswith(('x', 'ch')) else 's'}"
