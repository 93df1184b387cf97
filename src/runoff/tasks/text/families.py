"""The families of text features: what each one measures, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass

from runoff.parameters import picked


@dataclass(frozen=True)
class Family:
    """A family of features that can be switched on and off."""

    name: str
    what: str
    cost: str
    usual: bool = True  # whether it is on by default


NEURAL = "neural"
FAMILIES = {
    family.name: family
    for family in (
        Family(
            "scores",
            "the candidates' own features, unchanged (the first round's score is always used)",
            "none",
        ),
        Family(
            "position",
            "rank in the first round; its score relative to the best, to the next better one and to the mean",
            "O(n log k)",
        ),
        Family(
            "length",
            "words and characters; length relative to the input, to the list's mean and to the first choice",
            "O(characters)",
        ),
        Family(
            "agreement",
            "expected quality if a candidate of the list is the reference (minimum Bayes risk), votes, copies, "
            "similarity to the first choice",
            "k² comparisons for a list of k distinct texts",
        ),
        Family(
            "posteriors",
            "share of the list that has the text's unigrams, bigrams and trigrams; words that no other candidate has",
            "O(words)",
        ),
        Family(
            "consensus",
            "edit distance to the consensus of the list, which is built word by word (ROVER)",
            "k alignments, and k² edit distances to find the text to align to",
        ),
        Family(
            "repetition",
            "repeated words, bigrams and trigrams; the longest immediate repetition",
            "O(words x longest repetition)",
        ),
        Family(
            "shape",
            "capitals, digits, punctuation; first and last character; unbalanced brackets; letters of another script",
            "O(characters), in Python once for each distinct word and text",
        ),
        Family(
            "overlap",
            "words, bigrams, numbers and names that the text shares with the input, or that only one of them has",
            "O(words log input)",
        ),
        Family(
            "lm",
            "n-gram language model of the training references: log-probability of the text, per word and of the least "
            "likely word; unknown words",
            "O(words), and training one model plus one per fold",
        ),
        Family(
            "words",
            "counts of words and bigrams that differ between the candidates of enough lists",
            "O(words), and one sparse column each",
        ),
        Family(
            "characters",
            "counts of character 3-grams and 4-grams that differ between the candidates of enough lists",
            "O(characters), and one sparse column each",
            usual=False,
        ),
        Family(
            "embedding",
            "cosine similarity to the others, to the first choice, to the input and to the mean of the list, by a "
            "sentence encoder",
            "encoding each distinct text once",
            usual=False,
        ),
        Family(
            NEURAL,
            "scores by neural models: cross-encoders, reward models, causal and masked language models",
            "a pass of the network over each distinct text; for masked models one for each of its tokens",
            usual=False,
        ),
    )
}
USUAL = tuple(family.name for family in FAMILIES.values() if family.usual)
SPARSE = ("words", "characters")  # families of thousands of sparse columns
ALL = tuple(name for name in FAMILIES if name != NEURAL)
SETS = {"usual": USUAL, "all": ALL, "dense": tuple(name for name in USUAL if name not in SPARSE)}


def select_families(text: str) -> tuple[str, ...]:
    """Families by name: a comma-separated list of families and sets; a minus sign removes one.

    The sets are `usual`, `dense` (usual without the sparse families) and `all`, without `neural`, which needs models. A
    list that begins with a minus sign starts from `usual`.

    Examples
    --------
    >>> select_families("length,lm"), select_families("dense,-lm") == select_families("-lm,-words")
    (('length', 'lm'), True)
    """
    begin = USUAL if text.strip().startswith("-") else ()
    return picked(text, FAMILIES, SETS, "feature family", begin)
