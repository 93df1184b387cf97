"""The families of features of translations: those of texts, and those that compare a translation with its source."""

from __future__ import annotations

from runoff.parameters import picked
from runoff.tasks.text.families import FAMILIES as OF_TEXTS
from runoff.tasks.text.families import NEURAL, Family
from runoff.tasks.text.families import SPARSE as SPARSE_OF_TEXTS

TAGS = "tags"
OWN = {
    family.name: family
    for family in (
        Family(
            "lexicon",
            "how likely translation and source are as translations of each other, word by word (IBM model 1), in both "
            "directions",
            "O(source words x target words), and training one aligner plus one per fold",
        ),
        Family(
            "coverage",
            "source words left out, target words that nothing explains, links per word, length against the usual "
            "ratio; unknown words, numbers and marks kept or lost",
            "O(source words x target words)",
        ),
        Family(
            "fluency",
            "n-gram language model of the target side of parallel text: log-probability, per word and of the least "
            "likely word; unknown words",
            "O(words), and training one model plus one per fold",
        ),
        Family(
            "pairs",
            "counts of linked words, of two linked words in a row, and of source words without a link that differ "
            "between the candidates of enough lists",
            "O(source words x target words), and one sparse column each",
            usual=False,
        ),
        Family(
            TAGS,
            "counts of one to three tags in a row, by a tagger of the target language (setting target_tagger), that "
            "differ between the candidates of enough lists",
            "what tagging every candidate costs, and one sparse column each",
            usual=False,
        ),
    )
}
COMPARING = tuple(name for name in OWN if name != TAGS)  # translations with their sources
FAMILIES = {**OF_TEXTS, **OWN}
SPARSE = (*SPARSE_OF_TEXTS, "pairs", TAGS)
DENSE = tuple(family.name for family in FAMILIES.values() if family.usual and family.name not in SPARSE)
ALL = tuple(name for name in FAMILIES if name not in (TAGS, NEURAL))
SETS = {"usual": DENSE, "all": ALL, "dense": DENSE, "own": COMPARING}


def select_families(text: str) -> tuple[str, ...]:
    """Families by name: a comma-separated list of families and sets; a minus sign removes one.

    The sets are `usual`, `dense`, `own` (those that compare translations with their sources) and `all`, without `tags`
    and `neural`, which need a tagger and models. A list that begins with a minus sign starts from `usual`.

    Examples
    --------
    >>> select_families("length,lexicon"), "lexicon" in select_families("-lm")
    (('length', 'lexicon'), True)
    """
    return picked(text, FAMILIES, SETS, "feature family", DENSE if text.strip().startswith("-") else ())
