"""The families of features of texts: what each looks at, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass

from runoff.parameters import picked


@dataclass(frozen=True)
class Family:
    """A family of features that can be switched on and off."""

    name: str
    what: str
    cost: str
    usual: bool = True  # whether it is made where nothing else is said


FAMILIES = {
    family.name: family
    for family in (
        Family(
            "scores",
            "features that the candidates carry, as they are (the first round's score is weighed in any case)",
            "nothing",
        ),
        Family(
            "position",
            "place in the first round's order; differences of its scores to the best, the next better and the mean",
            "O(n log k)",
        ),
        Family(
            "length",
            "words and characters; ratios to the input, to the list's mean and to the first choice",
            "O(characters)",
        ),
        Family(
            "agreement",
            "expected quality under the metric if one of the list is right (minimum Bayes risk), votes, copies, "
            "quality beside the first choice",
            "k² comparisons of a list with k different texts",
        ),
        Family(
            "posteriors",
            "how much of the list has the text's words, pairs and triples; words that no other candidate has",
            "O(words)",
        ),
        Family(
            "consensus",
            "edits from the word sequence that the list agrees on slot by slot (ROVER)",
            "k alignments, and k² edit distances to find where to begin",
        ),
        Family(
            "repetition",
            "words, pairs and triples that come again, the longest stretch that is repeated at once",
            "O(words x longest stretch)",
        ),
        Family(
            "shape",
            "capitals, digits and marks; how the text begins and ends; brackets left open; letters of another script",
            "O(characters), in Python once for every different word and text",
        ),
        Family(
            "overlap",
            "words, pairs, numbers and names that text and input share, or only one of them has",
            "O(words log input)",
        ),
        Family(
            "lm",
            "n-gram language model of the training references: log-probability, per word, at the worst place, unknown "
            "words",
            "O(words) and the training: one model, and one for each fold",
        ),
        Family(
            "words",
            "every word and pair of words that tells candidates apart in enough lists",
            "O(words), and a column for each",
        ),
        Family(
            "characters",
            "the same for characters in threes and fours",
            "O(characters), and a column for each",
            usual=False,
        ),
        Family(
            "embedding",
            "cosines to the others, to the first choice, to the centre of the list and to the input, by an encoder",
            "one pass of the encoder for every different text",
            usual=False,
        ),
    )
}
USUAL = tuple(family.name for family in FAMILIES.values() if family.usual)
SPARSE = ("words", "characters")  # families with columns by the thousand
SETS = {"usual": USUAL, "all": tuple(FAMILIES), "dense": tuple(name for name in USUAL if name not in SPARSE)}


def chosen(text: str) -> tuple[str, ...]:
    """Families by name: sets and families with commas between them, a minus takes one away again.

    The sets are `usual`, `dense` (usual without those of thousands of columns) and `all`; a text that begins with a
    minus begins from the usual ones.

    Examples
    --------
    >>> chosen("length,lm"), chosen("dense,-lm") == chosen("-lm,-words")
    (('length', 'lm'), True)
    """
    begin = USUAL if text.strip().startswith("-") else ()
    return picked(text, FAMILIES, SETS, "feature family", begin)
