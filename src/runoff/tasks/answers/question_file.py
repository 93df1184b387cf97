"""Questions with sentences that answer them, as JSON lines: what an answerer learns from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from runoff.errors import DataError, brief
from runoff.formats.json_reader import line_blocks, parse_lines
from runoff.nbest.record_columns import ID, id_text
from runoff.tasks.answers.answer_patterns import AnswerPatterns
from runoff.tasks.tagging.tokenizer import tokenize

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_TEXTS = ("answer_patterns", "answers")


@dataclass(frozen=True)
class GivenSentence:
    """A sentence as it is given: its words, and parts of speech and tags of entities where there are such."""

    words: tuple[str, ...]
    pos: tuple[str, ...] | None = None
    entities: tuple[str, ...] | None = None

    @property
    def text(self) -> str:
        """The words with blanks between them."""
        return " ".join(self.words)


@dataclass(frozen=True)
class QuestionRecord:
    """A question, its answer patterns, sentences that answer it, and others that were retrieved for it.

    Examples
    --------
    >>> record = question_record({"question": "Who?", "answers": ["Ada"], "answering": ["Ada did."], "other": []}, "1")
    >>> record.question.words, record.answering[0].words, record.patterns.match("by Ada")
    (('Who', '?'), ('Ada', 'did', '.'), True)
    """

    id: str
    question: GivenSentence
    patterns: AnswerPatterns
    answering: tuple[GivenSentence, ...] = ()
    other: tuple[GivenSentence, ...] = ()
    type: str | None = None  # the class of answers that it asks for, where it is given

    @property
    def sentences(self) -> tuple[GivenSentence, ...]:
        """The answering sentences, then the others; of copies the first."""
        return tuple({sentence.words: sentence for sentence in reversed((*self.answering, *self.other))}.values())[::-1]


def read_questions(path: str | Path) -> list[QuestionRecord]:
    """Read a file of questions, plain, gzip or zstd; see docs/answers.md for its keys. O(characters).

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "one.jsonl"
    >>> _ = path.write_text('{"id": 7, "question": "Who?", "answers": ["Ada"], "answering": ["Ada did."]}')
    >>> [record.id for record in read_questions(path)]
    ['7']
    """
    found: list[QuestionRecord] = []
    seen: dict[str, int] = {}
    for first, _, lines in line_blocks(path):
        for record, number in zip(*parse_lines(lines, path, first), strict=True):
            try:
                made = question_record(record, str(number))
            except DataError as error:
                raise DataError(error.message, path=path, line=number) from None
            if made.id in seen:
                raise DataError(f"the id {brief(made.id)} is that of line {seen[made.id]}.", path=path, line=number)
            seen[made.id] = number
            found.append(made)
    if not found:
        raise DataError("the file has no questions.", path=path)
    return found


def question_record(record: Any, number: str) -> QuestionRecord:
    """One object of a file as a question; `number` is its id if it has none."""
    if type(record) is not dict:
        raise DataError(f"expected an object with a question, found {brief(record)}.")
    name = id_text(record.get("id", number))
    if name is None:
        raise DataError(f"expected {ID} for 'id', found {brief(record['id'])}.")
    tagged = "question_pos" in record or any(
        isinstance(each, dict) and "pos" in each for each in _list(record, "answering")
    )
    question = _sentence(
        {"text": record.get("question"), "pos": record.get("question_pos"), "ner": record.get("question_ner")},
        "question",
        tagged=tagged,
    )
    if not question.words:
        raise DataError("the question is empty.")
    patterns, texts = (_list(record, key) for key in _TEXTS)
    for text in (*patterns, *texts):
        if type(text) is not str:
            raise DataError(f"expected texts in {' and '.join(map(repr, _TEXTS))}, found {brief(text)}.")
    kind = record.get("question_type")
    if kind is not None and (type(kind) is not str or not kind):
        raise DataError(f"expected a text for 'question_type', found {brief(kind)}.")
    own, given = AnswerPatterns.of(patterns), AnswerPatterns.of_texts(texts)
    return QuestionRecord(
        name,
        question,
        AnswerPatterns((*own.patterns, *given.patterns)),
        tuple(_sentence(each, "answering", tagged=tagged) for each in _list(record, "answering")),
        tuple(_sentence(each, "other", tagged=tagged) for each in _list(record, "other")),
        kind,
    )


def _list(record: dict[str, Any], key: str) -> Sequence[Any]:
    value = record.get(key, [])
    if type(value) is not list:
        raise DataError(f"expected a list for {key!r}, found {brief(value)}.")
    return value


def _sentence(value: Any, what: str, *, tagged: bool) -> GivenSentence:
    given = value if isinstance(value, dict) else {"text": value}
    text = given.get("text")
    if type(text) is not str:
        raise DataError(f"expected a text in {what!r}, found {brief(text)}.")
    # Tags are given for words with blanks between them, and then all texts of the question are such.
    words = tuple(text.split()) if tagged else tuple(token.text for token in tokenize(text))
    return GivenSentence(words, *(_tags(given.get(key), words, key, what) for key in ("pos", "ner")))


def _tags(value: Any, words: tuple[str, ...], key: str, what: str) -> tuple[str, ...] | None:
    if value is None:
        return None
    tags = tuple(value.split()) if type(value) is str else tuple(value) if type(value) is list else None
    if tags is None or not all(type(tag) is str for tag in tags):
        raise DataError(f"expected tags with blanks between them for {key!r} in {what!r}, found {brief(value)}.")
    if len(tags) != len(words):
        raise DataError(f"{key!r} in {what!r} has {len(tags):,} tags for {len(words):,} words.")
    return tags
