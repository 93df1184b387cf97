"""Questions with parts of speech, chunks and entities that were written by hand."""

from __future__ import annotations

from runoff.tasks.answers.annotated import AnnotatedSentence, spans_of_tags


def question(text: str) -> AnnotatedSentence:
    """A sentence from tokens such as word/POS/chunk or word/POS/chunk/entity, with blanks between them."""
    parts = [token.rsplit("/", 2 + (token.count("/") > 2)) for token in text.split()]
    words, pos, chunks, entities = zip(*((*part, "O")[:4] for part in parts), strict=True)
    return AnnotatedSentence(words, pos, spans_of_tags(chunks), spans_of_tags(entities))


WHO = question("Who/WP/B-NP invented/VBD/B-VP the/DT/B-NP telephone/NN/I-NP ?/./O")
BIRD = question("What/WDT/B-NP bird/NN/I-NP sings/VBZ/B-VP ?/./O")
KIND = question(
    "What/WDT/B-NP kind/NN/I-NP of/IN/B-PP bridge/NN/B-NP is/VBZ/B-VP the/DT/B-NP Golden/NNP/I-NP/B-FAC "
    "Gate/NNP/I-NP/I-FAC Bridge/NNP/I-NP/I-FAC ?/./O"
)
WHEN = question("When/WRB/B-ADVP did/VBD/O Hawaii/NNP/B-NP/B-GPE become/VB/B-VP a/DT/B-NP state/NN/I-NP ?/./O")
POPULATION = question("What/WP/B-NP is/VBZ/B-VP the/DT/B-NP population/NN/I-NP of/IN/B-PP Ohio/NNP/B-NP/B-GPE ?/./O")
HEAD_OF_PERSON = question(
    "What/WDT/B-NP person/NN/I-NP 's/POS/B-NP head/NN/I-NP is/VBZ/B-VP on/IN/B-PP a/DT/B-NP dime/NN/I-NP ?/./O"
)
LATE = question("He/PRP/B-NP played/VBD/B-VP for/IN/B-PP which/WDT/B-NP baseball/NN/I-NP team/NN/I-NP ?/./O")
QUOTED = question(
    "Who/WP/B-NP wrote/VBD/B-VP ``/``/O To/TO/B-VP Be/VB/I-VP ''/''/O in/IN/B-PP 1600/CD/B-NP/B-DATE ?/./O"
)
REQUEST = question("Name/VB/B-VP a/DT/B-NP very/RB/I-NP old/JJ/I-NP city/NN/I-NP ././O")
MANY = question("How/WRB/B-NP many/JJ/I-NP red/JJ/I-NP cars/NNS/I-NP are/VBP/B-VP n't/RB/I-VP sold/VBN/I-VP ?/./O")
