"""Features of questions that say what kind of answer they ask for (Li & Roth 2002; Huang, Thint & Qin 2008)."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from runoff.tasks.answers.question_head import question_head

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runoff.tasks.answers.annotated import AnnotatedSentence
    from runoff.tasks.answers.supersenses import Supersenses

_BE = frozenset(["is", "are", "was", "were", "be", "been", "'s", "'re"])
_DO = frozenset(["do", "does", "did"])
_ADVERBS = frozenset(["where", "when", "why", "how"])
_FEW = 5  # chunks of the outline


def question_features(question: AnnotatedSentence, senses: Supersenses) -> list[str]:
    """Texts of the features of a question, each once. O(words + hypernyms).

    Examples
    --------
    >>> from runoff.tasks.answers.annotated import AnnotatedSentence, spans_of_tags
    >>> from runoff.tasks.answers.supersenses import Supersenses
    >>> chunks = spans_of_tags(["B-NP", "I-NP", "B-VP"])
    >>> question = AnnotatedSentence(("What", "bird", "sings"), ("WDT", "NN", "VBZ"), chunks)
    >>> found = question_features(question, Supersenses.shipped())
    >>> [each for each in found if each.endswith((":what", ":bird", ".animal"))]
    ['word:what', 'word:bird', 'asks:what', 'head:bird', 'head sense:noun.animal', 'sense:noun.animal']
    """
    return list(dict.fromkeys(_features(question, senses)))


def _features(question: AnnotatedSentence, senses: Supersenses) -> Iterator[str]:
    lower = [word.lower() for word in question.words]
    yield from (f"word:{word}" for word in lower)
    yield from (f"pair:{left} {right}" for left, right in pairwise(["<", *lower, ">"]))
    yield from (f"start:{' '.join(lower[:n])}" for n in (2, 3, 4))
    head = question_head(question)
    after = lower[head.at + 1] if 0 <= head.at < len(lower) - 1 else ""
    yield f"asks:{head.word}"
    yield f"asks:{head.word} {after}"
    asks = f"{head.word} do" if after in _DO else head.word
    outline = _outline(question, lower)
    yield from (f"outline:{' '.join(outline[:n])}" for n in (2, 3, 4, _FEW))
    for rank, at in enumerate(reversed(head.nouns)):
        # After "what did" and the like the first noun is only what something is asked about.
        is_subject = after in _DO or head.word in _ADVERBS
        name = "outer head" if rank else "subject" if is_subject else "head"
        yield from _of_noun(question, senses, at, name, asks)
    for word, tag in zip(question.words, question.pos, strict=True):
        sense = senses.of(word, tag)
        if sense is not None:
            yield f"sense:{sense}"
        if tag.startswith("VB") and lower[0] not in _BE:
            yield f"verb:{senses.lemma(word, tag) or word.lower()} {asks}"
    yield from (f"entity:{span.label}" for span in question.entities)
    yield from (f"entity:{span.label} {asks}" for span in question.entities)
    yield f"end:{' '.join(lower[-3:])}"
    if any(len(word) > 1 and word.isupper() for word in question.words):
        yield f"capitals:{asks} {outline[-2] if len(outline) > 1 else ''}"
    yield f"length:{len(lower)}" if len(lower) < 6 else "length:more"


def _of_noun(question: AnnotatedSentence, senses: Supersenses, at: int, name: str, asks: str) -> Iterator[str]:
    word, tag = question.words[at], question.pos[at]
    kind = tag if tag.startswith("NN") else "NN"
    lemma = senses.lemma(word, kind) or word.lower()
    yield f"{name}:{lemma}"
    yield f"{name}:{lemma} {asks}"
    yield f"{name} tag:{tag} {asks}"
    compound = f"{question.words[at - 1]} {word}" if at else word
    full = compound if senses.of(compound, kind) is not None else word
    sense = senses.of(full, kind)
    if sense is not None:
        yield f"{name} sense:{sense}"
        yield f"{name} sense:{sense} {asks}"
    yield from (f"{name} is:{concept}" for concept in senses.hypernyms(full, kind))
    label = question.labels(question.entities)[at]
    if label is not None:
        yield f"{name} entity:{label}"


def _outline(question: AnnotatedSentence, lower: list[str]) -> list[str]:
    """Chunks and the words outside of them, without what is particular to one question."""
    found: list[str] = []
    entities = question.labels(question.entities)
    starts = {chunk.start: chunk for chunk in question.chunks}
    at = 0
    while at < len(lower):
        chunk = starts.get(at)
        if chunk is None:
            found.append(lower[at])
            at += 1
            continue
        first, tag = lower[at], question.pos[at]
        if chunk.label == "NP" and not tag.startswith("W"):
            name = entities[chunk.stop - 1] or ("NNP" if question.pos[chunk.stop - 1].startswith("NNP") else "NP")
            found.append(f"{first}-{name}" if tag == "DT" else name)
        elif chunk.label == "VP":
            found.append("be" if first in _BE else "do" if first in _DO else "VP")
        else:
            found.append(first if tag.startswith("W") else chunk.label)
            if chunk.stop - at > 1:
                found.append("NP")
        at = chunk.stop
    return found
