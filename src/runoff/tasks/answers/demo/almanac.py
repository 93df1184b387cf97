"""Articles about the island, and questions that they answer, with every sentence tagged."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from runoff.tasks.answers.demo.island import Island
from runoff.tasks.answers.demo.markup import Name, TaggedText
from runoff.tasks.answers.demo.phrases import QUESTIONS, SENTENCES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TRAINING, TEST = 60, 20  # questions
_OTHERS = 6  # sentences that do not answer a question, of its own article and of others of the kind


class Statement(NamedTuple):
    """A sentence of an article, and which fact about its subject it tells."""

    text: TaggedText
    fact: str


@dataclass(frozen=True)
class Article:
    """What the almanac says about one subject."""

    kind: str
    subject: str
    names: Mapping[str, Name]
    statements: tuple[Statement, ...]

    @property
    def file(self) -> str:
        """Name of its file."""
        return f"{self.kind}s/{self.subject.lower().replace(' ', '-')}.txt"

    def __str__(self) -> str:
        return " ".join(str(statement.text) for statement in self.statements) + "\n"


@dataclass(frozen=True)
class AlmanacQuestion:
    """A question with its class (Li and Roth's), its answer, and sentences that answer it or do not."""

    text: TaggedText
    type: str
    answer: str
    answering: tuple[TaggedText, ...]
    others: tuple[TaggedText, ...]

    def record(self) -> dict[str, Any]:
        """As a line of a file of questions: patterns of the answer, sentences with tags and entities."""
        return {
            "question": _blanks(self.text),
            "question_type": self.type,
            "question_pos": " ".join(self.text.column("pos")),
            "question_ner": _entities(self.text),
            "answer_patterns": [rf"\b{re.escape(self.answer)}\b".replace("\\ ", "\\s+")],
            "answering": [
                {"text": _blanks(text), "pos": " ".join(text.column("pos")), "ner": _entities(text)}
                for text in self.answering
            ],
            "other": [_blanks(text) for text in self.others],
        }


@dataclass(frozen=True)
class Almanac:
    """Articles, and questions to learn from and to be asked; no fact is asked for in both.

    Examples
    --------
    >>> almanac = Almanac.of(0)
    >>> len(almanac.articles), len(almanac.training), len(almanac.test)
    (40, 60, 20)
    >>> print(almanac.training[0].text, almanac.training[0].answer)
    Who invented the pocket lamp? Nils Umberton
    """

    articles: tuple[Article, ...]
    training: tuple[AlmanacQuestion, ...]
    test: tuple[AlmanacQuestion, ...]

    @classmethod
    def of(cls, seed: int) -> Almanac:
        """The almanac of an island; the same for the same seed."""
        rng = random.Random(seed)  # noqa: S311 - nothing is secret
        articles = _articles(Island.of(seed), rng)
        asked = [(article, fact) for article in articles for fact in QUESTIONS[article.kind]]
        rng.shuffle(asked)
        questions = [_question(article, fact, articles, rng) for article, fact in asked[: TRAINING + TEST]]
        return cls(tuple(articles), tuple(questions[:TRAINING]), tuple(questions[TRAINING:]))

    def tagged(self) -> list[TaggedText]:
        """Training questions with the sentences that answer them or do not, each once: what taggers learn from."""
        found = {
            str(text): text
            for question in self.training
            for text in (question.text, *question.answering, *question.others)
        }
        return list(found.values())


def _articles(island: Island, rng: random.Random) -> list[Article]:
    things: Sequence[tuple[str, Sequence[Any]]] = (
        ("town", island.towns),
        ("person", island.people),
        ("bridge", island.bridges),
        ("firm", island.firms),
    )
    return [_article(kind, thing, rng) for kind, several in things for thing in several]


def _article(kind: str, thing: Any, rng: random.Random) -> Article:
    names: dict[str, Name] = {**vars(thing), "author": thing.name, "inventor": thing.name}
    statements = []
    for fact, templates in SENTENCES[kind].items():
        # Some facts are told twice, in other words.
        drawn = rng.sample(templates, min(len(templates), rng.choice((1, 1, 2))))
        statements += [Statement(TaggedText.of(template, names), fact) for template in drawn]
    first, *rest = statements
    rng.shuffle(rest)
    return Article(kind, thing.name.text, names, (first, *rest))


def _question(article: Article, fact: str, articles: Sequence[Article], rng: random.Random) -> AlmanacQuestion:
    type_, templates = QUESTIONS[article.kind][fact]
    answering = tuple(each.text for each in article.statements if each.fact == fact)
    beside = [each.text for each in article.statements if each.fact != fact]
    alike = [
        each.text
        for other in articles
        if other.kind == article.kind and other is not article
        for each in other.statements
        if each.fact == fact
    ]
    others = (*rng.sample(beside, min(_OTHERS // 2, len(beside))), *rng.sample(alike, _OTHERS // 2))
    answer = article.names[fact].text
    kept = tuple(text for text in others if answer not in str(text))
    return AlmanacQuestion(TaggedText.of(rng.choice(templates), article.names), type_, answer, answering, kept)


def _blanks(text: TaggedText) -> str:
    return " ".join(text.column("text"))


def _entities(text: TaggedText) -> str:
    """Entities as TYPE-B, TYPE-I and - for none."""
    return " ".join("-" if tag == "O" else f"{tag[2:]}-{tag[0]}" for tag in text.column("entity"))
