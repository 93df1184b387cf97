"""Parts of speech, chunks and entities by plain rules, for sentences that come without tags of their own.

Taggers that learn from them are worse than those of a tagged corpus, and need none. Words are looked up in WordNet's
first senses; what is written with a capital is a name; numbers, years and months are what they look like.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.tasks.answers.supersenses import Supersenses

_CLOSED = {
    "DT": "the a an this that these those every each some any no all both another",
    "IN": "of in on at by for from with into over under between after before during since through against about near "
    "among across along around behind beyond above below without within until as than because if while although though",
    "PRP": "i you he she it we they him her them me us himself herself itself themselves",
    "PRP$": "his its their our my your",
    "WP": "who whom what",
    "WDT": "which",
    "WRB": "when where why how",
    "CC": "and or but nor",
    "MD": "can could may might must shall should will would",
    "TO": "to",
    "VBZ": "is has does 's",
    "VBP": "are am have do",
    "VBD": "was were had did",
    "VB": "be",
    "VBN": "been",
    "VBG": "being",
    "RB": "not n't very also too still never always often only just there then now here so more most",
    "EX": "",
}
_TAG_OF = {word: tag for tag, words in _CLOSED.items() for word in words.split()}
_MONTHS = frozenset(
    "january february march april may june july august september october november december".split()  # noqa: SIM905
)
_NUMBER_WORDS = frozenset(("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "dozen"))
_AMOUNTS = frozenset(("hundred", "thousand", "million", "billion"))
_ADJECTIVES = ("ous", "ful", "ive", "able", "ible", "ish", "less", "ic", "al", "est")
_YEAR = re.compile(r"1\d{3}|20\d{2}")
_NUMBER = re.compile(r"[+-]?\d[\d,.:/]*(?:st|nd|rd|th|s)?", re.IGNORECASE)
_BEFORE_VERBS = ("TO", "MD", "PRP", "NNS", "WP")
_BEFORE_NOUNS = ("DT", "JJ", "PRP$", "POS", "IN", "CD")
_CLASSES = {"noun.location": "LOCATION", "noun.person": "PERSON", "noun.group": "ORGANIZATION", "noun.time": "DATE"}


class PlainTags(NamedTuple):
    """A part of speech, a chunk tag and an entity tag for every word."""

    pos: tuple[str, ...]
    chunks: tuple[str, ...]
    entities: tuple[str, ...]


def plain_tags(words: Sequence[str], senses: Supersenses) -> PlainTags:
    """Tags by rules. O(words).

    Examples
    --------
    >>> from runoff.tasks.answers.supersenses import Supersenses
    >>> tags = plain_tags("Anna Berg won the prize in Paris in 1903 .".split(), Supersenses.shipped())
    >>> tags.pos
    ('NNP', 'NNP', 'VBD', 'DT', 'NN', 'IN', 'NNP', 'IN', 'CD', '.')
    >>> tags.chunks
    ('B-NP', 'I-NP', 'B-VP', 'B-NP', 'I-NP', 'B-PP', 'B-NP', 'B-PP', 'B-NP', 'O')
    >>> tags.entities
    ('B-NAME', 'I-NAME', 'O', 'O', 'O', 'O', 'B-LOCATION', 'O', 'B-DATE', 'O')
    """
    pos: list[str] = []
    for at in range(len(words)):
        pos.append(_part_of_speech(words, at, pos[-1] if pos else "", senses))
    return PlainTags(tuple(pos), tuple(chunk_tags(pos)), tuple(_entities(words, pos, senses)))


def _part_of_speech(words: Sequence[str], at: int, before: str, senses: Supersenses) -> str:
    word, lower = words[at], words[at].lower()
    if not any(map(str.isalnum, word)):
        return "''" if word in ("''", '"', "”") else word if len(word) == 1 or word == "``" else ":"
    if lower == "'s":
        return "POS" if before.startswith("NN") else "VBZ"
    if _NUMBER.fullmatch(word) or lower in _NUMBER_WORDS or lower in _AMOUNTS:
        return "CD"
    if lower in _TAG_OF and not (word[0].isupper() and at > 0):
        return _TAG_OF[lower]
    noun, verb = senses.lemma(lower, "NN"), senses.lemma(lower, "VB")
    is_plural = noun is not None and noun != lower and lower.endswith("s")
    # At the start of a sentence, plurals and verbs (Name one) may be no names; a bare singular mostly is one.
    if word[0].isupper() and (at > 0 or _goes_on(words) or (verb is None and not is_plural)):
        return "NNP"
    may_be_verb = before not in _BEFORE_NOUNS
    if verb is not None and may_be_verb and (noun is None or before in _BEFORE_VERBS or _is_form(lower, verb)):
        return _verb_tag(lower, verb)
    if noun is not None:
        return "NNS" if is_plural else "NN"
    if lower.endswith("ly"):
        return "RB"
    if lower.endswith(_ADJECTIVES):
        return "JJ"
    return _verb_tag(lower, verb) if verb is not None else "NN"


def _goes_on(words: Sequence[str]) -> bool:
    """Whether a sentence begins with two words in capitals, as names do."""
    return len(words) > 1 and words[1][:1].isupper()


def _is_form(word: str, lemma: str) -> bool:
    """Whether a word is not the base form of the verb, and looks like no plural."""
    return word != lemma and not word.endswith("s")


def _verb_tag(word: str, lemma: str) -> str:
    if word.endswith("ing") and word != lemma:
        return "VBG"
    if word.endswith("s") and word != lemma:
        return "VBZ"
    return "VB" if word == lemma else "VBD"


def chunk_tags(pos: Sequence[str]) -> list[str]:
    """Chunks by parts of speech: noun phrases, verb groups, prepositions.

    Examples
    --------
    >>> chunk_tags(["DT", "NN", "VBD"])
    ['B-NP', 'I-NP', 'B-VP']
    """
    out: list[str] = []
    kind = ""
    for tag in pos:
        here = _chunk_kind(tag)
        # A determiner, pronoun or possessive ending begins a phrase.
        begins = here != kind or tag in ("DT", "PRP", "PRP$", "POS", "IN", "TO", "WP", "WDT", "EX")
        out.append("O" if not here else f"{'B' if begins else 'I'}-{here}")
        kind = here
    return out


def _chunk_kind(tag: str) -> str:
    if tag.startswith(("NN", "DT", "JJ", "CD", "PRP", "POS", "WP", "WDT", "EX")):
        return "NP"
    if tag.startswith(("VB", "MD")):
        return "VP"
    return {"IN": "PP", "TO": "PP", "RB": "ADVP", "WRB": "ADVP"}.get(tag, "")


def _entities(words: Sequence[str], pos: Sequence[str], senses: Supersenses) -> list[str]:
    out = ["O"] * len(words)
    at = 0
    while at < len(words):
        stop = at
        while stop < len(words) and _is_date(words, stop, at):
            stop += 1
        label = "DATE"
        if stop == at:
            while stop < len(words) and pos[stop] in ("NNP", "NNPS"):
                stop += 1
            label = _name_class(words[at:stop], senses)
        if stop == at:
            while stop < len(words) and (pos[stop] == "CD" or (stop > at and words[stop].lower() in _AMOUNTS)):
                stop += 1
            label = "NUMBER"
        if stop == at:
            at += 1
            continue
        out[at:stop] = [f"B-{label}", *[f"I-{label}"] * (stop - at - 1)]
        at = stop
    return out


def _is_date(words: Sequence[str], at: int, first: int) -> bool:
    """A month, a year, or the day and comma between them."""
    word = words[at]
    if _YEAR.fullmatch(word) or (word.lower() in _MONTHS and word[0].isupper() and len(word) > 2):
        return True
    after = words[at + 1] if at + 1 < len(words) else ""
    if word == ",":
        return at > first and bool(_YEAR.fullmatch(after))
    is_day = word.isdecimal() and len(word) <= 2
    return is_day and (at > first or (after.lower() in _MONTHS and after[:1].isupper()))


def _name_class(words: Sequence[str], senses: Supersenses) -> str:
    """What WordNet says a name is, if it says anything of it as a whole; else NAME."""
    sense = senses.of(" ".join(words), "NN") if words else None
    return _CLASSES.get(sense or "", "NAME")
