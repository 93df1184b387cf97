"""What annotates and classifies questions: taggers and labelled questions that are given, else what the data has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runoff.errors import DataError, UsageError, brief
from runoff.formats.text_file import text_of
from runoff.tasks.answers.annotated import leading_letter
from runoff.tasks.answers.annotator import CHUNK, ENTITY, PARTS, POS, Annotator
from runoff.tasks.answers.plain_tags import chunk_tags, plain_tags
from runoff.tasks.answers.question import QuestionAnalyser
from runoff.tasks.answers.question_types import QuestionTypes
from runoff.tasks.answers.supersenses import Supersenses
from runoff.tasks.tagging.corpus import WORD, Corpus
from runoff.tasks.tagging.tag_sources import TagSource
from runoff.tasks.tagging.tagger_file import load_tagger

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from runoff.tasks.answers.question_file import GivenSentence, QuestionRecord

_MOST = 6_000  # sentences with tags by rules that taggers learn from
_QUESTION_WORDS = ("who", "whom", "whose", "when", "where", "why", "how", "which", "what")


def analyser_for(
    records: Sequence[QuestionRecord],
    taggers: Mapping[str, Path | TagSource | None] | None = None,
    typed_questions: Path | None = None,
    senses: Supersenses | None = None,
    *,
    verbose: bool = False,
    say: Callable[[str], object] = print,
) -> QuestionAnalyser:
    """An analyser for questions of the kind of these.

    Parameters
    ----------
    records
        Questions with sentences. Where these have tags of their own, taggers are learned from them; where they have
        none and no taggers are given, from tags by plain rules (`plain_tags`).
    taggers
        For "pos", "chunks" and "entities" the file of a tagger of Runoff, or anything with a method `label`.
    typed_questions
        A file of questions with their classes, "HUM:ind Who …?" in each line. Without one, the classes are those of
        the records, or the question words.
    senses
        Supersenses, if not those that come with Runoff.

    Examples
    --------
    >>> from runoff.tasks.answers import read_questions
    >>> analyser = analyser_for(read_questions("questions.jsonl"))  # doctest: +SKIP
    """
    known = Supersenses.shipped() if senses is None else senses
    given = {part: each for part, each in (taggers or {}).items() if each is not None}
    if unknown := given.keys() - set(PARTS):
        raise UsageError(f"there is no part {min(unknown)!r} of an annotator; there are: {', '.join(PARTS)}.")
    annotator = Annotator.train(
        *(_tagger(given[part]) if part in given else _corpus(records, part, known, say=say) for part in PARTS),
        verbose=verbose,
    )
    if typed_questions is not None:
        texts, classes = read_typed_questions(typed_questions)
        questions = annotator.annotate(texts, verbose=verbose)
    else:
        questions = annotator.annotate_words([record.question.words for record in records], verbose=verbose)
        classes = _own_classes(records, say=say)
    return QuestionAnalyser(annotator, QuestionTypes.fit(questions, classes, senses=known, verbose=verbose))


def read_typed_questions(path: str | Path) -> tuple[list[str], list[str]]:
    """Questions and their classes from lines "CLASS question", as Li & Roth (2002) gave theirs. O(characters).

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "types.txt"
    >>> _ = path.write_text("HUM:ind Who died ?\\nNUM:date When ?\\n")
    >>> read_typed_questions(path)
    (['Who died ?', 'When ?'], ['HUM:ind', 'NUM:date'])
    """
    texts, classes = [], []
    for number, line in enumerate(text_of(path).splitlines(), 1):
        name, _, question = line.strip().partition(" ")
        if name and not question.strip():
            raise DataError(f"expected a class, a blank and a question, found {brief(line)}.", path=path, line=number)
        if name:
            classes.append(name)
            texts.append(question.strip())
    return texts, classes


def question_word(words: Sequence[str]) -> str:
    """The class of a question by its question word, with the word after how: the classes of data that names none.

    Examples
    --------
    >>> question_word(["In", "what", "year", "?"]), question_word(["How", "many", "?"]), question_word(["Name", "one"])
    ('what', 'how:many', 'other')
    """
    lower = [word.lower() for word in words]
    for at, word in enumerate(lower):
        if word == "how" and at + 1 < len(lower) and lower[at + 1].isalpha():
            return f"how:{lower[at + 1]}"
        if word in _QUESTION_WORDS:
            return word
    return "other"


def _own_classes(records: Sequence[QuestionRecord], *, say: Callable[[str], object]) -> list[str]:
    named = [record.type for record in records]
    if all(named) and len(set(named)) > 1:
        return [str(name) for name in named]
    say("note: classes of questions are their question words; a file of questions with classes gives better ones.")
    found = [question_word(record.question.words) for record in records]
    if len(set(found)) < 2:  # a classifier needs two; the data has one kind of question
        found[0] = "other" if found[0] != "other" else "what"
    return found


def _tagger(given: str | Path | TagSource) -> TagSource:
    return given if isinstance(given, TagSource) else load_tagger(given)


def _corpus(records: Sequence[QuestionRecord], part: str, senses: Supersenses, *, say: Callable[[str], object]) -> Any:
    """Sentences with the tags of a part: those of the data, or by rules."""
    tagged = _tagged(records, part)
    column = {"pos": POS, "chunks": CHUNK, "entities": ENTITY}[part]
    if tagged:
        tags = [_given_tags(each, part) for each in tagged]
        return _columns([each.words for each in tagged], column, tags)
    say(f"note: no tags of {part} are given, so a tagger learns them from plain rules; one of a corpus is better.")
    words = list(
        dict.fromkeys(sentence.words for record in records for sentence in (record.question, *record.sentences))
    )
    found = [plain_tags(each, senses) for each in words[:_MOST]]
    return _columns(words[:_MOST], column, [getattr(each, part) for each in found])


def _tagged(records: Sequence[QuestionRecord], part: str) -> list[GivenSentence]:
    sentences = {sentence.words: sentence for record in records for sentence in (record.question, *record.sentences)}
    wanted = "entities" if part == "entities" else "pos"
    return [each for each in sentences.values() if each.words and getattr(each, wanted) is not None]


def _given_tags(sentence: GivenSentence, part: str) -> Sequence[str]:
    if part == "entities":
        return [leading_letter(tag) for tag in sentence.entities or ()]
    return sentence.pos or () if part == "pos" else chunk_tags(sentence.pos or ())


def _columns(sentences: Sequence[tuple[str, ...]], column: str, tags: Sequence[Sequence[str]]) -> Corpus:
    return Corpus.of(
        {WORD: [word for each in sentences for word in each], column: [tag for each in tags for tag in each]},
        sizes=[len(each) for each in sentences],
    )
